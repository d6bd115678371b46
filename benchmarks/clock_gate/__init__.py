"""The benchmark clock_gate: what the state of the clocks does to a comparison, and what it costs to watch it."""
