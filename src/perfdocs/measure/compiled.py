"""``python -m perfdocs.measure.compiled FOLDER …``: what the compiler makes of a benchmark's kernels, without a GPU.

Every kernel that an arm asks for is compiled for named architectures by NVRTC. Registers, spills and shared memory go
to the benchmark's ``registers.toml``, which is kept with the sources: a kernel that got worse shows in a diff.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from perfdocs.errors import PerfdocsError, clean, place
from perfdocs.files import digest, write_atomic

from .arm import Cannot
from .asked import asked, without_kernels

__all__ = [
    "ARCHITECTURES",
    "FILE",
    "Compiler",
    "Row",
    "Table",
    "Used",
    "beyond_limits",
    "differences",
    "main",
    "read_table",
    "table_of",
    "table_text",
    "usage",
]

FILE = "registers.toml"
ARCHITECTURES = (70, 75, 80, 90, 120)
"""Compute capabilities to compile for, as far as the compiler knows them."""
REGISTERS_AN_SM = 65_536
REGISTERS_A_THREAD = 255
REGISTERS_AT_A_TIME = 8  # a thread is given so many or a multiple
SHARED_A_BLOCK = {70: 96, 75: 64, 80: 163, 90: 227, 120: 99}
"""KiB of shared memory that a block can have."""
SELF = digest(Path(__file__).read_bytes())  # answers that were read in another way are not taken for new ones
NO_WARNING = re.compile(r"^ptxas (info|  )|bytes stack frame|Architectures prior to .* are deprecated")
"""Lines of the compiler's log that say nothing against a kernel."""
HEADER = """\
# What the compiler makes of every kernel that an arm asks for, by architecture: registers a thread; bytes a thread of
# local memory, and of those moved there and back because registers ran out (spill); bytes a block of static shared
# memory. `threads` is the largest block it is launched with, `dynamic` the shared memory asked for at its launch
# (byte); `fits = false` says that this is more than a block can have there. `arms_without` are GPU arms that ask for no
# kernel of the benchmark's own. Written by `nox -s registers`: review a change of a line as a change of the kernel.
"""


class Used(NamedTuple):
    """Of one kernel on one architecture: registers and bytes a thread, bytes a block."""

    registers: int
    spill: int
    local: int
    shared: int


@dataclass(frozen=True, slots=True)
class Built:
    """A compiled text: what its kernels use, and the most registers that their launch bounds leave a thread."""

    used: Mapping[str, Used]
    bounds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel as some arms ask for it; ``used`` by architecture, such as ``sm_90``."""

    name: str
    defines: tuple[str, ...]
    arms: tuple[str, ...]
    threads: int
    dynamic: int
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


class Compiler:
    """NVRTC; ``kept`` is a folder for its answers, by all that they depend on. Raises :class:`Cannot` without it."""

    def __init__(self, kept: Path | None = None) -> None:
        self._nvrtc = import_nvrtc()
        self._kept = kept
        known = set(self._nvrtc.getSupportedArchs())
        self.architectures = tuple(number for number in ARCHITECTURES if number in known)
        ptx, _ = self._run("", (), max(self.architectures))
        found = re.search(r"\bV(\d+\.\d+\.\d+)", ptx)
        self.version = found[1] if found else ".".join(map(str, self._nvrtc.getVersion()))

    def build(self, code: str, options: Sequence[str], architecture: int) -> Built:
        """Compile a text. Raises :class:`PerfdocsError` where that fails or the compiler warns."""
        parts = json.dumps([SELF, self.version, code, *options, architecture])
        kept = None if self._kept is None else self._kept / f"{digest(parts.encode())}.json"
        if kept is not None and kept.is_file():
            return _unpacked(json.loads(kept.read_text(encoding="utf-8")))
        ptx, log = self._run(code, options, architecture)
        built = Built(usage(log), bounds(ptx))
        if kept is not None:
            write_atomic(kept, json.dumps({"used": built.used, "bounds": built.bounds}).encode())
        return built

    def _run(self, code: str, options: Sequence[str], architecture: int) -> tuple[str, str]:
        """Assembly and log."""
        nvrtc = self._nvrtc
        program = nvrtc.createProgram(code, "kernels.cu", [], [])
        try:
            try:
                nvrtc.compileProgram(program, (*options, f"-arch=sm_{architecture}", "--ptxas-options=-v"))
            except nvrtc.NVRTCError:
                raise _refused(architecture, options, nvrtc.getProgramLog(program)) from None
            log = nvrtc.getProgramLog(program)
            said = [line for line in log.splitlines() if line.strip("\0 ") and not NO_WARNING.search(line)]
            if said:
                raise _refused(architecture, options, "\n".join(said))
            ptx = nvrtc.getPTX(program)
            return ptx.decode() if isinstance(ptx, bytes) else ptx, log
        finally:
            nvrtc.destroyProgram(program)


@cache
def import_nvrtc() -> Any:
    """CuPy's interface to NVRTC. Raises :class:`Cannot` where either is missing."""
    try:
        from cupy.cuda import nvrtc
    except ImportError:
        raise Cannot("not_installed", "CuPy is not installed") from None
    try:
        nvrtc.getVersion()
    except Exception as error:  # no library shows in several ways
        raise Cannot("not_installed", f"NVRTC does not load ({type(error).__name__})") from None
    return nvrtc


def _refused(architecture: int, options: Sequence[str], log: str) -> PerfdocsError:
    lines = [line for line in log.splitlines() if "error" in line or "warning" in line]
    return PerfdocsError(
        "kernels-compile",
        f"NVRTC for sm_{architecture}, {' '.join(options)}",
        clean((lines or [log])[0].strip("\0 "), 160),
        "kernels that compile without a warning",
        "correct the kernel",
    )


def _unpacked(tree: Any) -> Built:
    return Built({name: Used(*numbers) for name, numbers in tree["used"].items()}, tree["bounds"])


def usage(log: str) -> dict[str, Used]:
    """What the kernels of a text use, from the log of ``--ptxas-options=-v``."""
    found = {}
    for part in re.split(r"Compiling entry function ", log)[1:]:
        name = re.match(r"'(\w+)'", part)
        registers = re.search(r"Used (\d+) registers", part)
        frames = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part)
        if name is None or registers is None or not frames:
            raise PerfdocsError(
                "kernels-log",
                "NVRTC's log",
                clean(part, 80),
                "registers and spills of a kernel",
                "teach perfdocs.measure.compiled this compiler's form",
            )
        shared = re.search(r"(\d+) bytes smem", part)
        found[name[1]] = Used(
            registers=int(registers[1]),
            spill=sum(int(stores) + int(loads) for _, stores, loads in frames),
            local=max(int(frame) for frame, _, _ in frames),  # of the kernel, and of functions that it calls
            shared=int(shared[1]) if shared else 0,
        )
    return found


def bounds(ptx: str) -> dict[str, int]:
    """The most registers that the launch bounds of the kernels leave a thread."""
    found = {}
    for name, head in re.findall(r"\.entry (\w+)\(.*?\)(.*?)\{", ptx, re.DOTALL):
        threads, blocks = 1, 1
        if most := re.search(r"\.maxntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?", head):
            for axis in most.groups(default="1"):
                threads *= int(axis)
        if least := re.search(r"\.minnctapersm\s+(\d+)", head):
            blocks = int(least[1])
        found[name] = _registers_left(threads * blocks)
    return found


def _registers_left(threads: int) -> int:
    """Registers that each of so many threads of an SM can have."""
    warps = max(1, -(-threads // 32))
    share = REGISTERS_AN_SM // (32 * warps)
    return min(REGISTERS_A_THREAD, share - share % REGISTERS_AT_A_TIME)


def table_of(folder: Path, compiler: Compiler) -> Table:
    """Compile everything that the arms of a benchmark ask for.

    Raises :class:`PerfdocsError` where an arm cannot be asked, a kernel does not compile, or one that arms ask for is
    not in what was compiled.
    """
    kernels = asked(folder)
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
        row = Row(entry.name, entry.defines, tuple(sorted(entry.arms)), entry.threads, entry.dynamic, used)
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


def table_text(table: Table) -> str:
    """The table as it stands in the file."""
    lines = [HEADER, f"compiler = {json.dumps(table.compiler)}  # NVRTC"]
    lines += [f"arms_without = {_array(table.without)}", f"kernels_unasked = {_array(table.unasked)}"]
    for row in table.rows:
        lines += ["", "[[kernels]]", f"name = {json.dumps(row.name)}", f"defines = {_array(row.defines)}"]
        lines += [f"arms = {_array(row.arms)}", f"threads = {row.threads}"]
        if row.dynamic:
            lines.append(f"dynamic = {row.dynamic}")
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
        for what in ("arms", "threads", "dynamic"):
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
            bound = min(found.bounds[row.key][architecture], _registers_left(row.threads))
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
            table = table_of(folder, compiler)
            if given.check:
                lines += _checked(read_table(folder / FILE), table)
                continue
            text = table_text(table).encode()
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
