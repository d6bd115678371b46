"""Kepler orbits, adaptive step: the workload and its arms."""
