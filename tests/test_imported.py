"""The imported cards of this project: figures of a blog as it printed them, and where they show."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from perfdocs.frame import rows
from perfdocs.library import Library, load_library
from perfdocs.loading import LoadedCard
from perfdocs.render.headlines import headline, numbers_compared
from perfdocs.render.plots import alt_text
from perfdocs.render.series import has_values, panels
from perfdocs.row import Row
from perfdocs.sphinx_ext.blocks import Figure, Paragraph
from perfdocs.sphinx_ext.content import content
from perfdocs.sphinx_ext.spec import Spec

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@lru_cache(maxsize=1)
def library() -> Library:
    return load_library(BENCHMARKS)


def loaded(benchmark: str, device: str) -> LoadedCard:
    found = library().benchmarks[benchmark].card_of(device)
    assert found is not None
    return found


def row(benchmark: str, device: str, table: str, **at: float | str) -> Row:
    (found,) = [
        r for r in rows(library().benchmarks[benchmark], loaded(benchmark, device), table) if dict(r.at) == dict(at)
    ]
    return found


@pytest.mark.parametrize(
    ("device", "printed"),
    [
        ("nvidia-gtx-480", {"fp32": 1283.08, "fp64": 167.60, "int32": 670.47}),
        ("amd-r7-260x", {"fp32": 2059.77, "fp64": 86.34, "int32": 1024.43}),
    ],
)
def test_chains_without_any_load_are_there(device: str, printed: dict[str, float]) -> None:
    for kind, rate in printed.items():
        value = row("roofline", device, "loadless", type=kind).value("rate")
        # the time was typed in as printed, of five digits or four, and the rate as printed lies within
        assert value.centre == pytest.approx(rate * 1e9, rel=3e-4)
        assert value.lo <= (rate + 0.0051) * 1e9
        assert value.hi >= (rate - 0.0051) * 1e9
        assert "imported" in value.flags


@pytest.mark.parametrize(
    ("device", "printed"),
    [
        ("amd-a6-1450-gpu", (84.42, 54.32)),
        ("amd-a6-1450", (13489.22, 26446.84)),
        ("raspberry-pi-2", (12427.57, 18970.70)),
    ],
)
def test_mapping_alone_is_told(device: str, printed: tuple[float, float]) -> None:
    for direction, rate in zip(("down", "up"), printed, strict=True):
        value = row("peaks", device, "transfer", memory="map_alone", direction=direction).value("transfer_rate")
        assert value.centre == rate * 1e9


@pytest.mark.parametrize(
    ("device", "key", "rate"),
    [
        ("amd-a6-1450-gpu", "fp32", 101.26e9),
        ("amd-a6-1450-gpu", "fp64", 6.37e9),
        ("amd-a6-1450-gpu", "int32", 20.39e9),
        ("amd-a6-1450", "fp32", 9.21e9),
        ("amd-a6-1450", "fp64", 6.27e9),
        ("amd-a6-1450", "int32", 8.08e9),
        ("raspberry-pi-2", "fp32", 0.03e9),
    ],
)
def test_headlines_find_what_clpeak_computed(device: str, key: str, rate: float) -> None:
    found = headline(library().benchmarks["peaks"], loaded("peaks", device), key)
    assert found is not None
    assert found.value.centre == rate


def test_the_published_sums_have_a_headline_and_an_arm_of_their_own() -> None:
    card = loaded("reduction", "amd-r7-260x")
    found = headline(library().benchmarks["reduction"], card, "small")
    assert found is not None
    assert found.value.centre == 0.089481e-3
    assert [m.arm for m in card.card.measurements] == ["shared", "subgroup", "workgroup"]
    assert not any("minimum_byte" in m.values for m in card.card.measurements)  # they read nothing


def test_every_gap_between_devices_has_a_reason() -> None:
    names = {c.device_id: c.card.device.name for b in library().benchmarks.values() for c in b.cards}
    for model in numbers_compared(list(library().benchmarks.values()), sorted(names), names):
        gaps = [cell.missing for group in model.groups for r in group.rows for cell in r if cell.text == "—"]
        assert all(gaps)
        assert set(gaps) == {note.text for note in model.notes}


def test_imported_cards_tell_when_their_source_appeared() -> None:
    found = [c.card for b in library().benchmarks.values() for c in b.cards if c.card.origin.kind == "imported"]
    assert len(found) == 6
    assert all(card.origin.published for card in found)


def imported_devices() -> list[str]:
    """Devices of which no card was measured here."""
    origins: dict[str, set[str]] = {}
    for benchmark in library().benchmarks.values():
        for card in benchmark.cards:
            origins.setdefault(card.device_id, set()).add(card.card.origin.kind)
    return [device for device, kinds in origins.items() if kinds == {"imported"}]


def test_the_page_of_an_imported_device_begins_with_that() -> None:
    assert len(imported_devices()) == 5
    for device in library().device_ids():
        first, *_ = content(Spec(kind="device", devices=(device,), parts="facts"), library())
        assert isinstance(first, Paragraph)
        assert (first.text == "Imported, not measured here.") == (device in imported_devices())


def test_every_figure_of_an_imported_card_says_so_in_caption_and_words() -> None:
    told = set()
    for key, benchmark in library().benchmarks.items():
        imported = {c.device_id: c.card.device.name for c in benchmark.cards if c.card.origin.kind == "imported"}
        for plot in benchmark.definition.plots:
            for card in benchmark.cards:
                shown = card.device_id in imported and has_values(benchmark, card, plot)
                for block in content(
                    Spec(kind="plot", benchmarks=(key,), devices=(card.device_id,), plot=plot), library()
                ):
                    if isinstance(block, Figure):
                        assert ("Imported, not measured here." in block.caption) == shown
                        assert ("Imported, not measured here." in alt_text(benchmark, [card], plot)) == shown
            for block in content(Spec(kind="plot", benchmarks=(key,), plot=plot), library()):
                assert isinstance(block, Figure)
                for series in (s for panel in panels(benchmark, block.cards, plot) for s in panel.series):
                    name = next((name for name in imported.values() if series.label.startswith(name)), None)
                    assert (series.origin == "imported") == (name is not None) == ("imported)" in series.said)
                    if name:
                        assert name in block.caption.partition("Imported, not measured here: ")[2]
                        told.add((key, name))
    assert ("reduction", "AMD Radeon R7 260X") in told
