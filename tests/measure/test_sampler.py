"""The sampler: what it makes of the files of /proc and of NVML, and a real process of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.measure.fakes import FakeFiles

from perfdocs.measure.edges import Sampler, SamplerError, Watched
from perfdocs.measure.sampled import SamplerProcess, open_sampler
from perfdocs.measure.sampler import DeviceProbe, HostProbe, Sample, _read, busy_seconds, decoded, encoded, main, tree

LINUX = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the sampler reads /proc")

# user nice system idle iowait irq softirq steal guest guest_nice, in hundredths of a second
STAT = """cpu  1000 0 0 9000 0 0 0 0 0 0
cpu0 100 10 20 5000 700 1 2 3 50 0
cpu1 400 0 0 3000 0 0 0 0 0 0
cpu3 7 0 0 1 0 0 0 0 0 0
intr 1 2 3
procs_running 4
"""


def test_busy_time_is_all_but_idle_and_waiting_of_the_processors_allowed() -> None:
    assert busy_seconds(STAT, {0}, 0.01) == pytest.approx(1.36)  # a guest's time is in user, stolen time counts
    assert busy_seconds(STAT, {0, 1}, 0.01) == pytest.approx(5.36)


@pytest.mark.parametrize("stat", ["", "cpu  1 1 1 1 1 1 1 1\n", STAT.replace("cpu0", "cpu8"), "cpu0 0 0 0 9 9 0 0 0\n"])
def test_what_a_container_hides_is_not_zero(stat: str) -> None:
    assert busy_seconds(stat, {0}, 0.01) is None


def process(ticks: tuple[int, int, int, int]) -> str:
    before = "S 1 1 1 0 -1 4194560 0 0 0 0 "
    return f"77 (a name) with) {before}{' '.join(map(str, ticks))} 20 0 1\n"


FILES: dict[str, str] = {
    "/proc/stat": STAT,
    "/proc/7/stat": process((100, 10, 5, 1)),
    "/proc/7/task/7/children": "8 9 ",
    "/proc/8/stat": process((50, 0, 0, 0)),
    "/proc/8/task/8/children": "",
}


def of(files: dict[str, str]) -> Callable[[str], str | None]:
    return FakeFiles(files).read


def more_of(sampler: Sampler, what: Watched, least: int) -> list[Sample]:
    """So many samples at least, within a minute."""
    samples: list[Sample] = []
    until = time.monotonic() + 60
    while len(samples) < least:
        assert time.monotonic() < until
        time.sleep(0.05)
        samples += sampler.watch(what)
    return samples


def test_our_time_is_that_of_the_process_and_its_descendants() -> None:
    pids, seconds = tree(of(FILES), 7, 0.01)
    assert pids == {7, 8}  # 9 has ended between the two readings
    assert seconds == pytest.approx(1.66)
    assert tree(of({}), 7, 0.01) == ({7}, None)


def test_what_a_thread_has_started_is_ours() -> None:
    files = FILES | {"/proc/7/task/70/children": "9 ", "/proc/9/stat": process((30, 0, 0, 0))}
    pids, seconds = tree(of(files), 7, 0.01, lambda pid: [str(pid), "70"] if pid == 7 else [str(pid)])
    assert pids == {7, 8, 9}
    assert seconds == pytest.approx(1.96)


@LINUX
def test_a_real_child_of_a_thread_is_ours() -> None:
    started: list[subprocess.Popen[bytes]] = []
    command = [sys.executable, "-c", "input()"]
    go_on, done = threading.Event(), threading.Event()

    def work() -> None:  # the list of a thread that has ended is that of another
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL))
        done.set()
        go_on.wait()

    thread = threading.Thread(target=work)
    thread.start()
    done.wait()
    with started[0] as child:
        pids, _ = tree(_read, os.getpid(), 0.01)
        child.kill()
    go_on.set()
    thread.join()
    assert child.pid in pids


@LINUX
def test_the_host_as_far_as_its_files_tell() -> None:
    own, found = HostProbe(7, of(FILES), {0, 1}).read()
    assert own == {7, 8}
    assert (found["run_queue"], found["cpu_clock"]) == (3, None)  # the sampler itself runs
    clock = {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "2000000\n"}
    assert HostProbe(7, of(FILES | clock), {0, 1}).read()[1]["cpu_clock"] == 2e9
    assert HostProbe(7, of({}), {0}).read() == (
        {7},
        {"busy": None, "own": None, "run_queue": None, "cpu_clock": None, "cpu_energy": None},
    )


class NVMLError(Exception):
    pass


def stand_in(**changes: Any) -> Any:
    """A pynvml of one device; a value that is an exception is raised."""
    instant = SimpleNamespace(nvmlReturn=0, value=SimpleNamespace(uiVal=650_000))
    answers: dict[str, Any] = {
        "ClockInfo": 1755,
        "UtilizationRates": SimpleNamespace(gpu=50),
        "TotalEnergyConsumption": 5_000,
        "PerformanceState": 0,
        "CurrentClocksEventReasons": 0x1 | 0x4,
        "Temperature": 31,
        "FieldValues": [instant],
        "PowerUsage": 90_000,
        "ComputeRunningProcesses": [SimpleNamespace(pid=7), SimpleNamespace(pid=99)],
        "GraphicsRunningProcesses": [SimpleNamespace(pid=99), SimpleNamespace(pid=98)],
    } | changes

    def answer(value: Any) -> Callable[..., Any]:
        def call(*_: Any) -> Any:
            if isinstance(value, Exception):
                raise value
            return value

        return call

    constants = {"NVML_CLOCK_SM": 1, "NVML_CLOCK_MEM": 2, "NVML_TEMPERATURE_GPU": 0, "NVML_FI_DEV_POWER_INSTANT": 186}
    return SimpleNamespace(
        NVMLError=NVMLError, **constants, **{f"nvmlDeviceGet{name}": answer(value) for name, value in answers.items()}
    )


def read(**changes: Any) -> dict[str, Any]:
    return DeviceProbe(stand_in(**changes), "handle").read({7, 8})


def test_the_device_in_si_units() -> None:
    found = Sample(0.0, **read())
    assert (found.sm_clock, found.utilisation, found.power, found.energy) == (1.755e9, 0.5, 650.0, 5.0)
    assert (found.temperature, found.p_state, found.throttle) == (31, 0, ("power_cap",))
    assert found.foreign_processes == 2  # each once


def test_power_is_an_average_only_where_the_device_has_no_other() -> None:
    assert read(FieldValues=NVMLError())["power"] == 90.0
    assert read(FieldValues=NVMLError(), PowerUsage=NVMLError())["power"] is None


def test_a_list_of_processes_that_leaves_us_out_tells_nothing() -> None:
    assert read(ComputeRunningProcesses=[], GraphicsRunningProcesses=[])["foreign_processes"] is None
    assert read(ComputeRunningProcesses=[SimpleNamespace(pid=99)])["foreign_processes"] is None
    assert read(GraphicsRunningProcesses=NVMLError())["foreign_processes"] == 1


def test_what_nvml_refuses_is_absent() -> None:
    found = read(**dict.fromkeys(("ClockInfo", "UtilizationRates", "TotalEnergyConsumption"), NVMLError()))
    assert {key for key in ("sm_clock", "memory_clock", "utilisation", "energy") if found[key] is not None} == set()
    assert read(PerformanceState=32)["p_state"] is None  # unknown


def test_a_line_of_samples_reads_back() -> None:
    samples = (Sample(1.5, busy=2.0, throttle=("power_cap",), p_state=0, device=True), Sample(2.5))
    assert decoded(encoded(samples)) == samples
    assert decoded(encoded([])) == ()


def ends(pid: int) -> bool:
    """Whether a process, of whoever, ends soon; one that waits for its parent counts."""
    for _ in range(1000):
        try:
            if ") Z " in Path(f"/proc/{pid}/stat").read_text():
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


@LINUX
def test_a_real_sampler_answers_with_samples_of_this_clock() -> None:
    sampler = open_sampler(False)
    assert isinstance(sampler, SamplerProcess)
    try:
        begun = time.monotonic()
        assert sampler.watch("host") == ()
        samples = more_of(sampler, "host", 3)
        assert [s.time for s in samples] == sorted(s.time for s in samples)
        assert all(begun <= s.time <= (s.end or 0.0) <= time.monotonic() and not s.device for s in samples)
        assert samples[-1].own is not None
        sampler.watch("nothing")
        assert sampler.watch("nothing") == ()
    finally:
        sampler.close()
    assert sampler._process.returncode == 0  # ended by itself, when its input was closed
    with pytest.raises(SamplerError, match="has ended"):
        sampler.watch("host")


PARENT = """
import sys, time
from perfdocs.measure.sampled import open_sampler
sampler = open_sampler(False)
sampler.watch("host")
print(sampler.pid, flush=True)
time.sleep(600)
"""


NVML = """
NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0
class NVMLError(Exception): ...
def nvmlInit(): ...
def nvmlDeviceGetHandleByIndex(index): return index
def nvmlDeviceGetHandleByPciBusId(bus): return 0
def nvmlDeviceGetClockInfo(handle, which): return 1755
def nvmlDeviceGetTemperature(handle, which): raise NVMLError
def nvmlDeviceGetCurrentClocksThrottleReasons(handle): return 0x20
"""


@LINUX
def test_a_real_sampler_reads_a_made_up_device_only_where_it_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pynvml.py").write_text(NVML)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    sampler = open_sampler(True)
    assert isinstance(sampler, SamplerProcess)
    try:
        sampler.watch("device")
        samples = more_of(sampler, "device", 2)
        assert [(s.sm_clock, s.temperature, s.throttle) for s in samples[:2]] == [(1.755e9, None, ("thermal",))] * 2
        sampler.watch("host")
        assert not any(s.device for s in more_of(sampler, "host", 1))
    finally:
        sampler.close()


@LINUX
def test_its_cost_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cost"]) == 0
    assert re.match(
        r"host: \d+ µs a sample, [\d.]+% of one processor at a sample each 0.04 s\n", capsys.readouterr().out
    )


@LINUX
def test_the_sampler_ends_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    assert ends(pid)


@LINUX
@pytest.mark.parametrize(
    ("script", "patience", "said"),
    [
        ("import time; time.sleep(600)", 0.5, "TimeoutError"),
        ("", 60, "BrokenPipeError"),
        ("input(); print('nonsense')", 60, "JSONDecodeError"),
    ],
)
def test_a_sampler_that_hangs_ends_or_errs_is_given_up(script: str, patience: float, said: str) -> None:
    sampler = SamplerProcess([sys.executable, "-c", script], patience)
    with pytest.raises(SamplerError, match=rf"does not answer \({said}\)"):
        sampler.watch("host")
    assert ends(sampler.pid)


@LINUX
def test_a_sampler_that_does_not_start_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert open_sampler(False) == "the sampler does not start (FileNotFoundError)"
