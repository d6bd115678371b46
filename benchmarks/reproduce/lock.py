"""Write the lock files beside this one: every package, with its version and hashes, that measuring a card installs.

For each kind of machine there are two: the project with what our own arms need, and what the arms of other frameworks
need besides. Versions are the newest that the constraints here leave. Run by `python3 start.py lock`, with uv.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTHON = "3.12"  # the oldest that these versions are there for
KINDS = {
    "cpu": (("cpu",), ("peers",)),
    "cuda12": (("cpu", "cuda12"), ("peers-cuda12",)),
    "cuda13": (("cpu", "cuda13"), ("peers-cuda13",)),
}
"""Extras of the project by kind of machine: what our own arms need, and what the others need besides."""
OPTIONS = ("--quiet", "--universal", "--python-version", PYTHON, "--generate-hashes", "--no-annotate", "--no-header")
HEADER = "# Written by `python3 start.py lock` from pyproject.toml and the constraints beside this file.\n"

Resolve = Callable[[Sequence[str], Path], None]
"""Writes a lock file: arguments of `uv pip compile`, and where to."""


def entries(text: str) -> dict[str, str]:
    """The entries of a lock file by the name of their package, each with its hashes."""
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if line and not line.startswith((" ", "#")):
            name = line.split("==")[0]
            found[name] = found.get(name, "") + line + "\n"  # one package may have a line for each version of Python
        elif name and line.startswith(" "):
            found[name] += line + "\n"
    return found


def lock(kind: str, resolve: Resolve, folder: Path) -> dict[str, str]:
    """The texts of a kind's two files, by name.

    What our own arms need is resolved again under the versions of all together, so that the two never differ.
    """
    own, others = KINDS[kind]
    inputs = [str(ROOT / "pyproject.toml"), str(HERE / "build.txt")]
    constraints = ["-c", str(HERE / "versions.txt"), "-c", str(HERE / f"versions-{kind}.txt")]
    together, alone = folder / f"{kind}-together.txt", folder / f"{kind}-alone.txt"
    resolve([*inputs, *constraints, *_extras((*own, *others))], together)
    resolve([*inputs, *constraints, "-c", str(together), *_extras(own)], alone)
    every, base = (entries(path.read_text(encoding="utf-8")) for path in (together, alone))
    for name in base:
        if name in every and every[name].split(" ")[0] != base[name].split(" ")[0]:
            raise SystemExit(f"{kind}: {name} differs with and without the other frameworks: constrain its version")
    besides = (text for name, text in every.items() if name not in base)
    return {f"{kind}.txt": HEADER + "".join(base.values()), f"{kind}-peers.txt": HEADER + "".join(besides)}


def _extras(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("--extra", name)]


def uv(arguments: Sequence[str], path: Path) -> None:
    """Resolve with uv."""
    command = [sys.executable, "-m", "uv", "pip", "compile", *OPTIONS, *arguments, "--output-file", str(path)]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # noqa: S603 - fixed words
    if done.returncode:
        raise SystemExit("the versions could not be resolved, for the reason above; the lock files are as they were")


def main() -> int:
    """Write all files, once every kind is resolved."""
    found: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        for kind in KINDS:
            print(f"resolving {kind} …", flush=True)
            found |= lock(kind, uv, Path(folder))
    for name, text in found.items():
        (HERE / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
