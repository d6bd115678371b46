"""The library: every benchmark's definition and the cards that belong to it, read from a folder and cross-checked.

A card that is wrong is left out with one located problem; the other cards stay. Content hashes identify files, so a
replaced card is seen whatever its date says.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from msgspec.structs import replace

from .card import AxisValue, Card, Device, Measurement, Summary, decode_card
from .definition import Definition, decode_definition
from .errors import PerfdocsError, Problem, clean, nearest, place
from .expression import check_calls, depth, names, parse
from .files import digest, read_bytes
from .flags import FLAGS
from .peaks import PEAKS
from .store import CardStore

__all__ = [
    "Benchmark",
    "Library",
    "LoadedCard",
    "check_card",
    "check_expressions",
    "load_benchmark",
    "load_file",
    "load_library",
]


MAX_LEVELS = 400
"""Operations one inside the other, over all quantities that a derived quantity uses: well below Python's own limit."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadedCard:
    """A valid card and where it came from. ``digest`` is the sha256 of the file; ``published`` is false for build/."""

    card: Card
    path: Path
    digest: str
    published: bool = True
    earlier_sources: tuple[str, ...] = ()

    @property
    def device_id(self) -> str:
        """The stable identity of the device."""
        return self.card.device.id


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """A definition with its cards, ordered by device id."""

    definition: Definition
    folder: Path
    cards: tuple[LoadedCard, ...]
    digest: str

    def card_of(self, device_id: str) -> LoadedCard | None:
        """The card of a device, or ``None``."""
        return next((c for c in self.cards if c.device_id == device_id), None)


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """All benchmarks by id, and every problem met while reading them."""

    benchmarks: dict[str, Benchmark]
    problems: tuple[Problem, ...] = field(default=())

    def device_ids(self) -> tuple[str, ...]:
        """Ids of every device that has a card, sorted."""
        return tuple(sorted({c.device_id for b in self.benchmarks.values() for c in b.cards}))

    def cards_of(self, device_id: str) -> tuple[tuple[Benchmark, LoadedCard], ...]:
        """Every card of a device with its benchmark, ordered by benchmark id."""
        return tuple((b, c) for _, b in sorted(self.benchmarks.items()) if (c := b.card_of(device_id)))


def load_library(
    root: Path, cards_folder: str = "cards", local: Path | None = None, store: CardStore | None = None
) -> Library:
    """Read every ``<root>/<id>/benchmark.toml`` with the cards in ``<root>/<id>/<cards_folder>``.

    ``local`` is a folder of this machine's unpublished cards (``<local>/<id>/<device>.json``): each shows as a device
    of its own, ``<device>-local``, beside the published ones. ``store`` spares cards that it knows another check.
    Never raises for bad input: see ``problems``.
    """
    benchmarks: dict[str, Benchmark] = {}
    problems: list[Problem] = []
    if not root.is_dir():
        return Library(
            {},
            (
                Problem(
                    "benchmarks-missing",
                    place(root),
                    "no such folder",
                    "a folder with one folder per benchmark",
                    "set `perfdocs_benchmarks`",
                ),
            ),
        )
    for toml in sorted(folder / "benchmark.toml" for folder in root.iterdir()):
        if not os.path.lexists(toml):  # a link to nothing is a mistake to report, not an absence
            continue
        try:
            benchmark, found = load_benchmark(toml.parent, cards_folder, local, store)
        except PerfdocsError as error:
            problems.append(error.problem)
            continue
        problems.extend(found)
        benchmarks[benchmark.definition.id] = benchmark
    return Library(benchmarks, tuple(problems))


def load_benchmark(
    folder: Path, cards_folder: str = "cards", local: Path | None = None, store: CardStore | None = None
) -> tuple[Benchmark, list[Problem]]:
    """Read one benchmark's folder. Raises :class:`PerfdocsError` where the definition itself is wrong."""
    toml = folder / "benchmark.toml"
    definition, sha = _definition(toml)
    if definition.id != folder.name:
        raise PerfdocsError(
            "definition-id",
            place(toml, "$.id"),
            f'"{definition.id}"',
            f'"{folder.name}", the name of the folder',
            "rename one of them",
        )
    problems: list[Problem] = []
    here = folder / cards_folder
    if not here.resolve().is_relative_to(folder.resolve().parent):
        raise PerfdocsError(
            "cards-outside",
            place(here),
            "a folder outside the benchmarks",
            "a folder inside",
            "set `perfdocs_cards` to a folder's name",
        )
    reader = _Reader(folder, definition, sha, store)
    loaded: dict[str, LoadedCard] = {}
    twice: set[str] = set()
    for base, published in ((here, True), (local / definition.id if local else None, False)):
        if base is None:
            continue
        for path in _card_files(base):
            try:
                item = reader.load(path, base, published=published)
            except PerfdocsError as error:
                problems.append(error.problem)
                continue
            other = loaded.get(item.device_id)
            if other is not None:
                problems.append(_two_files(other.path, path, item.device_id))
                if other.published == published:
                    twice.add(item.device_id)
                continue
            loaded[item.device_id] = item
    ordered = tuple(loaded[k] for k in sorted(loaded) if k not in twice)
    return Benchmark(definition, folder, ordered, sha), problems


def _two_files(a: Path, b: Path, device_id: str) -> Problem:
    return Problem(
        "card-two-files",
        place(b),
        f'the device "{device_id}", which {place(a)} holds too',
        "one card for one device and benchmark",
        "remove one, or give a second machine an id of its own (`--as`)",
    )


def _card_files(base: Path) -> Iterator[Path]:
    """Card files of a folder and its subfolders, sorted; partial and hidden files are no cards."""
    if base.is_dir():
        for path in sorted(base.rglob("*.json")):
            if not path.name.startswith(".") and not path.name.endswith(".partial.json"):
                yield path


@lru_cache(maxsize=256)
def _definition_of(path: Path, data: bytes) -> Definition:
    definition = decode_definition(data, path)
    check_expressions(definition, path)
    return definition


def _definition(path: Path) -> tuple[Definition, str]:
    """The definition and the sha256 of its file."""
    data = read_bytes(path, path.parent, "definition")
    return _definition_of(path, data), digest(data)


def load_file(path: Path, definition: Definition | None = None, root: Path | None = None) -> Card:
    """Read one card: its shape, its name and, where ``definition`` is given, what it says.

    ``root`` is the folder it may not lie outside of (default: its own). Raises :class:`PerfdocsError`.
    """
    card = decode_card(read_bytes(path, root or path.parent), path)
    _check_name(card, path)
    if definition is not None:
        check_card(card, definition, path)
    return card


def _check_name(card: Card, path: Path) -> None:
    if card.device.id != path.name.removesuffix(".json"):
        raise PerfdocsError(
            "card-name",
            place(path, "$.device.id"),
            f'"{card.device.id}"',
            f'"{clean(path.name.removesuffix(".json"), 80)}", the name of the file',
            f"rename the file to {card.device.id}.json",
        )


@dataclass(frozen=True, slots=True)
class _Reader:
    """How the cards of one benchmark are read: checked against its definition, unless the store knows them."""

    folder: Path
    definition: Definition
    sha: str
    store: CardStore | None

    def load(self, path: Path, base: Path, *, published: bool) -> LoadedCard:
        """Read one card. Raises :class:`PerfdocsError`."""
        data = read_bytes(path, base)
        sha = digest(data)
        card = self.store.get(sha, self.sha) if self.store else None
        if card is None:
            card = decode_card(data, path)
            _check_name(card, path)
            check_card(card, self.definition, path)
            if self.store:
                self.store.put(sha, self.sha, card)
        else:
            _check_name(card, path)
        if not published:
            device = replace(
                card.device, id=f"{card.device.id}-local", name=f"{card.device.name} (this machine, unpublished)"
            )
            card = replace(card, device=device)
        return LoadedCard(card, path, sha, published, _earlier(card, self.folder))


def _earlier(card: Card, folder: Path) -> tuple[str, ...]:
    """Names of source files that changed since the card was measured."""
    changed = []
    for name, sha in card.source.files.items():
        path = folder / name
        if ".." in Path(name).parts or Path(name).is_absolute():
            continue
        try:
            facts = path.stat()
            same = _file_digest(path, facts.st_mtime_ns, facts.st_size) == sha
        except (OSError, PerfdocsError):  # gone, no plain file, or a name no file can have
            same = False
        if not same:
            changed.append(name)
    return tuple(sorted(changed))


@lru_cache(maxsize=1024)
def _file_digest(path: Path, mtime: int, size: int) -> str:
    del mtime, size  # part of the cache's key
    return digest(read_bytes(path, path.parent, "source"))


_Wrong = Callable[[str, str, str, str, str], PerfdocsError]
_Known = Callable[[str, Iterable[str], str, str], None]


def check_card(card: Card, definition: Definition, path: Path) -> None:
    """Check a card's keys and values against the definition. Raises :class:`PerfdocsError` at the first problem."""

    def wrong(code: str, at: str, found: str, expected: str, do: str) -> PerfdocsError:
        return PerfdocsError(code, place(path, at), found, expected, do)

    def known(word: str, words: Iterable[str], at: str, what: str) -> None:
        words = list(words)
        if word not in words:
            raise wrong(
                f"unknown-{what}",
                at,
                f'the {what} "{clean(word, 60)}"',
                f"a{'n' if what[0] in 'aeiou' else ''} {what} of the definition{nearest(word, words)}",
                "correct the key, or add its entry to benchmark.toml",
            )

    if card.benchmark != definition.id:
        raise wrong(
            "card-benchmark",
            "$.benchmark",
            f'"{card.benchmark}"',
            f'"{definition.id}"',
            "move the card to its benchmark's folder",
        )
    if card.version != definition.version:
        raise wrong(
            "card-version",
            "$.version",
            str(card.version),
            str(definition.version),
            "measure this device again: the benchmark has changed what it measures",
        )
    if card.origin.kind == "imported" and not (card.origin.source and card.origin.licence):
        raise wrong("card-origin", "$.origin", "an imported card without source and licence", "both", "add them")
    seen: dict[tuple[object, ...], int] = {}
    for i, m in enumerate(card.measurements):
        at = f"$.measurements[{i}]"
        known(m.table, [k for k, t in definition.tables.items() if t.of is None], f"{at}.table", "table")
        for flag in m.flags:
            if flag not in FLAGS:
                raise wrong(
                    "unknown-flag",
                    f"{at}.flags",
                    f'the flag "{clean(flag, 60)}"',
                    f"one of {', '.join(FLAGS)}{nearest(flag, FLAGS)}",
                    "correct the flag",
                )
        known(m.arm, definition.arms, f"{at}.arm", "arm")
        axes = definition.tables[m.table].axes
        if m.arm not in definition.arms_of(m.table):
            raise wrong(
                "unknown-arm",
                f"{at}.arm",
                f'the arm "{m.arm}"',
                f'an arm of the table "{m.table}"',
                "correct the key, or add the arm to the table",
            )
        for axis, value in m.at.items():
            known(axis, axes, f"{at}.at", "axis")
            _check_axis_value(value, axis, definition, f"{at}.at.{axis}", wrong)
        if lacking := [a for a in axes if a not in m.at]:
            raise wrong(
                "card-point", f"{at}.at", f"no value for {', '.join(lacking)}", "one value for each axis", "add it"
            )
        point = (m.table, m.arm, *((a, m.at[a]) for a in axes))
        if point in seen:
            raise wrong(
                "card-point",
                at,
                f"the point of $.measurements[{seen[point]}] again",
                "each point once",
                "remove one of them",
            )
        seen[point] = i
        _check_values(m, definition, at, known, wrong)
    for i, absent in enumerate(card.not_run):
        at = f"$.not_run[{i}]"
        known(absent.arm, definition.arms, f"{at}.arm", "arm")
        if absent.table is not None:
            known(absent.table, definition.tables, f"{at}.table", "table")
        for axis, value in absent.at.items():
            known(axis, definition.tables[absent.table].axes if absent.table else definition.axes, f"{at}.at", "axis")
            _check_axis_value(value, axis, definition, f"{at}.at.{axis}", wrong)


def _check_axis_value(value: AxisValue, axis: str, definition: Definition, at: str, wrong: _Wrong) -> None:
    allowed, scale = definition.axes[axis].values, definition.axes[axis].scale
    shown = clean(str(value), 60)
    if allowed:
        if value not in allowed:
            raise wrong(
                "unknown-axis-value",
                at,
                f'"{shown}"',
                f'a value of the axis "{axis}"{nearest(str(value), map(str, allowed))}',
                "correct the value",
            )
    elif scale == "log" and (isinstance(value, str) or value <= 0):
        raise wrong("axis-value", at, f'"{shown}"', "a number above 0 on a logarithmic axis", "correct the value")
    elif scale == "linear" and isinstance(value, str):
        raise wrong("axis-value", at, f'"{shown}"', "a number on a linear axis", "correct the value")
    elif isinstance(value, str) and not re.fullmatch(r"[\w .+-]{1,60}", value):
        raise wrong("axis-value", at, f'"{shown}"', "a short plain word", "correct the value")


def _check_values(m: Measurement, definition: Definition, at: str, known: _Known, wrong: _Wrong) -> None:
    for key, value in m.values.items():
        known(key, definition.metrics, f"{at}.{key}", "metric")
        metric = definition.metrics[key]
        if isinstance(value, str):
            if metric.kind != "choice":
                raise wrong("card-kind", f"{at}.{key}", f'the key "{value}"', "a number", "correct the value")
            continue
        if metric.kind == "choice" or (metric.kind == "count" and isinstance(value, tuple)):
            raise wrong(
                "card-kind",
                f"{at}.{key}",
                "samples" if isinstance(value, tuple) else "a number",
                f"a {metric.kind}",
                "correct the value, or the metric's kind",
            )
        numbers = (
            (value.centre, value.low, value.high)
            if isinstance(value, Summary)
            else value
            if isinstance(value, tuple)
            else (value,)
        )
        for number in numbers:
            if number is None:
                continue
            positive = metric.kind == "samples" and metric.unit == "s"
            if number < 0 or (positive and number == 0):
                raise wrong(
                    "card-negative",
                    f"{at}.{key}",
                    f"{number:g}",
                    "a number above 0" if positive else "no negative number",
                    "measure again",
                )


def check_expressions(definition: Definition, path: Path) -> None:
    """Every derived quantity parses, names only what exists, and depends on no quantity that depends on it."""
    known = {*definition.metrics, *definition.derived, *definition.axes}
    uses: dict[str, set[str]] = {}
    levels: dict[str, int] = {}
    for key, derived in definition.derived.items():
        where = place(path, f"$.derived.{key}.is")
        uses[key] = set()
        node = parse(derived.is_, where)
        levels[key] = depth(node) + 4
        check_calls(node, where, series=bool(derived.over))
        for name in names(node):
            if name.name.startswith("device."):
                _check_device_name(name.name, where)
            elif name.name not in known:
                raise PerfdocsError(
                    "definition-name",
                    where,
                    f'"{name.name}"',
                    f"a metric, derived quantity, axis or device fact{nearest(name.name, known)}",
                    "correct the name",
                )
            uses[key].add(name.name)
        if derived.of_peak is not None:
            known_peaks = [f"device.peak.{p}" for p in PEAKS]
            if derived.of_peak not in known_peaks:
                raise PerfdocsError(
                    "definition-name",
                    place(path, f"$.derived.{key}.of_peak"),
                    f'"{clean(derived.of_peak, 60)}"',
                    f"a peak of the device{nearest(derived.of_peak, known_peaks)}",
                    "correct the name",
                )
    try:
        order = list(TopologicalSorter(uses).static_order())
    except CycleError as error:
        circle = [str(key) for key in reversed(error.args[1])]  # each uses the next
        raise PerfdocsError(
            "definition-cycle",
            place(path, f"$.derived.{circle[0]}.is"),
            clean(", which uses ".join(f'"{key}"' for key in circle), 160),
            "an expression of other quantities",
            "break the circle",
        ) from None
    deep: dict[str, int] = {}
    for key in order:
        deep[key] = levels.get(key, 0) + max((deep[used] for used in uses.get(key, ())), default=0)
        if deep[key] > MAX_LEVELS:
            raise PerfdocsError(
                "definition-depth",
                place(path, f"$.derived.{key}.is"),
                f"{deep[key]} operations one inside the other, those of the quantities it uses counted",
                f"at most {MAX_LEVELS}",
                "derive it more directly",
            )


def _check_device_name(name: str, where: str) -> None:
    facts = {f"device.{f}" for f in Device.__struct_fields__} | {f"device.peak.{p}" for p in PEAKS}
    if name not in facts:
        raise PerfdocsError(
            "definition-name", where, f'"{name}"', f"a fact of the device{nearest(name, facts)}", "correct the name"
        )
