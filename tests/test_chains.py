"""Random words, chains of multiply-adds and products of matrices: what NumPy knows of them beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from perfdocs.measure.arm import VerificationError
from perfdocs.measure.chains import ELEMENTS, MOST_STEPS, Sums, check_sums
from perfdocs.measure.matrices import MATRIX_TYPES, Rows, check_rows
from perfdocs.measure.words import mixed


def numbers(words: Any, dtype: Any) -> Any:
    return np.ascontiguousarray(words).view(dtype)


@pytest.mark.parametrize("key", ELEMENTS)
def test_the_end_of_a_chain_is_what_its_steps_make(key: str) -> None:
    element = ELEMENTS[key]
    words = element.words(np.arange(512))
    x = numbers(words, element.dtype).copy()
    a, first, second = (np.array([c]).view(element.dtype)[0] for c in element.constants)
    for steps in range(1, 300):
        with np.errstate(over="ignore"):
            x = x * a + (first if steps % 2 else second)
        assert np.array_equal(numbers(x, np.uint32), element.end(words, steps)), steps


@pytest.mark.parametrize("key", ["fp32", "fp64", "fp16"])
def test_values_stay_where_they_are_exact(key: str) -> None:
    element = ELEMENTS[key]
    words = element.words(np.arange(4096))
    assert 1.25 <= numbers(words, element.dtype).min() < numbers(words, element.dtype).max() < 1.75
    for steps in (MOST_STEPS - 1, MOST_STEPS):
        end = numbers(element.end(words, steps), element.dtype)
        assert 1.1 < end.min() < end.max() < 2


def test_long_chains_of_integers_end_at_once() -> None:
    element = ELEMENTS["int32"]
    a, b = (int(c) for c in element.constants[:2])
    x = 12345
    for _ in range(10_000):
        x = (a * x + b) % 2**32
    assert element.end(np.array([12345], np.uint32), 10_000)[0] == x


def test_words_are_spread_evenly() -> None:
    hashed = mixed(np.arange(2**16))
    assert len(np.unique(hashed)) == 2**16
    ones = np.unpackbits(hashed.view(np.uint8)).reshape(-1, 32).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 0.02


@pytest.mark.parametrize(
    ("within", "between", "lies"),
    [
        (((24, 1),), ((40, 24),), lambda part, one: 24 * part + one),
        (((7, 40),), ((40, 1),), lambda part, one: part + 40 * one),
        (
            ((3, 80), (2, 8)),
            ((5, 16), (8, 1)),
            lambda part, one: 16 * (part // 8) + part % 8 + 80 * (one // 2) + 8 * (one % 2),
        ),
    ],
)
def test_sums_of_parts_are_checked(
    within: tuple[tuple[int, int], ...], between: tuple[tuple[int, int], ...], lies: Callable[[Any, Any], Any]
) -> None:
    element, parts = ELEMENTS["fp64"], 40
    count = math.prod(many for many, _ in within)
    steps, passes = (3, 2) if count == 24 else (0, 1)
    numbers_of = lies(np.arange(parts)[:, None], np.arange(count))
    words = element.words(numbers_of[..., None] * 4 + np.arange(4)).reshape(parts, -1)
    ends = [int(element.end(row, steps).sum(dtype=np.uint64)) for row in words]
    values = np.array([end * passes % 2**32 for end in ends], dtype=np.uint32)
    sums = Sums(values, 4, within, between, passes)
    check_sums(sums, element, steps)
    with pytest.raises(VerificationError, match="the sum of part 0 of 40"):
        check_sums(sums, element, steps + 1)
    values[-1] ^= 1
    with pytest.raises(VerificationError, match="the sum of part 39 of 40"):
        check_sums(sums, element, steps)


@pytest.mark.parametrize("key", MATRIX_TYPES)
def test_rows_of_a_product_are_checked(key: str) -> None:
    kind, rows, inner = MATRIX_TYPES[key], 50, 64
    left = kind.values(np.arange(rows * inner)).reshape(rows, inner)
    right = kind.values(rows * inner + np.arange(inner * inner)).reshape(inner, inner)
    assert 1.25 <= np.abs(left).min() < np.abs(left).max() < 1.75
    assert -0.1 < np.sign(left).mean() < 0.1
    product = left @ right
    chosen = (0, 17, 49)
    assert check_rows(kind, rows, inner, Rows(chosen, product[list(chosen)])) < 1
    wrong = product[list(chosen)].copy()
    wrong[1, -1] += 2 * kind.tolerance * np.sqrt(inner)
    with pytest.raises(VerificationError, match="row 17, column 63 of the product"):
        check_rows(kind, rows, inner, Rows(chosen, wrong))
    with pytest.raises(VerificationError, match="times as far"):
        check_rows(kind, rows, inner, Rows((0, 17, 48), product[list(chosen)]))
    wrong[0, 0] = np.nan
    with pytest.raises(VerificationError, match="nan"):
        check_rows(kind, rows, inner, Rows(chosen, wrong))
    with pytest.raises(VerificationError, match=r"rows of \(3, 60\)"):
        check_rows(kind, rows, inner, Rows(chosen, wrong[:, :60]))
