"""One file an arm, named for its key in benchmark.toml."""
