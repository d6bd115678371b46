"""Every claim on every device: what holds, fails, is undecided or not measured where a sentence is asked elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.claims.toy import write_toy

from perfdocs.claims.evaluate import check_bound
from perfdocs.claims.extract import extract_markdown
from perfdocs.claims.matrix import Fare, Page, Row, Sentence, Stand, Verdict, matrix
from perfdocs.claims.model import Status
from perfdocs.library import Library, load_library
from perfdocs.render.matrix import page_table, parts_of, reasons_table, summary, totals, unasked

DEVICES = ("toy-cpu", "toy-gpu", "toy-paper")
NAMES = {"toy-gpu": "Toy GPU", "toy-cpu": "Toy CPU", "toy-paper": "Toy Paper"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


def made_of(text: str, library: Library, given: str = "toy, toy-gpu, spread-1000, n=1e6") -> tuple[Page, list[Row]]:
    """The page of some Markdown below a given, and a row for each claim."""
    bounds = extract_markdown(f"<!-- given: {given} -->\n\n{text}\n", "page.md")
    sentences = tuple(Sentence(b, f"claim-{i}") for i, b in enumerate(bounds) if b.form == "claim")
    page = Page("page", "A page", sentences)
    made = matrix((page,), library)
    assert made.devices == DEVICES
    return page, list(made.rows())


def one(text: str, library: Library, given: str = "toy, toy-gpu, spread-1000, n=1e6") -> dict[str, Fare]:
    """How the only claim of a text fares; it holds at home."""
    _, (row,) = made_of(text, library, given)
    assert check_bound(row.sentence.bound, library).status is Status.HOLDS
    return dict(row.fares)


def test_an_order_that_holds_elsewhere_and_is_not_measured_on_a_third(library: Library) -> None:
    fares = one(
        "Work stealing is faster than one thread per sample<!-- claim: stealing faster than simple -->.", library
    )
    assert fares["toy-gpu"].verdict is Verdict.HOLDS
    assert fares["toy-gpu"].stand is Stand.HOME
    assert (fares["toy-paper"].verdict, fares["toy-paper"].stand) == (Verdict.HOLDS, Stand.ELSEWHERE)
    assert fares["toy-paper"].measured.replace("\u00a0", " ") == "stealing 610 µs, simple 1.800 ms"
    assert fares["toy-paper"].flags == {"imported"}
    assert fares["toy-paper"].device == "toy-paper"
    assert fares["toy-paper"].anchor == "perf-toy.toy-paper.main.stealing.spread-1000.1000000"
    assert fares["toy-cpu"].verdict is Verdict.NOT_MEASURED
    assert fares["toy-cpu"].reason.startswith("nothing measured for wall(stealing) at spread-1000, N = 10⁶ on toy-cpu")


@pytest.mark.parametrize(
    "text",
    [
        "It takes 510 µs<!-- claim: stealing -->.",
        "Work stealing is 2.30× faster than one thread per sample<!-- claim: stealing faster than simple by ? -->.",
        "Work stealing takes 510 µs, faster than one thread per sample"
        "<!-- claim: stealing; stealing faster than simple -->.",
    ],
)
def test_another_number_alone_is_told_from_another_order(library: Library, text: str) -> None:
    paper = one(text, library)["toy-paper"]
    assert (paper.verdict, paper.number) == (Verdict.FAILS, True)
    assert "610 µs" in paper.measured.replace("\u00a0", " ") or "2.951×" in paper.measured


def test_what_is_not_so_elsewhere_fails_there(library: Library) -> None:
    fares = one("The Host stays under 200 µs<!-- claim: host under ? -->.", library, "toy, toy-gpu, spread-1000, n=1e5")
    assert (fares["toy-cpu"].verdict, fares["toy-cpu"].number) == (Verdict.FAILS, False)
    assert fares["toy-cpu"].measured.replace("\u00a0", " ") == "948.7 µs"
    both = "The Host takes 150 µs, under 200 µs<!-- claim: host; host under ? -->."
    fares = one(both, library, "toy, toy-gpu, spread-1000, n=1e5")
    assert not fares["toy-cpu"].number  # the bound fails as well


def test_a_number_that_only_the_few_digits_of_a_source_allow_is_undecided(library: Library) -> None:
    _, (row,) = made_of("It takes 612 µs<!-- claim: stealing -->.", library)
    assert [row.fares[d].verdict for d in ("toy-gpu", "toy-paper")] == [Verdict.FAILS, Verdict.UNDECIDED]


def test_through_all_devices_is_one_statement(library: Library) -> None:
    text = "On both devices it stays under 20 ms<!-- claim: every device of toy-gpu and toy-cpu: host under ? -->."
    fares = one(text, library, "toy, spread-1000, n=1e6")
    assert {d: (f.verdict, f.stand) for d, f in fares.items()} == {
        "toy-cpu": (Verdict.HOLDS, Stand.JOINT),
        "toy-gpu": (Verdict.HOLDS, Stand.JOINT),
        "toy-paper": (Verdict.NOT_ASKED, Stand.ELSEWHERE),
    }


@pytest.mark.parametrize(
    ("seen", "expression"),
    [("Somewhere", "some device: stealing under ?"), ("Seen so", "every device of toy-gpu: stealing under ?")],
)
def test_a_quantifier_that_comes_to_one_device_names_no_home(library: Library, seen: str, expression: str) -> None:
    fares = one(f"{seen}, it is under 520 µs<!-- claim: {expression} -->.", library, "toy, spread-1000, n=1e6")
    assert fares["toy-gpu"].stand is Stand.JOINT
    assert {f.verdict for f in fares.values() if f.stand is Stand.ELSEWHERE} <= {Verdict.NOT_ASKED}


def test_two_devices_named_are_one_statement_and_no_third_is_asked(library: Library) -> None:
    text = "The Host of the Toy CPU is faster<!-- claim: host[toy-cpu] faster than host -->."
    fares = one(text, library)
    assert {fares[d].stand for d in ("toy-cpu", "toy-gpu")} == {Stand.JOINT}
    assert (fares["toy-paper"].verdict, fares["toy-paper"].stand) == (Verdict.NOT_ASKED, Stand.ELSEWHERE)


def test_each_with_its_own_number_asks_for_the_same_points(library: Library) -> None:
    each = "It takes 110 µs, 510 µs and 1.78 ms<!-- claim: each config: stealing -->."
    assert one(each, library, "toy, toy-gpu, n=1e6")["toy-paper"].verdict is Verdict.NOT_MEASURED
    same = "It takes 15.0 µs, 140 µs, 150 µs and 15.0 ms<!-- claim: each n: host -->."
    cpu = one(same, library, "toy, toy-gpu, spread-1000")["toy-cpu"]
    assert (cpu.verdict, cpu.number) == (Verdict.FAILS, True)


@pytest.mark.parametrize(
    "sizes", [(2000, 4000, 8000, 16_000), (1000, 10_000), (1000, 2000, 10_000, 100_000, 1_000_000)]
)
def test_each_at_other_points_is_not_measured(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    """As many numbers for other points, fewer or more: none of them is what the sentence speaks of."""
    folder = write_toy(tmp_path)
    path = folder / "toy" / "cards" / "toy-cpu.json"
    content = json.loads(path.read_text())
    first = content["measurements"][0]
    content["measurements"] = [first | {"at": {"config": "spread-1000", "n": n}} for n in sizes]
    path.write_text(json.dumps(content))
    same = "It takes 15.0 µs, 140 µs, 150 µs and 15.0 ms<!-- claim: each n: host -->."
    cpu = one(same, load_library(folder), "toy, toy-gpu, spread-1000")["toy-cpu"]
    assert (cpu.verdict, cpu.reason) == (
        Verdict.NOT_MEASURED,
        "measured there at other points than those the sentence goes through",
    )


def test_a_start_that_is_not_measured_there_is_no_failure(library: Library) -> None:
    text = "From N = 10⁴ on it is ahead of one thread per sample<!-- claim: from n=?: stealing ahead of simple -->."
    fares = one(text, library, "toy, toy-gpu, spread-1000")
    assert fares["toy-paper"].verdict is Verdict.NOT_MEASURED
    assert fares["toy-paper"].reason == "N = 10⁴ is not measured"


def test_a_bound_need_not_be_tight_elsewhere(library: Library) -> None:
    text = "Both are within 217 %<!-- claim: host[n=1e5] within ? of host[n=1e4] -->."
    fares = one(text, library, "toy, toy-cpu, spread-1000")
    assert fares["toy-gpu"].verdict is Verdict.HOLDS
    assert fares["toy-gpu"].measured.replace("\u00a0", " ") == "7.14 % apart"


def test_words_about_the_device_named_do_not_fail_elsewhere(library: Library) -> None:
    text = (
        "On the Toy GPU work stealing is faster than one thread per sample<!-- claim: stealing faster than simple -->."
    )
    assert one(text, library)["toy-paper"].verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The twin is ahead<!-- claim: stealing faster than simple -->.", "does not say what its claim says"),
        ("It takes 5 s<!-- claim: steeling -->.", '"steeling"'),
        ("It takes 5 s<!-- claim: ((( -->.", ""),
    ],
)
def test_a_claim_that_is_broken_is_asked_nowhere(library: Library, text: str, reason: str) -> None:
    _, (row,) = made_of(text, library)
    assert row.fares["toy-paper"].verdict is Verdict.NOT_ASKED
    assert reason in row.fares["toy-paper"].reason


def test_a_false_claim_fails_at_home_and_is_asked_elsewhere(library: Library) -> None:
    _, (row,) = made_of("It takes 610 µs<!-- claim: stealing -->.", library)
    assert row.fares["toy-gpu"].verdict is Verdict.FAILS
    assert row.fares["toy-paper"].verdict is Verdict.HOLDS


def test_tables_have_word_and_sign_of_each_and_add_up(library: Library) -> None:
    page, rows = made_of(
        "Work stealing is faster than one thread per sample<!-- claim: stealing faster than simple -->, "
        "at 510 µs<!-- claim: stealing -->.",
        library,
    )
    assert summary(rows, 1) == "2 claims on 1 page; 2 of them hold on the devices they name."
    table = page_table(page, rows, ("toy-gpu", "toy-paper", "toy-cpu"), NAMES)
    (group,) = table.groups
    assert group.head == ("claim", "Toy GPU", "Toy Paper")
    assert table.caption == "None of them has a verdict on Toy CPU."
    shown = [[cell.text.replace("\u00a0", " ") for cell in row] for row in group.rows]
    assert shown == [
        [
            "Work stealing is faster than one thread per sample",
            "✓ holds, home",
            "✓ holds: stealing 610 µs, simple 1.800 ms",
        ],
        ["Work stealing is faster than one thread per sample, at 510 µs", "✓ holds, home", "≠ fails: 610 µs"],
    ]
    assert [row[0].link for row in group.rows] == ["/page#claim-1", "/page#claim-2"]
    assert [cell.best for cell in group.rows[0]] == [False, True, False]
    (all_devices,) = totals(rows, ("toy-gpu", "toy-paper", "toy-cpu"), NAMES, library).groups
    assert [[cell.text for cell in row] for row in all_devices.rows] == [
        ["Toy GPU", "2", "2", "0", "0", "0", "0", "0", "0"],
        ["Toy Paper", "0", "0", "1", "0", "1", "0", "0", "0"],
        ["Toy CPU", "0", "0", "0", "0", "0", "0", "2", "0"],
    ]
    (reasons,) = reasons_table(rows, ("toy-gpu", "toy-paper", "toy-cpu"), NAMES).groups
    assert [(row[1].text, row[2].text) for row in reasons.rows] == [("Toy CPU", "2")]
    assert unasked(rows, DEVICES) == ("toy-cpu",)
    assert parts_of(matrix((page,), library), ("other",)) == ()


def test_long_sentences_keep_their_end(library: Library) -> None:
    page, rows = made_of(f"{'Many words before `it` ' * 20}take 510 µs<!-- claim: stealing -->.", library)
    text = page_table(page, rows, DEVICES, NAMES).groups[0].rows[0][0].text
    assert text.startswith("…")
    assert text.endswith("before it take 510\u00a0µs")
    assert len(text) <= 101
