"""A map: what the columns of a published table mean in terms of a definition, read from a TOML file.

It brings what a card says and the table does not (origin, device, method). It names the metric and the unit of each
column, and the arm or axis value that a text stands for. Nothing in it is evaluated.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from .card import AxisValue, Card, Device, Host, Key, Method, Origin, Short, Source
from .cardfile import decode_card, encode_card
from .crosscheck import check_card
from .definition import Definition
from .errors import PerfdocsError, clean, nearest, place
from .files import read_bytes
from .quantity import parse_printed
from .tree import check_tree, convert

__all__ = ["Cells", "Column", "Map", "check_map", "digits_in_si", "factor_of", "head_of", "number_of", "read_map"]

Header = Annotated[str, Meta(min_length=1, max_length=200)]
MAX_COLUMNS = 1000


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of every entry of a map."""


class Cells(_Entry, frozen=True, kw_only=True):
    """What the cells of a column say; of several columns, their texts with a space between.

    ``is`` gives the meaning of a text that does not stand for itself; rows with a text of ``skip`` are left out.
    """

    column: Header | tuple[Header, ...]
    is_: dict[str, AxisValue] = msgspec.field(name="is", default_factory=dict)
    skip: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns by their headers."""
        return (self.column,) if isinstance(self.column, str) else self.column

    @property
    def header(self) -> str:
        """The columns in words, for messages."""
        return " + ".join(self.columns)


class Column(_Entry, frozen=True, kw_only=True):
    """One column of values: the metric, its unit in the table, columns of its range, and what the header alone says.

    ``digits`` counts the significant ones; ``exact`` is for what was counted and not rounded.
    """

    column: Header
    metric: Key
    unit: str = ""
    low: Header | None = None
    high: Header | None = None
    digits: Annotated[int, Meta(ge=1, le=17)] | None = None
    exact: bool = False
    arm: Key | None = None
    at: dict[Key, AxisValue] = {}


class Reason(_Entry, frozen=True, kw_only=True):
    """Why there is no value where a cell has a certain text."""

    reason: Annotated[str, Meta(min_length=1, max_length=500)]
    kind: Literal["not_installed", "unsupported", "out_of_time", "out_of_memory", "failed_verification", "error"] = (
        "unsupported"
    )


class Map(_Entry, frozen=True, kw_only=True):
    """How one table becomes one card.

    ``digits`` holds for columns that say nothing else; without it they are counted as the cells print them. A cell with
    a text of ``missing`` says nothing, one with a text of ``not_run`` says why there is no value.
    """

    benchmark: Key
    recorded: str
    origin: Origin
    device: Device
    host: Host = Host()
    software: dict[Short, Short] = {}
    method: Method = Method(protocol="block")
    table: Key = "main"
    arm: Key | Cells | None = None
    at: dict[Key, AxisValue | Cells] = {}
    values: Annotated[tuple[Column, ...], Meta(min_length=1, max_length=MAX_COLUMNS)]
    digits: Annotated[int, Meta(ge=1, le=17)] | None = None
    missing: tuple[str, ...] = ("",)
    not_run: dict[str, Reason] = {}
    delimiter: Literal[",", ";", "\t"] = ","


def read_map(path: Path) -> Map:
    """Read and validate a map. Raises :class:`PerfdocsError` with the file and the key."""
    data = read_bytes(path, path.parent, "map")

    def where(at: str) -> str:
        return place(path, at)

    try:
        tree = tomllib.loads(data.decode("utf-8").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        found = "entries nested without end" if isinstance(error, RecursionError) else clean(str(error), 120)
        raise PerfdocsError("map-syntax", place(path), found, "TOML in UTF-8", "correct the line") from None
    check_tree(tree, where, "map")
    return convert(tree, Map, "$", where, "map")


def head_of(chosen: Map, path: Path, definition: Definition) -> Card:
    """The card without its measurements. Raises :class:`PerfdocsError` with the map and the key."""
    if chosen.origin.kind == "measured":
        raise PerfdocsError(
            "map-origin",
            place(path, "$.origin.kind"),
            '"measured"',
            '"imported", or "synthetic" for made-up numbers',
            "measure with `perfdocs run`; what was read off a table is imported",
        )
    head = Card(
        schema="perfdocs.card/1",
        benchmark=chosen.benchmark,
        version=definition.version,
        recorded=chosen.recorded,
        origin=chosen.origin,
        device=chosen.device,
        host=chosen.host,
        software=chosen.software,
        source=Source(),
        method=chosen.method,
        measurements=(),
    )
    decode_card(encode_card(head), path)
    check_card(head, definition, path)
    return head


def factor_of(unit: str, metric_unit: str) -> float | None:
    """What a number in ``unit`` is multiplied by to be in ``metric_unit`` (SI); ``None`` where they differ in kind."""
    if unit == metric_unit:
        return 1.0
    found = parse_printed(f"1 {unit}")
    if len(found) != 1 or found[0].end != len(f"1 {unit}") or found[0].unit != metric_unit:
        return None
    return found[0].value if found[0].style in ("value", "percent") else None


def check_map(chosen: Map, path: Path, definition: Definition) -> None:
    """Hold a map against its definition. Raises :class:`PerfdocsError` with the map and the key."""

    def need(word: str, known: Iterable[str], at: str, what: str) -> None:
        known = list(known)
        if word not in known:
            found = f'"{clean(word, 60)}"'
            expected = f"{what}: {', '.join(known[:20])}{nearest(word, known)}"
            raise PerfdocsError("map-name", place(path, at), found, expected, "correct the name")

    need(chosen.table, (k for k, t in definition.tables.items() if t.of is None), "$.table", "a table")
    arms, axes = definition.arms_of(chosen.table), definition.tables[chosen.table].axes
    for at, word in _arms(chosen):
        need(word, arms, at, f'an arm of the table "{chosen.table}"')
    for axis in chosen.at:
        need(axis, axes, f"$.at.{axis}", f'an axis of the table "{chosen.table}"')
    metrics = [k for k, m in definition.metrics.items() if m.kind != "choice"]
    if chosen.origin.kind == "imported":
        metrics += [k for k, d in definition.derived.items() if not d.over]
    for i, column in enumerate(chosen.values):
        at = f"$.values[{i}]"
        need(column.metric, metrics, f"{at}.metric", "a metric, or of an imported card a derived quantity of one point")
        for axis in column.at:
            need(axis, axes, f"{at}.at", f'an axis of the table "{chosen.table}"')
        _check_column(chosen, column, at, path, definition)


def _arms(chosen: Map) -> Iterator[tuple[str, str]]:
    """Where the map names arms, and the names."""
    if isinstance(chosen.arm, str):
        yield "$.arm", chosen.arm
    elif chosen.arm is not None:
        yield from (("$.arm.is", str(word)) for word in chosen.arm.is_.values())
    yield from ((f"$.values[{i}].arm", c.arm) for i, c in enumerate(chosen.values) if c.arm is not None)


def _check_column(chosen: Map, column: Column, at: str, path: Path, definition: Definition) -> None:
    def wrong(code: str, key: str, found: str, expected: str, do: str) -> PerfdocsError:
        return PerfdocsError(code, place(path, f"{at}{key}"), found, expected, do)

    unit = definition.quantity(column.metric).unit
    if factor_of(column.unit, unit) is None:
        found = f'"{clean(column.unit, 40)}"' if column.unit else "no unit"
        expected = f'"{unit}", or that with a prefix' if unit else 'no unit, or "%"'
        raise wrong("map-unit", ".unit", found, expected, f'write the unit that "{clean(column.column, 60)}" is in')
    if column.exact and (column.digits or column.low or column.high):
        raise wrong("map-exact", ".exact", "digits or a range of what is exact", "one of both", "remove one")
    if column.arm is None and chosen.arm is None:
        raise wrong("map-arm", "", "no arm", "an arm, of the map or of each column", "add `arm`")
    if lacking := [a for a in definition.tables[chosen.table].axes if a not in chosen.at and a not in column.at]:
        found = f"no value for {', '.join(lacking)}"
        raise wrong("map-axis", ".at", found, "one value for each axis", "add it to `at`, of the map or of the column")


def number_of(text: str) -> tuple[float, int] | None:
    """A plain number and its significant digits as printed (see :class:`.quantity.Printed`); else ``None``."""
    found = parse_printed(text)
    if len(text) > 60 or len(found) != 1 or found[0].style != "plain" or found[0].text != text:
        return None
    printed = found[0]
    if not printed.quantum:  # 10⁶ has no digits to count
        return printed.value, 1
    return printed.value, min(len(str(round(abs(printed.value / printed.quantum)))), 17)


def digits_in_si(digits: int, factor: float) -> int:
    """Digits of the number in SI: one less where the unit (a minute) would else make the rounding look finer."""
    leading = factor / 10.0 ** math.floor(math.log10(factor) + 1e-12)
    return digits if leading < 1.1 else max(digits - 1, 1)
