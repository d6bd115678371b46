"""A card against its definition, and a definition against itself: keys, values and expressions.

The shapes are checked where they are read (:mod:`perfdocs.card`, :mod:`perfdocs.definition`); here is what takes both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from .card import AxisValue, Card, Device, Measurement, MetricValue, Summary
from .definition import Definition
from .definitionfile import RESERVED_WORDS
from .dimension import PLAIN, Dimension, dimension, unit_dimension
from .errors import PerfdocsError, clean, nearest, place
from .expression import Binary, Call, Name, check_calls, depth, names, parse
from .facts import FACT_UNITS
from .flags import FLAGS
from .peaks import PEAKS

__all__ = ["check_axis_value", "check_card", "check_expressions"]

RESERVED_FILES = frozenset(
    {"index", "con", "prn", "aux", "nul", *(f"{p}{i}" for p in ("com", "lpt") for i in range(10))}
)
"""Names that a page or a file cannot have."""

MAX_LEVELS = 400
"""Operations one inside the other, over all quantities that a derived quantity uses: well below Python's own limit."""

_Wrong = Callable[[str, str, str, str, str], PerfdocsError]
_Known = Callable[[str, Iterable[str], str, str], None]


def check_card(card: Card, definition: Definition, path: Path) -> None:
    """Check a card's keys and values against the definition. Raises :class:`PerfdocsError` at the first problem."""

    def wrong(code: str, at: str, found: str, expected: str, do: str) -> PerfdocsError:
        return PerfdocsError(code, place(path, at), found, expected, do)

    def known(word: str, words: Iterable[str], at: str, what: str) -> None:
        words = list(words)
        if word not in words:
            raise wrong(
                f"unknown-{what}",
                at,
                f'the {what} "{clean(word, 60)}"',
                f"a{'n' if what[0] in 'aeiou' else ''} {what} of the definition{nearest(word, words)}",
                "correct the key, or add its entry to benchmark.toml",
            )

    _check_device(card.device, definition, wrong)
    if card.benchmark != definition.id:
        raise wrong(
            "card-benchmark",
            "$.benchmark",
            f'"{card.benchmark}"',
            f'"{definition.id}"',
            "move the card to its benchmark's folder",
        )
    if card.version != definition.version:
        raise wrong(
            "card-version",
            "$.version",
            str(card.version),
            str(definition.version),
            "measure this device again: the benchmark has changed what it measures",
        )
    if card.origin.kind == "imported" and not (card.origin.source and card.origin.licence):
        raise wrong("card-origin", "$.origin", "an imported card without source and licence", "both", "add them")
    seen: dict[tuple[object, ...], int] = {}
    for i, m in enumerate(card.measurements):
        at = f"$.measurements[{i}]"
        known(m.table, [k for k, t in definition.tables.items() if t.of is None], f"{at}.table", "table")
        for flag in m.flags:
            if flag not in FLAGS:
                raise wrong(
                    "unknown-flag",
                    f"{at}.flags",
                    f'the flag "{clean(flag, 60)}"',
                    f"one of {', '.join(FLAGS)}{nearest(flag, FLAGS)}",
                    "correct the flag",
                )
        known(m.arm, definition.arms, f"{at}.arm", "arm")
        axes = definition.tables[m.table].axes
        if m.arm not in definition.arms_of(m.table):
            raise wrong(
                "unknown-arm",
                f"{at}.arm",
                f'the arm "{m.arm}"',
                f'an arm of the table "{m.table}"',
                "correct the key, or add the arm to the table",
            )
        for axis, value in m.at.items():
            known(axis, axes, f"{at}.at", "axis")
            check_axis_value(value, axis, definition, f"{at}.at.{axis}", wrong)
        if lacking := [a for a in axes if a not in m.at]:
            raise wrong(
                "card-point", f"{at}.at", f"no value for {', '.join(lacking)}", "one value for each axis", "add it"
            )
        point = (m.table, m.arm, *((a, m.at[a]) for a in axes))
        if point in seen:
            raise wrong(
                "card-point",
                at,
                f"the point of $.measurements[{seen[point]}] again",
                "each point once",
                "remove one of them",
            )
        seen[point] = i
        _check_values(m, definition, at, known, wrong, imported=card.origin.kind == "imported")
    for i, absent in enumerate(card.not_run):
        at = f"$.not_run[{i}]"
        known(absent.arm, definition.arms, f"{at}.arm", "arm")
        if absent.table is not None:
            known(absent.table, definition.tables, f"{at}.table", "table")
        for axis, value in absent.at.items():
            known(axis, definition.tables[absent.table].axes if absent.table else definition.axes, f"{at}.at", "axis")
            check_axis_value(value, axis, definition, f"{at}.at.{axis}", wrong)


def _check_device(device: Device, definition: Definition, wrong: _Wrong) -> None:
    """A device's id is the name of a file and of a page, and a word of claims; its name is seen."""
    values = {str(v) for axis in definition.axes.values() for v in axis.values}
    taken = {definition.id, *definition.arms, *definition.groups, *definition.metrics, *definition.derived}
    taken |= {*definition.axes, *definition.tables, *values, *RESERVED_WORDS, *RESERVED_FILES}
    if device.id in taken:
        raise wrong(
            "card-id-taken",
            "$.device.id",
            f'"{device.id}"',
            "an id that is no word of claims, of the definition or of the file system",
            "give the device another id (`--as NAME` adds a suffix), and its file the same name",
        )
    if not any(unicodedata.category(c)[0] in "LNPS" for c in device.name):
        raise wrong("card-text", "$.device.name", "a name that cannot be seen", "a name", "write one")


def check_axis_value(value: AxisValue, axis: str, definition: Definition, at: str, wrong: _Wrong) -> None:
    """Check a value of an axis. Raises what ``wrong`` makes."""
    allowed, scale = definition.axes[axis].values, definition.axes[axis].scale
    shown = clean(str(value), 60)
    if allowed:
        if value not in allowed:
            raise wrong(
                "unknown-axis-value",
                at,
                f'"{shown}"',
                f'a value of the axis "{axis}"{nearest(str(value), map(str, allowed))}',
                "correct the value",
            )
    elif scale == "log" and (isinstance(value, str) or value <= 0):
        raise wrong("axis-value", at, f'"{shown}"', "a number above 0 on a logarithmic axis", "correct the value")
    elif scale == "linear" and isinstance(value, str):
        raise wrong("axis-value", at, f'"{shown}"', "a number on a linear axis", "correct the value")
    elif isinstance(value, str) and not re.fullmatch(r"\w[\w .+-]{0,59}", value):
        raise wrong("axis-value", at, f'"{shown}"', "a short plain word", "correct the value")


def _check_values(
    m: Measurement, definition: Definition, at: str, known: _Known, wrong: _Wrong, *, imported: bool
) -> None:
    for key, value in m.values.items():
        if imported and key in definition.derived:
            _check_published(value, definition, key, f"{at}.{key}", wrong)
            continue
        known(key, definition.metrics, f"{at}.{key}", "metric")
        metric = definition.metrics[key]
        if isinstance(value, str):
            if metric.kind != "choice":
                raise wrong("card-kind", f"{at}.{key}", f'the key "{value}"', "a number", "correct the value")
            continue
        if metric.kind == "choice" or (metric.kind == "count" and isinstance(value, tuple)):
            raise wrong(
                "card-kind",
                f"{at}.{key}",
                "samples" if isinstance(value, tuple) else "a number",
                f"a {metric.kind}",
                "correct the value, or the metric's kind",
            )
        numbers = (
            (value.centre, value.low, value.high)
            if isinstance(value, Summary)
            else value
            if isinstance(value, tuple)
            else (value,)
        )
        for number in numbers:
            if number is None:
                continue
            positive = metric.kind == "samples" and metric.unit == "s"
            if number < 0 or (positive and number == 0):
                raise wrong(
                    "card-negative",
                    f"{at}.{key}",
                    f"{number:g}",
                    "a number above 0" if positive else "no negative number",
                    "measure again",
                )


def _check_published(value: MetricValue, definition: Definition, key: str, at: str, wrong: _Wrong) -> None:
    """A derived quantity that an imported card gives as it was published, since what it is made of was not."""
    if definition.derived[key].over:
        raise wrong("card-kind", at, "a value at one point", "none: it is of a whole series", "leave it out")
    if not isinstance(value, Summary):
        raise wrong("card-kind", at, "a value without its digits", '{"centre": …, "digits": …}', "write both")
    for number in (value.centre, value.low, value.high):
        if number is not None and number < 0:
            raise wrong("card-negative", at, f"{number:g}", "no negative number", "correct the value")


def check_expressions(definition: Definition, path: Path) -> None:
    """Every derived quantity parses, names only what exists, and depends on no quantity that depends on it."""
    uses: dict[str, set[str]] = {}
    levels: dict[str, int] = {}
    for key, derived in definition.derived.items():
        where = place(path, f"$.derived.{key}.is")
        uses[key] = set()
        node = parse(derived.is_, where)
        levels[key] = depth(node) + 4
        check_calls(node, where, series=bool(derived.over))
        for name in names(node):
            _check_name(name, definition, where)
            uses[key].add(name.name)
        if derived.of_peak is not None:
            known_peaks = [f"device.peak.{p}" for p in PEAKS]
            if derived.of_peak not in known_peaks:
                raise PerfdocsError(
                    "definition-name",
                    place(path, f"$.derived.{key}.of_peak"),
                    f'"{clean(derived.of_peak, 60)}"',
                    f"a peak of the device{nearest(derived.of_peak, known_peaks)}",
                    "correct the name",
                )
    try:
        order = list(TopologicalSorter(uses).static_order())
    except CycleError as error:
        circle = [str(key) for key in reversed(error.args[1])]  # each uses the next
        raise PerfdocsError(
            "definition-cycle",
            place(path, f"$.derived.{circle[0]}.is"),
            clean(", which uses ".join(f'"{key}"' for key in circle), 160),
            "an expression of other quantities",
            "break the circle",
        ) from None
    deep: dict[str, int] = {}
    for key in order:
        deep[key] = levels.get(key, 0) + max((deep[used] for used in uses.get(key, ())), default=0)
        if deep[key] > MAX_LEVELS:
            raise PerfdocsError(
                "definition-depth",
                place(path, f"$.derived.{key}.is"),
                f"{deep[key]} operations one inside the other, those of the quantities it uses counted",
                f"at most {MAX_LEVELS}",
                "derive it more directly",
            )
    _check_roofs(definition, _dimensions(definition, [key for key in order if key in definition.derived], path), path)


def _dimensions(d: Definition, order: Iterable[str], path: Path) -> Callable[[Name], Dimension]:
    """The dimension of each name; ``order`` has each derived quantity after those that it uses.

    Only like is added to or compared with like. A derived quantity is of the unit it says, or else of the one that its
    expression gives.
    """
    units = {key: metric.unit for key, metric in d.metrics.items()}
    units |= {key: axis.unit for key, axis in d.axes.items()}
    units |= {f"device.{fact}": unit for fact, unit in FACT_UNITS.items()}
    known = {key: unit_dimension(unit) for key, unit in units.items()}

    def of(name: Name) -> Dimension:
        return known.get(name.name, PLAIN)

    for key in order:
        derived, where = d.derived[key], place(path, f"$.derived.{key}.is")
        found = dimension(parse(derived.is_, where), of, where) or PLAIN
        known[key] = unit_dimension(derived.unit) if derived.unit else found
    return of


def _check_roofs(d: Definition, of: Callable[[Name], Dimension], path: Path) -> None:
    """A roof is the same at every point of a line; its rate is like y, and so is its slope times x."""
    for key, plot in d.plots.items():
        x, y = Name(plot.x), Name(plot.y)
        for i, roof in enumerate(plot.roofs):
            for word, text in (("rate", roof.rate), ("slope", roof.slope)):
                where = place(path, f"$.plots.{key}.roofs[{i}].{word}")
                node = parse(text, where)
                check_calls(node, where, series=False)
                for name in names(node):
                    _check_name(name, d, where)
                    if name.selectors or _differs(name.name, d):
                        raise PerfdocsError(
                            "definition-roof",
                            where,
                            f'"{name.name}", which differs from point to point',
                            "facts of the device and quantities with `over`",
                            "derive it over the series",
                        )
                dimension(Call("min", (y, node if word == "rate" else Binary("*", node, x))), of, where)


def _differs(key: str, d: Definition) -> bool:
    """Whether a quantity is one of a single point, and not of the device or of a whole series."""
    if key.startswith("device.") or (key in d.derived and d.derived[key].over):
        return False
    return key not in d.derived or any(_differs(name.name, d) for name in names(parse(d.derived[key].is_, key)))


def _check_name(name: Name, definition: Definition, where: str) -> None:
    """A name in an expression is one of the definition or a fact of the device."""
    _check_reference(name, definition, where)
    if name.name.startswith("device."):
        _check_device_name(name.name, where)
        return
    known = {*definition.metrics, *definition.derived, *definition.axes}
    if name.name not in known:
        raise PerfdocsError(
            "definition-name",
            where,
            f'"{name.name}"',
            f"a metric, derived quantity, axis or device fact{nearest(name.name, known)}",
            "correct the name",
        )


def _check_reference(name: Name, definition: Definition, where: str) -> None:
    """Brackets name an arm, and stand behind something that arms have."""
    if name.arm is None:
        return
    if name.arm not in definition.arms:
        raise PerfdocsError(
            "definition-name",
            where,
            f'"{clean(name.arm, 60)}" in the brackets behind "{clean(name.name, 60)}"',
            f"an arm of the definition{nearest(name.arm, definition.arms)}",
            "correct the name",
        )
    if name.name.startswith("device.") or name.name in definition.axes:
        raise PerfdocsError(
            "expression-selector",
            where,
            f'an arm in brackets behind "{clean(name.name, 60)}", which is the same for every arm',
            "a metric or derived quantity",
            "leave the brackets out",
        )


def _check_device_name(name: str, where: str) -> None:
    facts = {f"device.{f}" for f in Device.__struct_fields__} | {f"device.peak.{p}" for p in PEAKS}
    if name not in facts:
        raise PerfdocsError(
            "definition-name", where, f'"{name}"', f"a fact of the device{nearest(name, facts)}", "correct the name"
        )
