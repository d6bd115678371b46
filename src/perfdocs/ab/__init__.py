"""A against B in alternating rounds, under a known clock where one is asked for: ``perfdocs ab``. Imports no Sphinx."""

from __future__ import annotations

__all__ = ["NOT_RUN"]

NOT_RUN = 7
"""The exit code where a side is not there, did not run, did not come back, or did not tell its times."""
