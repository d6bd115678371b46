"""What the CuPy arms share: the compiled kernels, and searches launched back to back."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.arm import Prepared
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

from .workload import Problem, Result

HERE = Path(__file__).parent
SEARCHES = 64  # a run: a search takes no longer than a launch with its synchronise
UNROLL = 16  # pairs between two jumps back


@lru_cache(maxsize=16)
def kernel(entry: str, unroll: int) -> Any:
    """One kernel of ``search.cu``, compiled for this device."""
    options = ("--std=c++17", f"-DLOOPS_UNROLL={unroll}")
    return (
        import_cupy().RawModule(code=inlined(HERE / "search.cu"), options=options, backend="nvrtc").get_function(entry)
    )


class DeviceArm(Prepared):
    """Searches by one kernel over so many threads, in blocks of ``block``."""

    def __init__(
        self, problem: Problem, entry: str, threads: int, block: int, *, unroll: int = UNROLL, searches: int = SEARCHES
    ) -> None:
        cupy = import_cupy()
        self.stream = cupy.cuda.Stream()
        self.searches = searches
        self._kernel = kernel(entry, unroll)
        self._shape = ((max(1, -(-threads // block)),), (block,))
        self._found = cupy.zeros((searches, 2), dtype=np.int32)
        self._tried = cupy.zeros(max(1, threads), dtype=np.int32)
        target, limit = np.int32(problem.target), np.int32(problem.limit)
        self._arguments = [(target, limit, self._found[search], self._tried) for search in range(searches)]

    def run(self) -> None:
        """Search again and again; wait for the last."""
        with self.stream:
            self._found.fill(0)
            for arguments in self._arguments:
                self._kernel(*self._shape, arguments)
            self.stream.synchronize()

    def result(self) -> Result:
        """What each search found; what the last one tried."""
        with self.stream:
            found, tried = self._found.get(), self._tried.get()
        return Result([(int(i), int(j)) for i, j in found], int(tried.sum(dtype=np.int64)))

    def counts(self) -> dict[str, float]:
        """Searches of a run."""
        return {"searches": self.searches}

    def close(self) -> None:
        """Drop the arrays."""
        self._arguments = []
        none: Any = None
        self._found = self._tried = none
