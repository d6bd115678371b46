"""Reference pages written from the code: ``{reference} card`` and the like, so that they cannot go stale."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx


def _type(schema: dict[str, Any]) -> str:
    """One JSON Schema type in words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#card-{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(s) for s in schema["anyOf"] if s.get("type") != "null")
    if "enum" in schema:
        return " or ".join(f"`{v}`" for v in schema["enum"] if v is not None)
    if schema.get("type") == "array":
        return f"array of {_type(schema['items'])}" if isinstance(schema.get("items"), dict) else "array"
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"object of {_type(inner)}" if isinstance(inner, dict) else "object"
    parts = [str(schema.get("type", "any"))]
    if "description" in schema:
        parts.append(f"({schema['description']})")
    return " ".join(parts)


def _schema_tables(types: list[Any], prefix: str) -> Iterator[str]:
    _, parts = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for name, part in parts.items():
        yield f"({prefix}-{name.lower()})="
        yield f"### {name}"
        yield ""
        yield part.get("description", "")
        yield ""
        yield "| key | value | |"
        yield "| --- | --- | --- |"
        for key, value in part["properties"].items():
            need = "required" if key in part.get("required", ()) else "optional"
            kind = _type(value).replace("#card-", f"#{prefix}-").replace("|", "\\|")
            yield f"| `{key}` | {kind} | {need} |"
        yield ""


def card() -> Iterator[str]:
    """Every record of a card."""
    from perfdocs.card import Card

    yield from _schema_tables([Card], "card")


def definition() -> Iterator[str]:
    """Every entry of a definition."""
    from perfdocs.definition import Definition

    yield from _schema_tables([Definition], "definition")


def ab() -> Iterator[str]:
    """Every part of the record of an A/B."""
    from perfdocs.ab.record import Record

    yield from _schema_tables([Record], "ab")


def flags() -> Iterator[str]:
    """Every flag with its mark."""
    from perfdocs.flags import FLAGS

    yield "| mark | flag | meaning |"
    yield "| --- | --- | --- |"
    for key, flag in FLAGS.items():
        mark = flag.mark.replace("~", "\\~").replace("$", "\\$")
        yield f"| {mark} | `{key}` | {flag.about} |"


def cli() -> Iterator[str]:
    """``--help`` of every command."""
    import click

    from perfdocs.cli import main

    context = click.Context(main, info_name="perfdocs", max_content_width=96)
    yield from _commands("perfdocs", context)


def _commands(title: str, context: Any) -> Iterator[str]:
    """A command, and those below it."""
    import click

    yield from _command(title, context)
    if isinstance(group := context.command, click.Group):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            yield from _commands(f"{title} {name}", click.Context(command, info_name=name, parent=context))


def _command(title: str, context: Any) -> Iterator[str]:
    yield f"## `{title}`"
    yield ""
    yield "```text"
    yield from context.get_help().splitlines()
    yield "```"
    yield ""


def _registered(kind: str) -> list[tuple[str, Any]]:
    from docutils.parsers.rst import directives, roles

    table = directives._directives if kind == "directive" else roles._roles
    ours = {k: v for k, v in table.items() if getattr(v, "__module__", "").startswith("perfdocs.")}
    return sorted(ours.items())


def extension_directives() -> Iterator[str]:
    """Every directive of the extension, with its argument, options and docstring."""
    for name, found in _registered("directive"):
        yield f"### `{name}`"
        yield ""
        yield from (line.strip() for line in (found.__doc__ or "").strip().splitlines())
        yield ""
        required, optional = found.required_arguments, found.optional_arguments
        yield f"Arguments: {required} required, {optional} optional."
        if found.option_spec:
            yield "Options: " + ", ".join(f"`:{o}:`" for o in sorted(found.option_spec)) + "."
        yield ""


def claims() -> Iterator[str]:
    """Every code a claim can be reported with."""
    from perfdocs.claims.model import CODES

    yield "| code | meaning |"
    yield "| --- | --- |"
    for code, meaning in CODES.items():
        yield f"| `perfdocs.{code}` | {meaning} |"


def strict() -> Iterator[str]:
    """Every word that a strict page may not say without a claim."""
    from perfdocs.claims.telling import NOT_COMPARATIVE, WORDS

    yield "| about | words |"
    yield "| --- | --- |"
    for about, words in WORDS.items():
        yield f"| {about} | {', '.join(words)} |"
    yield f"| but not | {', '.join(NOT_COMPARATIVE)} |"


WRITERS: dict[str, Callable[[], Iterator[str]]] = {
    "ab": ab,
    "card": card,
    "claims": claims,
    "cli": cli,
    "definition": definition,
    "directives": extension_directives,
    "flags": flags,
    "strict": strict,
}


class Reference(SphinxDirective):
    """Write one reference from the code."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[Node]:
        """Parse the Markdown that the writer yields where the directive stands."""
        import perfdocs

        self.env.note_dependency(perfdocs.__file__)
        lines = self._config() if self.arguments[0] == "config" else list(WRITERS[self.arguments[0]]())
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)

    def _config(self) -> list[str]:
        lines = ["| value | default | |", "| --- | --- | --- |"]
        for option in sorted(self.config, key=lambda o: o.name):
            if option.name.startswith("perfdocs_"):
                about = getattr(self.config._options[option.name], "description", "")
                lines.append(f"| `{option.name}` | `{self.config._options[option.name].default!r}` | {about} |")
        return lines


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("reference", Reference)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
