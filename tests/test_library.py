"""The library: definitions with their cards, local cards beside published ones, earlier sources."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import msgspec
import pytest
from tests.conftest import synthetic_card, write_synthetic

from perfdocs.errors import PerfdocsError, place
from perfdocs.files import digest
from perfdocs.frame import rows
from perfdocs.library import load_benchmark, load_library
from perfdocs.loading import load_file
from perfdocs.store import Known


def test_cards_by_device_and_devices_by_benchmark(benchmarks: Path) -> None:
    library = load_library(benchmarks)
    assert library.problems == ()
    assert list(library.benchmarks) == ["rk4"]
    assert library.device_ids() == ("made-up-cpu", "made-up-gpu")
    ((benchmark, card),) = library.cards_of("made-up-gpu")
    assert (benchmark.definition.id, card.device_id, card.published) == ("rk4", "made-up-gpu", True)
    assert card.digest == digest(card.path.read_bytes())
    assert library.benchmarks["rk4"].card_of("nobody") is None
    assert library.cards_of("nobody") == ()


def test_a_card_more_and_a_card_in_the_place_of_another(benchmarks: Path) -> None:
    library = load_library(benchmarks)
    ((benchmark, card),) = library.cards_of("made-up-gpu")
    other = dataclasses.replace(card, digest="0" * 64)
    changed = library.with_card("rk4", other).benchmarks["rk4"]
    assert [c.device_id for c in changed.cards] == ["made-up-cpu", "made-up-gpu"]
    assert changed.card_of("made-up-gpu") is other
    device = msgspec.structs.replace(card.card.device, id="made-up-a")
    more = dataclasses.replace(card, card=msgspec.structs.replace(card.card, device=device))
    assert library.with_card("rk4", more).device_ids() == ("made-up-a", "made-up-cpu", "made-up-gpu")
    assert benchmark.card_of("made-up-gpu") is card  # the library itself is as it was


def test_files_as_they_would_be_are_read_in_the_place_of_those_there(benchmarks: Path) -> None:
    folder, known = benchmarks / "rk4" / "cards", Known()
    new = json.dumps(synthetic_card("made-up-new")).encode()
    other = json.dumps(synthetic_card("made-up-gpu", factor=2.0)).encode()
    instead = {
        folder / "made-up-gpu.json": other,
        folder / "lab" / "made-up-new.json": new,
        folder / "made-up-x.json": b"{",
        folder / "made-up-y.partial.json": new,
    }
    before = load_library(benchmarks, store=known).benchmarks["rk4"]
    library = load_library(benchmarks, store=known, instead=instead)
    after = library.benchmarks["rk4"]
    assert [p.where for p in library.problems] == [place(folder / "made-up-x.json", "line 1, column 2")]
    assert {c.device_id: c.digest for c in after.cards} == {
        "made-up-cpu": before.cards[0].digest,
        "made-up-gpu": digest(other),
        "made-up-new": digest(new),
    }
    assert after.cards[0].card is before.cards[0].card  # known, and not checked again
    assert after.place_of("made-up-new") == folder / "lab" / "made-up-new.json"
    assert before.place_of("made-up-new") == folder / "made-up-new.json"
    assert [p.name for p in sorted(folder.iterdir())] == ["made-up-cpu.json", "made-up-gpu.json"]
    nothing_there = {benchmarks / "rk4" / "results" / "made-up-new.json": new}
    assert load_library(benchmarks, "results", instead=nothing_there).device_ids() == ("made-up-new",)


def test_cards_may_lie_in_subfolders_and_another_folder(benchmarks: Path) -> None:
    write_synthetic(benchmarks / "rk4" / "cards" / "lab", "second-gpu")
    write_synthetic(benchmarks / "rk4" / "results", "third-gpu")
    assert load_library(benchmarks).device_ids() == ("made-up-cpu", "made-up-gpu", "second-gpu")
    assert load_library(benchmarks, cards_folder="results").device_ids() == ("third-gpu",)
    assert load_library(benchmarks, cards_folder="nowhere").device_ids() == ()


def test_a_local_card_is_a_device_of_its_own_even_with_the_bytes_of_a_published_one(
    benchmarks: Path, tmp_path: Path
) -> None:
    local = tmp_path / "build" / "cards"
    here = write_synthetic(local / "rk4", "made-up-gpu")
    assert here.read_bytes() == (benchmarks / "rk4" / "cards" / "made-up-gpu.json").read_bytes()
    library = load_library(benchmarks, local=local)
    assert library.problems == ()
    assert library.device_ids() == ("made-up-cpu", "made-up-gpu", "made-up-gpu-local")
    b = library.benchmarks["rk4"]
    mine, theirs = b.card_of("made-up-gpu-local"), b.card_of("made-up-gpu")
    assert mine is not None
    assert theirs is not None
    assert (mine.published, theirs.published) == (False, True)
    assert "unpublished" in mine.card.device.name
    assert {r.card.device.id for r in rows(b, theirs)} == {"made-up-gpu"}
    assert {r.card.device.id for r in rows(b, mine)} == {"made-up-gpu-local"}
    assert load_library(benchmarks).device_ids() == ("made-up-cpu", "made-up-gpu")


def test_a_local_card_never_takes_the_place_of_a_published_one(benchmarks: Path, tmp_path: Path) -> None:
    write_synthetic(benchmarks / "rk4" / "cards", "made-up-gpu-local")
    write_synthetic(tmp_path / "build", "other")
    write_synthetic(tmp_path / "build" / "rk4", "made-up-gpu")
    library = load_library(benchmarks, local=tmp_path / "build")
    assert [p.code for p in library.problems] == ["card-two-files"]
    kept = library.benchmarks["rk4"].card_of("made-up-gpu-local")
    assert kept is not None
    assert kept.published


def test_three_files_of_one_device_are_two_problems_and_no_card(benchmarks: Path) -> None:
    for folder in ("a", "b"):
        write_synthetic(benchmarks / "rk4" / "cards" / folder, "made-up-gpu", factor=2.0)
    library = load_library(benchmarks)
    assert [p.code for p in library.problems] == ["card-two-files"] * 2
    assert library.device_ids() == ("made-up-cpu",)


def test_a_replaced_card_is_seen_whatever_its_date(benchmarks: Path) -> None:
    path = benchmarks / "rk4" / "cards" / "made-up-gpu.json"
    before = load_library(benchmarks).benchmarks["rk4"].card_of("made-up-gpu")
    when = path.stat()
    write_synthetic(path.parent, "made-up-gpu", factor=1.5)
    os.utime(path, ns=(when.st_atime_ns, when.st_mtime_ns - 10**12))
    after = load_library(benchmarks).benchmarks["rk4"].card_of("made-up-gpu")
    assert before is not None
    assert after is not None
    assert before.digest != after.digest
    assert after.card.measurements[0].values != before.card.measurements[0].values


def test_a_changed_definition_is_read_again(benchmarks: Path) -> None:
    toml = benchmarks / "rk4" / "benchmark.toml"
    before = load_library(benchmarks).benchmarks["rk4"]
    toml.write_text(
        toml.read_text(encoding="utf-8").replace('label = "work stealing"', 'label = "stealing"'), encoding="utf-8"
    )
    after = load_library(benchmarks).benchmarks["rk4"]
    assert after.definition.arms["persistent"].label == "stealing"
    assert before.digest != after.digest


def test_earlier_sources_are_named_and_refuse_nothing(benchmarks: Path) -> None:
    folder = benchmarks / "rk4"
    (folder / "step.cuh").write_text("new", encoding="utf-8")
    (folder / "workload.py").write_text("same", encoding="utf-8")
    card = synthetic_card("made-up-gpu")
    card["source"] = {
        "files": {
            "step.cuh": digest(b"old"),
            "workload.py": digest(b"same"),
            "gone.py": digest(b"x"),
            "../up.py": digest(b"x"),
        }
    }
    (folder / "cards" / "made-up-gpu.json").write_text(json.dumps(card), encoding="utf-8")
    library = load_library(benchmarks)
    loaded = library.benchmarks["rk4"].card_of("made-up-gpu")
    assert library.problems == ()
    assert loaded is not None
    assert loaded.earlier_sources == ("gone.py", "step.cuh")


def test_one_benchmark_alone_raises_for_its_definition(benchmarks: Path) -> None:
    benchmark, problems = load_benchmark(benchmarks / "rk4")
    assert problems == []
    assert len(benchmark.cards) == 2
    with pytest.raises(PerfdocsError) as caught:
        load_benchmark(benchmarks / "none")
    assert caught.value.problem.code == "definition-unreadable"


def test_one_file_is_judged_by_its_shape_and_by_a_definition(benchmarks: Path, tmp_path: Path) -> None:
    path = write_synthetic(tmp_path, "third-gpu", benchmark="rk4")
    text = path.read_text(encoding="utf-8").replace('"persistent"', '"persistant"')
    path.write_text(text, encoding="utf-8")
    assert load_file(path).device.id == "third-gpu"
    with pytest.raises(PerfdocsError, match='did you mean "persistent"'):
        load_file(path, load_library(benchmarks).benchmarks["rk4"].definition)


@pytest.mark.parametrize("taken", ["index", "con", "given", "persistent", "gpu", "wall", "spread-1000", "rk4"])
def test_a_device_cannot_take_a_word_that_means_something_else(benchmarks: Path, taken: str) -> None:
    write_synthetic(benchmarks / "rk4" / "cards", taken)
    library = load_library(benchmarks)
    (problem,) = library.problems
    assert (problem.code, problem.found) == ("card-id-taken", f'"{taken}"')
    assert library.device_ids() == ("made-up-cpu", "made-up-gpu")
