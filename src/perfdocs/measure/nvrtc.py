"""What NVRTC makes of a text of kernels for a named architecture, without a GPU: code, registers, launch bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from perfdocs.errors import PerfdocsError, clean
from perfdocs.files import digest, write_atomic

from .arm import Cannot

__all__ = ["ARCHITECTURES", "Built", "Compiler", "Used", "bounds", "registers_left", "usage"]

ARCHITECTURES = (70, 75, 80, 90, 120)
"""Compute capabilities to compile for, as far as the compiler knows them."""
REGISTERS_AN_SM = 65_536
REGISTERS_A_THREAD = 255
REGISTERS_AT_A_TIME = 8  # a thread is given so many or a multiple
SELF = digest(Path(__file__).read_bytes())  # answers that were read in another way are not taken for new ones
NO_WARNING = re.compile(r"^ptxas (info|  )|bytes stack frame|Architectures prior to .* are deprecated")
"""Lines of the compiler's log that say nothing against a kernel."""


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


class Output(NamedTuple):
    """Of one compilation: assembly, binary, log."""

    ptx: str
    cubin: bytes
    log: str


class Compiler:
    """NVRTC; ``kept`` is a folder for its answers, by all that they depend on. Raises :class:`Cannot` without it."""

    def __init__(self, kept: Path | None = None) -> None:
        self._nvrtc = import_nvrtc()
        self._kept = kept
        known = set(self._nvrtc.getSupportedArchs())
        self.architectures = tuple(number for number in ARCHITECTURES if number in known)
        empty = self._run("", (), max(self.architectures))
        found = re.search(r"\bV(\d+\.\d+\.\d+)", empty.ptx)
        self.version = found[1] if found else ".".join(map(str, self._nvrtc.getVersion()))

    def build(self, code: str, options: Sequence[str], architecture: int) -> Built:
        """Compile a text. Raises :class:`PerfdocsError` where that fails or the compiler warns."""
        parts = json.dumps([SELF, self.version, code, *options, architecture])
        kept = None if self._kept is None else self._kept / f"{digest(parts.encode())}.json"
        if kept is not None and kept.is_file():
            return _unpacked(json.loads(kept.read_text(encoding="utf-8")))
        output = self._run(code, options, architecture)
        built = Built(usage(output.log), bounds(output.ptx))
        if kept is not None:
            write_atomic(kept, json.dumps({"used": built.used, "bounds": built.bounds}).encode())
        return built

    def cubin(self, code: str, options: Sequence[str], architecture: int) -> bytes:
        """The binary of a text. Raises :class:`PerfdocsError` where it does not compile or the compiler warns."""
        return self._run(code, options, architecture).cubin

    def _run(self, code: str, options: Sequence[str], architecture: int) -> Output:
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
            # CuPy takes the binary for a text that ends with a zero, and leaves the last byte out
            return Output(ptx.decode() if isinstance(ptx, bytes) else ptx, nvrtc.getCUBIN(program) + b"\0", log)
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
                "teach perfdocs.measure.nvrtc this compiler's form",
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
        found[name] = registers_left(threads * blocks)
    return found


def registers_left(threads: int) -> int:
    """Registers that each of so many threads of an SM can have."""
    warps = max(1, -(-threads // 32))
    share = REGISTERS_AN_SM // (32 * warps)
    return min(REGISTERS_A_THREAD, share - share % REGISTERS_AT_A_TIME)
