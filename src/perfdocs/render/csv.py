"""A card's values as CSV: one row for each measurement and quantity, SI units, unrounded, flags beside them."""

from __future__ import annotations

import csv
import io

from ..frame import records
from ..library import Benchmark
from ..loading import LoadedCard

__all__ = ["card_csv"]

_TAIL = ("metric", "unit", "centre", "lo", "hi", "samples", "flags", "origin", "card")
DIGEST_DIGITS = 12


def card_csv(benchmark: Benchmark, loaded: LoadedCard) -> str:
    """The tidy table of a card as text: the columns of :func:`perfdocs.frame.tidy`, the card's sha256 cut short.

    A number prints with as many digits as give it back exactly; the text depends on the card and definition alone.
    """
    axes = [f"at.{axis}" for axis in benchmark.definition.axes]
    out = io.StringIO()
    names = ["benchmark", "device", "table", "arm", *axes, *_TAIL]
    writer = csv.DictWriter(out, names, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for record in records(benchmark, loaded):
        writer.writerow(record | {"card": loaded.digest[:DIGEST_DIGITS]})
    return out.getvalue()
