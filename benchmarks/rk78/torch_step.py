"""What the PyTorch arms share: a masked attempt in as few kernels as PyTorch's own operations allow.

Places and speeds of the batch are one tensor (6, n), the slopes of all stages, times the step, another (13, 6, n): what
a stage takes of the slopes before it is then one matrix product, added to the state. Buffers are made once.
"""

from __future__ import annotations

from typing import Any

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.packages import import_torch

from .masked import SLOT, STAGES, run_of
from .tableau import ERROR, ROWS, WEIGHTS
from .workload import END, FIRST_STEP, TOLERANCE, Problem, Result


def _sum_planes(coefficients: dict[int, float]) -> int:
    """Planes that a matrix product added to the state reads and writes: the state is copied, then added to."""
    first, last, _ = run_of(coefficients)
    return 6 * (last - first) + 24


# What the operations of one attempt read and write a sample: planes of 8 byte, then masks and counts.
BYTE_AN_ATTEMPT = 8 * (26 * STAGES + sum(_sum_planes(row) for row in (*ROWS[1:], WEIGHTS)) + 161) + 30
CHECK_BYTE = 11
KERNELS_AN_ATTEMPT = 8 * STAGES + 28


class TorchArm(Prepared):
    """Start and state as tensors; a subclass says how to loop."""

    def __init__(self, problem: Problem, context: Context) -> None:
        self.torch = torch = import_torch(context.kind)
        self._gpu = context.kind == "gpu"
        if self._gpu:
            torch.cuda.reset_peak_memory_stats()
            self._before = torch.cuda.memory_allocated()
        else:
            torch.set_num_threads(context.threads)
        self.problem, self.n = problem, problem.n
        self._device = torch.device("cuda" if self._gpu else "cpu")
        self._host = torch.from_numpy(problem.start)
        self._start = self._host.to(self._device)
        n, real = problem.n, {"dtype": torch.float64, "device": self._device}
        self._end = torch.empty((7, n), **real)
        self._state, self._time = self._end[:6], self._end[6]
        self._counts = torch.empty((2, n), dtype=torch.int32, device=self._device)
        self._slopes = torch.zeros((STAGES, 6, n), **real)
        self._stage, self._spare, self._size = (torch.empty((6, n), **real) for _ in range(3))
        self._step, self._a, self._b = (torch.empty(n, **real) for _ in range(3))
        self._running = torch.empty(n, dtype=torch.bool, device=self._device)
        self._ninth, self._eighth = torch.tensor(-1 / 9, **real), torch.tensor(-1 / 8, **real)
        self._end_time = torch.tensor(END, **real)
        self._sums = [self._sum(row) for row in ROWS]
        self._weights = self._sum(WEIGHTS)

    def _sum(self, coefficients: dict[int, float]) -> tuple[Any, Any] | None:
        if not coefficients:
            return None
        first, last, values = run_of(coefficients)
        matrix = self._slopes[first:last].view(last - first, -1).t()
        return matrix, self.torch.tensor(values, dtype=self.torch.float64, device=self._device)

    def begin(self) -> None:
        """The start state."""
        self._state.copy_(self._start)
        self._time.zero_()
        self._step.fill_(FIRST_STEP)
        self._counts.zero_()

    def _add(self, sum_of: tuple[Any, Any] | None) -> Any:
        """The state and what a stage takes of the slopes."""
        if sum_of is None:
            return self._state
        self.torch.addmv(self._state.view(-1), *sum_of, out=self._stage.view(-1))
        return self._stage

    def attempt(self) -> None:
        """Try a step of every orbit, in place; those that have ended have a step of zero and stay as they are."""
        torch, k, step, a, b = self.torch, self._slopes, self._step, self._a, self._b
        for i in range(STAGES):
            state, slope = self._add(self._sums[i]), k[SLOT[i]]
            torch.mul(step, state[3:], out=slope[:3])
            torch.linalg.vector_norm(state[:3], dim=0, out=a)
            torch.pow(a, 3, out=a)
            torch.div(step, a, out=a)
            torch.mul(a, state[:3], out=slope[3:]).neg_()
        new = self._add(self._weights)
        # |error| / (atol + rtol max(|new|, |old|))
        size, spare = self._size, self._spare
        torch.abs(new, out=size)
        torch.abs(self._state, out=spare)
        torch.maximum(size, spare, out=size)
        size.mul_(TOLERANCE / ERROR).add_(TOLERANCE / ERROR)
        torch.add(k[SLOT[0]], k[10], out=spare).sub_(k[11]).sub_(k[12])
        torch.amax(spare.div_(size).abs_(), dim=0, out=a)
        running = torch.gt(step, 0.0, out=self._running)
        taken = (a < 1.0).logical_and_(running)
        torch.where(taken, new, self._state, out=self._state)
        torch.where(taken, torch.add(self._time, step, out=b), self._time, out=self._time)
        self._counts[0].add_(taken)
        self._counts[1].add_(running.logical_xor_(taken))
        # The next step: beyond 1e-10 the limit of five holds anyway.
        torch.pow(a.clamp_(min=1e-10), torch.where(taken, self._ninth, self._eighth), out=a)
        step.mul_(a.mul_(0.9).clamp_(0.2, 5.0))
        torch.minimum(step, torch.sub(self._end_time, self._time, out=b), out=step)

    def on_the_way(self) -> Any:
        """Whether any orbit is: a tensor of one truth value."""
        return (self._step > 0.0).any()

    def loop(self) -> None:
        """Integrate from the start state."""
        raise NotImplementedError

    def run(self) -> None:
        """Begin, loop, wait."""
        with self.torch.inference_mode():
            self.begin()
            self.loop()
            if self._gpu:
                self.torch.cuda.synchronize()

    def end_to_end(self) -> None:
        """Upload from ordinary host arrays, run, download into new ones."""
        if self._gpu:
            with self.torch.inference_mode():
                self._start.copy_(self._host)
        self.run()
        self.result()

    def result(self) -> Result:
        """The state in host memory."""
        counts = self._counts.cpu().numpy()
        return Result(self._end.cpu().numpy(), counts[0], counts[1])

    def device_memory(self) -> int | None:
        """The peak PyTorch allocated since the arm was prepared."""
        return max(0, int(self.torch.cuda.max_memory_allocated()) - int(self._before)) if self._gpu else None

    def close(self) -> None:
        """Drop the tensors."""
        for name, value in list(vars(self).items()):
            if isinstance(value, (self.torch.Tensor, list, tuple)):
                setattr(self, name, None)
