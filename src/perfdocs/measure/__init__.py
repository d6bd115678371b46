"""Measuring: how a benchmark's arms are verified, timed and recorded. Imports no Sphinx."""
