"""Build sites of 10, 100 and 1000 cards with perfdocs and as static Markdown, and print what each build takes.

Run from the project's folder: ``python -m tests.cost``. Minutes; ``--quick`` shows that it works.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from .builds import BuildError, build, forget, output
from .cards import ARMS, BENCHMARK, write_card
from .report import Figures, Size, bars, machine, markdown
from .workplace import program, workplace

EXTENSION, STATIC, BENCHMARKS, CACHE, START = "extension", "static", "benchmarks", "figures", "start"
REPETITIONS = {1000: 1}
STATIC_LIMIT = 100  # ten times as many pages take the static site an hour and ten times the memory
COLD_LIMIT = 100  # each figure costs the same


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do, and about how long it takes beside the others."""

    what: str
    weight: float
    do: Callable[[], object]


def start_steps(root: Path, found: Figures, repetitions: int) -> Iterator[Step]:
    """A project of one page without anything: what Sphinx itself takes to begin and to end."""
    project = root / START / EXTENSION

    def write() -> None:
        project.mkdir(parents=True)
        conf = (
            f'extensions = ["myst_parser", "perfdocs"]\nhtml_theme = "basic"\nperfdocs_benchmarks = "../{BENCHMARKS}"\n'
        )
        (project / "conf.py").write_text(conf + 'perfdocs_device_pages = ""\n', encoding="utf-8")
        (project / "index.md").write_text("# Nothing\n", encoding="utf-8")
        (root / START / BENCHMARKS).mkdir()
        build(project)  # compiles what is imported

    def measure() -> None:
        forget(project)
        found.start.append(build(project))

    yield Step("one empty page", 3, write)
    for _ in range(repetitions):
        yield Step("one empty page", 1, measure)


def size_steps(root: Path, size: Size, asked: argparse.Namespace, repetitions: int) -> Iterator[Step]:
    """Everything for one number of cards, in the order of doing."""
    n, folder = size.cards, root / str(size.cards)
    extension, static = folder / EXTENSION, folder / STATIC
    beside = n <= asked.static_limit

    def prepare() -> None:
        folder.mkdir()
        more = [] if beside else ["--no-static"]
        program(root, "sites", str(folder), "--count", str(n), "--arms", str(asked.arms), "--theme", asked.theme, *more)

    def full() -> None:
        forget(extension)
        size.extension.append(build(extension))

    def full_static() -> None:
        forget(static)
        size.static.append(build(static))

    def compare() -> None:
        size.shown = json.loads(program(root, "sameness", str(output(extension)), str(output(static))))

    def unchanged() -> None:
        size.unchanged.append(build(extension))

    def change(*, drawn: bool) -> None:
        edition = 1 + len(size.changed) + len(size.changed_cold)
        # The device of number 0 is in a tab of the performance page: the most pages that one card can bear on.
        write_card(folder / BENCHMARKS / BENCHMARK / "cards", 0, edition, asked.arms)
        if drawn:
            program(root, "sites", str(folder))
        (size.changed if drawn else size.changed_cold).append(build(extension))

    def cold() -> None:
        shutil.rmtree(folder / CACHE)
        forget(extension)
        size.cold.append(build(extension))
        size.figures = len(list((folder / CACHE).glob("*-light.svg")))

    yield Step("writing both projects", 0.3 * n + 3, prepare)
    for i in range(repetitions):
        yield Step("the whole site with perfdocs", 0.12 * n + 1, full)
        if beside:
            yield Step("the whole site as static Markdown", 0.8 * n + 1, full_static)
            if i == 0:
                yield Step("comparing the two", 0.02 * n, compare)
    for _ in range(repetitions):
        yield Step("nothing changed", 0.005 * n + 1, unchanged)
        yield Step("one card changed", 0.06 * n + 2, lambda: change(drawn=True))
    if asked.quick:
        return
    yield Step("one card changed, its figure drawn", 0.01 * n + 2, lambda: change(drawn=False))
    if n <= COLD_LIMIT:
        yield Step("the whole site, every figure drawn", 1.0 * n + 1, cold)


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def follow(steps: list[tuple[str, Step]], say: Callable[[str], None]) -> None:
    """Do every step, saying which and about how long the rest will take."""
    began, done, total = time.monotonic(), 0.0, sum(step.weight for _, step in steps)
    for i, (where, step) in enumerate(steps, 1):
        past = time.monotonic() - began
        left = f", about {clock(past / done * (total - done))} left" if done else ""
        say(f"[{i}/{len(steps)}] {where}{step.what} ({clock(past)} so far{left})")
        step.do()
        done += step.weight


def arguments() -> argparse.Namespace:
    """What is asked for on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.cost", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=None, metavar="N", help="numbers of cards (10 100 1000)"
    )
    parser.add_argument("--repetitions", type=int, default=None, help="builds of each kind (3; 1 at 1000 cards)")
    parser.add_argument("--arms", type=int, default=len(ARMS), help="arms of each card, 12 rows each (16)")
    parser.add_argument("--theme", default="basic", help="HTML theme of both sites (basic)")
    parser.add_argument(
        "--static-limit", type=int, default=STATIC_LIMIT, metavar="N", help="no static site for more cards (100)"
    )
    parser.add_argument("--quick", action="store_true", help="10 cards, one repetition, no figure drawn but the first")
    parser.add_argument("--json", type=Path, metavar="PATH", help="write every single figure there")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the sites in a new folder")
    return parser.parse_args()


def main() -> int:
    """Measure, print, and return 1 where a bar is missed, 2 where a build failed, 130 where interrupted."""
    asked = arguments()
    sizes = asked.sizes or ([10] if asked.quick else [10, 100, 1000])
    found = Figures(machine())
    often = asked.repetitions or (1 if asked.quick else 3)
    code = 0
    with workplace(asked.keep) as root:
        steps = [("", step) for step in start_steps(root, found, often)]
        for cards in sizes:
            size = Size(cards)
            found.sizes.append(size)
            repetitions = min(often, REPETITIONS.get(cards, often))
            steps += [(f"{cards} cards: ", step) for step in size_steps(root, size, asked, repetitions)]
        try:
            follow(steps, lambda text: print(text, file=sys.stderr, flush=True))
        except KeyboardInterrupt:
            print("interrupted; measured so far:", file=sys.stderr)
            code = 130
        except BuildError as error:
            print(error, file=sys.stderr)
            code = 2
    print(markdown(found))
    for bar in bars(found):
        print(f"{'holds' if bar.holds else 'MISSED'}: {bar.asked} ({bar.measured})")
        code = code or (0 if bar.holds else 1)
    if asked.json is not None:
        asked.json.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
