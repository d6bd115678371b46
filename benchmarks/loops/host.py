"""What arms on the host share: a search called in this process, and one that another program answers by a line."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from perfdocs.measure.arm import Prepared
from perfdocs.measure.hostcc import load

from .workload import Problem, Result

HERE = Path(__file__).parent
FLAGS = ("-xc", "-std=c11", "-O3", "-march=native", "-shared", "-fPIC", "-fopenmp")
"""What makes the host's C++ compiler one of C."""
Search = Callable[[int, int], tuple[int, int, int]]
"""From the product and the limit to the pair, zeros where there is none, and the pairs tried."""


@cache
def library(build: Path) -> ctypes.CDLL:
    """``search.c``, compiled once."""
    lib = load(HERE / "search.c", build, FLAGS)
    number, found = ctypes.c_int, ctypes.POINTER(ctypes.c_int)
    lib.loops_search.argtypes = [number, number, found]
    lib.loops_search_openmp.argtypes = [number, number, found, number, number]
    lib.loops_search.restype = lib.loops_search_openmp.restype = ctypes.c_longlong
    return lib


class HostArm(Prepared):
    """One search a run."""

    on_host = True

    def __init__(self, problem: Problem, search: Search) -> None:
        self._problem, self._search = problem, search
        self._last = (0, 0, 0)

    def run(self) -> None:
        """Search."""
        self._last = self._search(self._problem.target, self._problem.limit)

    def result(self) -> Result:
        """The last search's."""
        first, second, tried = self._last
        return Result([(int(first), int(second))], int(tried))

    def counts(self) -> dict[str, float]:
        """One search."""
        return {"searches": 1}


class ProgramArm(HostArm):
    """A program in another language that searches whenever a line asks it to, and ends when its input does.

    It is started by the first search, which is never timed.
    """

    def __init__(self, problem: Problem, command: Sequence[str]) -> None:
        super().__init__(problem, self._ask)
        self._command = command
        self._program: subprocess.Popen[str] | None = None

    def _ask(self, target: int, limit: int) -> tuple[int, int, int]:
        if self._program is None:
            self._program = subprocess.Popen(  # noqa: S603 - a list of arguments: the user's own interpreter, our program
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
            )
        asked, answers = self._program.stdin, self._program.stdout
        if asked is None or answers is None:
            raise RuntimeError("the program has no pipes")
        asked.write(f"{target} {limit}\n")
        line = answers.readline()
        if not line:
            raise RuntimeError(f"the program ended without an answer, exit code {self._program.wait()}")
        first, second, tried = map(int, line.split())
        return first, second, tried

    def close(self) -> None:
        """End the program."""
        if self._program is not None:
            with self._program as program:  # closes its pipes and waits
                program.terminate()
            self._program = None
