"""A full disk ends a run and is never a reason on a card."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from perfdocs.measure.arm import Cannot, Task
from perfdocs.measure.failure import Stopped, reason_of
from perfdocs.measure.fresh import Answer, Reply, Request
from perfdocs.measure.partial import write_partial
from perfdocs.measure.room import NO_SPACE, disk_full, refuse_full

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
STOPPED = r"^stopped, no space left on the disk: .*; free some and run the same command again to go on$"


def compiler_without_room() -> Cannot:
    """What the compiler's caller raises: the message names the kind of error only."""
    try:
        try:
            raise FULL
        except OSError as error:
            raise Cannot("unsupported", f"the C++ compiler did not run: {type(error).__name__}") from None
    except Cannot as cannot:
        return cannot


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (FULL, True),
        (OSError(errno.EDQUOT, "over the quota"), True),
        (compiler_without_room(), True),
        (RuntimeError("ld: final link failed: No space left on device"), True),
        (RuntimeError("cache: Disk quota exceeded"), True),
        (OSError(errno.EACCES, "Permission denied"), False),
        (Cannot("unsupported", "more registers than there are"), False),
    ],
)
def test_what_tells_of_a_full_disk(error: Exception, full: bool) -> None:
    assert disk_full(error) is full
    assert (reason_of(error) == ("error", NO_SPACE)) is full


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hardly anything is free."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))


@pytest.mark.usefixtures("scarce")
def test_an_arm_that_fails_where_hardly_anything_is_free_may_have_failed_for_that(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=NO_SPACE):
        refuse_full("unsupported", "the C++ compiler refused host.cpp: no message", tmp_path / "not" / "yet" / "made")
    refuse_full("failed_verification", "a square differs", tmp_path)
    refuse_full("not_installed", "jax is not installed", tmp_path)


def fail_at(toy: SimpleNamespace, name: str, number: int, error: Exception) -> None:
    """Let a run of an arm raise: the first is a warm-up, the fifth is timed."""

    def fail(arm: str, run: int) -> None:
        if (arm, run) == (name, number):
            raise error

    toy.workload.before_run[0] = fail


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize("number", [1, 5])
@pytest.mark.parametrize("error", [FULL, compiler_without_room()])
def test_an_arm_without_room_stops_the_run_and_the_next_goes_on(
    toy: SimpleNamespace, partial: Callable[[], Path], device: str, number: int, error: Exception
) -> None:
    fail_at(toy, "double", number, error)
    with pytest.raises(Stopped, match=STOPPED) as stop:
        toy.measure("good", "double", device=device)
    assert stop.value.exit_code == 1
    left = json.loads(partial().read_bytes())
    assert "not_run" not in left["card"] or not left["card"]["not_run"]
    assert not left["tries"]
    toy.workload.before_run[0] = lambda _arm, _run: None
    card = toy.measure("good", "double", device=device)
    assert len(card.measurements) == 4
    assert not card.not_run


@pytest.mark.usefixtures("scarce")
def test_an_arm_that_does_not_say_why_stops_the_run_too(toy: SimpleNamespace) -> None:
    with pytest.raises(Stopped, match=STOPPED):
        toy.measure("raises", "good")


def test_a_reference_without_room_stops_the_run(toy: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def reference(*_: Any) -> NoReturn:
        raise compiler_without_room()

    monkeypatch.setattr(toy.workload, "reference", reference)
    with pytest.raises(Stopped, match=STOPPED):
        toy.measure("good")


def test_where_not_even_the_partial_file_can_be_saved(
    toy: SimpleNamespace, partial: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = iter(range(3))

    def no_room(*of: Any) -> None:
        if next(left, None) is None:
            raise FULL
        write_partial(*of)

    monkeypatch.setattr("perfdocs.measure.session.write_partial", no_room)
    with pytest.raises(Stopped, match=r"what was saved before is kept in .*partial\.json"):
        toy.measure("good", device="gpu")
    assert len(json.loads(partial().read_bytes())["card"]["measurements"]) == 1


@pytest.mark.parametrize(
    "code",
    [
        "raise OSError(28, 'No space left on device')",
        "print('cache: No space left on device', flush=True); os._exit(1)",
    ],
)
def test_a_fresh_process_without_room_stops_the_run(toy: SimpleNamespace, code: str) -> None:
    toy.workload.tasks = lambda kind, quick: [Task("memory", {"n": 10}, "memory")]
    (toy.folder / "arms" / "good.py").write_text(f"import os\n\n\ndef prepare(problem, context):\n    {code}\n")
    with pytest.raises(Stopped, match=STOPPED):
        toy.measure("good")


@pytest.mark.usefixtures("scarce")
def test_a_fresh_process_that_could_not_say_so_stops_the_run(toy: SimpleNamespace) -> None:
    def silent(request: Request, limit: float, total: float | None) -> Reply:
        return Reply((Answer(refused=("error", "the fresh process ended without an answer (exit code 1)")),))

    toy.workload.tasks = lambda kind, quick: [Task("memory", {"n": 10}, "memory")]
    toy.ask = silent
    with pytest.raises(Stopped, match=STOPPED):
        toy.measure("good")
