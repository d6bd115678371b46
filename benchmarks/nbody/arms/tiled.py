"""Blocks read the bodies tile by tile into shared memory."""

from perfdocs.measure.arm import Context, Prepared

from ..device import KernelArm
from ..workload import Problem


class Arm(KernelArm):
    """A thread for every body, a tile as large as the block."""

    def __init__(self, problem: Problem, *, threads: int = 128) -> None:
        super().__init__(problem, "nbody_tiled", threads, threads)


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Upload and compile."""
    return Arm(problem)
