"""The problem-level call, state, parameters and stop rule by name: what ``auto`` picks, and what the call costs."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..policy import arm, pick
from ..simulate import simulate
from ..workload import Problem


class Arm(DeviceArm):
    """One call a run: checks, the choice and new arrays for the result are in its time."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self._picked = pick(self.n, self.sm_count)

    def launch(self) -> None:
        """Call."""
        omega, zeta, x, v, steps = self.inputs
        end = simulate(state={"x": x, "v": v}, parameters={"omega": omega, "zeta": zeta}, stop={"steps": steps})
        self.outputs = (end["x"], end["v"], end["steps"])

    def counts(self) -> dict[str, float]:
        """What the picked kernel issues."""
        return {**super().counts(), "issued_steps": arm(self._picked).issued_steps(self.problem, self.sm_count)}

    def choices(self) -> dict[str, str]:
        """The picked arm's name."""
        return {"picked": self._picked}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload; the first warm-up run compiles."""
    return Arm(problem, context)
