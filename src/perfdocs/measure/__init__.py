"""Measuring: how a benchmark's arms are verified, timed and recorded. Imports no Sphinx."""

from __future__ import annotations

from .options import Options
from .runner import Stopped, listing, run

__all__ = ["Options", "Stopped", "listing", "run"]
