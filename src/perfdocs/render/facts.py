"""Tables of facts: the device, the method, what was used, and the words of the definition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..card import Device, Host
from ..definition import Definition
from ..extent import extent
from ..flags import FLAGS
from ..library import Benchmark
from ..loading import LoadedCard
from ..peaks import PEAKS, peak
from ..quantity import NBSP, format_value, number_text, scale_for
from .columns import PEAK_WORDS, marks
from .model import Cell, Group, Line, TableModel, Why, words
from .points import ordered_flags
from .states import state_rows

__all__ = [
    "arms",
    "device_facts",
    "device_line",
    "flag_legend",
    "legend_lines",
    "method_facts",
    "named",
    "reason_lines",
    "software",
    "sources",
    "surroundings",
    "terms",
]

DEVICE_KINDS = {"gpu": "GPU", "cpu": "CPU"}
UNDATED = "the card does not tell when"
IN_SHORT = (
    "SIMD",
    "cores",
    "threads",
    "memory",
    "rated clock",
    "streaming multiprocessors",
    *(f"{PEAK_WORDS[key]}, rated" for key in ("fp64", "fp32", "dram")),
)


def _table(key: str, title: str, rows: Iterable[tuple[str, str, bool]], caption: str = "") -> TableModel:
    """Two columns: a fact and its value (third: whether the value is text from a card)."""
    body = tuple((words(name), words(value, foreign=foreign)) for name, value, foreign in rows)
    return TableModel(key, title, (Group(("fact", "value"), body),) if body else (), caption)


def device_facts(loaded: LoadedCard) -> TableModel:
    """What the machine tells about the device; rated peaks with the formula that gave them."""
    return _table(f"device-{loaded.device_id}", "Device", _device_rows(loaded))


def device_line(loaded: LoadedCard) -> str:
    """The facts that tell devices apart, in one line."""
    said = {name: value.partition(" = ")[0] for name, value, _ in _device_rows(loaded)}
    named = (f"{name} {said[name]}".replace(" ", NBSP) for name in IN_SHORT if name in said)
    return " · ".join([said["kind"], *named])


def _device_rows(loaded: LoadedCard) -> Iterator[tuple[str, str, bool]]:
    device = loaded.card.device
    yield "name", device.name, True
    yield "id", device.id, False
    yield "kind", DEVICE_KINDS[device.kind], False
    for label, text in (("vendor", device.vendor), ("MIG slice", device.mig), ("SIMD", device.simd)):
        if text:
            yield label, text, True
    for label, number, unit in _numbers(device):
        if number is not None:
            scale = scale_for([number], unit)
            yield label, f"{number / scale.factor:.4g}{NBSP}{scale.unit}".strip(), False
    if device.compute_capability:
        yield "compute capability", ".".join(map(str, device.compute_capability)), False
    if device.ecc is not None:
        yield "ECC", "on" if device.ecc else "off", False
    if device.governor:
        yield "frequency governor", device.governor, True
    for key, unit in PEAKS.items():
        if (top := peak(device, key)) is not None:
            yield f"{PEAK_WORDS[key]}, rated", f"{format_value(top.rate, unit)} = {top.formula}", False


def _numbers(device: Device) -> tuple[tuple[str, float | None, str], ...]:
    return (
        ("memory", device.memory, "byte"),
        ("memory bus", device.memory_bus_width, "bit"),
        ("rated clock", device.max_clock, "Hz"),
        ("rated memory clock", device.max_memory_clock, "Hz"),
        ("streaming multiprocessors", device.sm_count, ""),
        ("L2 cache", device.l2_cache, "byte"),
        ("power limit", device.power_limit, "W"),
        ("cores", device.cores, ""),
        ("threads", device.threads, ""),
        ("L3 cache", device.l3_cache, "byte"),
    )


def surroundings(loaded: LoadedCard) -> str:
    """Of a processor: how many hardware threads the measurements had, and whether in a container, as the card tells."""
    card = loaded.card
    if card.device.kind != "cpu":
        return ""
    threads = card.device.threads or card.host.threads
    parts = [f"{threads}{NBSP}threads" if threads else "", "in a container" if card.host.container else ""]
    return ", ".join(filter(None, parts))


def named(loaded: LoadedCard, name: str = "") -> str:
    """The device's name, or the one given, and what of its surroundings a reader should know where it is compared."""
    return ", ".join(filter(None, [name or loaded.card.device.name, surroundings(loaded)]))


def method_facts(loaded: LoadedCard) -> TableModel:
    """How and on what host this card was measured: the parameters it records, in words."""
    return _table(f"method-{loaded.card.benchmark}-{loaded.device_id}", "Method", _method_rows(loaded))


def _method_rows(loaded: LoadedCard) -> Iterator[tuple[str, str, bool]]:
    card, method = loaded.card, loaded.card.method
    block = method.protocol == "block"
    imported = card.origin.kind == "imported"
    if imported:
        yield "published", card.origin.published or UNDATED, True
    yield "imported" if imported else "recorded", recorded_text(card.recorded), False
    yield "origin", card.origin.kind, False
    if card.origin.source:
        yield "source", card.origin.source, True
    if card.origin.licence:
        yield "licence", card.origin.licence, True
    yield "extent", extent(card, "quick: a reduced matrix"), False
    yield "order of the runs", "one arm after the other" if block else "the order of arms turns every repetition", False
    middle = f"mean of the middle {method.runs - 2}" if method.runs >= 3 else "mean"
    yield "timed runs", f"{method.runs}; {middle if block else 'median'} is the centre", False
    yield "warm-up runs", f"{method.warmups}{'; the first verifies the result' if method.warmups else ''}", False
    if method.ramp:
        yield "ramp", f"{format_value(method.ramp, 's')} of untimed runs before the timed ones", False
    if method.gate_within is not None:
        wait = f", at most {format_value(method.gate_wait, 's')}" if method.gate_wait is not None else ""
        yield "gate", f"device idle and within {method.gate_within:g}{NBSP}°C of its idle temperature{wait}", False
    else:
        yield "gate", "none", False
    if method.gate_budget is not None:
        yield "gate, whole card", f"at most {format_value(method.gate_budget, 's')}", False
    if method.idle_temperature is not None:
        yield "idle temperature", f"{method.idle_temperature:g}{NBSP}°C", False
    if method.inner_target:
        yield "inner repeats", f"until a timed run lasts {format_value(method.inner_target, 's')}", False
    if method.timer:
        yield "timer", method.timer, True
    if method.timer_resolution:
        yield "timer resolution", format_value(method.timer_resolution, "s"), False
    clocks = {"nvml": "read through NVML after the timed runs", "cpufreq": "read through cpufreq", "none": "not read"}
    yield "clocks", clocks[method.clocks], False
    if method.clocks_reason:
        yield "clocks, why", method.clocks_reason, True
    if method.pinning:
        yield "threads pinned", method.pinning, True
    yield from state_rows(card)
    yield from _host_rows(card.host)


def _host_rows(host: Host) -> Iterator[tuple[str, str, bool]]:
    """The machine that a card was measured on, which need not be that of another card of the device."""
    for label, text in (("system", host.os), ("processor", host.cpu), ("driver", host.driver)):
        if text:
            yield label, text, True
    if host.threads:
        yield "hardware threads of the host", str(host.threads), False
    if host.memory:
        yield "memory of the host", format_value(host.memory, "byte"), False
    if host.container is not None:
        yield "in a container", "yes" if host.container else "no", False
    if host.load is not None:
        yield "load when the card began", number_text(host.load), False


def recorded_text(recorded: str) -> str:
    """``2026-11-30T12:00:00Z`` as a reader writes it, without breaks."""
    return recorded.replace("T", NBSP).replace(":00Z", "").replace("Z", "") + f"{NBSP}UTC"


def software(loaded: LoadedCard) -> TableModel:
    """Versions of what was used."""
    rows = tuple((words(k, foreign=True), words(v, foreign=True)) for k, v in sorted(loaded.card.software.items()))
    groups = (Group(("software", "version"), rows),) if rows else ()
    return TableModel(f"software-{loaded.card.benchmark}-{loaded.device_id}", "Software", groups)


def sources(loaded: LoadedCard) -> TableModel:
    """sha256 of each file that shaped the numbers, and whether it has changed since."""
    source = loaded.card.source
    rows = tuple(
        (
            words(name, foreign=True),
            words(sha[:16]),
            words("changed since" if name in loaded.earlier_sources else "as measured"),
        )
        for name, sha in sorted(source.files.items())
    )
    caption = ""
    if source.commit:
        caption = f"Commit {source.commit[:12]}" + (", with uncommitted changes." if source.dirty else ".")
    groups = (Group(("file", "sha256, first 16 digits", "now"), rows),) if rows else ()
    return TableModel(f"sources-{loaded.card.benchmark}-{loaded.device_id}", "Sources", groups, caption)


def reason_lines(whys: Iterable[Why]) -> tuple[Line, ...]:
    """The reasons of flags, in the legend's order: each with all the arms and points that it is of."""
    places: dict[tuple[str, str], list[str]] = {}
    for why in whys:
        places.setdefault((why.flag, why.text), []).append(why.where)
    order = ordered_flags(flag for flag, _ in places)
    return tuple(
        Line(marks((flag,)), f"{text}: {'; '.join(dict.fromkeys(where))}", (), True)
        for (flag, text), where in sorted(places.items(), key=lambda place: order.index(place[0][0]))
    )


def legend_lines(flags: Iterable[str], whys: Iterable[Why]) -> tuple[Line, ...]:
    """The legend of marks, and below each why it stands where it stands."""
    shown, reasons = flag_legend(flags), reason_lines(whys)
    known = frozenset(line.lead for line in shown)
    rest = (line for line in reasons if line.lead not in known)
    return (*(line for mark in shown for line in (mark, *(r for r in reasons if r.lead == mark.lead))), *rest)


def flag_legend(flags: Iterable[str]) -> tuple[Line, ...]:
    """What each flag's mark means, in the legend's order."""
    return tuple(
        Line(FLAGS[f].mark, _about(f))
        if f in FLAGS
        else Line("?", f"{f.replace('_', ' ')}: a flag this version does not know", (), True)
        for f in ordered_flags(flags)
    )


def _about(flag: str) -> str:
    name, about = flag.replace("_", " "), FLAGS[flag].about
    return about if about.startswith(name) else f"{name}: {about}"


def arms(benchmark: Benchmark, loaded: LoadedCard | None = None) -> TableModel:
    """The arms, a part for each group: label, key, loop structure and kinds of device.

    Only those the card measured, where one is given.
    """
    definition = benchmark.definition
    chosen = set(definition.arms) if loaded is None else {m.arm for m in loaded.card.measurements}
    groups = []
    for key, entry in definition.groups.items():
        body = tuple(_arm_row(definition, a) for a, arm in definition.arms.items() if arm.group == key and a in chosen)
        if body:
            groups.append(Group(("arm", "key", "loop structure", "runs on"), body, entry.label))
    return TableModel(f"{definition.id}-arms", "Arms", tuple(groups))


def _arm_row(definition: Definition, key: str) -> tuple[Cell, ...]:
    arm = definition.arms[key]
    tags = ", ".join(definition.tags[t].label for t in arm.tags)
    loop = "; ".join(filter(None, [arm.loop, arm.note, tags]))
    kinds = ", ".join(DEVICE_KINDS[k] for k in arm.on) or "only published elsewhere"
    return (words(arm.label), words(key), words(loop), words(kinds))


def terms(benchmark: Benchmark) -> TableModel:
    """Every metric and derived quantity: label, key, unit, what is better, what it means."""
    definition = benchmark.definition
    body = []
    for key, metric in definition.metrics.items():
        body.append(
            (words(metric.label), words(key), words(metric.unit), words(_better(metric.better)), words(metric.about))
        )
    for key, derived in definition.derived.items():
        peak_word = PEAK_WORDS.get((derived.of_peak or "").removeprefix("device.peak."), derived.of_peak or "")
        along = ", ".join(definition.axes[a].label for a in derived.over)
        formula = f"= {derived.is_}" + (f" over {along}" if along else "")
        about = "; ".join(
            filter(None, [formula, f"also as a share of the {peak_word}" if derived.of_peak else "", derived.about])
        )
        body.append(
            (words(derived.label), words(key), words(derived.unit), words(_better(derived.better)), words(about))
        )
    group = Group(("quantity", "key", "unit", "better", "what it is"), tuple(body))
    return TableModel(f"{definition.id}-terms", "Terms", (group,))


def _better(better: str | None) -> str:
    return better or ""
