"""Bandwidth against bytes in flight, and the five kernels of BabelStream: the workload and its arms."""
