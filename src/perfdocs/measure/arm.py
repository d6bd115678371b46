"""What a benchmark's folder must provide, and what an arm is given.

A benchmark's ``workload.py`` defines the functions of :class:`Workload`; each ``arms/<arm>.py`` defines
``prepare(problem, context) -> Prepared`` and, where it cannot run everywhere, ``limits(point) -> str | None``.
``PACKAGES = ("torch",)`` names the modules it uses: a fresh process imports them before its clock starts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from perfdocs.card import AxisValue

__all__ = ["ArmModule", "Cannot", "Context", "How", "Point", "Prepared", "Task", "VerificationError", "Workload"]

Kind = Literal["gpu", "cpu"]
How = Literal["timed", "compile", "memory", "traced"]
Point = Mapping[str, AxisValue]
Reason = Literal[
    "not_installed", "unsupported", "out_of_time", "out_of_memory", "failed_verification", "error", "not_requested"
]


class Cannot(Exception):  # noqa: N818 - not an error: a reason to record
    """An arm cannot run here. ``kind`` is one of the card's reasons, the message is shown to readers."""

    def __init__(self, kind: Reason, reason: str) -> None:
        self.kind: Reason = kind
        super().__init__(reason)


class VerificationError(Exception):
    """The arm's result is not the reference's; the message says which quantity, where and by how much."""


@dataclass(frozen=True, slots=True)
class Task:
    """One point of one table, and how it is measured there.

    ``timed`` is the protocol of runs. The others each start fresh processes: ``compile`` times the way from nothing to
    the first result, with an axis ``start`` of ``cold`` and ``warm``; ``memory`` reads what one run needs; ``traced``
    asks a profiler what the device ran, after everything that is timed.

    Timed points of a table with the same ``curve`` are one block of each arm on a GPU: one gate and one ramp before the
    first, then point after point. It is for sweeps of many short runs.
    """

    table: str
    at: Point
    how: How = "timed"
    curve: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What an arm may know of the machine. ``build`` is a folder for what it compiles; bytes, hertz and counts."""

    kind: Kind
    build: Path
    threads: int
    sm_count: int | None = None


class Prepared:
    """An arm made ready for one problem: inputs where it computes, everything compiled.

    ``run`` must be repeatable: it reads the inputs, never changes them, and returns once the result is complete.
    """

    on_host: bool = False
    """The work is done by the host also where the card is a GPU's: no gate, no GPU clocks."""

    def run(self) -> None:
        """Do the work once, from inputs resident on the device to the device synchronised."""
        raise NotImplementedError

    def before(self) -> None:
        """Bring the machine into the state that a timed run is to find; untimed, right before each of them.

        An arm that has this asks what a state does to a run: nothing else comes between the two.
        """

    def end_to_end(self) -> None:
        """Upload the inputs from host memory, run, download the result. On a CPU this is :meth:`run`."""
        self.run()

    def result(self) -> Any:
        """What the last run computed, in host memory, as the workload's ``verify`` expects it."""
        raise NotImplementedError

    def counts(self) -> Mapping[str, float]:
        """Counted facts of one run by metric key, such as launches and issued bytes."""
        return {}

    def choices(self) -> Mapping[str, str]:
        """What the arm chose, by metric key of the kind ``choice``, such as the arm that a policy picked."""
        return {}

    def device_memory(self) -> int | None:
        """Bytes of device memory, where the arm's own allocator knows better than the driver's free memory."""
        return None

    def least_kernels(self) -> int | None:
        """Kernels that one run puts on the device at least, where the arm knows.

        A profiler may not see inside a graph's WHILE node: a trace with fewer kernels is not whole, and its kernel
        time is left out.
        """
        return None

    def close(self) -> None:
        """Free what :meth:`run` needed."""


@runtime_checkable
class ArmModule(Protocol):
    """The module of one arm."""

    def prepare(self, problem: Any, context: Context) -> Prepared:
        """Make the arm ready. Raises :class:`Cannot` where it cannot run."""


class Workload(Protocol):
    """The functions of a benchmark's ``workload.py``."""

    def tasks(self, kind: Kind, quick: bool) -> Sequence[Task]:
        """Every point to measure on this kind of device, the most telling first."""

    def problem(self, at: Point) -> Any:
        """The inputs at a point, the same on every machine; also at the points of other tables, with their axes."""

    def reference(self, problem: Any, context: Context) -> Any:
        """The host reference every arm is verified against."""

    def verify(self, problem: Any, reference: Any, result: Any) -> Mapping[str, float]:
        """Compare; return metrics such as ``max_difference``. Raises :class:`VerificationError`."""

    def counts(self, problem: Any) -> Mapping[str, float]:
        """Counted facts that are the same for every arm."""

    def work(self, at: Point) -> float:
        """Relative cost of a point, to foresee how long an arm will take there from how long it took elsewhere.

        A workload may also define ``depth(at)``: of the work, what must be done one after the other, such as steps;
        and ``versions()``: those of programs that its arms run, by name.
        """
