"""Work of PyTorch's captured as one CUDA graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["capture"]


def capture(torch: Any, work: Callable[[], Any]) -> tuple[Any, Any]:
    """The graph of ``work``, which is called twice, and what it returned in the graph: tensors that a replay fills."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # once outside, as capture asks
        work()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = work()
    return graph, found
