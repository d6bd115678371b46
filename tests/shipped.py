"""Kernels as they are measured, and their machine instructions: what arms ask for, with the definitions they give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.limits_kit import asked_kernels
from tests.machine_code import Counts, MachineCode

from perfdocs.measure.sass import total

__all__ = ["AROUND", "Kernel", "accesses", "look_at_all", "look_at_chains", "look_at_fill", "steps"]

STEPS = {"float": "FFMA", "double": "DFMA", "perfdocs::HalfPair": "HFMA2", "unsigned int": "IMAD"}
"""The instruction of a multiply-add, by the type in C++."""
AROUND = 12  # instructions of a loop that count, compare, place and branch, at most


class Kernel(NamedTuple):
    """A kernel with its definitions, their benchmark's prefix left out, and the largest block it is launched with."""

    name: str
    defines: Mapping[str, str]
    threads: int
    whole: Counter[str]
    loops: tuple[Counter[str], ...]

    def of(self, key: str) -> int:
        """A definition that is a number."""
        return int(self.defines[key])


def look_at_all(
    folder: Path, machine_code: MachineCode, architecture: int, looks: Mapping[str, Callable[[Kernel], None]]
) -> None:
    """Give every kernel that an arm asks for to the look of its name: there is one for each, and none for others."""
    entries = asked_kernels(folder)
    assert {entry.name for entry in entries} == set(looks)
    for entry in entries:
        given = entry.code, entry.options, architecture
        whole, loops = machine_code.instructions(*given)[entry.name], machine_code.inner_loops(*given)[entry.name]
        defines = dict(re.sub("^[A-Z0-9]+?_", "", one).split("=") for one in entry.defines)
        try:
            looks[entry.name](Kernel(entry.name, defines, entry.threads, whole, loops))
        except AssertionError as error:
            error.add_note(f"{entry.name}, {' '.join(entry.defines)}")
            raise


def accesses(counts: Counts, opcode: str) -> dict[int, int]:
    """How many loads or stores there are, by the byte that a thread moves with one: ``LDG``, ``STG``, ``LDS``, …."""
    found: Counter[int] = Counter()
    for name, number in counts.items():
        first, *modifiers = name.split(".")
        if first == opcode:
            bits = next((int(one) for one in modifiers if one in ("64", "128")), 32)
            found[bits // 8] += number
    return dict(found)


def steps(counts: Counts, type_: str) -> int:
    """Multiply-adds; what moves and adds by an IMAD is none."""
    opcode = STEPS[type_]
    return counts.get(opcode, 0) if opcode == "IMAD" else total(counts, opcode)


def look_at_chains(kernel: Kernel, body: int, chains: int) -> None:
    """A loop of so many multiply-adds and one of what is left of them, a pair of each chain: nothing else of note."""
    assert [steps(loop, kernel.defines["TYPE"]) for loop in kernel.loops] == [body, 2 * chains]
    for loop in kernel.loops:
        assert sum(loop.values()) <= steps(loop, kernel.defines["TYPE"]) + AROUND
        assert not accesses(loop, "LDG")
        assert not accesses(loop, "STG")


def look_at_fill(byte: int, stores: int = 1) -> Callable[[Kernel], None]:
    """A kernel that fills arrays before a run, with so many stores at a place."""

    def look(kernel: Kernel) -> None:
        assert any(accesses(loop, "STG") == {byte: stores} for loop in kernel.loops)
        assert not accesses(kernel.whole, "LDG")

    return look
