"""Headlines: a few numbers of a device, and of several side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.render_kit import DEFINITION, cpu_card, gpu_card, load

from perfdocs.definitionfile import decode_definition
from perfdocs.errors import PerfdocsError
from perfdocs.frame import rows
from perfdocs.library import Library
from perfdocs.render.headlines import headline, in_numbers, numbers_compared
from perfdocs.render.model import MISSING, TableModel

HEADLINES = """
[headlines.thin]
label = "a thin million"
quantity = "wall"
at = { config = "thin", n = 1_000_000 }

[headlines.rate]
label = "flop rate"
quantity = "flop_rate"
arms = ["steal", "thread"]

[headlines.host]
label = "the host alone"
quantity = "wall"
arms = ["host"]
at = { config = "dense" }
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return load(tmp_path, gpu_card(), cpu_card(), definition=DEFINITION + HEADLINES)


def texts(model: TableModel) -> list[list[str]]:
    return [[cell.text.replace("\u00a0", " ") for cell in row] for group in model.groups for row in group.rows]


def test_a_device_in_numbers_names_value_share_and_who_reached_it(library: Library) -> None:
    model = in_numbers(list(library.cards_of("made-up-gpu")))
    assert [group.title for group in model.groups] == ["Demonstration"]
    rows = texts(model)
    assert rows[0] == ["a thin million", "371 µs", MISSING, "longest first"]
    assert rows[1][0] == "flop rate"
    assert rows[1][2].endswith("%")
    assert rows[2][3] == "host, N = 10³"  # what the headline leaves open
    cell = model.groups[0].rows[0][1]
    assert cell.link.startswith("made-up-gpu#perf-demo.made-up-gpu.main.sorted")


def test_the_best_end_is_the_quantity_s(library: Library) -> None:
    benchmark = library.benchmarks["demo"]
    loaded = benchmark.card_of("made-up-gpu")
    assert loaded is not None
    found = headline(benchmark, loaded, "rate")
    assert found is not None
    rates = [row.value("flop_rate").centre for row in rows(benchmark, loaded, "main") if row.arm in ("steal", "thread")]
    assert found.value.centre == max(rates)


def test_devices_side_by_side(library: Library) -> None:
    names = {"made-up-cpu": "Made Up CPU", "made-up-gpu": "Made Up GPU"}
    (model,) = numbers_compared(list(library.benchmarks.values()), list(names), names)
    assert model.groups[0].head == ("figure", "Made Up GPU", "Made Up CPU, 16\u00a0threads")
    assert [row[0] for row in texts(model)] == ["a thin million", "flop rate", "the host alone"]
    cpu = [row[2] for row in model.groups[0].rows]
    assert cpu[1].missing == "measured by an arm that runs on no CPU"


def test_without_headlines_there_is_nothing(tmp_path: Path) -> None:
    library = load(tmp_path, gpu_card())
    assert in_numbers(list(library.cards_of("made-up-gpu"))).groups == ()
    assert list(numbers_compared(list(library.benchmarks.values()), ["made-up-gpu"], {"made-up-gpu": "x"})) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('quantity = "wal"', '"wal"'),
        ('quantity = "wall"\ntable = "man"', '"man"'),
        ('quantity = "wall"\narms = ["stel"]', '"stel"'),
        ('quantity = "wall"\nat = { cfg = "thin" }', '"cfg"'),
        ('quantity = "wall"\nat = { config = "thn" }', '"thn"'),
        ('quantity = "wall"\nshare = "wall"', '"wall"'),
    ],
)
def test_a_headline_that_names_nothing_is_refused(line: str, found: str) -> None:
    text = f'{DEFINITION}\n[headlines.one]\nlabel = "one"\n{line}\n'
    with pytest.raises(PerfdocsError, match=found) as error:
        decode_definition(text.encode(), Path("benchmark.toml"))
    assert "$.headlines.one" in str(error.value)


def test_a_gap_says_why_in_its_cell_and_below_the_table(tmp_path: Path) -> None:
    cpu, paper = cpu_card(), gpu_card()
    cpu["device"]["threads"], cpu["host"]["container"] = 16, True
    cpu["not_run"] = [{"arm": "host", "table": "main", "at": {"config": "dense"}, "reason": "no time was left"}]
    cpu["measurements"] = [m for m in cpu["measurements"] if m["at"].get("config") != "dense"]
    paper["device"]["id"], paper["device"]["name"] = "paper-gpu", "Paper GPU"
    paper["origin"] = {"kind": "imported", "source": "a paper", "licence": "CC0"}
    paper["measurements"] = [m for m in paper["measurements"] if m["arm"] == "steal"]
    library = load(tmp_path, gpu_card(), cpu, paper, definition=DEFINITION + HEADLINES)
    names = {"made-up-cpu": "Made Up CPU", "made-up-gpu": "Made Up GPU", "paper-gpu": "Paper GPU"}
    (model,) = numbers_compared(list(library.benchmarks.values()), list(names), names)
    head = [text.replace("\u00a0", " ") for text in model.groups[0].head]
    assert head == ["figure", "Made Up GPU", "Made Up CPU, 16 threads, in a container", "Paper GPU"]
    _, rate, host = model.groups[0].rows
    assert rate[2].missing == "measured by an arm that runs on no CPU"
    assert (host[2].missing, host[3].missing) == ("no time was left", "its source gives no such figure")
    said = [(line.lead.replace("\u00a0", " "), line.text) for line in model.notes]
    assert ("Made Up CPU, 16 threads, in a container, the host alone", "no time was left") in said
    assert ("Paper GPU, the host alone", "its source gives no such figure") in said


def test_noise_does_not_choose_a_headline(tmp_path: Path) -> None:
    card = gpu_card()
    chosen = [m for m in card["measurements"] if m["table"] == "main" and m["arm"] in ("steal", "thread")]
    best = min(chosen, key=lambda m: sorted(m["wall"])[2])
    lowest = min(best["wall"])
    noisy = next(m for m in chosen if m is not best and m["at"] == best["at"])
    noisy["wall"] = [lowest * factor for factor in (0.8, 0.85, 0.9, 1.5, 2.5)]
    library = load(tmp_path, card, definition=DEFINITION + HEADLINES)
    loaded = library.benchmarks["demo"].card_of("made-up-gpu")
    assert loaded is not None
    found = headline(library.benchmarks["demo"], loaded, "rate")
    assert found is not None
    assert found.row.arm != noisy["arm"]
