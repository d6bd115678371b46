"""Counts of machine instructions that tests look at: recorded in ``data/sass/``, compiled anew where a text is not.

A record is found by a digest of all that it depends on. A kernel that was changed is in none: it is compiled, and the
test looks at what the compiler made of it. Of what is recorded, one text is compiled anew on each run and compared.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from perfdocs.files import digest, write_atomic
from perfdocs.measure import nvrtc, sass

__all__ = ["RECORDS", "MachineCode", "file_of", "read", "turn"]

PROJECT = Path(__file__).resolve().parent.parent
RECORDS = Path(__file__).resolve().parent / "data" / "sass"
# Who makes counts of what was compiled.
READERS = tuple(digest(Path(str(module.__file__)).read_bytes()) for module in (sass, nvrtc))
OF_THE_TREE = frozenset({".cu", ".cuh", ".hpp", ".py", ".toml"})

Counts = Mapping[str, int]


class Named(NamedTuple):
    """The counts of one kernel: of all of it, and of each of its innermost loops."""

    whole: Counter[str]
    loops: tuple[Counter[str], ...]


class MachineCode:
    """What one test asks for, from its file of records where that knows the text.

    ``anew`` are keys in the file, or all, that are compiled all the same: then what is recorded must be what comes of
    them. To ``record`` is to compile everything and to heed no record.
    """

    def __init__(self, file: Path, *, anew: bool | frozenset[str] = frozenset(), record: bool = False) -> None:
        self._file, self._anew = file, anew
        self._recorded = {} if record else read(file)
        self._found: dict[str, Mapping[str, Named]] = {}
        self._said: dict[str, str] = {}
        self.unrecorded: list[str] = []
        """What was compiled because no record knows it."""

    def instructions(self, text: str, options: Sequence[str], architecture: int) -> dict[str, Counter[str]]:
        """How often each opcode stands in each kernel of a text, as :func:`perfdocs.measure.sass.counted`."""
        return {name: Counter(one.whole) for name, one in self._of(text, options, architecture).items()}

    def inner_loops(self, text: str, options: Sequence[str], architecture: int) -> dict[str, tuple[Counter[str], ...]]:
        """The same for the innermost loops of each, as :func:`perfdocs.measure.sass.inner_loops`."""
        return {name: tuple(map(Counter, one.loops)) for name, one in self._of(text, options, architecture).items()}

    def write(self) -> None:
        """Make the file what this test asked for."""
        if self._found:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(self._file, written(self._found, self._said).encode())

    def _of(self, text: str, options: Sequence[str], architecture: int) -> Mapping[str, Named]:
        key, said = key_of(text, options, architecture), " ".join((f"sm_{architecture}", *told(options)))
        if key not in self._found:
            recorded = self._recorded.get(key)
            anew = self._anew if isinstance(self._anew, bool) else key in self._anew
            if recorded is None or anew:
                found = compiled(text, options, architecture)
                assert recorded in (None, found), f"{self._file.name}, {said}: not what the compiler makes of it"
                if recorded is None:
                    self.unrecorded.append(said)
                recorded = found
            self._found[key], self._said[key] = recorded, said
        return self._found[key]


def compiled(text: str, options: Sequence[str], architecture: int) -> dict[str, Named]:
    """Without any record."""
    found = sass.listings(text, options, architecture)
    return {name: Named(sass.counted(one), sass.inner_loops(one)) for name, one in found.items()}


def told(options: Sequence[str]) -> list[str]:
    """The options but for where headers lie, which differs from machine to machine."""
    return [option for option in options if not option.startswith("-I")]


def key_of(text: str, options: Sequence[str], architecture: int) -> str:
    """A digest of all that the counts depend on: text, options, headers, architecture, versions, and who counts."""
    headers = [of_headers(option[2:]) for option in options if option.startswith("-I")]
    parts = (*READERS, *sass.versions(), text, told(options), headers, architecture)
    return digest(json.dumps(parts).encode())[:24]


@cache
def of_headers(folder: str) -> str:
    """A digest of every file in a folder of headers."""
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return digest("".join(f"{path.relative_to(folder)} {digest(path.read_bytes())}\n" for path in paths).encode())


def read(file: Path) -> dict[str, Mapping[str, Named]]:
    """What is recorded in a file, by key; nothing where there is none."""
    if not file.is_file():
        return {}
    tree = json.loads(file.read_text(encoding="utf-8"))
    return {
        key: {
            name: Named(Counter(kernel["whole"]), tuple(map(Counter, kernel["loops"])))
            for name, kernel in text["kernels"].items()
        }
        for key, text in tree.items()
    }


def written(found: Mapping[str, Mapping[str, Named]], said: Mapping[str, str]) -> str:
    """A file of records, each kernel and each loop on a line of its own."""
    texts = []
    for key, kernels in sorted(found.items(), key=lambda one: (said[one[0]], one[0])):
        parts = []
        for name, one in kernels.items():
            loops = ",".join(f"\n    {_line(loop)}" for loop in one.loops)
            parts.append(f'   {json.dumps(name)}: {{"whole": {_line(one.whole)}, "loops": [{loops}]}}')
        body = ",\n".join(parts)
        texts.append(f'{json.dumps(key)}: {{\n  "of": {json.dumps(said[key])},\n  "kernels": {{\n{body}\n  }}\n}}')
    return "{\n" + ",\n".join(texts) + "\n}\n"


def _line(counts: Counts) -> str:
    return json.dumps(dict(sorted(counts.items())))


def file_of(module: str, name: str) -> Path:
    """The file of a test: of its module, function and parameters."""
    return RECORDS / f"{module.rpartition('.')[2]}.{re.sub(r'[^A-Za-z0-9_.-]+', '-', name).strip('-')}.json"


@cache
def tree() -> int:
    """A number that changes with any file of the project's sources, tests and kernels."""
    folders = ("src", "benchmarks", "tests")
    paths = sorted(path for folder in folders for path in _sources(PROJECT / folder))
    return int(digest("".join(digest(path.read_bytes()) for path in paths).encode()), 16)


def _sources(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in OF_THE_TREE and path.is_file())


@cache
def turn() -> list[tuple[str, str]]:
    """The file and the key in it whose turn it is to be compiled anew: another one whenever a source has changed."""
    every = [(file.name, key) for file in sorted(RECORDS.glob("*.json")) for key in read(file)]
    return [every[tree() % len(every)]] if every else []
