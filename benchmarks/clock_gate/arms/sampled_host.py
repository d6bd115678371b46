"""A chain on the host while the sampler reads the host, and while it does not."""

from pathlib import Path

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.loader import load_arm

from ..sampled import Sampled
from ..workload import Chain


def prepare(problem: Chain, context: Context) -> Prepared:
    """The arm of the chain."""
    return Sampled(load_arm(Path(__file__).parent.parent, "host_chain").prepare(problem, context), device=False)
