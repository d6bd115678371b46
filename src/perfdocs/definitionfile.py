"""The file of a definition, ``benchmark.toml``: bytes to a record in which every name that is used has its entry."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from .card import KEY_PATTERN
from .cardfile import RESERVED
from .definition import Definition
from .errors import PerfdocsError, clean, nearest, place
from .files import read_bytes
from .tree import check_tree, convert

__all__ = ["RESERVED_WORDS", "decode_definition", "parse_definition", "read_definition"]

RESERVED_WORDS = frozenset(
    [
        "about",
        "ahead",
        "and",
        "arm",
        "at",
        "behind",
        "below",
        "but",
        "by",
        "claim",
        "clean",
        "device",
        "each",
        "every",
        "faster",
        "falls",
        "from",
        "given",
        "in",
        "lead",
        "leads",
        "less",
        "level",
        "more",
        "no",
        "of",
        "on",
        "only",
        "over",
        "overtakes",
        "rises",
        "slower",
        "some",
        "than",
        "then",
        "to",
        "trail",
        "trails",
        "under",
        "with",
        "within",
    ]
)
"""Words of the claims language: no arm, metric, axis, axis value or device may be called so."""


def read_definition(path: Path) -> Definition:
    """Read and validate ``benchmark.toml``. Raises :class:`PerfdocsError` with the file and the key."""
    return decode_definition(read_bytes(path, path.parent, "definition"), path)


def decode_definition(data: bytes, path: Path) -> Definition:
    """Validate the bytes of a definition; ``path`` is used in messages only. Raises :class:`PerfdocsError`."""
    try:
        tree = tomllib.loads(data.decode("utf-8").replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, a number of thousands of digits
        found = "entries nested without end" if isinstance(error, RecursionError) else clean(str(error), 120)
        raise PerfdocsError("definition-syntax", place(path), found, "TOML in UTF-8", "correct the line") from None
    return parse_definition(tree, path)


def parse_definition(tree: dict[str, Any], path: Path) -> Definition:
    """Validate the parsed TOML; ``path`` is used in messages only."""

    def where(at: str) -> str:
        return place(path, at)

    check_tree(tree, where, "definition")
    definition = convert(tree, Definition, "$", where, "definition")
    _check(definition, path)
    return definition


def _check(d: Definition, path: Path) -> None:
    def need(word: str, known: Any, at: str, what: str) -> None:
        if word not in known:
            raise PerfdocsError(
                "definition-name",
                place(path, at),
                f'"{word}"',
                f"{what}{nearest(word, known)}",
                "correct the name or add its entry",
            )

    quantities = {*d.metrics, *d.derived}
    for key, arm in d.arms.items():
        need(arm.group, d.groups, f"$.arms.{key}.group", "a group of the definition")
        for tag in arm.tags:
            need(tag, d.tags, f"$.arms.{key}.tags", "a tag of the definition")
    need(d.default, quantities, "$.default", "a metric or derived quantity")
    for key, table in d.tables.items():
        at = f"$.tables.{key}"
        for axis in table.axes:
            need(axis, d.axes, f"{at}.axes", "an axis of the definition")
        for name in (table.split, table.across):
            if name is not None:
                need(name, table.axes, f"{at}", "an axis of the table")
        for column in (*table.columns, *([table.by] if table.by else [])):
            need(column, quantities, f"{at}.columns", "a metric or derived quantity")
        for name, keys in (("arms", table.arms), ("without", table.without)):
            for arm_key in keys:
                need(arm_key, d.arms, f"{at}.{name}", "an arm of the definition")
        if table.of is not None:
            measured = [k for k, t in d.tables.items() if t.of is None]
            need(table.of, measured, f"{at}.of", "a table of measurements")
            for axis in table.axes:
                need(axis, d.tables[table.of].axes, f"{at}.axes", f'an axis of the table "{table.of}"')
        for column in table.columns:
            if over := d.derived[column].over if column in d.derived else ():
                need(
                    table.of or "",
                    [t for t in d.tables if t == table.of],
                    f"{at}.of",
                    f'a table, whose series "{column}" is of',
                )
                for axis in [a for a in d.tables[table.of or ""].axes if a not in table.axes]:
                    need(axis, over, f"$.derived.{column}.over", f'every axis along which "{key}" joins points')
    for key, plot in d.plots.items():
        at = f"$.plots.{key}"
        need(plot.table, d.tables, f"{at}.table", "a table of the definition")
        axes = d.tables[plot.table].axes
        need(
            plot.x,
            {"arm", *axes, *quantities},
            f"{at}.x",
            '"arm", an axis of the table, a metric or a derived quantity',
        )
        need(plot.y, quantities, f"{at}.y", "a metric or derived quantity")
        need(plot.by, {"arm", *axes}, f"{at}.by", '"arm" or an axis of the table')
        if plot.split is not None:
            need(plot.split, axes, f"{at}.split", "an axis of the table")
        named = plot.x == "arm" or (plot.x in d.axes and d.axes[plot.x].scale == "category")
        if named and (plot.scale_x or plot.fits or plot.roofs):
            raise PerfdocsError(
                "definition-plot",
                place(path, f"{at}.x"),
                f'"{plot.x}", whose values are words',
                "numbers, where the plot has scale_x, fits or roofs",
                "leave these out, or plot against another quantity",
            )
    for key, headline in d.headlines.items():
        at = f"$.headlines.{key}"
        need(headline.table, d.tables, f"{at}.table", "a table of the definition")
        need(headline.quantity, quantities, f"{at}.quantity", "a metric or derived quantity")
        for arm_key in headline.arms:
            need(arm_key, d.arms_of(headline.table), f"{at}.arms", "an arm of the table")
        for axis, value in headline.at.items():
            need(axis, d.tables[headline.table].axes, f"{at}.at", "an axis of the table")
            if known := d.axes[axis].values:
                need(str(value), list(map(str, known)), f"{at}.at.{axis}", "a value of the axis")
        if headline.share is not None:
            fractions = [k for k, derived in d.derived.items() if derived.fraction]
            need(headline.share, fractions, f"{at}.share", "a derived quantity that is a fraction")
    for key, derived in d.derived.items():
        if derived.footprint is not None:
            need(derived.footprint, quantities, f"$.derived.{key}.footprint", "a metric or derived quantity")
        for axis in derived.over:
            need(axis, d.axes, f"$.derived.{key}.over", "an axis of the definition")
        if derived.fraction and (derived.unit or derived.of_peak):
            raise PerfdocsError(
                "definition-fraction",
                place(path, f"$.derived.{key}.fraction"),
                "a fraction with a unit or a peak of its own",
                "a plain number, printed as percent",
                "divide by the limit in `is`, and leave out `unit` and `of_peak`",
            )
    _check_namespace(d, path)


def _check_namespace(d: Definition, path: Path) -> None:
    """Arms, groups, metrics, derived quantities, axes and axis values are said by the same words in claims."""
    seen: dict[str, str] = {}
    words = [(k, "arms") for k in d.arms] + [(k, "groups") for k in d.groups] + [(k, "metrics") for k in d.metrics]
    words += [(k, "derived") for k in d.derived] + [(k, "axes") for k in d.axes]
    words += [(v, f"axes.{k}.values") for k, a in d.axes.items() for v in a.values if isinstance(v, str)]
    for word, kind in words:
        at = place(path, f"$.{kind}")
        if word in RESERVED_WORDS or (kind == "metrics" and word in RESERVED):
            raise PerfdocsError(
                "definition-reserved",
                at,
                f'"{word}"',
                "a name that is no word of the claims language and no key of a measurement",
                "choose another key",
            )
        if not re.fullmatch(r"[a-z][a-z0-9_]*(?:-[a-z0-9_]+)*", word):
            raise PerfdocsError("definition-key", at, f'"{word}"', f"a key like {KEY_PATTERN}", "choose another key")
        if word in seen:
            raise PerfdocsError(
                "definition-collision",
                at,
                f'"{word}"',
                f"a name not used in {seen[word]}",
                "rename one: arms, groups, metrics, axes and axis values share one namespace",
            )
        seen[word] = kind
