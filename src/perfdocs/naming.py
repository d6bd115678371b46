"""Devices of one name told apart: each gets the words of its id that the others do not share."""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["told_apart"]


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Names to show, by device id: those of ``intel-xeon-16c`` and ``intel-xeon-32c`` get "(16c)" and "(32c)"."""
    shown = dict(names)
    for ids in _alike(names):
        shown |= {device_id: f"{names[device_id]} ({_tail(device_id, ids)})" for device_id in ids}
    while still := _alike(shown):  # a name may be another's with what told it apart: whole ids end that
        shown |= {device_id: f"{names[device_id]} ({device_id})" for ids in still for device_id in ids}
    return shown


def _alike(names: Mapping[str, str]) -> list[list[str]]:
    """Ids of each name that more than one device has, as a reader tells them apart."""
    groups: dict[str, list[str]] = {}
    for device_id, name in names.items():
        groups.setdefault(" ".join(name.split()).casefold(), []).append(device_id)
    return [ids for ids in groups.values() if len(ids) > 1]


def _tail(device_id: str, ids: Collection[str]) -> str:
    """The id without the words that all of them begin with; whole where nothing would be left."""
    parts = [other.split("-") for other in ids]
    shared = 0
    while all(len(words) > shared + 1 and words[shared] == parts[0][shared] for words in parts):
        shared += 1
    return "-".join(device_id.split("-")[shared:])
