"""The two commands: what start.py does on each kind of machine, and which CuPy noxfile.py picks."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import click
import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
OURS = "Scripts/python.exe" if os.name == "nt" else "bin/python"


def load(name: str) -> ModuleType:
    """Import a file of the project's top folder, once: nox warns of sessions that are registered again."""
    if f"top_{name}" in sys.modules:
        return sys.modules[f"top_{name}"]
    spec = importlib.util.spec_from_file_location(f"top_{name}", ROOT / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


start = load("start")
noxfile = load("noxfile")


@dataclass
class Machine:
    """A machine that is not there: what it has, and what was done to it."""

    root: Path
    venv_module: bool = True
    ensurepip: bool = True
    pip: str | None = "23.0.1"  # the system's; it refuses to install into the system
    uv: bool = False
    apt: bool = True
    network: bool = True
    uv_wheel: bool = True
    session_code: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    pip_config: str = ""
    inner_python: str = "3 12"
    tools: set[str] = field(default_factory=set)  # what .venv holds
    said: list[str] = field(default_factory=list)
    done: list[list[str]] = field(default_factory=list)
    shown: list[tuple[list[str], dict[str, str]]] = field(default_factory=list)

    @property
    def inner(self) -> Path:
        return self.root / ".venv" / OURS

    def ask(self, command: Sequence[str]) -> Any:
        words = list(command)
        self.done.append(words)
        return start.Result(*self.answer(words))

    def answer(self, words: list[str]) -> tuple[int, str]:
        inner = words[0] == str(self.inner)
        match words[1:]:
            case ["-c", _]:
                return 0, f"{self.inner_python}\n"
            case ["-m", "nox", "--version"]:
                return int("nox" not in self.tools), ""
            case ["-m", "venv", *_]:
                assert "--without-pip" in words  # with it, Debian's venv module fails for want of ensurepip
                if not self.venv_module:
                    return 1, "/usr/bin/python3: No module named venv\n"
                self.inner.parent.mkdir(parents=True, exist_ok=True)
                self.inner.touch()
                (self.root / ".venv" / "pyvenv.cfg").touch()
                return 0, ""
            case ["-m", "pip", "--version"] if inner:
                return int("pip" not in self.tools), ""
            case ["-m", "pip", "--version"]:
                return (0, f"pip {self.pip} from /usr/lib/python3\n") if self.pip else (1, "No module named pip\n")
            case ["-m", "pip", "config", "list"]:
                return (0, self.pip_config) if self.pip else (1, "No module named pip\n")
            case ["-m", "ensurepip"]:
                if self.ensurepip:
                    self.tools.add("pip")
                return int(not self.ensurepip), ""
            case ["-m", "pip", "--python", where, "install", *rest] if not inner:
                assert where == str(self.inner)
                return self.installed(rest)
            case ["-m", "pip", "install", *rest]:
                if not inner:
                    return 1, "error: externally-managed-environment\n"
                return self.installed(rest)
            case ["pip", "install", *rest]:
                assert words[0] == "/opt/uv"
                return self.installed(rest)
        raise AssertionError(words)

    def installed(self, rest: list[str]) -> tuple[int, str]:
        if not self.network:
            return 1, "NewConnectionError: Failed to establish a new connection: [Errno -3]\n"
        if "uv" in rest and not self.uv_wheel:
            return 1, "ERROR: No matching distribution found for uv\n"
        self.tools |= {"nox", "uv"} & set(rest)
        return 0, ""

    def show(self, command: Sequence[str], settings: Mapping[str, str]) -> int:
        self.shown.append((list(command), dict(settings)))
        return self.session_code

    def find(self, name: str) -> str | None:
        return {"uv": "/opt/uv" if self.uv else None, "apt-get": "/usr/bin/apt-get" if self.apt else None}[name]

    def run(self, *arguments: str) -> int:
        edge = start.Edge("/usr/bin/python3", self.ask, self.show, self.find, self.said.append, self.settings)
        return int(start.main(arguments, self.root, edge))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def sessions(machine: Machine) -> list[str]:
    command = machine.shown[-1][0]
    assert command[:5] == [str(machine.inner), "-m", "nox", "-f", str(machine.root / "noxfile.py")]
    return command[5:]


def test_first_command_measures_and_builds_and_says_where(machine: Machine) -> None:
    index = machine.root / "docs" / "_build" / "html" / "index.html"
    index.parent.mkdir(parents=True)
    index.touch()
    assert machine.run() == 0
    assert sessions(machine) == ["-s", "cards", "html"]
    assert machine.said[-1] == f"The site: {index}"


def test_second_command_tests(machine: Machine) -> None:
    assert machine.run("test") == 0
    assert sessions(machine) == ["-s", "test", "--"]
    assert not any("site" in line for line in machine.said)


def test_any_session_with_its_arguments(machine: Machine) -> None:
    assert machine.run("cards", "--full", "--only", "rk4") == 0
    assert sessions(machine) == ["-s", "cards", "--", "--full", "--only", "rk4"]


def test_the_list(machine: Machine) -> None:
    assert machine.run("list") == 0
    assert sessions(machine) == ["-l"]


def test_either_order_and_again_installs_once(machine: Machine) -> None:
    machine.run("test")
    installs = [words for words in machine.done if "install" in words]
    assert len(installs) == 1
    machine.done.clear()
    machine.run()
    machine.run("test")
    assert not [words for words in machine.done if {"install", "venv"} & set(words)]


def test_debian_without_ensurepip_uses_the_pip_that_refuses_the_system(machine: Machine) -> None:
    machine.ensurepip = False
    assert machine.run() == 0
    assert machine.tools == {"nox", "uv"}


@pytest.mark.parametrize("pip", [None, "22.0.2"])
def test_no_pip_that_reaches_out_falls_back_to_ensurepip(machine: Machine, pip: str | None) -> None:
    machine.pip = pip
    assert machine.run() == 0
    assert machine.tools == {"nox", "uv", "pip"}


def test_a_users_uv_serves_where_there_is_no_pip(machine: Machine) -> None:
    machine.pip, machine.ensurepip, machine.uv = None, False, True
    assert machine.run() == 0
    assert machine.tools == {"nox", "uv"}


@pytest.mark.parametrize("missing", [{"venv_module": False}, {"pip": None, "ensurepip": False}], ids=["venv", "pip"])
def test_nothing_to_install_with_names_debians_package(machine: Machine, missing: dict[str, Any]) -> None:
    for name, value in missing.items():
        setattr(machine, name, value)
    assert machine.run() == 1
    assert machine.said[-1].count("start.py:") == 1
    assert f"sudo apt-get install python3.{sys.version_info[1]}-venv" in machine.said[-1]
    assert not machine.shown


def test_elsewhere_than_debian_no_apt(machine: Machine) -> None:
    machine.venv_module, machine.apt = False, False
    assert machine.run() == 1
    assert "apt" not in machine.said[-1]


def test_without_network_one_message(machine: Machine) -> None:
    machine.network = False
    assert machine.run() == 1
    assert "for want of a network" in machine.said[-1]
    assert "NewConnectionError" not in "".join(machine.said)
    assert len([words for words in machine.done if "install" in words]) == 1


def test_where_uv_has_no_wheel_nox_alone(machine: Machine) -> None:
    machine.uv_wheel = False
    assert machine.run() == 0
    assert machine.tools == {"nox"}


def test_interrupted(machine: Machine) -> None:
    machine.session_code = 130
    assert machine.run() == 130
    assert "interrupted" in machine.said[-1]
    assert "run the same command again" in machine.said[-1]


def test_interrupted_while_installing(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(rest: list[str]) -> tuple[int, str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(machine, "installed", interrupt)
    assert machine.run() == 130
    assert "interrupted" in machine.said[-1]


def test_a_failure_is_said_and_kept_as_exit_code(machine: Machine) -> None:
    machine.session_code = 1
    assert machine.run() == 1
    assert "something above failed" in machine.said[-1]


@pytest.mark.parametrize("words", [["-s", "cards"], ["--full"], ["list", "cards"], [""]])
def test_not_a_command(machine: Machine, words: list[str]) -> None:
    assert machine.run(*words) == 2
    assert "not a command" in machine.said[0]
    assert not machine.done


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rk4"], "reproduce: 'rk4' is none of its options, --arm, --as, "),
        (["--dead-line", "60"], "reproduce: '--dead-line' is none of its options"),
        (["--close=yes"], "reproduce: '--close=yes' is none of its options"),
        (["--deadline"], "reproduce: --deadline lacks its value"),
        (["--only", "rk4", "--as"], "reproduce: --as lacks its value"),
        *(
            ([*words, *rest], f"reproduce: --deadline {text!r} is no number of seconds above 0")
            for text in ("0", "-60", "nan", "inf", "soon", "")
            for words in (["--deadline", text], [f"--deadline={text}"])
            for rest in ([], ["--close"])
        ),
    ],
)
def test_reproduce_is_refused_before_anything_is_installed(machine: Machine, words: list[str], said: str) -> None:
    assert machine.run("reproduce", *words) == 2
    assert [line.partition(said)[0] for line in machine.said] == ["start.py: "]
    assert "\n" not in machine.said[0]
    assert not machine.done
    assert not machine.shown


@pytest.mark.parametrize(
    "words", [[], ["--deadline", "0.5"], ["--deadline=3600", "--close", "--only", "rk4", "--as", "--x", "--no-peers"]]
)
def test_reproduce_goes_on_with_its_words(machine: Machine, words: list[str]) -> None:
    assert machine.run("reproduce", *words) == 0
    assert sessions(machine) == ["-s", "reproduce", "--", *words]


def test_the_options_of_reproduce_are_those_of_the_run() -> None:
    from perfdocs.cli.measuring import run as command

    options = [p for p in command.params if isinstance(p, click.Option)]
    switches = {flag for p in options if p.is_flag for flag in (*p.opts, *p.secondary_opts)}
    assert {flag for p in options if not p.is_flag for flag in p.opts} == start.WITH_VALUE
    assert switches | {"-h", "--help", "--no-peers"} == start.WITHOUT_VALUE


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help(machine: Machine, word: str) -> None:
    assert machine.run(word) == 0
    assert machine.said[0].startswith("Set this project up")
    assert not machine.done


def test_a_broken_venv_is_made_anew(machine: Machine) -> None:
    (machine.root / ".venv").mkdir()
    (machine.root / ".venv" / "pyvenv.cfg").touch()
    assert machine.run() == 0
    assert [word for words in machine.done for word in words if word == "--clear"] == ["--clear"]


def test_your_own_venv_is_kept_and_added_to(machine: Machine) -> None:
    machine.inner.parent.mkdir(parents=True)
    machine.inner.touch()
    assert machine.run() == 0
    assert machine.tools == {"nox", "uv"}
    assert not [words for words in machine.done if "venv" in words]


def test_nox_that_does_not_start_is_said(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "installed", lambda rest: (0, ""))
    assert machine.run() == 1
    assert "does not start" in machine.said[-1]


def test_a_folder_that_is_no_environment_is_left_alone(machine: Machine) -> None:
    (machine.root / ".venv").mkdir()
    (machine.root / ".venv" / "thesis.txt").touch()
    assert machine.run() == 1
    assert "is no virtual environment" in machine.said[-1]
    assert not [words for words in machine.done if "venv" in words]


def test_a_venv_of_an_old_python_is_named(machine: Machine) -> None:
    machine.inner.parent.mkdir(parents=True)
    machine.inner.touch()
    machine.inner_python = "3 9"
    assert machine.run() == 1
    assert ".venv was made by Python 3.9" in machine.said[-1]


def test_uv_reads_from_where_pip_does(machine: Machine) -> None:
    machine.pip_config = (
        "global.index-url='mirror-a'\ninstall.index-url='mirror-b'\nglobal.cert='/etc/own.pem'\nglobal.timeout='9'\n"
    )
    machine.run()
    assert machine.shown[-1][1] == {"UV_DEFAULT_INDEX": "mirror-b", "SSL_CERT_FILE": "/etc/own.pem"}


@pytest.mark.parametrize("name", ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_CONFIG_FILE"])
def test_uvs_own_settings_come_first(machine: Machine, name: str) -> None:
    machine.pip_config, machine.settings = "global.index-url='mirror-a'\n", {name: "mine"}
    machine.run()
    assert machine.shown[-1][1] == {}


def test_an_old_python_reads_the_file_and_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (ROOT / "start.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 6))
    monkeypatch.setattr(sys, "version_info", (3, 6, 15, "final", 0))
    with pytest.raises(SystemExit, match=re.escape("this is Python 3.6, and 3.11 or newer is needed")):
        exec(compile(source, "start.py", "exec"), {"__name__": "start"})  # the project's own file


def test_only_the_standard_library() -> None:
    tree = ast.parse((ROOT / "start.py").read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("strict", [False, True])
def test_the_site_that_is_checked_is_without_the_cards_of_this_machine(strict: bool) -> None:
    """The first command may have left some, and the two go in either order."""
    ran: list[str] = []
    session = SimpleNamespace(posargs=[], run=lambda *words: ran.extend(words))
    output = noxfile.documentation(session, strict=strict)
    assert ran[-1] == str(output)
    assert ("perfdocs_local=" in ran) is strict
    assert ("-W" in ran) is strict


def test_no_address_anywhere() -> None:
    files = ["start.py", "noxfile.py", "pyproject.toml", ".ci/run", "docs/Makefile", "docs/make.bat"]
    assert not [name for name in files if "://" in (ROOT / name).read_text(encoding="utf-8")]


def test_show_gives_the_code_and_settings(capfd: pytest.CaptureFixture[str]) -> None:
    script = "import os, sys; print(os.environ['A'], os.environ['PIP_USER']); sys.exit(7)"
    assert start.show([sys.executable, "-c", script], {"A": "b"}) == 7
    assert capfd.readouterr().out.split() == ["b", "0"]


def test_ask_keeps_both_streams() -> None:
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    code, output = start.ask([sys.executable, "-c", script])
    assert code == 3
    assert sorted(output.split()) == ["err", "out"]


@pytest.mark.parametrize(
    ("driver", "extra"),
    [(None, None), (11080, None), (12000, "cuda12"), (12999, "cuda12"), (13000, "cuda13"), (14010, "cuda13")],
)
def test_the_cupy_that_fits_the_driver(driver: int | None, extra: str | None) -> None:
    assert noxfile.cuda_extra(driver) == extra


def test_no_driver_library_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noxfile, "CUDA_LIBRARIES", ("libsurely-not-there.so",))
    assert noxfile.driver_cuda() is None


def test_extras_named_in_noxfile_exist() -> None:
    extras = noxfile.PROJECT["project"]["optional-dependencies"]
    assert {"cpu", "cuda12", "cuda13", "docs"} <= set(extras)
