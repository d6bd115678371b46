"""Measuring: how a benchmark's arms are verified, timed and recorded. Imports no Sphinx."""

from __future__ import annotations

from .failure import Stopped
from .options import Options
from .runner import listing, run

__all__ = ["Options", "Stopped", "listing", "run"]
