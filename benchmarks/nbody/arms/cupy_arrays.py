"""CuPy: some rows of the matrix of pairs at a time."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Point, Prepared

from ..arrays import accelerate
from ..device import DeviceArm
from ..workload import Problem

MOST = 2**15
PAIRS = 2**26  # at a time: half a GiB of FP64 a matrix


def limits(at: Point) -> str | None:
    """More bodies take long and say nothing new."""
    return f"array expressions of CuPy run up to {MOST} bodies" if int(at["bodies"]) > MOST else None


class Arm(DeviceArm):
    """The array expressions over one problem, once a run."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, evaluations=1)

    def evaluate(self) -> None:
        """Some kernels for each part of the matrix."""
        accelerate(self.cupy, self.bodies, self.out, PAIRS)


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Upload."""
    return Arm(problem)
