"""The command line: what each command prints and returns, and that no user error ends in a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.conftest import synthetic_card, write_synthetic

import perfdocs.measure.runner
from perfdocs.cardfile import card_schema
from perfdocs.cli import EXIT_CODES, main
from perfdocs.cli.measuring import publish
from perfdocs.cli.pages import documents
from perfdocs.cli.project import find_benchmarks
from perfdocs.errors import PerfdocsError
from perfdocs.extent import deadline_reason
from perfdocs.library import load_library
from perfdocs.measure.failure import Stopped


class Result(SimpleNamespace):
    """Exit code and both streams of one command."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def cli(benchmarks: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in the project that holds the synthetic benchmarks."""
    monkeypatch.chdir(benchmarks.parent)

    def run(*words: str) -> Result:
        code = main.main(list(words), standalone_mode=False)
        out, err = capsys.readouterr()
        assert "Traceback" not in err or "--traceback" in words
        return Result(code=code, out=out, err=err)

    return run


COMMANDS = ("ab", "check", "import", "list", "mutate", "render", "repeat", "run", "schema", "try", "validate")


def test_help_lists_commands_and_exit_codes(cli: Run) -> None:
    shown = cli("--help")
    assert shown.code == 0
    assert all(f"\n  {c} " in shown.out for c in COMMANDS)
    assert all(f"{code:>5}  {about}" in shown.out for code, about in EXIT_CODES.items())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples(cli: Run, command: str) -> None:
    shown = cli(command, "-h")
    assert shown.code == 0
    assert "Examples:\n" in shown.out
    assert f"    perfdocs {command}" in shown.out


def test_help_is_quick_and_needs_no_sphinx() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('sphinx', 'docutils', 'pandas', 'matplotlib', 'lark', 'cupy')));"
        "from perfdocs.cli import main; main(['--help'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Exit codes:" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["run", "--nonsense"],
        ["run", "--device", "tpu"],
        ["list", "--format", "xml"],
        ["run", "--deadline", "-1"],
    ],
)
def test_what_is_not_understood_is_2(cli: Run, words: list[str]) -> None:
    shown = cli(*words)
    assert shown.code == 2
    assert "Error: " in shown.err
    assert shown.out == ""


def test_validate(cli: Run, benchmarks: Path) -> None:
    fine = cli("validate")
    assert (fine.code, fine.out, fine.err) == (0, "", "2 cards, 0 problems\n")
    (benchmarks / "rk4" / "cards" / "broken.json").write_text("{", encoding="utf-8")
    bad = cli("validate")
    assert (bad.code, bad.err) == (1, "3 cards, 1 problem\n")
    assert bad.out == (
        "benchmarks/rk4/cards/broken.json: line 1, column 2: found expecting property name enclosed in double quotes, "
        "expected JSON; the file is cut short or damaged; copy it again [card-syntax]\n"
    )
    told = json.loads(cli("validate", "--format", "json").out)
    assert told["cards"] == 3
    assert [p["code"] for p in told["problems"]] == ["card-syntax"]
    assert set(told["problems"][0]) == {"code", "where", "found", "expected", "do"}


def test_validate_two_files_of_one_device(cli: Run, benchmarks: Path) -> None:
    write_synthetic(benchmarks / "rk4" / "cards" / "again", "made-up-gpu")
    bad = cli("validate")
    assert (bad.code, bad.err) == (1, "3 cards, 1 problem\n")
    assert bad.out.count("\n") == 1


def test_validate_cards_wherever_they_lie(cli: Run, tmp_path: Path) -> None:
    good = write_synthetic(tmp_path / "downloads", "third-gpu")
    other = tmp_path / "downloads" / "fourth-gpu.json"
    other.write_text(json.dumps(synthetic_card("fourth-gpu") | {"benchmark": "rk5"}), encoding="utf-8")
    assert cli("validate", str(good)).code == 0
    bad = cli("validate", str(good), str(other), "nowhere.json")
    assert (bad.code, bad.err) == (1, "3 cards, 2 problems\n")
    first, second = bad.out.splitlines()
    assert 'did you mean "rk4"?' in first
    assert "[unknown-benchmark]" in first
    assert second.startswith("nowhere.json: found no such file or directory")


def test_list(cli: Run, tmp_path: Path) -> None:
    write_synthetic(tmp_path / "build" / "cards" / "rk4", "made-up-gpu")
    shown = cli("list")
    assert shown.code == 0
    assert "rk4: Damped oscillators" in shown.out
    assert "  made-up-gpu: Made Up Gpu, 48 measurements, 2026-11-30, synthetic; benchmarks" in shown.out
    assert "  made-up-gpu-local: Made Up Gpu (this machine, unpublished), 48 measurements" in shown.out
    told = json.loads(cli("list", "--format", "json").out)
    assert told["devices"] == ["made-up-cpu", "made-up-gpu", "made-up-gpu-local"]
    assert [c["published"] for c in told["benchmarks"][0]["cards"]] == [True, True, False]
    assert "persistent" in [a["key"] for a in told["benchmarks"][0]["arms"]]


def test_list_says_where_a_card_is_not_whole(cli: Run, benchmarks: Path) -> None:
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    card = json.loads(path.read_text())
    lost = {"arm": "persistent", "kind": "out_of_time", "reason": deadline_reason(60.0), "table": "main"}
    card["not_run"] = [{**lost, "at": {"config": "uniform-1000", "n": n}} for n in (10, 100)]
    path.write_text(json.dumps(card))
    assert "48 measurements, 2026-11-30, full, 2 cells left out at the deadline, synthetic" in cli("list").out
    told = json.loads(cli("list", "--format", "json").out)
    assert [c["extent"] for c in told["benchmarks"][0]["cards"]] == ["full", "full, 2 cells left out at the deadline"]


def test_list_with_a_problem_shows_the_rest(cli: Run, benchmarks: Path) -> None:
    (benchmarks / "rk4" / "cards" / "broken.json").write_text("{", encoding="utf-8")
    shown = cli("list")
    assert shown.code == 1
    assert "made-up-gpu" in shown.out
    assert "1 problem: see `perfdocs validate`" in shown.err


def test_schema(cli: Run) -> None:
    shown = cli("schema")
    assert shown.code == 0
    assert json.loads(shown.out) == json.loads(json.dumps(card_schema()))


def test_the_project_is_found_from_below_and_by_name(
    cli: Run, benchmarks: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = benchmarks / "rk4" / "cards"
    monkeypatch.chdir(deep)
    assert find_benchmarks() == benchmarks.resolve()
    assert cli("validate").err == "2 cards, 0 problems\n"
    monkeypatch.chdir(tmp_path.parent)
    assert cli("--benchmarks", str(benchmarks), "validate").err == "2 cards, 0 problems\n"
    lost = cli("--benchmarks", "nowhere", "validate")
    assert lost.code == 1
    assert lost.err.startswith("perfdocs: nowhere: found no such folder, expected ")


def test_no_project_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(PerfdocsError) as caught:
        find_benchmarks(start=tmp_path)
    assert caught.value.problem.code == "benchmarks-missing"


def test_render_and_its_check(cli: Run, benchmarks: Path) -> None:
    assert cli("render", "--check").code == 1
    wrote = cli("render")
    assert wrote.code == 0
    generated = benchmarks.parent / "_generated"
    pages = sorted(p.relative_to(generated).as_posix() for p in generated.rglob("*.md"))
    assert any("made-up-gpu" in p for p in pages)
    assert cli("render", "--check").code == 0
    page = next(p for p in generated.rglob("*.md") if "made-up-gpu" in p.name)
    page.write_text(page.read_text(encoding="utf-8") + "\nedited\n", encoding="utf-8")
    told = json.loads(cli("render", "--check", "--format", "json").out)
    assert len(told["problems"]) == 1


def test_check(cli: Run, tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "_build").mkdir(parents=True)
    given = "<!-- given: rk4, made-up-gpu, spread-1000, n=1e6 -->\n\n"
    text = "Work stealing is 2.30×<!-- claim: persistent faster than per_thread by ? --> faster.\n"
    (docs / "page.md").write_text("# T\n\n" + given + text, encoding="utf-8")
    (docs / "_build" / "copy.md").write_text("# T\n\n" + given + text.replace("2.30", "9.99"), encoding="utf-8")
    fine = cli("check")
    assert fine.code == 0, fine.out
    assert fine.err == "1 page, 1 claim, 0 that do not hold\n"
    (docs / "page.md").write_text("# T\n\n" + given + text.replace("2.30", "2.70"), encoding="utf-8")
    bad = cli("check", "docs/page.md")
    assert bad.code == 1
    assert bad.out.startswith("docs/page.md:5: ")
    told = json.loads(cli("check", "--format", "json").out)
    assert [o["line"] for o in told["outcomes"]] == [5]
    assert cli("check", "docs/nowhere.md").err.startswith("perfdocs: docs/nowhere.md: found no such file")


def test_pages_of_hidden_and_build_folders_are_passed_over(tmp_path: Path) -> None:
    for name in ("a.md", "b/c.rst", "_build/d.md", ".git/e.md", "b/_static/f.md", "g.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    found = [p.relative_to(tmp_path).as_posix() for p in documents([tmp_path, tmp_path / "a.md"])]
    assert found == ["a.md", "b/c.rst"]


class Measure:
    """Stands in for the runner: writes a card, or raises, and remembers what it was asked."""

    def __init__(self, *ends: BaseException | None, quick: bool = True) -> None:
        self.ends, self.asked, self.quick = list(ends), list[Any](), quick

    def __call__(self, folder: Path, options: Any) -> list[Path]:
        self.asked.append((folder.name, options))
        end = self.ends.pop(0) if self.ends else None
        if end is not None:
            raise end
        name = "fresh-gpu" if options.as_name is None else f"fresh-gpu-{options.as_name}"
        path = write_synthetic(options.out / folder.name, name)
        text = path.read_text(encoding="utf-8").replace(
            '"ramp": 0.5', f'"ramp": 0.5, "quick": {str(self.quick).lower()}'
        )
        path.write_text(text, encoding="utf-8")
        return [path]


@pytest.fixture
def runnable(benchmarks: Path) -> Path:
    """The benchmark with something to run."""
    (benchmarks / "rk4" / "workload.py").write_text("", encoding="utf-8")
    return benchmarks


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch, runnable: Path) -> Callable[..., Measure]:
    """Put a stand-in in the place of the runner."""

    def put(*ends: BaseException | None, quick: bool = True) -> Measure:
        fake = Measure(*ends, quick=quick)
        monkeypatch.setattr(perfdocs.measure.runner, "run", fake)
        return fake

    return put


def test_run_passes_its_options_on(cli: Run, measure: Callable[..., Measure], tmp_path: Path) -> None:
    fake = measure()
    words = [
        "--full",
        "--only",
        "rk4",
        "--arm",
        "eager",
        "--arm",
        "graph",
        "--n",
        "1000",
        "--n",
        "1e4",
        "--at",
        "config=spread-100",
    ]
    done = cli(
        "run", *words, "--device", "gpu", "--as", "lab2", "--gate-budget", "5", "--fresh", "--close", "--deadline", "60"
    )
    assert done.code == 0, done.err
    ((name, options),) = fake.asked
    assert name == "rk4"
    assert (options.full, options.arms, options.devices, options.as_name) == (True, ("eager", "graph"), "gpu", "lab2")
    assert options.at == {"n": (1000, 10_000), "config": ("spread-100",)}
    assert (options.gate_budget, options.fresh, options.close) == (5, True, True)
    assert 59 < options.deadline <= 60
    assert options.out == tmp_path / "build" / "cards"
    assert done.out == str(Path("build", "cards", "rk4", "fresh-gpu-lab2.json")) + "\n"


def test_run_is_quick_by_default_and_tells_a_tool(cli: Run, measure: Callable[..., Measure]) -> None:
    fake = measure()
    told = json.loads(cli("run", "--format", "json").out)
    assert told["cards"] == [
        {"benchmark": "rk4", "device": "fresh-gpu", "path": "build/cards/rk4/fresh-gpu.json", "published": False}
    ]
    assert fake.asked[0][1].full is False
    assert fake.asked[0][1].devices == "auto"


@pytest.mark.parametrize(
    ("end", "code", "line"),
    [
        (Stopped("interrupted: 3 measurements are kept", 130), 130, "perfdocs: interrupted: 3 measurements are kept\n"),
        (Stopped("stopped at the deadline", 3), 3, "perfdocs: stopped at the deadline\n"),
        (KeyboardInterrupt(), 130, "perfdocs: interrupted\n"),
        (
            PerfdocsError("bad", "here", "this", "that", "do so"),
            1,
            "perfdocs: here: found this, expected that; do so [bad]\n",
        ),
    ],
)
def test_run_that_ends_early(
    cli: Run, measure: Callable[..., Measure], end: BaseException, code: int, line: str
) -> None:
    measure(end)
    done = cli("run")
    assert (done.code, done.out) == (code, "")
    assert done.err.lstrip("\n") == line


def test_an_unexpected_error_is_one_line_and_can_be_shown(cli: Run, measure: Callable[..., Measure]) -> None:
    measure(RuntimeError("odd\nthing"), RuntimeError("odd"))
    done = cli("run")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert done.err.startswith("perfdocs: unexpected RuntimeError: odd\N{REPLACEMENT CHARACTER}thing; this is a fault")
    assert "--traceback" in done.err
    shown = cli("--traceback", "run")
    assert "Traceback (most recent call last)" in shown.err


def test_a_full_disk_is_one_line(cli: Run, measure: Callable[..., Measure]) -> None:
    measure(OSError(28, "No space left on device", "build/cards/x.json"))
    done = cli("run")
    assert done.code == 1
    assert done.err.startswith("perfdocs: build/cards/x.json: found no space left on device, expected ")
    assert "fault" not in done.err


def test_publish_moves_the_card_and_renders(cli: Run, measure: Callable[..., Measure], runnable: Path) -> None:
    measure()
    done = cli("run", "--publish")
    assert done.code == 0, done.err
    assert (runnable / "rk4" / "cards" / "fresh-gpu.json").is_file()
    assert not (runnable.parent / "build" / "cards" / "rk4" / "fresh-gpu.json").exists()
    assert done.out == "benchmarks/rk4/cards/fresh-gpu.json\n"
    assert cli("render", "--check").code == 0
    assert cli("validate").err == "3 cards, 0 problems\n"


def test_publish_takes_the_place_of_the_same_device_wherever_it_lies(
    cli: Run, measure: Callable[..., Measure], runnable: Path
) -> None:
    old = write_synthetic(runnable / "rk4" / "cards" / "lab", "fresh-gpu", factor=3.0)
    before = old.read_bytes()
    measure(quick=False)
    assert cli("run", "--publish").code == 0
    assert old.read_bytes() != before
    assert cli("validate").err == "3 cards, 0 problems\n"


def test_a_quick_card_never_replaces_a_full_one(cli: Run, measure: Callable[..., Measure], runnable: Path) -> None:
    old = write_synthetic(runnable / "rk4" / "cards", "fresh-gpu", factor=3.0)
    before = old.read_bytes()
    measure(quick=True)
    done = cli("run", "--publish")
    assert done.code == 1
    assert "[publish-quick]" in done.err
    assert old.read_bytes() == before
    assert (runnable.parent / "build" / "cards" / "rk4" / "fresh-gpu.json").is_file()


@pytest.mark.parametrize("words", [["--arm", "eager"], ["--n", "1000"], ["--at", "config=spread-100"]])
def test_parts_of_a_card_are_not_published(cli: Run, measure: Callable[..., Measure], words: list[str]) -> None:
    fake = measure()
    assert cli("run", "--publish", *words).code == 2
    assert fake.asked == []


def test_a_card_cut_short_never_replaces_one_that_lacks_less(benchmarks: Path, tmp_path: Path) -> None:
    old = write_synthetic(benchmarks / "rk4" / "cards", "fresh-gpu", factor=3.0)
    before, path = old.read_bytes(), write_synthetic(tmp_path, "fresh-gpu")
    card = json.loads(path.read_text(encoding="utf-8"))
    cut = {"arm": "eager", "kind": "out_of_time", "reason": deadline_reason(60.0), "table": "main"}
    path.write_text(json.dumps(card | {"not_run": [cut]}), encoding="utf-8")
    benchmark = load_library(benchmarks).benchmarks["rk4"]
    with pytest.raises(PerfdocsError, match=r"1 cell left out at its deadline.*publish-cut"):
        publish(path, benchmark)
    assert old.read_bytes() == before
    assert path.exists()
    old.unlink()
    assert publish(path, load_library(benchmarks).benchmarks["rk4"]).is_file()  # better than none


def test_publish_refuses_a_card_that_is_not_valid(benchmarks: Path, tmp_path: Path) -> None:
    path = write_synthetic(tmp_path, "fresh-gpu")
    path.write_text(path.read_text(encoding="utf-8").replace("persistent", "persistant"), encoding="utf-8")
    with pytest.raises(PerfdocsError, match="unknown-arm"):
        publish(path, load_library(benchmarks).benchmarks["rk4"])
    assert path.exists()


def test_run_names_what_it_does_not_know(cli: Run, measure: Callable[..., Measure], runnable: Path) -> None:
    measure()
    done = cli("run", "--only", "rk5")
    assert done.code == 1
    assert 'did you mean "rk4"?' in done.err
    assert "[bad-filter]" in cli("run", "--at", "config").err
    (runnable / "rk4" / "benchmark.toml").write_text("id = ", encoding="utf-8")
    broken = cli("run", "--only", "rk4")
    assert "[definition-syntax]" in broken.err
    assert "[benchmarks-missing]" in cli("run").err


def test_a_reader_that_leaves_is_no_error(benchmarks: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "perfdocs", "schema"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False, cwd=benchmarks.parent)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


def test_an_interrupt_while_the_command_line_is_loaded_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    done = subprocess.run(
        [sys.executable, "-c", "from perfdocs.__main__ import run\nrun()"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "perfdocs: interrupted\n")
