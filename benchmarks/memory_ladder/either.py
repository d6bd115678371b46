"""A stream on the device of the card."""

from __future__ import annotations

from perfdocs.measure.arm import Context, Prepared

from . import device, host
from .streams import Streams


def stream(name: str, problem: Streams, context: Context) -> Prepared:
    """The kernel ``name`` on the GPU, or on threads of the host."""
    return device.Stream(name, problem, context) if context.kind == "gpu" else host.Stream(name, problem, context)
