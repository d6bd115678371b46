"""What a device's page tells of the sampled states of a synthetic card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from tests.conftest import synthetic_card

from perfdocs.card import Block, Card, Measurement, Spread, State
from perfdocs.cardfile import decode_card
from perfdocs.quantity import NBSP
from perfdocs.render.states import state_rows


def blocks(*found: Block | None, **method: Any) -> dict[str, str]:
    """The rows of a synthetic card of these blocks."""
    card: Card = decode_card(json.dumps(synthetic_card()).encode(), Path("made-up-gpu.json"))
    measurements = tuple(Measurement(table="main", arm="a", at={"n": i}, block=b) for i, b in enumerate(found))
    changed = msgspec.structs.replace(card.method, **({"sample_period": 0.04} | method))
    card = msgspec.structs.replace(card, method=changed, measurements=measurements)
    return {name: value.replace(NBSP, " ") for name, value, _ in state_rows(card)}


def seen(window: Any = "ramp", samples: int = 6, **changes: Any) -> State:
    return State(window=window, seconds=0.25, samples=samples, **changes)


def test_a_card_from_before_the_sampler_says_that_nobody_looked_for_other_work() -> None:
    told = blocks(Block(throttle=("thermal",)), sample_period=None)
    assert told.keys() == {"state sampled"}
    assert told["state sampled"].startswith("never: the card is from before there was a sampler")
    assert "other work" in told["state sampled"]


def test_a_card_without_a_sampler_says_why() -> None:
    told = blocks(Block(), sample_period=None, sampler_reason="the sampler does not start")
    assert told == {"sampler": "the sampler does not start"}


def test_states_of_an_interrupted_run_show_although_the_one_that_went_on_had_no_sampler() -> None:
    told = blocks(Block(state=seen()), Block(), sample_period=None, sampler_reason="the sampler does not start")
    assert told["state sampled"] == "in the ramp (1)"
    assert told["state not observed"] == "1 of 2 measurements"


def test_ranges_over_all_measurements_and_where_they_were_seen() -> None:
    low, high = Spread(low=1.7e9, centre=1.9e9, high=1.95e9), Spread(low=1.98e9, centre=1.98e9, high=1.98e9)
    told = blocks(
        Block(state=seen(sm_clock=low, temperature=40.0, foreign_load=0.25, foreign_processes=0, p_states=(2, 0))),
        Block(
            state=seen(
                "timed",
                sm_clock=high,
                temperature=61.0,
                utilisation=0.75,
                run_queue=3,
                unobserved=("foreign_load", "p_states"),
            )
        ),
        Block(state=seen("rotation")),
        None,
    )
    assert told == {
        "state sampled": "each 40.0 ms, in the timed runs (1), in the ramp (1), of the host in the whole rotation (1)",
        "SM clock, observed": "1.70 GHz to 1.98 GHz",
        "P-states, observed": "P0, P2",
        "utilisation, lowest": "75.0 %",
        "temperature, highest": "61 °C",
        "run queue of the host, longest": "3",
        "foreign load, highest": "0.250 processors",
        "foreign processes on the device, most": "0",
        "state not observable here": "foreign load, p states",
    }


def test_what_no_sample_fell_into_is_not_observed() -> None:
    told = blocks(Block(state=seen(samples=0)), Block(), Block(state=seen()))
    assert told["state not observed"] == "2 of 3 measurements"
    assert blocks(Block())["state sampled"] == "each 40.0 ms, never"


def test_reasons_of_throttling_and_of_repeats() -> None:
    told = blocks(
        Block(state=seen(throttle=("power_cap",)), throttle=("power_cap",), repeats=("power_cap",)),
        Block(state=seen(), throttle=("thermal", "gpu_idle"), repeats=("1 foreign process on the device", "e", "f")),
    )
    assert told["throttle reasons"] == "power cap (1 of 2 measurements), thermal (1 of 2 measurements)"
    assert told["measured again"] == ("2 of 2 measurements: 1 foreign process on the device; e; f and 1 more")
