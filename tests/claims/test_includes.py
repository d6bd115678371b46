"""Claims in files that pages include: the command says what the build says, and reads nothing outside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.sphinx_kit import Project
from tests.test_sphinx_claims import make

from perfdocs.claims.check import extracted
from perfdocs.cli import main

GIVEN = "toy, toy-gpu, spread-1000, n=1e6"
FALSE = {
    "md": "511 µs<!-- claim: stealing -->\n",
    "rst": ":claim:`511 µs <stealing>`\n",
}
INCLUDES = {
    "md": f"# Page\n\n<!-- given: {GIVEN} -->\n\n```{{include}} NAME\n```\n",
    "rst": f"Page\n====\n\n.. given:: {GIVEN}\n\n.. include:: NAME\n",
}


def checked(project: Project, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.chdir(project.root)
    return int(main.main(["check", *words], standalone_mode=False))


@pytest.mark.parametrize("markup", ["md", "rst"])
@pytest.mark.parametrize("name", ["inc.txt", "_parts/inc.{}", "/parts/inc.txt"])
def test_the_command_says_what_the_build_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], markup: str, name: str
) -> None:
    name = name.format(markup)
    project = make(tmp_path, {f"page.{markup}": INCLUDES[markup].replace("NAME", name)})
    inner = project.docs / name.lstrip("/")
    inner.parent.mkdir(exist_ok=True)
    inner.write_text(f"Made up.\n\n{FALSE[markup]}", encoding="utf-8")
    built = project.build(exclude_patterns=["_parts"])
    assert checked(project, monkeypatch) == 1
    (line,) = capsys.readouterr().out.splitlines()
    where, found = line.split(": ", 1)
    assert where == f"docs/{name.lstrip('/')}:3"
    assert found.startswith('found "511 µs" for stealing')
    (warning,) = built.warnings
    assert warning.replace("WARNING: ", "").replace("[perfdocs.", "[").endswith(found)
    inner.write_text(inner.read_text(encoding="utf-8").replace("511", "510"), encoding="utf-8")
    assert checked(project, monkeypatch) == 0
    assert project.build(exclude_patterns=["_parts"]).warnings == []


def test_a_page_that_is_checked_by_itself_is_not_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    false = f"# Other\n\n511 µs<!-- claim: at {GIVEN}: stealing -->\n"
    project = make(tmp_path, {"page.md": INCLUDES["md"].replace("NAME", "other.md"), "other.md": false})
    assert checked(project, monkeypatch) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_numbers_of_an_included_file_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = INCLUDES["md"].replace("NAME", "inc.txt") + "\n511 µs<!-- claim: stealing -->\n"
    project = make(tmp_path, {"page.md": page})
    (project.docs / "inc.txt").write_text(FALSE["md"], encoding="utf-8")
    assert checked(project, monkeypatch, "--fix") == 1
    out, err = capsys.readouterr()
    assert out.startswith('docs/inc.txt:1: found "511 µs"')
    assert "could not be placed" not in err
    assert (project.docs / "inc.txt").read_text(encoding="utf-8") == FALSE["md"]
    assert "510 µs" in (project.docs / "page.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("markup", ["md", "rst"])
def test_nothing_outside_the_project_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], markup: str
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "secret.txt").write_text(FALSE[markup], encoding="utf-8")
    for name in ("../../secret.txt", "link.txt", "pipe.txt", "zero.txt"):
        (root / name.replace("../", "")).mkdir()
        project = make(
            root / name.replace("../", ""), {f"page.{markup}": INCLUDES[markup].replace("NAME", f"../{name}")}
        )
        inner = project.docs.parent / name
        if name == "link.txt":
            inner.symlink_to(tmp_path / "secret.txt")
        elif name == "pipe.txt":
            os.mkfifo(inner)
        elif name == "zero.txt":
            inner.symlink_to("/dev/zero")
        assert checked(project, monkeypatch) == 1
        (line,) = capsys.readouterr().out.splitlines()
        assert f"an include of `../{name}`, " in line
        assert "which is not read" in line
        assert line.endswith("[claim-broken]")


def test_includes_in_a_circle_and_too_many_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make(tmp_path, {"page.md": INCLUDES["md"].replace("NAME", "a.txt")})
    twice = "```{include} a.txt\n```\n\n```{include} a.txt\n```\n"
    (project.docs / "a.txt").write_text(twice, encoding="utf-8")
    assert checked(project, monkeypatch) == 1
    lines = capsys.readouterr().out.splitlines()
    assert 1 <= len(lines) <= 400
    assert all("more than 10 includes in each other, or 200 on a page" in line for line in lines)


def test_parts_and_code(tmp_path: Path) -> None:
    (tmp_path / "inc.txt").write_text("1<!-- claim: a -->\n\n2<!-- claim: b -->\n\nend 3<!-- claim: c -->\n", "utf-8")

    def found(options: str, file: str = "page.md") -> list[tuple[int, str]]:
        text = f"```{{include}} inc.txt\n{options}```\n"
        return [(b.line, b.expression) for b in extracted(text, str(tmp_path / file), tmp_path)]

    assert found("") == [(1, "a"), (3, "b"), (5, "c")]
    assert found(":start-line: 2\n:end-line: 3\n") == [(3, "b")]
    assert found(":start-line: -1\n") == [(5, "c")]
    assert found(":start-after: -->\n:end-before: end\n") == [(3, "b")]
    assert found(":literal:\n") == found(":code: md\n") == []
    assert extracted("```{include} inc.txt\n```\n", str(tmp_path / "page.md")) == ()


def test_an_included_file_does_not_mark_the_page(tmp_path: Path) -> None:
    (tmp_path / "inc.txt").write_text(
        "<!-- perfdocs: strict -->\n\n<!-- perfdocs: not strict: x -->\n\n5 ms\n", "utf-8"
    )
    page = "5 ms\n\n```{include} inc.txt\n```\n\n6 ms\n"
    assert extracted(page, str(tmp_path / "page.md"), tmp_path) == ()
    strict = extracted(f"<!-- perfdocs: strict -->\n\n{page}", str(tmp_path / "page.md"), tmp_path)
    assert [b.text for b in strict] == ["5 ms", "6 ms"]


def test_the_other_markup(tmp_path: Path) -> None:
    (tmp_path / "inc.txt").write_text(":claim:`1 <a>`\n", "utf-8")
    (tmp_path / "inc2.txt").write_text("# Of its own\n\n1<!-- claim: b -->\n", "utf-8")
    page = "```{include} inc.txt\n:parser: rst\n```\n"
    assert [b.expression for b in extracted(page, str(tmp_path / "page.md"), tmp_path)] == ["a"]
    page = ".. include:: inc2.txt\n   :parser: myst_parser.sphinx_\n"
    assert [(b.line, b.expression) for b in extracted(page, str(tmp_path / "page.rst"), tmp_path)] == [(3, "b")]
