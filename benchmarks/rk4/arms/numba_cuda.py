"""Numba on the GPU: one launch; each thread runs its sample to the end, its state in registers."""

from __future__ import annotations

import importlib.util
import warnings
from functools import cache
from typing import Any

import numpy as np

from perfdocs.measure.arm import Cannot, Context, Prepared

from ..workload import STEP, Problem, Result, warp_steps

PACKAGES = ("numba.cuda",)
THREADS = 64  # small, so that a small batch spreads over many SMs


@cache
def import_cuda() -> Any:
    """``numba.cuda`` as the package numba-cuda has it. Raises :class:`Cannot` where it is absent or does not load."""
    if importlib.util.find_spec("numba") is None or importlib.util.find_spec("numba_cuda") is None:
        raise Cannot("not_installed", "numba-cuda is not installed")
    try:
        from numba import cuda
    except Exception as error:  # noqa: BLE001, RUF100 - beside a NumPy or Numba that it does not know, many ways
        raise _does_not_load(error) from None
    return cuda


def _does_not_load(error: Exception) -> Cannot:
    line = " ".join(str(error).split())[:120]
    return Cannot("unsupported", f"numba-cuda does not load: {type(error).__name__}: {line}")


def require_gpu() -> Any:
    """``numba.cuda`` with a GPU. Raises :class:`Cannot` where there is none."""
    cuda = import_cuda()
    if not cuda.is_available():
        raise Cannot("unsupported", "Numba sees no GPU")
    return cuda


def integrate(real: Any) -> Any:
    """The kernel as a plain function, its constants in the given precision."""
    h, half, third, sixth = real(STEP), real(STEP / 2), real(STEP / 3), real(STEP / 6)
    minus_two = real(-2.0)
    cuda = import_cuda()

    # The order of the sums is that of the CUDA kernels; multiply-adds are fused by default.
    def rk4_numba(omega: Any, zeta: Any, x0: Any, v0: Any, nstop: Any, x_out: Any, v_out: Any, steps_out: Any) -> None:
        i = cuda.grid(1)
        if i >= omega.size:
            return
        w = omega[i]
        c = minus_two * zeta[i] * w
        k = -w * w
        x = x0[i]
        v = v0[i]
        limit = np.int32(nstop[i])
        for _ in range(limit):
            a1 = c * v + k * x
            v2 = half * a1 + v
            a2 = c * v2 + k * (half * v + x)
            v3 = half * a2 + v
            a3 = c * v3 + k * (half * v2 + x)
            v4 = h * a3 + v
            a4 = c * v4 + k * (h * v3 + x)
            x = sixth * v4 + (third * v3 + (third * v2 + (sixth * v + x)))
            v = sixth * a4 + (third * a3 + (third * a2 + (sixth * a1 + v)))
        x_out[i] = x
        v_out[i] = v
        steps_out[i] = limit

    return rk4_numba


@cache
def kernel(real: str) -> Any:
    """The kernel with its signature, so that it is compiled when the arm is prepared, and no call looks for types."""
    cuda = import_cuda()
    name = f"{real}[::1]"
    signature = f"void({name}, {name}, {name}, {name}, int64[::1], {name}, {name}, int64[::1])"
    try:
        return cuda.jit(signature)(integrate(np.dtype(real).type))
    except (AttributeError, ImportError) as error:  # half of it loads only when something is compiled
        raise _does_not_load(error) from None


class Arm(Prepared):
    """The compiled kernel over one problem."""

    def __init__(self, problem: Problem, *, threads: int = THREADS) -> None:
        self._cuda = cuda = require_gpu()
        self.problem = problem
        self._host = problem.planes
        compiled = kernel(problem.real)
        self._stream = cuda.stream()
        self._inputs = [cuda.to_device(plane, stream=self._stream) for plane in self._host]
        types = (problem.real, problem.real, np.int64)
        self._outputs = [cuda.device_array(problem.n, dtype=dtype) for dtype in types]
        with warnings.catch_warnings():  # a small batch cannot fill the device, and Numba says so
            warnings.simplefilter("ignore")
            self._launch = compiled[max(1, -(-problem.n // threads)), threads, self._stream]
        self._stream.synchronize()

    def run(self) -> None:
        """Launch and wait."""
        self._launch(*self._inputs, *self._outputs)
        self._stream.synchronize()

    def end_to_end(self) -> None:
        """Upload from ordinary host arrays, launch, download into new ones."""
        for plane, host in zip(self._inputs, self._host, strict=True):
            plane.copy_to_device(host, stream=self._stream)
        self._launch(*self._inputs, *self._outputs)
        self.result()

    def result(self) -> Result:
        """The outputs in host memory."""
        planes = [plane.copy_to_host(stream=self._stream) for plane in self._outputs]
        self._stream.synchronize()
        return Result(*planes)

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once; a warp steps until its longest sample ends."""
        return {"issued_byte": self.problem.useful_byte, "issued_steps": warp_steps(self.problem.nstop)}

    def close(self) -> None:
        """Drop the arrays; Numba frees them in batches unless it is asked."""
        none: Any = None
        self._launch = none
        self._inputs, self._outputs = [], []
        self._cuda.current_context().memory_manager.deallocations.clear()


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Upload and compile."""
    return Arm(problem)
