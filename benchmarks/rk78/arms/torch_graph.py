"""PyTorch: 16 masked attempts captured as one CUDA graph and replayed; the host checks between replays."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.torch_graph import capture

from ..lines import lines_of_code
from ..torch_step import BYTE_AN_ATTEMPT, CHECK_BYTE, KERNELS_AN_ATTEMPT, TorchArm
from ..workload import MOST_ATTEMPTS, Problem

PACKAGES = ("torch",)
ATTEMPTS = 16


class Arm(TorchArm):
    """The replayed graph over one problem."""

    replays = 0

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        with self.torch.inference_mode():
            self.begin()
            self._graph, self._going = capture(self.torch, self._attempts)

    def _attempts(self) -> object:
        for _ in range(ATTEMPTS):
            self.attempt()
        return self.on_the_way()

    def loop(self) -> None:
        """Replay until no orbit is on its way."""
        self.replays = 0
        while self.replays * ATTEMPTS < MOST_ATTEMPTS:
            self._graph.replay()
            self.replays += 1
            if not bool(self._going):
                break

    def counts(self) -> dict[str, float]:
        """Every operation is a pass over every orbit."""
        per = BYTE_AN_ATTEMPT * ATTEMPTS + CHECK_BYTE
        return {
            "issued_byte": per * self.n * self.replays,
            "code_lines": lines_of_code("arms/torch_graph.py", "torch_step.py", "tableau.py"),
        }

    def least_kernels(self) -> int | None:
        """As many as the loop has operations."""
        return KERNELS_AN_ATTEMPT * ATTEMPTS * self.replays

    def close(self) -> None:
        """Drop the graph and the tensors."""
        self._graph.reset()
        super().close()


def prepare(problem: Problem, context: Context) -> Prepared:
    """Upload and capture."""
    return Arm(problem, context)
