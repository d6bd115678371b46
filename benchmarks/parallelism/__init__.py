"""The least that fills the device: the workload and its arms."""
