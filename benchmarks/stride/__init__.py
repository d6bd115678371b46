"""Every power-of-two stride between the loads of a thread: the workload and its arms."""
