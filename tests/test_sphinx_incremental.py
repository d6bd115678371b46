"""What changes when a card or a definition does: exactly the pages it bears on, and nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import synthetic_card, write_synthetic
from tests.sphinx_kit import Built, Project, project, quick_figures

from perfdocs.sphinx_ext import figures

INDEX = {"devices/index", "index"}  # where "measured on" stands
ACROSS = {"results", "compared"}  # pages that show every device


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(figures, "draw", quick_figures)
    return project(tmp_path)


def equals_clean(made: Project, built: Built) -> None:
    """The output is what a clean build of the same sources gives, byte for byte."""
    kept, clean = built.files(), made.build(out="clean", fresh=True).files()
    assert sorted(kept) == sorted(clean)
    assert [name for name in kept if kept[name] != clean[name]] == []


def test_nothing_changed_reads_nothing(made: Project) -> None:
    pages = [made.build().out / f"{name}.html" for name in ("results", "parts", "devices/made-up-gpu")]
    before = [page.stat().st_mtime_ns for page in pages]
    assert made.build().read == set()
    assert [page.stat().st_mtime_ns for page in pages] == before


def test_dropped_in_card_is_everywhere(made: Project) -> None:
    made.build()
    write_synthetic(made.cards, "new-gpu", factor=0.5)
    built = made.build()
    assert built.warnings == []
    assert built.read == {"devices/new-gpu"} | INDEX | ACROSS
    assert "New Gpu" in built.text("index.html")  # measured on
    assert "<bdi>New Gpu</bdi></label>" in built.text("results.html")  # a tab
    assert "New Gpu" in built.text("compared.html")  # a line of the comparison
    assert (built.out / "devices" / "new-gpu.html").is_file()
    assert (built.out / "_perfdocs" / "cards" / "rk4" / "new-gpu.json").read_bytes() == (
        made.cards / "new-gpu.json"
    ).read_bytes()
    assert any("3-devices" in p.name for p in (built.out / "_perfdocs" / "figures").iterdir())  # in the plot
    equals_clean(made, built)


def test_replaced_card_with_an_older_date_is_seen(made: Project) -> None:
    made.build()
    path = write_synthetic(made.cards, "made-up-gpu", factor=3.0)
    os.utime(path, (1e9, 1e9))
    built = made.build()
    assert built.read == {"devices/made-up-gpu", "parts"} | INDEX | ACROSS
    assert "1.53" in built.text("parts.html")
    equals_clean(made, built)


def test_deleted_card_leaves_nothing(made: Project) -> None:
    write_synthetic(made.cards, "third-gpu", factor=0.7)
    made.build()
    (made.cards / "third-gpu.json").unlink()
    built = made.build()
    assert built.read == INDEX | ACROSS
    assert not [name for name, data in built.files().items() if "third-gpu" in name or b"third-gpu" in data]
    assert not list((made.root / "out-html-doctrees").rglob("*third*"))
    assert not list(made.docs.rglob("*third*"))
    equals_clean(made, built)


def test_renamed_device(made: Project) -> None:
    made.build()
    card = synthetic_card("made-up-cpu", kind="cpu", factor=20.0)
    card["device"] |= {"id": "other-cpu"}
    (made.cards / "made-up-cpu.json").unlink()
    (made.cards / "other-cpu.json").write_text(json.dumps(card))
    built = made.build()
    assert built.read == {"devices/other-cpu"} | INDEX | ACROSS
    assert not (built.out / "devices" / "made-up-cpu.html").exists()
    equals_clean(made, built)


def test_edited_definition_reads_every_page_of_the_benchmark(made: Project) -> None:
    made.build()
    toml = made.cards.parent / "benchmark.toml"
    toml.write_text(toml.read_text().replace('"work stealing"', '"stolen work"'))
    built = made.build()
    assert built.read == {"devices/made-up-gpu", "devices/made-up-cpu", "parts", "words"} | INDEX | ACROSS
    assert "stolen work" in built.text("words.html")
    equals_clean(made, built)


def test_unknown_device_becomes_known(made: Project) -> None:
    (made.docs / "plain.md").write_text("# Plain\n\n```{perf-fastest} rk4\n:devices: later-gpu\n```\n")
    assert "[perfdocs.unknown-device]" in made.build().warnings[0]
    write_synthetic(made.cards, "later-gpu")
    built = made.build()
    assert built.warnings == []
    assert "plain" in built.read
    assert "work stealing" in built.text("plain.html")


@pytest.mark.slow
def test_builders_that_share_doctrees_see_each_others_changes(made: Project, tmp_path: Path) -> None:
    """`make html` reads a changed card first; `make dirhtml` with the same doctrees must still write the page."""
    shared = tmp_path / "shared"
    for builder in ("html", "dirhtml"):
        made.build(builder, doctrees=shared)
    write_synthetic(made.cards, "made-up-gpu", factor=3.0)
    made.build("html", doctrees=shared)
    built = made.build("dirhtml", doctrees=shared)
    assert built.read == set()
    assert "1.53" in built.text("parts/index.html")


def edits(made: Project, dice: random.Random) -> list[Callable[[], None]]:
    """Everything that can happen to the folder of cards now."""
    cards = sorted(made.cards.glob("*.json"))

    def add() -> None:
        write_synthetic(made.cards, f"gpu-{dice.randrange(1000)}", factor=dice.uniform(0.5, 2))

    def replace() -> None:
        path = dice.choice(cards)
        write_synthetic(made.cards, path.stem, factor=dice.uniform(0.5, 2))
        if dice.random() < 0.5:
            os.utime(path, (1e9, 1e9))

    def rename() -> None:
        old = dice.choice(cards)
        card = json.loads(old.read_text())
        card["device"]["id"] = f"renamed-{dice.randrange(1000)}"
        card["device"]["name"] = dice.choice(["Same Name", "Another <b>Name</b>"])
        old.unlink()
        (made.cards / f"{card['device']['id']}.json").write_text(json.dumps(card))

    def define() -> None:
        toml = made.cards.parent / "benchmark.toml"
        toml.write_text(
            toml.read_text().replace("wall", "wall").replace('label = "JAX', f'label = "{dice.randrange(9)} JAX')
        )

    def break_one() -> None:
        dice.choice(cards).write_text('{"schema": "perfdocs.card/1",')

    return (
        [add, replace, rename, define, break_one, *([dice.choice(cards).unlink] if cards else [])] if cards else [add]
    )


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_any_sequence_of_edits_equals_a_clean_build(made: Project, seed: int) -> None:
    dice = random.Random(seed)
    built = made.build()
    for _ in range(3):
        for _ in range(dice.randint(1, 3)):
            dice.choice(edits(made, dice))()
        built = made.build()
    equals_clean(made, built)


@pytest.mark.slow
def test_parallel_equals_serial(made: Project) -> None:
    for i in range(6):
        write_synthetic(made.cards, f"gpu-{i}", factor=1 + i / 10)
    serial = made.build(out="serial")
    parallel = made.build(out="parallel", jobs=2)
    assert parallel.warnings == serial.warnings == []
    assert len(list(parallel.out.rglob("*.html"))) > 12
    assert parallel.files() == serial.files()
    (made.cards / "gpu-3.json").unlink()
    write_synthetic(made.cards, "gpu-4", factor=9.0)
    again = made.build(out="parallel", jobs=2)
    assert again.read == {"devices/gpu-4"} | INDEX | ACROSS
    assert again.files() == made.build(out="serial", fresh=True).files()


def test_figures_no_page_shows_leave_output_and_cache(made: Project) -> None:
    built = made.build(perfdocs_cache=None)
    cache = made.root / "out-html-doctrees" / "perfdocs"
    drawn = {p.name for p in cache.glob("*-light.svg")}
    assert drawn == {p.name for p in (built.out / "_perfdocs" / "figures").glob("*-light.svg")}
    (made.docs / "compared.md").write_text("# Compared\n\nNothing.\n")
    (made.docs / "results.md").write_text("# Results\n\nNone.\n")
    made.build(perfdocs_cache=None)
    assert not [p.name for p in cache.iterdir() if "2-devices" in p.name]
    shutil.rmtree(made.docs / "devices")
    made.build(perfdocs_cache=None)
    assert (made.docs / "devices" / "made-up-gpu.rst").is_file()
