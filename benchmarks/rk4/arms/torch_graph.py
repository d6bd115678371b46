"""PyTorch: 16 masked steps captured as one CUDA graph and replayed; the host checks between replays."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from ..torch_step import BYTE_A_STEP, TorchArm, masked_step
from ..workload import Problem

STEPS = 16
CHECK_BYTE = 18


class Arm(TorchArm):
    """The replayed graph over one problem."""

    replays = 0

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        torch = self.torch
        with torch.inference_mode():
            self.begin()
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):  # once outside, as capture asks
                self._steps()
            torch.cuda.current_stream().wait_stream(side)
            torch.cuda.synchronize()
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._running = self._steps()

    def _steps(self) -> object:
        nstop = self.inputs[4]
        for _ in range(STEPS):
            masked_step(self.torch, self.c, self.k, self.x, self.v, self.steps, nstop)
        return (self.steps < nstop).any()

    def loop(self) -> None:
        """Replay until nobody runs."""
        self.replays = 0
        while True:
            self._graph.replay()
            self.replays += 1
            if not bool(self._running):
                break

    def counts(self) -> dict[str, float]:
        """What the masked steps and the looks at who runs move."""
        per = BYTE_A_STEP * STEPS + CHECK_BYTE
        return {"issued_byte": per * self.problem.n * self.replays}

    def close(self) -> None:
        """Drop the graph and the tensors."""
        self._graph.reset()
        self._running = None
        super().close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and capture."""
    return Arm(problem, context)
