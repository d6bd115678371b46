"""Drawing: panels of series on a matplotlib figure, without pyplot. Colours come from outside, as a theme."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..definition import Axis, Definition, Derived, Metric, Plot
from ..quantity import Scale
from .dots import draw_dots
from .html import plain
from .looks import (
    MARGIN,
    VISIBLE_RANGE,
    Look,
    Theme,
    columns_and_height,
    curve_looks,
    frame,
    keys,
    legend,
    looks_of,
    marks,
)
from .scales import axis_label, is_log, log_ticks, middle, powers_of_two, tick_texts
from .series import ARM, Curve, Panel, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

__all__ = ["Theme", "draw"]

STEPS = 128
MOST_X_TICKS = 6
NARROW = 100
"""A logarithmic axis of less than so many times the least is marked at the values that were measured."""
MARKED = 6  # above every line and point
PANEL_WIDTH, PANEL_HEIGHT = 3.0, 2.7


def draw(definition: Definition, plot: str, found: Sequence[Panel], theme: Theme) -> Drawing:
    """The panels of a plot side by side on one scale, the legend below."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    entry = definition.plots[plot]
    if entry.x == ARM:
        return draw_dots(definition, plot, found, theme)
    quantity = definition.quantity(entry.y)
    looks = looks_of(definition, plot, found, theme)
    curves = curve_looks(found, looks, theme[0])
    said = {s.label: s.said for p in found for s in p.series}
    named = {curve.name: replace(look, colour=theme[0]) for curve, look in curves.items()}
    labels = [*((said[label], look) for label, look in looks.items()), *named.items(), *keys(found, theme[0])]
    columns = max(min(len(found), 3), 1)
    rows = max(math.ceil(len(found) / columns), 1)
    width = max(columns * PANEL_WIDTH + MARGIN, 6.6)
    across, below = columns_and_height(labels, width)
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
    y_scale = middle(values, quantity.unit)
    every = sorted({x for p in found for s in p.series for x, _ in s.points if not isinstance(x, str)})
    drawn = []
    for i, ax in enumerate(axes.flat):
        if i >= len(found):
            ax.set_visible(False)
            continue
        if numbers := _panel(ax, definition, entry, found[i], y_scale, every, theme, looks, curves):
            drawn.append((ax, numbers))
        if i % columns == 0:
            ax.set_ylabel(plain(axis_label(quantity.label, y_scale.unit)), color=theme[0])
    if drawn:
        _x_axes(drawn, _along(definition, entry), entry.scale_x)
    _y_axis(axes.flat[0], [v / y_scale.factor for v in values], entry.scale_y)
    if labels:
        legend(drawing, labels, across, theme[0])
    return drawing


def _y_axis(ax: Axes, values: Sequence[float], said: str | None) -> None:
    """Scale and ticks of the axis that all panels share; it holds numbers in the scale's unit already."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if said == "log" or (said is None and is_log(values)):
        ax.set_yscale("log")
        ticks = log_ticks(*ax.get_ylim(), 9)
        ax.yaxis.set_major_locator(FixedLocator(ticks))
        ax.yaxis.set_minor_locator(NullLocator())  # half the time of a figure goes into minor ticks
    else:
        if values and min(values) >= 0:
            ax.set_ylim(bottom=0)
        ticks = list(ax.get_yticks())
    said_as = tick_texts(ticks)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: said_as(v)))


def _x_axes(drawn: Sequence[tuple[Axes, Sequence[float]]], entry: Axis | Metric | Derived, said: str | None) -> None:
    """Scales and ticks of all panels, written in one way; beside each the values it shows, from left to right."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    every = sorted({v for _, numbers in drawn for v in numbers})
    log = said == "log" if said else entry.scale == "log" if isinstance(entry, Axis) else is_log(every)
    log = log and every[0] > 0
    binary = isinstance(entry, Axis) and powers_of_two(every)
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
            ticks = log_ticks(*ax.get_xlim(), MOST_X_TICKS + 1)
        else:
            found += list(ax.get_xticks())
            continue
        ax.xaxis.set_major_locator(FixedLocator(ticks))
        found += ticks
    said_as = tick_texts(found)
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
    ink = theme[0]
    entry = _along(definition, plot)
    x = [p[0] for s in panel.series for p in s.points]
    numbers = sorted({v for v in x if not isinstance(v, str)})
    words = list(dict.fromkeys(v for v in x if isinstance(v, str)))
    x_scale = middle(every, entry.unit)
    for series in panel.series:
        _line(ax, series, words, x_scale, y_scale, looks[series.label])
    if words:
        ax.set_xticks(range(len(words)), [plain(w) for w in words], rotation=30, ha="right")
    elif numbers:
        unit = "" if entry.unit == "sample" else x_scale.unit
        ax.set_xlabel(plain(axis_label(entry.label, unit)), color=ink)
        for curve in panel.curves:
            if curve in curves:
                _curve(ax, curve, x_scale, y_scale, curves[curve])
    frame(ax, panel.title, theme)
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
    marks(ax, x, y, values, look)
