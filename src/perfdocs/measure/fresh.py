"""Fresh processes: one arm measured in a process of its own, which nothing before has warmed or filled.

The process is asked by one line of JSON on its standard input and answers with one line a point in a file. Its standard
input stays open as long as the one who asks lives: a process whose asker is gone ends itself and all it started.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from .arm import How, Kind, Point, Reason
from .folders import temporary_folder
from .processes import ending_all, kill_group, module_command
from .room import NO_SPACE, says_full

__all__ = ["Answer", "Ask", "Reply", "Request", "ask", "caches", "fresh_folder"]

Found = float | str | tuple[float, ...]
"""A count, the key of a choice, or samples."""
POLL = 0.05  # s between looks at what was answered


@dataclass(frozen=True, slots=True)
class Request:
    """What a fresh process is asked for: one arm, at one point after the other.

    ``build`` is the folder of what the arm compiles, ``shared`` that of the host reference, ``caches`` the folder that
    every cache of kernels and code is kept in (``None``: where it usually is).
    """

    how: How
    folder: Path
    arm: str
    points: tuple[Point, ...]
    kind: Kind
    build: Path
    shared: Path
    threads: int
    sm_count: int | None = None
    caches: Path | None = None

    def text(self) -> str:
        """One line of JSON."""
        return json.dumps(
            {
                "how": self.how,
                "folder": str(self.folder.resolve()),
                "arm": self.arm,
                "points": [dict(point) for point in self.points],
                "kind": self.kind,
                "build": str(self.build.resolve()),
                "shared": str(self.shared.resolve()),
                "threads": self.threads,
                "sm_count": self.sm_count,
            }
        )

    @classmethod
    def of(cls, text: str) -> Request:
        """Read back what :meth:`text` wrote; the process needs no other word of its caches than its environment."""
        tree = json.loads(text)
        paths = {key: Path(tree.pop(key)) for key in ("folder", "build", "shared")}
        return cls(**{**tree, **paths, "points": tuple(tree["points"])})


def _found(value: object) -> Found:
    if isinstance(value, list):
        return tuple(float(part) for part in value)
    if isinstance(value, (int, float, str)):
        return value
    raise TypeError(value)


@dataclass(frozen=True, slots=True)
class Answer:
    """One point: values by metric (SI, or the key of a choice), or the reason why there are none.

    ``absent`` says why some are left out.
    """

    values: Mapping[str, Found] = field(default_factory=dict)
    absent: str | None = None
    refused: tuple[Reason, str] | None = None

    def text(self) -> str:
        """One line of JSON."""
        return json.dumps({"values": dict(self.values), "absent": self.absent, "refused": self.refused})

    @classmethod
    def of(cls, text: str) -> Answer:
        """Read back what :meth:`text` wrote. Raises :class:`ValueError`, :class:`KeyError` or :class:`TypeError`."""
        tree: dict[str, Any] = json.loads(text)
        values = {str(key): _found(value) for key, value in tree["values"].items()}
        refused = tree["refused"]
        if refused is None:
            return cls(values, tree["absent"])
        kind, reason = refused
        return cls(refused=(kind if kind in get_args(Reason) else "error", str(reason)))


@dataclass(frozen=True, slots=True)
class Reply:
    """The answers, in the order of the points: fewer where the process ended before, the last then says how.

    ``cut``: the whole run's time was up. ``log`` is what a process without an answer has written.
    """

    answers: tuple[Answer, ...]
    cut: bool = False
    log: Path | None = None


Ask = Callable[[Request, float, float | None], Reply]
"""Ask a fresh process: the request, the most seconds from one answer to the next, the most seconds in all."""


def caches(folder: Path) -> dict[str, str]:
    """The environment in which every package keeps what it compiles in ``folder``, and keeps all of it."""
    homes = {
        "CUPY_CACHE_DIR": "cupy",
        "CUDA_CACHE_PATH": "cuda",
        "NUMBA_CACHE_DIR": "numba",
        "TORCHINDUCTOR_CACHE_DIR": "inductor",
        "TORCH_EXTENSIONS_DIR": "torch",
        "PYTORCH_KERNEL_CACHE_PATH": "torch-kernels",
        "TRITON_CACHE_DIR": "triton",
        "JAX_COMPILATION_CACHE_DIR": "jax",
        "WARP_CACHE_PATH": "warp",
        "WARP_CACHE_ROOT": "warp",
        "XDG_CACHE_HOME": "other",
    }
    found = {name: str((folder / home).resolve()) for name, home in homes.items()}
    # JAX keeps by default only what took a second or more to compile: a warm start would then be a cold one
    found |= {
        "JAX_ENABLE_COMPILATION_CACHE": "true",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    return found


def fresh_folder(build: Path) -> Path:
    """Where fresh processes have their folders and leave their logs."""
    return build / "fresh"


def _environment(request: Request) -> dict[str, str]:
    found = dict(os.environ)
    # without this JAX takes three quarters of the device's memory at its first use
    found.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if request.caches is not None:
        found |= caches(request.caches)
    return found


def ask(request: Request, limit: float, total: float | None = None) -> Reply:
    """Start a process, wait for its answers, and end it with all it started, also where this is interrupted."""
    with temporary_folder(fresh_folder(request.shared), f"{request.arm}-{request.how}") as work:
        answers = work / "answers"
        command = module_command("perfdocs.measure.child", str(answers))
        with (work / "output").open("wb") as output, ending_all():
            process = subprocess.Popen(  # noqa: S603 - this Python and this package
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=_environment(request),
                start_new_session=os.name == "posix",
            )
            try:
                end = _wait(process, request, answers, limit, total)
            finally:
                _kill(process)
        return _reply(request, answers, end, process.returncode, limit)


End = Literal["ended", "late", "cut"]


def _wait(process: subprocess.Popen[bytes], request: Request, answers: Path, limit: float, total: float | None) -> End:
    with suppress(OSError):  # it may have ended already: its exit code tells
        assert process.stdin is not None
        process.stdin.write(request.text().encode() + b"\n")
        process.stdin.flush()
    begun = since = time.monotonic()
    size = 0
    while True:
        if _has_ended(process):
            return "ended"
        time.sleep(POLL)
        now = time.monotonic()
        if (grown := answers.stat().st_size if answers.exists() else 0) != size:
            size, since = grown, now
        if total is not None and now - begun > total:
            return "cut"
        if now - since > limit:
            return "late"


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the process has ended, without taking note of it: its id stays its own, and that of its group."""
    if os.name != "posix":
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and its group, and take note; one that has ended may have left others behind."""
    kill_group(process)
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    process.wait()


def _reply(request: Request, answers: Path, end: End, code: int, limit: float) -> Reply:
    found: list[Answer] = []
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # a line cut short ends the list
        for line in answers.read_text(encoding="utf-8").splitlines():
            found.append(Answer.of(line))  # noqa: PERF401 - what was read before a bad line is kept
    if len(found) >= len(request.points):
        return Reply(tuple(found[: len(request.points)]))
    if end == "cut":
        return Reply(tuple(found), cut=True)
    log = fresh_folder(request.shared) / f"{request.arm}-{request.how}.log"
    (answers.parent / "output").replace(log)
    if says_full(log.read_text(encoding="utf-8", errors="replace")):
        return Reply((*found, Answer(refused=("error", NO_SPACE))), log=log)
    if end == "late":
        late = Answer(refused=("out_of_time", f"no answer within {limit:.3g} s in a fresh process"))
        return Reply((*found, late), log=log)
    return Reply((*found, Answer(refused=("error", _how_it_ended(code)))), log=log)


def _how_it_ended(code: int) -> str:
    if code < 0:
        with suppress(ValueError):
            return f"the fresh process was ended by {signal.Signals(-code).name}"
    return f"the fresh process ended without an answer (exit code {code})"
