"""Kernels that do nothing, launched one after the other in several ways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from perfdocs.measure import while_graph
from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.launch import Bound

from ..device import DeviceArm, module
from ..problems import Latency

THREADS = 32


class Arm(DeviceArm):
    """Launches of :data:`Latency.repeats` empty kernels; what is checked is the same work with kernels that count.

    They are launched with their arguments packed: what CuPy takes to pack them is Python's time.
    """

    def __init__(self, problem: Latency, context: Context) -> None:
        super().__init__(context)
        self.repeats = problem.repeats
        self.count = self.cupy.zeros(1, np.uint32)
        self._idle = self._bound("peaks_empty")
        self._counting = self._bound("peaks_count", self.count)

    def _bound(self, name: str, *arguments: Any) -> Bound:
        return Bound(module("small.cu").get_function(name), 1, THREADS, arguments)

    def put(self, kernel: Bound) -> None:
        """Launch every kernel."""
        launch = kernel.launcher(self.stream.ptr)
        for _ in range(self.repeats):
            launch()

    def launch(self) -> None:
        """Every kernel."""
        self.put(self._idle)

    def result(self) -> int:
        """How many kernels there were."""
        self.count.data.memset(0, self.count.nbytes)
        self.put_counting()
        return int(self.count.get()[0])

    def put_counting(self) -> None:
        """The same with kernels that count, to their end."""
        with self.stream:
            self.put(self._counting)
            self.stream.synchronize()


class Synchronised(Arm):
    """The host waits for each kernel."""

    def put(self, kernel: Bound) -> None:
        """Launch and wait."""
        stream = self.stream.ptr
        launch, wait = kernel.launcher(stream), self.cupy.cuda.runtime.streamSynchronize
        for _ in range(self.repeats):
            launch()
            wait(stream)


class Graph(Arm):
    """One graph of kernels, each of which waits for the one before."""

    def __init__(self, problem: Latency, context: Context) -> None:
        super().__init__(problem, context)
        self._graph = self._captured(self._idle)

    def _captured(self, kernel: Bound) -> Any:
        with self.stream:
            self.stream.begin_capture()
            try:
                self.put(kernel)
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
