"""A against B in alternating rounds, under a known clock where one is asked for: ``perfdocs ab``. Imports no Sphinx."""

from __future__ import annotations
