"""The published cards as a claim sees them: what exists, which rows a context selects, where an axis goes.

What names mean is in :mod:`perfdocs.claims.narrowing`, what is selected in :mod:`perfdocs.claims.context`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from msgspec.structs import replace

from ..card import AxisValue, NotRun
from ..definition import Definition
from ..errors import PerfdocsError, nearest
from ..frame import RowsOfCard, absences, rows_of_card
from ..layout import Point, Spot, along, at_point, matching, points_of
from ..library import Benchmark, Library
from ..loading import LoadedCard
from ..quantity import axis_text
from ..row import Row
from ..verdict import Missing
from .context import Context, NotMeasured, Reading
from .model import Use
from .nodes import Tree, named
from .wording import Named

__all__ = ["OF_ORIGIN", "Data"]

OF_ORIGIN = frozenset({"imported", "synthetic"})
OTHER_WORDS = ("peak", "min", "max", "clean")
"""What an expression or a scope may name besides the names of its benchmark."""
MAX_STEPS = 100_000
"""So many parts of expressions are evaluated for one claim; the largest claims of a site need some thousands."""


class _Devices:
    """The published cards of a library, gathered once for all claims."""

    def __init__(self, library: Library) -> None:
        self.published = {key: tuple(c for c in b.cards if c.published) for key, b in library.benchmarks.items()}
        self.ids = frozenset(c.device_id for cards in self.published.values() for c in cards)
        self._named: dict[str | None, Named] = {}

    def named(self, benchmark: str | None) -> Named:
        """The devices of a benchmark, or all."""
        if benchmark not in self._named:
            chosen = [self.published[benchmark]] if benchmark else list(self.published.values())
            self._named[benchmark] = Named({c.device_id: c.card.device.name for cards in chosen for c in cards})
        return self._named[benchmark]


@lru_cache(maxsize=2)
def _devices(library: Library) -> _Devices:
    return _Devices(library)


@dataclass(slots=True)
class Data:
    """Published cards as one claim sees them; remembers what was asked (``uses``) and where (``points``)."""

    library: Library
    where: str
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Devices that the words for others are taken to mean: empty where the claim is asked as it stands."""
    uses: set[Use] = field(default_factory=set)
    points: set[tuple[str, AxisValue]] = field(default_factory=set)
    devices: set[str] = field(default_factory=set)
    arms: set[str] = field(default_factory=set)
    """Those of the sets of arms that the claim went through."""
    seen: list[Row] = field(default_factory=list)
    read: list[Reading] = field(default_factory=list)
    """Each quantity of a row that was read, in order."""
    joint: bool = False
    """Whether the claim went through all devices that have its arms, rather than speak of those it names."""
    caveats: dict[str, tuple[Row, str]] = field(default_factory=dict)
    """Flags of the values read, those of their card's origin left out, each with a row and quantity that bears it."""

    steps: int = 0
    """Parts of expressions evaluated so far."""
    _known: dict[tuple[str, str], RowsOfCard] = field(default_factory=dict)
    """Cards that were asked for already, by benchmark and device."""
    _here: tuple[Context | None, RowsOfCard | None, Point, Point] = (None, None, (), ())
    """Where it was read last: one context is read for several arms."""

    def step(self, count: int = 1) -> None:
        """Note that parts of an expression are evaluated. Raises ``claim-size`` where there are too many."""
        self.steps += count
        if self.steps > MAX_STEPS:
            raise self.error(
                "claim-size",
                f"an expression of which more than {MAX_STEPS} parts are to be evaluated",
                "fewer",
                "nest less of `over`, or name points",
            )

    def error(self, code: str, found: str, expected: str, do: str) -> PerfdocsError:
        """A problem at this claim."""
        return PerfdocsError(code, self.where, found, expected, do)

    # --- what exists -------------------------------------------------------------------------------------------

    def benchmark(self, context: Context) -> Benchmark:
        """The benchmark selected."""
        if context.benchmark is None:
            self._any_name()
            raise self.error(
                "claim-ambiguous",
                "no benchmark",
                f"a benchmark ({', '.join(sorted(self.library.benchmarks)) or 'there is none'})",
                "name it in a given before the claim",
            )
        return self.library.benchmarks[context.benchmark]

    def definition(self, context: Context) -> Definition:
        """The definition of the benchmark selected."""
        return self.benchmark(context).definition

    def published(self, benchmark: Benchmark) -> tuple[LoadedCard, ...]:
        """Cards that claims may look at."""
        self.uses.add((benchmark.definition.id, None))
        return _devices(self.library).published[benchmark.definition.id]

    def card(self, context: Context) -> tuple[Benchmark, LoadedCard]:
        """The card selected."""
        benchmark = self.benchmark(context)
        if context.device is None:
            known = ", ".join(c.device_id for c in self.published(benchmark))
            raise self.error("claim-ambiguous", "no device", f"a device ({known or 'there is none'})", "name one")
        self.uses.add((benchmark.definition.id, context.device))
        self.devices.add(context.device)
        loaded = benchmark.card_of(context.device)
        if loaded is None or not loaded.published:
            raise self.error(
                "claim-empty",
                f"no card of {benchmark.definition.id} on {context.device}",
                "a measured card",
                "measure it, or speak of another device",
            )
        return benchmark, loaded

    def named_devices(self, benchmark: str | None) -> Named:
        """The devices with a published card of a benchmark, or of any, as a text may name them."""
        self.uses.update((key, None) for key in ([benchmark] if benchmark else self.library.benchmarks))
        return _devices(self.library).named(benchmark)

    def device_ids(self) -> frozenset[str]:
        """Every device with a published card."""
        return _devices(self.library).ids

    def is_device(self, name: str, context: Context) -> bool:
        """Whether a name is a device's. Where no card of the benchmark selected says so, all others are asked."""
        found = name in self.device_ids()
        own = self.library.benchmarks.get(context.benchmark or "")
        if found and (own is None or own.card_of(name) is None):
            self._any_name()
        return found

    def _any_name(self) -> None:
        """Note that a card or an entry that comes or goes anywhere may change what a name means."""
        self.uses.update((benchmark, None) for benchmark in self.library.benchmarks)

    def no_axis(self, axis: str, context: Context, more: Sequence[str] = ()) -> PerfdocsError:
        """What is no axis, with those that there are, and ``more`` that may stand for one."""
        known = (*self.definition(context).axes, *more)
        expected = f"one of {', '.join(known)}{nearest(axis, known)}"
        return self.error("claim-name", f'the axis "{axis}"', expected, "correct the name")

    def unknown(self, name: str, context: Context) -> PerfdocsError:
        """An unknown name, with the nearest one known."""
        known = {*self.library.benchmarks, *self.device_ids()}
        if context.benchmark is not None:
            d = self.definition(context)
            known |= {*d.arms, *d.groups, *d.metrics, *d.derived, *d.axes, *d.tables, *OTHER_WORDS}
            known |= {v for a in d.axes.values() for v in a.values if isinstance(v, str)}
        self._any_name()
        what = f"a name of {context.benchmark}" if context.benchmark else "a benchmark or device"
        if context.benchmark and context.device is None:
            what = f"a device, or {what}"
        return self.error("claim-name", f'"{name}"', f"{what}{nearest(name, known)}", "correct the name")

    # --- rows --------------------------------------------------------------------------------------------------

    def rows(self, context: Context) -> RowsOfCard | None:
        """The rows of the card selected; ``None`` where none is."""
        if context.benchmark is None or context.device is None:
            return None
        known = self._known.get((context.benchmark, context.device))
        if known is None:
            known = self._known[context.benchmark, context.device] = rows_of_card(*self.card(context))
        return known

    def matching(self, context: Context, arms: Sequence[str] = (), along: str | None = None) -> tuple[Spot, ...]:
        """Where rows are that the context selects, of these arms where any are named, and with the axis ``along``."""
        known = self.rows(context)
        own, given = tuple(context.own.items()), tuple(context.given.items())
        return matching(known.layout, tuple(arms), along, context.table, own, given) if known else ()

    def _at_point(self, context: Context, arm: str) -> Sequence[Row]:
        """The rows of an arm that the context selects."""
        if context is not self._here[0]:
            own, given = tuple(context.own.items()), tuple(context.given.items())
            self._here = context, self.rows(context), own, given
        _, known, own, given = self._here
        if known is None:
            return ()
        return [known.row(spot) for spot in at_point(known.layout, arm, context.table, own, given)]

    def read_at(self, context: Context, arm: str, metric: str) -> Reading:
        """The metric of the one row of an arm that has it here. Raises ``claim-empty`` or ``claim-ambiguous``."""
        found, reasons = [], []
        for row in self._at_point(context, arm):
            try:
                found.append(Reading(row, metric, row.value(metric)))
            except Missing as missing:
                reasons.append(missing.reason)
        if len(found) == 1:
            read = found[0]
            self.points.update(read.row.at.items())
            self.seen.append(read.row)
            self.read.append(read)
            for flag in read.value.flags:
                if flag not in OF_ORIGIN:
                    self.caveats.setdefault(flag, (read.row, metric))
            return read
        if found:
            rows = [read.row for read in found]
            names = {a for row in rows for a in row.at}
            open_axes = sorted(a for a in names if len({row.at.get(a) for row in rows}) > 1)
            tables = sorted({row.table for row in rows})
            what = ", ".join(open_axes) or f"the table ({', '.join(tables)})"
            raise self.error(
                "claim-ambiguous",
                f"{len(found)} measurements of {metric}({arm})",
                f"one: {what} is not named",
                "name it in the claim or in a given",
            )
        raise self._empty(context, arm, metric, reasons)

    def _empty(self, context: Context, arm: str, metric: str, reasons: Sequence[str]) -> PerfdocsError:
        _, loaded = self.card(context)
        point = {**context.given, **context.own}
        definition = self.definition(context)
        absent = [
            n.reason for key in definition.tables for n in absences(loaded.card, context.table or key, arm, point)
        ]
        why = f": {(absent or list(reasons) or [''])[0]}" if absent or reasons else ""
        near = "" if why else self._near(context, point)
        return NotMeasured(
            "claim-empty",
            self.where,
            f"nothing measured for {metric}({arm}){self.describe(context)}{why}",
            f"a measurement{near}",
            "correct the selection, or leave the sentence out",
        )

    def _near(self, context: Context, point: Mapping[str, AxisValue]) -> str:
        """The measured values nearest to one that was not measured anywhere."""
        known, found = self.rows(context), ""
        every = known.layout.every if known else ()
        for axis, value in point.items():
            if isinstance(value, str) or any(spot.at.get(axis) == value for spot in every):
                continue
            there = {v for spot in every if not isinstance(v := spot.at.get(axis, ""), str)}
            if there:
                label, near = self.definition(context).axes[axis].label, min(there, key=lambda v: abs(v - value))
                found += f"; the nearest {label} is {axis_text(near)}"
        return found

    def clocks_apart(self, row: Row) -> None:
        """Note that a row was compared across clocks."""
        self.caveats.setdefault("clocks_apart", (row, "sm_clock"))

    # --- axes --------------------------------------------------------------------------------------------------

    def arms_in(self, tree: Tree, context: Context) -> tuple[str, ...]:
        """Arms that an expression names."""
        arms = self.definition(context).arms
        return tuple(name for name in named(tree) if name in arms)

    def axis_values(self, context: Context, axis: str, arms: Sequence[str]) -> tuple[AxisValue, ...]:
        """The values of an axis here in the tables of these arms, in the definition's order.

        That is where any arm has a row, not these alone: what was not run is still one of "every".
        """
        definition = self.definition(context)
        if axis not in definition.axes:
            raise self.no_axis(axis, context, ("arm", "device", "cell"))
        free, known = context.without(axis), self.rows(context)
        own, given = tuple(free.own.items()), tuple(free.given.items())
        nowhere: tuple[frozenset[str], frozenset[AxisValue]] = (frozenset(), frozenset())
        tables, found = along(known.layout, axis, tuple(arms), free.table, own, given) if known else nowhere
        found |= self._not_run(free, axis, arms, tables)
        order = definition.axes[axis].values
        words = sorted((v for v in found if isinstance(v, str) and v not in order), key=str)
        numbers = sorted(v for v in found if not isinstance(v, str) and v not in order)
        values = (*(v for v in order if v in found), *numbers, *words)
        if not values:
            what = f"no value of {axis} measured{self.describe(free)}"
            raise self.error("claim-empty", what, "at least one", "correct the selection")
        return values

    def _not_run(self, context: Context, axis: str, arms: Sequence[str], tables: Iterable[str]) -> set[AxisValue]:
        """Values at which the card says that one of the arms was not run, whether or not another was."""
        found = self._absences(context, arms, tables) if tables else ()
        return {n.at[axis] for n in found if axis in n.at}

    def arms_not_run(self, context: Context, arms: Sequence[str]) -> set[str]:
        """Those of these arms of which the card says that they were not run where the context selects."""
        return {n.arm for n in self._absences(context, arms, [context.table] if context.table else [])}

    def _absences(self, context: Context, arms: Sequence[str], tables: Iterable[str]) -> Iterator[NotRun]:
        """What the card says of arms that were not run in these tables, where the context selects."""
        if not (absent := self.card(context)[1].card.not_run):
            return
        point = {**context.given, **context.own}
        for n in absent:
            here = n.arm in arms and n.table in (None, *tables)
            if here and all(point.get(a, v) == v for a, v in n.at.items()):
                yield n

    def cells(self, context: Context, arms: Sequence[str]) -> tuple[Mapping[str, AxisValue], ...]:
        """Every point of the first table that has all the arms, and a row of any arm there."""
        free, known = replace(context, given={}), self.rows(context)
        for table in (context.table,) if context.table else self.definition(context).tables:
            if known and (points := points_of(known.layout, tuple(arms), table, tuple(context.own.items()))):
                return points
        what = f"no cell with {', '.join(arms) or 'a measurement'}{self.describe(free)}"
        raise self.error("claim-empty", what, "at least one", "correct the selection")

    def able_devices(self, context: Context, arms: Sequence[str]) -> tuple[str, ...]:
        """Devices with a card of the benchmark on which, by the definition, every arm can run."""
        self.joint = True
        benchmark = self.benchmark(context)
        entries = [benchmark.definition.arms[arm] for arm in arms]
        return tuple(c.device_id for c in self.published(benchmark) if all(c.card.device.kind in e.on for e in entries))

    def place(self, found: Sequence[Row], context: Context) -> str:
        """Where these rows are, in words: what all share, and every device. Without rows: what is selected."""
        if not found:
            return self.describe(context)
        first, *others = found
        shared = {a: v for a, v in first.at.items() if all(r.at.get(a) == v for r in others)}
        devices = " and ".join(dict.fromkeys(r.card.device.id for r in found))
        here = Context(benchmark=first.definition.id, own=shared)
        return f"{self.describe(here)} on {devices}"

    def describe(self, context: Context) -> str:
        """`` at spread-1000, N = 10⁶ on made-up-gpu``: the point in words, for messages."""
        definition = self.definition(context) if context.benchmark else None
        parts = []
        for axis, value in {**context.given, **context.own}.items():
            if definition and axis in definition.axes:
                label = definition.axes[axis].label
                parts.append(value if isinstance(value, str) else f"{label} = {axis_text(value)}")
        point = f" at {', '.join(parts)}" if parts else ""
        return f"{point} on {context.device}" if context.device else point
