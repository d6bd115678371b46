"""A card: one device's measurements of one benchmark, one JSON file.

This module knows the shape of a card and nothing of what a benchmark means: keys of arms, axes and metrics are
checked against the definition in :mod:`perfdocs.library`. A card holds raw samples and counted facts in SI base
units; statistics, rates and winners are derived at build time.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

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
    published: Short | None = None
    """When the source appeared, as far as it tells; ``recorded`` is when it was typed in."""
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


Reasons = Annotated[tuple[Short, ...], Meta(max_length=32)]
_MOST = {"sm_clock": 1e11, "memory_clock": 1e11, "cpu_clock": 1e11, "power": 1e5}
"""What no device reaches: hertz, watts."""


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
    p_states: Annotated[tuple[Annotated[int, Meta(ge=0, le=15)], ...], Meta(max_length=16)] = ()
    throttle: Reasons = ()
    throttle_samples: Annotated[dict[Short, Annotated[int, Meta(ge=1)]], Meta(max_length=32)] = {}
    """In how many of the samples each reason was; absent in cards from before that was counted."""
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
    unobserved: Annotated[tuple[Key, ...], Meta(max_length=32)] = ()

    def __post_init__(self) -> None:
        for key, most in _MOST.items():
            spread = getattr(self, key)
            if spread is not None and not 0 <= spread.low <= spread.high <= most:
                raise ValueError(f"Expected {key} between 0 and {most:g}")
        if self.temperature is not None and not -100 <= self.temperature <= 200:
            raise ValueError("Expected temperature between -100 and 200")
        for reason, samples in self.throttle_samples.items():
            if reason not in self.throttle or samples > self.samples:
                raise ValueError("Expected throttle_samples of reasons in throttle, of no more than all samples")


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
    throttle: Reasons = ()
    load: tuple[float, ...] = ()
    state: State | None = None
    repeats: Annotated[tuple[Text, ...], Meta(max_length=100)] = ()


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


KindOfAbsence = Literal[
    "not_installed", "unsupported", "out_of_time", "out_of_memory", "failed_verification", "error", "not_requested"
]


class NotRun(_Record, frozen=True, kw_only=True):
    """What was not run and why; an empty ``table`` or ``at`` means everywhere the arm would have run."""

    arm: Key
    reason: Annotated[str, Meta(min_length=1, max_length=500)]
    kind: KindOfAbsence = "unsupported"
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
