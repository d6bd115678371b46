"""Whether a cell is worth measuring: what its arm says, what is foreseen, and what is left until the deadline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perfdocs.errors import PerfdocsError
from perfdocs.extent import deadline_reason

from .edges import Clock
from .failure import Stopped, reason_of
from .loader import beyond_limits, load_arm
from .options import Options
from .plan import Cell, Foresight, show
from .room import refuse_full
from .session import Session

__all__ = ["Worth"]

WARM_UP_SHARE = 4  # a run foreseen to take more than this part of a measurement's limit is not even tried


@dataclass(frozen=True, slots=True)
class Worth:
    """Judges the cells of one device, and records why one is not measured.

    ``begun`` is when the whole run began (s, monotonic), ``ramp`` what a block takes before it is timed (s).
    """

    folder: Path
    on_gpu: bool
    options: Options
    session: Session
    foresight: Foresight
    clock: Clock
    begun: float
    ramp: float

    def timed(self, cell: Cell, beside: float = 0.0) -> bool:
        """Whether to time the cell; records why not, and stops the run at the deadline.

        ``beside``: what the others take that are timed together with it (s).
        """
        if self.session.ruled_out(cell) or not self._within_limits(cell):
            return False
        foreseen = self.foresight.cell(cell, self.options, self.ramp) or 0.0
        limit = self.options.cell_limit
        run = self.foresight.run(cell)
        # What is foreseen from a smaller point is an upper bound where launches dominate: unless the warm-up alone
        # would take too long, try it and let what it takes decide.
        if run is not None and run[0] > limit / WARM_UP_SHARE:
            self.session.skip(
                cell,
                "out_of_time",
                f"about {run[0]:.2g} s a run, foreseen from {show(run[1].at)}: "
                f"more than {limit:g} s for the measurement",
            )
            return False
        return self.in_time(cell, beside + foreseen)

    def apart(self, cell: Cell) -> bool:
        """Whether to measure the cell in fresh processes; records why not, and stops the run at the deadline."""
        if cell.task.how == "traced" and not self.on_gpu:
            self.session.skip(cell, "unsupported", "a processor runs no kernels to trace")
            return False
        if self.session.ruled_out(cell) or not self._within_limits(cell):
            return False
        return self.in_time(cell, self.foresight.cell(cell, self.options, self.ramp) or 0.0)

    def in_time(self, cell: Cell, foreseen: float = 0.0) -> bool:
        """Whether a cell that takes ``foreseen`` seconds ends before the deadline; see :meth:`late`."""
        left = self.left()
        if left is None or foreseen <= left:
            return True
        self.late(cell)
        return False

    def left(self) -> float | None:
        """Seconds until the deadline; below zero after it, ``None`` without one."""
        deadline = self.options.deadline
        return None if deadline is None else deadline - (self.clock.monotonic() - self.begun)

    def late(self, cell: Cell) -> None:
        """The deadline comes before the cell: record that, or stop the run. Raises :class:`Stopped`."""
        if self.options.close:
            self.session.skip(cell, "out_of_time", deadline_reason(self.options.deadline or 0.0))
            return
        raise Stopped(f"stopped at the deadline: {self.session.leave()}; run the same command again to go on", 3)

    def _within_limits(self, cell: Cell) -> bool:
        """Whether the arm says that it can run at the point; records why not."""
        try:
            reason = beyond_limits(load_arm(self.folder, cell.arm), cell.task.at)
        except PerfdocsError:
            raise
        except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
            kind, why = reason_of(error)
            refuse_full(kind, why, self.options.build)
            self.session.skip(cell, kind, why, everywhere=True)
            return False
        if reason:
            self.session.skip(cell, "unsupported", reason)
        return not reason
