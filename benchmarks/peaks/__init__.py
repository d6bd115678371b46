"""One number for each limit of a device: the workload and its arms."""
