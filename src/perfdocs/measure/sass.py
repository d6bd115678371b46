"""The machine instructions of kernels, counted: NVRTC compiles and nvdisasm lists them, no GPU is needed.

Tests use it to rule out dead and folded code: a chain of 64 FMAs an iteration has 64 of them in its loop.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from perfdocs.errors import PerfdocsError, clean

from .arm import Cannot
from .nvrtc import Compiler

__all__ = ["Instruction", "counted", "inner_loops", "listings", "total", "versions"]

PACKAGE = "nvidia-cuda-nvdisasm"
INSTRUCTION = 16  # bytes of one, from compute capability 7.0 on
LEAVES = frozenset({"EXIT", "RET"})
SECONDS = 60.0


class Instruction(NamedTuple):
    """One line of a listing; ``target`` is the place in it where a branch goes, ``always`` that it has no predicate."""

    opcode: str
    always: bool
    target: int | None = None


def listings(text: str, options: Sequence[str], architecture: int) -> dict[str, tuple[Instruction, ...]]:
    """The instructions of each kernel of a text, in their order.

    ``architecture`` is such as 90; kernels have their names in the binary, those of ``extern "C"`` as written. Raises
    :class:`Cannot` where a tool is not installed and :class:`PerfdocsError` where the text does not compile.
    """
    return _read(_listed(_compiler().cubin(text, options, architecture)))


def counted(found: Sequence[Instruction]) -> Counter[str]:
    """How often each opcode stands there: ``DFMA``, ``LDG.E.128``, …, by its full name."""
    return Counter(one.opcode for one in found)


def inner_loops(found: Sequence[Instruction]) -> tuple[Counter[str], ...]:
    """The same for the bodies of a kernel's innermost loops, one after the other as they stand in the code.

    A body reaches from where a branch goes back to, to that branch. An unrolled loop often has another behind it for
    the rest of its iterations.
    """
    return tuple(counted(found[first : last + 1]) for first, last in _innermost(found))


def total(counted: Mapping[str, int], *opcodes: str) -> int:
    """How many instructions have one of these opcodes, with any modifiers: ``HFMA2`` counts ``HFMA2.MMA`` too."""
    return sum(number for name, number in counted.items() if any(f"{name}.".startswith(f"{o}.") for o in opcodes))


def _innermost(found: Sequence[Instruction]) -> list[tuple[int, int]]:
    """First and last place of each loop that has no other inside.

    A way back that passes an end of the kernel is none: it comes from code that was set apart behind the end.
    """
    lasts: dict[int, int] = {}
    for place, one in enumerate(found):
        if one.target is not None and one.target < place:
            passed = found[one.target : place]
            if not any(inside.always and inside.opcode.partition(".")[0] in LEAVES for inside in passed):
                lasts[one.target] = place
    loops = sorted(lasts.items())
    return [
        (first, last)
        for first, last in loops
        if not any(first <= a and b <= last and (a, b) != (first, last) for a, b in loops)
    ]


def versions() -> tuple[str, str]:
    """Of NVRTC and nvdisasm. Raises :class:`Cannot` where either is missing."""
    return _compiler().version, _nvdisasm()[1]


@cache
def _compiler() -> Compiler:
    return Compiler()


@cache
def _nvdisasm() -> tuple[Path, str]:
    """The program and its version. Raises :class:`Cannot` without it."""
    try:
        package = importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise Cannot("not_installed", f"{PACKAGE} is not installed") from None
    for file in package.files or ():
        if file.name in ("nvdisasm", "nvdisasm.exe"):
            return Path(str(file.locate())), package.version
    raise Cannot("not_installed", f"{PACKAGE} has no nvdisasm")


def _listed(cubin: bytes) -> str:
    """What nvdisasm tells of a binary, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernels.cubin"
        file.write_bytes(cubin)
        command = [str(_nvdisasm()[0]), "--print-code", "--no-dataflow", "--emit-json", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603 - our own words
    if done.returncode:
        raise _unread(done.stderr)
    return done.stdout


def _read(listing: str) -> dict[str, tuple[Instruction, ...]]:
    try:
        _, functions = json.loads(listing)
        return {one["function-name"]: tuple(map(_instruction, one["sass-instructions"])) for one in functions}
    except (ValueError, KeyError, TypeError):
        raise _unread(listing) from None


def _instruction(line: dict[str, Any]) -> Instruction:
    opcode = line["opcode"]
    going = re.search(r"\b0x[0-9a-f]+$", line.get("operands", "")) if opcode.startswith("BRA") else None
    return Instruction(opcode, "predicate" not in line, int(going[0], 16) // INSTRUCTION if going else None)


def _unread(found: str) -> PerfdocsError:
    return PerfdocsError(
        "kernels-listing",
        "nvdisasm",
        clean(found.strip(), 160),
        "a listing of kernels",
        "teach perfdocs.measure.sass it",
    )
