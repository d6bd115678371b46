"""False edits of sentences and of data, whether they are noticed, and how far a claim is from failing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.claims.toy import write_toy

from perfdocs.claims.check import check_text, extracted
from perfdocs.claims.evaluate import check_bound
from perfdocs.claims.model import Bound
from perfdocs.cli import main
from perfdocs.library import Library, load_library
from perfdocs.mutate.data import KINDS as DATA_KINDS
from perfdocs.mutate.data import Change, Datum, Readers, Reading, changes, noticed, reading, scaled
from perfdocs.mutate.judging import judge, prose_mutations
from perfdocs.mutate.margins import margin
from perfdocs.mutate.markdown import page_part
from perfdocs.mutate.names import rings, said
from perfdocs.mutate.prose import KINDS, Mutation
from perfdocs.mutate.report import Strength, lines, listing

GIVEN = "<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->\n\n"
PAGE = f"""{GIVEN}A million samples take work stealing 510 µs and one thread per sample
1.17 ms<!-- claim: stealing; simple -->, 2.30× slower<!-- claim: simple slower than stealing by ? -->.
Work stealing is ahead of masked arrays in every
configuration<!-- claim: at n=1e4, every config: stealing ahead of masked -->.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


def bound_of(sentence: str) -> Bound:
    _, *bounds = extracted(GIVEN + sentence, "page.md")
    (bound,) = bounds
    return bound


def edits(sentence: str, library: Library, kind: str) -> list[tuple[str, str]]:
    return [(m.before, m.after) for m in prose_mutations([bound_of(sentence)], library) if m.kind == kind]


def one(sentence: str, library: Library, kind: str, after: str) -> Mutation:
    return next(m for m in prose_mutations([bound_of(sentence)], library) if m.kind == kind and m.after == after)


# --- sentences ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "kind", "wanted"),
    [
        ("takes 1.49 ms", "number", [("1.49", "1.50"), ("1.49", "1.48")]),
        ("takes 0 ms", "number", [("0", "1")]),
        ("28 999 launches", "number", [("28 999", "29 000"), ("28 999", "28 998")]),
        ("at N = 10⁶", "number", [("⁶", "⁷"), ("⁶", "⁵")]),
        ("on `spread-1000`, or BF16", "number", []),
        ("takes 3 µs", "unit", [("µs", "ms"), ("µs", "ns")]),
        ("is 3× that, 4 %", "unit", [("%", "×"), ("×", "\u00a0%")]),
        ("Faster, and no longer", "comparative", [("Faster", "Slower"), ("longer", "shorter")]),
        ("the outlier, overall, is half-over", "comparative", []),
        ("more than half; within 3 %", "comparative", [("more than", "less than"), ("within", "beyond")]),
        (
            "in every cell, all day",
            "quantifier",
            [
                ("in every", "in some"),
                ("every", "hardly any"),
                ("every", "nearly every"),
                ("all", "some"),
                ("all", "most of"),
            ],
        ),
        ("on both sides", "quantifier", [("both", "one of"), ("both", "neither of")]),
        ("twice, and a third of it", "multiple", [("twice", "half"), ("a third", "three times")]),
        ("At most 5 µs, over **3** runs", "limit", [("At most", ""), ("over", "")]),
        ("over all, under the roof", "limit", []),
        (
            "Work stealing is 2× faster than the twin",
            "subject",
            [("Work stealing is 2× faster than the twin", "Faster than work stealing is the twin")],
        ),
        ("It is slower than the twin", "subject", [("It … the twin", "The twin … it")]),
        ("It is slower than `twin`", "subject", []),
        ("the twin beside work stealing", "subject", []),
        (
            "takes 5 µs and is ahead",
            "negation",
            [("takes", "does not take"), ("is", "is not"), ("ahead", "far from ahead")],
        ),
        ("takes part, is level-headed", "negation", []),
        ("is fastest", "rank", [("fastest", "second fastest")]),
        ("takes **5 µs**", "bound", [("takes", "takes over"), ("takes", "takes under"), ("takes", "takes at least")]),
        ("At N = 10⁶", "bound", [("At N =", "Up to N ="), ("At N =", "Below N =")]),
        ("the twin", "arm", [("the twin", "device-side loop"), ("the twin", "one thread per sample")]),
        ("`twin`", "arm", [("twin", "loop_16"), ("twin", "simple")]),
        ("Work stealing and `host`", "order", [("Work stealing … host", "Host … work stealing")]),
        ("a million samples", "value", [("a million", "a thousand"), ("a million", "a hundred thousand")]),
        ("the uniform batch", "value", []),
        ("`uniform`", "value", [("uniform", "spread-100"), ("uniform", "spread-1000")]),
        ("spread-1000", "value", [("spread-1000", "spread-100")]),
        ("On Toy GPU", "device", [("Toy GPU", "Toy Paper"), ("Toy GPU", "Toy CPU")]),
    ],
)
def test_edits_of_words(words: str, kind: str, wanted: list[tuple[str, str]], library: Library) -> None:
    found = edits(f"{words}<!-- claim: stealing -->", library, kind)
    assert sorted(found) == sorted(wanted)


def test_only_the_words_change(library: Library) -> None:
    for mutation in prose_mutations(extracted(PAGE, "page.md"), library):
        mutant = mutation.mutant
        assert mutant.text != mutation.bound.text
        assert replace(mutant, text=mutation.bound.text) == mutation.bound


@pytest.mark.parametrize(
    ("sentence", "kind", "beside"),
    [
        ("faster than all<!-- claim: stealing -->", "comparative", True),
        ("faster than all<!-- claim: stealing -->", "quantifier", True),
        ("faster than all<!-- claim: stealing faster than simple -->", "comparative", False),
        ("faster than all<!-- claim: stealing faster than simple -->", "quantifier", True),
        ("under all<!-- claim: every n: stealing under ? -->", "comparative", False),
        ("under all<!-- claim: every n: stealing under ? -->", "quantifier", False),
    ],
)
def test_words_that_the_claim_is_not_about(sentence: str, kind: str, beside: bool, library: Library) -> None:
    found = {m.beside for m in prose_mutations([bound_of(sentence)], library) if m.kind == kind}
    assert found == {beside}


@pytest.mark.parametrize(
    ("sentence", "kind", "after", "fate"),
    [
        ("510 µs<!-- claim: stealing -->", "number", "511", ("noticed", "")),
        ("1001 launches<!-- claim: launches(stealing) + 1000 -->", "number", "1000", ("equivalent", "rounded")),
        ("1001 launches<!-- claim: launches(stealing) + 1000 -->", "number", "1002", ("noticed", "")),
        ("under 600 µs<!-- claim: stealing under ? -->", "number", "601", ("equivalent", "bound")),
        ("under 600 µs<!-- claim: stealing under ? -->", "unit", "ns", ("noticed", "")),
        (
            "the twin leads<!-- claim: at n=1e3: twin ahead of simple -->",
            "comparative",
            "trails",
            ("noticed", ""),
        ),
        (
            "`twin` and `stealing` are level<!-- claim: at n=1e3: twin level with stealing -->",
            "order",
            "stealing … twin",
            ("noticed", ""),
        ),
        (
            "10, 20, 20 µs: `spread-100`, `spread-1000`, `uniform`<!-- claim: at n=1e3, each config: twin -->",
            "order",
            "uniform … spread-1000",
            ("equivalent", "alike"),
        ),
    ],
)
def test_fates(sentence: str, kind: str, after: str, fate: tuple[str, str], library: Library) -> None:
    judged = judge(one(sentence, library, kind, after), library)
    assert (judged.fate, judged.rule) == fate


def test_a_survivor_is_shown_before_and_after(library: Library) -> None:
    sentence = "However often it is run, and it was run very often, more often than that, it takes 510 µs"
    found = [judge(m, library) for m in prose_mutations([bound_of(f"{sentence}<!-- claim: stealing -->")], library)]
    (left,) = [j for j in found if j.fate == "survived"]
    assert left.mutation.beside
    shown = list(lines(Strength(1, found)))
    assert shown[0] == "Sentences: 8 of 8 (100.0%) false edits are noticed; claims that hold: 1"
    assert "  Not counted, of words that their claim is not about: 0 of 1 (0.0%) noticed" in shown
    assert "  Those included: 8 of 9 (88.9%) are noticed" in shown
    page = "\n".join(page_part(Strength(1, found))).replace("\u00a0", " ")
    assert (
        page
        == """Claims that hold and were tried: 1.

| what is edited | noticed | of | |
| --- | ---: | ---: | ---: |
| a number, by one unit of its last digit | 2 | 2 | 100 % |
| a unit | 2 | 2 | 100 % |
| a negation put in | 1 | 1 | 100 % |
| a number made a bound, or a point a range | 3 | 3 | 100 % |
| **sentences, all of what claims are about** | **8** | **8** | **100 %** |
| comparatives and quantifiers that no claim is about | 0 | 1 | 0.0 % |
| **sentences, those included** | **8** | **9** | **88.9 %** |

<details><summary>1 comparatives and quantifiers that no claim is about and that may be anything</summary>

- page.md:3, comparative: "…wever often it is run, and it was run very often, more often than that, it takes 510 µs" → \
"…wever often it is run, and it was run very often, less often than that, it takes 510 µs"

</details>"""
    )
    assert shown[-2:] == [
        "Not noticed, beside the claims:",
        "  page.md:3: comparative: "
        '"…wever often it is run, and it was run very often, more often than that, it takes 510 µs" → '
        '"…wever often it is run, and it was run very often, less often than that, it takes 510 µs"',
    ]


def strength(library: Library) -> Strength:
    bounds = [o.bound for o in check_text(PAGE, "page.md", library) if o.bound.form == "claim" and o.passes]
    assert len(bounds) == 3
    return Strength(3, [judge(m, library) for m in prose_mutations(bounds, library)])


def test_a_weak_checker_lowers_the_share(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = strength(library)
    assert sound.share == 1
    assert {j.mutation.kind for j in sound.prose} == {*KINDS} - {"bound", "device", "limit", "multiple", "rank"}
    monkeypatch.setattr("perfdocs.claims.evaluate.disagreement", lambda *_: None)
    weak = strength(library)
    assert len(weak.of_claims) == len(sound.of_claims)
    assert weak.share < 0.7
    survived = {j.mutation.kind for j in weak.prose if j.fate == "survived"}
    assert {"arm", "comparative", "quantifier"} <= survived
    assert "number" not in survived


def test_names_are_those_with_measurements(library: Library) -> None:
    known = rings(library, library.benchmarks["toy"])
    (name,) = said("the device-side loop", known)
    assert name.ring.keys[name.index] == "loop_16"
    assert "device-side loop" in name.ring.spellings


# --- data ---------------------------------------------------------------------------------------------------------

AT = (("config", "spread-1000"), ("n", 1_000_000))
STEALING = Datum("toy", "toy-gpu", "main", "stealing", AT, "wall")
SIMPLE = replace(STEALING, arm="simple")


def read(sentence: str, library: Library) -> Reading:
    found = reading(bound_of(sentence), library)
    assert found is not None
    return found


def test_what_a_claim_reads(library: Library) -> None:
    assert read("2.30× faster<!-- claim: stealing faster than simple by ? -->", library).data == (STEALING, SIMPLE)
    rate = read("78.4 GB/s<!-- claim: bandwidth(stealing) -->", library)
    assert [d.metric for d in rate.data] == ["needed", "wall"]
    assert reading(bound_of("520 µs<!-- claim: stealing -->"), library) is None


def test_no_value_is_remembered(library: Library) -> None:
    found = read("510 µs<!-- claim: stealing -->", library)
    assert check_bound(found.bound, library).passes
    for _ in range(2):
        for where in (library, found.library):
            assert not check_bound(found.bound, scaled(STEALING, 1.5, where)).passes
            assert check_bound(found.bound, scaled(STEALING, 1.0001, where)).passes
            assert not check_bound(found.bound, scaled(STEALING, 0.5, where)).passes
            assert check_bound(found.bound, where).passes


def test_the_reduced_library_has_what_is_read_alone(library: Library) -> None:
    found = read("2.30× faster<!-- claim: stealing faster than simple by ? -->", library)
    card = found.library.benchmarks["toy"].card_of("toy-gpu")
    assert card is not None
    assert [m.arm for m in card.card.measurements] == ["stealing", "simple"]


@pytest.mark.parametrize(
    ("sentence", "unnoticed"),
    [
        ("510 µs<!-- claim: stealing -->", set()),
        ("2.30× faster<!-- claim: stealing faster than simple by ? -->", set()),
        ("faster<!-- claim: stealing faster than simple -->", {"+10 %", "−10 %", "+50 %", "−50 %", "devices"}),
    ],
)
def test_changes_of_the_data(sentence: str, unnoticed: set[str], library: Library) -> None:
    found = [read(sentence, library)]
    readers = Readers(found)
    tried = list(changes(found, library))
    left = {c.kind for c in tried if not noticed(c, readers.of(c), library)}
    kinds = {c.kind for c in tried}
    assert kinds == {*DATA_KINDS} - (set() if "simple" in sentence else {"arms"})
    assert left == unnoticed


def test_nothing_is_not_scaled(library: Library) -> None:
    found = read("510 µs<!-- claim: stealing -->", library)
    none = scaled(STEALING, 0.0, library)
    assert {c.kind for c in changes([found], none)} == {"dropped", "devices"}


def test_exchanges(library: Library) -> None:
    arms = Change("arms", (STEALING, SIMPLE)).applied(library)
    assert check_bound(bound_of("510 µs<!-- claim: simple -->"), arms).passes
    assert check_bound(bound_of("1.17 ms<!-- claim: stealing -->"), arms).passes
    devices = (replace(STEALING, device="toy-cpu"), replace(STEALING, device="toy-gpu"))
    swapped = Change("devices", devices).applied(library)
    assert check_bound(bound_of("3.00 ms<!-- claim: host -->"), swapped).passes
    assert check_bound(bound_of("3.00 ms<!-- claim: host[toy-cpu] -->"), library).passes
    assert check_bound(bound_of("15.0 ms<!-- claim: host[toy-cpu] -->"), swapped).passes


# --- margins ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "share"),
    [
        ("510 µs<!-- claim: stealing -->", 510.5 / 510.4 - 1),
        ("0.51 ms<!-- claim: stealing -->", 515 / 510.4 - 1),
        ("under 600 µs<!-- claim: stealing under ? -->", 600 / (510.4 * 1.002) - 1),
        ("the faster<!-- claim: stealing faster than simple -->", 1.002 / 0.998 * 510.4 / 1173 - 1),
    ],
)
def test_margin(sentence: str, share: float, library: Library) -> None:
    found = margin(read(sentence, library))
    assert found.datum is not None
    assert found.share == pytest.approx(share, rel=0.02)
    if found.share is not None:
        past = scaled(found.datum, 1 + found.share, library)
        short = scaled(found.datum, 1 + 0.98 * found.share, library)
        assert not check_bound(found.bound, past).passes
        assert check_bound(found.bound, short).passes


def test_a_margin_never_reached(library: Library) -> None:
    found = margin(read("faster<!-- claim: min(stealing, host) faster than masked[n=1e5, uniform] -->", library))
    assert found.size > 0.5


# --- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_toy(tmp_path / "benchmarks")
    (tmp_path / "README.md").write_text(PAGE + "\nIt takes 9 ms<!-- claim: simple -->.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    return main.main(["mutate", *words], standalone_mode=False)


def test_the_report(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    assert run() == 0
    out, err = capsys.readouterr()
    assert "false edits are noticed; claims that hold: 3" in out  # of the one that fails none is tried
    assert "Data of claims that read 8 data or fewer: " in out
    assert "Margins: how far one datum must move before the claim fails, of 3 claims" in out
    assert "\r" not in out + err
    assert before == {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}


def test_plain_values(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["claims"] == 3
    kinds = told["sentences"]["kinds"]
    assert sum(k["tried"] for k in kinds.values()) == told["sentences"]["tried"]
    assert kinds["number"] == {"noticed": 6, "tried": 6, "equivalent": 0, "share": 1.0}
    assert told["data"]["few"]["kinds"]["devices"]["tried"] == 2
    assert [m["line"] for m in told["margins"]] == [4, 4, 6]


def test_a_part_and_a_sample(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for seed in ("1", "1", "2"):
        assert run("--only", "sentences", "--limit", "5", "--seed", seed, "--format", "json") == 0
        told = json.loads(capsys.readouterr().out)
        assert sum(told["sentences"][k] for k in ("tried", "equivalent")) + told["sentences"]["beside"]["tried"] == 5
        assert not told["margins"]
        shown.append({kind: figures["tried"] for kind, figures in told["sentences"]["kinds"].items()})
    assert shown[0] == shown[1]


def test_too_few_noticed(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--only", "sentences", "--least", "99") == 0
    monkeypatch.setattr("perfdocs.claims.evaluate.disagreement", lambda *_: None)
    capsys.readouterr()
    assert run("--only", "sentences", "--least", "99") == 1
    assert capsys.readouterr().err.splitlines()[-1].endswith("are noticed, less than 99 %")
    assert run("--only", "sentences") == 0
    assert run("--only", "margins", "--least", "99") == 2


def test_interrupted(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("perfdocs.mutate.judging.check_bound", stop)
    assert run() == 130
    assert capsys.readouterr().err.splitlines()[-1] == "perfdocs: interrupted"


def test_a_page_that_cannot_be_read(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "bad.md").write_bytes(b"\xff")
    assert run("bad.md") == 1
    assert "claim-unreadable" in capsys.readouterr().out


def test_strength_of_nothing() -> None:
    nothing = Strength(0)
    assert nothing.share == 1
    assert list(lines(nothing)) == []
    assert listing(nothing)["margins"] == []
