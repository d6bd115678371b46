"""Numbers written anew: in place, in their style, and nothing else."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from tests.claims.toy import write_toy
from tests.refused import refuse_writing

from perfdocs.claims.check import extracted
from perfdocs.claims.fix import fix_text
from perfdocs.claims.model import Bound
from perfdocs.cli import main
from perfdocs.library import Library, load_library

GIVEN = "<!-- given: toy, toy-gpu, spread-1000, n=1e6 -->\n\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return load_library(write_toy(tmp_path_factory.mktemp("benchmarks")))


CASES = {
    "a number": ("It takes 490 µs<!-- claim: stealing -->.", "It takes 510 µs<!-- claim: stealing -->."),
    "its digits": ("It takes 0.49 ms<!-- claim: stealing -->.", "It takes 0.51 ms<!-- claim: stealing -->."),
    "its unit, with a fourth digit that was written": (
        "It takes 1001 µs<!-- claim: simple -->.",
        "It takes 1173 µs<!-- claim: simple -->.",
    ),
    "a digit more before the point": (
        "It takes 999 µs<!-- claim: simple -->.",
        "It takes 1.17 ms<!-- claim: simple -->.",
    ),
    "zeros behind the point": ("It takes 0.999 s<!-- claim: stealing -->.", "It takes 510 µs<!-- claim: stealing -->."),
    "one digit": ("It takes 9 s<!-- claim: stealing -->.", "It takes 510 µs<!-- claim: stealing -->."),
    "two digits, three before the point": (
        "It takes 99 µs<!-- claim: stealing -->.",
        "It takes 510 µs<!-- claim: stealing -->.",
    ),
    "a unit that readers know": (
        "Takes 0.51 GB<!-- claim: memory(stealing) -->.",
        "Takes 46 MiB<!-- claim: memory(stealing) -->.",
    ),
    "a zero that is no digit": ("It takes 1120 µs<!-- claim: simple -->.", "It takes 1170 µs<!-- claim: simple -->."),
    "a count has all its digits": (
        "In 999 launches<!-- claim: launches(simple) + 1000 -->.",
        "In 1001 launches<!-- claim: launches(simple) + 1000 -->.",
    ),
    "in markup": ("It takes **490 µs**<!-- claim: stealing -->.", "It takes **510 µs**<!-- claim: stealing -->."),
    "two, one unit": (
        "490 against 1.07 ms<!-- claim: stealing; simple -->.",
        "0.510 against 1.17 ms<!-- claim: stealing; simple -->.",
    ),
    "a borrowed unit": (
        "It takes 490 against 1173 µs<!-- claim: stealing; simple -->.",
        "It takes 510 against 1173 µs<!-- claim: stealing; simple -->.",
    ),
    "the second of two that read the same": (
        "1170 µs is more than 1170 µs<!-- claim: simple; stealing -->.",
        "1170 µs is more than 510 µs<!-- claim: simple; stealing -->.",
    ),
    "beside words that no claim speaks for": (
        "490 µs as they say<!-- exempt: others -->, 490 µs<!-- claim: stealing --> and 490 µs are not the same.",
        "490 µs as they say<!-- exempt: others -->, 510 µs<!-- claim: stealing --> and 490 µs are not the same.",
    ),
    "a ratio": (
        "2.10× faster<!-- claim: stealing faster than simple by ? -->.",
        "2.30× faster<!-- claim: stealing faster than simple by ? -->.",
    ),
    "percent": (
        "9 % slower<!-- claim: twin slower than stealing by ? -->.",
        "2 % slower<!-- claim: twin slower than stealing by ? -->.",
    ),
    "the tightest bound": (
        "within 9 %<!-- claim: twin within ? of stealing -->.",
        "within 3 %<!-- claim: twin within ? of stealing -->.",
    ),
    "each its own": (
        "It takes 21 µs, 30 µs, 61 µs and 510 µs<!-- claim: each n: stealing -->.",
        "It takes 20 µs, 30 µs, 60 µs and 510 µs<!-- claim: each n: stealing -->.",
    ),
    "a count": (
        "12 of 12 cells<!-- claim: ? of ? cell: host faster than stealing -->.",
        "2 of 12 cells<!-- claim: ? of ? cell: host faster than stealing -->.",
    ),
    "a count metric": (
        "10 launches<!-- claim: launches(stealing) -->.",
        "1 launches<!-- claim: launches(stealing) -->.",
    ),
    "a unit in words": (
        "0.49 milliseconds<!-- claim: stealing -->.",
        "0.51 milliseconds<!-- claim: stealing -->.",
    ),
    "no time at all": ("It takes 0 s<!-- claim: stealing -->.", "It takes 510 µs<!-- claim: stealing -->."),
    "over two lines": (
        "It takes 490 µs\nor so<!-- claim: stealing -->.",
        "It takes 510 µs\nor so<!-- claim: stealing -->.",
    ),
    "a role": ("It takes {claim}`490 µs <stealing>`.", "It takes {claim}`510 µs <stealing>`."),
    "two claims of one form in a line": (
        "490 µs<!-- claim: stealing --> and 500 µs<!-- claim: stealing -->.",
        "510 µs<!-- claim: stealing --> and 510 µs<!-- claim: stealing -->.",
    ),
    "not a footnote": (
        "490 µs in 2 launches[^2]<!-- claim: stealing; launches(stealing) -->\n\n[^2]: x",
        "510 µs in 1 launches[^2]<!-- claim: stealing; launches(stealing) -->\n\n[^2]: x",
    ),
    "not a picture": (
        "490 µs in 2 launches ![x](a-2.png)<!-- claim: stealing; launches(stealing) -->",
        "510 µs in 1 launches ![x](a-2.png)<!-- claim: stealing; launches(stealing) -->",
    ),
    "not a link's target": (
        "490 µs [page 490 µs](<p/490 µs>) or so<!-- claim: stealing; stealing -->",
        "510 µs [page 510 µs](<p/490 µs>) or so<!-- claim: stealing; stealing -->",
    ),
    "not an attribute": (
        'It takes <span title="490 µs">490 µs</span><!-- claim: stealing -->.',
        'It takes <span title="490 µs">510 µs</span><!-- claim: stealing -->.',
    ),
    "not a heading": ("# It was 490 µs\n\n490&nbsp;µs<!-- claim: stealing -->.", None),
    "not code": ("See `490 µs`: takes 490&nbsp;µs<!-- claim: stealing -->.", None),
    "not what another claim speaks for": (
        "{claim}`1173 µs <exempt: others>` but 490 µs, 1173&nbsp;µs<!-- claim: stealing; twin -->.",
        None,
    ),
    "behind a role": (
        "{claim}`1173 µs <simple>` but 490 µs<!-- claim: stealing -->.",
        "{claim}`1173 µs <simple>` but 510 µs<!-- claim: stealing -->.",
    ),
    "no word": (
        "It is slower: 490 µs<!-- claim: stealing slower than simple; stealing -->.",
        None,
    ),
    "shared numbers that differ": ("490 µs<!-- claim: stealing and simple -->.", None),
    "nothing to mend": ("It takes 510 µs<!-- claim: stealing -->.", None),
    "a unit that does not fit": ("It takes 490 MB<!-- claim: stealing -->.", None),
}


@pytest.mark.parametrize("title", CASES)
def test_a_number_is_written_as_measured(title: str, library: Library) -> None:
    before, wanted = CASES[title]
    fixed = fix_text(GIVEN + before + "\n", "page.md", library)
    assert fixed.text == GIVEN + (wanted or before) + "\n"
    if wanted:
        assert fixed.numbers
        assert all(o.passes for o in fixed.outcomes)
    else:
        assert not fixed.numbers
        assert fixed.unplaced == title.startswith("not a") + 2 * title.startswith("not what") + title.startswith(
            "not code"
        )


def test_a_text_that_recurs_is_not_written(library: Library) -> None:
    page = (
        "<!-- given: toy, spread-1000, n=1e6 -->\n\nOn every device work stealing takes 510 µs"
        "<!-- claim: every device: stealing -->.\n\nIt takes 490 µs<!-- claim: toy-gpu: stealing -->.\n"
    )
    fixed = fix_text(page, "page.md", library)
    assert fixed.text.count("On every device work stealing takes 510 µs") == 1
    assert fixed.numbers == (fixed.text != page)


def test_many_numbers_are_one_pass(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart = []

    def counted(text: str, file: str, root: Path | None) -> tuple[Bound, ...]:
        taken_apart.append(file)
        return extracted(text, file, root)

    monkeypatch.setattr("perfdocs.claims.fix.extracted", counted)
    page = GIVEN + "It takes 490 µs<!-- claim: stealing -->.\n\n" * 40
    fixed = fix_text(page, "page.md", library)
    assert (fixed.numbers, fixed.unplaced) == (40, 0)
    assert fixed.text == page.replace("490", "510")
    assert 1 <= len(taken_apart) <= 4


def test_roles_of_restructured_text_too(library: Library) -> None:
    page = ".. given:: toy, toy-gpu, spread-1000, n=1e6\n\nIt takes :claim:`490 µs <stealing>`, not 490 µs.\n"
    assert fix_text(page, "page.rst", library).text == page.replace("`490", "`510")


def test_line_ends_and_all_else_stay(library: Library) -> None:
    page = (GIVEN + "A.\n\n- 490 µs<!-- claim: stealing -->  \n  \ttail\n").replace("\n", "\r\n")
    assert fix_text(page, "page.md", library).text == page.replace("490", "510")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_toy(tmp_path / "benchmarks")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(GIVEN + "It takes 490 µs<!-- claim: stealing -->.\n", encoding="utf-8")
    (tmp_path / "README.md").write_text(GIVEN + "It takes 9 ms<!-- claim: stealing -->.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_dry_run_shows_the_difference_and_writes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*.md")}
    assert main.main(["check", "--fix", "--dry-run"], standalone_mode=False) == 1
    out, err = capsys.readouterr()
    assert 'docs/page.md:3: found "490 µs"' in out  # what is wrong is said as well
    assert "-It takes 490 µs<!-- claim: stealing -->." in out
    assert "+It takes 510 µs<!-- claim: stealing -->." in out
    assert "README.md: 1 number would be written as measured" in err
    assert before == {path: path.read_bytes() for path in project.rglob("*.md")}


def test_fix_writes_pages_and_the_readme(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["check", "--fix"], standalone_mode=False) == 0
    assert "510 µs" in (project / "docs" / "page.md").read_text(encoding="utf-8")
    assert "0.5 ms" in (project / "README.md").read_text(encoding="utf-8")
    assert "0 that do not hold" in capsys.readouterr().err
    assert main.main(["check", "--fix", "--dry-run"], standalone_mode=False) == 0


def test_a_page_that_cannot_be_read_is_one_problem_and_the_others_are_checked(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "docs" / "bad.md").write_bytes(b"\xff\xfe")
    for words in (["check"], ["check", "--format", "github"], ["check", "--fix", "--dry-run"]):
        assert main.main(words, standalone_mode=False) == 1
        out, err = capsys.readouterr()
        assert "490 µs" in out
        assert "claim-unreadable" in out + err


def test_numbers_that_cannot_be_placed_are_counted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "README.md").write_text(GIVEN + "It takes 490&nbsp;µs<!-- claim: stealing -->.\n", encoding="utf-8")
    assert main.main(["check", "--fix", "README.md"], standalone_mode=False) == 1
    assert "README.md: 1 number could not be placed" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_one_message(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refuse_writing(monkeypatch, errno.EACCES, "page.md")
    assert main.main(["check", "--fix"], standalone_mode=False) == 1
    assert "docs/page.md" in capsys.readouterr().err


def test_a_link_out_of_the_project_is_left_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outside = project.parent / f"{project.name}-outside"
    outside.mkdir()
    (outside / "page.md").write_text(GIVEN + "It takes 490 µs<!-- claim: stealing -->.\n", encoding="utf-8")
    (project / "docs" / "link.md").symlink_to(outside / "page.md")
    (project / "linked").symlink_to(outside)
    before = (outside / "page.md").read_bytes()
    for words in (["docs/link.md"], ["linked/page.md"], ["--dry-run", "docs/link.md"]):
        assert main.main(["check", "--fix", *words], standalone_mode=False) == 1
        out, err = capsys.readouterr()
        assert "page-outside" in out
        assert "link.md:1: found" not in out
        assert "1 that do not hold" in err
    assert (outside / "page.md").read_bytes() == before
    assert (project / "docs" / "link.md").is_symlink()
    assert sorted(p.name for p in outside.iterdir()) == ["page.md"]


def test_a_link_within_the_project_stays_one(project: Path) -> None:
    (project / "docs" / "link.md").symlink_to("../README.md")
    assert main.main(["check", "--fix", "docs/link.md"], standalone_mode=False) == 0
    assert (project / "docs" / "link.md").is_symlink()
    assert "0.5 ms" in (project / "README.md").read_text(encoding="utf-8")


def test_a_page_elsewhere_that_is_named_is_written(project: Path) -> None:
    other = project.parent / f"{project.name}-other.md"
    other.write_text(GIVEN + "It takes 490 µs<!-- claim: stealing -->.\n", encoding="utf-8")
    assert main.main(["check", "--fix", f"../{other.name}"], standalone_mode=False) == 0
    assert "510 µs" in other.read_text(encoding="utf-8")


def test_a_file_that_may_not_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = project / "docs" / "page.md"
    page.chmod(0o444)
    before = page.read_bytes()
    assert main.main(["check", "--fix"], standalone_mode=False) == 1
    out, err = capsys.readouterr()
    assert "docs/page.md: found a file that may not be written" in out
    assert "[page-read-only]" in out
    assert 'docs/page.md:3: found "490 µs"' in out
    assert "README.md: 1 number written as measured" in err
    assert page.read_bytes() == before
    page.chmod(0o644)
    assert main.main(["check", "--fix"], standalone_mode=False) == 0
