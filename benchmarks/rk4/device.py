"""What the CuPy arms share: the compiled kernels, and inputs and outputs on the device."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.launch import Launch, OneLaunch
from perfdocs.measure.packages import import_cupy

from .workload import Problem, Result

HERE = Path(__file__).parent
OPTIONS = ("--std=c++17",)
REALS = {"float64": "double", "float32": "float"}
FP64_A_STEP = 22  # instructions of the compiled step: 4 multiplications, 18 fused multiply-adds


@cache
def kernel(file: str, name: str, *defines: str, real: str = "float64") -> Any:
    """A kernel of ``file``, compiled for this device in the given precision and with ``NAME=VALUE`` definitions."""
    cupy = import_cupy()
    options = (*OPTIONS, f"-DRK4_REAL={REALS[real]}", *(f"-D{define}" for define in defines))
    return cupy.RawModule(code=inlined(HERE / file), options=options, backend="nvrtc").get_function(name)


def shared_memory() -> tuple[int, int]:
    """Bytes of shared memory that a block may ask for, and that an SM has, of the current device."""
    attributes = import_cupy().cuda.Device().attributes
    return int(attributes["MaxSharedMemoryPerBlockOptin"]), int(attributes["MaxSharedMemoryPerMultiprocessor"])


class DeviceArm(Prepared):
    """An arm whose inputs and outputs are CuPy arrays; a subclass says how to launch."""

    def __init__(self, problem: Problem, context: Context) -> None:
        self.cupy = import_cupy()
        self.problem = problem
        self.n, self.size = problem.n, np.int64(problem.n)
        self.sm_count = context.sm_count or 1
        self._host = problem.planes
        # It waits for the default stream, where arrays are made, and the default stream for it.
        self.stream = self.cupy.cuda.Stream()
        self.inputs = tuple(self.cupy.asarray(plane) for plane in self._host)
        self.outputs = tuple(self.cupy.zeros(self.n, dtype=dtype) for dtype in (problem.real, problem.real, np.int64))

    def kernel(self, file: str, name: str, *defines: str) -> Any:
        """A kernel in the precision of the problem."""
        return kernel(file, name, *defines, real=self.problem.real)

    def launch(self) -> None:
        """Put the work on :attr:`stream`."""
        raise NotImplementedError

    def run(self) -> None:
        """Launch and wait."""
        with self.stream:
            self.launch()
            self.stream.synchronize()

    def end_to_end(self) -> None:
        """Upload from ordinary host arrays, launch, download into new ones."""
        with self.stream:
            for plane, host in zip(self.inputs, self._host, strict=True):
                plane.set(host, stream=self.stream)
            self.launch()
            self.result()

    def result(self) -> Result:
        """The outputs in host memory."""
        with self.stream:
            return Result(*(plane.get() for plane in self.outputs))

    def counts(self) -> dict[str, float]:
        """One launch; every plane is read or written once."""
        return {"issued_byte": self.problem.useful_byte, "fp64_instructions": self.fp64_instructions}

    @property
    def fp64_instructions(self) -> int:
        """Of the steps that running samples take, all together."""
        return FP64_A_STEP * self.problem.sample_steps if self.problem.real == "float64" else 0

    def device_memory(self) -> int | None:
        """What CuPy's pool holds; the runner empties it before each arm."""
        return int(self.cupy.get_default_memory_pool().total_bytes())

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self.inputs = self.outputs = none


class KernelArm(OneLaunch, DeviceArm):
    """An arm that is one kernel over inputs and outputs."""

    def __init__(self, problem: Problem, context: Context, plan: Launch) -> None:
        super().__init__(problem, context)
        self.bound = plan.bound(*self.inputs, *self.outputs)


def blocks(n: int, threads: int) -> int:
    """Blocks that cover ``n`` samples."""
    return max(1, -(-n // threads))
