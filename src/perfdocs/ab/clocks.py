"""Clocks of a GPU locked and reset through NVML, one method for each of its calls."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeVar

from perfdocs.measure.cuda import visible

__all__ = [
    "ClockControl",
    "Mode",
    "RefusedError",
    "StillLockedError",
    "lock_through",
    "open_control",
    "reset_through",
]

T = TypeVar("T")
Mode = Literal["base", "boost"]
"""``base``: the clocks a device keeps under any load. ``boost``: the highest it may ask for."""


class RefusedError(Exception):
    """The clocks cannot be locked, reset or seen; the message is fit for a record."""


class StillLockedError(RefusedError):
    """The clocks were not locked as they should be, and what was locked could not be reset."""


class ClockControl(Protocol):
    """Locks one GPU. Every method may raise :class:`RefusedError`; clocks are MHz."""

    def processes(self) -> frozenset[int]:
        """Ids of all processes on the GPU."""

    def shared(self) -> str | None:
        """Why the clocks are not this user's alone to lock, whoever is there now."""

    def target(self, mode: Mode) -> tuple[int, int]:
        """SM and memory clock to lock."""

    def lock_sm(self, clock: int) -> None:
        """Lock the SM clock."""

    def lock_memory(self, clock: int) -> None:
        """Lock the memory clock."""

    def reset(self) -> None:
        """Both clocks as they are by default; both are tried, whatever becomes of the first."""


def lock_through(control: ClockControl, mode: Mode) -> tuple[int, int | None]:
    """Lock both clocks, or leave both as they were; those that are locked.

    Raises :class:`RefusedError`, and :class:`StillLockedError` where they could not be left so.

    Where a device has no way to lock its memory clock, that is not locked: every sample of it is checked all the same.
    """
    sm, memory = control.target(mode)
    control.lock_sm(sm)
    try:
        control.lock_memory(memory)
    except NotSupportedError:
        return sm, None
    except RefusedError as error:
        why = reset_through(control)
        if why is None:
            raise RefusedError(str(error)) from None
        raise StillLockedError(f"{error}; and the SM clock stays locked: {why}") from None
    return sm, memory


def reset_through(control: ClockControl, tries: int = 3, pause: Callable[[], None] = lambda: None) -> str | None:
    """Reset both clocks, again where that fails; why they are not, or ``None``."""
    why: str | None = None
    for attempt in range(tries):
        if attempt:
            pause()
        try:
            control.reset()
        except RefusedError as error:
            why = str(error)
        else:
            return None
    return why


class NotSupportedError(RefusedError):
    """The device has no such call."""


class NvmlControl:
    """Through nvidia-ml-py."""

    def __init__(self, pynvml: Any, handle: Any) -> None:
        self._n, self._handle = pynvml, handle

    def _ask(self, name: str, *arguments: Any) -> Any:
        call = getattr(self._n, name, None)
        if call is None:
            raise NotSupportedError(f"this nvidia-ml-py has no {name}")
        try:
            return call(self._handle, *arguments)
        except self._n.NVMLError as error:
            kind = (
                NotSupportedError if getattr(error, "value", None) == self._n.NVML_ERROR_NOT_SUPPORTED else RefusedError
            )
            raise kind(f"NVML: {str(error).lower()}") from None

    def processes(self) -> frozenset[int]:
        """Of compute and of graphics; the display's own too."""
        found = {int(p.pid) for p in self._ask("nvmlDeviceGetComputeRunningProcesses")}
        with contextlib.suppress(NotSupportedError):
            found |= {int(p.pid) for p in self._ask("nvmlDeviceGetGraphicsRunningProcesses")}
        return frozenset(found)

    def shared(self) -> str | None:
        """A GPU in slices belongs to several."""
        with contextlib.suppress(NotSupportedError):
            if self._ask("nvmlDeviceGetMigMode")[0]:
                return "the GPU is in slices (MIG), and clocks are those of all slices"
        return None

    def target(self, mode: Mode) -> tuple[int, int]:
        """The default application clocks, or the highest."""
        n = self._n
        call = "nvmlDeviceGetDefaultApplicationsClock" if mode == "base" else "nvmlDeviceGetMaxClockInfo"
        return int(self._ask(call, n.NVML_CLOCK_SM)), int(self._ask(call, n.NVML_CLOCK_MEM))

    def lock_sm(self, clock: int) -> None:
        """``nvmlDeviceSetGpuLockedClocks``."""
        self._ask("nvmlDeviceSetGpuLockedClocks", clock, clock)

    def lock_memory(self, clock: int) -> None:
        """``nvmlDeviceSetMemoryLockedClocks``."""
        self._ask("nvmlDeviceSetMemoryLockedClocks", clock, clock)

    def reset(self) -> None:
        """``nvmlDeviceResetGpuLockedClocks`` and ``nvmlDeviceResetMemoryLockedClocks``."""
        failed: RefusedError | None = None
        for name in ("nvmlDeviceResetGpuLockedClocks", "nvmlDeviceResetMemoryLockedClocks"):
            try:
                self._ask(name)
            except NotSupportedError:
                continue
            except RefusedError as error:
                failed = error
        if failed is not None:
            raise failed


def open_control(bus: str | None) -> NvmlControl | str:
    """Control of the GPU at this place on the bus, without one of the first that programs see; or why there is none."""
    try:
        import pynvml
    except ImportError:
        return "nvidia-ml-py is not installed"
    try:
        pynvml.nvmlInit()
        if bus is None:
            handle, why = visible(pynvml, os.environ)
            return f"nobody can tell which GPU it is: {why}" if handle is None else NvmlControl(pynvml, handle)
        return NvmlControl(pynvml, pynvml.nvmlDeviceGetHandleByPciBusId(bus.encode()))
    except pynvml.NVMLError as error:
        return f"NVML does not start: {str(error).lower()}"
