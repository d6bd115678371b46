"""A CUDA graph with a WHILE node, filled from Python: CuPy launches captured into the graph and the node's body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arm import Cannot

__all__ = ["WhileGraph", "import_driver"]


def import_driver() -> Any:
    """The CUDA driver's interface. Raises :class:`Cannot` where it is absent or too old for conditional nodes."""
    try:
        from cuda.bindings import driver
    except ImportError:
        raise Cannot("not_installed", "cuda-bindings is not installed") from None
    if not hasattr(driver, "cuStreamBeginCaptureToGraph") or not hasattr(driver, "cuGraphConditionalHandleCreate"):
        raise Cannot("unsupported", "this version of cuda-bindings has no conditional graph nodes")
    return driver


def _checked(driver: Any, answer: Any) -> Any:
    """The value of a driver call. Raises where it failed."""
    status, *values = answer
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"the CUDA driver answered {getattr(status, 'name', status)}")
    return values[0] if len(values) == 1 else tuple(values)


class WhileGraph:
    """A graph that runs ``begin`` once, then ``body`` as long as the condition it sets is not zero.

    ``begin()`` and ``body(handle)`` put work on ``stream`` with CuPy; both are captured, not run.
    """

    def __init__(self, stream: Any, begin: Callable[[], None], body: Callable[[Any], None]) -> None:
        self._driver = driver = import_driver()
        self._stream = stream
        self._graph = self._executable = None
        context = _checked(driver, driver.cuCtxGetCurrent())
        self._graph = _checked(driver, driver.cuGraphCreate(0))
        once = driver.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_WHILE
        # The handle starts every launch at 1, so the body runs at least once.
        handle = _checked(
            driver, driver.cuGraphConditionalHandleCreate(self._graph, context, 1, driver.CU_GRAPH_COND_ASSIGN_DEFAULT)
        )
        self._capture(self._graph, begin)
        nodes, count = _checked(driver, driver.cuGraphGetNodes(self._graph, 8))
        parameters = driver.CUgraphNodeParams()
        parameters.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
        parameters.conditional.handle = handle
        parameters.conditional.type = once
        parameters.conditional.size = 1
        parameters.conditional.ctx = context
        self._add(list(nodes[:count]), parameters)
        self._capture(parameters.conditional.phGraph_out[0], lambda: body(np.uint64(int(handle))))
        self._executable = _checked(driver, driver.cuGraphInstantiate(self._graph, 0))

    def _add(self, after: list[Any], parameters: Any) -> None:
        driver = self._driver
        if hasattr(driver, "cuGraphAddNode_v2"):  # CUDA 12: the plain name has no edge data
            _checked(driver, driver.cuGraphAddNode(self._graph, after, len(after), parameters))
        else:
            _checked(driver, driver.cuGraphAddNode(self._graph, after, None, len(after), parameters))

    def _capture(self, graph: Any, work: Callable[[], None]) -> None:
        driver, stream = self._driver, self._stream.ptr
        mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        _checked(driver, driver.cuStreamBeginCaptureToGraph(stream, graph, None, None, 0, mode))
        try:
            with self._stream:
                work()
        finally:
            _checked(driver, driver.cuStreamEndCapture(stream))

    def launch(self) -> None:
        """Put the graph on the stream."""
        driver = self._driver
        _checked(driver, driver.cuGraphLaunch(self._executable, self._stream.ptr))

    def close(self) -> None:
        """Destroy the graph."""
        driver = self._driver
        if self._executable is not None:
            driver.cuGraphExecDestroy(self._executable)
        if self._graph is not None:
            driver.cuGraphDestroy(self._graph)
        self._graph = self._executable = None
