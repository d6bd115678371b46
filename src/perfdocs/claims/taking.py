"""What an expression takes from around it: an arm, a metric, a device, axes; the rest it says itself in brackets.

What a scope says and no item takes binds nothing: `every n: a[n=1e6] faster than b[n=1e6]` would compare one point with
itself, whatever N is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..errors import PerfdocsError
from ..expression import Binary, Call, Name, Selector
from ..functions import FUNCTIONS
from ..quantity import axis_text
from .along import places_of
from .context import Context
from .narrowing import narrow
from .nodes import ARM, At, Item, Leads, Over, Overtakes, Tree, Trend
from .phrases import phrase
from .scope import Data

__all__ = ["check_taken", "tree_takes"]

_NOTHING = frozenset[str]()
_OF_ARMS = frozenset({"arm", "metric"})


def check_taken(
    items: Sequence[Item | Tree], context: Context, data: Data, through: Mapping[str, frozenset[str]] | None = None
) -> None:
    """Refuse arms and metrics of the scope that no item takes, and an item that says itself what is gone ``through``.

    That is each axis, device or cell of a quantifier, with the axes that differ. Raises :class:`PerfdocsError`.
    """
    takes = [_item_takes(item, context, data) for item in items]
    for said, keys in (through or {}).items():
        for taken in takes:
            if fixed := keys - taken:
                raise _fixed(f"going through {said} with what", min(fixed), data)
    for key in sorted(context.said & _OF_ARMS - _NOTHING.union(*takes)):
        if context.value(key) in data.definition(context).tables:
            continue  # a table that is called like its metric is what was meant
        found = f"the {key} {axis_text(context.value(key) or '')} in the scope, which nothing behind it is of"
        raise data.error("claim-syntax", found, "what it is of", f"leave it out, or name the {key} in the item itself")


def _item_takes(item: Item | Tree, context: Context, data: Data) -> frozenset[str]:
    if isinstance(item, Leads):
        return _axes(context, data) | {"device"} | (_NOTHING if item.metric else {"metric"})
    if isinstance(item, Tree):
        return tree_takes(item, context, data)
    takes = _NOTHING.union(*(tree_takes(tree, context, data) for tree in item.trees))
    if not isinstance(item, (Overtakes, Trend)):
        return takes
    if item.axis not in takes:
        raise _fixed(f"`{phrase(item.value)}` over {item.axis}, which", item.axis, data)
    return takes - {item.axis}


def tree_takes(tree: Tree, context: Context, data: Data) -> frozenset[str]:
    """The fields and axes that an expression leaves to what is around it.

    Raises :class:`PerfdocsError` where brackets name an arm or a metric that what stands before them has no use for,
    and where a function goes along an axis that its value names itself.
    """
    if isinstance(tree, Name):
        return _left(tree, tree.selectors, _name_takes(tree.name, context, data), context, data)
    if isinstance(tree, At):
        return _left(tree, tree.selectors, tree_takes(tree.node, context, data), context, data)
    if isinstance(tree, Over):
        takes = tree_takes(tree.value, context, data)
        (first, _), *_ = places_of(tree, context, data)
        if (fixed := first.keys() - takes) and not isinstance(tree.value, Over):  # the least of the least is the same
            raise _fixed(f"`{phrase(tree)}`, which", min(fixed), data)
        return takes - first.keys()
    if isinstance(tree, Binary):
        return _of_all((tree.left, tree.right), context, data)
    if not isinstance(tree, Call):
        return _NOTHING
    if tree.function in FUNCTIONS:
        return _of_all(tree.arguments, context, data)
    brackets = [s for argument in tree.arguments if isinstance(argument, Name) for s in argument.selectors]
    of_set = {ARM} if any(isinstance(a, Name) and a.name == ARM for a in tree.arguments) else _NOTHING
    takes = _axes(context, data) | {"device"} | of_set  # a metric of an arm: both are said
    return _left(tree, brackets, takes, context, data)


def _of_all(trees: Iterable[Tree], context: Context, data: Data) -> frozenset[str]:
    return _NOTHING.union(*(tree_takes(tree, context, data) for tree in trees))


def _axes(context: Context, data: Data) -> frozenset[str]:
    return frozenset(data.definition(context).axes)


def _name_takes(name: str, context: Context, data: Data) -> frozenset[str]:
    if name.startswith("device."):
        return frozenset({"device"})
    definition = data.definition(context)
    if name in definition.axes:
        return frozenset({name})
    if name == ARM:
        return _axes(context, data) | {"device", "metric", ARM}
    if name in definition.arms:
        return _axes(context, data) | {"device", "metric"}
    if name in definition.metrics or name in definition.derived:
        return _axes(context, data) | {"device", "arm"}
    return _NOTHING


def _left(
    tree: Tree, selectors: Sequence[Selector], takes: frozenset[str], context: Context, data: Data
) -> frozenset[str]:
    """What brackets leave of it."""
    said = narrow(data, context, selectors).said if selectors else _NOTHING
    for key in sorted(said & _OF_ARMS - takes):
        found, do = (
            f"`{phrase(tree)}`, which names {'an arm' if key == 'arm' else 'a metric'} in vain",
            "name one of them",
        )
        raise data.error("claim-syntax", found, f"no {key} in brackets where there is one", do)
    return takes - said


def _fixed(what: str, key: str, data: Data) -> PerfdocsError:
    """What goes through a key over something that says it itself."""
    expected, do = f"what differs from {key} to {key}", f"take {key} out of the brackets, or do not go through it"
    return data.error("claim-syntax", f"{what} names its {key} itself", expected, do)
