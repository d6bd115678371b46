#!/usr/bin/env python3
"""Set this project up and use it, with nothing but Python 3.11 or newer.

python3 start.py                   measure this machine and build the site
python3 start.py test              check everything: style, types, documentation, claims, tests
python3 start.py list              list the other sessions of nox
python3 start.py SESSION [WORD …]  run one of them, for example: python3 start.py cards --full

Each makes the folder .venv if it is not there (nox and uv go into it, nothing else) and can be run again at any time.
What is installed, and from where, follows your own settings of pip and uv.
"""

import sys

# First of all, and in words every Python 3.6 can read: an old one gets a sentence, not a SyntaxError.
OLDEST = (3, 11)
if sys.version_info < OLDEST:
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    sys.exit(
        f"start.py: this is Python {here}, and 3.11 or newer is needed: run start.py with a newer one, "
        "for example python3.12 start.py"
    )

# ruff: noqa: E402 – the imports stand after that check on purpose
import dataclasses
import os
import re
import shutil
import subprocess
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TOOLS = ("nox", "uv")
PIP_THAT_REACHES_OUT = (22, 3)  # the first pip with --python, which installs into an environment that has no pip
INTERRUPTED = 130
# fmt: off
WITH_VALUE = frozenset((  # options of `reproduce` that a value follows, and those without one
    "--arm", "--as", "--at", "--commit", "--deadline", "--device", "--format", "--fresh-runs", "--gate-budget",
    "--gate-wait", "--limit", "--n", "--only", "--repeat-budget", "--repeats", "--table",
))
WITHOUT_VALUE = frozenset((
    "--close", "--fresh", "--full", "--help", "--list", "--no-energy", "--no-peers", "--publish", "--quick", "-h",
))
# fmt: on
NO_NETWORK = re.compile(
    r"NewConnectionError|NameResolutionError|name resolution|Failed to establish|Network is unreachable"
    r"|ConnectTimeout|ReadTimeout|ProxyError|getaddrinfo|dns error|client error \(Connect\)|error sending request",
    re.IGNORECASE,
)


class TroubleError(Exception):
    """What went wrong and what to do, in one message for whoever ran the command."""


class Result(typing.NamedTuple):
    """How a program ended, and all it printed."""

    code: int
    output: str


@dataclasses.dataclass(frozen=True)
class Edge:
    """All this file does to the machine, so that a test can stand in for it."""

    python: str  # the interpreter that runs this file
    ask: Callable[[Sequence[str]], Result]  # runs a program quietly
    show: Callable[[Sequence[str], Mapping[str, str]], int]  # runs a program before the reader's eyes, with settings
    find: Callable[[str], str | None]  # where a program is on PATH
    say: Callable[[str], None]
    settings: Mapping[str, str]  # environment variables


def main(arguments: Sequence[str], root: Path, edge: Edge) -> int:
    """Run one command; return its exit code: 0 well, 1 something failed, 2 a wrong command, 130 interrupted."""
    usage = (__doc__ or "").strip()
    if not arguments:
        sessions = ["-s", "cards", "html"]
    elif arguments[0] in ("-h", "--help"):
        edge.say(usage)
        return 0
    elif list(arguments) == ["list"]:
        sessions = ["-l"]
    elif re.fullmatch(r"[a-z]\w*", arguments[0]) and arguments[0] != "list":
        sessions = ["-s", arguments[0], "--", *arguments[1:]]
    else:
        edge.say(f"start.py: not a command: {' '.join(arguments)!r}\n\n{usage}")
        return 2
    wrong = mistake(arguments[1:]) if arguments and arguments[0] == "reproduce" else None
    if wrong is not None:
        edge.say(f"start.py: {wrong}")
        return 2
    try:
        python = prepare(root, edge)
        settings = uv_settings(edge)
        code = edge.show([str(python), "-m", "nox", "-f", str(root / "noxfile.py"), *sessions], settings)
    except TroubleError as trouble:
        edge.say(f"start.py: {trouble}")
        return 1
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        edge.say("start.py: interrupted. What was finished is kept: run the same command again to go on.")
    elif not arguments:
        report_site(root, code, edge)
    return code


def mistake(words: Sequence[str]) -> str | None:
    """Say what is wrong with the words after `reproduce`, or None: what installs for minutes must not fail for them."""
    waiting = ""
    for word in words:
        option, equals, value = (waiting, "=", word) if waiting else word.partition("=")
        waiting = ""
        if option in WITHOUT_VALUE and not equals:
            continue
        if option not in WITH_VALUE:
            return f"reproduce: {word!r} is none of its options, {', '.join(sorted(WITH_VALUE | WITHOUT_VALUE))}"
        if not equals:
            waiting = option
        elif option == "--deadline" and not is_time(value):
            return f"reproduce: --deadline {value!r} is no number of seconds above 0"
    return f"reproduce: {waiting} lacks its value" if waiting else None


def is_time(text: str) -> bool:
    """Whether a text is a finite number above 0."""
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def report_site(root: Path, code: int, edge: Edge) -> None:
    """Say where the site is, or that something failed on the way to it."""
    index = root / "docs" / "_build" / "html" / "index.html"
    if code:
        edge.say("start.py: something above failed: the site may lack this machine, or be an earlier one.")
    if index.is_file():
        edge.say(f"The site: {index}")


def prepare(root: Path, edge: Edge) -> Path:
    """Return the Python of a .venv that has nox, making or mending it where needed."""
    folder = root / ".venv"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    state = examine(python, edge)
    if state == "ready":
        return python
    if state == "broken":
        make(folder, edge)
    edge.say("Installing nox and uv into .venv …")
    install(python, edge)
    if examine(python, edge) != "ready":
        raise TroubleError("nox was installed into .venv and does not start: remove the folder .venv and try again")
    return python


def examine(python: Path, edge: Edge) -> str:
    """Return 'ready', 'bare' (it runs and has no nox) or 'broken' (there is none, or it does not run)."""
    if not python.exists():
        return "broken"
    version = edge.ask([str(python), "-c", "import sys; print(*sys.version_info[:2])"])
    numbers = re.fullmatch(r"(\d+) (\d+)\s*", version.output)
    if version.code or not numbers:
        return "broken"
    if (int(numbers[1]), int(numbers[2])) < OLDEST:
        raise TroubleError(
            f".venv was made by Python {numbers[1]}.{numbers[2]}, and 3.11 or newer is needed: "
            "remove the folder .venv and try again"
        )
    return "bare" if edge.ask([str(python), "-m", "nox", "--version"]).code else "ready"


def make(folder: Path, edge: Edge) -> None:
    """Make an empty environment. Without pip, as Debian ships no ensurepip with python3."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        raise TroubleError(f"{folder} is there and is no virtual environment: move it away and try again")
    edge.say("Making .venv …")
    made = edge.ask([edge.python, "-m", "venv", "--clear", "--without-pip", str(folder)])
    if made.code:
        raise TroubleError(
            f"no virtual environment could be made in {folder}: {last_line(made.output)}\n{advice(edge)}"
        )


def install(python: Path, edge: Edge) -> None:
    """Install the tools with the first installer there is, nox alone where uv has no ready-built file."""
    command = installer(python, edge)
    both = edge.ask([*command, *TOOLS])
    if both.code == 0:
        return
    if NO_NETWORK.search(both.output):
        raise TroubleError(
            "nox and uv could not be downloaded, for want of a network: connect this machine, or set pip to a "
            "mirror or proxy it reaches (python3 -m pip config), and try again"
        )
    alone = edge.ask([*command, "nox"])
    if alone.code:
        raise TroubleError(f"nox could not be installed into .venv; {command[0]} said:\n{alone.output.strip()}")


def installer(python: Path, edge: Edge) -> list[str]:
    """Return the command that installs into the environment of ``python``, package names to follow.

    A system pip that refuses to install into the system (PEP 668) still installs into another environment.
    """
    options = ["install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    own = [str(python), "-m", "pip"]
    if not edge.ask([*own, "--version"]).code:
        return [*own, *options]
    outer = edge.ask([edge.python, "-m", "pip", "--version"])
    version = re.match(r"pip (\d+)\.(\d+)", outer.output)
    if not outer.code and version and (int(version[1]), int(version[2])) >= PIP_THAT_REACHES_OUT:
        return [edge.python, "-m", "pip", "--python", str(python), *options]
    uv = edge.find("uv")
    if uv:
        return [uv, "pip", "install", "--quiet", "--only-binary", ":all:", "--python", str(python)]
    if not edge.ask([str(python), "-m", "ensurepip"]).code:
        return [*own, *options]
    raise TroubleError(
        f"nothing can be installed: this Python has no ensurepip, and no pip of 22.3 or newer.\n{advice(edge)}"
    )


def advice(edge: Edge) -> str:
    """Name the system package that mends a Python without venv or ensurepip."""
    if edge.find("apt-get"):
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        return f"Do: sudo apt-get install {package}, and run the same command again."
    return "Do: install your system's package for Python's venv module, and run the same command again."


def uv_settings(edge: Edge) -> dict[str, str]:
    """Return settings that make uv read from the same place as pip, where only pip was told of one.

    uv does not read pip's configuration: on a machine with a mirror set for pip alone, it would find nothing.
    """
    if any(name in edge.settings for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_CONFIG_FILE")):
        return {}
    listed = edge.ask([edge.python, "-m", "pip", "config", "list"])
    lines = "" if listed.code else listed.output
    pip: dict[str, str] = {}
    for section in ("global", "install", ":env:"):  # the later win, as in pip
        pip.update(re.findall(rf"^{section}\.([\w-]+)='(.*)'$", lines, re.MULTILINE))
    wanted = {"UV_DEFAULT_INDEX": pip.get("index-url"), "SSL_CERT_FILE": pip.get("cert")}
    return {name: value for name, value in wanted.items() if value and name not in edge.settings}


def last_line(text: str) -> str:
    """Return the last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason given")


def child_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for programs started here: yours, less those that point Python at other packages."""
    dropped = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "__PYVENV_LAUNCHER__"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PIP_USER": "0", **settings}


def ask(command: Sequence[str]) -> Result:
    """Run a program without input and keep what it prints."""
    done = subprocess.run(  # noqa: S603 – fixed commands, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        env=child_environment({}),
    )
    return Result(done.returncode, done.stdout)


def show(command: Sequence[str], settings: Mapping[str, str]) -> int:
    """Run a program in this terminal; after Ctrl-C, which it hears too, let it finish tidying up."""
    with subprocess.Popen(command, env=child_environment(settings)) as process:  # noqa: S603 – fixed commands, no shell
        interrupts = 0
        while True:
            try:
                code = process.wait()
            except KeyboardInterrupt:
                interrupts += 1
                if interrupts > 1:
                    process.terminate()
            else:
                return INTERRUPTED if interrupts else code


def say(text: str) -> None:
    """Print at once, so that lines keep their order beside those of other programs."""
    print(text, flush=True)


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):  # a terminal that knows no “…” shows a stand-in rather than failing
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        sys.exit(main(sys.argv[1:], ROOT, Edge(sys.executable, ask, show, shutil.which, say, os.environ)))
    except KeyboardInterrupt:
        say("start.py: interrupted.")
        sys.exit(INTERRUPTED)
