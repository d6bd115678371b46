"""What the arms share that launch a few steps at a time (kernels of ``loop.cu``), and the counts of what they issue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Cannot, Context
from perfdocs.measure.while_graph import WhileGraph, import_driver

from .device import DeviceArm, blocks
from .workload import Problem, warp_steps

if TYPE_CHECKING:
    Integers = npt.NDArray[np.int64]

THREADS = 256
# At most one wave of blocks: each has many groups of samples where the batch is large, and a guard hears few arrivals.
BLOCKS_AN_SM = 4
AHEAD_MOST = 32_768  # samples up to which a launch reads also those that have ended, to wait for memory only once
LANES = 32
THETA = 0.5
GUARDED = "RK4_GRAPH=1"  # with the kernels that decide for a WHILE node, which an old driver cannot load
CONTROL_WORDS = 64
COUNT_WORD = 34  # of the control words: samples that have ended, in a loop on the host


class Issued(NamedTuple):
    """Bytes that the loads and stores of a run move, and lanes times steps that its launches issue."""

    byte: int
    steps: int


class LoopArm(DeviceArm):
    """The planes, the control words and the first kernel of a run.

    ``defines`` are the same for all kernels of an arm: they are of one compiled module.
    """

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *defines: str,
        threads: int = THREADS,
        resident: int = BLOCKS_AN_SM,
    ) -> None:
        super().__init__(problem, context)
        if self.n >= 2**31:
            raise Cannot("unsupported", "positions are kept in 32 bits")
        self.threads = threads
        self._defines = (f"RK4_THREADS={threads}", f"RK4_RESIDENT={resident}", *defines)
        self.grid = min(blocks(self.n, threads), self.sm_count * resident)
        self.limit = self.cupy.zeros(self.n, dtype=np.uint32)
        self.control = self.cupy.zeros(CONTROL_WORDS, dtype=np.uint32)
        self._begin = self.loop_kernel("rk4_begin")

    def loop_kernel(self, name: str) -> Any:
        """A kernel of ``loop.cu``, loaded now: loading is not for the middle of a capture."""
        found = self.kernel("loop.cu", name, *self._defines)
        _ = found.num_regs
        return found

    def begin(self) -> None:
        """Write the start state and the control words."""
        _, _, x0, v0, nstop = self.inputs
        arguments = (self.size, x0, v0, nstop, *self.outputs, self.limit, self.control)
        self._begin((blocks(self.n, self.threads),), (self.threads,), arguments)

    def issued(self) -> Issued:
        """Of one run."""
        raise NotImplementedError

    def counts(self) -> dict[str, float]:
        """What the launches move and issue."""
        issued = self.issued()
        return {**super().counts(), "issued_byte": issued.byte, "issued_steps": issued.steps}

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self.limit = self.control = none
        super().close()


class GraphArm(LoopArm):
    """A loop whose rounds are the body of a WHILE node. A subclass says what a round is, then calls :meth:`build`."""

    round_steps: int
    round_launches: int

    def round(self, handle: Any) -> None:
        """Put the launches of a round on the stream, the last one with a guard."""
        raise NotImplementedError

    def build(self) -> None:
        """Make the graph."""
        import_driver()
        self._graph = WhileGraph(self.stream, self.begin, self.round)

    @property
    def rounds(self) -> int:
        """Of one run: the body runs at least once."""
        return max(1, blocks(self.problem.longest, self.round_steps))

    def launch(self) -> None:
        """One graph launch."""
        self._graph.launch()

    def least_kernels(self) -> int:
        """All of them: the one that begins, and those of each round."""
        return 1 + self.rounds * self.round_launches

    def close(self) -> None:
        """Destroy the graph, drop the arrays."""
        self._graph.close()
        super().close()


def every_defines(steps: int, ahead: bool) -> tuple[str, ...]:
    """What the kernels over every sample are compiled with."""
    return ("RK4_LIVE=0", f"RK4_STEPS={steps}", f"RK4_AHEAD={int(ahead)}")


class EveryArm(GraphArm):
    """Launches over every sample, each of ``steps`` steps; a guard in every ``launches``-th."""

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *,
        steps: int = 1,
        launches: int = 1,
        ahead: bool | None = None,
        threads: int = THREADS,
        resident: int = BLOCKS_AN_SM,
    ) -> None:
        self._steps, self._ahead = steps, problem.n <= AHEAD_MOST if ahead is None else ahead
        defines = (GUARDED, *every_defines(steps, self._ahead))
        super().__init__(problem, context, *defines, threads=threads, resident=resident)
        self.round_steps, self.round_launches = steps * launches, launches
        if launches > 1:
            self._plain = self.loop_kernel("rk4_steps")
        self._guard = self.loop_kernel("rk4_steps_while")
        self.build()

    def round(self, handle: Any) -> None:
        """The launches of a round."""
        omega, zeta, *_ = self.inputs
        common = (self.size, omega, zeta, *self.outputs, self.limit, self.control)
        last = self.round_launches - 1
        for launch in range(last):
            self._plain((self.grid,), (self.threads,), (*common, np.uint32(launch * self._steps)))
        self._guard((self.grid,), (self.threads,), (*common, np.uint32(last * self._steps), handle))

    def issued(self) -> Issued:
        """See :func:`every_sample`."""
        return every_sample(self.problem, self._steps, self.rounds * self.round_launches, self._ahead)


class LiveArm(GraphArm):
    """Rounds of ``launches`` launches, each of ``steps`` steps over the samples that ran when the round began.

    ``theta`` is the live share of the touched groups of 32 positions below which samples are moved; 0 for never.
    """

    def __init__(
        self,
        problem: Problem,
        context: Context,
        *,
        steps: int = 1,
        launches: int = 16,
        theta: float = 0.0,
        threads: int = THREADS,
        resident: int = BLOCKS_AN_SM,
    ) -> None:
        if launches < 2 or not 0 <= theta <= 0.5:
            raise ValueError("a round has at least two launches, and theta is at most a half")
        defines = (GUARDED, "RK4_LIVE=1", f"RK4_STEPS={steps}", f"RK4_THETA={theta:.6f}")
        super().__init__(problem, context, *defines, threads=threads, resident=resident)
        self._steps, self._theta = steps, theta
        self.round_steps, self.round_launches = steps * launches, launches
        self._first = self.loop_kernel("rk4_live_first")
        self._middle = self.loop_kernel("rk4_live")
        self._guard = self.loop_kernel("rk4_live_while")
        self._maps = self.cupy.zeros(2 * self.n, dtype=np.uint32)
        room = self.n // 2 + 32 + self.n // 4 + 64 if theta else 1
        self._moved = self.cupy.zeros(4 * room, dtype=problem.real)
        self._moved_words = self.cupy.zeros(2 * room, dtype=np.uint32)
        self._counts = self.cupy.zeros(self.grid * (1 + threads // LANES), dtype=np.uint32)
        self.build()

    def round(self, handle: Any) -> None:
        """The launches of a round."""
        omega, zeta, *_ = self.inputs
        extra = (self._maps, self._moved, self._moved_words, self._counts)
        common = (self.size, omega, zeta, *self.outputs, self.limit, *extra, self.control)
        last = self.round_launches - 1
        grid, block = (self.grid,), (self.threads,)
        self._first(grid, block, (*common, np.uint32(0)))
        for launch in range(1, last):
            self._middle(grid, block, (*common, np.uint32(launch * self._steps)))
        self._guard(grid, block, (*common, np.uint32(last * self._steps), handle))

    def issued(self) -> Issued:
        """See :func:`live_samples`."""
        warps = self.grid * self.threads // LANES
        return live_samples(self.problem, self._steps, self.round_launches, self._theta, warps)

    def close(self) -> None:
        """Destroy the graph, drop the arrays."""
        none: Any = None
        self._maps = self._moved = self._moved_words = self._counts = none
        super().close()


def begin_byte(problem: Problem) -> int:
    """Bytes to begin and to end: x0, v0 and nstop read, x, v and the limit written, and each count of steps once."""
    return (4 * problem.real_size + 8 + 4 + 8) * problem.n


def every_sample(problem: Problem, steps: int, launches: int, ahead: bool) -> Issued:
    """What ``launches`` launches of ``steps`` steps over every sample issue.

    A launch reads each sample's limit (4 byte); of those that run when it begins, or ``ahead`` of all, it reads omega,
    zeta, x and v, and it writes x and v of those that run. The rest is :func:`begin_byte`; the few words of the
    control and of the guard are left out. A warp of 32 neighbours steps as long as one of them runs.
    """
    size, n = problem.real_size, problem.n
    running = int((-(-problem.nstop // steps)).sum())  # samples that run when a launch begins, over all launches
    read = n * launches if ahead else running
    byte = begin_byte(problem) + 4 * n * launches + 4 * size * read + 2 * size * running
    return Issued(byte, warp_steps(problem.nstop))


def group_maxima(values: Integers) -> Integers:
    """The largest value of each 32 neighbours."""
    padded = np.zeros(blocks(len(values), LANES) * LANES, dtype=np.int64)
    padded[: len(values)] = values
    found: Integers = padded.reshape(-1, LANES).max(axis=1)
    return found


def live_samples(problem: Problem, steps: int, launches: int, theta: float, warps: int) -> Issued:
    """What rounds of ``launches`` launches of ``steps`` steps over a map of the live samples issue.

    A launch reads of each of its entries the limit (4 byte), omega, zeta, x and v, and the map (4) once there is one;
    it writes x and v of those that run; a sample that ends in a moved plane has its number read (4). The first launch
    of a round in which samples ended goes over the old entries and writes of each that is left its place in the new
    map (4), or omega, zeta, limit and number (2 reals and 8) where it moves them, and reads the number (4) where they
    were moved before. Where samples may be moved, each warp but the first with work reads, at the guard, map and limit
    of the 32 entries before its own (256). The rest is :func:`begin_byte`; the few words of the control, of the guard
    and of the counts are left out. A warp of 32 neighbouring entries steps as long as one of them runs.
    """
    size, whole = problem.real_size, steps * launches
    byte, slots = begin_byte(problem), 0
    limits = problem.nstop  # in the order of the entries
    positions = np.arange(problem.n)
    mapped = moved = False
    move: str | None = None
    base = 0
    while True:
        # The launches of this round as (entries' limits, first step, last step, whether there is a map, are moved).
        passes: list[tuple[Integers, int, int, bool, bool]] = []
        start = base
        if move is not None:
            passes.append((limits, base, base + steps, mapped, moved))
            start += steps
            alive = limits > base
            limits, positions = limits[alive], positions[alive]
            if move == "map":
                byte += 4 * len(limits)
                mapped = True
            else:
                byte += (2 * size + 8 + 4 * moved) * len(limits)
                # A number that was read to be moved is not read again to end.
                byte -= 4 * moved * int((limits <= base + steps).sum())
                positions = np.arange(len(limits))
                mapped, moved = False, True
            move = None
        # Rounds in which no sample ends are alike.
        alike = max(1, (int(limits.min(initial=2**62)) - 1 - base) // whole) if start == base else 1
        alike = min(alike, max(1, problem.longest // whole))
        end = base + alike * whole
        passes.append((limits, start, end, mapped, moved))
        for entries, since, until, has_map, are_moved in passes:
            number = (until - since) // steps
            byte += (4 + 4 * size + 4 * has_map) * len(entries) * number
            runs = np.clip(-(-(entries - since) // steps), 0, number)
            byte += 2 * size * int(runs.sum())
            if are_moved:
                byte += 4 * int(((entries > since) & (entries <= until)).sum())
            slots += LANES * int(np.clip(group_maxima(entries) - since, 0, until - since).sum())
        if theta and mapped:
            byte += 256 * alike * (min(blocks(len(limits), LANES), warps) - 1)
        base = end
        left = limits > base
        alive_now = int(left.sum())
        if not alive_now:
            return Issued(byte, slots)
        if alive_now < len(limits):
            touched = len(np.unique(positions[left] // LANES)) if theta else 0
            move = "gather" if theta and alive_now < theta * LANES * touched else "map"
