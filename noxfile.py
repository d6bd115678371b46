"""The project's tasks. `nox` alone lists them; `nox -s NAME` runs one, and `-- …` passes arguments on to it."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import nox
from nox.command import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

nox.needs_version = ">=2025.2.9"
nox.options.sessions = []  # none by default: the list
nox.options.reuse_venv = "yes"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.error_on_missing_interpreters = True

ROOT = Path(__file__).resolve().parent
SITE = ROOT / "docs" / "_build" / "html"
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
CUDA_LIBRARIES = ("libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1", "nvcuda.dll")
LOCKS = ROOT / "benchmarks" / "reproduce"
OLDEST_PINNED = (3, 12)  # the Python that the pinned versions are there for, at least
OLDEST_CUDA13 = (7, 5)  # compute capability
TIDY_UP = 30.0  # seconds after Ctrl-C for a measurement to write what it has


def driver() -> ctypes.CDLL | None:
    """Return the NVIDIA driver's library, or None without one."""
    for name in CUDA_LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def driver_cuda() -> int | None:
    """Return the newest CUDA version this machine's NVIDIA driver runs, such as 13000, or None without a driver."""
    library, version = driver(), ctypes.c_int(0)
    if library is None or library.cuDriverGetVersion(ctypes.byref(version)) or not version.value:
        return None
    return version.value


def capability() -> tuple[int, int] | None:
    """Return the compute capability of this machine's first GPU, such as (9, 0), or None where it cannot be told."""
    library, device, numbers = driver(), ctypes.c_int(0), (ctypes.c_int(0), ctypes.c_int(0))
    if library is None or library.cuInit(0) or library.cuDeviceGet(ctypes.byref(device), 0):
        return None
    for number, attribute in zip(numbers, (75, 76), strict=True):  # major, minor
        if library.cuDeviceGetAttribute(ctypes.byref(number), attribute, device):
            return None
    return numbers[0].value, numbers[1].value


def cuda_extra(version: int | None, found: tuple[int, int] | None = None) -> str | None:
    """Return the extra whose CuPy runs on a driver of this CUDA version and a GPU of this compute capability.

    None where there is none. A GPU that CUDA 13 has given up wants CUDA 12 also under a newer driver.
    """
    if version is None or version < 12000:
        return None
    old = found is not None and found < OLDEST_CUDA13
    return "cuda12" if version < 13000 or old else "cuda13"


def gpu_extra(session: nox.Session) -> str | None:
    """Return the extra for this machine's GPU, or None where the CPU alone is measured, and say why."""
    version = driver_cuda()
    extra = cuda_extra(version, capability())
    if version is None and shutil.which("nvidia-smi"):
        session.warn("nvidia-smi is here and the driver's library (libcuda) is not: measuring the CPU alone")
    elif version is not None and extra is None:
        session.warn(f"the NVIDIA driver knows CUDA {version // 1000} only, and 12 is needed: measuring the CPU alone")
    return extra


def to_measure(session: nox.Session) -> None:
    """Install what measuring needs; on a machine with an NVIDIA driver, the CuPy that fits it."""
    extra = gpu_extra(session)
    install(session, extras=["cpu", *([extra] if extra else [])])


def to_reproduce(session: nox.Session, *, peers: bool) -> None:
    """Install what measuring needs in the versions of the published cards, checked by their hashes."""
    if not sys.platform.startswith("linux"):
        session.error("the pinned versions are those for Linux; elsewhere: python3 start.py cards --full")
    kind = gpu_extra(session) or "cpu"
    locks = [LOCKS / f"{kind}.txt", *([LOCKS / f"{kind}-peers.txt"] if peers else [])]
    # One package is never looked for among those of another: hashes are of all that is installed.
    listed = [word for lock in locks for word in ("-r", str(lock))]
    steps = [["--require-hashes", *listed], ["--no-deps", "--no-build-isolation", "-e", "."]]
    fill(session, steps, b"".join(lock.read_bytes() for lock in locks))


def to_build(session: nox.Session) -> None:
    """Install what the site needs."""
    install(session, extras=["docs"])


def keep_bytecode(session: nox.Session) -> None:
    """Let the processes of this session compile each module once, also where the environment forbids it.

    The tests start hundreds, and uv installs no bytecode. What is kept lies beside the session's environment, not among
    the sources: those who set PYTHONDONTWRITEBYTECODE want none there.
    """
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        session.env["PYTHONDONTWRITEBYTECODE"] = ""  # as good as unset
        session.env["PYTHONPYCACHEPREFIX"] = str(Path(session.virtualenv.location) / "bytecode")


def to_work(session: nox.Session) -> None:
    """Install all that the checks need. CuPy comes along without a GPU too: its compiler checks every kernel."""
    extras = ["cpu", "docs", cuda_extra(driver_cuda()) or "cuda13"]
    install(session, extras=extras, groups=["test", "lint"])
    keep_bytecode(session)


def install(session: nox.Session, *, extras: Sequence[str], groups: Sequence[str] = ()) -> None:
    """Install the project as it lies here, unless this environment already has just that."""
    fill(session, [[f"-e.[{','.join(extras)}]", *nox.project.dependency_groups(PROJECT, *groups)]], b"")


def fill(session: nox.Session, steps: Sequence[Sequence[str]], files: bytes) -> None:
    """Install step by step, unless this environment was filled so before. ``files`` is what they read besides."""
    seen = (steps, (ROOT / "pyproject.toml").read_bytes(), files)
    digest = hashlib.sha256(repr(seen).encode()).hexdigest()
    stamp = Path(session.virtualenv.location) / "installed.sha256"
    if stamp.is_file() and stamp.read_text() == digest:
        return
    stamp.unlink(missing_ok=True)
    session.log("installing the project and what it needs (a few minutes the first time) …")
    try:
        for step in steps:
            session.install(*step)
    except CommandFailed:
        session.error("the installation failed, for the reason above: without a network, connect and try again")
    stamp.write_text(digest)


def words_of_run(words: Sequence[str], gone: float) -> list[str]:
    """Return the words for `perfdocs run`: a full card unless asked otherwise, the deadline less the seconds gone."""
    found = [] if {"--full", "--quick"} & set(words) else ["--full"]
    for before, word in zip(["", *words], words, strict=False):
        option, equals, value = word.partition("=")
        try:
            if option == "--deadline" and equals:
                found.append(f"--deadline={max(0.0, float(value) - gone):.0f}")
            elif before == "--deadline":
                found.append(f"{max(0.0, float(word) - gone):.0f}")
            else:
                found.append(word)
        except ValueError:  # not a number: the command says so
            found.append(word)
    return found


def standing(root: Path) -> list[str]:
    """Say which cards lie unpublished, which are not finished, and what to do with each."""
    lines = []
    for path in sorted((root / "build" / "cards").glob("*/*.json")):
        name = path.relative_to(root).as_posix()
        if path.name.endswith(".partial.json"):
            lines.append(f"unfinished: {name} (the same command goes on from there)")
        else:
            lines.append(
                f"card: {name} (to publish: copy it to benchmarks/{path.parent.name}/cards/, run start.py html)"
            )
    return lines


def documentation(session: nox.Session, *, strict: bool) -> Path:
    """Build the site into docs/_build/html, or check it, warnings being errors, beside that; where it lies.

    What is checked is the site as it is published, without the cards of this machine.
    """
    options = ["-n", "-W", "--keep-going", "-E", "-D", "perfdocs_local="] if strict else []
    output = ROOT / "docs" / "_build" / ("strict" if strict else "html")
    options += ["-d", str(output.with_name(f"{output.name}-doctrees"))]
    command = ["python", "-m", "sphinx", "-b", "html", "-j", "auto", *options, *session.posargs]
    session.run(*command, str(ROOT / "docs"), str(output))
    return output


def ruff(session: nox.Session) -> None:
    """Check style, and that `ruff format` would change nothing."""
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


def mypy(session: nox.Session) -> None:
    """Check types."""
    session.run("mypy")


def gather(session: nox.Session) -> None:
    """Collect the tests once: the processes that run them find the files compiled, instead of doing so in each."""
    session.run("python", "-m", "pytest", "--collect-only", "-q", silent=True)


def pytest(session: nox.Session) -> None:
    """Run the tests on four processes: two processors are busy then also while tests wait for processes.

    Each takes whole files: what the tests of a file share is made once, not once in every process.
    """
    session.run("python", "-m", "pytest", "-n", "4", "--dist", "loadfile", *session.posargs)


@nox.session
def thorough(session: nox.Session) -> None:
    """Run all tests, those too that another test of their file stands for; every kernel is compiled anew."""
    to_work(session)
    words = ["-m", "slow or not slow", "--anew"]
    session.run("python", "-m", "pytest", "-n", "4", "--dist", "loadfile", *words, *session.posargs)


def check_claims(session: nox.Session) -> None:
    """Check every sentence of the documentation against the cards."""
    session.run("perfdocs", "check")


def check_render(session: nox.Session) -> None:
    """Check that _generated/ is what the cards say."""
    session.run("perfdocs", "render", "--check")


def strictly(session: nox.Session) -> None:
    """Build the site with warnings as errors; the tests that follow look at it instead of building their own."""
    session.env["PERFDOCS_SITE"] = str(documentation(session, strict=True))


@nox.session
def cards(session: nox.Session) -> None:
    """Measure this machine into build/cards/ (-- --list, --full, --only rk4, --arm, --n, --publish, --as NAME)."""
    to_measure(session)
    session.run("perfdocs", "run", *session.posargs, interrupt_timeout=TIDY_UP, terminate_timeout=TIDY_UP)


@nox.session(python=None if sys.version_info >= OLDEST_PINNED else ".".join(map(str, OLDEST_PINNED)))
def reproduce(session: nox.Session) -> None:
    """Measure with the published cards' versions (-- --deadline SECONDS, --close, --publish, --quick, --no-peers)."""
    begun = time.monotonic()
    words = [word for word in session.posargs if word != "--no-peers"]
    to_reproduce(session, peers="--no-peers" not in session.posargs)
    command = ["perfdocs", "run", *words_of_run(words, time.monotonic() - begun)]
    try:
        session.run(*command, interrupt_timeout=TIDY_UP, terminate_timeout=TIDY_UP)
    finally:
        for line in standing(ROOT):
            session.log(line)


@nox.session
def lock(session: nox.Session) -> None:
    """Write the lock files in benchmarks/reproduce/ anew."""
    session.install("uv")
    session.run("python", str(LOCKS / "lock.py"))


@nox.session
def html(session: nox.Session) -> None:
    """Build the site into docs/_build/html, with every card, and bring _generated/ up to date."""
    to_build(session)
    session.run("perfdocs", "render", success_codes=[0, 1])  # 1: a card is wrong; the others still show
    documentation(session, strict=False)
    session.log(f"the site: {SITE / 'index.html'}")


@nox.session
def strict(session: nox.Session) -> None:
    """Build the site anew with warnings as errors, into docs/_build/strict."""
    to_build(session)
    documentation(session, strict=True)


@nox.session
def sphinx(session: nox.Session) -> None:
    """Run Sphinx in docs/ with these arguments (-- -M epub . _build)."""
    to_build(session)
    session.chdir(ROOT / "docs")
    session.run("python", "-m", "sphinx", *session.posargs)


@nox.session
def claims(session: nox.Session) -> None:
    """Check every sentence of the documentation against the cards (arguments go to `perfdocs check`)."""
    to_build(session)
    session.run("perfdocs", "check", *session.posargs)


@nox.session
def render(session: nox.Session) -> None:
    """Check that _generated/ is what the cards say (`perfdocs render` writes it)."""
    to_build(session)
    check_render(session)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests (-- tests/test_card.py -k name for some)."""
    to_work(session)
    pytest(session)


@nox.session
def registers(session: nox.Session) -> None:
    """Compile the kernels for several architectures and write each registers.toml (-- --check compares)."""
    # One compiler whatever the driver: numbers of another are not those in the file.
    install(session, extras=["cuda13"])
    folders = sorted({str(file.parent) for file in (ROOT / "benchmarks").glob("*/*.cu")})
    session.run("python", "-m", "perfdocs.measure.compiled", *session.posargs, *folders)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types: ruff check, ruff format --check, mypy --strict."""
    to_work(session)
    all_of(session, [[ruff, mypy]])


@nox.session
def test(session: nox.Session) -> None:
    """Check everything: lint, strict, claims, render, tests. All are run, whichever fails."""
    to_work(session)
    # Two rows that take about as long, for two processors; the tests look at the site.
    all_of(session, [[ruff, mypy, gather], [strictly, check_claims, check_render]], [[pytest]])


if (ROOT / "tests" / "cost" / "__main__.py").is_file():

    @nox.session
    def cost(session: nox.Session) -> None:
        """Time the building of sites of 10, 100 and 1 000 cards (minutes)."""
        to_work(session)
        session.run("python", "-m", "tests.cost", *session.posargs)


def all_of(session: nox.Session, *groups: Sequence[Sequence[Callable[[nox.Session], None]]]) -> None:
    """Run every step, the rows of a group side by side, then fail if any did: one run shows all there is to mend."""

    def failing(row: Sequence[Callable[[nox.Session], None]]) -> list[str]:
        found = []
        for step in row:
            try:
                step(session)
            except CommandFailed:
                found.append(step.__name__)
        return found

    failed = []
    for group in groups:
        with ThreadPoolExecutor(len(group)) as pool:  # the last row stays in this thread, which an interrupt reaches
            others = [pool.submit(failing, row) for row in group[:-1]]
            last = failing(group[-1])
            failed += [*(step for other in others for step in other.result()), *last]
    if failed:
        session.error(f"failed: {', '.join(failed)}")
