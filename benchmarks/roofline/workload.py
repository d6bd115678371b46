"""The roofline workload: points, problems, verification and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perfdocs.measure.arm import Context, Kind, Point, Task
from perfdocs.measure.chains import ELEMENTS, Element, Sums, check_sums
from perfdocs.measure.matrices import MATRIX_TYPES, MatrixType, Rows, check_rows

CHAINS = (
    *range(9),
    *range(10, 17, 2),
    *range(20, 33, 4),
    *range(40, 65, 8),
    *range(80, 129, 16),
    *range(160, 257, 32),
    *(320, 384, 512, 640, 768, 1024),
)
"""Multiply-adds an element, 35 of them."""
QUICK = (0, 8, 32, 128, 1024)
QUICK_PRODUCTS = ("tensor_fp16",)
TYPES: Mapping[Kind, tuple[str, ...]] = {"gpu": ("fp32", "fp64", "fp16", "int32"), "cpu": ("fp32", "fp64", "int32")}
MOST_WORDS = 2**30  # far more than caches hold
MATRIX_BYTE = 2**31  # of both matrices that are tall
UNIT = 8  # a matrix unit takes so many terms at a time, or twice that: sums are of a multiple


@dataclass(frozen=True, slots=True)
class Chains:
    """Chains of ``chain`` multiply-adds over ``words`` words of one type, ``host_words`` on a host.

    Where the chain is long memory does not tell, and less of it is gone through.
    """

    type: str
    chain: int
    words: int
    host_words: int
    passes: int = 1

    @property
    def element(self) -> Element:
        """The type."""
        return ELEMENTS[self.type]

    def verify(self, result: Sums) -> None:
        """Sums of words at the ends of the chains."""
        check_sums(result, self.element, self.chain)

    def counts(self, words: float) -> dict[str, float]:
        """Bytes and operations of so many words that are loaded, those loaded again included."""
        numbers = 4 * words / (2 if self.type == "fp16" else self.element.size)
        done = 2.0 * self.chain * numbers
        return {"moved_byte": 4.0 * words, **operations(self.type, done)}


@dataclass(frozen=True, slots=True)
class Tall:
    """The product of a matrix (rows, chain) with one (chain, chain): so many multiply-adds an element of the first."""

    type: str
    chain: int
    rows: int

    @property
    def kind(self) -> MatrixType:
        """The type."""
        return MATRIX_TYPES[self.type]

    def verify(self, result: Rows) -> None:
        """Some rows."""
        check_rows(self.kind, self.rows, self.chain, result)

    def counts(self) -> dict[str, float]:
        """Bytes of the three matrices, and operations."""
        elements = 2 * self.rows * self.chain + self.chain**2
        done = 2.0 * self.rows * self.chain**2
        return {"moved_byte": float(elements * self.kind.element.size), **operations(self.type, done)}


def operations(kind: str, done: float) -> dict[str, float]:
    """Operations under the metrics of every type and of their own."""
    return {"operations": done, "int32_op" if kind == "int32" else f"{kind}_flop": done}


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """A curve for each type."""
    chains = QUICK if quick else CHAINS
    types, products = (TYPES[kind][:2], QUICK_PRODUCTS) if quick else (TYPES[kind], tuple(MATRIX_TYPES))
    found = [Task("main", {"type": key, "chain": chain}, curve=key) for key in types for chain in chains]
    if kind == "gpu":
        inner = [chain for chain in chains if chain and chain % UNIT == 0]
        found += [Task("matrix", {"type": key, "chain": chain}, curve=key) for key in products for chain in inner]
    return found


def problem(at: Point) -> Chains | Tall:
    """The problem at a point."""
    given: Mapping[str, Any] = at
    key, chain = given["type"], given["chain"]
    if key in MATRIX_TYPES:
        return Tall(key, chain, MATRIX_BYTE // (2 * chain * MATRIX_TYPES[key].element.size))
    return Chains(
        key,
        chain,
        words=shortened(MOST_WORDS, chain, 64, MOST_WORDS // 8),
        host_words=shortened(MOST_WORDS // 4, chain, 16, MOST_WORDS // 64),
        passes=2 if chain <= 16 else 1,
    )


def shortened(words: int, chain: int, free: int, least: int) -> int:
    """So many words as long as the chain is no longer than ``free``, then fewer in proportion, ``least`` at least."""
    return max(least, words * free // max(chain, free))


def reference(problem: Chains | Tall, context: Context) -> None:
    """Nothing: every problem knows its answer."""


def verify(problem: Chains | Tall, reference: None, result: Any) -> Mapping[str, float]:  # noqa: ARG001
    """Held against what is known beforehand. Raises :class:`VerificationError`."""
    problem.verify(result)
    return {}


def counts(problem: Chains | Tall) -> Mapping[str, float]:
    """Facts that are the same for every arm: those of products; what chains go through is for each arm to say."""
    return problem.counts() if isinstance(problem, Tall) else {}


def work(at: Point) -> float:
    """About as long as the longest chain takes at a size that is cut down with it."""
    return float(16 + int(at["chain"]))
