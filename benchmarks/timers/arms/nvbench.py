"""NVBench through its Python package: launches one by one behind a blocked stream, and in batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from perfdocs.measure.arm import Cannot, Context
from perfdocs.measure.packages import import_cupy, import_nvbench

from ..answers import Answer, answers
from ..device import TimerArm, Work, work_of
from ..workload import PROBLEMS, Problem

AXIS = "kernel"
TIMEOUT = 5.0  # s a kernel, for each of NVBench's two ways: its own is three times as long


@dataclass(frozen=True, slots=True)
class Bench:
    """One benchmark of NVBench's over several kernels. ``package`` is NVBench's, ``stream`` one of CuPy's."""

    package: Any
    works: Mapping[str, Work]
    stream: Any
    device: int

    def state(self, state: Any) -> None:
        """Time one kernel, in both ways; NVBench calls it for each."""
        work = self.works[state.get_string(AXIS)]
        work.ramp(self.stream)
        state.exec(lambda launch: work.launch.on(launch.get_stream().addressof()), batched=True)

    def measure(self, folder: Path) -> Mapping[str, Answer]:
        """Every kernel's answer, by way of a file in ``folder``. NVBench does this once in a process."""
        output = folder / "nvbench.json"
        benchmark = self.package.register(self.state)
        benchmark.add_string_axis(AXIS, list(self.works)).set_timeout(TIMEOUT)
        self.package.run_all_benchmarks(["timers", "--quiet", "--devices", str(self.device), "--json", str(output)])
        return answers(output.read_text(encoding="utf-8"), AXIS)


@cache
def measured(context: Context) -> Mapping[str, Answer] | Exception:
    """The answers for all kernels, or why there are none: a second run in one process is refused by NVBench.

    Each kernel was launched before: what CUDA loads at a first launch would wait for a blocked stream.
    """
    cupy = import_cupy()
    stream = cupy.cuda.Stream()
    works = {key: work_of(problem, context) for key, problem in PROBLEMS.items()}
    for work in works.values():
        work.launch.on(stream.ptr)
    stream.synchronize()
    context.build.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=context.build) as folder:
        try:
            return Bench(import_nvbench(), works, stream, cupy.cuda.Device().id).measure(Path(folder))
        except Exception as error:  # noqa: BLE001, RUF100 - it may fail in any way, and the reason is that of every point
            return error


class Arm(TimerArm):
    """The centres are the means that the tool prints."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self._context = context
        import_nvbench()

    def counts(self) -> Mapping[str, float]:
        """What it answered of this kernel. Raises :class:`Cannot` where it gave a reason, or what it failed with."""
        (key,) = (key for key, problem in PROBLEMS.items() if problem == self.work.problem)
        found = measured(self._context)
        if isinstance(found, Exception):
            raise found
        answer = found.get(key, "NVBench says nothing of it")
        if isinstance(answer, str):
            raise Cannot("error", answer)
        return answer


def prepare(problem: Problem, context: Context) -> Arm:
    """Compile."""
    return Arm(problem, context)
