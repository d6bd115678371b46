"""Flags: which measurement gets which, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.random import RandomState

from perfdocs.card import Block, Card, Gate, Measurement, Spread, State
from perfdocs.flags import FLAGS, flags_by_measurement, footprint_flags, noise, of_peak_flags, pattern
from perfdocs.verdict import Value, summarise


def measurement(
    arm: str = "a", n: int = 1, *, throttle: tuple[str, ...] = (), gate: Gate | None = None, **values: Any
) -> Measurement:
    """One measurement with a block."""
    return Measurement(table="main", arm=arm, at={"n": n}, block=Block(gate=gate, throttle=throttle), values=values)


def card(*measurements: Measurement, origin: str = "measured") -> Card:
    """A card of these."""
    head = {
        "schema": "perfdocs.card/1",
        "benchmark": "bench",
        "version": 1,
        "recorded": "2026-11-30T12:00:00Z",
        "origin": {"kind": origin},
        "device": {"id": "d", "kind": "gpu", "name": "D"},
        "host": {},
        "software": {},
        "source": {},
        "method": {"protocol": "block"},
        "measurements": [],
    }
    return msgspec.structs.replace(msgspec.convert(head, Card), measurements=measurements)


def flags(*measurements: Measurement, origin: str = "measured") -> list[set[str]]:
    """Flags of each."""
    return [set(f) for f in flags_by_measurement(card(*measurements, origin=origin))]


def test_a_quiet_measurement_has_none() -> None:
    assert flags(measurement(throttle=("idle", "gpu_idle"), gate=Gate(waited=1.0))) == [set()]


def test_a_throttle_reason_during_the_runs() -> None:
    assert flags(measurement(throttle=("gpu_idle", "sw_power_cap"))) == [{"throttled"}]


def test_stored_flags_and_origin_travel() -> None:
    stored = msgspec.structs.replace(measurement(), flags=("contaminated",))
    assert flags(stored, origin="synthetic") == [{"contaminated", "synthetic"}]
    assert flags(stored, origin="imported") == [{"contaminated", "imported"}]
    assert flags(msgspec.structs.replace(stored, block=None)) == [{"contaminated"}]


def sampled(**changes: Any) -> Measurement:
    """One measurement whose state was sampled."""
    state = State(window="ramp", seconds=0.25, samples=6, **changes)
    return msgspec.structs.replace(measurement(), block=Block(state=state))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        ({"throttle": ("thermal",)}, {"throttled"}),
        ({"foreign_processes": 0}, set()),
        ({"foreign_processes": 1}, {"contaminated"}),
        ({"foreign_load": 0.5, "foreign_limit": 0.5}, set()),
        ({"foreign_load": 0.51, "foreign_limit": 0.5}, {"contaminated"}),
        ({"foreign_load": 0.6}, {"contaminated"}),  # without a limit half a processor is one
        ({"foreign_load": 0.5}, set()),
        ({"unobserved": ("foreign_load", "foreign_processes")}, set()),
        ({"sm_clock": Spread(low=1.95e9, centre=1.98e9, high=1.98e9)}, set()),
        ({"sm_clock": Spread(low=1.93e9, centre=1.98e9, high=1.98e9)}, {"clock_spread"}),
    ],
)
def test_the_sampled_state_flags_what_it_shows(changes: dict[str, Any], expected: set[str]) -> None:
    assert flags(sampled(**changes)) == [expected]


@pytest.mark.parametrize(
    ("method", "block", "expected"),
    [
        ({"sample_period": 0.04}, Block(), {"not_watched"}),
        ({"sampler_reason": "the sampler does not start"}, Block(), {"not_watched"}),
        ({}, Block(), set()),  # from before there was a sampler: its device's page says so
        ({}, Block(repeats=("1 foreign process on the device",)), {"not_watched"}),
        ({"sample_period": 0.04}, None, set()),  # fresh processes, which are not sampled: the caption says so
        ({"sample_period": 0.04}, Block(state=State(window="ramp", seconds=0.01, samples=0)), {"not_watched"}),
        ({"sample_period": 0.04}, Block(state=State(window="rotation", seconds=1, samples=0, foreign_load=0.0)), set()),
        ({"sample_period": 0.04}, Block(state=State(window="ramp", seconds=0.25, samples=6)), set()),
    ],
)
def test_what_nobody_watched_says_so(method: dict[str, Any], block: Block | None, expected: set[str]) -> None:
    bare = card(msgspec.structs.replace(measurement(), block=block))
    asked = msgspec.structs.replace(bare, method=msgspec.structs.replace(bare.method, **method))
    assert [set(found) for found in flags_by_measurement(asked)] == [expected]


OUT, IN = Gate(waited=20.0, timed_out=True), Gate(waited=2.0)


@pytest.mark.parametrize(
    ("late", "peer", "expected"),
    [
        ({"sm_clock": (1.98e9,)}, {"sm_clock": (1.98e9,)}, set()),
        ({"sm_clock": (1.80e9,)}, {"sm_clock": (1.98e9,)}, {"gate_timeout"}),
        ({"sm_clock": (1.97e9,)}, {"sm_clock": (1.98e9,)}, set()),
        ({"throttle": ("sw_power_cap",)}, {"throttle": ("sw_power_cap",)}, {"throttled"}),
        ({"throttle": ("sw_power_cap",)}, {}, {"throttled", "gate_timeout"}),
        ({}, {}, set()),
    ],
)
def test_a_gate_that_timed_out_flags_where_the_peers_differ(
    late: dict[str, Any], peer: dict[str, Any], expected: set[str]
) -> None:
    found = flags(measurement("a", gate=OUT, **late), measurement("b", gate=IN, **peer))
    assert found[0] == expected
    assert "gate_timeout" not in found[1]


def test_where_no_gate_of_the_card_passed_all_are_flagged() -> None:
    assert flags(measurement("a", gate=OUT), measurement("b", gate=OUT)) == [{"gate_timeout"}, {"gate_timeout"}]


def test_peers_are_at_the_same_point_where_there_are_such() -> None:
    slow, same = measurement("a", 1, gate=OUT, sm_clock=(1e9,)), measurement("b", 1, gate=IN, sm_clock=(1e9,))
    other = measurement("c", 2, gate=IN, sm_clock=(2e9,))
    assert flags(slow, same, other)[0] == set()
    assert flags(slow, other)[0] == {"gate_timeout"}
    assert flags(slow, measurement("b", 1, gate=OUT, sm_clock=(2e9,)), other)[0] == {"gate_timeout"}  # no measure


def test_noise_is_a_spread_of_more_than_five_percent() -> None:
    assert noise(summarise([1.0, 1.0, 1.0, 1.0, 1.06], "block")) == {"noisy"}
    assert noise(summarise([1.0, 1.0, 1.0, 1.0, 1.04], "block")) == frozenset()
    assert noise(Value(1.0, 0.5, 2.0, 0.5, 2.0)) == frozenset()  # a range typed in, not runs


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ((1.0, 1.01, 1.02, 1.03, 1.04), {"drift"}),
        ((1.04, 1.03, 1.02, 1.01, 1.0), {"drift"}),
        ((1.0, 1.01, 1.01, 1.03, 1.04), set()),  # one stood still
        ((1.0, 1.01, 1.02, 1.04, 1.03), set()),  # one turned back
        ((1.0, 1.004, 1.008, 1.012, 1.016), set()),  # small
        ((1.0, 1.001, 1.002, 1.003, 1.04), set()),  # one jump
        ((1.0, 1.1, 1.2, 1.3), set()),  # too few
        ((1.0, 1.06, 1.001, 1.062, 1.002), {"bimodal"}),
        ((1.0, 1.06, 1.06, 1.06, 1.0), {"bimodal"}),
        ((1.0, 1.0, 1.06, 1.0, 1.0), set()),  # one run is no mode
        ((1.0, 1.06, 1.01, 1.061, 1.002), set()),  # too wide for what lies between
        ((1.0, 1.015, 1.0, 1.015, 1.0), set()),  # small
        ((1.0, 1.06, 1.0, 1.06), set()),  # too few
        ((0.0, 0.0, 0.0, 0.0, 0.0), set()),
        ((), set()),
    ],
)
def test_drift_and_two_modes(runs: tuple[float, ...], expected: set[str]) -> None:
    assert pattern(runs) == expected


LAWS: dict[str, Callable[[RandomState, tuple[int, int]], Any]] = {
    "uniform": lambda source, size: source.uniform(1, 2, size=size),
    "normal": lambda source, size: 10 + source.standard_normal(size),
    "exponential": lambda source, size: 1 + source.exponential(size=size),
    "lognormal": lambda source, size: np.exp(source.standard_normal(size)),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("runs", [5, 7])
def test_a_pattern_comes_by_chance_in_less_than_one_in_a_hundred(law: str, runs: int) -> None:
    """Of 10 000 sets 1 % would be 100. In order alone, whatever the steps, is 2 in 5! of them: 1.7 %."""
    found = [pattern(drawn) for drawn in LAWS[law](RandomState(1), (10_000, runs)).tolist()]
    for flag in ("drift", "bimodal"):
        assert sum(flag in flags for flags in found) < 100


@pytest.mark.parametrize(
    ("share", "bytes_", "cache", "bandwidth", "expected"),
    [
        (0.99, 1.0, 100.0, True, set()),
        (1.004, 1.0, 100.0, True, set()),
        (1.2, 50.0, 100.0, True, {"served_from_cache"}),
        (1.2, 200.0, 100.0, True, {"impossible"}),
        (1.2, None, 100.0, True, {"impossible"}),
        (1.2, 50.0, None, True, {"impossible"}),
        (1.2, 50.0, 100.0, False, {"impossible"}),
    ],
)
def test_above_the_peak(
    share: float, bytes_: float | None, cache: float | None, bandwidth: bool, expected: set[str]
) -> None:
    assert of_peak_flags(share, bytes_, cache, bandwidth=bandwidth) == expected


@pytest.mark.parametrize(
    ("footprint", "cache", "fits"),
    [(50.0, 100, True), (100.0, 100, True), (101.0, 100, False), (None, 100, False), (50.0, None, False)],
)
def test_data_that_fit_the_last_level_cache(footprint: float | None, cache: float | None, fits: bool) -> None:
    assert footprint_flags(footprint, cache) == ({"cache_sized"} if fits else set())


def test_every_flag_has_a_mark_of_its_own_and_a_legend() -> None:
    assert len({f.mark for f in FLAGS.values()}) == len(FLAGS)
    assert all(f.about for f in FLAGS.values())
