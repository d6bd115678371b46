"""What skips a test and what fails it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.lacking import skip_or_fail

from perfdocs.measure.arm import Cannot


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("not_installed", "no C++ compiler is installed"),
        ("unsupported", "PyTorch sees no GPU"),
        ("unsupported", "8 threads on 2 processors"),
        ("unsupported", "Numba does not load: it needs an older NumPy"),
    ],
)
def test_what_the_machine_lacks_is_skipped_with_its_reason(kind: Any, reason: str) -> None:
    with pytest.raises(pytest.skip.Exception, match=reason.replace("+", r"\+")):
        skip_or_fail(Cannot(kind, reason))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("unsupported", "the C++ compiler refused host.cpp: error: expected ';'"),
        ("unsupported", "Free Pascal refused search.pas"),
        ("error", "RuntimeError: sees no end"),
    ],
)
def test_what_is_refused_fails(kind: Any, reason: str) -> None:
    with pytest.raises((Cannot, pytest.skip.Exception), match=r"refused|end") as caught:  # a skip would pass unseen
        skip_or_fail(Cannot(kind, reason))
    assert caught.type is Cannot
