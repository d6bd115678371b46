"""A published table as a card: layouts, digits, what is missing, and a located message for whatever is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import PROJECT

import perfdocs.tables
from perfdocs.card import AxisValue, Card, NotRun, Summary
from perfdocs.cardfile import decode_card, encode_card, read_card
from perfdocs.cli import main
from perfdocs.definition import Definition
from perfdocs.definitionfile import read_definition
from perfdocs.errors import PerfdocsError
from perfdocs.files import write_atomic
from perfdocs.library import load_library
from perfdocs.mapping import digits_in_si, factor_of, number_of, read_map
from perfdocs.tables import card_of_table
from perfdocs.verdict import value_of_summary

DEFINITION = """
id = "sorting"
title = "Sorting"
summary = "Made up."
axes.n = { label = "n", unit = "sample", scale = "log" }
axes.keys = { label = "keys", scale = "category", values = ["random", "sorted"] }
groups.cpu = { label = "CPU arms" }
arms.timsort = { label = "Timsort", loop = "a list", group = "cpu", on = ["cpu"] }
arms.quicksort = { label = "Quicksort", loop = "an array", group = "cpu", on = ["cpu"] }
metrics.wall = { label = "wall", kind = "samples", unit = "s", better = "lower" }
metrics.memory = { label = "memory", kind = "count", unit = "byte" }
metrics.swaps = { label = "swaps", kind = "count" }
derived.rate = { label = "rate", is = "n / wall", unit = "1/s", better = "higher" }
tables.main = { title = "Main", axes = ["keys", "n"], columns = ["wall", "rate"], by = "wall" }
"""
HEAD = """
benchmark = "sorting"
recorded = "2026-01-02T00:00:00Z"
origin = { kind = "synthetic" }
device = { id = "made-up-cpu", kind = "cpu", name = "Made Up CPU" }
"""
LONG = """
arm = { column = "who", is = { "qsort" = "quicksort" } }
at.keys = { column = ["order", "bits"], is = { "rnd 64" = "random", "srt 64" = "sorted" }, skip = ["rnd 32"] }
at.n = { column = "n" }
missing = ["", "n/a"]
not_run."OOM" = { kind = "out_of_memory", reason = "out of memory" }
values = [
  { column = "time", metric = "wall", unit = "ms", low = "best", high = "worst" },
  { column = "peak", metric = "memory", unit = "MiB", digits = 3 },
  { column = "swaps", metric = "swaps", exact = true },
]
"""
LONG_TABLE = """who,order,bits,n,time,best,worst,peak,swaps,note
timsort,rnd,64,1000,1.20,1.10,1.30,2.5,123456,synthetic
qsort,rnd,64,1e4,12,n/a,,OOM,,synthetic
qsort,rnd,32,10000,3.4,,,,,synthetic

qsort,srt,64,10⁶,OOM,,,OOM,,synthetic
timsort,srt,64,10⁶,n/a,,,,,synthetic
"""
WIDE = """
at.keys = "random"
at.n = { column = "n" }
digits = 2
values = [
  { column = "timsort [us]", metric = "wall", unit = "µs", arm = "timsort" },
  { column = "quicksort [us]", metric = "wall", unit = "µs", arm = "quicksort" },
]
"""
WIDE_TABLE = "n,timsort [us],quicksort [us]\n1000,10,2.5\n10000,110,\n"
SAID = [*re.split(r"[,\n]", LONG_TABLE), "-1", "nan", "inf", "1e400", "9e99", "1e104", '"', "=1", "0.001"]
VALUES_WIDE = """
arm = { column = "arm" }
at.keys = "sorted"
values = [
  { column = "1000", metric = "rate", unit = "k1/s", at = { n = 1000 } },
  { column = "10000", metric = "rate", unit = "k1/s", at = { n = 10000 } },
]
"""


@pytest.fixture
def definition(tmp_path: Path) -> Definition:
    path = tmp_path / "benchmark.toml"
    path.write_text(DEFINITION, encoding="utf-8")
    return read_definition(path)


Make = Callable[..., Card]


@pytest.fixture
def make(tmp_path: Path, definition: Definition, monkeypatch: pytest.MonkeyPatch) -> Make:
    monkeypatch.chdir(tmp_path)

    def card(layout: str, table: str | bytes, head: str = HEAD) -> Card:
        path = Path("map.toml")
        path.write_text(head + layout, encoding="utf-8")
        data = table.encode() if isinstance(table, str) else table
        return card_of_table(data, Path("table.csv"), read_map(path), path, definition)

    return card


def absent(arm: str, at: dict[str, AxisValue]) -> NotRun:
    return NotRun(arm=arm, at=at, kind="out_of_memory", reason="out of memory", table="main")


def test_a_long_table(make: Make) -> None:
    card = make(LONG, LONG_TABLE)
    assert [(m.arm, m.at, m.values) for m in card.measurements] == [
        (
            "timsort",
            {"keys": "random", "n": 1000},
            {
                "wall": Summary(centre=1.2e-3, low=1.1e-3, high=1.3e-3, digits=3),
                "memory": Summary(centre=2.5 * 2**20, digits=3),
                "swaps": 123456.0,
            },
        ),
        ("quicksort", {"keys": "random", "n": 10_000}, {"wall": Summary(centre=12e-3, digits=2)}),
    ]
    assert card.not_run == (
        absent("quicksort", {"keys": "random", "n": 10_000}),
        absent("quicksort", {"keys": "sorted", "n": 1_000_000}),
    )
    assert card.origin.kind == "synthetic"


def test_the_few_digits_widen_the_interval(make: Make) -> None:
    wall = make(LONG, LONG_TABLE).measurements[0].values["wall"]
    assert isinstance(wall, Summary)
    value = value_of_summary(wall)
    assert (value.lo, value.hi) == pytest.approx((1.095e-3, 1.305e-3))


def test_a_column_for_each_arm(make: Make) -> None:
    found = {(m.arm, m.at["n"]): m.values["wall"] for m in make(WIDE, WIDE_TABLE).measurements}
    assert found == {
        ("timsort", 1000): Summary(centre=10e-6, digits=2),
        ("quicksort", 1000): Summary(centre=2.5e-6, digits=2),
        ("timsort", 10_000): Summary(centre=110e-6, digits=2),
    }


def test_a_column_for_each_point_and_a_rate_as_published(make: Make) -> None:
    table = "arm,1000,10000\ntimsort,1.5,2.25\n"
    with pytest.raises(PerfdocsError, match=r"values\[0\]\.metric: found \"rate\""):
        make(VALUES_WIDE, table)  # a synthetic card has no reason to give a rate
    origin = '{ kind = "imported", source = "synthetic: made up for a test", licence = "none" }'
    card = make(VALUES_WIDE, table, changed(HEAD, '{ kind = "synthetic" }', origin))
    assert [(m.at["n"], m.values["rate"]) for m in card.measurements] == [
        (1000, Summary(centre=1500.0, digits=2)),
        (10_000, Summary(centre=2250.0, digits=3)),
    ]


def test_a_byte_order_mark_and_another_delimiter(make: Make) -> None:
    table = "\ufeff" + WIDE_TABLE.replace(",", ";")
    assert len(make('delimiter = ";"' + WIDE, table).measurements) == 3


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("0.00120", (0.0012, 3)),
        ("600", (600.0, 3)),
        ("27 700", (27_700.0, 3)),
        ("1.5e-3", (0.0015, 2)),
        ("0.0005189999999999999", (0.0005189999999999999, 16)),
        ("10⁶", (1e6, 1)),
        ("0", (0.0, 1)),
        ("1,5", None),
        ("1.5 ms", None),
        ("nan", None),
        ("=1+1", None),
        ("about 3", None),
        ("1" * 61, None),
        ("", None),
    ],
)
def test_numbers(text: str, read: tuple[float, int] | None) -> None:
    assert number_of(text) == read


def test_units() -> None:
    assert factor_of("ms", "s") == 1e-3
    assert factor_of("MiB", "byte") == 2**20
    assert factor_of("%", "") == 0.01
    assert factor_of("key/s", "key/s") == 1.0
    assert factor_of("ms", "byte") is None
    assert factor_of("", "s") is None
    assert factor_of("s s", "s") is None
    assert [digits_in_si(3, f) for f in (1e-6, 1e-3, 1.0, 1e3, 2.0**20, 2.0**30, 60.0)] == [3] * 6 + [2]


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


BAD_CELLS = [
    ("1.20,", "1.2o,", 'table.csv: line 2, column "time": found "1.2o", expected a number alone', "table-number"),
    (
        "1.20,",
        "1e104,",
        'table.csv: line 2, column "time": found "1e104", expected a number of ord',
        "table-number",
    ),
    ("1.10,", "1.10 ms,", 'table.csv: line 2, column "best": found "1.10 ms"', "table-number"),
    ("1.10,", "1.25,", 'table.csv: line 2, column "best": found 1.25, with 1.20 as the value', "table-range"),
    ("1.30,", "1.15,", 'table.csv: line 2, column "worst": found 1.15, with 1.20 as the value', "table-range"),
    ("12,n/a", "-12,n/a", 'table.csv: line 3, column "time": found -0.012, expected a number above 0', "card-negative"),
    ("12,n/a", "0,n/a", 'table.csv: line 3, column "time": found 0, expected a number above 0', "card-negative"),
    (
        "2.5,",
        "2.5555,",
        'table.csv: line 2, column "peak": found 2.5555, which has more digits',
        "table-digits",
    ),
    ("qsort,srt", "qsrt,srt", 'column "who": found the arm "qsrt"', "unknown-arm"),
    (
        "rnd,64,1000",
        "odd,64,1000",
        'line 2, column "order + bits": found "odd 64"',
        "unknown-axis-value",
    ),
    ("64,1000,", "64,many,", 'line 2, column "n": found "many", expected a number, for the axis n', "table-number"),
    ("64,1000,", "64,0,", 'line 2, column "n": found "0", expected a number above 0', "axis-value"),
    ("qsort,srt,64,10⁶", "qsort,srt,64,-1", 'line 6, column "n": found "-1"', "axis-value"),
    ("qsort,rnd,64,1e4", "timsort,rnd,64,1000", "found wall of timsort at keys=random, n=1000 a second", "table-twice"),
    ("12,n/a,,OOM,,synthetic", "12,n/a,,OOM,", "table.csv: line 3: found 9 cells, expected 10", "table-width"),
    ("note\n", "peak\n", 'table.csv: line 1: found the header "peak" twice', "table-header"),
    ("note\n", '"note"x\n', "table.csv: line 1: found ", "table-syntax"),
]


@pytest.mark.parametrize(("old", "new", "said", "code"), BAD_CELLS, ids=[f"{bad[3]} {bad[1]}" for bad in BAD_CELLS])
def test_a_bad_cell(make: Make, old: str, new: str, said: str, code: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        make(LONG, changed(LONG_TABLE, old, new))
    assert caught.value.problem.code == code
    assert said in str(caught.value)


BAD_MAPS = [
    ("sorting", "Sorting!", "map.toml: $.benchmark", "map-value"),
    ("2026-01-02", "2026-13-02", "map.toml: $.recorded", "card-value"),
    ('"synthetic"', '"measured"', "map.toml: $.origin.kind", "map-origin"),
    ('"synthetic"', '"imported"', "map.toml: $.origin: found an imported card without source", "card-origin"),
    ("Made Up CPU", "/home/me", "map.toml: $.device.name", "card-private"),
    ("made-up-cpu", "timsort", "map.toml: $.device.id", "card-id-taken"),
    ("arm = {", "arms = {", 'map.toml: $: found the key "arms"', "map-unknown-key"),
    ('= "quicksort"', '= "bubblesort"', 'map.toml: $.arm.is: found "bubblesort"', "map-name"),
    ("at.n =", "at.m =", "map.toml: $.at.m: found", "map-name"),
    ("at.n = ", "# ", "map.toml: $.values[0].at: found no value for n", "map-axis"),
    ("arm = {", "# {", "map.toml: $.values[0]: found no arm", "map-arm"),
    ('metric = "wall"', 'metric = "wal"', "did you mean", "map-name"),
    ('unit = "ms"', 'unit = "MiB"', 'map.toml: $.values[0].unit: found "MiB", expected "s"', "map-unit"),
    ('unit = "ms", ', "", "map.toml: $.values[0].unit: found no unit", "map-unit"),
    ('low = "best"', 'low = "beste"', 'map.toml: $.values[0].low: found the column "beste"', "map-column"),
    ("exact = true", "exact = true, digits = 3", "map.toml: $.values[2].exact", "map-exact"),
    ("values = [", 'table = "other"\nvalues = [', "map.toml: $.table", "map-name"),
    ("values = [", "values = [[", "map.toml: ", "map-syntax"),
]


@pytest.mark.parametrize(("old", "new", "said", "code"), BAD_MAPS, ids=[f"{bad[3]} {bad[1]}" for bad in BAD_MAPS])
def test_a_bad_map(make: Make, old: str, new: str, said: str, code: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        make("", LONG_TABLE, changed(HEAD + LONG, old, new))
    assert caught.value.problem.code == code
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("table", "code"),
    [("", "table-empty"), ("n,timsort [us],quicksort [us]\n", "table-empty"), (b"n\n\xff\n", "table-syntax")],
)
def test_a_table_that_is_none(make: Make, table: str | bytes, code: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        make(WIDE, table)
    assert caught.value.problem.code == code


@pytest.mark.parametrize(
    ("limit", "said"),
    [("MAX_ROWS", "line 3: found more than 1 rows"), ("MAX_MEASUREMENTS", "line 2: found more than 1 m")],
)
def test_sizes_are_bounded(make: Make, monkeypatch: pytest.MonkeyPatch, limit: str, said: str) -> None:
    monkeypatch.setattr(perfdocs.tables, limit, 1)
    with pytest.raises(PerfdocsError, match=said):
        make(WIDE, WIDE_TABLE)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(
    layout=st.sampled_from([LONG, WIDE, VALUES_WIDE]),
    cells=st.lists(st.lists(st.sampled_from(SAID) | st.text(max_size=6), max_size=11).map(",".join), max_size=6),
)
def test_any_table_is_a_card_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, layout: str, cells: list[str]
) -> None:
    header = {LONG: LONG_TABLE, WIDE: WIDE_TABLE, VALUES_WIDE: "arm,1000,10000"}[layout].partition("\n")[0]
    folder = tmp_path_factory.mktemp("any")
    for name, text in (("benchmark.toml", DEFINITION), ("map.toml", HEAD + layout.replace("rate", "swaps"))):
        (folder / name).write_text(text.replace(' unit = "k1/s",', ""), encoding="utf-8")
    definition, chosen = read_definition(folder / "benchmark.toml"), read_map(folder / "map.toml")
    data = "\n".join([header, *cells]).encode("utf-8", "surrogatepass")
    try:
        card = card_of_table(data, Path("table.csv"), chosen, Path("map.toml"), definition)
    except PerfdocsError as error:
        where = error.problem.where
    else:
        where = "table.csv"
        assert decode_card(encode_card(card), Path("made-up-cpu.json")) == card
    assert where.startswith("table.csv")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / "benchmarks" / "sorting").mkdir(parents=True)
    (folder / "benchmarks" / "sorting" / "benchmark.toml").write_text(DEFINITION, encoding="utf-8")
    (folder / "map.toml").write_text(HEAD + WIDE, encoding="utf-8")
    (folder / "table.csv").write_text(WIDE_TABLE, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def command(*words: str) -> int:
    return main.main(["import", "table", "table.csv", "--map", "map.toml", *words], standalone_mode=False)


CARD = Path("benchmarks", "sorting", "cards", "made-up-cpu.json")


def test_the_command(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 0
    assert capsys.readouterr() == (f"{CARD}\n", "synthetic: 3 measurements, 0 not run\n")
    assert len(read_card(CARD).measurements) == 3
    assert not load_library(Path("benchmarks")).problems
    assert command("--to", "elsewhere") == 0
    assert Path("elsewhere", CARD.name).read_bytes() == CARD.read_bytes()


def test_a_card_is_replaced_by_force_only(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 0
    before = CARD.read_bytes()
    (project / "table.csv").write_text(WIDE_TABLE.replace("110", "120"), encoding="utf-8")
    assert command() == 1
    assert (
        "found a card there, synthetic, expected no card yet; replace it by `--force` [import-exists]"
        in capsys.readouterr().err
    )
    assert CARD.read_bytes() == before
    assert command("--force") == 0
    assert CARD.read_bytes() != before


def test_a_measured_card_is_never_replaced(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command() == 0
    measured = json.loads(CARD.read_text(encoding="utf-8"))
    measured["origin"] = {"kind": "measured", "source": "synthetic: made up for a test"}
    write_atomic(CARD, json.dumps(measured).encode())
    before = CARD.read_bytes()
    assert command("--force") == 1
    assert "[import-measured]" in capsys.readouterr().err
    assert CARD.read_bytes() == before


def test_a_file_that_is_no_card_is_never_replaced(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_atomic(CARD, b'{"schema": "perfdocs.card/2"}')
    assert command("--force") == 1
    assert "[card-future]" in capsys.readouterr().err
    assert CARD.read_bytes() == b'{"schema": "perfdocs.card/2"}'


def test_nothing_is_written_where_something_is_wrong(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "table.csv").write_text(WIDE_TABLE.replace("2.5", "fast"), encoding="utf-8")
    assert command() == 1
    assert 'table.csv: line 2, column "quicksort [us]": found "fast"' in capsys.readouterr().err
    assert not CARD.parent.exists()


def test_the_example_of_the_page(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = PROJECT / "docs" / "howto"
    blocks = [
        re.search(rf":caption: {re.escape(name)}\n\n(.*?)```", (pages / page).read_text(encoding="utf-8"), re.DOTALL)
        for page, name in (
            ("use-in-your-docs.md", "benchmarks/sorting/benchmark.toml"),
            ("import-a-table.md", "map.toml"),
            ("import-a-table.md", "table.csv"),
        )
    ]
    for target, block in zip(("benchmarks/sorting/benchmark.toml", "map.toml", "table.csv"), blocks, strict=True):
        assert block is not None
        (project / target).write_text(block[1], encoding="utf-8")
    assert command() == 0
    shown = capsys.readouterr()
    assert f"\n{shown.out}```" in (pages / "import-a-table.md").read_text(encoding="utf-8")
    assert shown.err == "synthetic: 4 measurements, 1 not run\n"


def test_an_unknown_benchmark_and_files_that_are_not_there(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "map.toml").write_text(changed(HEAD, "sorting", "sortign") + WIDE, encoding="utf-8")
    assert command() == 1
    assert 'did you mean "sorting"?' in capsys.readouterr().err
    (project / "map.toml").unlink()
    assert command() == 1
    assert "map.toml: found no such file or directory" in capsys.readouterr().err
