"""What ``ncu`` profiles while it holds the clocks: one empty kernel, then nothing until standard input closes."""

from __future__ import annotations

import sys

__all__ = ["READY"]

READY = "perfdocs-helper ready"
KERNEL = 'extern "C" __global__ void hold() {}'


def main() -> None:
    """Launch, say so, wait."""
    import cupy

    cupy.RawKernel(KERNEL, "hold")((1,), (1,), ())
    cupy.cuda.runtime.deviceSynchronize()
    print(READY, flush=True)
    sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
