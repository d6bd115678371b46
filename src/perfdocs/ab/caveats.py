"""What has to be told beside the ratio of an A/B: the flags of cards, by their rules, and what was seen. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median

from msgspec.structs import replace

from perfdocs.card import Block, Spread, State
from perfdocs.conditions import SETTINGS, THROTTLING, clocks_apart, contamination, moved, throttle_reasons
from perfdocs.flags import FLAGS, Flag, noise, pattern
from perfdocs.quantity import NBSP, format_value
from perfdocs.reasons import spread_text
from perfdocs.verdict import summarise

from .record import Comparison, Round, Seen, Turn

__all__ = ["LEGEND", "NOT_WATCHED", "flagged", "held_down", "seen", "unwatched"]

NOT_WATCHED = "not_watched"
LEGEND: Mapping[str, Flag] = {
    NOT_WATCHED: Flag("w", "nothing looked at the machine in some rounds: what spoils a round was not told there"),
    **{
        key: FLAGS[key]
        for key in ("throttled", "clock_spread", "clocks_apart", "contaminated", "noisy", "drift", "bimodal")
    },
}
"""Flags of an A/B, the gravest first."""


def held_down(state: State | None, *, locked: bool = False) -> frozenset[str]:
    """Reasons that held the clock of a turn down. A lock is a setting itself: at locked clocks settings are none."""
    reasons = frozenset(throttle_reasons(Block(state=state)))
    return reasons - SETTINGS if locked else reasons


def unwatched(rounds: Sequence[Round]) -> int:
    """In how many rounds nobody looked at one side or the other."""
    return sum(r.a.state is None or r.b.state is None for r in rounds)


def seen(turns: Sequence[Turn], *, locked: bool = False) -> Seen:
    """What was seen of one side."""
    states = [turn.state for turn in turns if turn.state is not None]
    return Seen(
        rounds=len(states),
        sm_clock=_over(state.sm_clock for state in states),
        memory_clock=_over(state.memory_clock for state in states),
        cpu_clock=_over(state.cpu_clock for state in states),
        p_states=tuple(sorted({p for state in states for p in state.p_states})),
        throttle=_counted(held_down(state, locked=locked) for state in states),
        unobserved=_counted(set(state.unobserved) for state in states),
    )


def _over(clocks: Iterable[Spread | None]) -> Spread | None:
    known = [clock for clock in clocks if clock is not None]
    if not known:
        return None
    centre = median(clock.centre for clock in known)
    return Spread(low=min(clock.low for clock in known), centre=centre, high=max(clock.high for clock in known))


def _counted(found: Iterable[Iterable[str]]) -> dict[str, int]:
    return dict(sorted(Counter(word for words in found for word in words).items()))


def flagged(
    regions: Mapping[str, Comparison],
    rounds: Sequence[Round],
    last: Sequence[Turn],
    both: tuple[Seen, Seen],
) -> dict[str, Comparison]:
    """The regions with their flags and the ratio in cycles. ``last`` are turns of the round that ended the reading."""
    if not rounds:
        return dict(regions)
    told = dict(_conditions(rounds, last, both))
    a, b = _clocks(both)
    clocks = clocks_apart(b, a)
    return {
        key: replace(
            found,
            cycles=None if clocks is None else found.ratio * clocks,
            flags=_sorted(told | dict(_times(rounds, key))),
        )
        for key, found in regions.items()
    }


def _sorted(flags: Mapping[str, str]) -> dict[str, str]:
    return {key: flags[key].replace(NBSP, " ") for key in LEGEND if key in flags}


def _conditions(rounds: Sequence[Round], last: Sequence[Turn], both: tuple[Seen, Seen]) -> Iterator[tuple[str, str]]:
    """Flags of all that ran in these rounds, each with its words."""
    if blind := unwatched(rounds):
        yield NOT_WATCHED, f"{blind} of {len(rounds)} rounds"
    if words := _by_side(both, lambda side: _reasons(side, len(rounds))):
        yield "throttled", words
    if words := _by_side(
        both, lambda side: spread_text(side.sm_clock) if side.sm_clock and moved(side.sm_clock) else ""
    ):
        yield "clock_spread", words
    a, b = _clocks(both)
    if a is not None and b is not None and clocks_apart(a, b) is not None:
        yield "clocks_apart", ", ".join(f"{name} {format_value(clock, 'Hz')}" for name, clock in (("A", a), ("B", b)))
    turns = (*(turn for r in rounds for turn in (r.a, r.b)), *last)
    if others := list(dict.fromkeys(found for turn in turns for found in contamination(turn.state))):
        yield "contaminated", "; ".join(others[:3])


def _clocks(both: tuple[Seen, Seen]) -> tuple[float | None, float | None]:
    a, b = (side.sm_clock.centre if side.sm_clock else None for side in both)
    return a, b


def _by_side(both: tuple[Seen, Seen], words: Callable[[Seen], str]) -> str:
    return "; ".join(f"{name}: {told}" for name, side in zip("AB", both, strict=True) if (told := words(side)))


def _reasons(side: Seen, rounds: int) -> str:
    return ", ".join(
        f"{THROTTLING.get(reason, reason.replace('_', ' '))} in {count} of {rounds} rounds"
        for reason, count in side.throttle.items()
    )


def _times(rounds: Sequence[Round], region: str) -> Iterator[tuple[str, str]]:
    """Flags of the times of a region, in the order of the rounds."""
    found: dict[str, list[str]] = {}
    for name, times in (("A", [r.a.regions[region] for r in rounds]), ("B", [r.b.regions[region] for r in rounds])):
        for flag in noise(summarise(times, "rotate")) | pattern(times):
            low, high = (format_value(end, "s") for end in (min(times), max(times)))
            found.setdefault(flag, []).append(f"{name}: {low} to {high}")
    return ((flag, "; ".join(words)) for flag, words in found.items())
