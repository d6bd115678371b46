"""Columns of numbers: one quantity of several rows in one unit, with ranges, shares of a peak and flags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..card import Summary
from ..definition import Definition, Derived, Metric
from ..flags import FLAGS
from ..quantity import NBSP, Scale, format_percent, number_text, scale_for
from ..row import Row, of_intervals, share_of_peak
from ..verdict import Missing, Value
from .model import MISSING, Cell
from .points import ordered_flags
from .whys import whys

__all__ = ["Column", "column", "digits_of", "head_text", "marks", "missing_cell", "range_text", "value_text"]

DIGITS = 3
WHOLE = 10**9
PEAK_WORDS = {
    "fp64": "FP64 peak",
    "fp32": "FP32 peak",
    "dram": "DRAM peak",
    "fp16": "FP16 peak",
    "int32": "INT32 peak",
    "tensor_fp16": "FP16 matrix peak",
    "tensor_bf16": "BF16 matrix peak",
    "tensor_tf32": "TF32 matrix peak",
    "tensor_fp64": "FP64 matrix peak",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A head that names quantity and unit, and one cell a row."""

    head: str
    cells: tuple[Cell, ...]


def head_text(label: str, scale: Scale, extra: str = "") -> str:
    """``wall (µs)``; ``extra`` says what stands in brackets in the cells."""
    inside = ", ".join(filter(None, [scale.unit.replace(" ", NBSP), extra]))
    return f"{label} ({inside})" if inside else label


def value_text(
    value: Value, quantity: Metric | Derived, scale: Scale, digits: int = DIGITS, *, whole: bool = False
) -> str:
    """The centre in the column's unit; a fraction prints as percent.

    A count without prefix prints whole, and so does any other number of a column that is ``whole``.
    """
    if isinstance(quantity, Derived) and quantity.fraction:
        return format_percent(value.centre, digits)
    number = value.centre / scale.factor
    whole = (whole or (isinstance(quantity, Metric) and quantity.kind == "count")) and scale.factor == 1.0
    if whole and float(number).is_integer() and abs(number) < WHOLE:
        return number_text(number, max(len(str(int(abs(number)))), DIGITS)) if abs(number) >= 1000 else f"{number:.0f}"
    return number_text(number, digits)


def _whole(value: Value) -> bool:
    """Whether this is one whole number, without a range."""
    return float(value.centre).is_integer() and value.lo == value.hi == value.centre


def range_text(value: Value, quantity: Metric | Derived, centre: str, scale: Scale, digits: int = DIGITS) -> str:
    """The display range in brackets, where it reads differently from the centre; else nothing."""
    ends, percent = (value.show_lo, value.show_hi), isinstance(quantity, Derived) and quantity.fraction
    low, high = (format_percent(v, digits) if percent else number_text(v / scale.factor, digits) for v in ends)
    return "" if low == centre == high else f"{NBSP}({low}–{high})"


def missing_cell(reason: str) -> Cell:
    """A cell that says why it holds no number."""
    return Cell(MISSING, missing=reason)


def digits_of(row: Row, key: str) -> int:
    """Significant digits a value is printed with: never more than an imported source gave."""
    raw = row.raw.values.get(key) if row.raw else None
    return min(DIGITS, raw.digits) if isinstance(raw, Summary) and raw.digits else DIGITS


def column(found: Sequence[Row], key: str, best: Iterable[str] = ()) -> Column | None:
    """A column for these rows; ``best`` names arms. ``None`` where no row holds a value."""
    definition = found[0].definition
    quantity = definition.quantity(key)
    if isinstance(quantity, Metric) and quantity.kind == "choice":
        return _choices(found, key, quantity)
    values: list[Value | Missing] = []
    for row in found:
        try:
            values.append(row.value(key))
        except Missing as missing:
            values.append(missing)
    if all(isinstance(v, Missing) for v in values):
        return None
    scale = scale_for([v.centre for v in values if isinstance(v, Value)], quantity.unit)
    winners = frozenset(best)
    exact = not quantity.unit and all(_whole(v) for v in values if isinstance(v, Value))
    shares = [_share(row, key) for row in found] if isinstance(quantity, Derived) and quantity.of_peak else None
    cells = []
    for i, (row, value) in enumerate(zip(found, values, strict=True)):
        if isinstance(value, Missing):
            cells.append(missing_cell(value.reason))
            continue
        digits = digits_of(row, key)
        text, flags = value_text(value, quantity, scale, digits, whole=exact), value.flags
        own = isinstance(quantity, Metric) or (quantity.over and shares is None) or of_intervals(row, key)
        if own and value.show_lo != value.show_hi:  # what runs leave open of a derived quantity stands at its metrics
            text += range_text(value, quantity, text, scale, digits)
        if shares is not None and (share := shares[i]) is not None:
            text, flags = f"{text}{NBSP}({format_percent(share.centre)})", flags | share.flags
        marked = ordered_flags(flags) if flags else ()
        reasons = whys(row, key, flags) if flags else ()
        cells.append(Cell(text, marked, row.arm in winners, whys=reasons))
    extra = _peak_words(definition, key) if shares is not None and any(s is not None for s in shares) else ""
    return Column(head_text(quantity.label, scale, extra), tuple(cells))


def _choices(found: Sequence[Row], key: str, quantity: Metric) -> Column | None:
    chosen = [row.choice(key) for row in found]
    if not any(chosen):
        return None
    cells = (Cell(c, number=False, foreign=True) if c else missing_cell("not recorded") for c in chosen)
    return Column(quantity.label, tuple(cells))


def _share(row: Row, key: str) -> Value | None:
    try:
        return share_of_peak(row, key)
    except Missing:
        return None


def _peak_words(definition: Definition, key: str) -> str:
    entry = definition.derived[key]
    name = (entry.of_peak or "").removeprefix("device.").removeprefix("peak.")
    return f"share of {PEAK_WORDS.get(name, name.replace('_', ' '))}"


def marks(flags: Iterable[str]) -> str:
    """The marks of flags, as they stand behind a value."""
    return "".join(FLAGS[f].mark if f in FLAGS else "?" for f in flags)
