"""At which clock a value was observed, or why at none, and why a value bears its flag: where a reader meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conftest import synthetic_card
from tests.render_kit import DEFINITION, cpu_card, demo, gpu_card, load

from perfdocs.card import Block, Card, Gate, Measurement, Spread, State
from perfdocs.cardfile import decode_card
from perfdocs.conditions import NO_THROTTLING, THROTTLING, throttle_reasons
from perfdocs.errors import PerfdocsError
from perfdocs.flags import flags_by_measurement
from perfdocs.measure.sampler import REASONS
from perfdocs.quantity import NBSP
from perfdocs.reasons import flag_reasons, observed, of_series, unobserved_reasons
from perfdocs.render.detail import detail
from perfdocs.render.fastest import fastest_lines
from perfdocs.render.grid import notes
from perfdocs.render.headlines import in_numbers
from perfdocs.render.html import lines_html, table_html
from perfdocs.render.markdown import table_markdown
from perfdocs.render.model import TableModel
from perfdocs.render.overview import overview
from perfdocs.render.whys import plot_note

GHZ = Spread(low=1.98e9, centre=1.98e9, high=1.98e9)
SAMPLED: dict[str, Any] = {"window": "ramp", "seconds": 0.25, "samples": 40}
CLOCK = {"low": 1.95e9, "centre": 1.98e9, "high": 1.98e9}
POWER = SAMPLED | {"sm_clock": CLOCK, "throttle": ["power_cap"], "throttle_samples": {"power_cap": 12}}


def card(kind: str = "gpu", origin: str = "measured", **method: Any) -> Card:
    """A synthetic card without measurements, told as if it were measured."""
    found = decode_card(json.dumps(synthetic_card()).encode(), Path("made-up-gpu.json"))
    changed = msgspec.structs.replace(found.method, **({"sample_period": 0.04} | method))
    device = msgspec.structs.replace(found.device, kind=kind)
    there = msgspec.structs.replace(found.origin, kind=origin)
    return msgspec.structs.replace(found, method=changed, measurements=(), device=device, origin=there)


def state(**changes: Any) -> State:
    return State(**(SAMPLED | changes))


def measured(found: State | None, **block: Any) -> Measurement:
    return Measurement(table="main", arm="a", block=Block(state=found, **block))


def plain(text: str) -> str:
    return text.replace(NBSP, " ")


@pytest.mark.parametrize(
    ("one", "of", "clock"),
    [
        (measured(state(sm_clock=GHZ)), "SM", "SM clock 1.98 GHz"),
        (measured(state(sm_clock=Spread(**CLOCK))), "SM", "SM clock 1.95 to 1.98 GHz"),
        (measured(state(cpu_clock=Spread(low=3e9, centre=3e9, high=3e9))), "processor", "processor clock 3 GHz"),
        (measured(state(samples=0, sm_clock=GHZ)), "SM", "SM clock 1.98 GHz"),
    ],
)
def test_the_clock_that_was_seen(one: Measurement, of: str, clock: str) -> None:
    found = observed(card(), one)
    assert found is not None
    assert (found.of, plain(found.text), found.reason) == (of, clock, "")


@pytest.mark.parametrize(
    ("one", "method", "reason"),
    [
        (measured(None), {"sample_period": None}, "the card is from before clocks were sampled"),
        (Measurement(table="main", arm="a"), {"sample_period": None}, "the card is from before clocks were sampled"),
        (Measurement(table="main", arm="a"), {}, "measured in a process of its own, which is not sampled"),
        (measured(None), {"sampler_reason": "the sampler does not start"}, "the sampler does not start"),
        (measured(None), {}, "no sampler answered"),
        (measured(state(samples=0, seconds=0.015)), {}, "no sample fell into its 15.0 ms of work"),
        (measured(state(unobserved=("sm_clock",))), {}, "the machine does not tell the SM clock"),
        (measured(state(unobserved=("cpu_clock",))), {}, "the machine does not tell the clock of its processors"),
    ],
)
def test_why_no_clock_was_seen(one: Measurement, method: dict[str, Any], reason: str) -> None:
    found = observed(card(**method), one)
    assert found is not None
    assert found.clock is None
    assert plain(found.reason) == reason
    assert found.text == "clock not observed"


def test_what_was_not_measured_here_was_not_observed_here_either() -> None:
    assert observed(card(origin="imported"), measured(None)) is None
    assert unobserved_reasons(card(origin="imported"), [measured(None)]) == ""


def test_a_table_says_it_once_where_none_was_seen() -> None:
    none, short = measured(None), measured(state(samples=0, seconds=0.015))
    apart, seen = Measurement(table="main", arm="a"), measured(state(sm_clock=GHZ))
    assert unobserved_reasons(card(), [none, none, short, apart]) == (
        "no sampler answered; no sample fell into its 15.0\u00a0ms of work; and 1 more"
    )
    assert unobserved_reasons(card(), [none, seen]) == ""
    assert NBSP in unobserved_reasons(card(), [short])
    assert unobserved_reasons(card(), []) == ""


@pytest.mark.parametrize(
    ("block", "reasons"),
    [
        (Block(), {}),
        (Block(throttle=("idle", "gpu_idle")), {}),
        (Block(throttle=("power_cap",)), {"throttled": "power cap, read after a timed run"}),
        (Block(throttle=("new_word",)), {"throttled": "new word, read after a timed run"}),
        (
            Block(state=state(throttle=("power_cap",), throttle_samples={"power_cap": 12}), throttle=("power_cap",)),
            {"throttled": "power cap in 12 of 40 samples"},
        ),
        (
            Block(state=state(throttle=("thermal",)), throttle=("sync_boost",)),
            {
                "throttled": "clocks kept in step with those of another device, read after a timed run; "
                "temperature, in some of 40 samples"
            },
        ),
        (
            Block(state=state(foreign_processes=2, foreign_load=3.0, foreign_limit=0.5)),
            {"contaminated": "2 foreign processes on the device, foreign load of 3 processors, above 0.5"},
        ),
        (
            Block(state=state(sm_clock=Spread(low=1.9e9, centre=1.98e9, high=1.98e9))),
            {"clock_spread": "SM clock 1.9 to 1.98 GHz"},
        ),
        (Block(gate=Gate(waited=20.0, timed_out=True)), {"gate_timeout": "waited 20.0 s"}),
    ],
)
def test_why_a_measurement_bears_its_flags(block: Block, reasons: dict[str, str]) -> None:
    found = flag_reasons(Measurement(table="main", arm="a", block=block))
    assert {flag: plain(text) for flag, text in found.items()} == reasons


def test_a_series_says_at_how_many_of_its_points() -> None:
    hot = measured(None, throttle=("thermal",))
    assert of_series([hot, measured(None), hot]) == {"throttled": "at 2 of 3 points"}


def test_every_word_of_the_sampler_is_known_and_none_of_them_is_idleness() -> None:
    assert set(THROTTLING) == set(REASONS.values())
    assert not NO_THROTTLING & set(REASONS.values())
    for word in REASONS.values():
        assert throttle_reasons(Block(throttle=(word,))) == (word,)


def test_clocks_that_somebody_has_set_are_told_as_a_reason() -> None:
    one = measured(state(throttle=("application_clocks",), throttle_samples={"application_clocks": 40}))
    found = msgspec.structs.replace(card(), measurements=(one,))
    assert flags_by_measurement(found) == (frozenset({"throttled"}),)
    assert flag_reasons(one) == {"throttled": "clocks set for applications in 40 of 40 samples"}


@pytest.mark.parametrize("counted", [{"thermal": 1}, {"power_cap": 41}, {"power_cap": 0}])
def test_counts_of_reasons_are_of_its_samples(counted: dict[str, int]) -> None:
    tree = synthetic_card()
    tree["measurements"][0]["block"] = {"state": SAMPLED | {"throttle": ["power_cap"], "throttle_samples": counted}}
    with pytest.raises(PerfdocsError, match="throttle_samples"):
        decode_card(json.dumps(tree).encode(), Path("made-up-gpu.json"))


def sampled_card(share: str = "some", **head: Any) -> dict[str, Any]:
    """A synthetic card with a sampler: ``some`` or ``all`` of the main table was observed, one arm under a cap."""
    made = gpu_card() | head
    made["method"] |= {"sample_period": 0.04}
    for m in made["measurements"]:
        if m["table"] != "main":
            continue
        seen = POWER if m["arm"] == "sorted" else SAMPLED | {"sm_clock": CLOCK}
        short = {"window": "rotation", "seconds": 0.0153, "samples": 0}
        m["block"] = {"state": short if m["arm"] == "host" and share == "some" else seen}
    return made


def rows_of(model: TableModel) -> dict[str, str]:
    """The last cell of each row by its anchor."""
    return {row[0].anchor: row[-1].text for group in model.groups for row in group.rows}


def test_a_row_says_at_which_clock_it_was_observed_or_that_it_was_not(tmp_path: Path) -> None:
    model = detail(*demo(tmp_path, sampled_card()), "main")
    assert {group.head[-1] for group in model.groups} == {"SM clock while the work ran (GHz)"}
    told = rows_of(model)
    assert len(told) == 18
    for anchor, text in told.items():
        assert text == ("not observed" if ".host." in anchor else "1.95–1.98")
    assert "not observed" not in model.caption
    html = table_html(model)
    why = "not observed: no sample fell into its 15.3\u00a0ms of work"
    assert html.count(f'not observed<sup><abbr title="{why}">o</abbr></sup>') == 4
    assert "<sup>o</sup> not observed: no clock was seen while the work ran" in html
    legend = html[html.index("perfdocs-flags") :]
    assert "no sample fell into its 15.3\u00a0ms of work: host, thinning, N\u00a0=\u00a010³; host," in legend


def test_a_table_of_clocks_that_were_all_seen_says_nothing_more(tmp_path: Path) -> None:
    pair = demo(tmp_path, sampled_card("all"))
    for model in (detail(*pair, "main"), overview(*pair, "main")):
        assert "not_observed" not in model.flags
        assert "not observed" not in table_html(model)
    assert "; SM clock 1.95 to 1.98\u00a0GHz" in table_html(overview(*pair, "main"))


def test_a_mixed_overview_marks_the_single_values(tmp_path: Path) -> None:
    model = overview(*demo(tmp_path, sampled_card()), "main")
    for group in model.groups:
        for row in group.rows:
            for cell in row[1:]:
                assert ("not_observed" in cell.flags) is (row[0].text == "host" and not cell.missing)
    assert "not observed" not in model.caption


def test_a_table_whose_clocks_were_all_not_seen_says_so_once(tmp_path: Path) -> None:
    pair = demo(tmp_path, gpu_card())
    note = "Clock while the work ran: not observed (the card is from before clocks were sampled)."
    for table in ("main", "ladder", "knees", "once"):
        for model in (overview(*pair, table), detail(*pair, table)):
            assert model.caption.endswith(note)
            assert "not_observed" not in model.flags
            assert table_html(model).count("not observed") == 1
            assert all("while the work ran" not in head for group in model.groups for head in group.head)


def test_an_imported_card_says_nothing_of_clocks(tmp_path: Path) -> None:
    imported = gpu_card() | {"origin": {"kind": "imported", "source": "a paper", "licence": "CC BY 4.0"}}
    assert "not observed" not in detail(*demo(tmp_path, imported), "main").caption


def test_a_group_of_a_mixed_table_without_any_clock_still_says_so(tmp_path: Path) -> None:
    made = sampled_card()
    for m in made["measurements"]:
        if m["at"].get("config") == "dense":
            m["block"] = {"state": {"window": "ramp", "seconds": 0.01, "samples": 0}}
    model = detail(*demo(tmp_path, made), "main")
    heads = {group.title: group.head[-1] for group in model.groups}
    assert plain(next(head for title, head in heads.items() if "dense" in title)) == "clock while the work ran"
    assert {text for anchor, text in rows_of(model).items() if ".dense." in anchor} == {"not observed"}


def test_a_processor_clock_beside_sm_clocks_says_which_it_is(tmp_path: Path) -> None:
    made = sampled_card()
    for m in made["measurements"]:
        if (m["arm"], m["table"]) == ("host", "main"):
            m["block"]["state"] = SAMPLED | {"cpu_clock": {"low": 3e9, "centre": 3e9, "high": 3e9}}
    told = rows_of(detail(*demo(tmp_path, made), "main"))
    assert {text for anchor, text in told.items() if ".host." in anchor} == {"3 (processor)"}


def test_a_hostile_reason_stays_text(tmp_path: Path) -> None:
    made = gpu_card()
    made["method"] |= {"sampler_reason": '</p><script>x</script>"'}
    made["measurements"][0]["block"] = {"throttle": ["<b>'"]}
    pair = demo(tmp_path, made)
    for html in (table_html(overview(*pair, "main")), lines_html(fastest_lines(*pair, "main"))):
        assert "<script" not in html
        assert "<b>" not in html


CAPPED = "power cap in 12 of 40 samples"


def test_the_reason_of_a_flag_is_at_the_value_and_below_the_table(tmp_path: Path) -> None:
    pair = demo(tmp_path, sampled_card("all"))
    for model in (overview(*pair, "main"), detail(*pair, "main")):
        html = table_html(model)
        assert f'<abbr title="throttled: {CAPPED}">T</abbr>' in html
        below = re.sub("<[^>]*>", "", html[html.index("perfdocs-flags") :])
        assert f"T {CAPPED}: longest first, thinning, N\u00a0=\u00a010³; longest first," in below
        (text,) = (line for line in notes(model) if CAPPED in line)
        assert text.startswith(f"[T] {CAPPED}: longest first, thinning")
        assert "power cap in 12 of 40 samples: longest first" in table_markdown(model)


def test_a_fastest_line_says_why_its_values_are_flagged(tmp_path: Path) -> None:
    groups = fastest_lines(*demo(tmp_path, sampled_card("all")), "main")
    html = lines_html(groups)
    assert f'<abbr title="throttled: {CAPPED}">T</abbr>' in html
    assert f"{CAPPED}: longest first" in re.sub("<[^>]*>", "", html[html.index("perfdocs-flags") :])


def test_many_reasons_are_folded_where_a_format_folds_and_none_is_lost(tmp_path: Path) -> None:
    made = sampled_card("all")
    for i, m in enumerate(m for m in made["measurements"] if m["table"] == "main"):
        m["block"]["state"] = POWER | {"throttle_samples": {"power_cap": i + 1}}
    model = detail(*demo(tmp_path, made), "main")
    folded, open_ = table_html(model, folds=True), table_html(model)
    assert "<summary>Reasons of these marks</summary>" in folded
    assert "<summary>Reasons" not in open_
    for i in range(18):
        said = f"power cap in {i + 1} of 40 samples: "
        assert said in folded
        assert said in open_


def test_a_value_that_is_compared_says_why_the_other_is_flagged(tmp_path: Path) -> None:
    derived = '[derived.gain]\nlabel = "gain"\nis = "wall[sorted] / wall"\n\n[tables.main]'
    definition = DEFINITION.replace("[tables.main]", derived).replace('"mode"]', '"mode", "gain"]')
    model = detail(*demo(tmp_path, sampled_card("all"), definition=definition), "main")
    column = model.groups[0].head.index("gain")
    for row in model.groups[0].rows:
        assert {(w.text, w.where.partition(",")[0]) for w in row[column].whys} == {(CAPPED, "longest first")}


def test_a_figure_says_of_which_values_no_clock_was_seen(tmp_path: Path) -> None:
    both = load(tmp_path, sampled_card(), cpu_card()).benchmarks["demo"]
    gpu, cpu = (both.card_of(device) for device in ("made-up-gpu", "made-up-cpu"))
    assert gpu is not None
    assert cpu is not None
    assert plot_note(both, (gpu,), "main") == " Clock not observed for 4 of 18 values: the table says which."
    assert plot_note(both, (cpu,), "main") == (
        " Clock while the work ran: not observed (the card is from before clocks were sampled)."
    )
    assert plot_note(both, (gpu, cpu), "main") == " Clock while the work ran not observed on made-up-cpu."
    assert plot_note(both, (gpu,), "ladder") == (
        " Clock while the work ran: not observed (measured in a process of its own, which is not sampled)."
    )


def test_a_figure_of_clocks_that_were_all_seen_says_nothing_more(tmp_path: Path) -> None:
    benchmark, loaded = demo(tmp_path, sampled_card("all"))
    assert plot_note(benchmark, (loaded,), "main") == ""


def test_a_headline_tells_its_clock(tmp_path: Path) -> None:
    headline = '[headlines.best]\nlabel = "best"\ntable = "main"\nquantity = "flop_rate"\n\n[tables.main]'
    definition = DEFINITION.replace("[tables.main]", headline, 1)
    for made, said in ((sampled_card(), "SM clock 1.95 to 1.98 GHz"), (gpu_card(), "clock not observed")):
        model = in_numbers([demo(tmp_path / said[:2], made, definition=definition)])
        assert plain(model.groups[0].rows[0][1].detail).endswith(said)


def test_a_caption_keeps_the_characters_of_its_reason(tmp_path: Path) -> None:
    made = sampled_card()
    made["measurements"] = [m for m in made["measurements"] if m["arm"] == "host"]
    for m in made["measurements"]:
        m["block"] = {"state": {"window": "rotation", "seconds": 0.0153, "samples": 0}}
    caption = detail(*demo(tmp_path, made), "main").caption
    assert caption.endswith("not observed (no sample fell into its 15.3\u00a0ms of work).")
