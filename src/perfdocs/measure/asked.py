"""Which kernels the arms of a benchmark compile and how they launch them, found with a stand-in for a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from perfdocs.definitionfile import read_definition
from perfdocs.errors import PerfdocsError, clean, place

from .arm import Cannot, Context, Point, Prepared
from .loader import arm_path, beyond_limits, load_arm, load_workload
from .options import Options
from .plan import Cell, cells_of, chosen_arms, chosen_tasks, show
from .stand_in import SM_COUNT, ArrayCodeError, Asked, Launched, Recorder, stood_in
from .start import close

__all__ = ["SM_COUNT", "Asked", "Launched", "Run", "asked", "runs", "without_kernels"]

# Values of n beyond it are left out: what an arm chooses by size is chosen by then, and draws take long.
LARGEST = 10**6


class Run(NamedTuple):
    """What an arm launches at a point as it is prepared and in a run, and all that is counted of that run."""

    arm: str
    at: Point
    before: tuple[Launched, ...]
    launches: tuple[Launched, ...]
    counts: Mapping[str, float]


def asked(folder: Path) -> list[Asked]:
    """What the GPU arms of a benchmark compile at the points of a card, in order of names and definitions.

    Every arm is prepared and run once at every point, and asked for its counts at the first: some count with a kernel
    of their own. Raises :class:`PerfdocsError` where an arm needs of CuPy what the stand-in does not have.
    """
    recorder, seen = Recorder(), set[str]()

    def look(cell: Cell, ready: Prepared) -> None:
        first = cell.arm not in seen
        seen.add(cell.arm)
        ready.run()
        if first:
            ready.counts()

    _each(folder, recorder, look)
    return sorted(recorder.found.values(), key=lambda entry: (entry.name, entry.defines))


def runs(folder: Path) -> list[Run]:
    """A run of every GPU arm at every point of a card; arms that compute with arrays are not among them."""
    recorder, found = Recorder(), list[Run]()

    def look(cell: Cell, ready: Prepared) -> None:
        before = tuple(recorder.launches)
        recorder.launches.clear()
        ready.run()
        launches, workload = tuple(recorder.launches), load_workload(folder)
        counts = {**workload.counts(workload.problem(cell.task.at)), **ready.counts()}
        found.append(Run(cell.arm, cell.task.at, before, launches, counts))

    _each(folder, recorder, look)
    return found


def _each(folder: Path, recorder: Recorder, look: Callable[[Cell, Prepared], None]) -> None:
    """Every arm that has something on the device, prepared at every point."""
    with stood_in(recorder) as build:
        definition = read_definition(folder / "benchmark.toml")
        workload = load_workload(folder)
        every = chosen_tasks(definition, workload, "gpu", Options(full=True))
        tasks = [task for task in every if not isinstance(n := task.at.get("n"), int) or n <= LARGEST]
        context = Context("gpu", build, threads=1, sm_count=SM_COUNT)
        for cells in _by_point(cells_of(definition, chosen_arms(definition, "gpu", ()), tasks)):
            problem = workload.problem(cells[0].task.at)
            for cell in cells:
                recorder.arm, recorder.on_device = cell.arm, False
                recorder.launches.clear()
                try:
                    _once(folder, cell, problem, context, recorder, look)
                except (Cannot, ArrayCodeError):
                    pass
                except Exception as error:
                    raise _notstood_in(folder, cell.arm, error) from error


def _once(
    folder: Path,
    cell: Cell,
    problem: Any,
    context: Context,
    recorder: Recorder,
    look: Callable[[Cell, Prepared], None],
) -> None:
    module = load_arm(folder, cell.arm)
    if beyond_limits(module, cell.task.at):
        return
    ready: Prepared = module.prepare(problem, context)
    try:
        if recorder.on_device:
            look(cell, ready)
    finally:
        close(ready)


def _by_point(cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """Cells of one problem together; those of points that differ only in how they are measured, too."""
    found: dict[str, list[Cell]] = {}
    for cell in cells:
        at = {axis: value for axis, value in cell.task.at.items() if axis != "start"}
        group = found.setdefault(show(at), [])
        if all(cell.arm != other.arm for other in group):
            group.append(cell)
    return iter(found.values())


def _notstood_in(folder: Path, arm: str, error: Exception) -> PerfdocsError:
    return PerfdocsError(
        "kernels-arm",
        place(arm_path(folder, arm)),
        f"{type(error).__name__}: {clean(str(error), 120)}",
        "an arm that can be prepared with a stand-in for CuPy",
        "give perfdocs.measure.stand_in what the arm needs",
    )


def without_kernels(folder: Path, kernels: Iterable[Asked]) -> list[str]:
    """GPU arms that ask for none of these kernels, in order of their keys."""
    every = chosen_arms(read_definition(folder / "benchmark.toml"), "gpu", ())
    return sorted(set(every).difference(*(entry.arms for entry in kernels)))
