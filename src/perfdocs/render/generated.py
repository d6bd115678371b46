"""``_generated/``: Markdown for each benchmark and device, rendered from published cards, committed for reviewers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..errors import PerfdocsError, Problem, place
from ..files import write_atomic
from ..library import Benchmark, Library
from ..loading import LoadedCard
from .absent import not_run
from .detail import detail
from .devices import comparison, measured_on
from .facts import arms, device_facts, method_facts, software, sources, terms
from .fastest import fastest_lines
from .headlines import in_numbers, numbers_compared
from .markdown import escape, lines_markdown, table_markdown
from .model import TableModel, has_rows
from .overview import overview
from .points import has_overview, origin_of, with_origin
from .repeats import repeat_models, repeats_of

__all__ = ["INDEX", "MARKER", "check", "render_all", "write"]

MARKER = "<!-- Written by `perfdocs render` from the cards. Do not edit: the next run replaces it. -->"
INDEX = "README.md"
COMMAND = "Written by `perfdocs render`"


def render_all(library: Library, only: Collection[str] | None = None) -> dict[str, str]:
    """Relative path (with ``/``) to text, for every published card, every benchmark and the whole. Sorted.

    With ``only``, for these benchmarks and the whole.
    """
    pages: dict[str, str] = {}
    published = {key: _published(benchmark) for key, benchmark in sorted(library.benchmarks.items())}
    shown = {key: benchmark for key, benchmark in published.items() if benchmark.cards}
    for key, benchmark in shown.items():
        if only is not None and key not in only:
            continue
        pages[f"{key}/{INDEX}"] = _join(_benchmark_page(benchmark))
        for card in benchmark.cards:
            pages[f"{key}/{card.device_id}.md"] = _join(_device_page(benchmark, card))
    if shown:
        pages[INDEX] = _join(_first_page(shown))
    return dict(sorted(pages.items()))


def _published(benchmark: Benchmark) -> Benchmark:
    cards = tuple(c for c in benchmark.cards if c.published)
    return replace(benchmark, cards=cards)


def _join(parts: Iterator[str]) -> str:
    return "\n".join(f"{part.rstrip()}\n" for part in parts if part.strip())


def _titled(level: str, model: TableModel | None, *, notes: bool = True) -> Iterator[str]:
    if model is not None and has_rows(model):
        yield f"{level} {escape(model.title)}"
        yield table_markdown(model, _page, notes=notes)


def _page(device: str) -> str:
    return f"{device}.md"


def _first_page(benchmarks: dict[str, Benchmark]) -> Iterator[str]:
    yield MARKER
    yield "# Results, as Markdown"
    yield f"{COMMAND} from every published card. One folder a benchmark, one page a device."
    yield "".join(f"- [{escape(b.definition.title)}]({key}/{INDEX})\n" for key, b in benchmarks.items())
    names = {c.device_id: c.card.device.name for b in benchmarks.values() for c in b.cards}
    for key, benchmark in benchmarks.items():
        for model in numbers_compared([benchmark], sorted(names), names):
            yield f"## {escape(model.title)}"
            yield table_markdown(model, partial(_page_of, key))


def _page_of(benchmark: str, device: str) -> str:
    return f"{benchmark}/{device}.md"


def _benchmark_page(benchmark: Benchmark) -> Iterator[str]:
    definition = benchmark.definition
    yield MARKER
    yield f"# {escape(definition.title)}"
    yield f"{COMMAND} from the cards of `{definition.id}`."
    yield escape(definition.summary)
    yield from _titled("##", measured_on([benchmark]))
    for table in definition.tables:
        yield from _titled("##", comparison(benchmark, table))
    for model in repeat_models(repeats_of(benchmark)):
        yield from _titled("##", model)
    yield from _titled("##", arms(benchmark))
    yield from _titled("##", terms(benchmark))


def _device_page(benchmark: Benchmark, card: LoadedCard) -> Iterator[str]:
    """What the page of a device shows of one card, in its order."""
    definition = benchmark.definition
    yield MARKER
    name = with_origin(card.card.device.name, origin_of(card.card))
    yield f"# {escape(definition.title)}: {escape(name)}"
    yield f"{COMMAND} from the card of `{card.device_id}`, sha256 `{card.digest[:16]}…`. [All devices]({INDEX})"
    yield from _titled("##", device_facts(card))
    yield from _titled("##", in_numbers([(benchmark, card)]))
    for table in definition.tables:
        whole = detail(benchmark, card, table)
        if not has_rows(whole):
            continue
        yield f"## {escape(definition.tables[table].title)}"
        if lines := fastest_lines(benchmark, card, table):
            yield "### Fastest"
            yield lines_markdown(lines, legend=False)
        if has_overview(definition, table):
            yield "### Overview"
            yield table_markdown(overview(benchmark, card, table))
        yield "### All measurements"
        yield table_markdown(whole, notes=not has_overview(definition, table))
    for model in (not_run(benchmark, card), method_facts(card), software(card), sources(card)):
        yield from _titled("##", model)


def _target(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise PerfdocsError(
            "generated-outside", place(path), "a link that leads out of the folder", "a plain folder", "remove the link"
        )
    return path


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def _orphans(folder: Path, pages: dict[str, str]) -> Iterator[Path]:
    """Files that bear our marker and that nothing renders any more."""
    for path in sorted(folder.rglob("*.md")):
        name = path.relative_to(folder).as_posix()
        if name not in pages and (_read(path) or "").startswith(MARKER):
            yield path


def write(library: Library, folder: Path) -> list[str]:
    """Bring the folder up to date; return what was written or removed, by name.

    A file is removed only if it bears our marker, and never while a card or definition could not be read: its page
    stays as it was until that is mended.
    """
    pages = render_all(library)
    changed = []
    for name, text in pages.items():
        path = _target(folder, name)
        if _read(path) != text:
            write_atomic(path, text.encode())
            changed.append(place(path))
    if not library.problems:
        for path in _orphans(folder, pages):
            path.unlink()
            changed.append(f"{place(path)} (removed)")
            if path.parent != folder and not any(path.parent.iterdir()):
                path.parent.rmdir()
    return changed


def check(library: Library, folder: Path) -> list[Problem]:
    """What :func:`write` would change: a page that is missing, one that differs, one that no card gives."""
    pages = render_all(library)
    problems = []
    do = "run `perfdocs render` and commit what it writes"
    for name, text in pages.items():
        path = _target(folder, name)
        found = _read(path)
        if found is None:
            problems.append(Problem("generated-missing", place(path), "no such file", "the page of its cards", do))
        elif found != text:
            line = _first_difference(found, text)
            where = place(path, f"line {line}")
            problems.append(Problem("generated-drift", where, "text the cards do not give", "what they give", do))
    problems.extend(
        Problem("generated-orphan", place(path), "a page without a card", "a card, or no page", do)
        for path in _orphans(folder, pages)
    )
    return problems


def _first_difference(a: str, b: str) -> int:
    pairs = zip(a.split("\n"), b.split("\n"), strict=False)
    return next((i for i, (x, y) in enumerate(pairs, 1) if x != y), min(a.count("\n"), b.count("\n")) + 1)
