"""The one formatter of numbers, and the one reader of numbers as printed.

Numbers print with three significant digits unless asked otherwise, an SI prefix, a group space in long integers and a
no-break space before the unit. Fractions print as percent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

__all__ = [
    "NBSP",
    "UNITS",
    "Printed",
    "Scale",
    "axis_text",
    "format_percent",
    "format_ratio",
    "format_value",
    "parse_printed",
    "scale_for",
    "superscript",
]

NBSP = "\u00a0"
THIN = "\u202f"  # narrow no-break space
_PREFIXES = {-5: "f", -4: "p", -3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G", 4: "T", 5: "P", 6: "E"}
_BINARY = ("byte", "KiB", "MiB", "GiB", "TiB")
_SHORT = {"byte": "B", "byte/s": "B/s", "byte/J": "B/J"}
_PLAIN = frozenset({"", "sample", "1", "bit", "°C"})
_SUPER = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit as shown and the factor from SI: shown = value / factor."""

    factor: float
    unit: str


LONG, LEAST = 1e5, 0.01
"""A column's largest number that is still read at a glance, and its smallest where that is exceeded."""


def scale_for(values: Iterable[float], unit: str) -> Scale:
    """One scale for a whole column or axis, chosen so that its smallest non-zero magnitude reads as 1 or more.

    Where its largest would then have six digits or more before the point, the smallest may read as 0.01 or more.
    """
    sizes = [abs(v) for v in values if v and math.isfinite(v)]
    smallest = min(sizes, default=1.0)
    if unit in _PLAIN:
        return Scale(1.0, unit)
    if unit == "byte":
        step = min(max(int(math.log2(smallest) // 10), 0), len(_BINARY) - 1) if smallest >= 1 else 0
        return Scale(float(1024**step), "B" if step == 0 else _BINARY[step])
    exponent = math.floor(math.log10(smallest * (1 + 5e-4))) // 3  # 999.6 µs prints as 1.00 ms
    largest = max(sizes, default=1.0)
    if largest >= LONG * 1000.0**exponent and smallest >= LEAST * 1000.0 ** (exponent + 1):
        exponent += 1
    if unit == "s":
        exponent = min(exponent, 0)
    exponent = max(min(exponent, 6), -5)
    return Scale(1000.0**exponent, _PREFIXES[exponent] + _SHORT.get(unit, unit))


def _digits(number: float | Decimal, digits: int) -> str:
    if number == 0:
        return "0"
    rounded = (number if isinstance(number, Decimal) else Decimal(repr(number))).normalize()
    exponent = rounded.adjusted()
    quantum = Decimal(1).scaleb(exponent - digits + 1)
    rounded = rounded.quantize(quantum)
    if rounded.adjusted() > exponent:  # 9.996 became 10.00
        rounded = rounded.quantize(quantum.scaleb(1))
    whole, _, fraction = f"{rounded:f}".partition(".")
    sign, whole = ("−", whole[1:]) if whole.startswith("-") else ("", whole)
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", THIN)
    return sign + whole + (f".{fraction}" if fraction else "")


@lru_cache(maxsize=16384)  # a page says most of its numbers several times
def number_text(number: float, digits: int = 3) -> str:
    """A bare number with ``digits`` significant digits; very large or small ones as a power of ten."""
    if math.isnan(number):
        return "not a number"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if number and not 1e-4 <= abs(number) < 1e9:
        exact = Decimal(repr(number))  # 10.0**-324 is zero
        exponent = exact.adjusted()
        mantissa = _digits(exact.scaleb(-exponent), digits)
        if mantissa.lstrip("−").startswith("10"):
            mantissa, exponent = _digits(exact.scaleb(-exponent - 1), digits), exponent + 1
        return f"{mantissa}{NBSP}×{NBSP}10{superscript(exponent)}"
    return _digits(number, digits)


def format_value(number: float, unit: str, *, digits: int = 3, scale: Scale | None = None) -> str:
    """A number with its unit, no-break; ``scale`` fixes the prefix (a column's), and then the unit is left out."""
    if scale is not None:
        return number_text(number / scale.factor, digits)
    chosen = scale_for([number], unit)
    text = number_text(number / chosen.factor, digits)
    return f"{text}{NBSP}{chosen.unit}" if chosen.unit else text


def format_percent(fraction: float, digits: int = 3) -> str:
    """A fraction as percent: 0.946 → 94.6 %."""
    return f"{number_text(fraction * 100, digits)}{NBSP}%"


def format_ratio(number: float, digits: int = 3) -> str:
    """A ratio: 1.506 → 1.51×."""
    return f"{number_text(number, digits)}×"


def superscript(exponent: int) -> str:
    """Digits as superscripts: 6 → ⁶."""
    return str(exponent).translate(_SUPER)


def axis_text(value: float | str) -> str:
    """One value of an axis as shown: 1000000 → 10⁶, 2097152 → 2²¹, 1500 → 1500."""
    if isinstance(value, str):
        return value
    if 1000 <= value < 1e15 and float(value).is_integer():
        whole = int(value)
        if (power := round(math.log10(whole))) and 10**power == whole:
            return f"10{superscript(power)}"
        if whole >= 2048 and whole & (whole - 1) == 0:
            return f"2{superscript(whole.bit_length() - 1)}"
        return f"{whole:,}".replace(",", THIN) if whole >= 10_000 else str(whole)
    return f"{value:g}"


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as a text prints it. ``quantum`` is one unit of its last digit, in SI; ``start``–``end`` its place.

    Zeros at the end of a long integer may stand for digits that were rounded away: ``27 700`` has three significant
    digits, as it is printed here, and ``600`` has three too.

    ``style``: ``value`` (with ``unit`` in SI), ``percent``, ``ratio`` (×), or ``plain`` (no unit).
    """

    text: str
    value: float
    quantum: float
    style: str
    unit: str
    start: int
    end: int

    def reads(self, number: float) -> bool:
        """Whether ``number`` (SI, or a fraction for percent) reads as printed at the printed precision.

        Nothing but zero reads as zero of a unit: ``0 s`` has no digit of any time.
        """
        if not self.value and self.style in ("value", "ratio"):
            return not number
        return abs(number - self.value) <= self.quantum / 2 * (1 + 1e-9)


_UNIT_FACTORS: dict[str, tuple[str, float]] = {}
for _unit, _base in (
    ("s", "s"),
    ("B", "byte"),
    ("byte", "byte"),
    ("B/s", "byte/s"),
    ("flop", "flop"),
    ("FLOP", "flop"),
    ("flop/s", "flop/s"),
    ("FLOP/s", "flop/s"),
    ("FLOPS", "flop/s"),
    ("Hz", "Hz"),
    ("W", "W"),
    ("J", "J"),
    ("1/s", "1/s"),
    ("step/s", "step/s"),
    ("op/s", "op/s"),
    ("B/J", "byte/J"),
    ("byte/J", "byte/J"),
    ("op/J", "op/J"),
    ("flop/J", "flop/J"),
):
    for _power, _prefix in _PREFIXES.items():
        if (_base, _prefix) != ("s", "E"):
            _UNIT_FACTORS[_prefix + _unit] = (_base, 1000.0**_power)
for _power, _prefix in _PREFIXES.items():
    if _power > 0:  # "24 flops" are so many, "3 Gflops" so many a second
        _UNIT_FACTORS |= {f"{_prefix}{_unit}": ("flop/s", 1000.0**_power) for _unit in ("flops", "Flops", "Flop/s")}
for _i, _name in enumerate(("KiB", "MiB", "GiB", "TiB"), 1):
    _UNIT_FACTORS[_name] = ("byte", 1024.0**_i)
    _UNIT_FACTORS[_name + "/s"] = ("byte/s", 1024.0**_i)
_UNIT_FACTORS |= {"us": ("s", 1e-6), "μs": ("s", 1e-6), "min": ("s", 60.0), "bytes": ("byte", 1.0)}
_UNIT_FACTORS |= {"GB/sec": ("byte/s", 1e9), "bit": ("bit", 1.0), "samples": ("sample", 1.0)}
_UNIT_FACTORS |= {"cycle": ("cycle", 1.0), "cycles": ("cycle", 1.0), "fps": ("1/s", 1.0), "FPS": ("1/s", 1.0)}
for _name, _base, _factor in (
    ("nanosecond", "s", 1e-9),
    ("microsecond", "s", 1e-6),
    ("millisecond", "s", 1e-3),
    ("second", "s", 1.0),
    ("minute", "s", 60.0),
    ("hour", "s", 3600.0),
    ("day", "s", 86_400.0),
    ("week", "s", 604_800.0),
    *((f"{prefix}byte", "byte", 1000.0**i) for i, prefix in enumerate(("kilo", "mega", "giga", "tera"), 1)),
    *((f"{prefix}bibyte", "byte", 1024.0**i) for i, prefix in enumerate(("ki", "me", "gi", "te"), 1)),
    ("gigaflop", "flop", 1e9),
    ("teraflop", "flop", 1e12),
    ("watt", "W", 1.0),
    ("joule", "J", 1.0),
    ("megahertz", "Hz", 1e6),
    ("gigahertz", "Hz", 1e9),
):
    for _form in dict.fromkeys((_name, f"{_name}s")):
        _UNIT_FACTORS[_form] = (_base, _factor)
        if _base in ("byte", "flop"):
            _UNIT_FACTORS[f"{_form} per second"] = (f"{_base}/s", _factor)
UNITS = "|".join(sorted(map(re.escape, _UNIT_FACTORS), key=len, reverse=True))
"""A pattern of every unit that is read."""
_GAP = r"[ \u00a0\u202f\u2009]"
_GROUPED = rf"\d{{1,3}}(?:{_GAP}\d{{3}}(?!\d))+|[1-9]\d{{0,2}}(?:,\d{{3}})+(?!,?\d)"
_NUMBER = rf"[-−]?(?:{_GROUPED}|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?"
_POWER = r"(?:[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?:\^|\*\*)[-−]?\d+|\^\{[-−]?\d+\})"
PRINTED = re.compile(
    rf"(?<![\w.^])(?P<number>{_NUMBER})(?P<power>{_GAP}?[×x·⋅∙*]{_GAP}?10{_POWER})?"
    rf"(?P<exponent>{_POWER})?"
    rf"(?:(?P<percent>{_GAP}?%|{_GAP}(?:percent|per{_GAP}cent)(?!\w))|(?P<ratio>{_GAP}?×(?!{_GAP}?\d)|x(?![\w]))"
    rf"|{_GAP}?(?P<unit>{UNITS})(?![\w/]))?"
)
_UNSUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--", "^*{}")


def parse_printed(text: str) -> list[Printed]:
    """Every number printed in ``text``, in order."""
    return [p for m in PRINTED.finditer(text) if (p := _printed(m)) is not None]


def _printed(m: re.Match[str]) -> Printed | None:
    digits = re.sub(rf"{_GAP}|,", "", m["number"]).replace("−", "-")
    try:
        number = Decimal(digits)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > 300:
        return None  # no quantity is so large or small
    quantum = Decimal(1).scaleb(int(number.as_tuple().exponent))
    whole = digits.lstrip("-0")
    if whole.isdigit() and len(whole) > 3:
        quantum = Decimal(1).scaleb(min(len(whole) - 3, len(whole) - len(whole.rstrip("0"))))
    if m["exponent"]:  # 10⁶
        power = m["exponent"].translate(_UNSUPER)
        try:
            value, step = float(number) ** int(power), 0.0
        except (OverflowError, ValueError, ZeroDivisionError):  # 10⁹⁹⁹, 0⁻¹, ⁻⁻: no number
            return None
        if isinstance(value, complex):
            return None
        return Printed(m[0], value, step, "plain", "", m.start(), m.end())
    factor = 1.0
    if m["power"]:
        tail = re.sub(rf"{_GAP}|[×x·⋅∙*]", "", m["power"]).translate(_UNSUPER)[2:]
        if not re.fullmatch(r"-?\d{1,3}", tail) or abs(int(tail)) > 300:
            return None
        factor = 10.0 ** int(tail)
    style, unit = "plain", ""
    if m["percent"]:
        style, factor = "percent", factor / 100
    elif m["ratio"]:
        style = "ratio"
    elif m["unit"]:
        style = "value"
        unit, scale = _UNIT_FACTORS[m["unit"]]
        factor *= scale
    value, step = float(number) * factor, float(quantum) * factor
    if not (math.isfinite(value) and math.isfinite(step)):
        return None
    return Printed(m[0], value, step, style, unit, m.start(), m.end())
