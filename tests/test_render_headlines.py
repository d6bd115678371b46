"""Headlines: a few numbers of a device, and of several side by side."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.render_kit import DEFINITION, cpu_card, gpu_card, load

from perfdocs.definition import decode_definition
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
    assert model.groups[0].head == ("figure", "Made Up GPU", "Made Up CPU")
    assert [row[0] for row in texts(model)] == ["a thin million", "flop rate", "the host alone"]
    cpu = [row[2] for row in model.groups[0].rows]
    assert cpu[1].missing == "not measured there"


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
