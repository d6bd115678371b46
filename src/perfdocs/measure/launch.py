"""A kernel with its grid, and one with its arguments, packed once as the driver takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .arm import Prepared
from .packages import import_cupy

__all__ = ["Bound", "Launch", "OneLaunch"]

WORD = 8  # bytes of the largest argument: a pointer, or a number


def _words(arguments: Sequence[Any]) -> npt.NDArray[np.uint64]:
    words = np.zeros(len(arguments), np.uint64)
    for i, argument in enumerate(arguments):
        if isinstance(argument, np.generic) and argument.nbytes <= WORD:
            words[i : i + 1].view(np.uint8)[: argument.nbytes] = np.frombuffer(argument.tobytes(), np.uint8)
        elif isinstance(pointer := getattr(getattr(argument, "data", None), "ptr", None), int):
            words[i] = pointer
        else:
            raise TypeError(f"argument {i}: {type(argument).__name__}, expected a CuPy array or a NumPy scalar")
    return words


class Bound:
    """A kernel with its grid and its arguments, to be put on a stream again and again.

    CuPy packs the arguments anew at every call, in Python, which takes longer than the driver's launch: for a kernel of
    some microseconds that would be what is measured.

    Arguments are arrays on the device, which are kept, and NumPy scalars, which have the size that the kernel expects.
    Raises :class:`TypeError` for others.
    """

    def __init__(self, kernel: Any, blocks: int, threads: int, arguments: Sequence[Any], shared: int = 0) -> None:
        _ = kernel.num_regs  # loaded now: loading is not for a timed launch, nor for the middle of a capture
        words = _words(arguments)
        places = np.uint64(words.ctypes.data) + WORD * np.arange(len(words), dtype=np.uint64)
        self._kept = tuple(arguments), words, places
        self._launch = import_cupy().cuda.driver.launchKernel
        self._shape = (kernel.kernel.ptr, blocks, 1, 1, threads, 1, 1, shared)
        self._places = places.ctypes.data

    def on(self, stream: int) -> None:
        """Put it on a stream, given by the driver's handle."""
        self._launch(*self._shape, stream, self._places, 0)

    def launcher(self, stream: int) -> Callable[[], None]:
        """The driver's own call of :meth:`on`, for as long as this object is kept: no Python between two launches."""
        return partial(self._launch, *self._shape, stream, self._places, 0)


@dataclass(frozen=True, slots=True)
class Launch:
    """``kernel`` over ``blocks`` of ``threads``, with ``shared`` bytes of dynamic shared memory.

    Its arguments are those ``before``, the arrays that a call is given, and those ``after``.
    """

    kernel: Any
    blocks: int
    threads: int
    before: tuple[Any, ...] = ()
    after: tuple[Any, ...] = ()
    shared: int = 0

    def __call__(self, *arrays: Any) -> None:
        """Put it on the current stream."""
        arguments = (*self.before, *arrays, *self.after)
        self.kernel((self.blocks,), (self.threads,), arguments, shared_mem=self.shared)

    def bound(self, *arrays: Any) -> Bound:
        """The same with these arrays, packed once."""
        return Bound(self.kernel, self.blocks, self.threads, (*self.before, *arrays, *self.after), self.shared)


class OneLaunch(Prepared):
    """What an arm does that is one kernel, ``bound`` to its arrays once. Stands before a base that has a ``stream``."""

    stream: Any
    bound: Bound

    def launch(self) -> None:
        """One kernel."""
        self.bound.on(self.stream.ptr)

    def run(self) -> None:
        """Launch and wait; the launch names its stream itself."""
        self.bound.on(self.stream.ptr)
        self.stream.synchronize()

    def close(self) -> None:
        """Drop the arrays, which the packed arguments keep too."""
        none: Any = None
        self.bound = none
        super().close()
