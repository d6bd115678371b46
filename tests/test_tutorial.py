"""The tutorial, run as it stands: its files written, its commands run, what it says they print compared."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from sphinx.cmd.build import main as sphinx_build
from tests.conftest import PROJECT
from tests.sphinx_kit import kept_docutils, text_of_html

from perfdocs.cli import main as perfdocs
from perfdocs.sphinx_ext.pages import MARKER

PAGE = PROJECT / "docs" / "howto" / "use-in-your-docs.md"
PREPARATION = ("python3 -m venv", "pip install")
CAPTION = re.compile(r":caption: (?P<path>[^,\n]+)(?P<continued>, continued)?\n\n?")
EDIT = re.compile(r"change \*(?P<old>\w+)\* to \*(?P<new>\w+)\*")
TRIES = 5  # another program's burst can leave a comparison undecided; the page says to measure again


@dataclass(frozen=True)
class File:
    """A captioned block: the text of a file, or what is added to its end."""

    path: str
    text: str
    continued: bool


@dataclass(frozen=True)
class Edit:
    """The page asks to change one word of what was written last."""

    old: str
    new: str


@dataclass(frozen=True)
class Commands:
    """A console block, and the next block if it is text: what the reader sees."""

    lines: tuple[str, ...]
    shown: str | None = None


@dataclass(frozen=True)
class Tree:
    """A block of text behind no command: the files of the project."""

    paths: tuple[str, ...]


Step = File | Edit | Commands | Tree


def steps(page: str) -> Iterator[Step]:
    """What the page asks for, in its order."""
    waiting: Commands | None = None
    for token in MarkdownIt().parse(page):
        if token.type == "fence" and token.info == "text":
            if waiting is not None:
                yield Commands(waiting.lines, token.content)
            else:
                yield Tree(tuple(line.split()[0] for line in token.content.splitlines()))
            waiting = None
            continue
        edit = EDIT.search(token.content) if token.type == "inline" else None
        if waiting is not None and (edit or token.type == "fence"):
            yield waiting
            waiting = None
        if token.type == "fence" and token.info == "console":
            lines = [line[2:] for line in token.content.splitlines() if line.startswith("$ ")]
            if done := tuple(line for line in lines if not line.startswith(PREPARATION)):
                waiting = Commands(done)
        elif token.type == "fence":
            caption = CAPTION.match(token.content)
            assert caption, f"a block without a caption: {token.content[:60]}"
            yield File(caption["path"], token.content[caption.end() :], bool(caption["continued"]))
        elif edit:
            yield Edit(edit["old"], edit["new"])
    if waiting is not None:
        yield waiting


@dataclass
class Reader:
    """Somebody who does what the page says in an empty folder."""

    root: Path
    output: Callable[[], str]
    device: str = "DEVICE"
    last: Path | None = None
    false: bool = False
    ran: list[tuple[str, bool, str]] = field(default_factory=list)

    def do(self, step: Step) -> None:
        match step:
            case File(path, text, continued):
                self.last = self.root / path
                self.last.parent.mkdir(parents=True, exist_ok=True)
                before = self.last.read_text() + "\n" if continued else ""
                assert continued or not self.last.exists()
                self.last.write_text(before + text.replace("DEVICE", self.device))
            case Edit(old, new):
                assert self.last is not None
                text = self.last.read_text()
                assert text.count(old) == 2  # in the prose and in the comment
                self.last.write_text(text.replace(old, new))
                self.false = True
            case Commands(lines, shown):
                said = "".join(map(self.run, lines))
                if shown is not None:
                    assert matches(shown.replace("DEVICE", self.device), said), f"expected {shown}\nsaw {said}"
            case Tree():
                pass  # compared at the end

    def run(self, line: str) -> str:
        words = shlex.split(line)
        if words[0] == "perfdocs":
            code = perfdocs.main(words[1:], standalone_mode=False)
        else:
            assert words[:3] == ["python", "-m", "sphinx"]
            with kept_docutils():
                code = sphinx_build(words[3:])
        said = self.output()
        assert (code != 0) is self.false, said
        self.ran.append((line, code == 0, said))
        if words[1] == "run":
            self.device = self.settled(line)
        return said

    def settled(self, line: str) -> str:
        """The id of the device, once its card decides the comparison the page makes."""
        (path,) = (self.root / "benchmarks" / "sorting" / "cards").iterdir()
        for _ in range(TRIES):
            card = json.loads(path.read_text())
            wall = {m["arm"]: m["wall"] for m in card["measurements"] if m["at"] == {"n": 100_000}}
            if max(wall["quicksort"]) * 1.1 < min(wall["timsort"]):
                return path.stem
            assert perfdocs.main(shlex.split(line)[1:], standalone_mode=False) == 0
            self.output()
        pytest.fail(f"numpy.sort is not clearly ahead after {TRIES} measurements: {wall}")


def matches(shown: str, said: str) -> bool:
    """Whether the output has what the page shows; ``…`` stands for what differs, and a line may be broken anywhere."""
    pattern = ".*?".join(re.escape(part) for part in " ".join(shown.split()).split("…"))
    return re.search(pattern, " ".join(said.split())) is not None


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Reader:
    monkeypatch.chdir(tmp_path)

    def output() -> str:
        out, err = capsys.readouterr()
        return re.sub(r"\x1b\[[0-9;]*m", "", out + err)

    return Reader(tmp_path, output)


def page_shows_what_it_says(reader: Reader, folder: Path) -> None:
    """With the true sentence the strict build passes, and the page has table, figure, card and value."""
    with kept_docutils():
        code = sphinx_build(["-n", "-W", "-d", str(folder / "doctrees"), "docs", str(folder / "html")])
    assert code == 0, reader.output()
    reader.output()
    html = (folder / "html/index.html").read_text()
    text = " ".join(text_of_html(html).split())
    assert re.search(r"numpy\.sort takes \d[\d.]*\s?[µm]s", text)
    assert "All measurements" in text
    assert "DEVICE" not in text
    assert "<figure" in html
    card = folder / "html/_perfdocs/cards/sorting" / f"{reader.device}.json"
    assert card.read_bytes() == (reader.root / "benchmarks/sorting/cards" / card.name).read_bytes()
    page = (folder / "html/devices" / f"{reader.device}.html").read_text()
    assert re.search(r'id="perf-sorting[.][^"]+"', page)
    assert f'href="devices/{reader.device}/sorting.html#r' in html  # a cell of the overview
    assert 'href="numbers/index.html#n-' in html  # the value and the claim


def test_the_tutorial_works_as_it_stands(reader: Reader, tmp_path_factory: pytest.TempPathFactory) -> None:
    asked = list(steps(PAGE.read_text(encoding="utf-8")))
    for step in asked:
        if isinstance(step, Edit):
            page_shows_what_it_says(reader, tmp_path_factory.mktemp("strict"))
        reader.do(step)
    assert any(isinstance(step, Edit) for step in asked)
    root, device = reader.root, reader.device

    (tree,) = (s for s in asked if isinstance(s, Tree))
    for path in tree.paths:
        if path != "build/":  # nothing is unpublished, and no arm compiles
            assert (root / path.replace("DEVICE", device)).exists(), path
    ignored = (root / ".gitignore").read_text().split()
    made = {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}
    kept = {p for p in made if not p.startswith(tuple(ignored)) and "__pycache__" not in p}
    shown = {p.replace("DEVICE", device) for p in tree.paths}
    assert {p for p in kept if p not in shown} == {
        ".gitignore",
        "_generated/README.md",
        "_generated/sorting/README.md",
        f"_generated/sorting/{device}.md",
    }
    assert MARKER in (root / "docs" / "devices" / f"{device}.rst").read_text()

    commands = [line.split()[0:2] for line, _, _ in reader.ran]
    assert commands == [
        ["perfdocs", "run"],
        ["python", "-m"],
        ["perfdocs", "check"],
        ["perfdocs", "check"],
        ["python", "-m"],
    ]
    assert [worked for _, worked, _ in reader.ran] == [True, True, True, False, False]
    one = re.compile(
        r"^.*index\.md:\d+:(?: WARNING:)? (?P<message>found .*) \[(?:perfdocs\.)?claim-order\]$", re.MULTILINE
    )
    checked, built = (one.findall(said) for _, _, said in reader.ran[-2:])
    assert len(checked) == 1
    assert checked == built
