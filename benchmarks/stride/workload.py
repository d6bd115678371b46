"""The stride workload: 2²⁶ elements read by 2²⁰ threads, 64 each, at every power-of-two stride.

Element number i of thread t lies, in bits of the address: the upper bits of t, the 6 bits of i, the lowest ``shift``
bits of t. At shift 20 the stride is all threads and the loads of neighbours are neighbours; at shift 0 each thread has
a run of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from perfdocs.measure.arm import Context, Kind, Point, Task, VerificationError
from perfdocs.measure.words import PERIOD, word_at, word_sum

if TYPE_CHECKING:
    Words = npt.NDArray[np.uint32]
    Integers = npt.NDArray[np.int64]

ELEMENTS, THREADS, EACH = 2**26, 2**20, 64
LANES = 32
"""Threads whose sums are added up: a warp."""
SHIFTS = range(21)
INTS = (1, 2, 4)
DEVICE_BYTE = 8 * 2**30
"""Arrays of together so many byte are read in a run: 140 times the L2 cache of an H200, and some milliseconds."""
SAMPLED = 64


@dataclass(frozen=True, slots=True)
class Problem:
    """``ints`` 32-bit integers an element, a stride of 2 to the power of ``shift``.

    A thread reads 64 elements; there are fewer ``threads`` than the definition's in tests only.
    """

    ints: int
    shift: int
    threads: int = THREADS

    @property
    def words(self) -> int:
        """32-bit words of an array."""
        return self.threads * EACH * self.ints

    def elements(self, threads: Integers) -> Integers:
        """Numbers of the elements that each of these threads reads, in order: a row a thread."""
        low = threads & (2**self.shift - 1)
        first = ((threads - low) * EACH + low)[:, None]
        return np.asarray(first + (np.arange(EACH, dtype=np.int64) << self.shift))


class Result(NamedTuple):
    """Sums modulo 2³² of what each warp of 32 threads read, array after array."""

    sums: Words


class Reference(NamedTuple):
    """Some warps of the first array by number, and the sums of what they have to read."""

    warps: Integers
    sums: Words


def whole(count: int) -> int:
    """The sum modulo 2³² of the first ``count`` words, whole periods or less than one."""
    periods, rest = divmod(count, PERIOD)
    if rest:
        return int(word_at(np.arange(count)).sum(dtype=np.uint64)) % 2**32
    return word_sum(periods)


def tasks(kind: Kind, quick: bool) -> Sequence[Task]:
    """Every shift of every width, each width one curve; one thread of a host does only the first width."""
    widths = (1,) if quick and kind == "cpu" else INTS
    shifts = (0, 5, 20) if quick else SHIFTS
    found = [
        Task("main", {"ints": ints, "shift": shift}, curve=f"{ints} a load") for ints in widths for shift in shifts
    ]
    if kind == "cpu" and not quick:
        found += [Task("single", {"shift": shift}) for shift in shifts]
    return found


def problem(at: Point) -> Problem:
    """The walk at a point; single integers where a table leaves that open."""
    return Problem(int(at.get("ints", 1)), int(at["shift"]))


def reference(problem: Problem, context: Context) -> Reference:  # noqa: ARG001 - NumPy computes it
    """The sums of warps spread over the array, from the numbers of their elements; the first and the last are in it."""
    warps = np.linspace(0, problem.threads // LANES - 1, SAMPLED).astype(np.int64)
    threads = (warps[:, None] * LANES + np.arange(LANES)).ravel()
    at = problem.elements(threads)[..., None] * problem.ints + np.arange(problem.ints)
    sums = word_at(at).reshape(len(warps), -1).sum(axis=1, dtype=np.uint64).astype(np.uint32)
    return Reference(warps, sums)


def verify(problem: Problem, reference: Reference, result: Result) -> Mapping[str, float]:
    """All words of all arrays were read, and sampled warps read theirs. Raises :class:`VerificationError`."""
    a_warp = LANES * EACH * problem.ints
    wanted = whole(result.sums.size * a_warp)
    found = int(result.sums.sum(dtype=np.uint64)) % 2**32
    if found != wanted:
        raise VerificationError(f"the words read add up to {found:#010x}, not to {wanted:#010x}")
    got = result.sums[reference.warps]
    if (got != reference.sums).any():
        bad = int(np.flatnonzero(got != reference.sums)[0])
        raise VerificationError(f"warp {int(reference.warps[bad])} read other elements than its own")
    return {}


def counts(problem: Problem) -> Mapping[str, float]:  # noqa: ARG001 - how many arrays a run reads is the arm's choice
    """None that are the same for every arm."""
    return {}


def work(at: Point) -> float:
    """Words of an array."""
    return float(ELEMENTS * int(at.get("ints", 1)))
