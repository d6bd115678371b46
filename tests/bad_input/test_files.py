"""Files that are no plain file of a card's size inside their folder: one located problem each."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.bad_input.kit import DEFINITION, GOOD, lay_out, load, only_problem

from perfdocs.cardfile import read_card
from perfdocs.errors import PerfdocsError
from perfdocs.library import load_library


def link_out(path: Path) -> None:
    """A link to a valid card outside of the folder."""
    outside = path.parents[3] / "made-up.json"
    outside.write_text(GOOD, encoding="utf-8")
    path.symlink_to(outside)


def link_up(path: Path) -> None:
    """A link to a card of another benchmark."""
    path.symlink_to("../../twin/cards/other.json")


def link_to_nothing(path: Path) -> None:
    """A link to a file that is not there."""
    path.symlink_to("nowhere.json")


def link_to_itself(path: Path) -> None:
    """Two links that lead to each other."""
    path.symlink_to("back.link")
    path.with_name("back.link").symlink_to(path.name)


def link_to_zeros(path: Path) -> None:
    """A link to a device that never ends."""
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    """A folder with a card's name."""
    path.mkdir()


def pipe(path: Path) -> None:
    """A pipe no one writes to."""
    os.mkfifo(path)


def large(path: Path) -> None:
    """A valid card behind 200 MB of spaces (a hole on disk)."""
    with path.open("wb") as file:
        file.truncate(200 * 1000 * 1000)
        file.seek(0, os.SEEK_END)
        file.write(GOOD.encode())


FILES: list[tuple[Callable[[Path], None], str, str]] = [
    (link_out, "card-outside", "out of its folder"),
    (link_up, "card-outside", "out of its folder"),
    (link_to_nothing, "card-unreadable", "no such file"),
    (link_to_itself, "card-unreadable", "link"),
    (link_to_zeros, "card-outside", "out of its folder"),
    (folder, "card-unreadable", "a folder"),
    (pipe, "card-unreadable", "a device or pipe"),
    (large, "card-size", "200 MB"),
]


@pytest.mark.parametrize(("make", "code", "hint"), FILES, ids=[f[0].__name__ for f in FILES])
def test_one_problem(make: Callable[[Path], None], code: str, hint: str, tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path)
    make(benchmarks / "bench" / "cards" / "made-up.json")
    only_problem(load(benchmarks), code, "made-up.json", hint)
    assert load(benchmarks).device_ids() == ("other",)


@pytest.mark.parametrize("make", [link_to_nothing, link_to_itself, folder, pipe, large, link_out])
def test_a_definition_that_is_no_plain_file(make: Callable[[Path], None], tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path)
    path = benchmarks / "bench" / "benchmark.toml"
    path.unlink()
    make(path)
    library = load(benchmarks)
    assert [p.code.split("-")[0] for p in library.problems] == ["definition"]
    assert "benchmark.toml" in str(library.problems[0])
    assert sorted(library.benchmarks) == ["twin"]


def test_a_file_no_one_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmarks = lay_out(tmp_path, card=GOOD)
    real = Path.open

    def refuse(self: Path, *arguments: object, **options: object) -> object:
        if self.name == "made-up.json":
            raise PermissionError(13, "Permission denied")
        return real(self, *arguments, **options)  # type: ignore[call-overload] # passed on as they came

    monkeypatch.setattr(Path, "open", refuse)
    only_problem(load(benchmarks), "card-unreadable", "made-up.json", "permission denied")


def test_two_files_of_one_device_name_both_and_neither_is_shown(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path, card=GOOD)
    second = benchmarks / "bench" / "cards" / "more" / "made-up.json"
    second.parent.mkdir()
    second.write_text(GOOD.replace("600.1", "601.2"), encoding="utf-8")
    library = load(benchmarks)
    line = str(only_problem(library, "card-two-files", "made-up.json", "--as"))
    assert line.count("made-up.json") == 2
    assert "more" in line
    assert library.device_ids() == ("other",)


def test_a_name_with_control_characters_is_shown_harmless(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path)
    (benchmarks / "bench" / "cards" / "a\x1b[31m\nb\u202e.json").write_text("{", encoding="utf-8")
    only_problem(load(benchmarks), "card-syntax")


def test_what_is_no_card_by_name_is_passed_over(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path)
    cards = benchmarks / "bench" / "cards"
    for name in (".made-up.json.77.tmp", ".hidden.json", "made-up.partial.json", "README.md", "notes.txt"):
        (cards / name).write_text("no card", encoding="utf-8")
    assert load(benchmarks).problems == ()


def test_no_folder_of_benchmarks(tmp_path: Path) -> None:
    only_problem(load_library(tmp_path / "nowhere"), "benchmarks-missing", "nowhere")


def test_cards_in_a_folder_outside(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    library = load_library(benchmarks, cards_folder="../../elsewhere")
    assert [p.code for p in library.problems] == ["cards-outside", "cards-outside"]
    assert library.benchmarks == {}


@pytest.mark.parametrize("name", ["x" * 200, "é" * 200, "a/../../secret", "sub/none.cu", "cards"])
def test_a_source_no_file_can_be_counts_as_changed_or_is_passed_over(name: str, tmp_path: Path) -> None:
    text = GOOD.replace("step.cuh", name)
    library = load(lay_out(tmp_path, card=text))
    assert library.problems == ()
    loaded = library.benchmarks["bench"].card_of("made-up")
    assert loaded is not None
    assert loaded.earlier_sources == (() if ".." in name else (name,))


def test_a_single_card_is_judged_the_same_way(tmp_path: Path) -> None:
    benchmarks = lay_out(tmp_path, card=GOOD)
    path = benchmarks / "bench" / "cards" / "made-up.json"
    assert read_card(path).device.id == "made-up"
    other = path.rename(path.with_name("made-down.json"))
    with pytest.raises(PerfdocsError) as caught:
        read_card(other)
    assert caught.value.problem.code == "card-name"
    assert (benchmarks / "bench" / "benchmark.toml").read_text(encoding="utf-8") == DEFINITION
