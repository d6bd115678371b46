"""What the GPU arms share: the compiled kernels, and a buffer of random words."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from perfdocs.measure.chains import ELEMENTS, Element
from perfdocs.measure.kernels import inlined
from perfdocs.measure.packages import import_cupy

HERE = Path(__file__).parent
THREADS = 256  # a block


@lru_cache(maxsize=64)
def kernel(entry: str, *defines: str) -> Any:
    """A kernel of ``fma.cu``, compiled for this device with the given ``NAME=VALUE`` definitions."""
    options = ("--std=c++17", *(f"-DROOFLINE_{define}" for define in defines))
    code = inlined(HERE / "fma.cu")
    return import_cupy().RawModule(code=code, options=options, backend="nvrtc").get_function(entry)


def fill(words: Any, element: Element) -> None:
    """Fill an array of words on the device with those of a type, from the place 0 on."""
    kernel("roofline_fill")((4096,), (THREADS,), (words, np.uint64(words.size), *element.bits))


@lru_cache(maxsize=1)
def buffer(type_: str, words: int) -> Any:
    """Random words of a type on the device; filling gigabytes takes a while, so the last one is kept."""
    data = import_cupy().empty(words, np.uint32)
    fill(data, ELEMENTS[type_])
    return data
