"""A small project built by Sphinx, and what its output says."""

from __future__ import annotations

import logging
import os
import re
import shutil
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from io import StringIO
from pathlib import Path

from docutils.parsers.rst import directives, roles
from jinja2.bccache import Bucket, BytecodeCache
from sphinx.application import Sphinx
from sphinx.util.docutils import additional_nodes, unregister_node
from tests.conftest import PROJECT, write_synthetic

from perfdocs.library import Benchmark
from perfdocs.loading import LoadedCard
from perfdocs.render.plots import Figure, digest

CONF = """
project = "made up"
version = release = "1"
copyright = "2026, nobody"
extensions = ["myst_parser", "perfdocs"]
html_theme = "basic"
html_copy_source = True
epub_copyright = "2026, nobody"
"""

INDEX = """
Made up
=======

.. toctree::

   results
   parts
   compared
   words
   plain
   devices/index

.. perf-measured-on:: rk4
"""

PAGES = {
    "index.rst": INDEX,
    "results.md": "# Results\n\n```{perf-results} rk4\n```\n",
    "parts.rst": """
Parts
=====

.. perf-table:: rk4
   :devices: made-up-gpu

.. perf-table:: rk4
   :devices: made-up-gpu
   :detail:

.. perf-fastest:: rk4
   :devices: made-up-gpu

.. perf-plot:: rk4
   :devices: made-up-gpu
""",
    "compared.md": """# Compared

```{perf-compare} rk4
:at: spread-1000, n=1e6
```

```{perf-plot} rk4
```
""",
    "words.rst": """
Words
=====

.. perf-arms:: rk4

.. perf-terms:: rk4
""",
    "plain.md": "# Plain\n\nNothing of perfdocs.\n",
}


class Templates(BytecodeCache):
    """The theme's templates, compiled once in a process instead of once in each build; jinja compares their texts."""

    def __init__(self) -> None:
        self._kept = dict[str, bytes]()

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()

    def use(self, app: Sphinx) -> None:
        bridge = getattr(app.builder, "templates", None)
        if bridge is not None:
            bridge.environment.bytecode_cache = self


TEMPLATES = Templates()


@contextmanager
def warnings_alone() -> Iterator[None]:
    """Sphinx tells its debugger a thousand things a build: nobody reads them here, nor what it tells its reader."""
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


@contextmanager
def kept_docutils() -> Iterator[None]:
    """Undo what an application registers with docutils, which is global."""
    known_directives, known_roles = dict(directives._directives), dict(roles._roles)  # type: ignore[attr-defined]  # no public way
    known_nodes = set(additional_nodes)
    try:
        with warnings.catch_warnings():
            # What Sphinx and docutils say of each other is not for this project to mend.
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            yield
    finally:
        directives._directives, roles._roles = known_directives, known_roles  # type: ignore[attr-defined]  # no public way
        for node in set(additional_nodes) - known_nodes:
            unregister_node(node)
            additional_nodes.discard(node)


@dataclass
class Built:
    """One build: where it is, its warnings (one a line, paths shortened), and the documents read and written."""

    out: Path
    warnings: list[str]
    read: set[str] = field(default_factory=set)

    def text(self, name: str) -> str:
        """A file of the output."""
        return (self.out / name).read_text(encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        """Everything in the output but Sphinx's record of its configuration."""
        return {
            p.relative_to(self.out).as_posix(): p.read_bytes()
            for p in sorted(self.out.rglob("*"))
            if p.is_file() and p.name != ".buildinfo"
        }


@dataclass
class Project:
    """A folder with ``benchmarks`` and ``docs``; figures are kept in ``cache``."""

    root: Path
    cache: Path | None = None

    @property
    def cards(self) -> Path:
        return self.root / "benchmarks" / "rk4" / "cards"

    @property
    def docs(self) -> Path:
        return self.root / "docs"

    def build(
        self,
        builder: str = "html",
        *,
        out: str = "",
        fresh: bool = False,
        jobs: int = 0,
        doctrees: Path | None = None,
        **config: object,
    ) -> Built:
        """Build once; ``out`` names the output, kept between builds, as are its doctrees."""
        target = self.root / (out or f"out-{builder}")
        doctrees = doctrees or target.with_name(f"{target.name}-doctrees")
        if fresh:
            shutil.rmtree(target, ignore_errors=True)
            shutil.rmtree(doctrees, ignore_errors=True)
        warned, read = StringIO(), set[str]()
        config.setdefault("perfdocs_cache", str(self.cache or self.root / "cache"))
        with kept_docutils(), warnings_alone():
            app = Sphinx(
                self.docs,
                self.docs,
                target,
                doctrees,
                builder,
                confoverrides=dict(config),
                status=None,
                warning=warned,
                parallel=jobs,
            )
            TEMPLATES.use(app)
            app.connect("env-before-read-docs", lambda _, __, names: read.update(names))
            app.build()
        lines = re.sub(r"\x1b\[[0-9;]*m", "", warned.getvalue()).splitlines()
        here = [
            line.replace(f"{self.root}{os.sep}", "").replace(os.path.relpath(self.root) + os.sep, "") for line in lines
        ]
        return Built(target, [line for line in here if line], read)


def project(root: Path, pages: dict[str, str] | None = None, cache: Path | None = None) -> Project:
    """A project with two synthetic cards and a few pages."""
    made = Project(root, cache)
    made.docs.mkdir()
    made.cards.mkdir(parents=True)
    definition = PROJECT / "benchmarks" / "rk4" / "benchmark.toml"
    shutil.copy(definition, made.cards.parent / "benchmark.toml")
    write_synthetic(made.cards, "made-up-gpu")
    write_synthetic(made.cards, "made-up-cpu", kind="cpu", factor=20.0)
    (made.docs / "conf.py").write_text(CONF)
    for name, text in (PAGES if pages is None else pages).items():
        (made.docs / name).write_text(text, encoding="utf-8")
    return made


def text_of_html(html: str) -> str:
    """The words of a page, tags removed."""
    return unescape(re.sub(r"<[^>]*>", " ", html))


def quick_figures(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str, formats: Collection[str]) -> Figure:
    """Stands for the drawing of figures where a test asks which figures there are, not how they look."""
    shown = f'<svg xmlns="http://www.w3.org/2000/svg"><!-- {digest(benchmark, cards, plot)} --></svg>'.encode()
    return Figure(light=shown, dark=shown, pdf=b"%PDF-", png=b"")
