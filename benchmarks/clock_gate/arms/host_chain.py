"""A chain on one thread of the host."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.hostcc import load

from ..surroundings import Surrounded
from ..workload import Chain, Ends

SOURCE = Path(__file__).parent.parent / "chain.c"
FLAGS = ("-xc", "-std=c11", "-O3", "-march=native", "-shared", "-fPIC")
"""What makes the host's C++ compiler one of C."""


@cache
def function(build: Path) -> Any:
    """``chain.c``, compiled once."""
    call = load(SOURCE, build, FLAGS).clock_gate_chain
    call.argtypes, call.restype = [ctypes.c_uint32, ctypes.c_uint32], ctypes.c_uint32
    return call


class Arm(Surrounded):
    """The chain of thread 0."""

    on_host = True

    def __init__(self, problem: Chain, context: Context) -> None:
        super().__init__(problem)
        self._call, self._end = function(context.build), 0

    def run(self) -> None:
        """Walk it."""
        self._end = self._call(0, self.problem.steps)

    def result(self) -> Ends:
        """Its end."""
        return Ends([self._end])


def prepare(problem: Chain, context: Context) -> Prepared:
    """Compile where needed."""
    return Arm(problem, context)
