"""A card that is right, read fast: in one go, held against what its definition allows.

Only what :mod:`perfdocs.cardfile` and :mod:`perfdocs.crosscheck` accept is accepted here, and the same card comes of
it. Anything unusual or wrong is left to them: they take several times as long, and say what is wrong and where.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Required, TypedDict

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from .card import (
    KEY_PATTERN,
    MAX_MEASUREMENTS,
    MAX_SAMPLES,
    AxisValue,
    Block,
    Card,
    KindOfAbsence,
    Measurement,
    NotRun,
    Summary,
)
from .cardfile import RESERVED
from .crosscheck import check_axis_value, check_card
from .definition import Definition, Metric
from .errors import PerfdocsError
from .flags import FLAGS
from .row import Place
from .tree import check_tree

__all__ = ["QuickReader"]

_MOST = 1e18
"""Metrics are read fast below this: a float does not tell whether it was a whole number beyond all bounds."""
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_WHOLE = b":" + 19 * b"0"
_LARGE = b"0e000"
"""A whole number of 19 digits, and an exponent of three, both as msgspec writes them: beyond all bounds, or nearly."""


class _Absent(NotRun, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """An arm that was not run, which tells whether its kind is in the file."""

    kind: KindOfAbsence | UnsetType = UNSET  # type: ignore[assignment] # wider than what it becomes


class _Ranged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A :class:`Summary` as measured cards have it."""

    centre: Annotated[float, Meta(ge=0, lt=_MOST)]
    low: Annotated[float, Meta(ge=0, lt=_MOST)]
    high: Annotated[float, Meta(ge=0, lt=_MOST)]

    def summary(self, metric: Metric) -> Summary:
        """The same as the library has it. Raises :class:`ValueError` where the numbers do not fit."""
        if not self.low <= self.centre <= self.high or (self.low == 0 and metric.unit == "s"):
            raise ValueError(self)
        return Summary(centre=self.centre, low=self.low, high=self.high)


_LISTS = ("measurements", "not_run")


def _not_run(absent: _Absent) -> NotRun:
    given = {key: getattr(absent, key) for key in NotRun.__struct_fields__}
    return NotRun(**{key: value for key, value in given.items() if value is not UNSET})


def _printable(data: bytes) -> bool:
    """Whether all text is what it looks like; msgspec refuses control characters below the space."""
    if data.isascii():
        return b"\\" not in data and b"\x7f" not in data
    text = data.decode("utf-8")
    return "\\" not in text and text.replace("\n", " ").isprintable()


def _usual_numbers(written: bytes) -> bool:
    """Whether what msgspec wrote holds no number near the bounds of :func:`perfdocs.tree.check_tree`."""
    digits = written.translate(_DIGITS)
    return _WHOLE not in digits and _LARGE not in digits


def _texts(block: Block) -> Iterator[str]:
    """Texts of a block that are no words of a list."""
    yield from block.throttle
    yield from block.repeats
    if block.curve is not None:
        yield block.curve
    if block.state is not None:
        yield from block.state.throttle


def _metric_type(metric: Metric) -> Any:
    """What the values of a metric may be."""
    if metric.kind == "choice":
        return Annotated[str, Meta(pattern=KEY_PATTERN)]
    positive = metric.kind == "samples" and metric.unit == "s"
    bounds = Meta(gt=0, lt=_MOST) if positive else Meta(ge=0, lt=_MOST)
    number = Annotated[float, bounds]
    if metric.kind == "count":
        return number
    return number | Annotated[tuple[number, ...], Meta(min_length=1, max_length=MAX_SAMPLES)] | _Ranged


class QuickReader:
    """Reads cards of one definition."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition
        self._tables = {
            key: (tuple(table.axes), frozenset(definition.arms_of(key)))
            for key, table in definition.tables.items()
            if table.of is None
        }
        fields: dict[str, Any] = {"table": Required[str], "arm": Required[str], "at": dict[str, AxisValue]}
        fields |= {"flags": tuple[str, ...], "block": Block}
        fields |= {key: _metric_type(metric) for key, metric in definition.metrics.items()}
        row = TypedDict("row", fields, total=False)  # type: ignore[misc] # made at run time
        rows = Annotated[tuple[row, ...], Meta(max_length=MAX_MEASUREMENTS)]
        absent = Annotated[tuple[_Absent, ...], Meta(max_length=MAX_MEASUREMENTS)]
        parts: list[Any] = [("measurements", rows), ("not_run", absent, ())]
        options: Any = {"forbid_unknown_fields": True, "omit_defaults": True, "kw_only": True}
        whole = msgspec.defstruct("Whole", parts, bases=(Card,), frozen=True, **options)
        self._decoder = msgspec.json.Decoder(whole)
        self._encode = msgspec.json.Encoder().encode
        self._places: dict[tuple[object, ...], tuple[str, str, Place, int]] = {}
        """What is known of places: table and arm, the key among others, and how many colons a row writes for them.

        All rows of a place share the texts of the first: their hashes are known, and they are compared by identity.
        """
        self._good: set[str] = set()
        """Texts of blocks."""
        self._apt = not RESERVED & definition.metrics.keys()

    def read(self, data: bytes, path: Path) -> Card | None:
        """The card of a file where all is well with it; ``None`` where it has to be read with care."""
        if not self._apt:
            return None
        try:
            if not _printable(data):
                return None
            whole: Any = self._decoder.decode(data)  # of a type made at run time
            others = {key: getattr(whole, key) for key in Card.__struct_fields__ if key not in _LISTS}
            head = Card(measurements=(), **others)
            heads = sum(self._encode(part).count(b":") for part in (head, whole.not_run)) + bool(whole.not_run)
            if whole.origin.kind == "imported":
                return None
            not_run = tuple(map(_not_run, whole.not_run))
            head = replace(head, not_run=not_run)
            check_tree(msgspec.to_builtins(head), lambda at: at, "card")
            datetime.strptime(head.recorded, "%Y-%m-%dT%H:%M:%SZ")
            check_card(head, self._definition, path)
            found, colons = self._measurements(whole.measurements, ranged=b'"centre"' in data)
        except (ValueError, PerfdocsError, RecursionError):  # msgspec's errors are values that do not fit
            return None
        # Each key and each text has its colons again, unless a key was there twice, or one says what goes without.
        return replace(head, measurements=found) if data.count(b":") == heads + colons else None

    def _measurements(self, rows: tuple[dict[str, Any], ...], *, ranged: bool) -> tuple[tuple[Measurement, ...], int]:
        """The rows as the library has them, and how many colons they are written with; ``ranged``: some have intervals.

        What a row says besides its place stays in it, as the values. A key that is none of the definition is not in it:
        its colon is missing in the end. Raises :class:`ValueError` or :class:`PerfdocsError` where one of them does not
        fit the definition.
        """
        found: list[Measurement] = []
        seen: set[Place] = set()
        blocks: list[Block] = []
        colons = 0
        for values in rows:
            pop = values.pop
            table, arm, at, flags, block = pop("table"), pop("arm"), pop("at", {}), pop("flags", ()), pop("block", None)
            known = self._places.get((table, arm, *at.items())) or self._place(table, arm, at)
            table, arm, place, its = known
            seen.add(place)
            if flags and not FLAGS.keys() >= {*flags}:
                raise ValueError(flags)
            if block is not None:
                blocks.append(block)
            for key, value in values.items() if ranged else ():
                if type(value) is _Ranged:
                    values[key] = value.summary(self._definition.metrics[key])
                    colons += len(_Ranged.__struct_fields__)
            colons += its + len(values) + bool(flags)
            found.append(Measurement(table=table, arm=arm, at=at, flags=flags, block=block, values=values))
        if len(seen) < len(found):
            raise ValueError("a point twice")
        return tuple(found), colons + self._blocks(blocks)

    def _place(self, table: str, arm: str, at: dict[str, AxisValue]) -> tuple[str, str, Place, int]:
        """What is known of a place that fits the definition. Raises as above."""
        axes, arms = self._tables.get(table, ((), frozenset()))
        if arm not in arms or at.keys() != {*axes}:
            raise ValueError(at)
        for axis, value in at.items():
            check_tree(value, lambda at: at, "card")
            check_axis_value(value, axis, self._definition, "", PerfdocsError)
        written = self._encode({"table": table, "arm": arm, **({"at": at} if at else {})})
        if not _usual_numbers(written):
            raise ValueError(at)
        point = (table, arm, *at.items())
        self._places[point] = table, arm, (table, arm, *map(at.__getitem__, axes)), written.count(b":")
        return self._places[point]

    def _blocks(self, blocks: list[Block]) -> int:
        """The colons of blocks that hold nothing unusual. Raises as above."""
        for block in blocks:
            if block.throttle or block.repeats or block.curve is not None or block.state is not None:
                for text in {*_texts(block)} - self._good:
                    check_tree(text, lambda at: at, "card")
                    self._good.add(text)
        written = self._encode(blocks)
        if not _usual_numbers(written):
            raise ValueError("a number near the bounds")
        return len(blocks) + written.count(b":")
