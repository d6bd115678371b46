"""Cells measured in fresh processes: real ones on the toy benchmark, and a fake one for what surrounds them."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.lacking import needs_children

from perfdocs.card import Card, Measurement
from perfdocs.cardfile import read_card
from perfdocs.errors import PerfdocsError
from perfdocs.measure.__main__ import main
from perfdocs.measure.arm import How, Point, Reason, Task
from perfdocs.measure.failure import Stopped
from perfdocs.measure.fresh import Answer, Reply, Request, ask, caches
from perfdocs.measure.options import Options
from perfdocs.measure.runner import listing

from .fakes import fake_edges

COLD: Point = {"n": 10, "start": "cold"}
WARM: Point = {"n": 10, "start": "warm"}


def tasks_of(toy: SimpleNamespace, *tasks: Task) -> None:
    toy.workload.tasks = lambda kind, quick: list(tasks)


def arm(toy: SimpleNamespace, name: str, prepare: str = "", run: str = "", top: str = "") -> None:
    """Write the code of an arm of the toy, which a fresh process reads."""
    (toy.folder / "arms" / f"{name}.py").write_text(
        f"import os, signal, subprocess, sys, time\nfrom pathlib import Path\n{top}\n"
        "from perfdocs.measure.arm import Cannot\nfrom ..workload import Arm\n"
        f"class Mine(Arm):\n    def run(self):\n        {run or 'pass'}\n        super().run()\n"
        f"def prepare(problem, context):\n    {prepare or 'pass'}\n    return Mine({name!r}, problem)\n"
    )


def request(toy: SimpleNamespace, how: How, *points: Point, name: str = "good", **more: Any) -> Request:
    build = toy.out / "build"
    build.mkdir(parents=True, exist_ok=True)
    return Request(how, toy.folder, name, points or ({"n": 10},), "cpu", build, build, 1, **more)


def found(card: Card, table: str) -> dict[tuple[str, ...], Measurement]:
    return {(m.arm, *map(str, m.at.values())): m for m in card.measurements if m.table == table}


def refused(reply: Reply) -> list[tuple[str, str] | None]:
    return [answer.refused for answer in reply.answers]


# --- real processes


def test_cold_finds_empty_caches_and_warm_finds_them_filled(toy: SimpleNamespace) -> None:
    """The arm takes 50 ms longer where its cache is empty, and says which caches it saw."""
    log = toy.out / "seen"
    arm(
        toy,
        "good",
        prepare=f"""cache = Path(os.environ["CUPY_CACHE_DIR"])
    cold = not cache.exists() and not (context.build / "x").exists()
    open({str(log)!r}, "a").write(f"{{os.getpid()}} {{cache}} {{cold}}\\n")
    cache.mkdir(exist_ok=True); (context.build / "x").touch()
    time.sleep(0.05 if cold else 0)""",
        top="PACKAGES = ('json',)\nif 'json' not in sys.modules: raise RuntimeError",
    )
    toy.out.mkdir()
    tasks_of(toy, Task("startup", COLD, "compile"), Task("startup", WARM, "compile"))
    card = toy.measure("good", fresh_runs=2)
    cells = found(card, "startup")
    cold, warm = (cells["good", "10", start].values["ready"] for start in ("cold", "warm"))
    assert isinstance(cold, tuple)
    assert isinstance(warm, tuple)
    assert len(cold) == len(warm) == 2
    assert min(cold) > 0.05 > max(warm) > 0
    lines = [line.split() for line in log.read_text().splitlines()]
    assert [line[2] for line in lines] == ["True", "False", "True", "False"]
    assert len({line[0] for line in lines}) == 4
    assert lines[0][1] == lines[1][1] != lines[2][1]
    assert not Path(lines[0][1]).exists()
    assert set(cells["good", "10", "cold"].values) == {"ready"}
    assert not card.not_run


def test_no_file_of_the_working_folder_runs_in_a_fresh_process(
    toy: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    (work / "perfdocs").mkdir(parents=True)
    for name in ("json.py", "perfdocs/__init__.py"):
        (work / name).write_text("raise SystemExit(9)")
    monkeypatch.chdir(work)
    reply = ask(request(toy, "memory"), 60)
    assert refused(reply) == [None]


def test_the_packages_are_imported_before_the_clock_starts(toy: SimpleNamespace) -> None:
    (toy.folder / "slow_package.py").write_text("import time\ntime.sleep(0.3)\n")
    arm(toy, "good", prepare="import slow_package", top=f"sys.path.append({str(toy.folder)!r})")
    (late,) = ask(request(toy, "compile", COLD), 60).answers
    arm(
        toy,
        "good",
        prepare="import slow_package",
        top=f"sys.path.append({str(toy.folder)!r})\nPACKAGES = ('slow_package',)",
    )
    (early,) = ask(request(toy, "compile", COLD), 60).answers
    assert late.values["ready"] > 0.3 > early.values["ready"]  # type: ignore[operator] # numbers


def test_memory_is_the_growth_of_the_peak_and_the_result_is_verified(toy: SimpleNamespace) -> None:
    grow, free = 64 * 2**20, 200 * 2**20
    arm(toy, "good", run=f"bytearray(b'x' * {grow})", top=f"x = bytearray(b'x' * {free}); del x")
    tasks_of(toy, Task("memory", {"n": 10}, "memory"))
    one = found(toy.measure("good"), "memory")["good", "10"]
    bytes_ = one.values["host_memory"]
    assert isinstance(bytes_, float)
    # the copy made by bytearray comes on top; what was freed before `prepare` is no part of it
    assert grow <= bytes_ < 2 * grow + 2**23
    assert one.values["elements"] == 10
    assert "max_difference" not in one.values  # it stands beside the times of the same point
    assert "wall" not in one.values


@pytest.mark.parametrize("how", ["compile", "memory"])
def test_a_wrong_result_has_no_numbers(toy: SimpleNamespace, how: How) -> None:
    point = COLD if how == "compile" else {"n": 10}
    reply = ask(request(toy, how, point, name="wrong"), 60)
    assert refused(reply) == [("failed_verification", "a square differs from the reference by 1")]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("raise Cannot('unsupported', 'not on this day')", "unsupported", "not on this day"),
        ("raise ModuleNotFoundError(name='no_such')", "not_installed", "no_such is not installed"),
        ("raise MemoryError", "out_of_memory", "not enough memory"),
        ("raise RuntimeError('at /home/somebody/x')", "error", "RuntimeError: at a path"),
        ("os._exit(7)", "error", "the fresh process ended without an answer (exit code 7)"),
        ("sys.exit(3)", "error", "the fresh process ended without an answer (exit code 3)"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "error", "the fresh process was ended by SIGSEGV"),
        ("print('noise'); sys.stdin.close()", None, ""),
    ],
)
def test_how_an_arm_ends_is_its_reason(toy: SimpleNamespace, code: str, kind: str | None, words: str) -> None:
    arm(toy, "good", prepare=code)
    (reason,) = refused(ask(request(toy, "memory"), 60))
    if kind is None:
        assert reason is None
        return
    assert reason is not None
    assert reason[0] == kind
    assert reason[1].startswith(words)
    assert "\n" not in reason[1]


def test_what_a_module_raises_is_the_reason_of_every_point(toy: SimpleNamespace) -> None:
    arm(toy, "good", top="import a_package_nobody_has")
    reply = ask(request(toy, "memory", {"n": 10}, {"n": 100}), 60)
    assert refused(reply) == [("not_installed", "a_package_nobody_has is not installed")] * 2


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int) -> bool:
    end = time.monotonic() + 10
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


SLEEPS = """child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session={apart})
        Path({path!r}).write_text(f"{{os.getpid()}} {{child.pid}}")
        time.sleep({seconds})"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("apart", [False, pytest.param(True, marks=needs_children)])
@pytest.mark.parametrize("way", ["late", "cut", "interrupt", "ended"])
def test_a_process_that_is_ended_takes_along_what_it_started(
    toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, way: str, apart: bool
) -> None:
    pids = toy.out / "pids"
    arm(toy, "good", run=SLEEPS.format(path=str(pids), seconds=0 if way == "ended" else 60, apart=apart))
    asked = request(toy, "memory")
    if way == "interrupt":
        sleep = time.sleep

        def interrupt(seconds: float) -> None:
            sleep(seconds)
            if pids.exists() and pids.read_text().count(" "):
                raise KeyboardInterrupt

        monkeypatch.setattr("perfdocs.measure.fresh.time.sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            ask(asked, 60)
        monkeypatch.undo()
    else:
        reply = ask(asked, 4.0 if way == "late" else 60, 4.0 if way == "cut" else None)
        assert reply.cut == (way == "cut")
        if way == "late":
            assert refused(reply) == [("out_of_time", "no answer within 4 s in a fresh process")]
    started = pids.read_text().split()
    assert len(started) == 2  # the process that was asked, and what it started
    for pid in started:
        assert gone(int(pid))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("apart", [False, pytest.param(True, marks=needs_children)])
def test_a_process_whose_asker_is_killed_ends_too(toy: SimpleNamespace, apart: bool) -> None:
    pids = toy.out / "pids"
    arm(toy, "good", run=SLEEPS.format(path=str(pids), seconds=60, apart=apart))
    asked = request(toy, "memory")
    asker = os.fork()
    if not asker:
        try:
            ask(asked, 60)
        finally:
            os._exit(0)
    end = time.monotonic() + 30
    while time.monotonic() < end and not (pids.exists() and " " in pids.read_text()):
        time.sleep(0.02)
    os.kill(asker, signal.SIGKILL)
    os.waitpid(asker, 0)
    started = pids.read_text().split()
    assert len(started) == 2  # the process that was asked, and what it started
    for pid in started:
        assert gone(int(pid))


def test_after_a_point_that_ends_the_process_the_others_are_measured(toy: SimpleNamespace) -> None:
    arm(toy, "good", run="if self.problem.n == 100: os._exit(9)")
    ns = (10, 100, 1000, 50)
    tasks_of(toy, *(Task("memory", {"n": n}, "memory") for n in ns))
    card = toy.measure("good")
    assert [m.at["n"] for m in card.measurements] == [10, 1000, 50]
    (reason,) = card.not_run
    assert (reason.arm, reason.table, reason.at, reason.kind) == ("good", "memory", {"n": 100}, "error")
    assert any("what the process wrote is in" in line for line in toy.quiet.lines)


def test_a_request_and_an_answer_read_back() -> None:
    asked = Request("traced", Path("/a"), "good", (COLD, WARM), "gpu", Path("/b"), Path("/c"), 4, 132, None)
    assert Request.of(asked.text()) == asked
    for answer in (Answer({"a": 1.0, "b": (1.0, 2.0), "c": "key"}, "why"), Answer(refused=("unsupported", "x"))):
        assert Answer.of(answer.text()) == answer


def test_every_cache_is_in_the_folder(tmp_path: Path) -> None:
    found = caches(tmp_path)
    folders = {name: value for name, value in found.items() if "JAX_PERSISTENT" not in name and value != "true"}
    assert all(Path(value).parent == tmp_path.resolve() for value in folders.values())
    assert set(folders) >= {
        "CUPY_CACHE_DIR",
        "CUDA_CACHE_PATH",
        "NUMBA_CACHE_DIR",
        "TORCHINDUCTOR_CACHE_DIR",
        "TRITON_CACHE_DIR",
        "JAX_COMPILATION_CACHE_DIR",
        "WARP_CACHE_PATH",
        "XDG_CACHE_HOME",
    }


# --- what surrounds them, with a process that answers as told


class Asked:
    """Answers as told and remembers what it was asked; each request turns the clock."""

    def __init__(self, toy: SimpleNamespace, seconds: float = 10.0) -> None:
        self.toy, self.seconds = toy, seconds
        self.requests: list[Request] = []
        self.limits: list[tuple[float, float | None]] = []
        self.refuse: Callable[[str, Point], tuple[Reason, str] | None] = lambda _arm, _at: None
        self.absent: str | None = None
        toy.ask = self

    def __call__(self, request: Request, limit: float, total: float | None) -> Reply:
        self.requests.append(request)
        self.limits.append((limit, total))
        self.toy.workload.calls.append((request.arm, request.how))
        if total is not None and total < self.seconds:
            self.toy.clock.turn(total)
            return Reply((), cut=True)
        self.toy.clock.turn(self.seconds)
        every: dict[How, dict[str, Any]] = {
            "compile": {"ready": 2.0 if request.points[0].get("start") == "cold" else 1.0, "nonsense": 3.0},
            "memory": {"host_memory": 5.0, "device_memory": 6.0, "unheard_of": 7.0},
            "traced": {"kernel_time": (1e-3, 2e-3), "kernels": 3.0, "launches": 4.0},
        }
        values = every[request.how]
        return Reply(
            tuple(
                Answer(refused=why) if (why := self.refuse(request.arm, at)) else Answer(values, self.absent)
                for at in request.points
            )
        )


EVERY = (
    Task("traced", {"n": 10}, "traced"),
    Task("memory", {"n": 10}, "memory"),
    Task("startup", COLD, "compile"),
    Task("startup", WARM, "compile"),
    Task("traced", {"n": 100}, "traced"),
    Task("main", {"n": 10}),
)


def test_all_ways_stand_on_one_card_and_traces_come_last(toy: SimpleNamespace) -> None:
    tasks_of(toy, *EVERY)
    asked = Asked(toy)
    card = toy.measure("good", "double", device="gpu")
    done = [what for _, what in toy.workload.calls if what in ("run", "compile", "memory", "traced")]
    assert "".join(what[0] for what in done).lstrip("r") == "c" * 12 + "mm" + "tt"
    assert [r.points for r in asked.requests if r.how == "traced"] == [({"n": 10}, {"n": 100})] * 2
    assert found(card, "startup")["good", "10", "cold"].values == {"ready": (2.0,) * 3}
    assert found(card, "startup")["double", "10", "warm"].values == {"ready": (1.0,) * 3}
    assert found(card, "memory")["good", "10"].values == {"host_memory": 5.0, "device_memory": 6.0}
    assert found(card, "traced")["good", "100"].values["kernel_time"] == (1e-3, 2e-3)
    assert len(found(card, "main")) == 2
    assert not card.not_run
    assert {r.caches is not None for r in asked.requests if r.how != "compile"} == {False}
    starts = [(r.caches, r.points[0]["start"]) for r in asked.requests if r.how == "compile"]
    assert len({folder for folder, _ in starts}) == 6
    assert [start for _, start in starts] == ["cold", "warm"] * 6
    assert all(r.build == r.caches / "build" for r in asked.requests if r.caches)


def test_only_what_is_asked_for_is_measured(toy: SimpleNamespace) -> None:
    tasks_of(toy, *EVERY)
    asked = Asked(toy)
    card = toy.measure("good", device="gpu", tables=("memory", "startup"), at={"start": ("warm",)})
    assert set(found(card, "startup")) == {("good", "10", "warm")}
    assert [r.points[0]["start"] for r in asked.requests] == ["cold", "warm"] * 3
    assert len(card.measurements) == 1
    assert not card.not_run
    whole = toy.measure("good", device="gpu", as_name="whole", tables=("memory",))
    assert set(found(whole, "memory")) == {("good", "10")}
    assert len(whole.measurements) == 1
    toy.measure("good", device="gpu", as_name="main3")
    with pytest.raises(PerfdocsError, match="2 measurements that this run would not repeat"):
        toy.measure("good", device="gpu", as_name="main3", tables=("startup", "memory", "main"), at={"n": (10,)})


def test_a_table_nobody_has_is_one_message(toy: SimpleNamespace) -> None:
    with pytest.raises(PerfdocsError, match=r'found "memry".*did you mean "memory"') as error:
        listing(toy.folder, Options(devices="cpu", tables=("memry",)), fake_edges(toy.clock))
    assert error.value.problem.code == "unknown-table"


def test_a_device_without_a_table_asked_for_has_no_card(toy: SimpleNamespace) -> None:
    with pytest.raises(ValueError, match="not enough values"):
        toy.measure("good", tables=("memory",))
    assert any("none of the tables asked for is measured on cpu" in line for line in toy.quiet.lines)


def test_a_refusal_is_of_its_cells_alone(toy: SimpleNamespace) -> None:
    tasks_of(toy, *EVERY)
    asked = Asked(toy)
    asked.refuse = lambda arm, at: ("unsupported", "no") if arm == "good" and at["n"] == 10 else None
    card = toy.measure("good", "double", device="gpu")
    assert set(found(card, "main")) == {("good", "10"), ("double", "10")}
    assert set(found(card, "traced")) == {("good", "100"), ("double", "10"), ("double", "100")}
    assert set(found(card, "memory")) == {("double", "10")}
    assert set(found(card, "startup")) == {("double", "10", "cold"), ("double", "10", "warm")}
    assert {(r.arm, r.table, r.at["n"], r.reason) for r in card.not_run} == {
        ("good", table, 10, "no") for table in ("startup", "memory", "traced")
    }
    assert len(card.not_run) == 4


def test_a_part_left_out_has_its_reason_also_after_a_stop(toy: SimpleNamespace) -> None:
    tasks_of(toy, *EVERY)
    asked = Asked(toy)
    asked.absent = "kernels and their time: sees none"

    def stop(arm: str, at: Point) -> None:
        if arm == "double" and at["n"] == 10:
            raise KeyboardInterrupt

    asked.refuse = stop
    with pytest.raises(Stopped):
        toy.measure("good", "double", device="gpu", tables=("traced",))
    asked.refuse = lambda _arm, _at: None
    card = toy.measure("good", "double", device="gpu", tables=("traced",))
    assert len(found(card, "traced")) == 4
    assert {(r.arm, r.at["n"]) for r in card.not_run} == {(arm, n) for arm in ("good", "double") for n in (10, 100)}
    assert {(r.kind, r.reason) for r in card.not_run} == {("unsupported", "kernels and their time: sees none")}


def test_a_finished_cell_is_kept(toy: SimpleNamespace) -> None:
    tasks_of(toy, *EVERY)
    asked = Asked(toy)

    def stop(arm: str, at: Point) -> None:
        if len(asked.requests) == 7:
            raise KeyboardInterrupt

    asked.refuse = stop
    with pytest.raises(Stopped, match="interrupted: 4 measurements are kept") as stopped:
        toy.measure("good", "double", device="gpu")
    assert stopped.value.exit_code == 130
    asked.refuse = lambda _arm, _at: None
    asked.requests.clear()
    card = toy.measure("good", "double", device="gpu")
    assert len(card.measurements) == 12
    assert [r.how for r in asked.requests] == ["compile"] * 6 + ["memory"] * 2 + ["traced"] * 2
    assert {r.arm for r in asked.requests[:6]} == {"double"}


def test_the_deadline_cuts_a_process_short_and_the_next_run_goes_on(toy: SimpleNamespace) -> None:
    tasks_of(toy, *EVERY[:2])
    asked = Asked(toy, seconds=10.0)
    with pytest.raises(Stopped, match="stopped at the deadline: 1 measurement is kept") as stopped:
        toy.measure("good", "double", device="gpu", deadline=19.0)
    assert stopped.value.exit_code == 3
    assert len(asked.requests) == 1  # what the first took, the second would take too
    asked.seconds = 100.0
    with pytest.raises(Stopped, match="stopped at the deadline: 1 measurement is kept"):
        toy.measure("good", "double", device="gpu", deadline=50.0)
    assert asked.limits[-1][1] == pytest.approx(50, abs=1)
    card = toy.measure("good", "double", device="gpu", deadline=50.0, close=True)
    assert [r.kind for r in card.not_run] == ["out_of_time"] * 3
    assert {r.reason for r in card.not_run} == {"the run's deadline of 50 s came first"}


def test_a_fresh_process_has_three_minutes_or_a_longer_limit(toy: SimpleNamespace) -> None:
    tasks_of(toy, EVERY[1])
    asked = Asked(toy)
    toy.measure("good", device="gpu")
    toy.measure("good", device="gpu", limit=33.0)
    toy.measure("good", device="gpu", limit=300.0)
    assert asked.limits == [(180.0, None), (180.0, None), (300.0, None)]


def test_after_a_process_that_took_too_long_the_arm_is_not_tried_further(toy: SimpleNamespace) -> None:
    tasks_of(toy, *(Task("traced", {"n": n}, "traced") for n in (10, 100, 1000)))
    asked: list[Request] = []

    def late(request: Request, limit: float, total: float | None) -> Reply:
        asked.append(request)
        return Reply((Answer({"launches": 1.0}), Answer(refused=("out_of_time", "no answer within 3 s"))))

    toy.ask = late
    card = toy.measure("good", device="gpu")
    assert len(asked) == 1
    assert [m.at["n"] for m in card.measurements] == [10]
    assert [(r.at["n"], r.kind) for r in card.not_run] == [(100, "out_of_time"), (1000, "out_of_time")]
    assert card.not_run[1].reason == "not tried after an earlier point: no answer within 3 s"


def test_a_processor_has_no_traces(toy: SimpleNamespace) -> None:
    tasks_of(toy, *EVERY)
    asked = Asked(toy)
    card = toy.measure("good")
    assert {(r.kind, r.table) for r in card.not_run} == {("unsupported", "traced")}
    assert "traced" not in {r.how for r in asked.requests}
    assert "profiler" not in card.software


def test_limits_of_an_arm_hold_everywhere(toy: SimpleNamespace) -> None:
    arm(toy, "good", top="def limits(at): return 'too small' if at['n'] < 100 else None")
    tasks_of(toy, *EVERY)
    asked = Asked(toy)
    card = toy.measure("good", device="gpu")
    assert {(m.table, m.at["n"]) for m in card.measurements} == {("traced", 100)}
    assert {r.reason for r in card.not_run} == {"too small"}
    assert len(asked.requests) == 1


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (Task("startup", {"n": 10, "start": "hot"}, "compile"), "task-start"),
        (Task("main", {"n": 10}, "compile"), "task-start"),
        (Task("memory", {"n": 10}, "memory"), "task-metric"),
    ],
)
def test_a_task_the_definition_has_no_place_for_is_one_message(toy: SimpleNamespace, task: Task, code: str) -> None:
    tasks_of(toy, task)
    toml = toy.folder / "benchmark.toml"
    if code == "task-metric":
        text = toml.read_text()
        for key in ("device_memory", "host_memory"):
            text = text.replace(f"[metrics.{key}]", f"[metrics.{key}_x]").replace(f'"{key}"', f'"{key}_x"')
        toml.write_text(text)
    with pytest.raises(PerfdocsError) as error:
        listing(toy.folder, Options(devices="cpu"), fake_edges(toy.clock))
    assert error.value.problem.code == code


def test_what_one_table_asks_another_may_not(toy: SimpleNamespace) -> None:
    """An arm that cannot run in one table is measured in the next; one whose package is absent is not tried again."""
    toml = toy.folder / "benchmark.toml"
    toml.write_text(toml.read_text() + '\n[tables.other]\ntitle = "Other"\naxes = ["n"]\ncolumns = ["wall"]\n')
    arm(toy, "good", prepare="if problem.n == 10: raise Cannot('unsupported', 'no tens')")
    arm(toy, "double", prepare="raise Cannot('not_installed', 'not here')")
    tasks_of(toy, Task("main", {"n": 10}), Task("main", {"n": 100}), Task("other", {"n": 100}))
    card = toy.measure("good", "double", device="gpu")
    assert [(m.table, m.arm) for m in card.measurements] == [("other", "good")]
    assert [(r.arm, r.table) for r in card.not_run] == [("good", "main"), ("double", None)]


def test_the_command_line_takes_tables_and_pairs(toy: SimpleNamespace, capsys: pytest.CaptureFixture[str]) -> None:
    (toy.folder / "workload.py").write_text(
        (toy.folder / "workload.py")
        .read_text()
        .replace(
            'return [Task("main", {"n": n})',
            'return [Task("startup", {"n": 10, "start": s}, "compile") for s in ("cold", "warm")] + '
            '[Task("memory", {"n": 10}, "memory")] + [Task("main", {"n": n})',
        )
    )
    common = ["--device", "cpu", "--arm", "good", "--out", str(toy.out), "--build", str(toy.out / "b")]
    copy = toy.folder.with_name("toy2") / "toy"
    shutil.copytree(toy.folder, copy)
    assert main([str(copy), *common, "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "cpu  main  good  n=10",
        "cpu  main  good  n=100",
        "cpu  startup  good  n=10, start=cold  compile",
        "cpu  startup  good  n=10, start=warm  compile",
        "cpu  memory  good  n=10  memory",
    ]
    assert main([str(copy), *common, "--table", "startup", "--table", "memory", "--fresh-runs", "1"]) == 0
    card = read_card(Path(capsys.readouterr().out.strip()))
    assert [(m.table, len(m.values)) for m in card.measurements][:2] == [("startup", 1)] * 2
    assert found(card, "startup")["good", "10", "cold"].values["ready"]
    assert [m.table for m in card.measurements] == ["startup", "startup", "memory"]
    with pytest.raises(SystemExit):
        main([str(copy), "--fresh-runs", "0"])
    assert "0 is no whole number above 0" in capsys.readouterr().err
