"""Damped oscillators, fixed step: the workload and its arms."""
