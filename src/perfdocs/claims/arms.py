"""Sets of arms: by name, by group, or by the kind of device that they run on; and items said of one arm of a set.

In a claim that goes through the arms of a set, and in a function over them, the word ``arm`` stands for each in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from msgspec import structs

from ..definition import Definition
from ..expression import Binary, Call, Name
from .context import Context
from .nodes import ARM, At, Bounded, Compared, Item, Leads, Over, Overtakes, Tree, Trend, Within, named
from .scope import Data

__all__ = ["arms_here", "end_of", "item_of", "members", "tree_of"]


def members(keys: Iterable[str], context: Context, data: Data) -> tuple[str, ...]:
    """The arms of a set, each once. Raises ``claim-name`` for a word that names none."""
    d = data.definition(context)
    found: dict[str, None] = {}
    for key in keys:
        arms = tuple(_members(key, d))
        if not arms:
            raise data.unknown(key, context)
        found |= dict.fromkeys(arms)
    return tuple(found)


def _members(key: str, d: Definition) -> Iterator[str]:
    """A group before a kind of device that is called like it."""
    if key in d.arms:
        yield key
    elif key in d.groups:
        yield from (arm for arm, entry in d.arms.items() if entry.group == key)
    else:
        yield from (arm for arm, entry in d.arms.items() if key in entry.on)


def arms_here(
    of: Iterable[str], context: Context, others: Iterable[str], data: Data, *, run: bool = False
) -> tuple[str, tuple[str, ...]]:
    """A table and the arms of a set that it has where the context selects; of no set, all of them.

    That are those measured there and, unless only those that were ``run`` count, those of which the card says that they
    were not run there. The table is the first that has the ``others`` there, of which the rest of the claim speaks.
    """
    d = data.definition(context)
    wanted = members(of, context, data) or tuple(d.arms)
    needed = {*others}
    for table in (context.table,) if context.table else d.tables:
        here = structs.replace(context, table=table)
        found = {spot.arm for spot in data.matching(here, tuple(dict.fromkeys((*wanted, *needed))))}
        if found >= needed and found & {*wanted}:
            found |= set() if run else data.arms_not_run(here, wanted)
            return table, tuple(arm for arm in d.arms if arm in found and arm in wanted)
    what = f"no arm of {' and '.join(of) or 'any set'} measured{data.describe(context)}"
    raise data.error("claim-empty", what, "at least one", "correct the selection")


def end_of(tree: Over, context: Context, data: Data) -> str:
    """``fastest`` or ``slowest`` where a function over arms is the value of that one: ``min(arm over arm of gpu)``."""
    if tree.axis != ARM or tree.function not in ("min", "max") or context.benchmark is None:
        return ""
    d = data.definition(context)
    said = [name for name in named(tree.value) if name in d.metrics or name in d.derived]
    better = d.quantity(said[0] if said else context.metric or d.default).better
    if better is None:
        return ""
    return "fastest" if (tree.function == "min") == (better == "lower") else "slowest"


@lru_cache(maxsize=1024)  # a claim says it at every point
def item_of(item: Item, arm: str) -> Item:
    """An item with an arm in the place of the word ``arm``."""
    if isinstance(item, Leads):
        return item
    if isinstance(item, (Overtakes, Trend)):
        changed: Item = replace(item, value=tree_of(item.value, arm))
    else:
        changed = replace(item, values=tuple(tree_of(tree, arm) for tree in item.values))
    if isinstance(changed, Bounded):
        return replace(changed, limit=tree_of(changed.limit, arm))
    if isinstance(changed, (Compared, Within, Overtakes)):
        return replace(changed, other=tree_of(changed.other, arm))
    return changed


def tree_of(tree: Tree, arm: str) -> Tree:
    """The same of an expression; a function over arms has an ``arm`` of its own."""
    if isinstance(tree, Name):
        return replace(tree, name=arm) if tree.name == ARM else tree
    if isinstance(tree, At):
        return replace(tree, node=tree_of(tree.node, arm))  # type: ignore[arg-type] # a call stays a call
    if isinstance(tree, Over):
        return tree if tree.axis == ARM else replace(tree, value=tree_of(tree.value, arm))
    if isinstance(tree, Call):
        return replace(tree, arguments=tuple(tree_of(a, arm) for a in tree.arguments))  # type: ignore[misc]
    if isinstance(tree, Binary):
        return replace(tree, left=tree_of(tree.left, arm), right=tree_of(tree.right, arm))  # type: ignore[arg-type]
    return tree
