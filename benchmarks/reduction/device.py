"""What the CuPy arms share: the compiled kernels, the numbers on the device, sums back to back."""

from __future__ import annotations

from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

from .workload import FACTOR, Problem, Result

HERE = Path(__file__).parent
SUMS = 8  # a run: of the largest size some milliseconds, in which a launch and its synchronise are little
THREADS, BLOCKS_AN_SM, LOADS = 512, 4, 8
LEAST_PAIRS = 4  # a thread: few numbers are left to few blocks


@lru_cache(maxsize=1)
def header_options() -> tuple[str, ...]:
    """Where the headers of cooperative groups lie, and those they include: CUDA's and, along with CuPy, libcu++'s."""
    folders = []
    try:
        from cuda.pathfinder import find_nvidia_header_directory

        folders.append(find_nvidia_header_directory("cudart"))
    except ImportError:
        pass  # CuPy finds them by its own ways, or the compiler says what is missing
    found = PathFinder.find_spec("cupy")
    packages = (found.submodule_search_locations or ()) if found else ()
    folders += [str(Path(package, "_core", "include", "cupy", "_cccl", "libcudacxx")) for package in packages]
    return tuple(f"-I{folder}" for folder in folders if folder)


@lru_cache(maxsize=16)
def kernel(file: str, entry: str, threads: int, loads: int) -> Any:
    """One kernel, compiled for this device."""
    options = ["--std=c++17", f"-DREDUCTION_THREADS={threads}", f"-DREDUCTION_LOADS={loads}"]
    cooperative = file == "groups.cu"
    module = import_cupy().RawModule(
        code=inlined(HERE / file),
        options=(*options, *(header_options() if cooperative else ())),
        backend="nvrtc",
        enable_cooperative_groups=cooperative,
    )
    return module.get_function(entry)


@lru_cache(maxsize=1)
def numbers(n: int) -> Any:
    """The numbers on the device; kept for the next arm."""
    cupy = import_cupy()
    made = cupy.empty(n, dtype=np.int64)
    fill = kernel("reduce.cu", "reduction_numbers", THREADS, LOADS)
    fill((min(4096, -(-n // THREADS)),), (THREADS,), (np.int64(n), np.int64(FACTOR), made))
    return made


class DeviceArm(Prepared):
    """An arm that puts each sum of a run into an array of its own on the device; a subclass says how to add up once."""

    def __init__(self, problem: Problem, sums: int = SUMS) -> None:
        self.cupy = import_cupy()
        self.stream = self.cupy.cuda.Stream()  # waits for the default stream, where the numbers are made
        self.sums = sums
        self.numbers = numbers(problem.n)
        self.totals = [self.cupy.zeros((), dtype=np.int64) for _ in range(sums)]

    def add_up(self, place: int) -> None:
        """Put the sum into ``totals[place]``, on the current stream."""
        raise NotImplementedError

    def run(self) -> None:
        """Add up again and again; wait for the last."""
        with self.stream:
            for place in range(self.sums):
                self.add_up(place)
            self.stream.synchronize()

    def result(self) -> Result:
        """Each sum."""
        with self.stream:
            return [int(total.get()) for total in self.totals]

    def counts(self) -> dict[str, float]:
        """Sums of a run."""
        return {"sums": self.sums}

    def close(self) -> None:
        """Drop the arrays; the numbers stay for the next arm."""
        none: Any = None
        self.numbers, self.totals = none, []


class KernelArm(DeviceArm):
    """One of our kernels a sum."""

    def __init__(
        self,
        problem: Problem,
        context: Context,
        file: str,
        entry: str,
        *,
        threads: int = THREADS,
        blocks_an_sm: int = BLOCKS_AN_SM,
        loads: int = LOADS,
        least_pairs: int = LEAST_PAIRS,
        sums: int = SUMS,
    ) -> None:
        super().__init__(problem, sums)
        count = problem.n // 2
        blocks = max(1, min(blocks_an_sm * (context.sm_count or 1), -(-count // (threads * least_pairs))))
        self._kernel, self._shape = kernel(file, entry, threads, loads), ((blocks,), (threads,))
        partial = self.cupy.zeros(blocks * (threads // 32), dtype=np.int64)
        ended = self.cupy.zeros(1, dtype=np.uint32)
        given = (self.numbers, np.uint32(count), partial, ended)
        self._arguments = [(*given, total) for total in self.totals]

    def add_up(self, place: int) -> None:
        """One launch."""
        self._kernel(*self._shape, self._arguments[place])

    def close(self) -> None:
        """Drop the arrays."""
        self._arguments = []
        super().close()
