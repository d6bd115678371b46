"""Which files a command is made of, by their content."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from tests.ab.fakes import unwatched

from perfdocs.ab import files
from perfdocs.ab.files import changed_files, files_of
from perfdocs.ab.record import FileFacts
from perfdocs.ab.sides import CommandSide
from perfdocs.errors import PerfdocsError

posix = pytest.mark.skipif(os.name != "posix", reason="first lines of scripts are read on POSIX")


def digest(path: str | Path) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def told(*words: str) -> list[tuple[str, str, str | None]]:
    return [(file.role, file.name, file.sha256) for file in files_of(words)]


def test_an_interpreter_by_its_path_and_the_script_it_is_given(tmp_path: Path) -> None:
    bench = script(tmp_path / "bench.py", "print(1)")
    assert told(sys.executable, str(bench), "--size=9", "nothing.txt") == [
        ("program", Path(sys.executable).name, digest(sys.executable)),
        ("argument", "bench.py", digest(bench)),
    ]


@posix
def test_a_program_is_found_by_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        script(folder / "tool", f"#!/bin/sh\n# {folder.name}\n")
    monkeypatch.setenv("PATH", f"{first}{os.pathsep}{second}")
    assert told("tool") == [
        ("program", "tool", digest(first / "tool")),
        ("interpreter", "sh", digest("/bin/sh")),
    ]
    (first / "tool").unlink()
    assert told("tool")[0] == ("program", "tool", digest(second / "tool"))
    assert told("nothing of that name") == []


@posix
def test_the_interpreters_of_a_script_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = script(tmp_path / "inner", "#!/bin/sh -e\n")
    outer = script(tmp_path / "outer", f"#!{inner}\n")
    assert [name for _, name, _ in told(str(outer))] == ["outer", "inner", "sh"]
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    by_env = script(tmp_path / "by_env", "#!/usr/bin/env -S A=1 inner\n")
    assert [(role, name) for role, name, _ in told(str(by_env))] == [
        ("program", "by_env"),
        ("interpreter", "env"),
        ("interpreter", "inner"),
        ("interpreter", "sh"),
    ]
    loop = script(tmp_path / "loop", f"#!{tmp_path / 'loop'}\n")
    assert {name for _, name, _ in told(str(loop))} == {"loop"}


def test_arguments_that_are_files_also_behind_an_option(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "in.txt", tmp_path / "b" / "in.txt"
    for path in (one, other):
        path.parent.mkdir()
        path.write_text(path.parent.name)
    found = told("nothing of that name", str(one), f"--other={other}", str(tmp_path), "x" * 5000, f"a={one}")
    assert found == [("argument", "in.txt", digest(one)), ("argument", "in.txt", digest(other))]


@posix
def test_what_is_not_a_plain_file_is_never_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert told("nothing of that name", str(pipe), "/dev/zero") == []


def test_what_is_too_large_or_cannot_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"123")
    monkeypatch.setattr(files, "MOST", 2)
    assert files_of(["none", str(large)]) == (
        FileFacts(role="argument", name="large", size=3, why="too large to be read"),
    )
    monkeypatch.undo()

    def refused(*_: object, **__: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    assert files_of(["none", str(large)])[0].why == "not read: permission denied"


def test_a_file_that_is_replaced_meanwhile_is_named(tmp_path: Path) -> None:
    bench, data = script(tmp_path / "bench.py", "print(1)"), tmp_path / "data"
    data.write_text("1")
    words = [sys.executable, str(bench), str(data)]
    side = CommandSide("A", words, 9)
    assert side.changed() == ()
    bench.write_text("print(2)")
    assert side.changed() == ("bench.py",)
    data.unlink()
    assert changed_files(words, side.facts.files) == ("bench.py", "data")


def test_no_path_is_told(tmp_path: Path) -> None:
    bench = script(tmp_path / "bench.py", "print(1)")
    assert str(tmp_path) not in repr(CommandSide("A", [sys.executable, str(bench), f"--at={bench}"], 9).facts)


@posix
def test_a_pipe_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o755)
    (found,) = files_of([str(pipe)])
    assert (found.name, found.sha256, found.why) == ("pipe", None, "not read: no plain file")
    with pytest.raises(PerfdocsError, match="permission denied"):
        CommandSide("A", [str(pipe)], 1).run(unwatched())


def test_an_empty_argument_is_told_as_one() -> None:
    assert CommandSide("A", ["tool", "", " ", "x"], 1).facts.words == ("tool", "", " ", "x")
