"""One nested loop in many languages: the workload and its arms."""
