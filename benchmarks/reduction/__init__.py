"""The sum of 1 to N, several ways: the workload and its arms."""
