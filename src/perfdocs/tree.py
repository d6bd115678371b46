"""Trees of JSON or TOML from strangers: what may be in one at all, and where it breaks a shape.

Nothing here knows what a card or a definition is; messages carry a file and a path, codes the prefix of their reader.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from .errors import PerfdocsError, clean

__all__ = ["MAX_DEPTH", "MAX_NUMBER", "Where", "check_tree", "convert", "kind_of", "object_of_pairs"]

T = TypeVar("T")
Where = Callable[[str], str]
"""Names the place of a path such as ``$.device.id`` in its file."""

MAX_DEPTH = 40
MAX_NUMBER = 1e100
MAX_INTEGER = 2**63
MAX_NAMED = 50
"""No quantity in SI units is larger; below it no sum or mean of samples overflows."""

_PRIVATE = {
    "an absolute path": re.compile(
        r"(?:^|[\s'\"(=:])(?:/(?:home|root|Users|tmp|usr|var|opt|mnt|work|etc)\b/?|[A-Za-z]:\\)"
    ),
    "a UUID": re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
}
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
_LOCATED = re.compile(r"(?s)(?P<message>.*?)(?: - at (?P<key>`key` in )?`(?P<path>\$[^`]*)`)?")
_UNKNOWN = re.compile(r"(?s)Object contains unknown field `(.*)`")
_LACKING = re.compile(r"Object missing required field `(\w+)`")


class _Pairs(dict[str, Any]):
    """A JSON object that remembers a key it saw twice."""

    duplicate: str | None = None


def object_of_pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object, remembering a duplicate key for :func:`check_tree`."""
    plain = dict(items)
    if len(plain) == len(items):
        return plain
    marked = _Pairs(plain)
    seen: set[str] = set()
    for key, _ in items:
        if key in seen:
            marked.duplicate = key
        seen.add(key)
    return marked


def check_tree(value: Any, where: Where, prefix: str) -> None:
    """Refuse duplicate keys, numbers no quantity has, deep nesting and text no one means, at any depth.

    Raises :class:`PerfdocsError` with a code that starts with ``prefix``.
    """
    if _ordinary(value, prefix == "card"):
        return  # nothing to say, so no place to name: by far the most of what is read
    stack: list[tuple[Any, str, int]] = [(value, "$", 0)]
    while stack:
        item, path, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise PerfdocsError(
                f"{prefix}-depth",
                where(path[:200]),
                "objects nested deeper and deeper",
                f"at most {MAX_DEPTH} levels",
                "remove what does not belong here",
            )
        if isinstance(item, dict):
            if isinstance(item, _Pairs) and item.duplicate is not None:
                raise PerfdocsError(
                    f"{prefix}-duplicate-key",
                    where(path),
                    f'the key "{item.duplicate}" twice',
                    "each key once",
                    "remove one of them",
                )
            for key, child in reversed(item.items()):
                _check_text(key, path, where, prefix, key=True)
                stack.append((child, f"{path}.{clean(key, 80)}", depth + 1))
        elif isinstance(item, (list, tuple)):
            if _ordinary_floats(item):
                continue  # samples, most of a card
            stack.extend((child, f"{path}[{i}]", depth + 1) for i, child in reversed(list(enumerate(item))))
        elif isinstance(item, str):
            _check_text(item, path, where, prefix)
        elif isinstance(item, (int, float)) and not _ordinary_number(item):
            finite = isinstance(item, int) or math.isfinite(item)
            raise PerfdocsError(
                f"{prefix}-number",
                where(path),
                "a number beyond all bounds" if finite else "a number that is not finite",
                "a finite number of ordinary size",
                "correct it; a value that a card lacks belongs in its not_run with the reason",
            )


def _ordinary(item: Any, card: bool, depth: int = 0) -> bool:
    """Whether a tree is right; where it is not, :func:`check_tree` looks again and says where."""
    kind = type(item)
    if kind is float or kind is int:
        return _ordinary_number(item)
    if kind is str:
        return _wrong_text(item, card) is None
    if depth > MAX_DEPTH:
        return False
    if kind is dict:
        return not any(_wrong_text(key, card, key=True) for key in item) and all(
            _ordinary(child, card, depth + 1) for child in item.values()
        )
    if kind is list or kind is tuple:
        return _ordinary_floats(item) or all(_ordinary(child, card, depth + 1) for child in item)
    return item is None or kind is bool


def _ordinary_number(item: float) -> bool:
    if isinstance(item, int):  # what formats other than JSON can hold too
        return -MAX_INTEGER <= item < MAX_INTEGER
    return -MAX_NUMBER < item < MAX_NUMBER


def _ordinary_floats(item: Sequence[Any]) -> bool:
    if not item or not all(type(x) is float for x in item) or any(map(math.isnan, item)):
        return False
    return bool(min(item) > -MAX_NUMBER and max(item) < MAX_NUMBER)


def _wrong_text(text: str, card: bool, *, key: bool = False) -> tuple[str, str, str, str] | None:
    """What no one means in a text: the end of the problem's code, what was found, what was expected, what to do."""
    if text.isascii() and text.isprintable() and "/" not in text and "\\" not in text and text.count("-") < 4:
        return None
    for c in text:
        if c in "\n\t" and not card and not key:
            continue  # prose of a definition has lines
        if c in _BIDI or unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn"):
            return (
                "text",
                f"the character U+{ord(c):04X} in {clean(text, 60)!r}",
                "printable text without control or direction-override characters",
                "remove the character",
            )
    for what, pattern in _PRIVATE.items() if card else ():
        if pattern.search(text):
            return (
                "private",
                f"{what} in {clean(text, 60)!r}",
                "no fact that identifies a machine or a person",
                "remove it; keep the public part",
            )
    return None


def _check_text(text: str, path: str, where: Where, prefix: str, *, key: bool = False) -> None:
    if wrong := _wrong_text(text, prefix == "card", key=key):
        code, found, expected, do = wrong
        raise PerfdocsError(f"{prefix}-{code}", where(path), found, expected, do)


def kind_of(value: Any) -> str:
    """What a value is, for a message: a short scalar as it stands, anything else by its kind."""
    if isinstance(value, str):
        return f'the text "{clean(value, 60)}"'
    if value is None or isinstance(value, (bool, int, float)):
        return clean(json.dumps(value), 40)
    return "an object" if isinstance(value, dict) else "an array" if isinstance(value, list) else "a value"


def convert(value: Any, to: type[T], path: str, where: Where, prefix: str) -> T:
    """Fit a tree to a record. Raises :class:`PerfdocsError` that names the place, the value there and what fits."""
    try:
        return msgspec.convert(value, to, strict=True)
    except msgspec.ValidationError as error:
        located = _LOCATED.fullmatch(str(error))
        message, inner = (located["message"], (located["path"] or "$")[1:]) if located else (str(error), "")
        key = bool(located and located["key"])
        inner = inner if key else _named(value, to, inner)
        at = where(path + inner)
        if unknown := _UNKNOWN.fullmatch(message):
            raise PerfdocsError(
                f"{prefix}-unknown-key",
                at,
                f'the key "{clean(unknown[1], 60)}"',
                "only keys of the schema",
                "remove the key or correct its spelling",
            ) from None
        if lacking := _LACKING.fullmatch(message):
            raise PerfdocsError(
                f"{prefix}-missing-key", at, f'no key "{lacking[1]}"', "the key", "add it with its value"
            ) from None
        found = "a key that does not fit" if key else _found(value, inner)
        wrong_type = ", got " in message and not message.startswith("Invalid")
        expected = _expected(message)
        code = f"{prefix}-type" if wrong_type else f"{prefix}-value"
        raise PerfdocsError(code, at, found, expected, "correct the key" if key else "correct the value") from None


def _expected(message: str) -> str:
    if message.startswith("Invalid enum value"):
        return "one of the values the schema names"
    text = message.rpartition(", got ")[0] if ", got " in message else message
    text = text.replace("`", "").removeprefix("Expected ").replace("Number out of range", "a smaller number")
    return clean(text[:1].lower() + text[1:], 160)


def _named(value: Any, to: Any, path: str) -> str:
    """``path`` with the key that msgspec writes as ``[...]``: the first one that alone breaks the shape too."""
    head, hidden, tail = path.partition("[...]")
    try:
        mapping = _at(value, head)
    except (KeyError, IndexError, TypeError):
        return path
    if not hidden or not isinstance(mapping, dict):
        return path
    every = dict(mapping)
    if len(every) > MAX_NAMED:  # each try reads the whole tree
        return head
    try:
        for key in every:
            mapping.clear()
            mapping[key] = every[key]
            try:
                msgspec.convert(value, to, strict=True)
            except msgspec.ValidationError as error:
                if f"${path}`" in str(error):
                    return f"{head}.{clean(key, 80)}{tail}"
        return path
    finally:
        mapping.clear()
        mapping.update(every)


def _at(value: Any, path: str) -> Any:
    for name, index in re.findall(r"\.([^.\[\]]+)|\[(\d+)\]", path):
        value = value[name] if name else value[int(index)]
    return value


def _found(value: Any, path: str) -> str:
    """The value at ``path`` of a tree, as far as the path names it."""
    try:
        return kind_of(_at(value, path))
    except (KeyError, IndexError, TypeError):
        return "a value that does not fit"
