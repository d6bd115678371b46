"""Drawing: panels of series on a matplotlib figure, without pyplot. Colours come from outside, as a theme."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..definition import Axis, Definition, Derived, Metric, Plot
from ..quantity import THIN, Scale, scale_for, superscript
from .html import plain
from .looks import MARGIN, ROW, Look, Theme, curve_looks, keys, legend, looks_of
from .points import ORIGINS
from .series import Curve, Panel, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

__all__ = ["Theme", "draw"]

VISIBLE_RANGE = 0.05
STEPS = 128
FEWEST_TICKS, MOST_X_TICKS = 3, 6
NARROW = 100
"""A logarithmic axis of less than so many times the least is marked at the values that were measured."""
MARKED = 6  # above every line and point
PANEL_WIDTH, PANEL_HEIGHT = 3.0, 2.7


def draw(definition: Definition, plot: str, found: Sequence[Panel], theme: Theme) -> Drawing:
    """The panels of a plot side by side on one scale, the legend below."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    entry = definition.plots[plot]
    quantity = definition.quantity(entry.y)
    looks = looks_of(definition, plot, found, theme)
    curves = curve_looks(found, looks, theme[0])
    said = {s.label: s.said for p in found for s in p.series}
    named = {curve.name: replace(look, colour=theme[0]) for curve, look in curves.items()}
    labels = [*((said[label], look) for label, look in looks.items()), *named.items(), *keys(found, theme[0])]
    columns = max(min(len(found), 3), 1)
    rows = max(math.ceil(len(found) / columns), 1)
    width = max(columns * PANEL_WIDTH + MARGIN, 6.6)
    longest = max((len(label) for label, _ in labels), default=1)
    across = max(int((width - 0.2) / (0.55 + 0.068 * min(longest, 60))), 1)
    below = math.ceil(len(labels) / across) * ROW + 0.1
    height = rows * PANEL_HEIGHT + 0.5 + below
    drawing = Drawing(figsize=(width, height))
    FigureCanvasAgg(drawing)
    axes = drawing.subplots(rows, columns, sharey=True, squeeze=False)
    drawing.subplots_adjust(
        left=MARGIN / width,
        right=1 - 0.12 / width,
        top=1 - 0.3 / height,
        bottom=(below + 0.45) / height,
        wspace=0.08,
        hspace=0.35,
    )
    values = [v.centre for p in found for s in p.series for _, v in s.points]
    y_scale = _middle(values, quantity.unit)
    every = sorted({x for p in found for s in p.series for x, _ in s.points if not isinstance(x, str)})
    drawn = []
    for i, ax in enumerate(axes.flat):
        if i >= len(found):
            ax.set_visible(False)
            continue
        if numbers := _panel(ax, definition, entry, found[i], y_scale, every, theme, looks, curves):
            drawn.append((ax, numbers))
        if i % columns == 0:
            ax.set_ylabel(plain(_axis_label(quantity.label, y_scale.unit)), color=theme[0])
    if drawn:
        _x_axes(drawn, _along(definition, entry), entry.scale_x)
    _y_axis(axes.flat[0], [v / y_scale.factor for v in values], entry.scale_y)
    if labels:
        legend(drawing, labels, across, theme[0])
    return drawing


def _axis_label(label: str, unit: str) -> str:
    return f"{label} ({unit})" if unit else label


def _middle(values: Sequence[float], unit: str) -> Scale:
    """One scale for an axis, that of the geometric middle of its values."""
    sizes = [math.log10(abs(v)) for v in values if v and math.isfinite(v)]
    return scale_for([10 ** (sum(sizes) / len(sizes))] if sizes else [], unit)


def _log(values: Sequence[float]) -> bool:
    """Logarithmic where every value is positive and they span more than a factor of 8."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > 8


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    """Ticks of a logarithmic axis: decades, or where fewer than three are in reach, round numbers between them."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = [10.0**e for e in range(first, last + 1) if low <= 10.0**e <= high]
    if len(decades) >= FEWEST_TICKS:
        return decades[:: math.ceil(len(decades) / most)]
    for parts in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        ticks = [part * 10.0**e for e in range(first, last + 1) for part in parts if low <= part * 10.0**e <= high]
        if len(ticks) >= FEWEST_TICKS:
            return ticks if len(ticks) <= most else decades or ticks[:: math.ceil(len(ticks) / most)]
    return _round_ticks(low, high)


def _round_ticks(low: float, high: float) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    return [float(v) for v in MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low, high) if low <= v <= high]


def _powers_of_two(values: Sequence[float]) -> bool:
    """Whether all are, and some are so large that they are known by their exponent."""
    return max(values, default=0) > 1000 and all(v >= 1 and math.log2(v).is_integer() for v in values)


def _tick_texts(ticks: Sequence[float]) -> Callable[[float], str]:
    """One way of writing for all ticks of an axis: powers where all are powers of one number, else plain numbers."""
    shown = [v for v in ticks if v > 0]
    if _powers_of_two(shown):
        return lambda v: f"2{superscript(round(math.log2(v)))}"
    tens = all(math.isclose(v, 10.0 ** round(math.log10(v))) for v in shown)
    if shown and tens and (max(shown) >= 1000 or min(shown) < 1e-3):
        return lambda v: f"10{superscript(round(math.log10(v)))}" if v > 0 else "0"
    if max(shown, default=0) >= 1e6 or min(shown, default=1) < 1e-3:
        return _with_power
    return lambda v: f"{v:,.0f}".replace(",", THIN) if abs(v) >= 10_000 else f"{v:.6g}"


def _with_power(value: float) -> str:
    if not value:
        return "0"
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    return f"{value / 10.0**exponent:.3g}·10{superscript(exponent)}"


def _y_axis(ax: Axes, values: Sequence[float], said: str | None) -> None:
    """Scale and ticks of the axis that all panels share; it holds numbers in the scale's unit already."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if said == "log" or (said is None and _log(values)):
        ax.set_yscale("log")
        ticks = _log_ticks(*ax.get_ylim(), 9)
        ax.yaxis.set_major_locator(FixedLocator(ticks))
        ax.yaxis.set_minor_locator(NullLocator())  # half the time of a figure goes into minor ticks
    else:
        if values and min(values) >= 0:
            ax.set_ylim(bottom=0)
        ticks = list(ax.get_yticks())
    said_as = _tick_texts(ticks)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: said_as(v)))


def _x_axes(drawn: Sequence[tuple[Axes, Sequence[float]]], entry: Axis | Metric | Derived, said: str | None) -> None:
    """Scales and ticks of all panels, written in one way; beside each the values it shows, from left to right."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    every = sorted({v for _, numbers in drawn for v in numbers})
    log = said == "log" if said else entry.scale == "log" if isinstance(entry, Axis) else _log(every)
    log = log and every[0] > 0
    binary = isinstance(entry, Axis) and _powers_of_two(every)
    found: list[float] = []
    for ax, numbers in drawn:
        if log:
            ax.set_xscale("log")
            ax.xaxis.set_minor_locator(NullLocator())
        values = isinstance(entry, Axis) and len(numbers) <= MOST_X_TICKS
        if values:
            ticks = list(numbers)
        elif binary or (isinstance(entry, Axis) and log and numbers[-1] / numbers[0] < NARROW):
            ticks = list(numbers[:: math.ceil(len(numbers) / MOST_X_TICKS)])
        elif log:
            ticks = _log_ticks(*ax.get_xlim(), MOST_X_TICKS + 1)
        else:
            found += list(ax.get_xticks())
            continue
        ax.xaxis.set_major_locator(FixedLocator(ticks))
        found += ticks
    said_as = _tick_texts(found)
    for ax, _ in drawn:
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: said_as(v)))


def _along(definition: Definition, plot: Plot) -> Axis | Metric | Derived:
    return definition.axes[plot.x] if plot.x in definition.axes else definition.quantity(plot.x)


def _panel(
    ax: Axes,
    definition: Definition,
    plot: Plot,
    panel: Panel,
    y_scale: Scale,
    every: Sequence[float],
    theme: Theme,
    looks: Mapping[str, Look],
    curves: Mapping[Curve, Look],
) -> list[float]:
    """Draw one panel, its scale and ticks of x excepted; the numbers it shows along x, none where they are words."""
    ink, rule, *_ = theme
    entry = _along(definition, plot)
    x = [p[0] for s in panel.series for p in s.points]
    numbers = sorted({v for v in x if not isinstance(v, str)})
    words = list(dict.fromkeys(v for v in x if isinstance(v, str)))
    x_scale = _middle(every, entry.unit)
    for series in panel.series:
        _line(ax, series, words, x_scale, y_scale, looks[series.label])
    if words:
        ax.set_xticks(range(len(words)), [plain(w) for w in words], rotation=30, ha="right")
    elif numbers:
        unit = "" if entry.unit == "sample" else x_scale.unit
        ax.set_xlabel(plain(_axis_label(entry.label, unit)), color=ink)
        for curve in panel.curves:
            if curve in curves:
                _curve(ax, curve, x_scale, y_scale, curves[curve])
    ax.set_title(plain(panel.title), fontsize=9.5, color=ink, y=1.02)  # a fixed place needs no measuring
    ax.patch.set_alpha(0)
    ax.grid(True, which="major", color=rule, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(which="both", colors=ink, length=3, width=0.6, labelsize=8)
    ax.tick_params(which="minor", length=0)
    for side, spine in ax.spines.items():
        spine.set_color(rule)
        spine.set_visible(side in ("left", "bottom"))
    return [v / x_scale.factor for v in numbers] if numbers and not words else []


def _curve(ax: Axes, curve: Curve, x_scale: Scale, y_scale: Scale, look: Look) -> None:
    """A law from its first x to its last, and its mark where that lies between them."""
    first, last = curve.ends
    spread = math.log(last / first) if first > 0 else 0.0
    steps = [i / STEPS for i in range(STEPS + 1)]
    x = [first * math.exp(spread * step) if spread else first + (last - first) * step for step in steps]
    inside = first <= curve.bend <= last
    x = sorted({*x, curve.bend}) if inside else x
    y = [curve.at(v) / y_scale.factor for v in x]
    ax.plot([v / x_scale.factor for v in x], y, look.dash, color=look.colour, linewidth=look.width, zorder=look.layer)
    if inside:
        at = [curve.bend / x_scale.factor], [curve.at(curve.bend) / y_scale.factor]
        ax.plot(*at, look.marker, color=look.colour, markersize=look.size, zorder=MARKED)


def _line(ax: Axes, series: Series, words: Sequence[str], x_scale: Scale, scale: Scale, look: Look) -> None:
    x = [words.index(a) if isinstance(a, str) else a / x_scale.factor for a, _ in series.points]
    values = [v for _, v in series.points]
    y = [v.centre / scale.factor for v in values]
    if look.joined:
        ax.plot(x, y, look.dash, color=look.colour, linewidth=look.width, zorder=look.layer)
    wide = [i for i, v in enumerate(values) if v.hi - v.lo > VISIBLE_RANGE * abs(v.centre)]
    if wide:
        low, high = [values[i].lo / scale.factor for i in wide], [values[i].hi / scale.factor for i in wide]
        ax.vlines([x[i] for i in wide], low, high, color=look.colour, linewidth=look.width, zorder=look.layer)
    flagged = [bool(v.flags - ORIGINS) for v in values]
    for hollow in (False, True):
        chosen = [i for i, f in enumerate(flagged) if f is hollow]
        if chosen:
            at = [x[i] for i in chosen], [y[i] for i in chosen]
            fill = "none" if hollow else look.fill
            size, layer = look.size, look.layer + 1
            ax.plot(
                *at, look.marker, color=look.colour, fillstyle=fill, markerfacecoloralt="none", markersize=size,
                zorder=layer,
            )  # fmt: skip
