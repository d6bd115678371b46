"""One kernel, several clocks: the workload and its arms."""
