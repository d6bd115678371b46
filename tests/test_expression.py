"""The small language of derived quantities."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perfdocs.errors import PerfdocsError
from perfdocs.expression import (
    Binary,
    Call,
    Hole,
    Name,
    Number,
    Selector,
    check_calls,
    depth,
    evaluate,
    evaluate_series,
    names,
    parse,
)
from perfdocs.verdict import Missing, Value

MANY = settings(max_examples=80, deadline=None, derandomize=True, database=None)
DATA = {"a": 2.0, "b": 3.0, "c": 10.0, "spread-100": 7.0, "device.peak.fp64": 100.0}


def exactly(name: Name) -> Value:
    """A name's value."""
    return Value.exact(DATA[name.name])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("8 - 2 - 1", 5),
        ("8 / 2 / 2", 2),
        ("8 / 2 * 2", 8),
        ("2 - -3", 5),
        ("-a * b", -6),
        ("99 %", 0.99),
        ("99%", 0.99),
        ("1.5e3", 1500),
        ("1e-3", 1e-3),
        ("a - b", -1),
        ("a -b", -1),
        ("spread-100 - a", 5),
        ("device.peak.fp64 / c", 10),
        ("min(a, b, c)", 2),
        ("max(a * b, b)", 6),
        ("min(a)", 2),
        ("max(1, min(b, 2)) + 1", 3),
    ],
)
def test_sums_products_names_and_calls(text: str, value: float) -> None:
    assert evaluate(parse(text, "here"), exactly).centre == pytest.approx(value)


def test_the_tree() -> None:
    assert parse("wall[n=1e6, config=spread-100, auto]", "h") == Name(
        "wall", (Selector("n", 1e6), Selector("config", "spread-100"), Selector(None, "auto"))
    )
    assert parse("f(?, 5 %)", "h") == Call("f", (Hole(), Number(0.05, True)))
    assert parse("a-1", "h") == Name("a-1")
    assert parse("a - 1", "h") == Binary("-", Name("a"), Number(1.0))
    assert [n.name for n in names(parse("b * (a + max(c, a[n=1])) / b", "h"))] == ["b", "a", "c", "a", "b"]
    assert [depth(parse(t, "h")) for t in ("1", "1 + 2", "1 + 2 + 3", "f(1 + 2)")] == [1, 2, 3, 3]


@pytest.mark.parametrize(
    "text", ["", "a +", "a b", "(a", "a)", "a ** b", "a < b", "a | b", "`a`", "a; b", "1_000", "a[", "#"]
)
def test_what_does_not_parse_is_located(text: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        parse(text, "file.toml: $.derived.x.is")
    assert caught.value.problem.code == "expression-syntax"
    assert str(caught.value).startswith("file.toml: $.derived.x.is: found ")


@pytest.mark.parametrize(
    "text", ["a" * 2001, "+".join("a" * 202), "(" * 51 + "a" + ")" * 51, "-" * 500 + "a", "[" * 3000]
)
def test_what_is_too_large_is_refused_before_parsing(text: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        parse(text, "here")
    assert caught.value.problem.code == "expression-size"


def test_the_largest_allowed_parses_and_evaluates() -> None:
    assert evaluate(parse("+".join("a" * 201), "here"), exactly).centre == 402
    assert evaluate(parse("(" * 50 + "a" + ")" * 50, "here"), exactly).centre == 2


@st.composite
def intervals(draw: st.DrawFn) -> Value:
    """A quantity with an interval, of either sign."""
    lo = draw(st.floats(-100, 100))
    hi = lo + draw(st.floats(0, 100))
    middle = lo + (hi - lo) * draw(st.floats(0, 1))
    return Value(min(max(middle, lo), hi), lo, hi, lo, hi, 5)


EXPRESSIONS = [
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a * b - c / b",
    "(a + b) * (a - c)",
    "min(a, b) + max(b, c)",
    "-a / (b * b + 1)",
]


@MANY
@given(st.sampled_from(EXPRESSIONS), intervals(), intervals(), intervals())
def test_the_interval_encloses_every_value(text: str, a: Value, b: Value, c: Value) -> None:
    assume(b.centre != 0)
    node = parse(text, "here")
    whole = evaluate(node, lambda n: {"a": a, "b": b, "c": c}[n.name])
    for x, y, z in itertools.product(*((v.lo, v.centre, v.hi) for v in (a, b, c))):
        point = {"a": x, "b": y, "c": z}
        try:
            exact = evaluate(node, lambda n, p=point: Value.exact(p[n.name])).centre  # type: ignore[misc] # bound at once
        except Missing:
            continue
        slack = 1e-9 * max(1.0, abs(exact))
        assert whole.lo - slack <= exact <= whole.hi + slack


def test_a_divisor_that_may_be_zero_leaves_nothing_known() -> None:
    one, around = Value.exact(1.0), Value(0.5, -1.0, 1.0, 0.4, 0.6, 5)
    found = evaluate(parse("a / b", "h"), lambda n: {"a": one, "b": around}[n.name])
    assert (found.centre, found.lo, found.hi) == (2.0, -math.inf, math.inf)
    with pytest.raises(Missing, match="divided by zero"):
        evaluate(parse("a / 0", "h"), exactly)
    zero = evaluate(parse("0 * (a / b)", "h"), lambda n: {"a": one, "b": around}[n.name])
    assert (zero.lo, zero.hi) == (0.0, 0.0)


def test_flags_and_samples_travel() -> None:
    a = Value(1.0, 1.0, 1.0, 1.0, 1.0, 5, frozenset({"noisy"}))
    b = Value(2.0, 2.0, 2.0, 2.0, 2.0, 3, frozenset({"few_samples"}))
    for text in ("a / b", "max(a, b)", "b - a"):
        found = evaluate(parse(text, "h"), lambda n: {"a": a, "b": b}[n.name])
        assert (found.flags, found.samples) == (frozenset({"noisy", "few_samples"}), 3)
    assert evaluate(parse("a * 2", "h"), lambda n: a).samples == 5


def series(*points: tuple[float, float]) -> Value:
    """The least x of a series of exact points that reaches 90 % of the best y."""
    lookups = [lambda n, p=p: Value.exact(p[0] if n.name == "x" else p[1]) for p in points]
    return evaluate_series(parse("least(x, y, 90 %)", "h"), lookups)


def test_the_least_x_that_reaches_a_share_of_the_best() -> None:
    assert series((1, 10), (2, 50), (4, 91), (8, 100)).centre == 4
    assert series((8, 100), (1, 10), (4, 91), (2, 50)).centre == 4
    assert series((1, 95), (2, 100), (4, 20)).centre == 1
    assert series((1, 95), (2, 100)).centre == 1
    with pytest.raises(Missing, match="not reached"):
        series((3, 7))


def test_noise_in_y_widens_the_least_x() -> None:
    y = {1.0: Value(80, 78, 95, 80, 80, 5), 2.0: Value(92, 85, 96, 92, 92, 5), 4.0: Value(100, 100, 100, 100, 100, 5)}
    lookups = [lambda n, x=x: Value.exact(x) if n.name == "x" else y[x] for x in y]
    found = evaluate_series(parse("least(x, y, 90 %)", "h"), lookups)
    assert (found.centre, found.lo, found.hi, found.samples) == (2, 1, 4, 5)
    assert evaluate_series(parse("best(y) / 2 + 1", "h"), lookups).centre == 51


@pytest.mark.parametrize(
    ("text", "over", "code"),
    [
        ("?", False, "expression-hole"),
        ("a[n=1]", False, "expression-selector"),
        ("f(a)", False, "expression-function"),
        ("best(a)", False, "expression-function"),
        ("min()", False, "expression-arguments"),
        ("least(a, b)", True, "expression-arguments"),
        ("best(a) + b", True, "expression-series"),
        ("min(best(a), b)", True, "expression-series"),
        ("best(best(a))", True, "expression-function"),
    ],
)
def test_what_a_derived_quantity_may_not_hold(text: str, over: bool, code: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        check_calls(parse(text, "h"), "h", series=over)
    assert caught.value.problem.code == code


def test_the_best_has_the_flags_of_the_points_that_may_be_it() -> None:
    def value(centre: float, reach: float, flag: str) -> Value:
        low, high = centre - reach, centre + reach
        return Value(centre, low, high, low, high, 5, frozenset({flag}))

    series = [value(10, 1, "throttled"), value(9, 1.5, "noisy"), value(7, 1.5, "drift")]
    lookups = [lambda _, v=v: v for v in series]
    best = evaluate_series(parse("best(y)", "h"), lookups)
    assert (best.centre, best.lo, best.hi) == (10, 9, 11)
    assert best.flags == {"throttled", "noisy"}


def test_a_noisy_point_does_not_lead_the_best() -> None:
    steady = Value(10, 9.9, 10.1, 9.95, 10.05, 5, frozenset())
    noisy = Value(14, 7, 17, 12, 15, 5, frozenset({"noisy"}))
    lookups = [lambda _, v=v: v for v in (noisy, steady)]
    best = evaluate_series(parse("best(y)", "h"), lookups)
    assert (best.centre, best.lo, best.show_lo, best.show_hi) == (10, 9.9, 9.95, 10.05)
    assert best.hi == 17  # what the noisy one may be is not excluded
    assert best.flags == {"noisy"}


@pytest.mark.parametrize(("text", "over"), [("min(a, b) / 2", False), ("best(a / b) / device.sm_count + 1", True)])
def test_what_it_may_hold(text: str, over: bool) -> None:
    check_calls(parse(text, "h"), "h", series=over)
