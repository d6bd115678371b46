"""The problem-level call, state, parameters and stop rule by name: what ``auto`` picks, and what the call costs."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm
from ..policy import pick
from ..simulate import simulate
from ..workload import END, TOLERANCE, Problem


class Arm(DeviceArm):
    """One call a run: checks, the choice, putting the planes together and arrays for the result are in its time."""

    code = ("arms/simulate.py",)

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self._picked = pick(self.n, self.sm_count)

    def launch(self) -> None:
        """Call."""
        self._end = simulate(
            state={"place": self.start[:3], "speed": self.start[3:]},
            parameters={"mu": 1.0, "tolerance": TOLERANCE},
            stop={"time": END},
        )
        self.outputs = (self._end["place"].base, self._end["accepted"], self._end["rejected"])

    def choices(self) -> dict[str, str]:
        """The picked arm's name."""
        return {"picked": self._picked}


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload; the first warm-up run compiles."""
    return Arm(problem, context)
