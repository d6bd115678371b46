"""Folders of processes that live and of those that were killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from perfdocs.measure.folders import sweep, temporary_folder

HOLDS = """
import sys
from pathlib import Path

from perfdocs.measure.folders import temporary_folder

with temporary_folder(Path(sys.argv[1]), "good-memory") as folder:
    (folder / "answers").touch()
    print(folder, flush=True)
    sys.stdin.read()
"""
POSIX = pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")


def first_line(process: subprocess.Popen[str]) -> Path:
    assert process.stdout is not None
    return Path(process.stdout.readline().strip())


def test_a_folder_is_gone_afterwards(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), temporary_folder(tmp_path / "new", "x") as folder:  # noqa: PT012 - both in one
        assert folder.name.startswith("x-")
        (folder / "y").touch()
        raise ZeroDivisionError
    assert not list((tmp_path / "new").iterdir())


def test_two_of_one_name_are_apart(tmp_path: Path) -> None:
    with temporary_folder(tmp_path, "x") as first, temporary_folder(tmp_path, "x") as second:
        assert first != second


@POSIX
def test_the_folder_of_a_killed_process_goes_and_those_in_use_stay(toy: SimpleNamespace, tmp_path: Path) -> None:
    fresh = tmp_path / "build" / "fresh"
    command = [sys.executable, "-c", HOLDS, str(fresh)]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as lives,
        temporary_folder(fresh, "ours") as ours,
    ):
        left, used = first_line(killed), first_line(lives)
        (fresh / "good-memory.log").write_text("what a process wrote")
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert left.is_dir()
        toy.measure("good", at={"n": (10,)})
        assert {path.name for path in fresh.iterdir()} == {used.name, ours.name, "good-memory.log"}
        lives.communicate("")
    assert [path.name for path in fresh.iterdir()] == ["good-memory.log"]


def test_a_link_is_left_alone(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "fresh").mkdir()
    (tmp_path / "fresh" / "link").symlink_to(elsewhere)
    sweep(tmp_path / "fresh")
    sweep(tmp_path / "nowhere")
    assert elsewhere.is_dir()


@POSIX
def test_where_folders_cannot_be_locked_none_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "whose").mkdir()
    with monkeypatch.context() as without:
        without.setattr("perfdocs.measure.folders.fcntl", None)
        with temporary_folder(tmp_path, "x") as folder:
            sweep(tmp_path)
            assert folder.is_dir()
    assert (tmp_path / "whose").is_dir()
    sweep(tmp_path)
    assert not (tmp_path / "whose").exists()


@POSIX
def test_a_folder_swept_before_it_was_locked_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from perfdocs.measure import folders

    lock, names = folders._lock, []

    def swept_first(folder: Path, *, wait: bool) -> int | None:
        names.append(folder.name)
        if len(names) == 1:
            folder.rmdir()
        return lock(folder, wait=wait)

    monkeypatch.setattr(folders, "_lock", swept_first)
    with temporary_folder(tmp_path, "x") as folder:
        assert folder.is_dir()
        assert folder.name == names[1]
