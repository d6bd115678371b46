"""The directives. Each names what it shows by keys; nothing is rendered while a page is read.

A word that names nothing is one located warning (``perfdocs.unknown-…``, with the nearest word), and the page builds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ClassVar, Literal, final

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import OptionSpec

from ..card import AxisValue
from ..errors import PerfdocsError, clean, nearest
from ..library import Benchmark, Library
from .content import held_tables
from .domain import domain_of, project_of
from .report import warn
from .spec import LIMIT, Kind, PerfNode, Spec, anything, dependencies

__all__ = ["DIRECTIVES", "PerfDirective"]


def words(text: str | None) -> list[str]:
    """An option that is a list of words, separated by commas or spaces."""
    return re.findall(r"[^\s,]+", text or "")


def one_word(text: str | None) -> str:
    """An option that is a single key."""
    found = words(text)
    if len(found) != 1:
        raise ValueError("one key is expected")
    return found[0]


DEVICES: dict[str, Callable[[str], object]] = {"devices": words}
PARTS: tuple[Literal["facts", "about"], ...] = ("facts", "about")
"""Parts of a device that are asked for by a word of their own."""
TABLE: dict[str, Callable[[str], object]] = {"table": one_word}


class PerfDirective(SphinxDirective):
    """Base of all directives: reads options into a :class:`Spec`, notes what the page depends on, leaves one node."""

    kind: ClassVar[Kind]
    has_content = False
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[OptionSpec | None] = {**DEVICES, **TABLE}

    @final
    def run(self) -> list[nodes.Node]:
        """One node, or none and a warning."""
        domain, docname = domain_of(self.env), self.env.docname
        library = project_of(self.env).library
        try:
            spec = self.spec(library)
        except PerfdocsError as error:
            warn(error.problem, self.get_location())
            domain.note(docname, anything(library))  # whatever comes may be what was meant
            return []
        spec = replace(spec, serial=self.env.new_serialno("perfdocs"))
        domain.note(docname, dependencies(spec, library))
        domain.specs.setdefault(docname, []).append(spec)
        node = PerfNode("", spec=spec, home=docname)
        self.set_source_info(node)
        return [node]

    def spec(self, library: Library) -> Spec:
        """What is asked for. Raises :class:`PerfdocsError` where a word names nothing."""
        benchmark = self.benchmark(library, self.arguments[0].strip())
        return Spec(
            kind=self.kind,
            benchmarks=(benchmark.definition.id,),
            devices=self.devices(benchmark),
            table=self.table(benchmark),
        )

    def benchmark(self, library: Library, key: str) -> Benchmark:
        """The benchmark called ``key``."""
        self.known(key, library.benchmarks, "benchmark", "a folder of `perfdocs_benchmarks`")
        return library.benchmarks[key]

    def devices(self, benchmark: Benchmark) -> tuple[str, ...]:
        """Devices named by ``:devices:``, each once; none named means all."""
        found: list[str] = self.options.get("devices", [])
        for word in found:
            expected = f"a device with a card of {benchmark.definition.id}"
            self.known(word, [c.device_id for c in benchmark.cards], "device", expected)
        return tuple(dict.fromkeys(found))

    def table(self, benchmark: Benchmark) -> str:
        """The table named by ``:table:``; none named means the definition's first."""
        key: str = self.options.get("table", "")
        if key:
            self.known(key, benchmark.definition.tables, "table", f"a table of {benchmark.definition.id}")
        return key

    def known(self, word: str, known: Iterable[str], what: str, expected: str) -> None:
        """Raise :class:`PerfdocsError` ``unknown-<what>`` unless ``word`` is known."""
        known = list(known)
        if word not in known:
            found = f'the {what} "{clean(word, 60)}"'
            raise PerfdocsError(
                f"unknown-{what}", self.get_location(), found, expected + nearest(word, known), "correct the name"
            )

    def anchored(self, spec: Spec, library: Library) -> Spec:
        """The request with its rows' ids, unless a device's page or another request on this page has them."""
        noted: Any = self.env.temp_data  # cleared by Sphinx after each document
        seen: set[tuple[str, ...]] = noted.setdefault("perfdocs_anchored", set())
        homes = {project_of(self.env).device_document(d) for d in spec.devices}
        tables = [(b, t) for b in spec.benchmarks for t in library.benchmarks[b].definition.tables]
        if spec.kind == "detail" or spec.table:
            tables = [(b, t) for b, t in tables if t == spec.table] or tables[:1]
        rows = {(d, *table) for d in spec.devices for table in tables}
        if not rows or rows & seen or not homes <= {None, self.env.docname}:
            return spec
        seen |= rows
        return replace(spec, anchors=True)


class Results(PerfDirective):
    """A benchmark's results: for each device its fastest lines, overview, plots and folded details."""

    kind = "results"
    option_spec: ClassVar[OptionSpec | None] = {**DEVICES, **TABLE, "limit": directives.positive_int}

    def spec(self, library: Library) -> Spec:
        """Devices beyond ``:limit:`` are linked, not shown."""
        return replace(super().spec(library), limit=self.options.get("limit", LIMIT))


class Table(PerfDirective):
    """One table: by default its overview, with ``:detail:`` every measurement."""

    kind = "overview"
    option_spec: ClassVar[OptionSpec | None] = {**DEVICES, **TABLE, "detail": directives.flag}

    def spec(self, library: Library) -> Spec:
        """Overview or detail."""
        spec = super().spec(library)
        return self.anchored(replace(spec, kind="detail"), library) if "detail" in self.options else spec


class Fastest(PerfDirective):
    """Which arm is fastest where, and by how much."""

    kind = "fastest"


class Plot(PerfDirective):
    """A plot: over the arms of one device, or across devices where there are several."""

    kind = "plot"
    option_spec: ClassVar[OptionSpec | None] = {**DEVICES, "plot": one_word}

    def spec(self, library: Library) -> Spec:
        """The plot named, or the definition's first."""
        spec = super().spec(library)
        plots = library.benchmarks[spec.benchmark].definition.plots
        key: str = self.options.get("plot", next(iter(plots), "wall"))
        self.known(key, plots, "plot", f"a plot of {spec.benchmark}")
        return replace(spec, plot=key)


class Arms(PerfDirective):
    """The arms of a benchmark: label, loop structure, where each runs."""

    kind = "arms"
    option_spec: ClassVar[OptionSpec | None] = {}


class Terms(PerfDirective):
    """What each quantity of a benchmark means: label, unit, formula."""

    kind = "terms"
    option_spec: ClassVar[OptionSpec | None] = {}


class Method(PerfDirective):
    """How the cards of a benchmark were measured: parameters, software, sources."""

    kind = "method"
    option_spec: ClassVar[OptionSpec | None] = {**DEVICES}


class MeasuredOn(PerfDirective):
    """The devices with cards of these benchmarks, or of all."""

    kind = "measured-on"
    required_arguments = 0
    optional_arguments = 1
    option_spec: ClassVar[OptionSpec | None] = {}

    def spec(self, library: Library) -> Spec:
        """Benchmarks named, or all."""
        named = words(self.arguments[0]) if self.arguments else []
        return Spec(kind=self.kind, benchmarks=tuple(self.benchmark(library, key).definition.id for key in named))


class Compare(PerfDirective):
    """Devices beside each other, the best arm of each, at one point or at the definition's largest."""

    kind = "compare"
    option_spec: ClassVar[OptionSpec | None] = {**DEVICES, **TABLE, "at": directives.unchanged_required}

    def spec(self, library: Library) -> Spec:
        """The point named by ``:at:``: ``spread-1000, n=1e6``."""
        spec = super().spec(library)
        definition = library.benchmarks[spec.benchmark].definition
        axes = definition.tables[spec.table or next(iter(definition.tables))].axes
        values = {str(v): (a, v) for a in axes for v in definition.axes[a].values}
        at: dict[str, AxisValue] = {}
        for word in words(self.options.get("at")):
            axis, equals, text = word.partition("=")
            if not equals:
                self.known(word, values, "point", f"a value of the axes {', '.join(axes)}")
                at.update([values[word]])
                continue
            self.known(axis, axes, "axis", "an axis of the table")
            at[axis] = values[text][1] if text in values else self.number(text)
        return replace(spec, at=tuple(at.items()))

    def number(self, text: str) -> float:
        """A number in ``axis=number``."""
        try:
            return float(text)
        except ValueError:
            raise PerfdocsError(
                "unknown-point", self.get_location(), f'"{clean(text, 40)}"', "a number", "write n=1e6"
            ) from None


class Device(PerfDirective):
    """Everything measured on one device, of one benchmark or one of its tables, or only the facts of the device.

    ``:about:`` is what else the card of a benchmark says: what was not run, how it was measured, its files.
    """

    kind = "device"
    option_spec: ClassVar[OptionSpec | None] = {
        **TABLE,
        "benchmark": one_word,
        "facts": directives.flag,
        "about": directives.flag,
    }

    def spec(self, library: Library) -> Spec:
        """The device is the argument."""
        device_id = self.arguments[0].strip()
        self.known(device_id, library.device_ids(), "device", "a device with a card")
        asked: str = self.options.get("benchmark", "")
        having = tuple(b.definition.id for b, _ in library.cards_of(device_id))
        if asked:
            self.benchmark(library, asked)
            self.known(asked, having, "benchmark", f"a benchmark with a card of {device_id}")
        table: str = self.options.get("table", "")
        if table or "about" in self.options:
            self.known(asked, having, "benchmark", f"`:benchmark:` and a benchmark with a card of {device_id}")
        if table:
            held = [t for b, c in library.cards_of(device_id) if b.definition.id == asked for t in held_tables(b, c)]
            self.known(table, held, "table", f"a table of {asked} in the card of {device_id}")
        spec = Spec(
            kind=self.kind,
            benchmarks=(asked,) if asked else having,
            devices=(device_id,),
            table=table,
            parts=next((part for part in PARTS if part in self.options), "rows" if asked else "all"),
        )
        return self.anchored(spec, library) if spec.parts in ("all", "rows") else spec


class Repeatability(PerfDirective):
    """How far two complete runs of a device agree: of this benchmark, of these, or of all where none is named.

    A second run lies in the benchmark's folder at ``repeats/<device>.json``. It is a card like any other, and no
    device: nothing else on the site shows it.
    """

    kind = "repeatability"
    required_arguments = 0
    optional_arguments = 1

    def spec(self, library: Library) -> Spec:
        """A table is one of a single benchmark."""
        found = tuple(dict.fromkeys(words(self.arguments[0] if self.arguments else "")))
        benchmarks = [self.benchmark(library, key) for key in found]
        asked = benchmarks or list(library.benchmarks.values())
        devices: list[str] = self.options.get("devices", [])
        repeated = {c.device_id for b in asked for c in b.repeats}
        for word in devices:
            self.known(word, repeated, "device", "a device with a second run, repeats/<device>.json")
        if "table" in self.options and len(benchmarks) != 1:
            place, said = self.get_location(), f"{len(benchmarks)} benchmarks"
            raise PerfdocsError("unknown-table", place, said, "the benchmark of the table", "name one benchmark")
        return Spec(
            kind=self.kind,
            benchmarks=found,
            devices=tuple(dict.fromkeys(devices)),
            table=self.table(benchmarks[0]) if benchmarks else "",
        )


class Numbers(PerfDirective):
    """Headlines of the benchmarks: of one device, named as the argument, or of these or all devices side by side."""

    kind = "numbers"
    required_arguments = 0
    optional_arguments = 1
    option_spec: ClassVar[OptionSpec | None] = {"benchmarks": words}

    def spec(self, library: Library) -> Spec:
        """Devices are the argument."""
        devices = tuple(dict.fromkeys(words(self.arguments[0] if self.arguments else "")))
        for word in devices:
            self.known(word, library.device_ids(), "device", "a device with a card")
        asked: list[str] = self.options.get("benchmarks", [])
        named = tuple(self.benchmark(library, key).definition.id for key in asked)
        return Spec(kind=self.kind, benchmarks=named, devices=devices)


class Claims(PerfDirective):
    """Every claim of the site's pages beside every device: holds, fails, undecided, not measured.

    A claim that names one device is asked of each other one as if it named that one; what fails there is told, and is
    no warning. `:pages:` takes the claims of these documents only, `:benchmarks:` those that ask one of these,
    `:devices:` shows these columns. Each sentence leads to its page, each verdict to its row.
    """

    kind = "claims"
    required_arguments = 0
    option_spec: ClassVar[OptionSpec | None] = {**DEVICES, "benchmarks": words, "pages": words}

    def spec(self, library: Library) -> Spec:
        """Benchmarks, devices and pages named, or all."""
        benchmarks: list[str] = self.options.get("benchmarks", [])
        named = tuple(self.benchmark(library, key).definition.id for key in benchmarks)
        devices: list[str] = self.options.get("devices", [])
        published = {c.device_id for b in library.benchmarks.values() for c in b.cards if c.published}
        for word in devices:
            self.known(word, sorted(published), "device", "a device with a published card")
        pages = [page.removeprefix("/") for page in self.options.get("pages", [])]
        if not self.env.found_docs.issuperset(pages):
            self.env.note_reread()  # the document may come
        for page in pages:
            self.known(page, sorted(self.env.found_docs), "page", "a document of this site")
        return Spec(
            kind=self.kind,
            benchmarks=tuple(dict.fromkeys(named)),
            devices=tuple(dict.fromkeys(devices)),
            pages=tuple(dict.fromkeys(pages)),
        )


DIRECTIVES: dict[str, type[PerfDirective]] = {
    "perf-results": Results,
    "perf-table": Table,
    "perf-fastest": Fastest,
    "perf-plot": Plot,
    "perf-arms": Arms,
    "perf-terms": Terms,
    "perf-method": Method,
    "perf-measured-on": MeasuredOn,
    "perf-compare": Compare,
    "perf-numbers": Numbers,
    "perf-device": Device,
    "perf-repeatability": Repeatability,
    "perf-claims": Claims,
}
