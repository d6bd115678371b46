"""Measuring with the versions of the published cards: what is installed, what the run is told, what is left to do."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from nox.command import CommandFailed
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks" / "reproduce"


def load(name: str, path: Path) -> ModuleType:
    """Import a file that is no module of a package, once: nox warns of sessions that are registered again."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


noxfile = load("top_noxfile", ROOT / "noxfile.py")
lock = load("reproduce_lock", FOLDER / "lock.py")


class EndedError(Exception):
    """What nox raises to end a session."""


class Session:
    """A session of nox that notes what it is told."""

    def __init__(self, folder: Path, *posargs: str, code: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.posargs = list(posargs)
        self.virtualenv = SimpleNamespace(location=str(folder))
        self.installed: list[list[str]] = []
        self.ran: list[list[str]] = []
        self.said: list[str] = []
        self._code = code

    def install(self, *words: str) -> None:
        self.installed.append(list(words))

    def run(self, *words: str, **_: Any) -> None:
        self.ran.append(list(words))
        if self._code:
            raise CommandFailed(f"Returned code {self._code}")

    def log(self, text: str) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.said.append(text)

    def error(self, text: str) -> None:
        raise EndedError(text)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A Linux machine with a driver for CUDA 13 and a GPU of compute capability 9.0, and nothing measured yet."""
    facts = SimpleNamespace(driver=13000, gpu=(9, 0), root=tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.setattr(noxfile, "ROOT", tmp_path)
    monkeypatch.setattr(noxfile, "driver_cuda", lambda: facts.driver)
    monkeypatch.setattr(noxfile, "capability", lambda: facts.gpu)
    monkeypatch.setattr(noxfile.sys, "platform", "linux")
    return facts


def names(session: Session) -> list[str]:
    """The lock files that a session installed from."""
    first, own = session.installed
    assert first[0] == "--require-hashes"
    assert own == ["--no-deps", "--no-build-isolation", "-e", "."]
    assert first[1::2] == ["-r"] * (len(first) // 2)
    return [Path(word).name for word in first[2::2]]


@pytest.mark.parametrize(
    ("driver", "gpu", "kind"),
    [(13000, (9, 0), "cuda13"), (12080, (9, 0), "cuda12"), (13000, (7, 0), "cuda12"), (None, None, "cpu")],
)
def test_the_versions_are_those_for_the_machine(
    machine: SimpleNamespace, driver: int | None, gpu: tuple[int, int] | None, kind: str
) -> None:
    machine.driver, machine.gpu = driver, gpu
    session = Session(machine.root / "env")
    noxfile.reproduce(session)
    assert names(session) == [f"{kind}.txt", f"{kind}-peers.txt"]
    assert session.ran == [["perfdocs", "run", "--full"]]


def test_the_frameworks_of_others_can_be_left_out(machine: SimpleNamespace) -> None:
    session = Session(machine.root / "env", "--only", "rk4", "--no-peers", "--publish")
    noxfile.reproduce(session)
    assert names(session) == ["cuda13.txt"]
    assert session.ran == [["perfdocs", "run", "--full", "--only", "rk4", "--publish"]]


def test_nothing_is_installed_twice_and_other_versions_are(
    machine: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks = machine.root / "locks"
    locks.mkdir()
    for name in ("cuda13.txt", "cuda13-peers.txt"):
        (locks / name).write_text("some")
    monkeypatch.setattr(noxfile, "LOCKS", locks)

    def installs(*words: str) -> bool:
        session = Session(machine.root / "env", *words)
        noxfile.reproduce(session)
        return bool(session.installed)

    assert installs()
    assert not installs()
    assert installs("--no-peers")
    assert installs()
    (locks / "cuda13-peers.txt").write_text("others")
    assert installs()
    assert not installs()


def test_elsewhere_than_on_linux_another_command_is_named(
    machine: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noxfile.sys, "platform", "darwin")
    with pytest.raises(EndedError, match=r"start\.py cards --full"):
        noxfile.reproduce(Session(machine.root / "env"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--deadline", "3600"], ["--full", "--deadline", "3500"]),
        (["--deadline=3600", "--close"], ["--full", "--deadline=3500", "--close"]),
        (["--deadline", "50"], ["--full", "--deadline", "0"]),
        (["--deadline", "soon"], ["--full", "--deadline", "soon"]),
        (["--deadline"], ["--full", "--deadline"]),
        (["--quick"], ["--quick"]),
        (["--full", "--as", "100"], ["--full", "--as", "100"]),
        ([], ["--full"]),
    ],
)
def test_the_deadline_is_that_of_the_whole_command(given: list[str], told: list[str]) -> None:
    assert noxfile.words_of_run(given, 100.0) == told


def test_the_installation_is_in_the_deadline(machine: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([1000.0, 1240.0])
    monkeypatch.setattr(noxfile, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    session = Session(machine.root / "env", "--deadline", "3600")
    noxfile.reproduce(session)
    assert session.ran[0][-2:] == ["--deadline", "3360"]


def test_the_end_says_where_the_cards_are(machine: SimpleNamespace) -> None:
    cards = machine.root / "build" / "cards"
    for name in ("rk4/gpu.json", "rk78/gpu.partial.json", "rk78/gpu.only-1234abcd.partial.json"):
        (cards / name).parent.mkdir(parents=True, exist_ok=True)
        (cards / name).touch()
    session = Session(machine.root / "env", code=3)
    with pytest.raises(CommandFailed):
        noxfile.reproduce(session)
    assert session.said[-3:] == [
        "card: build/cards/rk4/gpu.json (to publish: copy it to benchmarks/rk4/cards/, run start.py html)",
        "unfinished: build/cards/rk78/gpu.only-1234abcd.partial.json (the same command goes on from there)",
        "unfinished: build/cards/rk78/gpu.partial.json (the same command goes on from there)",
    ]


class Driver:
    """The NVIDIA driver's library, as far as the compute capability needs it."""

    def __init__(self, start: int = 0, device: int = 0, attribute: int = 0) -> None:
        self._answers = start, device, attribute

    def cuInit(self, flags: int) -> int:  # noqa: N802 - the driver's names
        return self._answers[0]

    def cuDeviceGet(self, device: Any, ordinal: int) -> int:  # noqa: N802
        return self._answers[1]

    def cuDeviceGetAttribute(self, number: Any, attribute: int, device: Any) -> int:  # noqa: N802
        ctypes.cast(number, ctypes.POINTER(ctypes.c_int))[0] = {75: 8, 76: 6}[attribute]
        return self._answers[2]


def test_the_compute_capability_is_asked_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noxfile, "driver", Driver)
    assert noxfile.capability() == (8, 6)
    for broken in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        monkeypatch.setattr(noxfile, "driver", lambda broken=broken: Driver(*broken))
        assert noxfile.capability() is None
    monkeypatch.setattr(noxfile, "driver", lambda: None)
    assert noxfile.capability() is None


# ---- lock files -----------------------------------------------------------------------------------------------------


def versions(path: Path) -> dict[str, set[str]]:
    """Versions by package in a lock file."""
    found: dict[str, set[str]] = {}
    for text in lock.entries(path.read_text(encoding="utf-8")).values():
        for line in text.splitlines():
            if not line.startswith(" "):
                name, version = line.split(" ")[0].split("==")
                found.setdefault(name, set()).add(version)
    return found


@pytest.mark.parametrize("kind", lock.KINDS)
def test_every_package_of_a_lock_file_has_a_version_and_hashes(kind: str) -> None:
    for name in (f"{kind}.txt", f"{kind}-peers.txt"):
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert text.startswith(lock.HEADER)
        found = lock.entries(text)
        assert lock.HEADER + "".join(found.values()) == text
        for entry in found.values():
            assert re.fullmatch(r"([a-z0-9-]+==\S+( ; [^\\]+)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+)+", entry)


@pytest.mark.parametrize("kind", lock.KINDS)
def test_numba_cuda_loads_beside_numpy(kind: str) -> None:
    """Its package asks for no NumPy, and its versions until 0.30 use `row_stack`, which NumPy 2.5 has removed."""
    (ours,) = versions(FOLDER / f"{kind}-peers.txt")["numba-cuda"]
    (numpy,) = versions(FOLDER / f"{kind}.txt")["numpy"]
    assert Version(numpy) < Version("2.5") or Version(ours) >= Version("0.31")


@pytest.mark.parametrize("kind", lock.KINDS)
def test_the_lock_files_are_of_the_projects_requirements(kind: str) -> None:
    """A requirement added to pyproject.toml, or a constraint changed, without `start.py lock` after it."""
    base, besides = versions(FOLDER / f"{kind}.txt"), versions(FOLDER / f"{kind}-peers.txt")
    assert not set(base) & set(besides)
    together = base | besides
    project = noxfile.PROJECT["project"]
    own, others = lock.KINDS[kind]
    wanted = [*project["dependencies"], *(line for name in own for line in project["optional-dependencies"][name])]
    files = [FOLDER / "versions.txt", FOLDER / f"versions-{kind}.txt", FOLDER / "build.txt"]
    lines = [line for file in files for line in file.read_text().splitlines() if not line.startswith("#")]
    for line in wanted:
        assert canonicalize_name(Requirement(line).name) in base
    wanted += [line for name in others for line in project["optional-dependencies"][name]]
    for line in (*wanted, *lines):
        requirement = Requirement(line)
        name = canonicalize_name(requirement.name)
        if line in lines and name not in together:
            continue  # a constraint on what this kind of machine does not have
        assert all(version in requirement.specifier for version in together[name]), line


ALONE = "a==1 \\\n    --hash=sha256:1\n"
BESIDES = "b==2 ; python_version < '3' \\\n    --hash=sha256:2\nb==3 \\\n    --hash=sha256:3\n"


def test_what_others_need_besides_is_a_file_of_its_own(tmp_path: Path) -> None:
    calls: list[Sequence[str]] = []

    def resolve(arguments: Sequence[str], path: Path) -> None:
        calls.append(arguments)
        path.write_text("# a comment\n" + ALONE + ("peers-cuda12" in arguments) * BESIDES)

    found: Mapping[str, str] = lock.lock("cuda12", resolve, tmp_path)
    assert found == {
        "cuda12.txt": lock.HEADER + ALONE,
        "cuda12-peers.txt": lock.HEADER + BESIDES,
    }
    assert str(FOLDER / "versions-cuda12.txt") in calls[0]
    assert calls[1][-6:] == ["-c", str(tmp_path / "cuda12-together.txt"), "--extra", "cpu", "--extra", "cuda12"]


def test_two_versions_of_one_package_are_refused(tmp_path: Path) -> None:
    def resolve(arguments: Sequence[str], path: Path) -> None:
        path.write_text(f"a=={'1' if 'peers' in arguments else '2'} \\\n    --hash=sha256:1\n")

    with pytest.raises(SystemExit, match="cpu: a differs"):
        lock.lock("cpu", resolve, tmp_path)
