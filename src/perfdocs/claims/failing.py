"""What becomes of a claim that can't be judged: the one home of what its evaluation raises."""

from __future__ import annotations

from ..errors import PerfdocsError, Problem
from .model import Bound, Outcome, Status
from .scope import Data

__all__ = ["failed"]


def failed(error: Exception, bound: Bound, data: Data) -> Outcome:
    """The outcome of a claim whose evaluation raised. Whatever it was, the other claims are still checked."""
    return Outcome(bound, Status.ERROR, _problem(error, bound.where), uses=frozenset(data.uses))


def _problem(error: Exception, where: str) -> Problem:
    if isinstance(error, PerfdocsError):
        return error.problem
    if isinstance(error, (OverflowError, ZeroDivisionError)):
        return Problem("claim-size", where, "numbers out of all bounds", "ordinary ones", "correct the claim")
    found = f"a fault in perfdocs: unexpected {type(error).__name__}: {error}"
    return Problem("claim-fault", where, found, "an outcome", "please report it, with the claim and the text before it")
