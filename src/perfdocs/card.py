"""A card: one device's measurements of one benchmark, one JSON file.

This module knows the shape of a card and nothing of what a benchmark means: keys of arms, axes and metrics are
checked against the definition in :mod:`perfdocs.library`. A card holds raw samples and counted facts in SI base
units; statistics, rates and winners are derived at build time.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from .errors import PerfdocsError, clean, place
from .files import digest, read_bytes, write_atomic
from .tree import MAX_DEPTH, Where, check_tree, convert, kind_of, object_of_pairs

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
    "Spread",
    "State",
    "Summary",
    "card_schema",
    "decode_card",
    "digest",
    "encode_card",
    "read_bytes",
    "read_card",
    "write_atomic",
    "write_card",
]

SCHEMA = "perfdocs.card/1"
PARTIAL_SCHEMA = "perfdocs.partial/1"
ID_PATTERN = r"^[a-z0-9][a-z0-9-]{0,63}$"
KEY_PATTERN = r"^[a-z][a-z0-9_]{0,63}$"

Id = Annotated[str, Meta(pattern=ID_PATTERN)]
Key = Annotated[str, Meta(pattern=KEY_PATTERN)]
Name = Annotated[str, Meta(min_length=1, max_length=120)]
Text = Annotated[str, Meta(max_length=500)]
Short = Annotated[str, Meta(max_length=80)]
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


# More than any device was ever measured at, and few enough that a page of them builds in seconds.
MAX_MEASUREMENTS = 10_000
MAX_SOFTWARE = 200
MAX_FILES = 500
MAX_SAMPLES = 10_000

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

    files: Annotated[
        dict[Annotated[str, Meta(max_length=200)], Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]],
        Meta(max_length=MAX_FILES),
    ] = {}
    commit: Annotated[str, Meta(pattern="^[0-9a-f]{7,64}$")] | None = None
    dirty: bool | None = None


class Method(_Record, frozen=True, kw_only=True):
    """Parameters of the measurement, the authority for this card. Seconds and kelvin."""

    protocol: Literal["block", "rotate"]
    warmups: Count = 0
    runs: Annotated[int, Meta(ge=1)] = 1
    ramp: Seconds = 0.0
    settle: Seconds = 0.0
    """Untimed runs right before each timed one: reading the clocks lets the device idle for a moment."""
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
    narrowed: bool = False
    """Only some arms, tables or points were asked for."""
    sample_period: Seconds | None = None
    """A sampler read the state of device and host so often; absent where there was none."""
    sampler_reason: Text | None = None
    state_window: Seconds | None = None
    """Timed runs shorter than this are not sampled: the same work, untimed, is for so long."""
    repeats: Count | None = None
    """A block that was throttled or contaminated was measured again at most so often."""
    repeat_budget: Seconds | None = None


class Gate(_Record, frozen=True, kw_only=True):
    """How the wait before a block went: seconds waited, and the temperature at its end."""

    waited: Seconds
    timed_out: bool = False
    temperature: Celsius | None = None
    skipped: Text | None = None


class Spread(_Record, frozen=True, kw_only=True):
    """The lowest, the middle and the highest of what was sampled."""

    low: float
    centre: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.centre <= self.high:
            raise ValueError("Expected low ≤ centre ≤ high")


class State(_Record, frozen=True, kw_only=True):
    """What a sampler saw of device and host while one measurement's work ran; ``samples`` of 0: not observed.

    ``window`` says in which work: the ``timed`` runs themselves, the last part of the ``ramp`` before them, a
    ``window`` of the same work after them, or the whole ``rotation`` of the arms of a point (the host alone), in an
    A/B a turn of it. What ``unobserved`` names, the machine does not tell; it is never zero for that.
    """

    window: Literal["timed", "ramp", "window", "rotation"]
    seconds: Seconds
    samples: Count
    sm_clock: Annotated[Spread, Meta(description="hertz")] | None = None
    memory_clock: Annotated[Spread, Meta(description="hertz")] | None = None
    cpu_clock: Annotated[Spread, Meta(description="hertz")] | None = None
    power: Annotated[Spread, Meta(description="watts")] | None = None
    temperature: Celsius | None = None
    utilisation: Annotated[float, Meta(ge=0, le=1)] | None = None
    """As the device tells it, over a period of its own that may reach back to before the window."""
    p_states: tuple[Annotated[int, Meta(ge=0, le=15)], ...] = ()
    throttle: tuple[Short, ...] = ()
    foreign_processes: Count | None = None
    """Most processes on the device that were not ours."""
    foreign_load: Annotated[float, Meta(ge=0, description="processors")] | None = None
    """Most processors of those allowed that work which is not ours kept busy, over a fifth of a second or more."""
    foreign_limit: Annotated[float, Meta(ge=0, description="processors")] | None = None
    """From more than this on, the block counts as contaminated."""
    run_queue: Count | None = None
    """Most processes of the host that ran or waited to run, ours included."""
    energy: Annotated[float, Meta(ge=0, description="joules")] | None = None
    """Joules of one run, from the device's counter."""
    energy_error: Annotated[float, Meta(ge=0, description="joules")] | None = None
    """What one step of the counter leaves open of that."""
    unobserved: tuple[Key, ...] = ()


class Block(_Record, frozen=True, kw_only=True):
    """What surrounded the timed runs of one measurement.

    ``curve`` names the points that were measured one after the other behind one gate and one ramp: each of them repeats
    the gate, the first alone has runs of the ramp. ``repeats`` tells why each earlier try was thrown away.
    """

    gate: Gate | None = None
    curve: Text | None = None
    warmup: tuple[float, ...] = ()
    ramp_runs: Count = 0
    inner: Annotated[int, Meta(ge=1)] = 1
    throttle: tuple[Short, ...] = ()
    load: tuple[float, ...] = ()
    state: State | None = None
    repeats: tuple[Text, ...] = ()


class Measurement(_Record, frozen=True, kw_only=True):
    """One arm at one point on one device. ``values`` stand beside the other keys in the file, not nested.

    ``block`` is absent where fresh processes measured it.
    """

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
    recorded: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
    origin: Origin
    device: Device
    host: Host
    software: Annotated[dict[Short, Short], Meta(max_length=MAX_SOFTWARE)]
    source: Source
    method: Method
    measurements: Annotated[tuple[Measurement, ...], Meta(max_length=MAX_MEASUREMENTS)]
    not_run: Annotated[tuple[NotRun, ...], Meta(max_length=MAX_MEASUREMENTS)] = ()


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
