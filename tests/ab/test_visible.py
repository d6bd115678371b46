"""Which GPU is meant where only CUDA_VISIBLE_DEVICES tells, over the stand-in for NVML."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.ab.conftest import PATIENCE, FakeDevice

ASK = """
from perfdocs.ab.clocks import open_control
from perfdocs.measure.cuda import bus_id
found = open_control(None)
print(bus_id(), found if isinstance(found, str) else found._handle, sep="|")
"""


@pytest.mark.parametrize(
    ("named", "order", "faults", "said"),
    [
        (None, None, "", "00000000:00:00.0|gpu 0"),
        ("1", None, "two", "00000000:01:00.0|gpu 1"),
        ("1,0", None, "two", "00000000:01:00.0|gpu 1"),
        ("GPU-21", None, "two", "00000000:01:00.0|gpu 1"),
        ("GPU-2", None, "two-kinds", "00000000:01:00.0|gpu 1"),
        ("GPU-", None, "two", "None|nobody can tell which GPU it is: CUDA_VISIBLE_DEVICES=GPU- names no GPU"),
        ("1", "PCI_BUS_ID", "two-kinds", "00000000:01:00.0|gpu 1"),
        ("1", None, "two-kinds", "None|nobody can tell which GPU it is: several kinds of GPU are here"),
        (None, None, "two-kinds", "None|nobody can tell which GPU it is: several kinds of GPU are here"),
        ("5", None, "two", "None|nobody can tell which GPU it is: CUDA_VISIBLE_DEVICES=5 names no GPU"),
        ("", None, "", "None|nobody can tell which GPU it is: CUDA_VISIBLE_DEVICES= names no GPU"),
        ("MIG-1", None, "", "None|nobody can tell which GPU it is: CUDA_VISIBLE_DEVICES=MIG-1 names no GPU"),
    ],
)
def test_the_gpu_is_that_of_the_programs_or_none(
    device: FakeDevice,
    monkeypatch: pytest.MonkeyPatch,
    named: str | None,
    order: str | None,
    faults: str,
    said: str,
) -> None:
    device.fail(faults)
    for key, value in (("CUDA_VISIBLE_DEVICES", named), ("CUDA_DEVICE_ORDER", order)):
        monkeypatch.delenv(key, raising=False)
        if value is not None:
            monkeypatch.setenv(key, value)
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith(said)
