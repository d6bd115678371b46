"""Plain Python floats, one sample after the other."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Point, Prepared

from ..host import outputs
from ..workload import STEP, Problem, Result

MOST = 10**4


def limits(at: Point) -> str | None:
    """Larger batches take minutes and say nothing new."""
    return f"plain Python runs up to {MOST} samples" if float(at["n"]) > MOST else None


def integrate(c: float, k: float, x: float, v: float, nstop: int) -> tuple[float, float, int]:
    """One sample to its end."""
    h, half, sixth = STEP, STEP / 2, STEP / 6
    count = 0
    while count < nstop:
        a1 = c * v + k * x
        v2 = v + half * a1
        a2 = c * v2 + k * (x + half * v)
        v3 = v + half * a2
        a3 = c * v3 + k * (x + half * v2)
        v4 = v + h * a3
        a4 = c * v4 + k * (x + h * v3)
        x += sixth * (v + 2.0 * (v2 + v3) + v4)
        v += sixth * (a1 + 2.0 * (a2 + a3) + a4)
        count += 1
    return x, v, count


class Arm(Prepared):
    """The loop over one problem."""

    def __init__(self, problem: Problem) -> None:
        self._useful_byte = problem.useful_byte
        self._out = outputs(problem.n)
        self._samples = list(
            zip(
                problem.damping.tolist(),
                problem.stiffness.tolist(),
                problem.x0.tolist(),
                problem.v0.tolist(),
                problem.nstop.tolist(),
                strict=True,
            )
        )
        self._ends: list[tuple[float, float, int]] = []

    def run(self) -> None:
        """Integrate every sample."""
        self._ends = [integrate(*sample) for sample in self._samples]

    def result(self) -> Result:
        """The ends of the last run as planes."""
        for i, (x, v, count) in enumerate(self._ends):
            self._out.x[i], self._out.v[i], self._out.steps[i] = x, v, count
        return self._out

    def counts(self) -> dict[str, float]:
        """Every plane is read or written once; Python's own objects are not counted."""
        return {"issued_byte": self._useful_byte}


def prepare(problem: Problem, context: Context) -> Prepared:  # noqa: ARG001 - the shape of every arm
    """Turn the planes into Python floats."""
    return Arm(problem)
