"""Check many claims over many cards with ``perfdocs check``, and print what that takes.

Run from the project's folder: ``python -m tests.cost.claims``. A few minutes; ``--cards 20 --claims 200`` shows that it
works. The process that times others imports nothing of perfdocs; the one that writes the project is another.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from .builds import BuildError, Run, run
from .cards import ARMS, BENCHMARK, card, device_id, write_benchmark
from .report import machine
from .workplace import program, workplace

if TYPE_CHECKING:
    from perfdocs.library import Benchmark
    from perfdocs.row import Row

__all__ = ["CLAIMS_OF_A_DEVICE", "project_card", "write_project"]

SIZES = (1_000, 10_000, 100_000, 1_000_000)
CONFIGS = ("spread-100", "spread-1000", "uniform-1000")
LATE, EARLY = ARMS[-1], ARMS[0]
SLOW = ARMS[-2]
SHARES = dict(zip(SIZES, (8.0, 6.0, 1.5, 0.2), strict=True))
"""How long the arm that overtakes takes, for each size, beside the first; one that is slow takes thrice as long."""
OVERHEAD = """
[tables.overhead]
title = "An empty launch"
axes = ["n"]
columns = ["wall"]
"""
CLAIMS_OF_A_DEVICE = 10
DEVICES_OF_A_PAGE = 10


def project_card(number: int) -> dict[str, object]:
    """The card of the sites with a second table, and an arm that overtakes another."""
    content = card(number)
    walls = {(m["at"]["config"], m["at"]["n"]): m["wall"] for m in content["measurements"] if m["arm"] == EARLY}
    dice = random.Random(f"{number} overhead")
    for m in content["measurements"]:
        if m["arm"] == LATE:
            m["wall"] = [w * SHARES[m["at"]["n"]] for w in walls[m["at"]["config"], m["at"]["n"]]]
        elif m["arm"] == SLOW:
            m["wall"] = [w * 3.0 for w in reversed(walls[m["at"]["config"], m["at"]["n"]])]
    for arm in ARMS[:4]:
        for n in SIZES:
            wall = [2e-6 * dice.gauss(1.0, 0.01) for _ in range(5)]
            content["measurements"].append({"table": "overhead", "arm": arm, "at": {"n": n}, "wall": wall})
    return content


Claim = tuple[str, str]
"""A sentence without its full stop, and what it is bound to."""


class Sentences:
    """True sentences about one device, a form each."""

    def __init__(self, benchmark: Benchmark, device: str, other: str, dice: random.Random) -> None:
        from perfdocs.frame import rows

        loaded = {d: benchmark.card_of(d) for d in (device, other)}
        self.rows = {
            d: {(r.table, r.arm, *r.at.values()): r for r in rows(benchmark, c)} for d, c in loaded.items() if c
        }
        self.device, self.other, self.dice = device, other, dice

    def row(self, arm: str, config: str, n: int, device: str = "") -> Row:
        return self.rows[device or self.device]["main", arm, config, n]

    def forms(self) -> tuple[Callable[[str, int], Claim], ...]:
        """Each makes a sentence of a place."""
        return (
            self.value, self.rate, self.ratio, self.fastest, self.order,
            self.every, self.counted, self.overtakes, self.across_tables, self.across_devices,
        )  # fmt: skip

    def value(self, config: str, n: int) -> Claim:
        from perfdocs.quantity import format_value

        arm = self.dice.choice(ARMS)
        return f"{said(arm)} takes {format_value(self.row(arm, config, n).value('wall').centre, 's')}", arm

    def rate(self, config: str, n: int) -> Claim:
        from perfdocs.quantity import format_percent
        from perfdocs.row import share_of_peak

        arm = self.dice.choice(ARMS)
        share = share_of_peak(self.row(arm, config, n), "issued_rate").centre
        return f"{said(arm)} moves {format_percent(share)} of the peak", f"issued_rate({arm}) / peak"

    def ratio(self, config: str, n: int) -> Claim:
        from perfdocs.quantity import format_ratio

        by = self.row(SLOW, config, n).value("wall").centre / self.row(EARLY, config, n).value("wall").centre
        return f"{said(EARLY)} is {format_ratio(by)} faster than {said(SLOW)}", f"{EARLY} faster than {SLOW} by ?"

    def _leaders(self, config: str, n: int, gone: tuple[str, ...] = ()) -> tuple[str, ...]:
        from perfdocs.verdict import fastest

        values = {arm: self.row(arm, config, n).value("wall") for arm in ARMS if arm not in gone}
        return fastest(values, better="lower", tolerance=0.01)

    def fastest(self, config: str, n: int) -> Claim:
        best = self._leaders(config, n)
        return f"{both(best)} lead{'s' * (len(best) == 1)}", f"{' and '.join(best)} leads gpu"

    def order(self, config: str, n: int) -> Claim:
        best = self._leaders(config, n)
        then = self._leaders(config, n, best)
        claim = f"{' and '.join(best)} leads gpu then {' and '.join(then)}"
        return f"{both(best)} lead{'s' * (len(best) == 1)} before {both(then)}", claim

    def every(self, config: str, n: int) -> Claim:
        del n
        return f"{said(EARLY)} is always faster than {said(SLOW)}", f"every n: {EARLY} faster than {SLOW}"

    def counted(self, config: str, n: int) -> Claim:
        del config, n
        holding = len(CONFIGS) * sum(share < 1 for share in SHARES.values())
        return (
            f"{said(LATE)} is ahead of arm a in {holding} of {len(CONFIGS) * len(SIZES)} cells",
            f"? of ? cell: {LATE} ahead of {EARLY}",
        )

    def overtakes(self, config: str, n: int) -> Claim:
        del config, n
        return f"{said(LATE)} overtakes arm a by N = 10⁶", f"{LATE} overtakes {EARLY} by n=?"

    def across_tables(self, config: str, n: int) -> Claim:
        from perfdocs.quantity import format_ratio

        over = self.rows[self.device]["overhead", EARLY, n].value("wall").centre
        times = self.row(EARLY, config, n).value("wall").centre / over
        return f"that is {format_ratio(times)} an empty launch", f"{EARLY}[main] / {EARLY}[overhead]"

    def across_devices(self, config: str, n: int) -> Claim:
        from perfdocs.quantity import format_ratio

        times = self.row("arm_c", config, n).value("wall").centre
        times /= self.row("arm_c", config, n, self.other).value("wall").centre
        return f"arm c takes {format_ratio(times)} what it takes on {self.other}", f"arm_c / arm_c[{self.other}]"


def said(arm: str) -> str:
    """The label of an arm."""
    return arm.replace("_", " ")


def both(arms: tuple[str, ...]) -> str:
    """Labels of arms."""
    return " and ".join(map(said, arms))


def page(benchmark: Benchmark, devices: list[tuple[str, str]], dice: random.Random, *, every: bool) -> str:
    """A page about some devices, each with the one that it is compared with; ``every``: and one claim of them all."""
    lines = ["# A page", ""]
    for device, other in devices:
        config, n = dice.choice(CONFIGS), dice.choice(SIZES)
        lines += [f"## About {device}", "", f"<!-- given: {BENCHMARK}, main, {device}, {config}, n={n} -->", ""]
        sentences = Sentences(benchmark, device, other, dice).forms()
        if every:
            every = False
            sentences = sentences[1:]
            text = f"On every device {said(EARLY)} is faster than {said(SLOW)}"
            lines += [f"{text}<!-- claim: every device: {EARLY} faster than {SLOW} -->.", ""]
        lines += [f"{text}<!-- claim: {claim} -->." for text, claim in (form(config, n) for form in sentences)]
        lines += [""]
    return "\n".join(lines)


def write_project(folder: Path, cards: int, claims: int) -> int:
    """Write so many cards, and pages with about so many claims that hold; how many there are."""
    from perfdocs.library import load_library

    benchmark = folder / "benchmarks" / BENCHMARK
    write_benchmark(benchmark)
    with (benchmark / "benchmark.toml").open("a", encoding="utf-8") as toml:
        toml.write(OVERHEAD)
    (benchmark / "cards").mkdir()
    for number in range(cards):
        text = json.dumps(project_card(number))
        (benchmark / "cards" / f"{device_id(number)}.json").write_text(text, encoding="utf-8")
    library = load_library(folder / "benchmarks")
    assert not library.problems, library.problems[0]
    (folder / "docs").mkdir()
    dice = random.Random(f"{cards} {claims}")
    sections = [
        (device_id(i % cards), device_id((i * 7 + 1) % cards)) for i in range(max(claims // CLAIMS_OF_A_DEVICE, 1))
    ]
    for number, chosen in enumerate(batches(sections)):
        text = page(library.benchmarks[BENCHMARK], chosen, dice, every=number % 10 == 0)
        (folder / "docs" / f"page-{number:03d}.md").write_text(text, encoding="utf-8")
    return CLAIMS_OF_A_DEVICE * len(sections)


def batches(sections: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """So many of them as one page has."""
    for start in range(0, len(sections), DEVICES_OF_A_PAGE):
        yield sections[start : start + DEVICES_OF_A_PAGE]


def check(folder: Path) -> Run:
    """``perfdocs check`` in a project. Raises :class:`BuildError` where a claim does not hold."""
    return run(["-m", "perfdocs", "check", "docs"], folder.with_suffix(".log"), folder.parent, folder)


def arguments() -> argparse.Namespace:
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.cost.claims", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cards", type=int, default=1000, help="cards of 208 rows, of as many devices (1000)")
    parser.add_argument("--claims", type=int, default=10_000, help="claims, 100 on each page (10000)")
    parser.add_argument("--repetitions", type=int, default=3, help="checks of each kind (3)")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write every single figure there")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the project in a new folder")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the project there, and nothing else")
    return parser.parse_args()


def main() -> int:
    """Write, check, print; 1 where the bar is missed, 2 where a check failed."""
    asked = arguments()
    size = ["--cards", str(asked.cards), "--claims", str(asked.claims)]
    if asked.write is not None:
        print(write_project(asked.write, asked.cards, asked.claims))
        return 0
    with workplace(asked.keep) as root:
        folder = root / "project"
        folder.mkdir()
        try:
            print("writing the project …", file=sys.stderr, flush=True)
            claims = int(program(root, "claims", *size, "--write", str(folder)))
            found: dict[str, list[Run]] = {"cold": [], "warm": []}
            check(folder)  # compiles what is imported
            for i in range(asked.repetitions):
                shutil.rmtree(folder / "build", ignore_errors=True)
                for kind, runs in found.items():
                    print(f"checking {kind}, {i + 1} of {asked.repetitions} …", file=sys.stderr, flush=True)
                    runs.append(check(folder))
        except BuildError as error:
            print(error, file=sys.stderr)
            return 2
    print(", ".join(f"{key} {value}" for key, value in machine().items()))
    print(table(asked.cards, claims, found))
    if asked.json is not None:
        shown = {kind: [vars_of(r) for r in runs] for kind, runs in found.items()}
        asked.json.write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")
    return 0 if median(r.wall for r in found["cold"]) < 10 else 1


def vars_of(found: Run) -> dict[str, float]:
    """The figures of one run."""
    return {"wall": found.wall, "user": found.user, "system": found.system, "peak": found.peak}


def table(cards: int, claims: int, found: dict[str, list[Run]]) -> str:
    """Medians as a table."""
    lines = [
        "| cards | claims | check | wall (s) | user + system (s) | peak (MB) | runs |",
        "| --: | --: | :-- | --: | --: | --: | --: |",
    ]
    for kind, runs in found.items():
        wall, work = median(r.wall for r in runs), median(r.user + r.system for r in runs)
        peak = max(r.peak for r in runs) / 1e6
        lines.append(f"| {cards} | {claims} | {kind} | {wall:.1f} | {work:.1f} | {peak:.0f} | {len(runs)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
