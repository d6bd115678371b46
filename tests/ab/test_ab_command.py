"""`perfdocs ab` as a whole over the stand-ins: exit codes, the record, signals, clocks.

In processes of its own where signals, its output or what it leaves at its end are looked at.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.ab.conftest import PATIENCE, Done, FakeDevice, in_this_process
from tests.conftest import PROJECT

from perfdocs.ab import record as record_file
from perfdocs.ab import report
from perfdocs.ab.lock import Hold, Locker

pytestmark = pytest.mark.skipif(os.name != "posix", reason="clocks are locked on Linux only")


def side(seconds: float, *, region: str = "main") -> str:
    """A command that claims to have taken so long: what it says is synthetic."""
    return json.dumps(["/bin/echo", f"perfdocs-region {region} {seconds}"])


SAMPLED = """cd "$FAKE_GPU"; : >>reads; read -r seen <reads; now=$seen; i=0
while [ ${#now} -lt $((${#seen} + 2)) ] && [ $i -lt 500 ]; do i=$((i + 1)); sleep 0.02; read -r now <reads; done
"""
"""Lines of a command that wait until the GPU was read, and again: the first reading may have begun before them."""


def sampled(seconds: float) -> str:
    """A side that is sampled before it ends."""
    return json.dumps(["/bin/sh", "-c", f"{SAMPLED}echo perfdocs-region main {seconds}"])


def started(program: Path) -> bool:
    """Whether a process runs a program, as the system tells it."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if str(program).encode() in path.read_bytes().split(b"\0"):
                return True
    return False


def words(*more: str) -> list[str]:
    return [sys.executable, "-m", "perfdocs", "ab", *more]


def ab(folder: Path, *more: str) -> Done:
    done = in_this_process(folder, "--foreign-load", "4096", *more)
    assert "Traceback" not in done.stderr
    return done


def record(folder: Path) -> Any:
    (path,) = (folder / "build" / "ab").glob("*.json")
    return json.loads(path.read_text())


@pytest.mark.parametrize(("b", "code", "verdict"), [(0.0205, 0, "pass"), (0.0215, 1, "fail")])
def test_two_commands_at_locked_clocks(device: FakeDevice, tmp_path: Path, b: float, code: int, verdict: str) -> None:
    done = ab(tmp_path, sampled(0.02), sampled(b), "--lock", "base")
    assert done.returncode == code, done.stderr
    found = record(tmp_path)
    assert (found["verdict"], found["gated"]) == (verdict, "locked_clocks")
    locked = found["readings"]["locked_clocks"]
    assert (locked["how"], locked["clocks"], locked["restored"]) == ("NVML", [1.5e9, 2.619e9], True)
    assert len(locked["rounds"]) == 20
    state = locked["rounds"][0]["b"]["state"]
    assert (state["window"], state["p_states"], state["power"]["centre"]) == ("timed", [2], 90.0)
    clock = found["readings"]["default_clocks"]["rounds"][0]["a"]["state"]["sm_clock"]
    assert (state["sm_clock"]["low"], clock["high"]) == (1.5e9, 1.755e9)
    assert found["method"]["sample_period"] == 0.04
    assert done.stdout.splitlines()[-1].startswith(f"{verdict}: locked clocks, main: B takes")
    assert "40/40" in done.stderr
    assert not device.locked


def test_a_gpu_that_is_too_hot_is_told(device: FakeDevice, tmp_path: Path) -> None:
    device.fail("thermal")
    done = ab(tmp_path, sampled(0.02), sampled(0.02), "--repeats", "1")
    assert done.returncode == 0, done.stderr
    found = record(tmp_path)
    assert [repeat["why"] for repeat in found["readings"]["default_clocks"]["repeats"]] == ["A: throttled: temperature"]
    assert found["flags"] == ["throttled"]
    assert "default clocks, B: SM clock 1.755 GHz, memory clock 2.619 GHz, P2" in done.stdout.replace("\xa0", " ")
    assert "T  the device reported a clock-throttle reason while the work ran" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("flagged: throttled")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("no-permission ncu-permission", "insufficient permissions"),
        ("shared", "the GPU is shared"),
        ("slices", "MIG"),
        ("not-held", "SM clock 1755 MHz, locked at 1500 MHz"),
    ],
)
def test_where_the_clocks_cannot_be_locked_it_is_undecided_and_says_why(
    device: FakeDevice, tmp_path: Path, fault: str, said: str
) -> None:
    device.fail(fault)
    command = sampled(0.02) if fault == "not-held" else side(0.02)
    done = ab(tmp_path, command, command, "--lock", "base", "--repeats", "1", "--format", "json")
    assert done.returncode == 5, done.stderr
    found = json.loads(done.stdout)
    assert found == record(tmp_path)
    assert said in found["readings"]["locked_clocks"].get("absent", found["why"]), found["why"]
    assert found["verdict"] == "undecided"
    assert not device.locked


def test_without_lock_nothing_is_locked_and_the_default_reading_is_gated(device: FakeDevice, tmp_path: Path) -> None:
    done = ab(tmp_path, side(0.02), side(0.02), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["gated"] == "default_clocks"
    assert device.log == []


def test_a_short_region_is_undecided(device: FakeDevice, tmp_path: Path) -> None:
    done = ab(tmp_path, side(0.002), side(0.002), "--out", "here.json")
    assert done.returncode == 5
    assert "shorter than 0.01 s: not gated" in done.stdout
    assert (tmp_path / "here.json").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "two sides are needed"),
        ((side(1),), "two sides are needed"),
        ((side(1), side(1), "--reset"), "--reset takes no sides"),
        ((side(1), side(1), "--force"), "--force is of --reset"),
        ((side(1), side(1), "--rounds", "19"), "20<=x<=1000"),
        ((side(1), side(1), "--gate", "nan"), "nan is no number"),
        ((side(1), side(1), "--lock", "1500"), "--lock"),
        ((side(1), side(1), "--limit", "1e7"), "0<x<=86400"),
        ((side(1), side(1), "--out", "/dev/full"), "/dev/full: found a device or pipe, expected a place for a file"),
        ((side(1), '["false"'), "B: found `["),
        ((side(1), '["\\ud800"]'), "B: found `["),
        (("[" * 20_000, side(1)), "A: found `["),
        ((side(1), "rk4:nosuch"), "A and B: found an arm and a command"),
        (("rk4:a", "rk4:b", "--at", "n"), '--at: found "n", expected axis=value'),
    ],
)
def test_what_is_not_understood_is_2(device: FakeDevice, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    done = ab(tmp_path, *more)
    assert done.returncode == 2
    assert said in done.stderr
    assert "unexpected" not in done.stderr


@pytest.mark.parametrize(
    ("b", "said"),
    [
        ('["false"]', "command B: found exit code 1"),
        ('["./there is no such program"]', "command B: found no such file or directory"),
        ('["sleep", "60"]', "command B: found no end within 1 s"),
        ('["yes"]', "command B: found more than 1 MiB of standard output"),
        ('["echo", "perfdocs-region main 1.7e308"]', "command B, line 1"),
        ('["echo", "fine"]', "command B: found no line"),
    ],
)
def test_a_side_that_does_not_run_or_tell_its_times_is_7_and_one_line(
    device: FakeDevice, tmp_path: Path, b: str, said: str
) -> None:
    (tmp_path / "benchmarks").mkdir()
    done = ab(tmp_path, side(0.02), b, "--limit", "1")
    assert done.returncode == 7
    assert f"perfdocs: {said}" in done.stderr
    assert not list((tmp_path / "build").rglob("*.json"))


EQUAL = (side(0.02), side(0.02), "--foreign-load", "4096")


@pytest.mark.parametrize(
    ("output", "said"),
    [(">&-", "it is closed"), (">/dev/full", "no space left on device"), ("| true", "broken pipe")],
)
def test_a_report_that_cannot_be_shown_is_8_and_the_record_is_kept(
    device: FakeDevice, tmp_path: Path, output: str, said: str
) -> None:
    line = f"{shlex.join(words(*EQUAL))} {output}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 8
    assert f"perfdocs: standard output: found {said}, expected a place for the report" in done.stderr
    assert record(tmp_path)["verdict"] == "pass"


@pytest.mark.parametrize("complaints", ["2>/dev/full", "2>&-", "2> >(true)"])
@pytest.mark.parametrize(("sides", "code"), [(EQUAL, 0), ((side(1), '["./none"]'), 7), (("x", side(1)), 2)])
def test_where_nothing_can_be_complained_of_the_code_tells_and_a_record_is_kept(
    device: FakeDevice, tmp_path: Path, complaints: str, sides: tuple[str, ...], code: int
) -> None:
    line = ["bash", "-c", f"{shlex.join(words(*sides))} {complaints}"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == code
    if not code:
        assert record(tmp_path)["verdict"] == "pass"


def test_a_fault_of_perfdocs_is_8_and_not_a_verdict(
    device: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "report", lambda record: 1 / 0)
    done = in_this_process(tmp_path, *EQUAL)
    assert done.returncode == 8
    assert "perfdocs: unexpected ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("signals", [(signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])
def test_who_asks_for_the_end_again_and_again_has_the_record_too(
    device: FakeDevice, tmp_path: Path, signals: tuple[signal.Signals, ...]
) -> None:
    slow = "echo run >>runs; [ $(wc -l <runs) -ge 12 ] && touch $FAKE_GPU/waiting && sleep 60"
    command = json.dumps(
        ["/bin/sh", "-c", f"{slow}; for i in 1 2 3 4 5 6 7 8 9; do echo perfdocs-region r$i 0.02; done"]
    )
    with subprocess.Popen(
        words(command, command, "--foreign-load", "4096"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        device.wait_for("waiting")
        for number in signals:
            process.send_signal(number)
            time.sleep(0.05)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "every round that counted is kept in build" in said
    assert len(record(tmp_path)["readings"]["default_clocks"]["rounds"]) == 4


def test_a_side_that_fails_later_is_7_with_its_record(device: FakeDevice, tmp_path: Path) -> None:
    code = "echo run >>runs; [ $(wc -l <runs) -lt 9 ] && echo perfdocs-region main 0.02"
    done = ab(tmp_path, side(0.02), json.dumps(["/bin/sh", "-c", code]))
    assert done.returncode == 7
    assert len(record(tmp_path)["readings"]["default_clocks"]["rounds"]) == 7


def test_an_arm_that_is_not_there_is_located_at_its_side(device: FakeDevice, tmp_path: Path) -> None:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "rk4").symlink_to(PROJECT / "benchmarks" / "rk4")
    done = ab(tmp_path, "rk4:nosuch", "rk4:numpy_masked", "--device", "cpu")
    assert done.returncode == 7
    assert 'perfdocs: A: found "nosuch", expected an arm of rk4' in done.stderr


def test_a_record_takes_the_place_of_no_other(
    device: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "strftime", lambda *_: "then")
    for _ in range(3):
        assert ab(tmp_path, side(0.02), side(0.02)).returncode == 0
    found = sorted((tmp_path / "build" / "ab").iterdir())
    assert [path.name for path in found] == ["then-2.json", "then-3.json", "then.json"]
    assert all(json.loads(path.read_text())["verdict"] == "pass" for path in found)


def test_what_a_closed_terminal_ends_has_its_record(device: FakeDevice, tmp_path: Path) -> None:
    """Nothing can be written there any more."""
    import pty

    ours, theirs = pty.openpty()
    wait = "[ $(wc -l <runs) -ge 9 ] && touch $FAKE_GPU/waiting && sleep 60"
    slow = json.dumps(["/bin/sh", "-c", f"echo run >>runs; {wait}; echo perfdocs-region main 0.02"])
    with subprocess.Popen(
        words(slow, slow, "--foreign-load", "4096"),
        cwd=tmp_path,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        device.wait_for("waiting")
        os.close(ours)
        process.send_signal(signal.SIGHUP)
        assert process.wait(PATIENCE) == 130
    assert record(tmp_path)["stopped"] == "interrupted"


def test_a_closed_terminal_that_shall_end_nothing_ends_nothing(device: FakeDevice, tmp_path: Path) -> None:
    kill = json.dumps(["/bin/sh", "-c", "kill -HUP $PPID; echo perfdocs-region main 0.02"])
    code = (
        "import signal, sys\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from perfdocs.cli import main\nmain(sys.argv[1:])"
    )
    more = ["ab", kill, kill, "--foreign-load", "4096"]
    subprocess.run([sys.executable, "-c", code, *more], cwd=tmp_path, timeout=PATIENCE, check=True)
    assert record(tmp_path)["verdict"] == "pass"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("faults", [(), ("no-permission",)])
def test_the_clocks_are_reset_however_it_ends(
    device: FakeDevice, tmp_path: Path, faults: tuple[str, ...], number: signal.Signals
) -> None:
    device.fail(*faults)
    # The seventh run at locked clocks does not end by itself: it is the signal that ends it.
    slow = tmp_path / "slow"
    slow.write_text(
        f'#!/bin/sh\ncd "$FAKE_GPU"\nif [ -e locked ]; then\n  echo run >>runs\n  {SAMPLED}'
        "  [ $(wc -l <runs) -ge 7 ] && touch waiting && sleep 9\nfi\necho perfdocs-region main 0.02\n"
    )
    slow.chmod(0o755)
    more = (json.dumps([str(slow)]), json.dumps([str(slow)]), "--lock", "base", "--foreign-load", "4096")
    with subprocess.Popen(
        words(*more), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        device.wait_for("waiting")
        send = os.killpg if number == signal.SIGINT else os.kill  # Ctrl-C is for all that the terminal runs
        send(process.pid, number)
        _, said = process.communicate(timeout=PATIENCE)
    device.wait_reset()
    assert "Traceback" not in said
    device.wait(lambda: not started(slow))
    if number == signal.SIGKILL:
        return
    assert process.returncode == 130
    assert "interrupted; every round that counted is kept in build" in said
    found = record(tmp_path)
    assert found["stopped"] == "interrupted"
    assert len(found["readings"]["default_clocks"]["rounds"]) == 20
    assert len(found["readings"]["locked_clocks"]["rounds"]) == 2
    assert found["readings"]["locked_clocks"]["restored"] is True
    assert found["verdict"] == "undecided"


def left_behind(device: FakeDevice, *ways: str) -> None:
    """Locked clocks whose keeper was killed, and so was its parent."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    (device.folder / "perfdocs-clocks").write_text(json.dumps({"process": 1, "boot": boot, "ways": ways}))
    (device.folder / "locked").write_text("1500")


def test_reset_takes_off_what_a_killed_comparison_left_and_then_nothing_more(
    device: FakeDevice, tmp_path: Path
) -> None:
    left_behind(device, "NVML")
    device.fail("reset-sm-lost")
    done = ab(tmp_path, "--reset")
    assert done.returncode == 1
    assert "NVML: not reset, NVML: gpu is lost" in done.stdout
    device.fail()
    done = ab(tmp_path, "--reset")
    assert (done.returncode, done.stdout) == (0, "NVML: reset\nncu: reset\n")
    assert not device.locked
    resets = device.log
    done = ab(tmp_path, "--reset")
    assert (done.returncode, done.stdout.partition(":")[0]) == (0, "nothing to reset")
    assert device.log == resets


def test_clocks_that_somebody_else_has_locked_are_left_alone_unless_forced(device: FakeDevice, tmp_path: Path) -> None:
    (device.folder / "locked").write_text("1400")
    done = ab(tmp_path, "--reset")
    assert done.returncode == 0
    assert "no comparison of perfdocs has left the clocks locked" in done.stdout
    assert "--force" in done.stdout
    assert device.locked
    assert not device.log
    done = ab(tmp_path, "--reset", "--force")
    assert (done.returncode, done.stdout) == (0, "NVML: reset\nncu: reset\n")
    assert not device.locked
    device.fail("no-driver")
    done = ab(tmp_path, "--reset", "--force")
    assert (done.returncode, done.stdout) == (
        0,
        "NVML: nothing to reset, NVML does not start: driver not loaded\nncu: reset\n",
    )


@pytest.mark.parametrize("more", [(), ("--force",)])
def test_clocks_that_are_held_now_are_never_reset(device: FakeDevice, tmp_path: Path, more: tuple[str, ...]) -> None:
    hold = Locker("base").open()
    assert isinstance(hold, Hold)
    try:
        done = ab(tmp_path, "--reset", *more)
        assert done.returncode == 1
        assert f"a comparison of perfdocs (process {os.getpid()}) holds the clocks now" in done.stdout
        assert device.locked
        assert hold.lost() is None
    finally:
        assert hold.close()
    assert not device.locked


@pytest.mark.parametrize("fault", ["no-permission", "no-permission-to-start"])
def test_a_reset_that_is_refused_is_said_and_1(device: FakeDevice, tmp_path: Path, fault: str) -> None:
    left_behind(device, "NVML")
    device.fail(fault)
    done = ab(tmp_path, "--reset")
    assert done.returncode == 1
    assert "NVML: not reset, NVML" in done.stdout
    assert "insufficient permissions" in done.stdout


def test_where_nobody_can_tell_only_force_resets(device: FakeDevice, tmp_path: Path) -> None:
    (device.folder / "perfdocs-clocks").mkdir()
    (device.folder / "locked").write_text("1400")
    done = ab(tmp_path, "--reset")
    assert done.returncode == 1
    assert "not reset: nobody can tell whether the clocks are held" in done.stdout
    assert device.locked
    assert ab(tmp_path, "--reset", "--force").returncode == 0
    assert not device.locked


def test_two_arms_of_a_real_benchmark_on_the_cpu(device: FakeDevice, tmp_path: Path) -> None:
    benchmarks = tmp_path / "benchmarks"
    shutil.copytree(PROJECT / "benchmarks" / "rk4", benchmarks / "rk4")
    more = ("--device", "cpu", "--at", "config=spread-100", "--at", "n=1000", "--lock", "base", "--profile")
    done = ab(benchmarks, "rk4:numpy_masked", "rk4:numpy_masked", *more, "--gate", "9")
    assert done.returncode == 5, done.stderr
    found = record(tmp_path)
    assert found["a"]["at"] == {"config": "spread-100", "n": 1000}
    assert len(found["readings"]["default_clocks"]["rounds"]) == 20
    assert found["readings"]["locked_clocks"]["absent"] == "a processor's clocks are not locked here"
    assert found["readings"]["profiler"]["absent"] == "a processor runs no kernels"
    assert device.log == []


def test_a_place_that_cannot_be_written_is_known_before(device: FakeDevice, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = ab(tmp_path, side(0.02), side(0.02), "--out", "file/it.json")
    assert done.returncode == 8
    assert "a place that can be read and written" in done.stderr
    assert "round" not in done.stderr


def test_a_record_that_cannot_be_written_is_shown(
    device: FakeDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "it.json")

    monkeypatch.setattr(record_file, "write_atomic", full)
    done = in_this_process(tmp_path, *EQUAL)
    assert done.returncode == 8
    assert "no space left on device" in done.stderr
    assert "nothing is lost" not in done.stderr
    assert len(json.loads(done.stdout)["readings"]["default_clocks"]["rounds"]) == 20
    assert not list((tmp_path / "build" / "ab").iterdir())


def test_the_files_of_a_command_are_in_the_record_and_the_report(tmp_path: Path) -> None:
    script = tmp_path / "new.sh"
    script.write_text("echo perfdocs-region main 0.5\n")
    done = ab(tmp_path, json.dumps(["/bin/sh", str(script)]), side(0.5))
    (program, argument), digest = record(tmp_path)["a"]["files"], sha256(script.read_bytes()).hexdigest()
    assert (program["role"], program["name"], len(program["sha256"])) == ("program", "sh", 64)
    assert argument == {"role": "argument", "name": "new.sh", "size": script.stat().st_size, "sha256": digest}
    assert f"  argument new.sh: sha256 {digest[:16]}…" in done.stdout.splitlines()
    assert str(tmp_path) not in json.dumps(record(tmp_path))
    assert "changed" not in record(tmp_path)["a"]


def test_a_file_that_changes_during_a_comparison_is_named(tmp_path: Path) -> None:
    script = tmp_path / "new.sh"
    script.write_text('echo "#" >>"$0"; echo perfdocs-region main 0.5\n')
    done = ab(tmp_path, json.dumps(["/bin/sh", str(script)]), side(0.5))
    assert record(tmp_path)["a"]["changed"] == ["new.sh"]
    assert "  changed while it was measured: new.sh" in done.stdout.splitlines()
