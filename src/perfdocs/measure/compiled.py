"""``python -m perfdocs.measure.compiled FOLDER …``: what the compiler makes of a benchmark's kernels, without a GPU.

Every kernel that an arm asks for is compiled for named architectures by NVRTC. Registers, spills and shared memory go
to the benchmark's ``registers.toml``, which is kept with the sources: a kernel that got worse shows in a diff.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfdocs.errors import PerfdocsError, clean, place
from perfdocs.files import write_atomic

from .arm import Cannot
from .asked import Asked, asked, without_kernels
from .nvrtc import Compiler, Used, registers_left

__all__ = [
    "FILE",
    "Row",
    "Table",
    "beyond_limits",
    "differences",
    "main",
    "read_table",
    "renewed",
    "table_of",
    "table_text",
    "unbuilt",
]

FILE = "registers.toml"
SHARED_A_BLOCK = {70: 96, 75: 64, 80: 163, 90: 227, 120: 99}
"""KiB of shared memory that a block can have."""
HEADER = """\
# What the compiler makes of every kernel that an arm asks for, by architecture: registers a thread; bytes a thread of
# local memory, and of those moved there and back because registers ran out (spill); bytes a block of static shared
# memory. `threads` is the largest block it is launched with, `dynamic` the shared memory asked for at its launch
# (byte); `fits = false` says that this is more than a block can have there; `text` is a digest of all that the compiler
# was given. `arms_without` are GPU arms that ask for no kernel of the benchmark's own. Written by `nox -s registers`:
# review a change of a line as a change of the kernel.
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel as some arms ask for it; ``used`` by architecture, such as ``sm_90``.

    ``text`` is a digest of all that the compiler was given.
    """

    name: str
    defines: tuple[str, ...]
    arms: tuple[str, ...]
    threads: int
    dynamic: int
    text: str
    used: Mapping[str, Used]

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What tells it from every other row of its benchmark."""
        return self.name, self.defines

    def __str__(self) -> str:
        return f"{self.name} [{', '.join(self.defines)}]"


@dataclass(frozen=True, slots=True)
class Table:
    """Every kernel of a benchmark; ``compiler`` is NVRTC's full version.

    ``without`` are the GPU arms that ask for none, ``unasked`` the kernels that are compiled along for nobody.
    ``bounds`` is known where the table was just made: registers that launch bounds leave, by row, by architecture.
    """

    compiler: str
    rows: tuple[Row, ...]
    without: tuple[str, ...]
    unasked: tuple[str, ...]
    bounds: Mapping[tuple[str, tuple[str, ...]], Mapping[str, int]]


def table_of(folder: Path, compiler: Compiler, kernels: Sequence[Asked] | None = None) -> Table:
    """Compile everything that the arms of a benchmark ask for, or of it these kernels.

    Raises :class:`PerfdocsError` where an arm cannot be asked, a kernel does not compile, or one that arms ask for is
    not in what was compiled.
    """
    kernels = asked(folder) if kernels is None else kernels
    rows, left = [], {}
    names: set[str] = set()
    for entry in kernels:
        built = {f"sm_{number}": compiler.build(entry.code, entry.options, number) for number in compiler.architectures}
        for one in built.values():
            names.update(one.used)
            if entry.name not in one.used:
                raise PerfdocsError(
                    "kernels-name",
                    f"{place(folder)}: arms {', '.join(sorted(entry.arms))}",
                    f'the kernel "{clean(entry.name, 60)}"',
                    f"one of {', '.join(sorted(one.used))}",
                    "correct the arm, or the kernel's name",
                )
        used = {architecture: one.used[entry.name] for architecture, one in built.items()}
        row = _row(entry, used)
        if row.key in left:
            raise PerfdocsError(
                "kernels-twice",
                f"{place(folder)}: arms {', '.join(row.arms)}",
                f"{row} of two texts, or with two sets of other options",
                "one kernel of a name and its definitions",
                "rename one of them",
            )
        left[row.key] = {architecture: one.bounds[entry.name] for architecture, one in built.items()}
        rows.append(row)
    unasked = sorted(names.difference(entry.name for entry in kernels))
    return Table(compiler.version, tuple(rows), tuple(without_kernels(folder, kernels)), tuple(unasked), left)


def _row(entry: Asked, used: Mapping[str, Used]) -> Row:
    return Row(entry.name, entry.defines, tuple(sorted(entry.arms)), entry.threads, entry.dynamic, entry.text, used)


def unbuilt(folder: Path, recorded: Table, kernels: Sequence[Asked] | None = None) -> Table:
    """What the arms ask for now, without compiling it: what is recorded of the same texts is taken as it is.

    Raises :class:`PerfdocsError` where an arm cannot be asked.
    """
    kernels = asked(folder) if kernels is None else kernels
    known = {(row.key, row.text): row.used for row in recorded.rows}
    rows = tuple(_row(entry, known.get(((entry.name, entry.defines), entry.text), {})) for entry in kernels)
    return Table(recorded.compiler, rows, tuple(without_kernels(folder, kernels)), recorded.unasked, {})


def renewed(folder: Path, compiler: Compiler) -> Table:
    """What the arms ask for now: compiled where this compiler has not recorded the text already."""
    try:
        recorded = read_table(folder / FILE)
    except PerfdocsError:
        recorded = Table("", (), (), (), {})
    if recorded.compiler != compiler.version:
        return table_of(folder, compiler)
    now = unbuilt(folder, recorded)
    missing = {row.key for row in now.rows if set(row.used) != {f"sm_{n}" for n in compiler.architectures}}
    built = table_of(folder, compiler, [e for e in asked(folder) if (e.name, e.defines) in missing])
    rows = {row.key: row for row in (*now.rows, *built.rows)}
    names = {row.name for row in now.rows}
    unasked = tuple(sorted({*recorded.unasked, *built.unasked} - names))
    return Table(compiler.version, tuple(rows.values()), now.without, unasked, {})


def table_text(table: Table) -> str:
    """The table as it stands in the file."""
    lines = [HEADER, f"compiler = {json.dumps(table.compiler)}  # NVRTC"]
    lines += [f"arms_without = {_array(table.without)}", f"kernels_unasked = {_array(table.unasked)}"]
    for row in table.rows:
        lines += ["", "[[kernels]]", f"name = {json.dumps(row.name)}", f"defines = {_array(row.defines)}"]
        lines += [f"arms = {_array(row.arms)}", f"threads = {row.threads}"]
        if row.dynamic:
            lines.append(f"dynamic = {row.dynamic}")
        lines.append(f"text = {json.dumps(row.text)}")
        lines += [f"{architecture} = {_numbers(row, architecture)}" for architecture in row.used]
    return "\n".join(lines) + "\n"


def _array(words: Iterable[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False)


def _numbers(row: Row, architecture: str) -> str:
    used = row.used[architecture]
    parts = [f"{name} = {value}" for name, value in used._asdict().items()]
    if row.dynamic + used.shared > 1024 * SHARED_A_BLOCK[int(architecture.removeprefix("sm_"))]:
        parts.append("fits = false")
    return f"{{ {', '.join(parts)} }}"


def read_table(path: Path) -> Table:
    """The table of a file. Raises :class:`PerfdocsError` where it is absent or not one."""
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = tuple(
            Row(
                row["name"],
                tuple(row["defines"]),
                tuple(row["arms"]),
                row["threads"],
                row.get("dynamic", 0),
                row["text"],
                {key: _used(value) for key, value in row.items() if key.startswith("sm_")},
            )
            for row in tree["kernels"]
        )
        return Table(tree["compiler"], rows, tuple(tree["arms_without"]), tuple(tree["kernels_unasked"]), {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PerfdocsError(
            "registers-file",
            place(path),
            clean(f"{type(error).__name__}: {error}", 120),
            "the table of a benchmark's kernels",
            "write it anew: nox -s registers",
        ) from None


def _used(numbers: Mapping[str, int]) -> Used:
    return Used(*(numbers[name] for name in Used._fields))


def differences(recorded: Table, found: Table) -> list[str]:
    """Where what was just compiled is not what is recorded, a line each; both by the same compiler."""
    old, new = ({row.key: row for row in table.rows} for table in (recorded, found))
    lines = [f"{row}: no arm asks for it any more" for key, row in old.items() if key not in new]
    for key, row in new.items():
        if key not in old:
            lines.append(f"{row}: not recorded, {', '.join(row.arms)} asks for it")
            continue
        before = old[key]
        for what in ("arms", "threads", "dynamic", "text"):
            a, b = getattr(before, what), getattr(row, what)
            if a != b:
                lines.append(f"{row}: {what} recorded as {_plain(a)}, found {_plain(b)}")
        for architecture in sorted({*before.used, *row.used}, key=lambda name: int(name.removeprefix("sm_"))):
            one, other = before.used.get(architecture), row.used.get(architecture)
            if one != other:
                lines.append(f"{row}, {architecture}: {_said(one)} recorded, {_said(other)} found")
    for said, a, b in (
        ("arms without kernels", recorded.without, found.without),
        ("kernels that no arm asks for", recorded.unasked, found.unasked),
    ):
        if a != b:
            lines.append(f"{said}: {_plain(a)} recorded, {_plain(b)} found")
    return lines


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def _said(used: Used | None) -> str:
    if used is None:
        return "nothing"
    return f"{used.registers} registers, {used.spill} B spilled, {used.local} B local, {used.shared} B shared"


def beyond_limits(recorded: Table, found: Table) -> list[str]:
    """Where a kernel spills more than is recorded, or leaves fewer registers than its launch needs; a line each.

    Holds for every compiler. What is not recorded may not spill at all.
    """
    known = {row.key: row for row in recorded.rows}
    lines = []
    for row in found.rows:
        before = known.get(row.key)
        for architecture, used in row.used.items():
            most = before.used.get(architecture) if before else None
            spill, local = (most.spill, most.local) if most else (0, 0)
            if used.spill > spill or used.local > local:
                lines.append(f"{row}, {architecture}: {_said(used)}, {spill} and {local} B expected")
            bound = min(found.bounds[row.key][architecture], registers_left(row.threads))
            if used.registers > bound:
                lines.append(f"{row}, {architecture}: {used.registers} registers, its launch leaves {bound}")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Write the tables, or with ``--check`` compare them; return the exit code: 0 well, 1 a difference or a mistake."""
    parser = argparse.ArgumentParser(prog="python -m perfdocs.measure.compiled", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="a benchmark's folder")
    parser.add_argument("--check", action="store_true", help=f"say where {FILE} is not what was just compiled")
    given = parser.parse_args(argv)
    lines: list[str] = []
    try:
        compiler = Compiler()
        for folder in given.folders:
            if given.check:
                lines += _checked(read_table(folder / FILE), table_of(folder, compiler))
                continue
            text = table_text(renewed(folder, compiler)).encode()
            if not (folder / FILE).is_file() or (folder / FILE).read_bytes() != text:
                write_atomic(folder / FILE, text)
                print(f"written: {place(folder / FILE)}")
    except (PerfdocsError, Cannot) as error:
        lines.append(str(error))
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


def _checked(recorded: Table, found: Table) -> list[str]:
    lines = beyond_limits(recorded, found)
    if recorded.compiler == found.compiler:
        lines += differences(recorded, found)
    else:
        print(f"NVRTC {found.compiler} is here, {recorded.compiler} was recorded: limits are checked, not numbers")
    return lines


if __name__ == "__main__":
    raise SystemExit(main())
