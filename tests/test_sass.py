"""Machine instructions counted without a GPU."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import pytest
from tests.machine_code import MachineCode

from perfdocs.errors import PerfdocsError
from perfdocs.measure import sass
from perfdocs.measure.arm import Cannot
from perfdocs.measure.sass import Instruction, total

CHAINS = """
extern "C" __global__ void chain(const double* in, double* out, int n) {
    double a = in[threadIdx.x], b = in[threadIdx.x + 1];
    #pragma unroll 8
    for (int i = 0; i < 8 * n; ++i) a = fma(a, b, b);
    out[threadIdx.x] = a;
}
extern "C" __global__ void dead(const double* in, double* out, int n) {
    double a = in[threadIdx.x], b = in[threadIdx.x + 1];
    for (int i = 0; i < n; ++i) a = fma(a, b, b);
    out[threadIdx.x] = b;
}
extern "C" __global__ void nested(const float4* in, float4* out, int n, int m) {
    float4 s = {0, 0, 0, 0};
    for (int i = 0; i < n; ++i) {
        #pragma unroll 1
        for (int j = 0; j < m; ++j) { float4 v = in[i * m + j]; s.x = fmaf(v.x, v.y, s.x); s.y = fmaf(v.z, v.w, s.y); }
        __syncthreads();
    }
    out[threadIdx.x] = s;
}
extern "C" __global__ void endless(volatile int* p) { while (true) if (*p == 7) *p = 8; }
"""


@pytest.mark.parametrize("architecture", [80, 90, 120])
def test_chains_and_loops_are_counted(architecture: int, machine_code: MachineCode) -> None:
    found = machine_code.instructions(CHAINS, (), architecture)
    loops = machine_code.inner_loops(CHAINS, (), architecture)
    assert list(found) == list(loops)
    assert max(loop["DFMA"] for loop in loops["chain"]) == 8
    assert found["chain"]["DFMA"] >= 8
    assert total(found["dead"], "DFMA") == 0
    assert loops["dead"] == ()
    (inner,) = loops["nested"]
    assert (inner["FFMA"], total(inner, "LDG")) == (2, 1)
    assert inner["LDG.E.128"] == 1
    assert total(inner, "BAR") == 0
    assert total(found["nested"], "BAR") == 1
    assert len(loops["endless"]) == 1


def test_a_text_that_does_not_compile_is_said(machine_code: MachineCode) -> None:
    with pytest.raises(PerfdocsError, match="kernels that compile"):
        machine_code.instructions("nonsense", (), 90)


def test_without_the_package_the_reason_is_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    sass._nvdisasm.cache_clear()
    with pytest.raises(Cannot, match="nvidia-cuda-nvdisasm is not installed"):
        sass._nvdisasm()
    sass._nvdisasm.cache_clear()


def listing(*lines: str) -> list[Instruction]:
    """Instructions from ``OPCODE``, ``@OPCODE`` with a predicate, and ``BRA place``."""
    found = []
    for line in lines:
        opcode, _, target = line.lstrip("@").partition(" ")
        found.append(Instruction(opcode, not line.startswith("@"), int(target) if target else None))
    return found


@pytest.mark.parametrize(
    ("lines", "loops"),
    [
        (("FFMA", "@BRA 0", "EXIT", "BRA 3", "NOP"), [(0, 1)]),
        (("MOV", "FFMA", "@BRA 1", "@BRA 0", "EXIT"), [(1, 2)]),
        (("MOV", "@BRA 0", "FFMA", "@BRA 0", "EXIT"), [(0, 3)]),
        (("FFMA", "@BRA 0", "DFMA", "@BRA 2", "EXIT"), [(0, 1), (2, 3)]),
        (("@BRA 4", "@EXIT", "@BRA 0", "EXIT", "MOV", "BRA 1"), [(0, 2)]),
        (("@BRA 2", "MOV", "EXIT"), []),
    ],
)
def test_innermost_loops_of_a_listing(lines: tuple[str, ...], loops: list[tuple[int, int]]) -> None:
    """Endless waiting behind the end, a loop in a loop, `continue`, a rest, code set apart, a way forward."""
    assert sass._innermost(listing(*lines)) == loops


@pytest.mark.parametrize("text", ["", "[]", "[1, 2]", "[{}, [{}]]", '[{}, [{"function-name": "k"}]]'])
def test_a_listing_in_another_form_is_said(text: str) -> None:
    with pytest.raises(PerfdocsError, match="a listing of kernels"):
        sass._read(text)


def test_opcodes_are_summed_with_their_modifiers() -> None:
    counted = {"HFMA2": 3, "HFMA2.MMA": 2, "HFMA": 7, "LDG.E.128": 1, "LDGSTS": 5}
    assert total(counted, "HFMA2") == 5
    assert total(counted, "LDG", "HFMA") == 8
