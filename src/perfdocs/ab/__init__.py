"""A against B in alternating rounds, under a known clock where one is asked for: ``perfdocs ab``. Imports no Sphinx."""

from __future__ import annotations

__all__ = ["FAULT", "NOT_RUN"]

NOT_RUN = 7
"""The exit code where a side is not there, did not run, did not come back, or did not tell its times."""
FAULT = 8
"""The exit code where record or report could not be written, the clocks could not be reset, or perfdocs failed."""
