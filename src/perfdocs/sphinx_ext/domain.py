"""The domain ``perfdocs``: which document depends on what, kept in the environment, safe in parallel."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TYPE_CHECKING, Any, ClassVar, cast

from docutils import nodes
from sphinx.domains import Domain

from ..claims.matrix import Sentence
from ..render.lineage import Entry
from .project import FAILING, Key, Project
from .spec import Spec

if TYPE_CHECKING:
    from sphinx.addnodes import pending_xref
    from sphinx.builders import Builder
    from sphinx.environment import BuildEnvironment

__all__ = ["PerfdocsDomain", "note", "project_of"]


class PerfdocsDomain(Domain):
    """Keys with digests (``uses``), requests (``specs``), claims and their numbers of each document."""

    name = "perfdocs"
    label = "perfdocs"
    initial_data: ClassVar[dict[str, Any]] = {"uses": {}, "specs": {}, "claims": {}, "numbers": {}}
    data_version = 3
    project: Project | None = None
    builder: Builder | None = None
    """Both are set when a build begins, and never pickled."""
    written: set[str]
    """Documents that this build writes."""

    @property
    def uses(self) -> dict[str, dict[Key, str]]:
        """Document name → key → digest when the document was read."""
        return cast("dict[str, dict[Key, str]]", self.data["uses"])

    @property
    def specs(self) -> dict[str, list[Spec]]:
        """Document name → what it shows, in order."""
        return cast("dict[str, list[Spec]]", self.data["specs"])

    @property
    def claims(self) -> dict[str, tuple[Sentence, ...]]:
        """Document name → the claims on it, in order, each with its anchor."""
        return cast("dict[str, tuple[Sentence, ...]]", self.data["claims"])

    @property
    def numbers(self) -> dict[str, tuple[Entry, ...]]:
        """Document name → the numbers that its claims answer for, in order, each with its anchor."""
        return cast("dict[str, tuple[Entry, ...]]", self.data["numbers"])

    def note(self, docname: str, keys: Iterable[Key]) -> None:
        """Note that a document depends on these keys as they are now."""
        assert self.project is not None
        noted = self.uses.setdefault(docname, {})
        for key in keys:
            noted[key] = self.project.digest(key)

    def note_failing(self, docname: str) -> None:
        """Note that a document is to be read again in every build."""
        self.uses.setdefault(docname, {})[FAILING] = ""

    def outdated(self) -> list[str]:
        """Documents that depend on something that changed since they were read."""
        digest = self.project.digest if self.project else None
        return [d for d, uses in sorted(self.uses.items()) if digest and any(digest(k) != v for k, v in uses.items())]

    def clear_doc(self, docname: str) -> None:
        """Forget a document."""
        self.uses.pop(docname, None)
        self.specs.pop(docname, None)
        self.claims.pop(docname, None)
        self.numbers.pop(docname, None)

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: pending_xref,
        contnode: nodes.Element,
    ) -> list[tuple[str, nodes.reference]]:
        """Nothing here is found by a name alone."""
        del env, fromdocname, builder, target, node, contnode
        return []

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Take over what a parallel process read."""
        for part in ("uses", "specs", "claims", "numbers"):
            self.data[part].update({d: v for d, v in otherdata[part].items() if d in docnames})


def domain_of(env: BuildEnvironment) -> PerfdocsDomain:
    """The domain of an environment."""
    return cast("PerfdocsDomain", env.domains["perfdocs"])


def project_of(env: BuildEnvironment) -> Project:
    """The state of this build. Available from the event ``builder-inited`` on."""
    project = domain_of(env).project
    assert project is not None
    return project


def note(env: BuildEnvironment, docname: str, keys: Iterable[Key]) -> None:
    """Note that a document depends on keys of :mod:`.project`: it is read again when one of them changes."""
    domain_of(env).note(docname, keys)
