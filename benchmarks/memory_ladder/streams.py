"""BabelStream's kernels over arrays of doubles: copy z = x, scale z = s x, add z = x + y, triad z = x + s y, dot x · y.

There the arrays are called a, b, c and each kernel writes to another of them; here x and y are read and z is written,
so that a run leaves its inputs as they were. That makes no difference to the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import VerificationError
from perfdocs.measure.words import PERIOD

from .contents import factor, reals

if TYPE_CHECKING:
    Reals = npt.NDArray[np.float64]

SCALAR = 0.4
TOLERANCE = 1e-11  # of sums of 2²⁸ numbers of one sign; one element more or less is 4e-9


class Kernel(NamedTuple):
    """What a kernel makes of elements of x and y, and how many arrays it reads and writes."""

    of: Callable[[Reals, Reals], Reals]
    read: int
    written: int


KERNELS: Mapping[str, Kernel] = {
    "copy": Kernel(lambda x, _: x, 1, 1),
    "scale": Kernel(lambda x, _: SCALAR * x, 1, 1),
    "add": Kernel(lambda x, y: x + y, 2, 1),
    "triad": Kernel(lambda x, y: x + SCALAR * y, 2, 1),
    "dot": Kernel(lambda x, y: x * y, 2, 0),
}


class Result(NamedTuple):
    """What a kernel computed: its name, the sum over the array, and the array's last period (of dot there is none)."""

    kernel: str
    total: float
    last: Reals | None


@dataclass(frozen=True, slots=True)
class Streams:
    """``n`` elements an array, a multiple of the period; ``passes`` over them a run; threads of the host."""

    n: int
    passes: int = 1
    threads: int = 1

    def reference(self) -> Mapping[str, Result]:
        """For each kernel the sum over all elements, by formula, and the last period."""
        factors = np.array([factor(period) for period in range(self.n // PERIOD)])
        x, y = reals()
        last = factors[-1]
        found = {}
        for name, kernel in KERNELS.items():
            if name == "dot":
                found[name] = Result(name, float(kernel.of(x, y).sum() * (factors * factors).sum()), None)
            else:
                found[name] = Result(name, float(kernel.of(x, y).sum() * factors.sum()), kernel.of(x * last, y * last))
        return found

    def verify(self, reference: Mapping[str, Result], result: Result) -> Mapping[str, float]:
        """The sum within 1e-11, the last period to the bit. Raises :class:`VerificationError`."""
        wanted = reference[result.kernel]
        if not abs(result.total - wanted.total) <= TOLERANCE * wanted.total:
            raise VerificationError(f"the elements of {result.kernel} add up to {result.total!r}, not {wanted.total!r}")
        if wanted.last is not None and not np.array_equal(wanted.last, result.last if result.last is not None else ()):
            raise VerificationError(f"the last {PERIOD} elements of {result.kernel} are not the reference's")
        return {}

    def moved(self, kernel: str) -> int:
        """Byte read and written in a run, as BabelStream counts them."""
        return 8 * (KERNELS[kernel].read + KERNELS[kernel].written) * self.n * self.passes

    def counts(self, kernel: str) -> Mapping[str, float]:
        """Bytes of a run; every sector is used whole."""
        moved = self.moved(kernel)
        return {"useful_byte": moved, "sector_byte": moved, "footprint_byte": moved // self.passes}
