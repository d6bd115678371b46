"""Kernels that do nothing, launched one after the other in several ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from perfdocs.measure import while_graph
from perfdocs.measure.arm import Context, Prepared

from ..device import DeviceArm, module
from ..problems import Latency

NOWHERE = np.uint64(0)
"""A null pointer: kernels that are given it do nothing."""


class Arm(DeviceArm):
    """Launches of :data:`Latency.repeats` empty kernels; what is checked is the same work with kernels that count."""

    def __init__(self, problem: Latency, context: Context) -> None:
        super().__init__(context)
        self.repeats = problem.repeats
        self.count = self.cupy.zeros(1, np.uint32)
        self.kernel = module("small.cu").get_function("peaks_empty")
        _ = self.kernel.num_regs  # loaded now: loading is not for the middle of a capture

    def put(self, count: Any) -> None:
        """Launch every kernel; ``count`` is where they count."""
        for _ in range(self.repeats):
            self.kernel((1,), (32,), (count,))

    def launch(self) -> None:
        """Every kernel."""
        self.put(NOWHERE)

    def result(self) -> int:
        """How many kernels there were."""
        self.count.fill(0)
        self.put_counting()
        return int(self.count.get()[0])

    def put_counting(self) -> None:
        """The same with kernels that count, to their end."""
        with self.stream:
            self.put(self.count)
            self.stream.synchronize()


class Synchronised(Arm):
    """The host waits for each kernel."""

    def put(self, count: Any) -> None:
        """Launch and wait."""
        for _ in range(self.repeats):
            self.kernel((1,), (32,), (count,))
            self.stream.synchronize()


class Graph(Arm):
    """One graph of kernels, each of which waits for the one before."""

    def __init__(self, problem: Latency, context: Context) -> None:
        super().__init__(problem, context)
        self._graph = self._captured(NOWHERE)

    def _captured(self, count: Any) -> Any:
        with self.stream:
            self.stream.begin_capture()
            try:
                self.put(count)
            finally:
                graph = self.stream.end_capture()
        return graph

    def launch(self) -> None:
        """One graph launch."""
        self._graph.launch(self.stream)

    def put_counting(self) -> None:
        """A graph of kernels that count."""
        graph = self._captured(self.count)
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


WAYS = {"pipelined": Arm, "synchronised": Synchronised, "graph_node": Graph, "while_iteration": While}


def prepare(problem: Latency, context: Context) -> Prepared:
    """Compile; build the graph."""
    return WAYS[problem.way](problem, context)
