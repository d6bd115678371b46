"""What is measured: a frozen problem for each table, which knows its counts and the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import VerificationError
from perfdocs.measure.chains import ELEMENTS, Element, Sums, check_sums
from perfdocs.measure.matrices import MATRIX_TYPES, MatrixType, Rows, check_rows

Words = npt.NDArray[np.uint32]

FLOAT = ELEMENTS["fp32"]
SCALE = np.float32(0.4)  # of the triad, as BabelStream has it
ARRAYS = {"read": 1, "copy": 2, "triad": 3}  # that a pattern goes through
WINDOWS, WINDOW = 64, 64  # places that are looked at, and words at each


def window_starts(words: int) -> npt.NDArray[np.int64]:
    """Where stretches of :data:`WINDOW` words begin that are looked at, the first and the last among them."""
    return np.linspace(0, words - WINDOW, WINDOWS).astype(np.int64)


def stretches(words: Any) -> Words:
    """Words at some places of an array, on the device or not (places, :data:`WINDOW`), in host memory."""
    found = [words[at : at + WINDOW] for at in window_starts(words.size).tolist()]
    return np.array([one if type(one) is np.ndarray else one.get() for one in found])


def refuse_different(found: Any, wanted: Any, what: str) -> None:
    """Raise :class:`VerificationError` where two arrays are not the same."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape:
        raise VerificationError(f"{what}: shape {found.shape}, expected {wanted.shape}")
    if (wrong := np.flatnonzero(found != wanted)).size:
        i = int(wrong[0])
        raise VerificationError(
            f"{what}: {wrong.size} of {found.size} are wrong; number {i} is {found.flat[i]}, expected {wanted.flat[i]}"
        )


@dataclass(frozen=True, slots=True)
class Stretches:
    """What a copy or a triad wrote: words (places, :data:`WINDOW`) of the ``words`` it went through.

    The second array begins ``array`` words behind the first.
    """

    values: Words
    words: int
    array: int


@dataclass(frozen=True, slots=True)
class Memory:
    """One pattern over ``words`` words of 4 byte an array, ``lanes`` at a time; on a host over a part of them.

    Three arrays lie one behind the other.
    """

    pattern: str
    lanes: int
    words: int

    def verify(self, result: Sums | Stretches) -> None:
        """Sums of some parts, or stretches of what was written."""
        if isinstance(result, Sums):
            return check_sums(result, FLOAT)
        at = window_starts(result.words)[:, None] + np.arange(WINDOW)
        wanted = FLOAT.words(at)
        if self.pattern == "triad":
            second = FLOAT.words(at + result.array).view(np.float32).astype(np.float64)
            exact = wanted.view(np.float32) + np.float64(SCALE) * second  # of 53 bits: rounded once, as the triad does
            wanted = exact.astype(np.float32).view(np.uint32)
        return refuse_different(result.values, wanted, f"words that the {self.pattern} wrote")


@dataclass(frozen=True, slots=True)
class Ends:
    """Of every thread the sum of words at the ends of its ``elements``, after so many steps."""

    values: Words
    elements: int
    steps: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Chains of at most ``steps`` multiply-adds of elements of one type, ``lanes`` numbers wide."""

    type: str
    lanes: int
    steps: int

    @property
    def element(self) -> Element:
        """The type."""
        return ELEMENTS[self.type]

    def counts(self, numbers: float) -> dict[str, float]:
        """Operations, ``numbers`` being the numbers that were carried on times their steps."""
        key = "int32_op" if self.type == "int32" else f"{self.type}_flop"
        return {"operations": 2.0 * numbers, key: 2.0 * numbers}

    @property
    def chains(self) -> int:
        """Elements that are so many numbers: halves come in pairs."""
        return self.lanes // 2 if self.type == "fp16" else self.lanes

    def verify(self, result: Ends) -> None:
        """The sum of every thread."""
        a_thread = result.elements * self.element.size // 4
        words = self.element.words(np.arange(len(result.values) * a_thread))
        wanted = self.element.end(words, result.steps).reshape(-1, a_thread).sum(axis=1, dtype=np.uint32)
        refuse_different(result.values, wanted, "sums of threads")


@dataclass(frozen=True, slots=True)
class Matrix:
    """``repeats`` products of two square matrices."""

    type: str
    side: int
    repeats: int

    @property
    def kind(self) -> MatrixType:
        """The type."""
        return MATRIX_TYPES[self.type]

    def verify(self, result: Rows) -> None:
        """Some rows."""
        check_rows(self.kind, self.side, self.side, result)


@dataclass(frozen=True, slots=True)
class Moved:
    """Stretches of the ``words`` words that arrived, of each way."""

    values: tuple[Words, ...]
    words: int


@dataclass(frozen=True, slots=True)
class Transfer:
    """About ``words`` words between the host's memory of a kind and the device's, one way or both at once."""

    memory: str
    direction: str
    words: int

    def verify(self, result: Moved) -> None:
        """Stretches of what arrived on every side that something was sent to."""
        wanted = FLOAT.words(window_starts(result.words)[:, None] + np.arange(WINDOW))
        if len(result.values) != (2 if self.direction == "both" else 1):
            raise VerificationError(f"{len(result.values)} ways of a transfer, direction {self.direction}")
        for side in result.values:
            refuse_different(side, wanted, "words that arrived")


@dataclass(frozen=True, slots=True)
class Latency:
    """The same small thing ``repeats`` times."""

    way: str
    repeats: int

    def verify(self, result: int) -> None:
        """It was done as often as it should."""
        if result != self.repeats:
            raise VerificationError(f"done {result} times, expected {self.repeats}")


@dataclass(frozen=True, slots=True)
class Counters:
    """What ``updates`` additions of 1 made of counters."""

    values: Words
    updates: int


@dataclass(frozen=True, slots=True)
class Atomics:
    """Additions of 1 to ``addresses`` counters in turn."""

    addresses: int

    def verify(self, result: Counters) -> None:
        """Every counter has its share, one more where it does not come out even."""
        share, more = divmod(result.updates, self.addresses)
        wanted = (np.arange(self.addresses) < more) + np.uint32(share % 2**32)
        refuse_different(result.values, wanted.astype(np.uint32), "counters")


Problem = Memory | Arithmetic | Matrix | Transfer | Latency | Atomics


def counts(problem: Problem) -> Mapping[str, float]:
    """What one run does, where every arm does the same."""
    if isinstance(problem, Matrix):
        done = 2.0 * problem.repeats * problem.side**3
        return {"operations": done, f"{problem.type}_flop": done}
    if isinstance(problem, Latency):
        return {"repeats": problem.repeats}
    return {}
