"""A definition: what a benchmark means, read from its ``benchmark.toml``.

The definition holds every word a page shows (labels, loop structures, units, what is better), so that a label exists
once for every device, and every derived quantity, as an expression of :mod:`perfdocs.expression`.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from .card import KEY_PATTERN, AxisValue, Key
from .cardfile import RESERVED
from .errors import PerfdocsError, clean, nearest, place
from .files import read_bytes
from .tree import check_tree, convert

__all__ = [
    "Arm",
    "Axis",
    "ById",
    "Definition",
    "Derived",
    "Group",
    "Headline",
    "Metric",
    "Plot",
    "Roof",
    "Table",
    "read_definition",
]

Label = Annotated[str, Meta(min_length=1, max_length=200)]
Prose = Annotated[str, Meta(max_length=2000)]
# a unit stands in cells of CSV files, where a spreadsheet would compute what begins like a formula
Unit = Annotated[str, Meta(pattern=r"^(?:[^\s=+@-].*)?$", max_length=40)]
Better = Literal["lower", "higher"]

RESERVED_WORDS = frozenset(
    [
        "about",
        "ahead",
        "and",
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


class _Entry(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every entry of a definition."""


class Axis(_Entry, frozen=True, kw_only=True):
    """One axis. ``values`` orders a categorical axis and names all it may hold; a numeric axis needs none."""

    label: Label
    unit: Unit = ""
    scale: Literal["linear", "log", "category"] = "linear"
    values: tuple[AxisValue, ...] = ()
    labels: dict[str, Label] = {}


class Group(_Entry, frozen=True, kw_only=True):
    """A named set of arms, ``gpu`` in `leads gpu`."""

    label: Label


class Tag(_Entry, frozen=True, kw_only=True):
    """Something true of some arms. Where ``apart``, fastest lines are given with and without them."""

    label: Label
    apart: bool = False


class Arm(_Entry, frozen=True, kw_only=True):
    """One way to run the workload; without a kind of device in ``on``, one that only imported cards have."""

    label: Label
    loop: Prose
    group: Key
    on: tuple[Literal["gpu", "cpu"], ...]
    tags: tuple[Key, ...] = ()
    note: Prose = ""


class Metric(_Entry, frozen=True, kw_only=True):
    """Something a card records. ``samples``: one number a run; ``count``: one number; ``choice``: a key."""

    label: Label
    kind: Literal["samples", "count", "choice"]
    unit: Unit = ""
    better: Better | None = None
    about: Prose = ""


class Derived(_Entry, frozen=True, kw_only=True):
    """A quantity computed at build. With ``over`` it is a property of a whole series along these axes.

    ``of_peak`` names the peak of the device that a rate is shown as a share of, ``footprint`` the quantity that tells
    how many bytes the data occupy: a bandwidth above the peak is served from cache where they fit there.
    With ``fraction`` the quantity is itself a share of a limit: it prints as percent and is flagged above 1.

    In ``is``, ``wall[jax_while]`` is the quantity of that arm at the same point of the same table and card.
    """

    label: Label
    is_: Annotated[str, Meta(min_length=1, max_length=2000)] = msgspec.field(name="is")
    unit: Unit = ""
    better: Better | None = None
    of_peak: str | None = None
    footprint: Key | None = None
    fraction: bool = False
    over: tuple[Key, ...] = ()
    about: Prose = ""


class Table(_Entry, frozen=True, kw_only=True):
    """A set of measurements with axes of their own and the columns that show them.

    ``split`` is the axis that starts a new part, ``by`` the metric of the overview and the fastest lines,
    ``across`` the axis whose values become the overview's columns. It holds ``arms``, all where none is named, but
    those it is ``without``. ``of`` names the table whose series this one
    summarises.
    """

    title: Label
    axes: tuple[Key, ...] = ()
    columns: tuple[Key, ...]
    split: Key | None = None
    across: Key | None = None
    by: Key | None = None
    arms: tuple[Key, ...] = ()
    without: tuple[Key, ...] = ()
    of: Key | None = None
    about: Prose = ""


class Roof(_Entry, frozen=True, kw_only=True):
    """What y cannot exceed at any x: the lesser of ``slope`` · x and ``rate``, both expressions.

    They are of facts of the device and of quantities ``over`` a series. Where these differ from line to line, each line
    has a roof of its own.
    """

    rate: Annotated[str, Meta(min_length=1, max_length=2000)]
    slope: Annotated[str, Meta(min_length=1, max_length=2000)]
    label: Label = "roof"


class Plot(_Entry, frozen=True, kw_only=True):
    """A figure over one table.

    Where ``x`` is an axis, a line joins points that differ along it alone. Where it is a quantity, a line joins all
    points of an arm, and of one value of ``by`` where that is an axis.

    A scale that is not said follows the values. ``fits`` draws each of these laws over each line that stands out, where
    it can be fitted, ``roofs`` what the device or the series limit y to: both in figures of one device.
    """

    title: Label
    table: Key = "main"
    x: Key
    y: Key
    by: Key = "arm"
    split: Key | None = None
    scale_x: Literal["log", "linear"] | None = None
    scale_y: Literal["log", "linear"] | None = None
    fits: tuple[Literal["hyperbola", "corner"], ...] = ()
    roofs: tuple[Roof, ...] = ()
    about: Prose = ""


class Headline(_Entry, frozen=True, kw_only=True):
    """What the benchmark says of a device in one number: the best of the measurements of a table that are selected.

    ``arms`` (all where none is named) and ``at`` select. ``share`` is a fraction of the same measurement, such as that
    of a limit at the observed clock; without it the share is of the peak that ``quantity`` names, if it names one.
    """

    label: Label
    table: Key = "main"
    quantity: Key
    arms: tuple[Key, ...] = ()
    at: dict[Key, AxisValue] = {}
    share: Key | None = None


class Definition(_Entry, frozen=True, kw_only=True):
    """Everything about a benchmark that is the same for every device.

    ``protocol`` makes GPU cards measured by rotation too; without it they are measured in blocks.
    """

    id: Key
    title: Label
    summary: Prose
    version: Annotated[int, Meta(ge=1)] = 1
    default: Key = "wall"
    tolerance: Annotated[float, Meta(gt=0, lt=1)] = 0.01
    protocol: Literal["rotate"] | None = None
    axes: dict[Key, Axis] = {}
    groups: dict[Key, Group] = {}
    tags: dict[Key, Tag] = {}
    arms: dict[Key, Arm]
    metrics: dict[Key, Metric]
    derived: dict[Key, Derived] = {}
    tables: dict[Key, Table]
    plots: dict[Key, Plot] = {}
    headlines: dict[Key, Headline] = {}

    def quantity(self, key: str) -> Metric | Derived:
        """The metric or derived quantity called ``key``."""
        return self.metrics[key] if key in self.metrics else self.derived[key]

    def arms_of(self, table: str) -> tuple[str, ...]:
        """Keys of the arms a table may hold, in the definition's order."""
        chosen = self.tables[table]
        return tuple(a for a in self.arms if a in (chosen.arms or self.arms) and a not in chosen.without)

    def axis_label(self, axis: str, value: AxisValue) -> str:
        """How the page names one value of an axis."""
        return self.axes[axis].labels.get(str(value), str(value))


class ById:
    """A definition hashed by its identity, for what is made of it once: it holds what cannot be hashed."""

    __slots__ = ("definition",)

    def __init__(self, definition: Definition) -> None:
        self.definition = definition

    def __hash__(self) -> int:
        return id(self.definition)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and self.definition is other.definition


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
        need(plot.x, {*axes, *quantities}, f"{at}.x", "an axis of the table, a metric or a derived quantity")
        need(plot.y, quantities, f"{at}.y", "a metric or derived quantity")
        need(plot.by, {"arm", *axes}, f"{at}.by", '"arm" or an axis of the table')
        if plot.split is not None:
            need(plot.split, axes, f"{at}.split", "an axis of the table")
        if plot.x in d.axes and d.axes[plot.x].scale == "category" and (plot.scale_x or plot.fits or plot.roofs):
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
