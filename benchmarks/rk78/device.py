"""What the CuPy arms share: the compiled kernels, and inputs and outputs on the device."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.launch import Launch, OneLaunch
from perfdocs.measure.packages import import_cupy

from .lines import lines_of_code
from .workload import USEFUL_BYTE, Problem, Result

HERE = Path(__file__).parent
OPTIONS = ("--std=c++17",)
FP64_AN_ATTEMPT = 559  # instructions of the compiled attempt: 401 fused, 127 multiplications, 29 additions, 2 compares


@lru_cache(maxsize=256)
def module(name: str, *defines: str) -> Any:
    """A file of kernels, compiled for this device with the given ``NAME=VALUE`` definitions."""
    options = (*OPTIONS, *(f"-D{define}" for define in defines))
    return import_cupy().RawModule(code=inlined(HERE / name), options=options, backend="nvrtc")


@lru_cache(maxsize=256)
def kernel(name: str, entry: str, *defines: str) -> Any:
    """One kernel of :func:`module`."""
    return module(name, *defines).get_function(entry)


class DeviceArm(Prepared):
    """An arm whose inputs and outputs are CuPy arrays; a subclass says how to launch."""

    code: ClassVar[tuple[str, ...]] = ()
    """The files that its lines of code are counted in."""

    def __init__(self, problem: Problem, context: Context) -> None:
        self.cupy = import_cupy()
        self.problem = problem
        self.n, self.size = problem.n, np.int64(problem.n)
        self.sm_count = context.sm_count or 1
        # It waits for the default stream, where arrays are made, and the default stream for it.
        self.stream = self.cupy.cuda.Stream()
        self.start = self.cupy.asarray(problem.start)
        self.outputs = (
            self.cupy.zeros((7, self.n)),
            self.cupy.zeros(self.n, dtype=np.int32),
            self.cupy.zeros(self.n, dtype=np.int32),
        )

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
            self.start.set(self.problem.start, stream=self.stream)
            self.launch()
            self.result()

    def result(self) -> Result:
        """The outputs in host memory."""
        with self.stream:
            return Result(*(plane.get() for plane in self.outputs))

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once."""
        accepted, rejected = self.taken()
        return {
            "issued_byte": USEFUL_BYTE * self.n,
            "fp64_instructions": FP64_AN_ATTEMPT * (accepted + rejected),
            "code_lines": lines_of_code(*self.code),
        }

    def taken(self) -> tuple[int, int]:
        """Steps accepted and rejected in the last run, over the batch."""
        with self.stream:
            _, accepted, rejected = self.outputs
            return int(accepted.sum(dtype=np.int64)), int(rejected.sum(dtype=np.int64))

    def device_memory(self) -> int | None:
        """What CuPy's pool holds; the runner empties it before each arm."""
        return int(self.cupy.get_default_memory_pool().total_bytes())

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self.start = self.outputs = none


class KernelArm(OneLaunch, DeviceArm):
    """An arm that is one kernel over the start and the outputs."""

    def __init__(self, problem: Problem, context: Context, plan: Launch) -> None:
        super().__init__(problem, context)
        self.bound = plan.bound(self.start, *self.outputs)


def blocks(n: int, threads: int) -> int:
    """Blocks that cover ``n`` samples."""
    return max(1, -(-n // threads))
