"""Sides: what words mean, commands without a shell, arms that are verified before they are timed."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest
from tests.ab.conftest import PATIENCE
from tests.ab.fakes import unwatched
from tests.lacking import needs_children
from tests.measure.fakes import FakeClock

from perfdocs.ab.kernels import PAIRS, kernel_times
from perfdocs.ab.sides import MOST_SAID, REGION, ArmWords, CommandSide, CommandWords, folder_of, open_arm, words_of
from perfdocs.errors import PerfdocsError
from perfdocs.measure.arm import Context
from perfdocs.measure.fresh import Answer, Reply, Request
from perfdocs.measure.protocol import Timer


def test_words_are_an_arm_or_a_list() -> None:
    assert words_of("rk4:persistent", "A") == ArmWords("rk4", "persistent")
    assert isinstance(arm := words_of("rk4:persistent", "B"), ArmWords)
    assert arm.side == "B"
    assert words_of(' ["./a b", "x;y", ""]', "A") == CommandWords(("./a b", "x;y", ""))


@pytest.mark.parametrize(
    "text", ["rk4", ":arm", "rk4:", "./run me", "[", "[]", "[1]", '[""]', '{"a": 1}', '["a\\u0000"]']
)
def test_other_words_are_refused_with_their_place(text: str) -> None:
    with pytest.raises(PerfdocsError, match="no shell") as caught:
        words_of(text, "B")
    assert caught.value.problem.where == "B"


def command(code: str, limit: float = 60) -> CommandSide:
    return CommandSide("A", [sys.executable, "-I", "-S", "-c", code], limit)


def test_a_command_tells_its_regions_and_reads_no_input() -> None:
    assert command("print(input.__name__); print('perfdocs-region main 0.5')").run(unwatched())[0] == {"main": 0.5}
    with pytest.raises(PerfdocsError, match="exit code 1: EOFError"):
        command("input()").run(unwatched())


def test_no_shell_reads_the_words() -> None:
    assert CommandSide("A", ["/bin/echo", "perfdocs-region $HOME 1"], 9).label == "echo perfdocs-region $HOME 1"
    with pytest.raises(PerfdocsError, match=r"\$HOME"):
        CommandSide("A", ["/bin/echo", "perfdocs-region $HOME 1"], 9).run(unwatched())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["./there is no such program"], "command A: found no such file or directory"),
        (
            [sys.executable, "-I", "-S", "-c", "import sys; print('why\\x1b[31m', file=sys.stderr); sys.exit(7)"],
            "exit code 7: why",
        ),
        ([sys.executable, "-I", "-S", "-c", "import os; os.abort()"], "exit code -6"),
        ([sys.executable, "-I", "-S", "-c", "pass"], "no line that begins with"),
    ],
)
def test_a_command_that_fails_is_said_in_one_line(words: list[str], said: str) -> None:
    with pytest.raises(PerfdocsError) as caught:
        CommandSide("A", words, 60).run(unwatched())
    assert said in str(caught.value)
    assert "\x1b" not in str(caught.value)


def lives(process: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


BEHIND = """
import os, pathlib, sys, time
child = os.fork()
if child == 0: time.sleep(600)
pathlib.Path({path!r}).write_text(str(child))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("time.sleep(600)", "no end within"),
        ("sys.exit(3)", "exit code 3"),
        ("print('perfdocs-region main 0.5')", None),
    ],
)
def test_what_a_command_started_is_ended_with_it(tmp_path: Path, then: str, said: str | None) -> None:
    path = tmp_path / "child"
    side = command(BEHIND.format(path=str(path)) + then, limit=5 if said == "no end within" else 60)
    if said is None:
        assert side.run(unwatched())[0] == {"main": 0.5}
    else:
        with pytest.raises(PerfdocsError, match=said):
            side.run(unwatched())
    until = time.monotonic() + PATIENCE
    while lives(int(path.read_text())):  # it was killed, which takes a moment
        assert time.monotonic() < until
        os.sched_yield()


@needs_children
@pytest.mark.parametrize("then", ["print('perfdocs-region main 1')", "sys.exit(3)", "time.sleep(60)"])
def test_what_a_command_left_in_a_session_of_its_own_is_ended_too(tmp_path: Path, then: str) -> None:
    pid = tmp_path / "pid"
    code = f"""
import os, sys, time
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    open({str(pid)!r}, "w").write(str(os.getpid()))
    time.sleep(60)
while not (os.path.exists({str(pid)!r}) and os.path.getsize({str(pid)!r})):
    time.sleep(0.01)
{then}
"""
    with contextlib.suppress(PerfdocsError):
        command(code, 5).run(unwatched())
    assert not Path(f"/proc/{pid.read_text()}").exists()


@pytest.mark.parametrize(("stream", "name"), [("stdout", "output"), ("stderr", "error")])
def test_a_command_that_says_too_much_is_ended(stream: str, name: str) -> None:
    code = (  # it goes on where nobody reads
        "import contextlib, os, sys\nwhile True:\n"
        f"    with contextlib.suppress(OSError): os.write(sys.{stream}.fileno(), b'y' * 999)"
    )
    with pytest.raises(PerfdocsError, match=f"command A: found more than 1 MiB of standard {name}"):
        command(code).run(unwatched())


def test_a_command_may_say_so_much_on_either_stream() -> None:
    line = "perfdocs-region main 0.5\n"
    rest = MOST_SAID - len(line)
    code = f"import sys\nsys.stderr.write('x' * {MOST_SAID})\nsys.stdout.write('\\n'.rjust({rest}) + {line!r})"
    assert command(code).run(unwatched())[0] == {"main": 0.5}
    with pytest.raises(PerfdocsError, match="more than 1 MiB"):
        command(code.replace(str(rest), str(rest + 1))).run(unwatched())


def test_a_path_is_not_told() -> None:
    facts = CommandSide("A", ["/home/me/build/run", "/tmp/in.txt", "--size=9"], 9).facts
    assert facts.words == ("run", "in.txt", "--size=9")


TOML = """
id = "toy"
title = "Toy"
version = 1
summary = "Synthetic."
default = "wall"
[axes.n]
label = "n"
[groups.all]
label = "all"
[arms.fine]
label = "fine"
loop = "one"
group = "all"
on = ["cpu"]
[arms.wrong]
label = "wrong"
loop = "one"
group = "all"
on = ["cpu"]
[arms.absent]
label = "absent"
loop = "one"
group = "all"
on = ["cpu"]
[metrics.wall]
label = "wall"
kind = "samples"
unit = "s"
better = "lower"
[tables.main]
title = "Main"
axes = ["n"]
by = "wall"
columns = ["wall"]
"""
WORKLOAD = """
from perfdocs.measure.arm import Task, VerificationError
def tasks(kind, quick): return [Task("main", {"n": n}) for n in (1, 2)]
def problem(at): return at["n"]
def reference(problem, context): return problem
def verify(problem, reference, result):
    if result != reference: raise VerificationError(f"{result}, not {reference}")
    return {}
def counts(problem): return {}
def work(at): return 1.0
"""
ARM = """
from perfdocs.measure.arm import Cannot, Prepared
LOG = []
class Arm(Prepared):
    on_host = True
    def __init__(self, n): self.n = n
    def before(self): LOG.append("before")
    def run(self): LOG.append("run")
    def result(self): return self.n {wrong}
    def close(self): LOG.append("closed")
def prepare(problem, context):
    {cannot}
    return Arm(problem)
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    folder = tmp_path / "benchmarks" / "toy"
    (folder / "arms").mkdir(parents=True)
    (folder / "benchmark.toml").write_text(TOML)
    (folder / "workload.py").write_text(WORKLOAD)
    for name, wrong, cannot in (
        ("fine", "", "pass"),
        ("wrong", "+ 1", "pass"),
        ("absent", "", "raise Cannot('not_installed', 'X is not installed')"),
    ):
        text = ARM.replace("{wrong}", wrong).replace("{cannot}", cannot)
        (folder / "arms" / f"{name}.py").write_text(text)
    return folder


def timer(clock: FakeClock) -> Timer:
    return Timer(clock, clock.resolution(), 0.01)


def context(tmp_path: Path) -> Context:
    return Context("cpu", tmp_path, 1)


def test_an_arm_is_timed_at_the_point_asked_for_with_what_comes_before_it(toy: Path, tmp_path: Path) -> None:
    clock = FakeClock(tick=0.001)
    side = open_arm(toy, ArmWords("toy", "fine"), context(tmp_path), {"n": (2,)}, timer(clock))
    assert (side.label, dict(side.at), side.facts.inner) == ("toy:fine", {"n": 2}, 15)
    assert "arms/fine.py" in side.facts.sources
    log = sys.modules[type(side._timed.arm).__module__].LOG
    log.clear()
    assert side.run(unwatched())[0] == {REGION: pytest.approx(0.001 / 15)}
    assert log == [*["run"] * 2, "before", *["run"] * 15]  # settled for 2 ms, then 15 ms timed
    side.close()
    assert log[-1] == "closed"


@pytest.mark.parametrize(
    ("arm", "at", "said"),
    [
        ("wrong", {}, "toy:wrong: found 2, not 1"),
        ("absent", {}, "X is not installed"),
        ("fin", {}, 'A: found "fin", expected an arm of toy; did you mean "fine"?'),
        ("fine", {"n": (3,)}, "a point of toy"),
        ("fine", {"m": (3,)}, "an axis of toy"),
    ],
)
def test_an_arm_that_cannot_run_or_is_wrong_is_never_timed(
    arm: str, at: dict[str, tuple[int, ...]], said: str, toy: Path, tmp_path: Path
) -> None:
    with pytest.raises(PerfdocsError) as caught:
        open_arm(toy, ArmWords("toy", arm), context(tmp_path), at, timer(FakeClock()))
    assert said in str(caught.value)


def test_a_benchmark_is_one_of_the_folder(toy: Path) -> None:
    assert folder_of(toy.parent, ArmWords("toy", "x")) == toy
    for name in ("toys", "..", "toy/arms"):
        with pytest.raises(PerfdocsError, match="a benchmark"):
            folder_of(toy.parent, ArmWords(name, "x"))


def test_kernel_times_alternate_and_are_paired(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(request: Request, limit: float, total: float | None = None) -> Reply:
        asked.append(f"{request.how} {request.arm} {dict(request.points[0])}")
        return Reply((Answer({"kernel_time": (0.1, 0.2) if request.arm == "a" else (0.3,)}),))

    found = kernel_times(ask, ((tmp_path, "a", {"n": 1}), (tmp_path, "b", {"n": 2})), Context("gpu", tmp_path, 1))
    assert found == ((0.1, 0.2, 0.1), (0.3, 0.3, 0.3))
    assert asked == ["traced a {'n': 1}", "traced b {'n': 2}"] * PAIRS


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(()), "did not answer"),
        (Reply((Answer(refused=("not_installed", "no profiler")),)), "a: no profiler"),
        (Reply((Answer(absent="kernels: it sees none"),)), "a: kernels: it sees none"),
    ],
)
def test_where_no_kernels_are_seen_the_reason_is_told(reply: Reply, said: str, tmp_path: Path) -> None:
    side = (tmp_path, "a", {"n": 1})
    assert said in kernel_times(lambda *_: reply, (side, side), Context("gpu", tmp_path, 1))
    assert kernel_times(lambda *_: reply, (side, side), Context("cpu", tmp_path, 1)) == "a processor runs no kernels"


@pytest.mark.parametrize("error", [RuntimeError("it broke"), MemoryError(), SystemExit(0)])
def test_whatever_an_arm_raises_is_a_problem_of_its_side(error: BaseException, toy: Path, tmp_path: Path) -> None:
    def broken(*_: object) -> None:
        raise error

    side = open_arm(toy, ArmWords("toy", "fine"), context(tmp_path), {}, timer(FakeClock(tick=0.001)))
    module = sys.modules[type(side._timed.arm).__module__]
    side._timed.arm.run = broken  # type: ignore[method-assign]
    for fail in (
        lambda: side.run(unwatched()),
        lambda: open_arm(toy, ArmWords("toy", "fine"), context(tmp_path), {}, timer(FakeClock())),
    ):
        with pytest.raises(PerfdocsError, match=r"toy:fine: .*an arm that runs at n=1") as caught:
            fail()
        assert caught.value.problem.code == "ab-arm"
        module.prepare = broken  # type: ignore[attr-defined]
