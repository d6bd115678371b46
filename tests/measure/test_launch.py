"""Arguments as the driver takes them, and launches with them."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from perfdocs.measure.launch import Bound, Launch

SIZES = {np.int64: ctypes.c_int64, np.uint32: ctypes.c_uint32, np.float32: ctypes.c_float, np.float64: ctypes.c_double}


class Array:
    """An array on a device: an address."""

    def __init__(self, address: int) -> None:
        self.data = SimpleNamespace(ptr=address)


class Kernel:
    """What CuPy makes of a kernel; it notes when it is loaded and how it is called."""

    def __init__(self) -> None:
        self.loaded, self.calls = 0, list[Any]()
        self.kernel = SimpleNamespace(ptr=77)

    @property
    def num_regs(self) -> int:
        self.loaded += 1
        return 8

    def __call__(self, *shape: Any, **more: Any) -> None:
        self.calls.append((shape, more))


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the driver was given."""
    seen: list[tuple[Any, ...]] = []
    cupy: Any = ModuleType("cupy")
    cupy.cuda = SimpleNamespace(driver=SimpleNamespace(launchKernel=lambda *given: seen.append(given)))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    return seen


def read(places: int, types: list[Any]) -> list[float]:
    """The arguments, as a kernel of these types reads them."""
    pointers = ctypes.cast(places, ctypes.POINTER(ctypes.c_void_p))
    return [ctypes.cast(pointers[i], ctypes.POINTER(kind))[0] for i, kind in enumerate(types)]


def test_a_kernel_finds_its_arguments_where_the_driver_is_told(launched: list[tuple[Any, ...]]) -> None:
    kernel = Kernel()
    numbers = (np.int64(-5), np.uint32(4_000_000_000), np.float32(0.1), np.float64(-0.1))
    bound = Bound(kernel, 3, 64, (Array(2**47 + 9), *numbers, Array(17)), shared=1024)
    assert kernel.loaded == 1  # before the first launch
    bound.on(5)
    (given,) = launched
    assert given[:9] == (77, 3, 1, 1, 64, 1, 1, 1024, 5)
    assert given[10] == 0
    types = [ctypes.c_uint64, *(SIZES[type(number)] for number in numbers), ctypes.c_uint64]
    assert read(given[9], types) == [2**47 + 9, *(number.item() for number in numbers), 17]


def test_a_launcher_gives_the_driver_the_same(launched: list[tuple[Any, ...]]) -> None:
    bound = Bound(Kernel(), 1, 32, ())
    put = bound.launcher(9)
    put()
    put()
    bound.on(9)
    assert len(set(launched)) == 1
    assert len(launched) == 3


def test_what_has_no_size_on_a_device_is_refused(launched: list[tuple[Any, ...]]) -> None:
    for wrong in (3, 0.5, "x", np.zeros(2), np.complex128(1)):
        with pytest.raises(TypeError, match=r"argument 1: .*, expected a CuPy array or a NumPy scalar"):
            Bound(Kernel(), 1, 32, (np.int64(1), wrong))
    assert launched == []


def test_a_launch_takes_the_same_arguments_in_either_way(launched: list[tuple[Any, ...]]) -> None:
    kernel = Kernel()
    before, after, arrays = np.int64(7), Array(1), (Array(2), Array(3))
    launch = Launch(kernel, 4, 128, before=(before,), after=(after,), shared=96)
    launch(*arrays)
    assert kernel.calls == [(((4,), (128,), (before, *arrays, after)), {"shared_mem": 96})]
    bound = launch.bound(*arrays)
    bound.on(0)
    assert launched[0][1:9] == (4, 1, 1, 128, 1, 1, 96, 0)
    assert read(launched[0][9], [ctypes.c_int64, *[ctypes.c_uint64] * 3]) == [7, 2, 3, 1]
