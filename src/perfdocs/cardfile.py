"""The file of a card: bytes to records and back, and the JSON Schema. Cards come from strangers."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from .card import KEY_PATTERN, MAX_SAMPLES, PARTIAL_SCHEMA, SCHEMA, Card, Measurement, MetricValue, Summary
from .errors import PerfdocsError, clean, place
from .files import read_bytes, write_atomic
from .tree import MAX_DEPTH, Where, check_tree, convert, kind_of, object_of_pairs

__all__ = [
    "RESERVED",
    "card_schema",
    "check_name",
    "decode_card",
    "encode_card",
    "read_card",
    "to_builtins",
    "write_card",
]

RESERVED = frozenset({"table", "arm", "at", "flags", "block", "values"})
"""Keys of a measurement that are no metric; ``values`` is where the record keeps the metrics."""


def _metric_value(value: Any, path: str, where: Where) -> MetricValue:
    if isinstance(value, bool) or value is None:
        pass
    elif isinstance(value, (int, float)):
        return float(value)
    elif isinstance(value, str):
        if re.fullmatch(KEY_PATTERN, value):
            return value
        raise PerfdocsError(
            "card-type",
            where(path),
            kind_of(value),
            "a number, a list of numbers, a summary, or a key of lower-case letters, digits and _",
            "write numbers as numbers in SI base units, without the unit",
        )
    elif isinstance(value, list):
        if not value:
            raise PerfdocsError(
                "card-samples",
                where(path),
                "an empty list of samples",
                "at least one sample",
                "remove the metric, or record the arm in not_run with its reason",
            )
        if len(value) > MAX_SAMPLES:
            raise PerfdocsError(
                "card-samples",
                where(path),
                f"{len(value)} samples",
                f"at most {MAX_SAMPLES}",
                "measure with fewer runs",
            )
        if all(type(x) in (int, float) for x in value):
            return tuple(map(float, value))
        bad = next(i for i, x in enumerate(value) if type(x) not in (int, float))
        raise PerfdocsError("card-type", where(f"{path}[{bad}]"), kind_of(value[bad]), "a number", "write numbers only")
    elif isinstance(value, dict):
        summary = convert(value, Summary, path, where, "card")
        low, high = summary.low, summary.high
        if (low is not None and low > summary.centre) or (high is not None and high < summary.centre):
            raise PerfdocsError(
                "card-summary",
                where(path),
                "a centre outside its range",
                "low ≤ centre ≤ high",
                "correct the three numbers",
            )
        return summary
    raise PerfdocsError(
        "card-type",
        where(path),
        kind_of(value),
        "a number, a list of numbers, a summary or a key",
        "correct the value or remove the metric",
    )


def decode_card(data: bytes, path: Path) -> Card:
    """Validate the bytes of a card; ``path`` is used in messages only. Raises :class:`PerfdocsError`."""

    def where(at: str) -> str:
        return place(path, at)

    try:
        text = data.decode("utf-8")
        tree = json.loads(text, object_pairs_hook=object_of_pairs)
    except UnicodeDecodeError as error:
        raise PerfdocsError(
            "card-syntax",
            where(f"byte {error.start}"),
            "bytes that are not UTF-8",
            "UTF-8 text",
            "save the file as UTF-8, or copy it again",
        ) from None
    except json.JSONDecodeError as error:
        raise PerfdocsError(
            "card-syntax",
            where(f"line {error.lineno}, column {error.colno}"),
            error.msg.lower(),
            "JSON",
            "the file is cut short or damaged; copy it again",
        ) from None
    except RecursionError:
        raise PerfdocsError(
            "card-depth", where("$"), "objects nested without end", f"at most {MAX_DEPTH} levels", "this is not a card"
        ) from None
    except ValueError as error:
        raise PerfdocsError(
            "card-number",
            where("$"),
            clean(str(error), 120),
            "finite numbers of ordinary length",
            "measure this card again; what is absent belongs in not_run with its reason",
        ) from None
    if not isinstance(tree, dict):
        raise PerfdocsError("card-type", where("$"), kind_of(tree), "an object", "this is not a card")
    schema = tree.get("schema")
    if schema != SCHEMA:
        _refuse_schema(schema, where)
    check_tree(tree, where, "card")
    raw = tree.get("measurements")
    if not isinstance(raw, list):
        raise PerfdocsError(
            "card-type",
            where("$.measurements"),
            "nothing" if raw is None else kind_of(raw),
            "an array of measurements",
            "this is not a whole card; measure it again",
        )
    for i, item in enumerate(raw):
        at = f"$.measurements[{i}]"
        if not isinstance(item, dict):
            raise PerfdocsError("card-type", where(at), kind_of(item), "an object", "correct the value")
        values = {}
        for key in [k for k in item if k not in RESERVED or k == "values"]:
            if not re.fullmatch(KEY_PATTERN, key) or key == "values":
                raise PerfdocsError(
                    "card-key",
                    where(f"{at}.{clean(key, 80)}"),
                    f'the metric key "{clean(key, 60)}"',
                    "lower-case letters, digits and _",
                    "name a metric of the definition",
                )
            values[key] = _metric_value(item.pop(key), f"{at}.{key}", where)
        raw[i] = msgspec.structs.replace(convert(item, Measurement, at, where, "card"), values=values)
    tree["measurements"] = tuple(raw)
    card = convert(tree, Card, "$", where, "card")
    try:
        datetime.strptime(card.recorded, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError:
        raise PerfdocsError(
            "card-value",
            where("$.recorded"),
            f'"{card.recorded}"',
            "a date that exists",
            "correct the date",
        ) from None
    return card


def _refuse_schema(schema: Any, where: Where) -> None:
    if schema == PARTIAL_SCHEMA:
        raise PerfdocsError(
            "card-partial",
            where("$.schema"),
            "an interrupted measurement",
            f'"{SCHEMA}"',
            "run the same `perfdocs run` again to complete it",
        )
    if isinstance(schema, str) and schema.startswith("perfdocs.card/"):
        raise PerfdocsError(
            "card-future",
            where("$.schema"),
            f'"{clean(schema, 40)}"',
            f'"{SCHEMA}"',
            "upgrade perfdocs to read this card",
        )
    found = f'"{clean(schema, 40)}"' if isinstance(schema, str) else "nothing" if schema is None else kind_of(schema)
    raise PerfdocsError("card-schema", where("$.schema"), found, f'"{SCHEMA}"', "this is not a perfdocs card")


def read_card(path: Path, root: Path | None = None) -> Card:
    """Read and validate one card. ``root`` is the folder it may not lie outside of (default: its own folder).

    Raises :class:`PerfdocsError` with the file and the JSON path.
    """
    card = decode_card(read_bytes(path, root or path.parent), path)
    check_name(card, path)
    return card


def check_name(card: Card, path: Path) -> None:
    """Refuse a card whose file is not named for its device. Raises :class:`PerfdocsError`."""
    if card.device.id != path.name.removesuffix(".json"):
        raise PerfdocsError(
            "card-name",
            place(path, "$.device.id"),
            f'"{card.device.id}"',
            f'"{clean(path.name.removesuffix(".json"), 80)}", the name of the file',
            f"rename the file to {card.device.id}.json",
        )


def _plain(measurement: Measurement) -> dict[str, Any]:
    out: dict[str, Any] = msgspec.to_builtins(measurement)
    out.update(out.pop("values", {}))
    return out


def to_builtins(card: Card) -> dict[str, Any]:
    """The card as JSON-ready dicts and lists, metrics flattened into their measurement."""
    out: dict[str, Any] = msgspec.to_builtins(card)
    out["measurements"] = [_plain(m) for m in card.measurements]
    return out


def encode_card(card: Card) -> bytes:
    """The bytes of the card's file: one measurement a line, so that a diff shows which changed."""
    head = to_builtins(card)
    lists = {key: head.pop(key) for key in ("measurements", "not_run") if key in head}
    parts = [f" {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in head.items()]
    for key, items in lists.items():
        rows = ",\n".join("  " + json.dumps(item, ensure_ascii=False) for item in items)
        parts.append(f' "{key}": [\n{rows}\n ]' if rows else f' "{key}": []')
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def write_card(card: Card, path: Path) -> None:
    """Validate and write the card atomically. Raises :class:`PerfdocsError` where it would not read back."""
    data = encode_card(card)
    decode_card(data, path)
    write_atomic(path, data)


def card_schema() -> dict[str, Any]:
    """JSON Schema of a card, metrics flattened into their measurement as they are in the file."""
    (_,), parts = msgspec.json.schema_components([Card], ref_template="#/$defs/{name}")
    parts = dict(parts)
    measurement = dict(parts["Measurement"])
    properties = dict(measurement["properties"])
    metric = properties.pop("values")["additionalProperties"]
    measurement.update(properties=properties, additionalProperties=metric)
    parts["Measurement"] = measurement
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        "$ref": "#/$defs/Card",
        "$defs": parts,
    }
