"""The two sides: a command that tells its own times, or an arm of a benchmark that is timed here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from perfdocs.card import KEY_PATTERN, AxisValue
from perfdocs.definitionfile import read_definition
from perfdocs.errors import PerfdocsError, clean, nearest
from perfdocs.measure.arm import Cannot, Context, Kind, Point, Prepared
from perfdocs.measure.failure import reason_of
from perfdocs.measure.loader import beyond_limits, load_arm, load_workload
from perfdocs.measure.monitor import Monitor, Watch
from perfdocs.measure.options import Options
from perfdocs.measure.plan import Cell, chosen_arms, show, wanted_cells
from perfdocs.measure.processes import ending_all, kill_group, with_parent
from perfdocs.measure.protocol import Timed, Timer, look_after, time_run
from perfdocs.measure.provenance import source
from perfdocs.measure.scrub import scrub
from perfdocs.measure.start import close

from .files import changed_files, files_of
from .record import SideFacts
from .regions import regions_of

__all__ = ["REGION", "ArmSide", "ArmWords", "CommandSide", "CommandWords", "folder_of", "open_arm", "words_of"]

REGION = "run"
"""The one region of an arm: a timed run."""
SETTLE = Options().settle
MARGIN = 1.5
"""A region is made longer than it must be by this: rounds may be quicker than the runs that it was planned by."""
MOST_SAID = 1 << 20
"""Bytes that a command may print in one run, on either stream."""
GRACE = 1.0  # s; for a pipe that what left the command's group holds open


@dataclass(frozen=True, slots=True)
class CommandWords:
    """A program and its arguments."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArmWords:
    """An arm of a benchmark; ``side`` is the place it was given at, for messages."""

    benchmark: str
    arm: str
    side: str = field(default="A", compare=False)


def words_of(text: str, where: str) -> CommandWords | ArmWords:
    """``BENCHMARK:ARM``, or a command as a JSON list of words. Raises :class:`PerfdocsError`."""
    if text.lstrip().startswith("["):
        try:
            words = json.loads(text)
        except (ValueError, RecursionError):
            words = None
        if isinstance(words, list) and words and all(map(_passable, words)) and words[0]:
            return CommandWords(tuple(words))
    else:
        benchmark, colon, arm = text.partition(":")
        if colon and all(re.fullmatch(KEY_PATTERN, key) for key in (benchmark, arm)):
            return ArmWords(benchmark, arm, where)
    raise PerfdocsError(
        "ab-side",
        where,
        f"`{clean(text, 80)}`",
        'BENCHMARK:ARM, or a command as a JSON list of words: ["./program", "--size", "9"]',
        "correct it; a command is a list because no shell reads it",
    )


def _shown(word: str) -> str:
    """A word as the record has it; nothing, and blanks, are told as they are."""
    return scrub(Path(word).name if Path(word).is_absolute() else word, 120) if word.strip() else word[:120]


def _passable(word: object) -> bool:
    """Whether it is a text that the system can hand to a program."""
    try:
        return isinstance(word, str) and b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:  # half a character
        return False


class CommandSide:
    """A command, started anew for every run. It has ended when its process has, and all it started is ended with it.

    It is sampled throughout, with ``gpu`` on a GPU too, of which it tells nothing while it does other things.
    """

    def __init__(self, name: str, words: Sequence[str], limit: float, *, gpu: bool = False) -> None:
        self._words, self._where, self._limit, self._gpu = list(words), f"command {name}", limit, gpu
        shown = tuple(map(_shown, words))
        self.label = clean(" ".join(shown), 60)
        self.facts = SideFacts(label=self.label, kind="command", words=shown, files=files_of(words))

    def changed(self) -> tuple[str, ...]:
        """Names of its files that are no longer what they were."""
        return changed_files(self._words, self.facts.files)

    def run(self, monitor: Monitor) -> tuple[Mapping[str, float], Watch]:
        """Run it and read the times it tells. Raises :class:`PerfdocsError` where it fails or tells none."""
        watch = Watch(self._gpu, only_busy=True)
        with monitor.busy(watch, "timed", 1):
            out = self._output()
        return regions_of(out, self._where), watch

    def _output(self) -> str:
        with ending_all():
            process, out, said = self._run()
        printed, complaint = out.text(), said.text()
        for name, heard in (("output", out), ("error", said)):
            if heard.too_much:
                raise self._failed(f"more than {MOST_SAID >> 20} MiB of standard {name}", "less, in one run")
        if process.returncode:
            last = (complaint.strip() or printed.strip() or "it said nothing").splitlines()[-1]
            raise self._failed(f"exit code {process.returncode}: {clean(last, 120)}", "exit code 0")
        return printed

    def _run(self) -> tuple[subprocess.Popen[bytes], _Heard, _Heard]:
        """Start it, and wait for its end; its group is ended then."""
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own list of words, no shell; one call to prctl
                self._words,
                preexec_fn=with_parent(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise self._failed((error.strerror or "an error").lower(), "a program that can be started") from None
        try:
            out, said = _Heard(process, process.stdout), _Heard(process, process.stderr)
            process.wait(self._limit)
        except subprocess.TimeoutExpired:
            raise self._failed(f"no end within {self._limit:g} s", "a run that ends") from None
        finally:
            kill_group(process)
            process.wait()
        return process, out, said

    def _failed(self, found: str, expected: str) -> PerfdocsError:
        return PerfdocsError("ab-command", self._where, found, expected, "run it by hand, and correct it")


class _Heard:
    """What a command says on one of its pipes, read beside it; one that says more than it may is ended."""

    def __init__(self, process: subprocess.Popen[bytes], pipe: IO[bytes] | None) -> None:
        self._said = bytearray()
        self._reader = threading.Thread(target=self._read, args=(process, pipe), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen[bytes], pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        with pipe:
            while not self.too_much and (more := os.read(pipe.fileno(), MOST_SAID)):
                self._said += more
            if self.too_much:
                kill_group(process)

    @property
    def too_much(self) -> bool:
        """Whether it said more than it may."""
        return len(self._said) > MOST_SAID

    def text(self) -> str:
        """All of it, once the command has been ended."""
        self._reader.join(GRACE)
        return self._said.decode(errors="replace")


class ArmSide:
    """An arm in this process. Its region is a run, repeated inside the timed span until that is long enough.

    ``settling`` untimed runs come first: the other side and a reading of the clocks came before (docs/decisions/0008).
    A GPU is left alone while a short span is timed, and sampled in a window of the same work after it.
    """

    def __init__(self, facts: SideFacts, at: Point, timed: Timed, timer: Timer, *, settling: int = 0) -> None:
        self.label, self.facts, self.at = facts.label, facts, at
        self._timed, self._timer, self._settling = timed, timer, settling

    @property
    def on_host(self) -> bool:
        """Whether the host does its work."""
        return not self._timed.watch.device

    def run(self, monitor: Monitor) -> tuple[Mapping[str, float], Watch]:
        """Seconds of one run. Raises :class:`PerfdocsError` where it fails."""
        timed = self._timed.again()
        with _told(self.label, self.at):
            for _ in range(self._settling):
                timed.arm.run()
            time_run(timed, self._timer, monitor)
            look_after(timed, self._timer, monitor)
        return {REGION: timed.wall[0]}, timed.watch

    def changed(self) -> tuple[str, ...]:
        """Nothing: what an arm is was read before its first run."""
        return ()

    def close(self) -> None:
        """Free what the arm needs."""
        close(self._timed.arm)


def _cell(folder: Path, words: ArmWords, kind: Kind, at: Mapping[str, tuple[AxisValue, ...]]) -> Cell:
    """The first timed point that the arm has, of those asked for. Raises :class:`PerfdocsError` where there is none."""
    definition = read_definition(folder / "benchmark.toml")
    chosen_arms(definition, kind, (words.arm,), words.side)
    options = Options(full=True, arms=(words.arm,), at=at)
    cells = wanted_cells(definition, load_workload(folder), kind, options)
    timed = [cell for cell in cells if cell.task.how == "timed"]
    if not timed:
        raise PerfdocsError(
            "no-point",
            f"{words.benchmark}:{words.arm}",
            f"no timed point on a {kind.upper()}",
            "an arm and a point that are measured there",
            "see `perfdocs run --list --full`",
        )
    return timed[0]


@contextmanager
def _told(label: str, at: Point) -> Iterator[None]:
    """Whatever an arm raises is one problem of that side."""
    try:
        yield
    except PerfdocsError:
        raise
    except (Exception, SystemExit) as error:
        found = reason_of(error)[1] or type(error).__name__
        raise PerfdocsError("ab-arm", label, found, f"an arm that runs at {show(at)}", "choose another") from None


def open_arm(
    folder: Path, words: ArmWords, context: Context, at: Mapping[str, tuple[AxisValue, ...]], timer: Timer
) -> ArmSide:
    """An arm prepared, verified and warm, its region at least as long as the timer's target.

    Raises :class:`PerfdocsError` where it cannot run, or computes something else than the reference.
    """
    cell = _cell(folder, words, context.kind, at)
    where = f"{words.benchmark}:{words.arm}"
    workload = load_workload(folder)
    problem = workload.problem(cell.task.at)
    arm: Prepared | None = None
    try:
        with _told(where, cell.task.at):
            module = load_arm(folder, words.arm)
            if why := beyond_limits(module, cell.task.at):
                raise Cannot("unsupported", why)
            arm = module.prepare(problem, context)
            timer.time(arm.run)
            workload.verify(problem, workload.reference(problem, context), arm.result())
            seconds = [timer.time(arm.run) for _ in range(2)]
    except BaseException:
        if arm is not None:
            close(arm)
        raise
    quickest = min(seconds)
    inner, settling = timer.inner(quickest / MARGIN), replace(timer, target=SETTLE).inner(quickest)
    watch = Watch(device=context.kind == "gpu" and not arm.on_host)
    facts = SideFacts(
        label=where,
        kind="arm",
        at={axis: float(v) if isinstance(v, int | float) else str(v) for axis, v in cell.task.at.items()},
        inner=inner,
        sources=dict(source(folder, [words.arm]).files),
    )
    timed = Timed(arm, warmup=seconds, inner=inner, watch=watch)
    return ArmSide(facts, cell.task.at, timed, timer, settling=settling)


def folder_of(benchmarks: Path, words: ArmWords) -> Path:
    """The folder of a benchmark. Raises :class:`PerfdocsError` where there is none of that name."""
    known = sorted(path.parent.name for path in benchmarks.glob("*/benchmark.toml"))
    if words.benchmark not in known:
        raise PerfdocsError(
            "unknown-benchmark",
            f"{clean(words.benchmark, 60)}:{clean(words.arm, 60)}",
            f'"{clean(words.benchmark, 60)}"',
            f"a benchmark{nearest(words.benchmark, known)}",
            f"choose from {', '.join(known)}" if known else "add one first",
        )
    return benchmarks / words.benchmark
