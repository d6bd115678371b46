"""Chains on the GPU between two probes of its SMs' cycles, and without them."""

from functools import partial
from pathlib import Path

from perfdocs.measure.arm import Context, Prepared
from perfdocs.measure.loader import load_arm

from ..probed import Probed, Probes
from ..workload import Chain


def prepare(problem: Chain, context: Context) -> Prepared:
    """The arm of the chains."""
    chains = load_arm(Path(__file__).parent.parent, "device_chain").prepare(problem, context)
    return Probed(chains, partial(Probes, context))
