"""`perfdocs try`: what it says of a card is what the build says once the card is in its place; it touches nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.claims.test_claims import ALL, PREFIX
from tests.claims.toy import card as toy_card
from tests.claims.toy import cpu_card, gpu_card, write_toy
from tests.conftest import PROJECT, slow, synthetic_card

import perfdocs.claims.check
from perfdocs.claims.model import Bound, Outcome, Status, Tally
from perfdocs.cli import main
from perfdocs.cli.differences import lines, listing
from perfdocs.errors import Problem
from perfdocs.frame import rows
from perfdocs.library import Library, load_library
from perfdocs.render.fastest import statement
from perfdocs.render.points import ruler
from perfdocs.whatif import ClaimChange, Difference, Effect, claim_changes, page_changes, winner_changes

Json = dict[str, Any]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def told(self) -> Json:
        found: Json = json.loads(self.out)
        return found


Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command in the temporary folder."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> Result:
        code = main.main(list(words), standalone_mode=False)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Result(code, out, err)

    return command


def some_of_each_kind() -> list[str]:
    """Every sixth of the worked examples of claims, and the first of every outcome of each file of them."""
    chosen: list[str] = []
    seen: set[tuple[str, ...]] = set()
    for place, (file, _, given, expected) in enumerate(ALL):
        kinds = {(file, *found) for found in re.findall(r"^\d+ (\w+)(?: \[([\w-]+)\])?", expected, re.MULTILINE)}
        if place % 6 == 0 or not kinds <= seen:
            chosen.append(given)
            seen |= kinds
    return chosen


@pytest.fixture
def toy(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A project of made-up cards whose pages are worked examples of claims, true and false; all in slow tests."""
    write_toy(tmp_path / "benchmarks")
    docs = tmp_path / "docs"
    docs.mkdir()
    every = request.node.get_closest_marker("slow")
    for i, given in enumerate([given for *_, given, _ in ALL] if every else some_of_each_kind()):
        (docs / f"example-{i:03}.md").write_text(PREFIX + given, encoding="utf-8")
    later = "Work stealing takes 510 µs<!-- claim: at toy, spread-1000, n=1e6, main, toy-new: stealing -->.\n"
    (docs / "later.md").write_text(f"# Later\n\n<!-- given: toy-new -->\n\n{later}", encoding="utf-8")
    return tmp_path


def put(folder: Path, content: Json, name: str = "a card (1).json") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def slower(content: Json, arm: str, factor: float) -> Json:
    """The same card with one arm at another speed."""
    for m in content["measurements"]:
        if m["arm"] == arm:
            m["wall"] = [w * factor for w in m["wall"]]
    return content


def renamed(content: Json, device: str, **facts: Any) -> Json:
    content["device"] |= {"id": device, "name": device.replace("-", " ").title()} | facts
    return content


def only(content: Json, arms: set[str]) -> Json:
    content["measurements"] = [m for m in content["measurements"] if m["arm"] in arms]
    return content


CARDS: dict[str, Json] = {
    "an arm is slower": slower(gpu_card(), "stealing", 2.5),
    "an arm is a little slower": slower(gpu_card(), "stealing", 1.01),
    "arms are gone": only(gpu_card(), {"stealing", "host"}),
    "one arm is left": only(gpu_card(), {"stealing"}),
    "another CPU": slower(cpu_card(), "host", 3.0),
    "a new device": renamed(gpu_card(), "toy-new"),
    "a new device of a known name": renamed(gpu_card(), "toy-new", name="toy gpu"),
    "a new name for a known device": renamed(gpu_card(), "toy-gpu", name="Toy CPU"),
    "a device of a few arms": toy_card("toy-new", only(gpu_card(), {"host"})["measurements"]),
    "the same again": gpu_card(),
}


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


FACTS = ("status", "code", "found", "expected", "do")


def plain(text: str | None) -> str | None:
    """With plain spaces, as a terminal has them."""
    return text and re.sub("[\u00a0\u202f\u2009]", " ", text)


def facts(outcome: Json) -> list[str | None]:
    return [plain(outcome[key]) for key in FACTS]


def key_of(outcome: Json) -> tuple[Any, ...]:
    return outcome["file"], outcome["line"], outcome["claim"], plain(" ".join(outcome["text"].split()))


def failing(run: Run) -> dict[tuple[Any, ...], list[str | None]]:
    """What `perfdocs check` finds, by place and claim."""
    found = run("check", "--format", "json").told["outcomes"]
    keyed = {key_of(o): facts(o) for o in found}
    assert len(keyed) == len(found)
    return keyed


def leaders(library: Library) -> dict[tuple[Any, ...], Any]:
    """Who leads at each point of each card that has more than one arm there: made anew, point by point."""
    found = {}
    for key, b in library.benchmarks.items():
        for card in b.cards:
            for table in b.definition.tables:
                by, points = ruler(b.definition, table), rows(b, card, table)
                if by is None or len({r.arm for r in points}) < 2:
                    continue
                for at in {tuple(r.at.items()) for r in points}:
                    said = statement(b.definition, [r for r in points if tuple(r.at.items()) == at], by)
                    if said is not None:
                        found[key, card.device_id, table, at] = said.kind, frozenset(said.arms)
    return found


QUICK = ("an arm is slower", "arms are gone", "a new device", "a new name for a known device")


@pytest.mark.parametrize("name", [*QUICK, *slow(*(name for name in CARDS if name not in QUICK))])
def test_the_answer_is_that_of_the_build(run: Run, toy: Path, name: str) -> None:
    path = put(toy / "downloads", CARDS[name])
    run("render")
    failed, led, tree = failing(run), leaders(load_library(toy / "benchmarks")), contents(toy)
    answer = run("try", str(path), "--format", "json")
    assert contents(toy) == tree, "something was written"
    told = answer.told
    relative = told["cards"][0]["target"]
    target = toy / relative
    assert target == toy / "benchmarks" / "toy" / "cards" / f"{CARDS[name]['device']['id']}.json"
    shutil.copy(path, target)
    assert run("validate").code == 0

    # the claims that fail now are those that failed, with the changes that were told
    now, foretold = failing(run), dict(failed)
    for listed in told["claims"]:
        before = foretold.pop(key_of(listed), None)
        assert (listed["before"] in ("holds", None)) if before is None else (listed["before"] == before[0])
        if listed["status"] not in ("holds", None):
            foretold[key_of(listed)] = facts(listed)
    assert foretold == now
    spoiled = {key_of(o) for o in told["claims"] if o["before"] == "holds"} & now.keys()
    effects = [o["effect"] for o in told["claims"]]
    assert len(spoiled) == effects.count("breaks") + effects.count("undecided")
    assert answer.code == int(bool(spoiled))
    assert told["spoils"] == bool(spoiled)

    after = leaders(load_library(toy / "benchmarks"))
    said = {(w["benchmark"], w["device"], w["table"], tuple(w["at"].items())): w for w in told["fastest"]}
    assert said.keys() == {key for key in led.keys() | after.keys() if led.get(key) != after.get(key)}
    for key, winner in said.items():
        for told_of, true in ((winner["before"], led.get(key)), (winner["after"], after.get(key))):
            assert (told_of and (told_of["kind"], frozenset(told_of["arms"]))) == true

    written = run("render", "--format", "json").told["changed"]
    assert sorted(page["path"] for page in told["generated"]) == sorted(written)
    again = run("try", str(path))
    assert (again.code, again.out.splitlines()[0]) == (0, f"toy on {target.stem}: the card that is there, {relative}")


def test_only_what_a_card_touches_is_checked_twice(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = load_library(toy / "benchmarks")
    after = load_library(toy / "benchmarks", instead={cards(toy) / "toy-cpu.json": encoded(CARDS["another CPU"])})
    checked: dict[int, list[Bound]] = {id(before): [], id(after): []}
    one = perfdocs.claims.check._outcome

    def counting(bound: Bound, library: Library, *, brief: bool) -> Outcome:
        checked[id(library)].append(bound)
        return one(bound, library, brief=brief)

    monkeypatch.setattr(perfdocs.claims.check, "_outcome", counting)
    claim_changes(texts(toy), before, after)
    asked = [b for b in checked[id(before)] if ("toy", "toy-cpu") in one(b, before).uses]
    assert checked[id(after)] == asked
    assert 0 < len(asked) < len(checked[id(before)]) / 5


def test_a_given_that_breaks_takes_its_claims_along(toy: Path) -> None:
    old = load_library(toy / "benchmarks")
    new = load_library(toy / "benchmarks", instead={cards(toy) / "toy-new.json": encoded(CARDS["a new device"])})
    page = {"later.md": (toy / "docs" / "later.md").read_text(encoding="utf-8")}
    told = {
        back: [c.effect for c in claim_changes(page, *pair)[1]] for back, pair in ((0, (old, new)), (1, (new, old)))
    }
    assert told == {0: [Effect.TRUE, Effect.TRUE], 1: [Effect.BREAKS, Effect.UNCHECKED]}
    assert {p.change for p in page_changes(new, old)[1]} == {"gone", "changed"}
    points, changes = winner_changes(new, old)
    assert points == len(changes) == 15
    assert all(w.after is None and w.before is not None for w in changes)


def test_another_definition_is_checked_whole(toy: Path) -> None:
    old = load_library(toy / "benchmarks")
    toml = toy / "benchmarks" / "toy" / "benchmark.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace('better = "lower"', 'better = "higher"', 1), encoding="utf-8")
    count, changes = claim_changes(texts(toy), old, load_library(toy / "benchmarks"))
    assert {c.effect for c in changes} >= {Effect.BREAKS}
    assert count.claims > len(changes)


def texts(toy: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((toy / "docs").glob("*.md"))}


def cards(toy: Path) -> Path:
    return toy / "benchmarks" / "toy" / "cards"


def encoded(content: Json) -> bytes:
    return json.dumps(content).encode()


PAGE = """# Toy

<!-- given: toy, toy-gpu, main, spread-1000, n=1e6 -->

Work stealing takes 510 µs<!-- claim: stealing -->. It is faster than the twin<!-- claim: stealing faster than twin -->.
The twin takes 522 µs<!-- claim: twin -->. One thread per sample takes 300 µs<!-- claim: simple -->.
"""


@pytest.fixture
def small(toy: Path) -> Path:
    """The same project with one short page."""
    shutil.rmtree(toy / "docs")
    (toy / "docs").mkdir()
    (toy / "docs" / "page.md").write_text(PAGE, encoding="utf-8")
    return toy


def test_the_text(run: Run, small: Path, tmp_path: Path) -> None:
    changed = slower(slower(gpu_card(), "stealing", 1.0206), "simple", 300 / 1173)
    answer = run("try", str(put(small / "downloads", changed)))
    assert answer.code == 1
    (tmp_path / "out.txt").write_text(answer.out, encoding="utf-8")
    assert answer.out == (PROJECT / "tests" / "data" / "try.txt").read_text(encoding="utf-8")
    assert answer.err == ""


def test_nothing_breaks(run: Run, small: Path) -> None:
    (small / "docs" / "page.md").write_text(PAGE.replace("takes 300 µs", "takes 1.17 ms"), encoding="utf-8")
    answer = run("try", str(put(small / "downloads", CARDS["a new device"])))
    assert answer.code == 0
    first, _, claims, _, fastest, *_ = answer.out.splitlines()
    assert first == "toy on toy-new: a new card, full, 64 measurements; it would be benchmarks/toy/cards/toy-new.json"
    assert (claims, fastest) == ("claims: none changes; 4 claims in all", "fastest: 15 new; 15 points in all")
    assert "    and 5 more (--all)\n" in answer.out
    assert "  _generated/toy/toy-new.md: new\n" in answer.out
    whole = run("try", str(small / "downloads" / "a card (1).json"), "--all").out
    assert "more (--all)" not in whole
    assert len(whole.splitlines()) == len(answer.out.splitlines()) + 4


def test_what_a_page_includes_is_looked_at_as_well(run: Run, small: Path) -> None:
    page = small / "docs" / "page.md"
    (small / "docs" / "part.txt").write_text(page.read_text(encoding="utf-8"), encoding="utf-8")
    changed = slower(gpu_card(), "stealing", 1.0206)
    whole = run("try", str(put(small / "downloads", changed)))
    page.write_text("# Page\n\n```{include} part.txt\n```\n", encoding="utf-8")
    included = run("try", str(small / "downloads" / "a card (1).json"))
    assert included.code == whole.code == 1
    assert "part.txt" in included.out
    told = [next(line for line in r.out.splitlines() if line.startswith("claims:")) for r in (whole, included)]
    assert told[0] == told[1]


def test_problems_that_are_there_are_not_the_card_s(run: Run, small: Path) -> None:
    (cards(small) / "broken.json").write_text("{", encoding="utf-8")
    (small / "docs" / "page.md").write_bytes(b"\xff")
    answer = run("try", str(put(small / "downloads", CARDS["a new device"])))
    assert answer.code == 0
    assert answer.err == "2 problems with and without: see `perfdocs validate` and `perfdocs check`\n"


def test_a_card_mends_the_one_in_its_place(run: Run, small: Path) -> None:
    (cards(small) / "toy-new.json").write_text("{", encoding="utf-8")
    answer = run("try", str(put(small / "downloads", CARDS["a new device"])), "--format", "json")
    assert answer.code == 0
    assert [p["code"] for p in answer.told["mended"]] == ["card-syntax"]


def test_several_cards_are_tried_together(run: Run, small: Path) -> None:
    first = put(small / "downloads", CARDS["a new device"], "1.json")
    second = put(small / "downloads", CARDS["another CPU"], "2.json")
    told = run("try", str(first), str(second), "--format", "json").told
    assert [(c["device"], c["new"]) for c in told["cards"]] == [("toy-new", True), ("toy-cpu", False)]
    shutil.copy(first, cards(small) / "toy-new.json")
    assert "toy-cpu: full, 4 measurements, in the place of" in run("try", str(first), str(second)).out
    twice = run("try", str(first), str(put(small / "downloads", CARDS["a new device"], "3.json")))
    assert (twice.code, twice.out) == (1, "")
    assert twice.err.startswith(f'perfdocs: downloads{os.sep}3.json: found the device "toy-new", which downloads')


def test_the_card_lies_where_that_of_its_device_lies(run: Run, small: Path) -> None:
    (cards(small) / "lab").mkdir()
    (cards(small) / "toy-gpu.json").rename(cards(small) / "lab" / "toy-gpu.json")
    path = str(put(small / "downloads", CARDS["an arm is slower"]))
    (card,) = run("try", path, "--format", "json").told["cards"]
    assert card["target"] == str(Path("benchmarks", "toy", "cards", "lab", "toy-gpu.json"))
    put(cards(small), gpu_card(), "toy-gpu.json")
    kept_out = run("try", path)
    assert (kept_out.code, kept_out.out) == (1, "")
    assert kept_out.err.endswith("`perfdocs validate` names them [card-two-files]\n")


def test_a_second_run_that_is_none_any_more(run: Run, benchmarks: Path) -> None:
    folder = benchmarks / "rk4"
    again = synthetic_card("made-up-gpu", factor=1.07) | {"recorded": "2026-12-01T12:00:00Z"}
    put(folder / "repeats", again, "made-up-gpu.json")
    assert run("render").code == 0
    path = put(benchmarks.parent / "downloads", again)
    answer = run("try", str(path), "--format", "json")
    assert (answer.code, answer.told["spoils"]) == (1, True)
    assert [p["code"] for p in answer.told["problems"]] == ["repeat-same"]
    assert "problems: 1 new, 0 mended\n  benchmarks" in run("try", str(path)).out
    shutil.copy(path, folder / "cards" / "made-up-gpu.json")
    assert run("validate", "--format", "json").told["problems"] == answer.told["problems"]
    changed = run("render", "--format", "json").told["changed"]
    assert sorted(changed) == sorted(page["path"] for page in answer.told["generated"])


def test_a_second_run_more_changes_a_page(benchmarks: Path) -> None:
    old = load_library(benchmarks)
    again = synthetic_card("made-up-gpu", factor=1.07) | {"recorded": "2026-12-01T12:00:00Z"}
    put(benchmarks / "rk4" / "repeats", again, "made-up-gpu.json")
    assert [p.name for p in page_changes(old, load_library(benchmarks))[1]] == ["rk4/README.md"]


def test_devices_told_apart_change_pages_of_other_benchmarks(run: Run, small: Path) -> None:
    other = small / "benchmarks" / "tui"
    shutil.copytree(small / "benchmarks" / "toy", other)
    (other / "benchmark.toml").write_text((other / "benchmark.toml").read_text().replace('"toy"', '"tui"', 1))
    for path in (other / "cards").iterdir():
        path.unlink()
    path = put(small / "downloads", renamed(gpu_card() | {"benchmark": "tui"}, "toy-new", name="toy cpu"))
    run("render")
    told = run("try", str(path), "--format", "json").told
    shutil.copy(path, put(other / "cards", {}, "toy-new.json"))
    changed = run("render", "--format", "json").told["changed"]
    assert str(Path("_generated", "toy", "toy-cpu.md")) in changed
    assert sorted(changed) == sorted(page["path"] for page in told["generated"])


def test_statements_without_some_arms(run: Run, benchmarks: Path) -> None:
    content = synthetic_card("made-up-new")
    for m in [m for m in content["measurements"] if m["arm"] == "persistent"]:
        content["measurements"].append(m | {"arm": "longest_first", "wall": [w / 2 for w in m["wall"]]})
    told = run("try", str(put(benchmarks.parent / "downloads", content)), "--format", "json").told["fastest"]
    arms = {
        scope: {tuple(w["after"]["arms"]) for w in told if w["scope"] == scope} for scope in {w["scope"] for w in told}
    }
    assert arms == {"": {("longest_first",)}, "without known stop steps": {("persistent",)}}


# --- strangers -----------------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[str | bytes, str]] = {
    "cut short": (json.dumps(gpu_card())[:500], "card-syntax"),
    "no text": (b"\xff\xfe", "card-syntax"),
    "a list": ("[]", "card-type"),
    "nothing": ("", "card-syntax"),
    "no card": ("{}", "card-schema"),
    "deep": ("[" * 100_000, "card-depth"),
    "not a number": (json.dumps(gpu_card()).replace("[1", "[NaN, 1", 1), "card-number"),
    "another benchmark": (json.dumps(gpu_card() | {"benchmark": "toys"}), "unknown-benchmark"),
    "a path as benchmark": (json.dumps(gpu_card() | {"benchmark": "../toy"}), "card-value"),
    "a path as id": (json.dumps(renamed(gpu_card(), "../../toy-gpu", name="x")), "card-value"),
    "a word of claims as id": (json.dumps(renamed(gpu_card(), "stealing")), "card-id-taken"),
    "another arm": (json.dumps(gpu_card()).replace('"twin"', '"\\u001b[31mtwin"', 1), "card-"),
    "another version": (json.dumps(gpu_card() | {"version": 2}), "card-version"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_card_that_is_refused_is_one_line(run: Run, small: Path, name: str) -> None:
    content, code = REFUSED[name]
    path = small / "a card.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    answer = run("try", "a card.json", "--format", "json")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("perfdocs: a card.json: ")
    assert answer.err.count("\n") == 1
    assert answer.err[:-1].isprintable()
    assert f"[{code}" in answer.err, answer.err


def test_what_is_no_plain_file_is_refused(run: Run, small: Path) -> None:
    (small / "here").mkdir()
    (small / "here" / "link.json").symlink_to(cards(small) / "toy-gpu.json")
    for name, code in (("here/link.json", "card-outside"), ("here", "card-unreadable"), ("nowhere", "card-unreadable")):
        answer = run("try", name)
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith(f"perfdocs: {name}: found ")
        assert f"[{code}]" in answer.err
    assert run("try").code == 2


def test_all_that_is_printed_is_cleaned(small: Path) -> None:
    bad = "\x1b[31m\u202e\nx"
    bound = Bound("page.md", 1, bad, bad, bad)
    outcome = Outcome(bound, Status.FAILS, Problem("claim-number", "page.md:1", bad, bad, bad), bad)
    change = ClaimChange(Effect.BREAKS, bound, Outcome(bound, Status.HOLDS, None, bad), outcome)
    held = ClaimChange(Effect.TRUE, bound, None, Outcome(bound, Status.HOLDS, None, bad))
    problem = Problem("x", bad, bad, bad, bad)
    found = Difference((change, held), (), (), (problem,), (problem,), Tally(2), 0, 0)
    library = load_library(small / "benchmarks")
    for line in lines([], found, library, small, whole=False):
        assert line.isprintable()
    told = listing([], found, library, small)
    assert [told["claims"][0]["found"], told["problems"][0]["do"]] == ["\ufffd[31m\ufffd\ufffdx"] * 2
    texts_of = [v for part in ("claims", "problems", "mended") for entry in told[part] for v in entry.values()]
    assert all(v.isprintable() for v in texts_of if isinstance(v, str))
