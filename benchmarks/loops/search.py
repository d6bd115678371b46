"""The two loops in Python, for CPython and for Numba."""

from __future__ import annotations


def search(target: int, limit: int) -> tuple[int, int, int]:
    """The pair with the product ``target``, zeros where there is none, and the pairs tried."""
    first = second = tried = 0
    for i in range(1, limit):
        for j in range(i + 1, limit + 1):
            if i * j == target:
                first, second = i, j
                break
        tried += j - i
    return first, second, tried
