"""Facts of the machine, and messages fit for a card."""

from __future__ import annotations

import platform

import pytest

from perfdocs.measure.arm import Cannot
from perfdocs.measure.edges import NvmlFacts
from perfdocs.measure.failure import reason_of
from perfdocs.measure.machine import cpu_clock, cpu_device, gpu_device, host
from perfdocs.measure.scrub import scrub

from .fakes import FakeClock, FakeFiles, FakeGpu, FakeNvml


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz", "intel-xeon-gold-6248"),
        ("AMD EPYC", "amd-epyc-4c"),
        ("AMD EPYC 9654 96-Core Processor", "amd-epyc-9654"),
        ("Intel(R) Xeon(R) Processor", "intel-xeon-4c"),
        ("<b>Ω</b> ../../etc", "b-b-etc-4c"),
        ("", "cpu-of-unknown-model-4c"),
    ],
)
def test_the_id_of_a_cpu_is_its_public_name(model: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "processor", lambda: "")
    pairs = "".join(f"\nphysical id\t: 0\ncore id\t: {core}\n" for core in range(4))
    files = FakeFiles({"/proc/cpuinfo": f"model name\t: {model}\n{pairs}" if model else pairs})
    assert cpu_device(files).id == key.replace("cpu-of-unknown-model", "of-unknown-model")
    assert cpu_device(files, "Lab 2!").id.endswith("-lab-2")


def test_what_the_machine_does_not_tell_is_none() -> None:
    device = cpu_device(FakeFiles({}))
    assert (device.cores, device.simd, device.memory, device.max_clock, device.l3_cache, device.governor) == (None,) * 6
    assert host(FakeFiles({})).container is None
    assert cpu_clock(FakeFiles({})) is None


def test_a_host_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "secret-node")
    assert "secret" not in repr(host(FakeFiles()))


def test_a_mig_slice_is_part_of_the_id() -> None:
    class Sliced(FakeNvml):
        def facts(self) -> NvmlFacts:
            return NvmlFacts("Made Up GPU", mig="1g.18gb")

    assert gpu_device(FakeGpu(), Sliced(FakeClock())).id == "made-up-gpu-mig-1g-18gb"
    assert gpu_device(FakeGpu(), None, "lab2").id == "made-up-gpu-lab2"


def test_unknown_clock_files_are_none_and_known_ones_a_mean() -> None:
    import os

    allowed = sorted(os.sched_getaffinity(0))
    path = "/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq"
    files = FakeFiles({path.format(cpu): "2000000\n" for cpu in allowed})
    assert cpu_clock(files) == 2e9


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("cannot open /home/someone/x/y.bin", "someone"),
        ("cannot open '/tmp/abc/def.so': no such file", "abc"),
        (r"cannot open C:\Users\someone\x", "someone"),
        ("see https://inside.example.org/a?b=c now", "example"),
        ("GPU-3f2a4b5c-1234-1234-1234-1234567890ab is lost", "3f2a4b5c"),
        ("at 0x7ffdeadbeef0", "deadbeef"),
        ("connect to 10.1.2.3 failed", "10.1"),
        ("two\nlines", "lines"),
        ("a\x1b[31mred\u202e", "\x1b"),
    ],
)
def test_a_message_is_scrubbed(text: str, gone: str) -> None:
    assert gone not in scrub(text)
    assert scrub(text)


def test_a_message_names_no_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "node-17")
    assert scrub("timeout on Node-17 today") == "timeout on this machine today"
    assert len(scrub("x" * 1000)) <= 300


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Cannot("unsupported", "no such node"), "unsupported"),
        (MemoryError(), "out_of_memory"),
        (RuntimeError("CUDA out of memory. Tried to allocate"), "out_of_memory"),
        (ModuleNotFoundError("No module named 'warp'", name="warp.sim"), "not_installed"),
        (ImportError("numba needs an older NumPy"), "error"),
        (ZeroDivisionError("division by zero"), "error"),
    ],
)
def test_the_kind_of_a_failure(error: Exception, kind: str) -> None:
    assert reason_of(error)[0] == kind
