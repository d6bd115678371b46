"""A card: one device's measurements of one benchmark, one JSON file.

This module knows the shape of a card and nothing of what a benchmark means: keys of arms, axes and metrics are
checked against the definition in :mod:`perfdocs.library`. A card holds raw samples and counted facts in SI base
units; statistics, rates and winners are derived at build time.
"""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from .errors import PerfdocsError, clean, place

__all__ = [
    "Block",
    "Card",
    "Device",
    "Gate",
    "Host",
    "Measurement",
    "Method",
    "MetricValue",
    "NotRun",
    "Origin",
    "Source",
    "Summary",
    "card_schema",
    "decode_card",
    "encode_card",
    "read_card",
    "write_atomic",
    "write_card",
]

T = TypeVar("T")

SCHEMA = "perfdocs.card/1"
PARTIAL_SCHEMA = "perfdocs.partial/1"
MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 40
ID_PATTERN = r"^[a-z0-9][a-z0-9-]{0,63}$"
KEY_PATTERN = r"^[a-z][a-z0-9_]{0,63}$"

Id = Annotated[str, Meta(pattern=ID_PATTERN)]
Key = Annotated[str, Meta(pattern=KEY_PATTERN)]
Name = Annotated[str, Meta(min_length=1, max_length=120)]
Text = Annotated[str, Meta(max_length=500)]
Short = Annotated[str, Meta(max_length=80)]
Positive = Annotated[float, Meta(gt=0)]
NonNegative = Annotated[float, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0, description="seconds")]
Hertz = Annotated[float, Meta(gt=0, description="hertz")]
Bytes = Annotated[int, Meta(ge=0, description="bytes")]
Celsius = Annotated[float, Meta(description="degrees Celsius")]
Kelvin = Annotated[float, Meta(ge=0, description="kelvin")]
Count = Annotated[int, Meta(ge=0)]
AxisValue = int | float | str


class _Record(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every record in a card: frozen, no unknown keys, defaults not written."""


class Summary(_Record, frozen=True, kw_only=True):
    """A metric known only by its centre, an optional range and its number of significant digits (imported data)."""

    centre: float
    low: float | None = None
    high: float | None = None
    digits: Annotated[int, Meta(ge=1, le=17)] | None = None


MetricValue = float | tuple[float, ...] | Summary | str
"""A count, the raw samples of the timed runs, a summary, or the key of a choice; SI base units."""


class Origin(_Record, frozen=True, kw_only=True):
    """Where the numbers come from. Imported and synthetic cards say so wherever their values show."""

    kind: Literal["measured", "imported", "synthetic"]
    source: Text | None = None
    licence: Text | None = None


class Device(_Record, frozen=True, kw_only=True):
    """Public facts of the device; ``None`` means the machine does not tell. Bytes, hertz, watts, bits."""

    id: Id
    kind: Literal["gpu", "cpu"]
    name: Name
    vendor: Name | None = None
    memory: Bytes | None = None
    memory_bus_width: Annotated[int, Meta(ge=1, description="bits")] | None = None
    max_clock: Hertz | None = None
    max_memory_clock: Hertz | None = None
    # GPU
    sm_count: Annotated[int, Meta(ge=1)] | None = None
    compute_capability: tuple[int, int] | None = None
    l2_cache: Bytes | None = None
    power_limit: Annotated[float, Meta(gt=0, description="watts")] | None = None
    ecc: bool | None = None
    mig: Short | None = None
    # CPU
    cores: Annotated[int, Meta(ge=1)] | None = None
    threads: Annotated[int, Meta(ge=1)] | None = None
    simd: Short | None = None
    l3_cache: Bytes | None = None
    governor: Short | None = None


class Host(_Record, frozen=True, kw_only=True):
    """The machine around the device."""

    os: Name | None = None
    cpu: Name | None = None
    threads: Annotated[int, Meta(ge=1)] | None = None
    memory: Bytes | None = None
    container: bool | None = None
    driver: Short | None = None
    load: NonNegative | None = None
    """One-minute load average when the card began."""


class Source(_Record, frozen=True, kw_only=True):
    """sha256 of each file that shaped the numbers (paths relative to the benchmark's folder), and the commit."""

    files: dict[Annotated[str, Meta(max_length=200)], Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]] = {}
    commit: Annotated[str, Meta(pattern="^[0-9a-f]{7,64}$")] | None = None
    dirty: bool | None = None


class Method(_Record, frozen=True, kw_only=True):
    """Parameters of the measurement, the authority for this card. Seconds and kelvin."""

    protocol: Literal["block", "rotate"]
    warmups: Count = 0
    runs: Annotated[int, Meta(ge=1)] = 1
    ramp: Seconds = 0.0
    gate_within: Kelvin | None = None
    gate_wait: Seconds | None = None
    gate_budget: Seconds | None = None
    idle_temperature: Celsius | None = None
    inner_target: Seconds | None = None
    """A timed run repeats the work until it lasts at least this long."""
    timer: Short | None = None
    timer_resolution: Seconds | None = None
    clocks: Literal["nvml", "cpufreq", "none"] = "none"
    clocks_reason: Text | None = None
    pinning: Text | None = None
    quick: bool = False


class Gate(_Record, frozen=True, kw_only=True):
    """How the wait before a block went: seconds waited, kelvin-scale temperature in °C at its end."""

    waited: Seconds
    timed_out: bool = False
    temperature: Celsius | None = None
    skipped: Text | None = None


class Block(_Record, frozen=True, kw_only=True):
    """What surrounded the timed runs of one measurement."""

    gate: Gate | None = None
    warmup: tuple[float, ...] = ()
    ramp_runs: Count = 0
    inner: Annotated[int, Meta(ge=1)] = 1
    throttle: tuple[Short, ...] = ()
    load: tuple[float, ...] = ()


class Measurement(_Record, frozen=True, kw_only=True):
    """One arm at one point on one device. ``values`` stand beside the other keys in the file, not nested."""

    table: Key
    arm: Key
    at: dict[Key, AxisValue] = {}
    flags: tuple[Key, ...] = ()
    block: Block | None = None
    values: dict[Key, MetricValue] = {}


class NotRun(_Record, frozen=True, kw_only=True):
    """What was not run and why; an empty ``table`` or ``at`` means everywhere the arm would have run."""

    arm: Key
    reason: Annotated[str, Meta(min_length=1, max_length=500)]
    kind: Literal[
        "not_installed", "unsupported", "out_of_time", "out_of_memory", "failed_verification", "error", "not_requested"
    ] = "unsupported"
    table: Key | None = None
    at: dict[Key, AxisValue] = {}


class Card(_Record, frozen=True, kw_only=True):
    """One device's measurements of one benchmark."""

    schema: Literal["perfdocs.card/1"]
    benchmark: Key
    version: Annotated[int, Meta(ge=1)]
    recorded: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
    origin: Origin
    device: Device
    host: Host
    software: dict[Short, Short]
    source: Source
    method: Method
    measurements: tuple[Measurement, ...]
    not_run: tuple[NotRun, ...] = ()


_RESERVED = frozenset({"table", "arm", "at", "flags", "block"})
_FORBIDDEN = {
    "an absolute path": re.compile(
        r"(?:^|[\s'\"(=:])(?:/(?:home|root|Users|tmp|usr|var|opt|mnt|work|etc)\b/?|[A-Za-z]:\\)"
    ),
    "a UUID": re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
}
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


class _Pairs(dict[str, Any]):
    """A JSON object that remembers a key it saw twice."""

    duplicate: str | None = None


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
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


def _walk(value: Any, at: str, where: Callable[[str], str]) -> None:
    """Refuse duplicate keys, non-finite numbers and strings that must not be in a card, at any depth."""
    stack: list[tuple[Any, str]] = [(value, at)]
    while stack:
        item, path = stack.pop()
        if isinstance(item, dict):
            if isinstance(item, _Pairs) and item.duplicate is not None:
                raise PerfdocsError(
                    "card-duplicate-key",
                    where(path),
                    f'the key "{item.duplicate}" twice',
                    "each key once",
                    "remove one of them",
                )
            for key, child in item.items():
                _check_text(key, path, where)
                stack.append((child, f"{path}.{clean(key, 80)}"))
        elif isinstance(item, list):
            if item and all(type(x) is float for x in item):
                if not all(map(math.isfinite, item)):
                    raise _not_finite(where(path))
                continue
            stack.extend((child, f"{path}[{i}]") for i, child in enumerate(item))
        elif isinstance(item, str):
            _check_text(item, path, where)
        elif isinstance(item, float) and not math.isfinite(item):
            raise _not_finite(where(path))


def _not_finite(where: str) -> PerfdocsError:
    return PerfdocsError(
        "card-number",
        where,
        "a number that is not finite",
        "a finite number",
        "measure this card again; a value that is absent belongs in not_run with its reason",
    )


def _check_text(text: str, path: str, where: Callable[[str], str]) -> None:
    if text.isascii() and text.isprintable() and "/" not in text and "\\" not in text and text.count("-") < 4:
        return
    for c in text:
        if c in _BIDI or unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn"):
            raise PerfdocsError(
                "card-text",
                where(path),
                f"the character U+{ord(c):04X} in {clean(text, 60)!r}",
                "printable text without control or direction-override characters",
                "remove the character",
            )
    for what, pattern in _FORBIDDEN.items():
        if pattern.search(text):
            raise PerfdocsError(
                "card-private",
                where(path),
                f"{what} in {clean(text, 60)!r}",
                "no fact that identifies a machine or a person",
                "remove it; keep the public part",
            )


def _metric_value(value: Any, path: str, where: Callable[[str], str]) -> MetricValue:
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
            f"the text {clean(value, 60)!r}",
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
        if all(type(x) in (int, float) for x in value):
            return tuple(map(float, value))
        bad = next(i for i, x in enumerate(value) if type(x) not in (int, float))
        raise PerfdocsError("card-type", where(f"{path}[{bad}]"), _kind(value[bad]), "a number", "write numbers only")
    elif isinstance(value, dict):
        return _convert(value, Summary, path, where)
    raise PerfdocsError(
        "card-type",
        where(path),
        _kind(value),
        "a number, a list of numbers, a summary or a key",
        "correct the value or remove the metric",
    )


def _kind(value: Any) -> str:
    return {
        dict: "an object",
        list: "an array",
        str: "a text",
        bool: "true or false",
        type(None): "null",
        int: "a number",
        float: "a number",
    }.get(type(value), "a value")


def _convert(value: Any, to: type[T], path: str, where: Callable[[str], str]) -> T:
    try:
        return msgspec.convert(value, to, strict=True)
    except msgspec.ValidationError as error:
        message, _, tail = str(error).partition(" - at `")
        inner = tail.rstrip("`").removeprefix("$") if tail else ""
        expected, _, found = message.partition(", got ")
        lower = expected[:1].lower() + expected[1:]
        if found:
            raise PerfdocsError(
                "card-type",
                where(path + inner),
                found.replace("`", ""),
                lower.replace("expected ", "", 1).replace("`", ""),
                "correct the value",
            ) from None
        if "unknown field" in message:
            raise PerfdocsError(
                "card-unknown-key",
                where(path + inner),
                clean(message.replace("`", '"'), 120),
                "only the keys of the schema",
                "remove the key, or see `perfdocs schema`",
            ) from None
        raise PerfdocsError(
            "card-value",
            where(path + inner),
            "a value that does not fit",
            lower.replace("expected ", "", 1).replace("`", '"'),
            "correct the value",
        ) from None


def decode_card(data: bytes, path: Path) -> Card:
    """Validate the bytes of a card; ``path`` is used in messages only. Raises :class:`PerfdocsError`."""

    def where(at: str) -> str:
        return place(path, at)

    try:
        text = data.decode("utf-8")
        tree = json.loads(text, object_pairs_hook=_pairs)
    except UnicodeDecodeError as error:
        raise PerfdocsError(
            "card-syntax",
            where(f"byte {error.start}"),
            "bytes that are not UTF-8",
            "UTF-8 text",
            "write the card again with `perfdocs run`",
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
        raise PerfdocsError("card-type", where("$"), _kind(tree), "an object", "this is not a card")
    schema = tree.get("schema")
    if schema != SCHEMA:
        _refuse_schema(schema, where)
    _walk(tree, "$", where)
    raw = tree.get("measurements")
    if not isinstance(raw, list):
        raise PerfdocsError(
            "card-type",
            where("$.measurements"),
            "nothing" if raw is None else _kind(raw),
            "an array of measurements",
            "this is not a whole card; measure it again",
        )
    for i, item in enumerate(raw):
        at = f"$.measurements[{i}]"
        if not isinstance(item, dict):
            raise PerfdocsError("card-type", where(at), _kind(item), "an object", "correct the value")
        values = {}
        for key in [k for k in item if k not in _RESERVED]:
            if not re.fullmatch(KEY_PATTERN, key) or key == "values":
                raise PerfdocsError(
                    "card-key",
                    where(f"{at}.{clean(key, 80)}"),
                    f'the metric key "{clean(key, 60)}"',
                    "lower-case letters, digits and _",
                    "name a metric of the definition",
                )
            values[key] = _metric_value(item.pop(key), f"{at}.{key}", where)
        raw[i] = msgspec.structs.replace(_convert(item, Measurement, at, where), values=values)
    tree["measurements"] = tuple(raw)
    return _convert(tree, Card, "$", where)


def _refuse_schema(schema: Any, where: Callable[[str], str]) -> None:
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
    found = f'"{clean(schema, 40)}"' if isinstance(schema, str) else "nothing" if schema is None else _kind(schema)
    raise PerfdocsError("card-schema", where("$.schema"), found, f'"{SCHEMA}"', "this is not a perfdocs card")


def read_bytes(path: Path, root: Path) -> bytes:
    """Read a file that must lie inside ``root`` and be of bounded size."""
    try:
        real = path.resolve(strict=True)
        if not real.is_relative_to(root.resolve()):
            raise PerfdocsError(
                "card-outside",
                place(path),
                "a link that leads out of its folder",
                "a plain file",
                "copy the file here instead of linking to it",
            )
        if not real.is_file():
            raise PerfdocsError("card-unreadable", place(path), "not a plain file", "a plain file", "remove it")
        size = real.stat().st_size
        if size > MAX_BYTES:
            raise PerfdocsError(
                "card-size",
                place(path),
                f"{size / 1e6:.0f} MB",
                f"at most {MAX_BYTES / 1e6:.0f} MB",
                "this is not a card; remove it",
            )
        return real.read_bytes()
    except OSError as error:
        raise PerfdocsError(
            "card-unreadable",
            place(path),
            (error.strerror or "an error").lower(),
            "a readable file",
            "check the file and its permissions",
        ) from None
    except RuntimeError:
        raise PerfdocsError(
            "card-unreadable", place(path), "a link that leads to itself", "a plain file", "remove the link"
        ) from None


def read_card(path: Path, root: Path | None = None) -> Card:
    """Read and validate one card. ``root`` is the folder it may not lie outside of (default: its own folder).

    Raises :class:`PerfdocsError` with the file and the JSON path.
    """
    card = decode_card(read_bytes(path, root or path.parent), path)
    if card.device.id != path.name.removesuffix(".json"):
        raise PerfdocsError(
            "card-name",
            place(path, "$.device.id"),
            f'"{card.device.id}"',
            f'"{clean(path.name.removesuffix(".json"), 80)}", the name of the file',
            f"rename the file to {card.device.id}.json",
        )
    return card


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


def write_atomic(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` or leave it as it was; never half of it, also when killed or out of disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_card(card: Card, path: Path) -> None:
    """Validate and write the card atomically. Raises :class:`PerfdocsError` where it would not read back."""
    data = encode_card(card)
    decode_card(data, path)
    write_atomic(path, data)


def digest(data: bytes) -> str:
    """Hex sha256, the identity of a file's content everywhere in perfdocs."""
    return sha256(data).hexdigest()


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
