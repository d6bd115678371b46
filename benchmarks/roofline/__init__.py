"""Compute against memory: the workload and its arms."""
