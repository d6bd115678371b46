"""Whether a block whose conditions were bad is measured again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perfdocs.card import Block
from perfdocs.conditions import FOREIGN_LOAD, OWN_DOING, faults

__all__ = ["Again", "foreign_limit"]


def foreign_limit(processors: int, on_device: bool) -> float:
    """Processors' worth of foreign load from which a block counts as contaminated.

    An arm of the host uses all processors it may, and whatever takes part of one holds up all threads. A GPU's arm
    needs one to launch from, which the system finds as long as half are free.
    """
    return max(FOREIGN_LOAD, processors / 2) if on_device else FOREIGN_LOAD


@dataclass(slots=True)
class Again:
    """Decides, and keeps count of what is left of the card's budget. Seconds.

    ``most`` tries follow a first bad one; one only where the arm's own load is all that is wrong.
    """

    most: int
    budget: float
    spent: float = 0.0

    def why(self, blocks: Sequence[Block], seconds: float, left: float | None) -> str | None:
        """Why to measure blocks of one round, which took ``seconds``, again; ``None``: they are as good as it gets.

        ``left`` are the seconds until the deadline.
        """
        found = list(dict.fromkeys(fault for block in blocks for fault in faults(block)))
        most = min(self.most, 1) if OWN_DOING.issuperset(found) else self.most
        late = left is not None and seconds > left
        if not found or len(blocks[0].repeats) >= most or late or self.spent + seconds > self.budget:
            return None
        self.spent += seconds
        return ", ".join(found)[:500]
