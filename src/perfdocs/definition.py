"""A definition: what a benchmark means, read from its ``benchmark.toml``.

The definition holds every word a page shows (labels, loop structures, units, what is better), so that a label exists
once for every device, and every derived quantity, as an expression of :mod:`perfdocs.expression`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from .card import AxisValue, Key

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
]

Label = Annotated[str, Meta(min_length=1, max_length=200)]
Prose = Annotated[str, Meta(max_length=2000)]
# a unit stands in cells of CSV files, where a spreadsheet would compute what begins like a formula
Unit = Annotated[str, Meta(pattern=r"^(?:[^\s=+@-].*)?$", max_length=40)]
Better = Literal["lower", "higher"]


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
    points of an arm, and of one value of ``by`` where that is an axis. Where it is ``arm``, each arm has a row with a
    mark for each device, and y lies from left to right.

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
