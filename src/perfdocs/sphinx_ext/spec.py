"""What a directive asks for, as keys: all that a page's doctree holds of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from docutils import nodes

from ..card import AxisValue
from ..library import Benchmark, Library
from ..loading import LoadedCard
from ..render.devices import by_interest
from . import project as keys
from .project import Key

__all__ = ["LIMIT", "Kind", "PerfNode", "Spec", "anything", "chosen_cards", "chosen_repeats", "dependencies"]

Kind = Literal[
    "results",
    "overview",
    "detail",
    "fastest",
    "plot",
    "arms",
    "terms",
    "method",
    "device",
    "measured-on",
    "compare",
    "repeatability",
    "numbers",
    "claims",
]

LIMIT = 8
"""Devices shown on one page; the others are linked. Pages of five megabytes help nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One request: keys and options, no data.

    Empty ``devices`` means all; ``at`` is a point; ``parts`` is for ``device``: the device's facts, the rows of its
    cards (of ``table``, or of every one) and what else they say, that alone, or all; ``anchors``: the rows get their
    permanent ids here; ``pages`` are documents whose claims are asked for; ``serial`` counts requests on the page.
    """

    kind: Kind
    benchmarks: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    table: str = ""
    plot: str = ""
    at: tuple[tuple[str, AxisValue], ...] = ()
    limit: int = LIMIT
    pages: tuple[str, ...] = ()
    parts: Literal["all", "facts", "rows", "about"] = "all"
    anchors: bool = False
    serial: int = 0

    @property
    def benchmark(self) -> str:
        """The benchmark, where there is one."""
        return self.benchmarks[0]


class PerfNode(nodes.General, nodes.Element):
    """Stands for a :class:`Spec` (attribute ``spec``) until a builder writes it; it has no children.

    ``home`` is the document it was read in, which need not be the one it is written to.
    """

    @property
    def spec(self) -> Spec:
        """What was asked for."""
        spec = self["spec"]
        assert isinstance(spec, Spec)
        return spec

    def astext(self) -> str:
        """No text: what it shows is made when it is written."""
        return ""


def chosen_repeats(spec: Spec, benchmark: Benchmark) -> tuple[LoadedCard, ...]:
    """Second runs of the devices named, in that order, or all."""
    if spec.devices:
        return tuple(c for d in spec.devices if (c := benchmark.repeat_of(d)) is not None)
    return benchmark.repeats


def chosen_cards(spec: Spec, benchmark: Benchmark) -> tuple[LoadedCard, ...]:
    """Cards of the devices named, in that order, or all in the order of :func:`perfdocs.render.devices.by_interest`."""
    if spec.devices:
        return tuple(c for d in spec.devices if (c := benchmark.card_of(d)) is not None)
    return tuple(sorted(benchmark.cards, key=by_interest))


def dependencies(spec: Spec, library: Library) -> Iterator[Key]:
    """Keys of everything that can change what ``spec`` shows."""
    yield keys.RENDERER
    if not spec.benchmarks:
        yield keys.BENCHMARKS
    if spec.kind == "claims":  # whatever they are about, they are asked of every device
        yield keys.BENCHMARKS
        yield from (keys.name(d) for d in library.device_ids())
    asked = spec.benchmarks if spec.kind != "claims" else ()
    for benchmark in asked or sorted(library.benchmarks):
        yield keys.definition(benchmark)
        if spec.kind in ("arms", "terms"):
            continue
        if spec.kind == "claims":
            yield keys.published(benchmark)
            continue
        if spec.kind == "measured-on" or (spec.kind in ("plot", "compare") and not spec.devices):
            yield keys.all_cards(benchmark)
            continue
        loaded = library.benchmarks.get(benchmark)
        if spec.kind == "repeatability":
            yield from (key for d in spec.devices for key in (keys.card(benchmark, d), keys.repeat(benchmark, d)))
            if not spec.devices:
                yield keys.repeats(benchmark)
            continue
        if not spec.devices:
            yield keys.devices(benchmark)
        shown = chosen_cards(spec, loaded) if loaded else ()
        for card in shown[: spec.limit] if spec.kind == "results" else shown:
            yield keys.card(benchmark, card.device_id)
            yield keys.name(card.device_id)
    if spec.kind in ("device", "numbers"):
        yield from (keys.device(d) for d in spec.devices)


def anything(library: Library) -> Iterator[Key]:
    """Keys of whatever a word could name."""
    yield keys.BENCHMARKS
    for benchmark in sorted(library.benchmarks):
        yield keys.definition(benchmark)
        yield keys.repeats(benchmark)
        yield keys.devices(benchmark)
