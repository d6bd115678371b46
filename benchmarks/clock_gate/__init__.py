"""The benchmark clock_gate: what the state of the clocks does to a comparison."""
