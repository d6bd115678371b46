"""The language of claims from its sources: the grammar as productions, and the worked examples, which are the tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import perfdocs

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(perfdocs.__file__).parent
GRAMMARS = (PACKAGE / "expression.lark", PACKAGE / "claims" / "grammar.lark")
FIXTURES = ROOT / "tests" / "claims"
GROUP = "claims"
WIDTH = 90
"""A rule of so many letters is one line; a longer one has a line for each alternative."""
STARTS = ("claim", "given", "valued")
"""What a text may be: a claim, the selectors of a given, the expression of a value."""

# --- grammar ------------------------------------------------------------------------------------------------------

_DEFINITION = re.compile(r"^(?:%extend\s+)?[?!]?(?P<name>[A-Za-z_]\w*)\s*:(?!:)", re.MULTILINE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/|->\s*\w+|\w+|[\[\]()|*+?]')
CLOSED_BY = {"[": "]", "(": ")"}
Tree = tuple[Any, ...]
"""``any`` of alternatives, ``all`` parts in order, ``maybe`` one, ``many`` of one; what ``is`` a text or a name."""


def productions() -> dict[str, Tree]:
    """Every rule and terminal of the two grammars, in their order; what extends a rule is among its alternatives."""
    found: dict[str, Tree] = {}
    for path in reversed(GRAMMARS):
        text = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        text = re.sub(r"^%(?:import|ignore)\b.*$", "", text, flags=re.MULTILINE)
        starts = list(_DEFINITION.finditer(text))
        for here, then in zip(starts, [*(m.start() for m in starts[1:]), len(text)], strict=True):
            tree = _Reader(_TOKEN.findall(text[here.end() : then])).any()
            name = here["name"]
            before = found.get(name)
            if before is None:
                found[name] = tree
            else:
                own, more = (before, tree) if text[here.start()] == "%" else (tree, before)
                found[name] = ("any", *_alternatives(own), *_alternatives(more))
    return found


def _alternatives(tree: Tree) -> tuple[Tree, ...]:
    return tree[1:] if tree[0] == "any" else (tree,)


class _Reader:
    """A reader of the right side of a rule."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [t for t in tokens if not t.startswith("->")]
        self._at = 0

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def any(self) -> Tree:
        parts = [self._all()]
        while self._next() == "|":
            self._take()
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else ("any", *parts)

    def _all(self) -> Tree:
        parts: list[Tree] = []
        while self._next() not in ("", "|", "]", ")"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else ("all", *parts)

    def _one(self) -> Tree:
        said = self._take()
        if said in CLOSED_BY:
            inner = self.any()
            if self._take() != CLOSED_BY[said]:
                raise ValueError(f"an open bracket in a grammar, behind {self._tokens[: self._at]}")
            tree: Tree = ("maybe", inner) if said == "[" else inner
        else:
            tree = ("is", said)
        if self._next() == "*":
            self._take()
            return ("many", tree)
        if self._next() == "+":
            self._take()
            return ("all", tree, ("many", tree))
        if self._next() == "?":
            self._take()
            return ("maybe", tree)
        return tree


def written(tree: Tree, known: dict[str, Tree], *, inner: bool = False) -> str:
    """A right side in the notation of the page: ``[ ]`` at most once, ``{ }`` any number of times."""
    kind, *parts = tree
    if kind == "is":
        return f"`{parts[0]}`" if parts[0] in known else str(parts[0])
    if kind == "maybe":
        return f"[ {written(parts[0], known)} ]"
    if kind == "many":
        return f"{{ {written(parts[0], known)} }}"
    if kind == "all":
        return " ".join(written(part, known, inner=True) for part in parts)
    text = " | ".join(written(part, known) for part in parts)
    return f"( {text} )" if inner else text


def reachable(known: dict[str, Tree], start: str) -> list[str]:
    """The rules that a start needs, itself first, each before what it is made of."""
    found: list[str] = []
    waiting = [start]
    while waiting:
        name = waiting.pop(0)
        if name in known and name not in found:
            found.append(name)
            waiting += re.findall(r"`(\w+)`", written(known[name], known))
    return found


def grammar() -> Iterator[str]:
    """The grammar as a list of productions, in Markdown; names in it are links."""
    known = productions()
    order = list(dict.fromkeys(name for start in STARTS for name in reachable(known, start)))
    yield "```{eval-rst}"
    yield f".. productionlist:: {GROUP}"
    for name in order:
        whole = written(known[name], known)
        first, *more = [known[name]] if len(whole) <= WIDTH else _alternatives(known[name])
        yield f"   {name}: {written(first, known)}"
        yield from (f"       : | {written(one, known)}" for one in more)
    yield "```"


# --- examples -----------------------------------------------------------------------------------------------------


def cases(path: Path) -> Iterator[tuple[str, str, str]]:
    """Title, input and expected of each case of a file of tests."""
    for block in path.read_text(encoding="utf-8").split("\n.\n\n"):
        title, given, expected = block.removesuffix("\n.\n").split("\n.\n")
        yield title.strip(), given + "\n", expected.strip()


def shown(expected: str) -> str:
    """What comes out, a few lines for each claim."""
    lines = []
    for line in expected.splitlines():
        m = re.fullmatch(r"(\d+) (\w+)(?: \[([\w-]+)\] (.*) \| (.*) \| (.*))?", line)
        if m is None:
            lines.append(line)
            continue
        number, status, code, found, wanted, do = m.groups()
        lines.append(f"line {number}: {status}{f' [{code}]' if code else ''}")
        if code:
            lines += [f"  found     {found}", f"  expected  {wanted}", f"  do        {do}"]
    return "\n".join(lines) or "nothing: no claim, and nothing that a strict page may not say"


class Grammar(SphinxDirective):
    """The productions of the language."""

    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Written from the files that the parser reads."""
        for path in (*GRAMMARS, Path(__file__)):
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes("\n".join(grammar()))


class Examples(SphinxDirective):
    """A section for each file of worked examples."""

    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Every case, as the tests read it."""
        sections: list[nodes.Node] = []
        for path in sorted(FIXTURES.glob("*.md")):
            self.env.note_dependency(str(path))
            section = nodes.section("", nodes.title("", path.stem.capitalize()), ids=[f"examples-{path.stem}"])
            for title, given, expected in cases(path):
                section += nodes.rubric("", title)
                section += _block(given.rstrip("\n"), "markdown")
                section += _block(shown(expected), "text")
            self.state.document.note_implicit_target(section)
            sections.append(section)
        self.env.note_dependency(__file__)
        return sections


def _block(text: str, language: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("claims-grammar", Grammar)
    app.add_directive("claims-examples", Examples)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
