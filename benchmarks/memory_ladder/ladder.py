"""The ladder: a point is four knobs; what is read, and what its sum must be.

Access number e reads ``width`` byte at x mod R + 128 · (x div R mod P), x = e · stride · width, of a buffer of random
words. R is 2 GiB, or 4 or 8 where the accesses lie so far apart, and P the times that the buffer is gone through, each
a line of 128 byte further on, until 2 GiB of distinct sectors of 32 byte were read: the same at every point, and 34
times the L2 cache of an H200. Access e = (k · T + t) · loads + j is load j of round k of thread t of T, so that a
thread's consecutive loads lie ``stride`` vector elements apart, and so do the last of a thread and the first of the
next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from perfdocs.measure.arm import Point, VerificationError
from perfdocs.measure.words import PERIOD, word_sum

SECTOR = 32
LINE = 128
DISTINCT = 2 * 2**30
"""Bytes of distinct sectors that are read at every point."""
REACH = DISTINCT * LINE // SECTOR
"""Bytes of the buffer."""
WIDTH, STRIDE, WARPS, LOADS = 16, 1, 32, 4  # the others at their best where one knob varies
MOST_BYTE_AT_ALL_WARPS = 64  # of the loads of a thread: more need more registers than 64 warps leave
ENOUGH = 4096  # byte in flight an SM for which one reading of the sectors lasts some milliseconds
MOST_READINGS = 8


@dataclass(frozen=True, slots=True)
class Ladder:
    """A point: byte a load, vector elements between loads, resident warps an SM, loads of a thread in flight."""

    width: int = WIDTH
    stride: int = STRIDE
    warps: int = WARPS
    loads: int = LOADS

    @property
    def apart(self) -> int:
        """Byte from the beginning of an access to that of the next."""
        return self.stride * self.width

    @property
    def accesses(self) -> int:
        """That read every sector once."""
        return DISTINCT // min(self.apart, SECTOR)

    @property
    def region(self) -> int:
        """Byte gone through before it begins again, a line further on: R."""
        return DISTINCT * max(1, min(self.apart, LINE) // SECTOR)

    @property
    def passes(self) -> int:
        """Times that the region is gone through: P."""
        return max(1, self.apart // LINE)

    @property
    def in_flight(self) -> int:
        """Byte in flight an SM."""
        return 32 * self.warps * self.loads * self.width

    @property
    def readings(self) -> int:
        """Times that one run reads every sector: more where many bytes are in flight, for a run of milliseconds."""
        return max(1, min(MOST_READINGS, self.in_flight // ENOUGH))

    def reference(self) -> int:
        """The sum modulo 2³² of all words read."""
        apart = min(self.apart, LINE)
        return self.readings * word_sum(self.region // (4 * PERIOD), apart, min(self.width, apart)) % 2**32

    def verify(self, reference: int, result: int) -> Mapping[str, float]:
        """Every word was read as often as it should. Raises :class:`VerificationError`."""
        if result != reference:
            raise VerificationError(f"the words read add up to {result:#010x}, not to {reference:#010x}")
        return {}

    def counts(self) -> Mapping[str, float]:
        """Bytes of a run."""
        return {
            "useful_byte": self.readings * self.accesses * self.width,
            "sector_byte": self.readings * DISTINCT,
            "footprint_byte": DISTINCT,
        }

    @property
    def work(self) -> float:
        """Foreseen time of a run: bandwidth grows with the bytes in flight up to about 32 KiB an SM."""
        return self.readings * DISTINCT / min(self.in_flight, 2**15)


def at_point(at: Point) -> Ladder:
    """The point; knobs that a table does not vary are at their best."""
    knobs = {name: int(at[name]) for name in ("width", "stride", "warps", "loads") if name in at}
    return Ladder(**knobs)
