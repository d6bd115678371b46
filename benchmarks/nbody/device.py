"""What the CuPy arms share: the compiled kernels, bodies and accelerations on the device, evaluations back to back."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from perfdocs.measure.arm import Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

from .workload import SOFTENING, TYPES, Problem, Reals, flop

HERE = Path(__file__).parent
MOST_EVALUATIONS, INTERACTIONS = 64, 2**32  # a run: some milliseconds, in which a launch and its synchronise are little


@lru_cache(maxsize=64)
def kernel(entry: str, *defines: str) -> Any:
    """One kernel of ``nbody.cu``, compiled for this device with the given ``NAME=VALUE`` definitions."""
    options = ("--std=c++17", *(f"-D{define}" for define in defines))
    return (
        import_cupy().RawModule(code=inlined(HERE / "nbody.cu"), options=options, backend="nvrtc").get_function(entry)
    )


class DeviceArm(Prepared):
    """An arm whose bodies and accelerations are CuPy arrays; a subclass says how to evaluate once."""

    def __init__(self, problem: Problem, evaluations: int) -> None:
        self.cupy = import_cupy()
        self.stream = self.cupy.cuda.Stream()
        self.problem, self.evaluations = problem, evaluations
        self.bodies = self.cupy.asarray(problem.bodies)
        self.out = self.cupy.zeros((3, problem.n), dtype=problem.bodies.dtype)

    def evaluate(self) -> None:
        """Put the accelerations of every body into :attr:`out`, on the current stream."""
        raise NotImplementedError

    def run(self) -> None:
        """Evaluate again and again; wait for the last."""
        with self.stream:
            for _ in range(self.evaluations):
                self.evaluate()
            self.stream.synchronize()

    def result(self) -> Reals:
        """The accelerations in host memory."""
        with self.stream:
            host: Reals = self.out.get()
            return host

    def counts(self) -> dict[str, float]:
        """Flop by the published rule."""
        return flop(self.problem, self.evaluations)

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self.bodies = self.out = none


class KernelArm(DeviceArm):
    """One kernel, each of whose blocks of ``threads`` evaluates ``held`` bodies."""

    def __init__(self, problem: Problem, entry: str, threads: int, held: int, *defines: str) -> None:
        n = problem.n
        super().__init__(problem, max(1, min(MOST_EVALUATIONS, INTERACTIONS // n**2)))
        fp64 = int(problem.type == "fp64")
        self._kernel = kernel(entry, f"NBODY_FP64={fp64}", f"NBODY_THREADS={threads}", *defines)
        self._shape = ((n // held,), (threads,))
        self._softening = TYPES[problem.type](SOFTENING)

    def evaluate(self) -> None:
        """One launch."""
        n = self.cupy.int32(self.problem.n)
        self._kernel(*self._shape, (n, self.bodies, self._softening, self.out))
