"""Products of matrices on a GPU's matrix units, through CuPy's ``matmul``, some of their rows checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from .arm import Cannot, Prepared, VerificationError
from .chains import Element
from .packages import import_cupy

__all__ = ["MATRIX_TYPES", "MatrixType", "Product", "Rows", "check_rows"]

Reals = npt.NDArray[np.float64]
ROWS, COLUMNS = 5, 32  # that are checked


@dataclass(frozen=True, slots=True)
class MatrixType:
    """A type of elements: random signs and mantissas, sizes within [1.25, 1.75).

    ``tolerance`` is that of an element of the product, over the root of the terms that it sums.
    """

    key: str
    element: Element
    tolerance: float

    def values(self, places: npt.NDArray[np.int64]) -> Reals:
        """Elements at these places, of any shape, as numbers."""
        size = self.element.size
        if size == 8:
            words = self.element.words(2 * places[..., None] + np.arange(2))
            return words.view(np.float64)[..., 0]
        words = self.element.words(places * size // 4)
        if size == 4:
            return words.view(np.float32).astype(np.float64)
        halves = (words >> (16 * (places % 2)).astype(np.uint32)).astype(np.uint16)
        if self.key == "tensor_bf16":
            return (halves.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
        return halves.view(np.float16).astype(np.float64)


def _type(key: str, dtype: Any, size: int, masks: tuple[int, int], bases: tuple[int, int], tolerance: float) -> Any:
    return MatrixType(key, Element("", dtype, size, masks, bases, ()), tolerance)


MATRIX_TYPES: Mapping[str, MatrixType] = {
    one.key: one
    for one in (
        _type("tensor_fp64", np.float64, 8, (0xFFFFFFFF, 0x8007FFFF), (0, 0x3FF40000), 1e-12),
        _type("tensor_tf32", np.float32, 4, (0x803FFFFF,) * 2, (0x3FA00000,) * 2, 2.0**-6),
        _type("tensor_fp16", np.float16, 2, (0x81FF81FF,) * 2, (0x3D003D00,) * 2, 2.0**-7),
        _type("tensor_bf16", np.uint16, 2, (0x803F803F,) * 2, (0x3FA03FA0,) * 2, 2.0**-4),
    )
}
"""By the keys of their peaks. The last needs the package ``ml_dtypes``."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a product of matrices (…, inner) and (inner, inner): their numbers, and what they are (rows, inner)."""

    numbers: tuple[int, ...]
    values: Reals


class Product(Prepared):
    """``repeats`` products of a matrix (rows, inner) with one (inner, inner).

    ``fill(words, element)`` fills an array of 32-bit words on the device. Raises :class:`Cannot` without cuBLAS, or the
    package that a type needs.
    """

    def __init__(
        self, kind: MatrixType, rows: int, inner: int, repeats: int, fill: Callable[[Any, Element], None]
    ) -> None:
        self.cupy = cupy = import_cupy()
        self._rows, self._inner, self._repeats = rows, inner, repeats
        self._stream = cupy.cuda.Stream()
        dtype = _dtype(kind)
        words = cupy.empty((rows + inner) * inner * kind.element.size // 4, np.uint32)
        fill(words, kind.element)
        both = words.view(dtype)
        self._left = both[: rows * inner].reshape(rows, inner)
        self._right = both[rows * inner :].reshape(inner, inner)
        self._out = cupy.empty((rows, inner), dtype)
        os.environ.setdefault("CUPY_TF32", "1")  # how CuPy is told, before its first product of single precision
        try:
            cupy.matmul(self._left, self._right, out=self._out)
        except ImportError:
            raise Cannot("not_installed", "cuBLAS is not installed") from None

    def run(self) -> None:
        """Multiply again and again, then wait."""
        with self._stream:
            for _ in range(self._repeats):
                self.cupy.matmul(self._left, self._right, out=self._out)
            self._stream.synchronize()

    def result(self) -> Rows:
        """Some rows, the first and the last among them."""
        numbers = sorted({int(n) for n in np.linspace(0, self._rows - 1, ROWS)})
        values = [
            self._out[n].astype(np.float32 if self._out.dtype.itemsize < 8 else np.float64).get() for n in numbers
        ]
        return Rows(tuple(numbers), np.array(values, dtype=np.float64))

    def close(self) -> None:
        """Drop the arrays."""
        none: Any = None
        self._left = self._right = self._out = none


def _dtype(kind: MatrixType) -> Any:
    if kind.key != "tensor_bf16":
        return kind.element.dtype
    try:
        return import_module("ml_dtypes").bfloat16
    except ImportError:
        raise Cannot("unsupported", "the package ml_dtypes, which has the type, is not installed") from None


def check_rows(kind: MatrixType, rows: int, inner: int, found: Rows) -> float:
    """The largest difference in some columns of the rows, over what sums round to.

    Raises :class:`VerificationError` where it is above 1.
    """
    if found.values.shape != (len(found.numbers), inner) or not found.numbers:
        raise VerificationError(f"rows of {found.values.shape} for a product of {inner} columns")
    terms, columns = np.arange(inner), np.unique(np.linspace(0, inner - 1, COLUMNS).astype(np.int64))
    left = kind.values(np.array(found.numbers)[:, None] * inner + terms)
    right = kind.values(rows * inner + terms[:, None] * inner + columns)
    share = np.abs(found.values[:, columns] - left @ right) / (kind.tolerance * np.sqrt(inner))
    worst = float(share.max())
    if not worst <= 1:
        row, column = np.unravel_index(int(np.nan_to_num(share, nan=np.inf).argmax()), share.shape)
        raise VerificationError(
            f"row {found.numbers[row]}, column {columns[column]} of the product is "
            f"{found.values[row, columns[column]]:.6g}, {worst:.3g} times as far from the host's as rounding goes"
        )
    return worst
