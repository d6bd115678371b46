"""Times what was started: a block of one arm or the turns of several, and again where the conditions were bad."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from perfdocs.card import Block, Gate

from .again import Again, foreign_limit
from .edges import Edges, NvmlError
from .gate import GateKeeper
from .monitor import Monitor
from .options import Options
from .plan import Cell
from .progress import Progress
from .protocol import Timed, Timer, measure_block, measure_rotate, ramp_up
from .sensors import Sensors
from .session import block_of
from .spent import Spent
from .start import Started
from .watchdog import Watchdog

__all__ = ["Rounds"]


@dataclass(slots=True)
class Rounds:
    """Rounds on one device; ``failed`` and ``keep`` take what becomes of each arm, ``left`` tells s until the deadline.

    ``on_gpu``: arms that do not run on the host are of a GPU. ``processors`` are those this process may use.
    """

    options: Options
    edges: Edges
    timer: Timer
    sensors: Sensors
    gate: GateKeeper | None
    monitor: Monitor
    watchdog: Watchdog[Cell]
    again: Again
    spent: Spent
    progress: Progress
    on_gpu: bool
    processors: int
    left: Callable[[], float | None]
    failed: Callable[[Cell, Exception], None]
    keep: Callable[[Started, Block], None]

    def block(self, one: Started, before: tuple[Gate | None] | None) -> None:
        """One block; ``before`` is the gate of the curve that it goes on."""

        def measure(_started: Sequence[Started]) -> tuple[Gate | None, dict[int, Exception]]:
            gate = before[0] if before else self._wait() if self._uses_gpu(one) else None
            self.watchdog.watch(one.cell)
            try:
                with self.monitor.span():
                    measure_block(
                        one.timed,
                        self.timer,
                        self._sensors_of(one),
                        self.monitor,
                        ramp=None if before else self.options.ramp_time,
                        settle=self.options.settle,
                        runs=self.options.runs,
                        end_to_end=self.options.end_to_end_runs,
                    )
                    _count(one)
            except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
                return gate, {0: error}
            return gate, {}

        self._until_good([one], measure)

    def rotate(self, started: Sequence[Started]) -> None:
        """All arms of a point in turn; on a GPU those that use it apart from those that run on its host."""
        for uses_gpu in (True, False):
            self._until_good([one for one in started if self._uses_gpu(one) is uses_gpu], self._turns)

    def _turns(self, started: Sequence[Started]) -> tuple[Gate | None, dict[int, Exception]]:
        gate, first, places = None, started[0], list(range(len(started)))
        failed: dict[int, Exception] = {}
        if self._uses_gpu(first):
            gate = self._wait()
            quickest = min(places, key=lambda i: min(started[i].timed.warmup))
            self.watchdog.watch(started[quickest].cell)
            try:
                ramp_up(started[quickest].timed, self.timer, self.options.ramp_time)
            except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
                failed[quickest] = error
                places.remove(quickest)
        with self.monitor.span():
            errors = measure_rotate(
                [started[i].timed for i in places],
                self.timer,
                self._sensors_of(first),
                self.monitor,
                turn=lambda turn: self.watchdog.watch(started[places[turn]].cell),
                settle=self.options.settle,
                runs=self.options.runs,
                end_to_end=self.options.end_to_end_runs,
            )
            for turn, place in enumerate(places):
                if turn not in errors:
                    try:
                        _count(started[place])
                    except Exception as error:  # noqa: BLE001, RUF100 - an arm may fail in any way
                        errors[turn] = error
        return gate, failed | {places[turn]: error for turn, error in errors.items()}

    def _until_good(
        self,
        started: list[Started],
        measure: Callable[[Sequence[Started]], tuple[Gate | None, dict[int, Exception]]],
    ) -> None:
        """Measure together, and again while the conditions of one were bad; what fails then keeps its last try."""
        repeats: tuple[str, ...] = ()
        earlier: dict[str, tuple[Timed, Block]] = {}
        while started:
            begun = self.edges.clock.monotonic()
            for one in started:
                one.timed.watch.device = self._uses_gpu(one)
            try:
                gate, errors = measure(started)
            except KeyboardInterrupt:
                self._keep_earlier(started, earlier)
                raise
            seconds = self.edges.clock.monotonic() - begun
            good = [one for i, one in enumerate(started) if i not in errors]
            blocks = [self._record(one, gate, repeats) for one in good]
            why = self.again.why(blocks, seconds, self.left())
            if why is None:
                for one, block in zip(good, blocks, strict=True):
                    self.keep(one, block)
            self._keep_earlier([started[i] for i in errors], earlier)
            for i, error in errors.items():
                if started[i].cell.key not in earlier:
                    self.failed(started[i].cell, error)
            if why is None:
                return
            repeats = (*repeats, why)
            earlier = {one.cell.key: (one.timed, block) for one, block in zip(good, blocks, strict=True)}
            for one in good:
                one.timed = one.timed.again()
            started = good

    def _keep_earlier(self, started: Iterable[Started], earlier: Mapping[str, tuple[Timed, Block]]) -> None:
        for one in started:
            if one.cell.key in earlier:
                one.timed, block = earlier[one.cell.key]
                self.keep(one, block)

    def _uses_gpu(self, one: Started) -> bool:
        return self.on_gpu and not one.timed.arm.on_host

    def _sensors_of(self, one: Started) -> Sensors:
        host = self.on_gpu and one.timed.arm.on_host
        return Sensors(self.edges.files, "the arm runs on the host") if host else self.sensors

    def _record(self, one: Started, gate: Gate | None, repeats: tuple[str, ...]) -> Block:
        watch = one.timed.watch
        state = self.monitor.state(watch, foreign_limit(self.processors, watch.device))
        return block_of(one.cell, one.timed, gate, state, repeats)

    def _wait(self) -> Gate | None:
        self.watchdog.rest()  # a gate may wait as long as it is told to
        if self.gate is None or self.sensors.nvml is None:
            return None
        try:
            with self.spent.on("gate"):
                return self.gate.wait(self.sensors.nvml)
        except NvmlError as error:
            self.sensors.lost(error)
            self.progress.note(str(self.sensors.reason))
            return None


def _count(one: Started) -> None:
    """Count anew what the runs that were timed have found."""
    one.counts.update(one.timed.arm.counts())
