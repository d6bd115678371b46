"""How much of its benchmark a card covers."""

from __future__ import annotations

from .card import Card

__all__ = ["deadline_reason", "extent", "left_out"]

DEADLINE = "the run's deadline of "


def deadline_reason(seconds: float) -> str:
    """Why a measurement is left out that the end of the whole run came before."""
    return f"{DEADLINE}{seconds:g} s came first"


def left_out(card: Card) -> int:
    """Measurements left out because the end of the whole run came before."""
    return sum(one.kind == "out_of_time" and one.reason.startswith(DEADLINE) for one in card.not_run)


def extent(card: Card, quick: str = "quick") -> str:
    """``full``, or ``quick`` in the words given, and what is not there; of what is imported ``as published``."""
    if card.origin.kind == "imported":
        return "as published"
    missing = left_out(card)
    parts = [quick if card.method.quick else "full"]
    parts += ["only some arms, tables or points"] if card.method.narrowed else []
    parts += [f"{missing} cell{'' if missing == 1 else 's'} left out at the deadline"] if missing else []
    return ", ".join(parts)
