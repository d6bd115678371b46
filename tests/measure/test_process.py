"""Real processes, interrupted and killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from perfdocs.cardfile import read_card

TOY = Path(__file__).parent / "data" / "toy"

HANGS = """
import pathlib
import time

from perfdocs.measure.arm import Context, Prepared

from ..workload import Arm, Problem


class Hangs(Arm):
    def run(self) -> None:
        super().run()
        while (pathlib.Path(__file__).parent / "hang").exists():
            time.sleep(0.01)


def prepare(problem: Problem, context: Context) -> Prepared:
    return Hangs("double", problem)
"""


def hear_interrupts() -> None:
    """A background job of a shell ignores some of these, and so would its children."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("way", "kill"),
    [
        ("measure", signal.SIGINT),
        ("measure", signal.SIGKILL),
        ("measure", signal.SIGTERM),
        ("measure", signal.SIGHUP),
        ("run", signal.SIGTERM),
    ],
)
def test_an_ended_process_leaves_a_partial_and_the_next_completes_it(
    tmp_path: Path, way: str, kill: signal.Signals
) -> None:
    folder = tmp_path / "benchmarks" / "toy"
    shutil.copytree(TOY, folder)
    (folder / "arms" / "double.py").write_text(HANGS)
    hang = folder / "arms" / "hang"
    hang.touch()
    # The second point hangs; the first is finished and on disk by then.
    text = (folder / "arms" / "double.py").read_text().replace("while (", "while self.problem.n == 100 and (")
    (folder / "arms" / "double.py").write_text(text)
    cards = tmp_path / "build" / "cards"
    command = [sys.executable, "-m"]
    if way == "run":
        command += ["perfdocs", "--benchmarks", str(folder.parent), "run", "--only", "toy"]
    else:
        command += ["perfdocs.measure", str(folder), "--out", str(cards), "--build", str(tmp_path / "build")]
    command += ["--device", "cpu", "--arm", "good", "--arm", "double"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, preexec_fn=hear_interrupts
    ) as process:
        assert process.stderr is not None
        guard = threading.Timer(120, process.kill)  # a process that hears nothing must not hold up the tests
        guard.start()
        for line in process.stderr:
            if "double n=100" in line:
                break
        process.send_signal(kill)
        rest = process.stderr.read()
        guard.cancel()
    (partial,) = (cards / "toy").iterdir()
    assert partial.name.endswith(".partial.json")
    assert len(json.loads(partial.read_bytes())["card"]["measurements"]) == 2
    if kill != signal.SIGKILL:
        assert process.returncode == 130
        assert rest.strip().splitlines() == [rest.strip()]
        assert "2 measurements are kept" in rest
    hang.unlink()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (final,) = (cards / "toy").iterdir()
    assert done.stdout.strip().endswith(str(final) if way == "measure" else final.name)
    assert "2 measurements of the interrupted run are kept" in done.stderr
    assert len(read_card(final).measurements) == 4


def test_measuring_needs_numpy_and_msgspec_only() -> None:
    """A machine that measures has no Sphinx (typing_extensions is taken by msgspec where it is there)."""
    script = (
        "import sys, perfdocs.measure.__main__, perfdocs.measure.cuda, perfdocs.measure.while_graph\n"
        "known = sys.stdlib_module_names | {'perfdocs', 'numpy', 'msgspec', '__main__', 'typing_extensions'}\n"
        "print(sorted({n.partition('.')[0] for n in sys.modules} - known))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
