"""All pairs of bodies: the workload and its arms."""
