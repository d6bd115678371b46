"""A stand-in for CuPy and a device, under which arms are prepared and run without a GPU.

What stands in for arrays has a shape and a type and holds no numbers: array code ends there, since nothing of the
benchmark's own is compiled for it. What stands in for a kernel notes how it is launched.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from perfdocs.files import digest

from . import hostcc, while_graph
from .arm import Cannot
from .edges import SystemClock
from .loader import PACKAGE_PREFIX

__all__ = ["SM_COUNT", "ArrayCodeError", "Asked", "Launched", "Recorder", "stood_in"]

SM_COUNT = 132  # of the device that is stood in for: arms may choose by it
ATTRIBUTES = {
    "MultiProcessorCount": SM_COUNT,
    "MaxSharedMemoryPerBlockOptin": 227 * 1024,
    "MaxSharedMemoryPerMultiprocessor": 228 * 1024,
}
COUNTS = 4096  # bytes of an array that is read back for counts in it, at most
READING = 1e-3  # seconds from each reading of the clock that is stood in for to the next
# Compile kernels of their own, or time ours on a device.
OTHERS = ("cuda.bench", "cupyx", "cupyx.profiler", "jax", "numba", "torch", "warp")


@dataclass(slots=True)
class Asked:
    """One kernel of one compiled text: what arms ask for, and how they launch it.

    ``threads`` is the largest block that it is launched with, ``dynamic`` the shared memory asked for at a launch
    (byte); both 0 where it is never launched. ``options`` go to the compiler as they are.
    """

    name: str
    code: str
    options: tuple[str, ...]
    arms: set[str] = field(default_factory=set)
    threads: int = 0
    dynamic: int = 0

    @property
    def text(self) -> str:
        """A digest of all that the compiler is given; where headers of others lie differs from machine to machine."""
        told = (option for option in self.options if not option.startswith("-I"))
        return digest("\0".join((self.code, *told)).encode())[:16]

    @property
    def defines(self) -> tuple[str, ...]:
        """``NAME=VALUE`` of each definition, in order of names."""
        return tuple(sorted(option[2:] for option in self.options if option.startswith("-D")))


class Launched(NamedTuple):
    """A launch: the kernel, its blocks, their threads, and its arguments unless they were packed before."""

    kernel: Asked
    blocks: int
    threads: int
    arguments: tuple[Any, ...]


class ArrayCodeError(Exception):
    """An arm computes with arrays, and those here hold no numbers."""


class _Plane(np.ndarray[Any, Any]):
    """An array "on the device": a shape and a type."""

    device = SimpleNamespace(id=0)  # type: ignore[assignment] # as CuPy's, where NumPy's is a text
    data = SimpleNamespace(ptr=0)  # type: ignore[assignment] # as CuPy's, where NumPy's is the memory itself

    def set(self, host: Any, stream: Any = None) -> None:
        """Nothing is copied."""

    def get(self, stream: Any = None, out: Any = None) -> Any:  # noqa: ARG002 - as CuPy's
        """Zeros; into an ``out`` of a few bytes ones in all bits, so that a loop that waits for a count ends."""
        if out is None:
            return np.zeros(self.shape, self.dtype)
        if out.nbytes <= COUNTS:
            out.view(np.uint8)[...] = 0xFF
        return out

    def fill(self, value: Any) -> None:
        """Nothing is written."""

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        raise ArrayCodeError

    def __array_function__(self, *_: Any, **__: Any) -> Any:
        raise ArrayCodeError


def _array_code(*_: Any, **__: Any) -> Any:
    raise ArrayCodeError


class _Kernel:
    """A kernel that notes its launches."""

    num_regs = 0
    local_size_bytes = 0
    shared_size_bytes = 0
    max_dynamic_shared_size_bytes = 0

    def __init__(self, entry: Asked, recorder: Recorder) -> None:
        self._entry, self._recorder = entry, recorder
        self.kernel = SimpleNamespace(ptr=self)  # what the driver is given

    def __call__(self, grid: Sequence[int], block: Sequence[int], args: Any, *, shared_mem: int = 0) -> None:
        # Arms share what a module keeps: who launches it is one of its arms, whoever asked for it first.
        self._entry.arms.add(self._recorder.arm)
        self._entry.threads = max(self._entry.threads, math.prod(block))
        self._entry.dynamic = max(self._entry.dynamic, shared_mem)
        self._recorder.launches.append(Launched(self._entry, math.prod(grid), math.prod(block), tuple(args)))


class _Clock:
    """The clock of a device on which nothing takes long: what an arm times, and for how long, is the same each time."""

    def __init__(self) -> None:
        self._now = 0.0

    def read(self) -> float:
        """Seconds, a little later each time."""
        self._now += READING
        return self._now

    def sleep(self, seconds: float) -> None:
        """Back at once, that much later."""
        self._now += seconds


class _NoPython(subprocess.Popen[Any]):
    """A sampler and work beside ours are processes of this Python: none is started, nothing is read or disturbed."""

    def __init__(self, args: Any, *more: Any, **others: Any) -> None:
        if not isinstance(args, str) and list(args)[:1] == [sys.executable]:
            raise Cannot("unsupported", "nothing of ours runs beside a device that is stood in for")
        super().__init__(args, *more, **others)


def _launched(kernel: _Kernel, *shape: Any) -> None:
    """The driver's launch: a grid and a block of three numbers each, shared memory, stream and arguments."""
    kernel(shape[:3], shape[3:6], (), shared_mem=shape[6])


class _Stream:
    """A stream on which nothing happens."""

    ptr = 0

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def begin_capture(self) -> None:
        """What is captured notes its launches, as it would on the stream."""

    def end_capture(self) -> Any:
        return SimpleNamespace(launch=lambda _: None)


class _Event:
    """A moment on a stream on which nothing happens."""

    def record(self, stream: Any = None) -> None:
        pass

    def synchronize(self) -> None:
        pass


class _Graph:
    """A graph whose work is put on the stream once, where its kernels note their launches."""

    def __init__(self, stream: Any, begin: Callable[[], None], body: Callable[[Any], None]) -> None:  # noqa: ARG002
        begin()
        body(np.uint64(0))

    def launch(self) -> None:
        pass

    def close(self) -> None:
        pass


class Recorder:
    """All that was asked for so far, and the arm at hand."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, tuple[str, ...], str], Asked] = {}
        self.arm = ""
        self.on_device = False
        """The arm at hand has an array or a kernel on the device; what others made before may be all it needs."""
        self.launches: list[Launched] = []

    def plane(self, shape: Any, dtype: Any = float, **_: Any) -> _Plane:
        """A new array: no page of it is there before somebody writes to it."""
        self.on_device = True
        return np.zeros(shape, dtype).view(_Plane)

    def plane_like(self, other: Any, dtype: Any = None, **_: Any) -> _Plane:
        """A new array of the shape of another."""
        return self.plane(other.shape, dtype or other.dtype)

    def joined(self, parts: Sequence[Any], *_: Any, **__: Any) -> _Plane:
        """A new array of the shape of several, one after the other."""
        return self.plane((sum(part.shape[0] for part in parts), *parts[0].shape[1:]), parts[0].dtype)

    def kernel(self, code: str, options: Sequence[str], name: str) -> _Kernel:
        """The stand-in for a kernel, the same every time."""
        self.on_device = True
        key = (code, tuple(options), name)
        entry = self.found.setdefault(key, Asked(name, code, tuple(options)))
        entry.arms.add(self.arm)
        return _Kernel(entry, self)

    def cupy(self) -> ModuleType:
        """The module that stands in for CuPy."""
        module = ModuleType("cupy")
        module.zeros = module.empty = self.plane  # type: ignore[attr-defined]
        module.zeros_like = module.empty_like = self.plane_like  # type: ignore[attr-defined]
        module.asarray = lambda a, *_, **__: self.plane_like(np.asarray(a))  # type: ignore[attr-defined]
        module.array = module.asarray  # type: ignore[attr-defined]
        module.concatenate = self.joined  # type: ignore[attr-defined]
        module.RawModule = lambda code, options=(), **_: SimpleNamespace(  # type: ignore[attr-defined]
            get_function=lambda name: self.kernel(code, options, name)
        )
        module.RawKernel = lambda code, name, options=(), **_: self.kernel(code, options, name)  # type: ignore[attr-defined]
        pool = SimpleNamespace(total_bytes=lambda: 0, used_bytes=lambda: 0, free_all_blocks=lambda: None)
        module.get_default_memory_pool = lambda: pool  # type: ignore[attr-defined]
        module.cuda = SimpleNamespace(  # type: ignore[attr-defined]
            Stream=_Stream,
            Event=_Event,
            get_elapsed_time=lambda *_: 1.0,
            get_current_stream=_Stream,
            Device=lambda *_: SimpleNamespace(id=0, attributes=ATTRIBUTES),
            alloc_pinned_memory=lambda size: np.zeros(size, np.uint8),  # no page of it is there yet
            driver=SimpleNamespace(launchKernel=_launched),
            runtime=SimpleNamespace(streamSynchronize=lambda _: None),
        )
        module.__getattr__ = _rest  # type: ignore[method-assign]
        return module


def _rest(name: str) -> Any:
    """Types are NumPy's; functions over arrays end where they are called."""
    found = getattr(np, name)
    return found if isinstance(found, type) or not callable(found) else _array_code


@contextmanager
def stood_in(recorder: Recorder) -> Iterator[Path]:
    """CuPy, graphs and clock replaced, other compilers and processes absent, modules of benchmarks new; then as before.

    Modules are new because they keep what they imported and the kernels they compiled.
    """
    own = {name for name in sys.modules if name.startswith(PACKAGE_PREFIX)}
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(sys.modules, {**dict.fromkeys(OTHERS), "cupy": recorder.cupy()}))
        for name in own:
            del sys.modules[name]
        clock = _Clock()
        for name, stand_in in (("counter", clock.read), ("monotonic", clock.read), ("sleep", clock.sleep)):
            stack.enter_context(mock.patch.object(SystemClock, name, stand_in))
        stack.enter_context(mock.patch.object(subprocess, "Popen", _NoPython))
        stack.enter_context(mock.patch.object(while_graph, "WhileGraph", _Graph))
        stack.enter_context(mock.patch.object(while_graph, "import_driver"))
        stack.enter_context(mock.patch.object(hostcc, "compiler", return_value=None))
        yield Path(stack.enter_context(TemporaryDirectory()))
