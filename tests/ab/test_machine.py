"""Whether a GPU may be locked: whose its processes are, over fakes of its control and of the system's files."""

from __future__ import annotations

import pytest
from tests.ab.fakes import FakeControl
from tests.measure.fakes import FakeFiles

from perfdocs.ab.machine import Machine, foreign_of

STAT = "{0} (a ) name) S 1 1 1 0 -1 4194560 0 0 0 0 5 5 0 0 20 0 1"


def system(parents: dict[int, int]) -> FakeFiles:
    """Processes by the one that started them."""
    files = {f"/proc/{process}/stat": STAT.format(process) for process in parents}
    for process in parents:
        children = " ".join(str(child) for child, parent in parents.items() if parent == process)
        files[f"/proc/{process}/task/{process}/children"] = children
    return FakeFiles(files)


def test_processes_that_descend_from_this_one_are_not_foreign() -> None:
    files = system({1: 0, 50: 1, 51: 50, 52: 51, 60: 1})
    assert foreign_of(frozenset({50, 52, 60}), files, 50) == 1
    assert foreign_of(frozenset(), files, 50) == 0


def test_ids_of_another_namespace_cannot_be_told_apart() -> None:
    assert (
        foreign_of(frozenset({50, 4711}), system({50: 1}), 50) == "ids of its processes are those of another namespace"
    )


@pytest.mark.parametrize(
    ("control", "why"),
    [
        (FakeControl(), None),
        (FakeControl(frozenset({60})), "the GPU is shared, processes of others on it: 1"),
        (FakeControl(frozenset({99})), "nobody can tell whether the GPU is shared: ids of its processes"),
        (FakeControl("not permitted"), "nobody can tell whether the GPU is shared: not permitted"),
        (FakeControl(slices="the GPU is in slices"), "the GPU is in slices"),
        ("no NVML", "nobody can tell whether the GPU is shared: no NVML"),
    ],
)
def test_a_gpu_is_locked_only_where_nobody_else_is_seen(control: FakeControl | str, why: str | None) -> None:
    found = Machine(control, system({1: 0, 60: 1})).may_lock()
    assert found is None if why is None else str(found).startswith(why)


@pytest.mark.parametrize(("pids", "fine"), [({99}, True), ({98, 99}, False)])
def test_the_only_process_there_is_this_one_where_it_has_a_context(pids: set[int], fine: bool) -> None:
    control = FakeControl(frozenset(pids))
    assert (Machine(control, system({}), context=True).may_lock() is None) == fine
    assert Machine(control, system({})).may_lock() is not None
