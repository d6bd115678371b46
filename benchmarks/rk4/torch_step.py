"""What the PyTorch arms share: a masked step in as few kernels as PyTorch's own operations allow."""

from __future__ import annotations

from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.packages import import_torch
from perfdocs.measure.torch_graph import capture

from .workload import STEP, Problem, Result

# Bytes that the kernels of one step read and write a sample: 8 a plane, 1 a mask.
BYTE_A_STEP = 644


def masked_step(torch: Any, c: Any, k: Any, x: Any, v: Any, steps: Any, nstop: Any) -> None:
    """Advance every running sample by one step, in place."""
    h = STEP
    running = steps < nstop
    a1 = torch.addcmul(k * x, c, v)
    v2 = torch.add(v, a1, alpha=h / 2)
    a2 = torch.addcmul(k * torch.add(x, v, alpha=h / 2), c, v2)
    v3 = torch.add(v, a2, alpha=h / 2)
    a3 = torch.addcmul(k * torch.add(x, v2, alpha=h / 2), c, v3)
    v4 = torch.add(v, a3, alpha=h)
    a4 = torch.addcmul(k * torch.add(x, v3, alpha=h), c, v4)
    slope_x = torch.add(v + v4, v2 + v3, alpha=2.0)
    slope_v = torch.add(a1 + a4, a2 + a3, alpha=2.0)
    torch.where(running, torch.add(x, slope_x, alpha=h / 6), x, out=x)
    torch.where(running, torch.add(v, slope_v, alpha=h / 6), v, out=v)
    steps.add_(running)


class TorchArm(Prepared):
    """Inputs and state as tensors on the card's device; a subclass says how to loop."""

    def __init__(self, problem: Problem, context: Context) -> None:
        self.torch = torch = import_torch(context.kind)
        self._on_gpu = context.kind == "gpu"
        if self._on_gpu:
            torch.cuda.reset_peak_memory_stats()
            self._before = torch.cuda.memory_allocated()
        else:
            torch.set_num_threads(context.threads)  # its own choice is one a core
        self.problem = problem
        self._host = [torch.from_numpy(plane) for plane in problem.planes]
        self.inputs = [plane.to("cuda" if self._on_gpu else "cpu") for plane in self._host]
        self.c = self.k = None
        self.x, self.v = torch.empty_like(self.inputs[0]), torch.empty_like(self.inputs[0])
        self.steps = torch.empty_like(self.inputs[4])
        self.factors()

    def factors(self) -> None:
        """The factors of the acceleration, from the inputs; kept in place, since a graph may hold them."""
        omega, zeta = self.inputs[:2]
        c, k = -2.0 * zeta * omega, -omega * omega
        if self.c is None or self.k is None:
            self.c, self.k = c, k
        else:
            self.c.copy_(c)
            self.k.copy_(k)

    def begin(self) -> None:
        """The start state."""
        self.x.copy_(self.inputs[2])
        self.v.copy_(self.inputs[3])
        self.steps.zero_()

    def loop(self) -> None:
        """Integrate from the start state."""
        raise NotImplementedError

    def run(self) -> None:
        """Begin, loop, wait."""
        with self.torch.inference_mode():
            self.begin()
            self.loop()
            if self._on_gpu:
                self.torch.cuda.synchronize()

    def end_to_end(self) -> None:
        """Upload from ordinary host arrays, run, download into new ones. On a CPU there is nothing to move."""
        if not self._on_gpu:
            self.run()
            return
        with self.torch.inference_mode():
            for plane, host in zip(self.inputs, self._host, strict=True):
                plane.copy_(host)
            self.factors()
        self.run()
        self.result()

    def result(self) -> Result:
        """The state in host memory."""
        return Result(self.x.cpu().numpy(), self.v.cpu().numpy(), self.steps.cpu().numpy())

    def device_memory(self) -> int | None:
        """The peak PyTorch allocated on the GPU since the arm was prepared."""
        if not self._on_gpu:
            return None
        return max(0, int(self.torch.cuda.max_memory_allocated()) - int(self._before))

    def close(self) -> None:
        """Drop the tensors."""
        self.inputs = []
        self.c = self.k = self.x = self.v = self.steps = None


class GraphArm(TorchArm):
    """Several steps captured as one CUDA graph and replayed until nobody runs; a subclass says which steps."""

    block = 16
    """Steps of one replay."""

    def __init__(self, problem: Problem, context: Context) -> None:
        super().__init__(problem, context)
        self.replays = 0
        self._graph: Any = None
        self._running: Any = None
        if self._on_gpu:
            self._capture()

    def _capture(self) -> None:
        torch = self.torch
        with torch.inference_mode():
            self.begin()
            self._graph, self._running = capture(torch, self.advance)

    def advance(self) -> Any:
        """``block`` masked steps in place; whether anybody runs then, as a tensor."""
        raise NotImplementedError

    def loop(self) -> None:
        """Replay until nobody runs. Without a GPU there is no graph, and the steps are called."""
        self.replays = 0
        running = True
        while running:
            if self._graph is None:
                self._running = self.advance()
            else:
                self._graph.replay()
            self.replays += 1
            running = bool(self._running)

    @property
    def issued_steps(self) -> int:
        """Of the whole batch, up to the end of the last replay."""
        return self.problem.n * self.block * self.replays

    def close(self) -> None:
        """Drop the graph and the tensors."""
        if self._graph is not None:
            self._graph.reset()
        self._graph = self._running = None
        super().close()
