"""Numbers as printed and as read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfdocs.quantity import (
    NBSP,
    axis_text,
    format_percent,
    format_ratio,
    format_value,
    number_text,
    parse_printed,
    scale_for,
)

MANY = settings(max_examples=150, deadline=None, derandomize=True, database=None)
UNITS = ["s", "byte", "flop", "byte/s", "flop/s", "Hz", "W", "J", "1/s", "op/s", ""]
sizes = st.floats(1e-15, 1e18, allow_nan=False)


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (6.664e-4, "s", "666 µs"),
        (999.6e-6, "s", "1.00 ms"),
        (999.4e-6, "s", "999 µs"),
        (1.88e-3, "s", "1.88 ms"),
        (13.0, "s", "13.0 s"),
        (7200.0, "s", "7200 s"),
        (12_345.0, "s", "12\u202f300 s"),
        (0.0, "s", "0 s"),
        (4.814e12, "byte/s", "4.81 TB/s"),
        (33.454e12, "flop/s", "33.5 Tflop/s"),
        (2**31, "byte", "2.00 GiB"),
        (100.0, "byte", "100 B"),
        (1.98e9, "Hz", "1.98 GHz"),
        (-0.5, "W", "−500 mW"),
        (0.00012345, "", "0.000123"),
        (1.234e12, "", "1.23 × 10¹²"),
        (9.996e9, "", "1.00 × 10¹⁰"),
        (5e-324, "", "5.00 × 10⁻³²⁴"),
        (40.0, "°C", "40.0 °C"),
    ],
)
def test_three_digits_a_prefix_and_no_break(number: float, unit: str, text: str) -> None:
    assert format_value(number, unit) == text.replace(" ", NBSP)


def test_percent_ratio_and_what_is_no_number() -> None:
    assert format_percent(0.9464) == f"94.6{NBSP}%"
    assert format_ratio(1.506) == "1.51×"
    assert [number_text(float(x)) for x in ("nan", "inf", "-inf")] == ["not a number", "∞", "−∞"]


@pytest.mark.parametrize("text", ["6e999999999 µs", "1e-999999999 µs", "6e400 µs", "9e99999999999999999999 s"])
def test_a_number_out_of_all_bounds_is_no_number(text: str) -> None:
    assert parse_printed(text) == []


@MANY
@given(sizes, st.sampled_from(UNITS))
def test_what_is_printed_reads_back(number: float, unit: str) -> None:
    (printed,) = parse_printed(format_value(number, unit))
    assert printed.reads(number)
    assert printed.value == pytest.approx(number, rel=5.1e-3)
    assert printed.unit == unit
    assert not printed.reads(number * 1.02)


@MANY
@given(st.lists(st.floats(1e-9, 1e6), min_size=1, max_size=8), st.sampled_from(["s", "byte/s", "flop/s", "W"]))
def test_a_column_has_one_unit_and_each_number_in_it_reads_back(numbers: list[float], unit: str) -> None:
    scale = scale_for(numbers, unit)
    for number in numbers:
        (printed,) = parse_printed(f"{format_value(number, unit, scale=scale)} {scale.unit}")
        assert printed.unit == unit
        assert printed.reads(number)
    least = 0.0099 if max(numbers) / scale.factor >= 99 else 0.99  # of a column of six digits and more
    assert min(numbers) / scale.factor >= least or scale.factor <= 1e-15


def test_a_column_that_spans_far_is_in_a_unit_between() -> None:
    assert scale_for([17.3e-6, 4.69], "s").unit == "ms"  # 0.0173 and 4690, not 4 690 000 µs
    assert scale_for([17.3e-6, 0.0999], "s").unit == "µs"
    assert scale_for([5.6e-6, 4.69], "s").unit == "µs"  # 0.0056 ms would lose more than it gains


def test_a_scale_passes_over_zeros_and_infinities() -> None:
    assert scale_for([0.0, float("inf"), 2e-3], "s").unit == "ms"
    assert scale_for([], "s").unit == "s"
    assert scale_for([5e4, 2e6], "sample").factor == 1
    assert scale_for([3 * 2**20, 2**40], "byte").unit == "MiB"


@pytest.mark.parametrize(
    ("text", "value", "quantum", "style", "unit"),
    [
        ("1.506 ms", 1.506e-3, 1e-6, "value", "s"),
        ("415 ms", 0.415, 1e-3, "value", "s"),
        ("0.70 µs", 0.7e-6, 1e-8, "value", "s"),
        ("5 us", 5e-6, 1e-6, "value", "s"),
        ("4.81 TB/s", 4.81e12, 1e10, "value", "byte/s"),
        ("4.04 cycles", 4.04, 0.01, "value", "cycle"),
        ("194 MiB", 194 * 2**20, 2**20, "value", "byte"),
        ("33.5 TFLOP/s", 33.5e12, 1e11, "value", "flop/s"),
        ("1.51×", 1.51, 0.01, "ratio", ""),
        ("1.51x", 1.51, 0.01, "ratio", ""),
        ("12 %", 0.12, 0.01, "percent", ""),
        ("94.6\u00a0%", 0.946, 1e-3, "percent", ""),
        ("1 000 000", 1e6, 1e4, "plain", ""),
        ("27\u202f700", 27_700.0, 100.0, "plain", ""),
        ("3860", 3860.0, 10.0, "plain", ""),
        ("600", 600.0, 1.0, "plain", ""),
        ("12345", 12345.0, 1.0, "plain", ""),
        ("10⁶", 1e6, 0.0, "plain", ""),
        ("2²¹", 2.0**21, 0.0, "plain", ""),
        ("1.23 × 10¹²", 1.23e12, 1e10, "plain", ""),
        ("3·10⁻⁴ s", 3e-4, 1e-4, "value", "s"),
        ("3.0⋅10^-4 s", 3e-4, 1e-5, "value", "s"),
        ("3 x 10^{6}", 3e6, 1e6, "plain", ""),
        ("10^6", 1e6, 0.0, "plain", ""),
        ("2**20", 2.0**20, 0.0, "plain", ""),
        ("10^−3", 1e-3, 0.0, "plain", ""),
        ("1,173 µs", 1.173e-3, 1e-6, "value", "s"),
        ("1,173.4 µs", 1.1734e-3, 1e-7, "value", "s"),
        ("1,000,000", 1e6, 1e4, "plain", ""),
        ("1\u00a0173 µs", 1.173e-3, 1e-6, "value", "s"),
        ("1\u2009173 µs", 1.173e-3, 1e-6, "value", "s"),
        ("−3.5", -3.5, 0.1, "plain", ""),
    ],
)
def test_a_printed_number_is_read_with_its_precision(
    text: str, value: float, quantum: float, style: str, unit: str
) -> None:
    (printed,) = parse_printed(f"about {text}, so")
    assert printed.value == pytest.approx(value)
    assert printed.quantum == pytest.approx(quantum)
    assert (printed.style, printed.unit) == (style, unit)
    assert f"about {text}, so"[printed.start : printed.end] == printed.text


def test_rounding_is_to_the_nearest() -> None:
    (printed,) = parse_printed("1.51×")
    assert [printed.reads(x) for x in (1.5049, 1.5051, 1.5149, 1.5151)] == [False, True, True, False]


def test_several_numbers_keep_their_order() -> None:
    found = parse_printed("From 1.74× to 1.87× at N = 10⁵ (415 ms, 12 %).")
    assert [(p.style, p.value) for p in found][:2] == [("ratio", 1.74), ("ratio", 1.87)]
    assert [p.style for p in found] == ["ratio", "ratio", "plain", "value", "percent"]


@pytest.mark.parametrize("text", ["0,173", "1,17", "1,1734", "1,000,00", "1173,400", "1,2,4", "1, 173"])
def test_commas_group_three_digits_and_nothing_else(text: str) -> None:
    assert len(parse_printed(text)) > 1


@pytest.mark.parametrize("text", ["rk4", "x86", "a.5", "1e", "v2.x", "sm_90"])
def test_a_digit_in_a_name_is_not_a_unit(text: str) -> None:
    assert all(p.style == "plain" for p in parse_printed(text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1000, "10³"),
        (1e6, "10⁶"),
        (2**21, "2²¹"),
        (1024, "1024"),
        (1500, "1500"),
        (15_000, "15\u202f000"),
        (0, "0"),
        (0.25, "0.25"),
        (1e50, "1e+50"),
        ("spread-100", "spread-100"),
    ],
)
def test_axis_values(value: float | str, text: str) -> None:
    assert axis_text(value) == text


@pytest.mark.parametrize(
    ("text", "number", "reads"),
    [("0 s", 5e-4, False), ("0 s", 0.0, True), ("0×", 0.4, False), ("0.0 %", 4e-4, True), ("0", 0.2, True)],
)
def test_zero_of_a_unit_is_no_rounded_number(text: str, number: float, reads: bool) -> None:
    (printed,) = parse_printed(text)
    assert printed.reads(number) == reads


@pytest.mark.parametrize(
    ("words", "number", "unit"),
    [
        ("0.51 milliseconds", 5.1e-4, "s"),
        ("1 hour", 3600.0, "s"),
        ("2 mebibytes", 2 * 2.0**20, "byte"),
        ("3 gigabytes per second", 3e9, "byte/s"),
    ],
)
def test_units_in_words(words: str, number: float, unit: str) -> None:
    (printed,) = parse_printed(f"It takes {words}.")
    assert printed.text == words
    assert printed.value == pytest.approx(number)
    assert printed.unit == unit
