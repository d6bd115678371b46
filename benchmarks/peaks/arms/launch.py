"""Kernels that do nothing, launched one after the other in several ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from perfdocs.measure import while_graph
from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, module
from ..problems import Latency

Call = tuple[Any, ...]  # what the driver's launch is given
THREADS = 32


class Arm(DeviceArm):
    """Launches of :data:`Latency.repeats` empty kernels; what is checked is the same work with kernels that count.

    They are launched as the driver takes them: CuPy would pack the arguments anew each time, which is Python's time.
    """

    def __init__(self, problem: Latency, context: Context) -> None:
        super().__init__(context)
        self.repeats = problem.repeats
        self.count = self.cupy.zeros(1, np.uint32)
        self._places = np.array([self.count.data.ptr], np.uint64)
        self._arguments = np.array([self._places.ctypes.data], np.uint64)
        self._idle = self._call("peaks_empty", 0)
        self._counting = self._call("peaks_count", self._arguments.ctypes.data)

    def _call(self, name: str, arguments: int) -> Call:
        kernel = module("small.cu").get_function(name)
        _ = kernel.num_regs  # loaded now: loading is not for the middle of a capture
        return kernel.kernel.ptr, 1, 1, 1, THREADS, 1, 1, 0, self.stream.ptr, arguments, 0

    def put(self, call: Call) -> None:
        """Launch every kernel."""
        launch = self.cupy.cuda.driver.launchKernel
        for _ in range(self.repeats):
            launch(*call)

    def launch(self) -> None:
        """Every kernel."""
        self.put(self._idle)

    def result(self) -> int:
        """How many kernels there were."""
        self.count.fill(0)
        self.put_counting()
        return int(self.count.get()[0])

    def put_counting(self) -> None:
        """The same with kernels that count, to their end."""
        with self.stream:
            self.put(self._counting)
            self.stream.synchronize()


class Synchronised(Arm):
    """The host waits for each kernel."""

    def put(self, call: Call) -> None:
        """Launch and wait."""
        launch, wait = self.cupy.cuda.driver.launchKernel, self.cupy.cuda.runtime.streamSynchronize
        stream = self.stream.ptr
        for _ in range(self.repeats):
            launch(*call)
            wait(stream)


class Graph(Arm):
    """One graph of kernels, each of which waits for the one before."""

    def __init__(self, problem: Latency, context: Context) -> None:
        super().__init__(problem, context)
        self._graph = self._captured(self._idle)

    def _captured(self, call: Call) -> Any:
        with self.stream:
            self.stream.begin_capture()
            try:
                self.put(call)
            finally:
                graph = self.stream.end_capture()
        return graph

    def launch(self) -> None:
        """One graph launch."""
        self._graph.launch(self.stream)

    def put_counting(self) -> None:
        """A graph of kernels that count."""
        graph = self._captured(self._counting)
        graph.launch(self.stream)
        self.stream.synchronize()


class While(DeviceArm):
    """A graph whose WHILE node runs its body, one kernel, so often."""

    def __init__(self, problem: Latency, context: Context) -> None:
        super().__init__(context)
        while_graph.import_driver()
        self._done = self.cupy.zeros(1, np.uint32)
        begin, again = (module("small.cu").get_function(f"peaks_{name}") for name in ("begin", "again"))
        for one in (begin, again):
            _ = one.num_regs
        times = np.uint32(problem.repeats)
        self._graph = while_graph.WhileGraph(
            self.stream,
            lambda: begin((1,), (1,), (self._done,)),
            lambda handle: again((1,), (1,), (self._done, times, handle)),
        )

    def launch(self) -> None:
        """One graph launch."""
        self._graph.launch()

    def result(self) -> int:
        """How often the body ran."""
        return int(self._done.get()[0])

    def close(self) -> None:
        """Destroy the graph."""
        self._graph.close()


WAYS: dict[str, Callable[[Latency, Context], Prepared]] = {
    "pipelined": Arm,
    "synchronised": Synchronised,
    "graph_node": Graph,
    "while_iteration": While,
}


def prepare(problem: Latency, context: Context) -> Prepared:
    """Compile; build the graph."""
    return WAYS[problem.way](problem, context)
