"""One measurement as values: raw samples become quantities here and nowhere else."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .card import AxisValue, Card, Device, Measurement, Summary
from .conditions import clocks_apart
from .definition import Definition, Derived
from .expression import Call, Name, evaluate, evaluate_series, names, parse, parts
from .facts import device_fact
from .flags import footprint_flags, noise, of_peak_flags, pattern, sm_clock
from .peaks import peak
from .reasons import Observed, flag_reasons, observed, of_series
from .verdict import Missing, Value, summarise, value_of_summary

__all__ = ["Place", "Row", "clock_ratio", "of_intervals", "share_of_peak"]

Place = tuple[object, ...]
"""Table, arm, and the values of the table's axes in their order: no two rows of a card share it."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One measurement as values. ``index`` is its place in the card (−1 for a row that summarises a series).

    ``peers`` finds the rows of the same card by table, arm and values of the axes.
    """

    definition: Definition
    card: Card
    table: str
    arm: str
    at: Mapping[str, AxisValue]
    index: int
    flags: frozenset[str]
    raw: Measurement | None = None
    series: tuple[Row, ...] = ()
    peers: Mapping[Place, Row] = field(default_factory=dict, repr=False)
    _cache: dict[str, Value | Missing] = field(default_factory=dict, repr=False)

    @property
    def anchor(self) -> str:
        """A permanent id of this row on any page: benchmark, device, table, arm, values of the axes."""
        parts = [self.definition.id, self.card.device.id, self.table, self.arm, *map(str, self.at.values())]
        # a character that may not stand in every builder's ids is written by its number, so that no two rows share one
        return "perf-" + ".".join(re.sub(r"[^a-z0-9_-]", lambda m: f":{ord(m[0]):x}:", part) for part in parts)

    def value(self, key: str) -> Value:
        """A metric, derived quantity or numeric axis by key. Raises :class:`Missing` with the reason."""
        if key not in self._cache:
            try:
                value = self._compute(key)
                self._cache[key] = value if math.isfinite(value.centre) else Missing("not a finite number")
            except Missing as missing:
                self._cache[key] = missing
        known = self._cache[key]
        if isinstance(known, Missing):
            raise known
        return known

    @property
    def sm_clock(self) -> float | None:
        """The SM clock of the runs, Hz; where nothing sampled the work, the median of those read after them."""
        return sm_clock(self.raw) if self.raw else None

    @property
    def observed(self) -> Observed | None:
        """The clock of the runs as it was observed, or why none was; of a row that summarises a series nothing."""
        return observed(self.card, self.raw) if self.raw else None

    @property
    def reasons(self) -> Mapping[str, str]:
        """By flag what the card tells of its reason, for flags that have one."""
        return flag_reasons(self.raw) if self.raw else of_series(r.raw for r in self.series if r.raw)

    @property
    def read(self) -> frozenset[str]:
        """Keys of the quantities that this row was asked for, and of those they are made of."""
        return frozenset(self._cache)

    def choice(self, key: str) -> str | None:
        """The key a ``choice`` metric holds."""
        value = self.raw.values.get(key) if self.raw else None
        return value if isinstance(value, str) else None

    def _compute(self, key: str) -> Value:
        if key in self.definition.metrics:
            return self._metric(key)
        if key in self.definition.derived:
            published = self.raw.values.get(key) if self.raw else None
            if isinstance(published, Summary):  # imported: what it is made of was not published
                return value_of_summary(published).flagged(self.flags)
            return self._derived(self.definition.derived[key], key)
        if key in self.at and not isinstance(self.at[key], str):
            return Value.exact(float(self.at[key]))
        raise Missing("not a number at this point")

    def _metric(self, key: str) -> Value:
        raw = self.raw.values.get(key) if self.raw else None
        if raw is None:
            raise Missing("not recorded")
        if isinstance(raw, str):
            raise Missing("a choice, not a number")
        if isinstance(raw, tuple):
            value = summarise(raw, self.card.method.protocol)
            return value.flagged(self.flags | noise(value) | pattern(raw))
        value = value_of_summary(raw) if isinstance(raw, Summary) else Value.exact(raw)
        return value.flagged(self.flags)

    def _derived(self, derived: Derived, key: str) -> Value:
        node = parse(derived.is_, f"{self.definition.id}: $.derived.{key}.is")
        if derived.over:
            if not self.series:
                raise Missing(f"a property of a whole series over {', '.join(derived.over)}")
            value = evaluate_series(node, [r.lookup for r in self.series])
        else:
            value = evaluate(node, self.lookup)
        if derived.fraction:
            return value.flagged(_above_limit(self, value, derived))
        device = self.card.device
        if derived.footprint is None or peak(device, "dram") is not None:
            return value
        return value.flagged(footprint_flags(_footprint(self, derived), _last_cache(device)))

    def source(self, name: Name) -> Row | None:
        """The row that a name in an expression is read from; ``None`` where that was not measured."""
        return self if name.arm is None else self.peers.get((self.table, name.arm, *self.at.values()))

    def lookup(self, name: Name) -> Value:
        """The value of a name in an expression at this row. Raises :class:`Missing`."""
        if name.name.startswith("device."):
            return device_fact(self.card.device, name.name)
        if name.arm is None:
            return self.value(name.name)
        label = self.definition.arms[name.arm].label
        peer = self.source(name)
        if peer is None:
            raise Missing(f"{label}, to which this is compared, has no measurement here")
        try:
            return peer.value(name.name)
        except Missing as missing:
            raise Missing(f"of {label}, to which this is compared: {missing.reason}") from None


def of_intervals(row: Row, key: str) -> bool:
    """Whether a quantity is known by an interval and not by runs alone.

    So is a summary that has one, a share of counts, and what is derived of such: no other column need say what is open.
    """
    if row.raw is not None and isinstance(raw := row.raw.values.get(key), Summary):
        return raw.low is not None and raw.low != raw.high
    derived = row.definition.derived.get(key)
    if derived is None or derived.over:
        return False
    tree = parse(derived.is_, f"{row.definition.id}: $.derived.{key}.is")
    if any(isinstance(part, Call) and part.function == "share" for part in parts(tree)):
        return True
    sources = ((row.source(name), name.name) for name in names(tree))
    return any(of is not None and of_intervals(of, of_key) for of, of_key in sources)


def clock_ratio(a: Row, b: Row) -> float | None:
    """The SM clock of one row over that of another of the same card, where they are too far apart to compare seconds.

    Times this, the ratio of two times is that of their SM cycles.
    """
    return clocks_apart(a.sm_clock, b.sm_clock) if a.card is b.card else None


def share_of_peak(row: Row, key: str) -> Value:
    """A derived rate as a fraction of the peak it names, flagged where above 1. Raises :class:`Missing`."""
    derived = row.definition.derived.get(key)
    if derived is None or derived.of_peak is None:
        raise Missing("no peak is named for this quantity")
    value, top = row.value(key), device_fact(row.card.device, derived.of_peak).centre
    share = Value(
        value.centre / top,
        value.lo / top,
        value.hi / top,
        value.show_lo / top,
        value.show_hi / top,
        value.samples,
        value.flags,
    )
    return share.flagged(_above_limit(row, share, derived))


def _above_limit(row: Row, share: Value, derived: Derived) -> frozenset[str]:
    """Flags of a fraction of what the device can do, where it is above 1."""
    bandwidth = derived.unit == "byte/s" or (derived.fraction and derived.footprint is not None)
    footprint, cache = _footprint(row, derived), _last_cache(row.card.device)
    return of_peak_flags(share.centre, footprint, cache, bandwidth=bandwidth)


def _footprint(row: Row, derived: Derived) -> float | None:
    """Bytes the data of a quantity occupy, where it names what tells them and the row holds that."""
    if derived.footprint is None:
        return None
    try:
        return row.value(derived.footprint).centre
    except Missing:
        return None


def _last_cache(device: Device) -> int | None:
    """Bytes of the last-level cache, where the device tells them."""
    return device.l2_cache if device.kind == "gpu" else device.l3_cache or device.l2_cache
