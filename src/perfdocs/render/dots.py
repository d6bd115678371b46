"""Figures with a row for each arm: names read from left to right, values lie along the axis below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..definition import Definition
from .html import plain
from .looks import VISIBLE_RANGE, Theme, columns_and_height, frame, keys, legend, looks_of, marks
from .scales import axis_label, is_log, log_ticks, middle, tick_texts
from .series import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

__all__ = ["draw_dots", "rows_of"]

WIDTH, ROW_HEIGHT, LETTER = 2.9, 0.27, 0.066
"""Of a panel, of an arm's row and of a letter of its name, in inches."""
MOST_PANELS, MOST_TICKS, LONGEST_NAME = 3, 6, 44


def rows_of(definition: Definition, plot: str, found: Sequence[Panel]) -> list[str]:
    """Names of arms from the top: the best value of the last panel that has one first."""
    sign = -1.0 if definition.quantity(definition.plots[plot].y).better == "higher" else 1.0
    best: dict[str, tuple[int, float]] = {}
    for i, panel in enumerate(found):
        for x, value in (point for series in panel.series for point in series.points):
            rank = (-i, sign * value.centre)
            best[str(x)] = min(best.get(str(x), rank), rank)
    return sorted(best, key=lambda name: best[name])


def draw_dots(definition: Definition, plot: str, found: Sequence[Panel], theme: Theme) -> Drawing:
    """The panels of a plot side by side on one scale, a row for each arm, the legend below."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    ink = theme[0]
    quantity = definition.quantity(definition.plots[plot].y)
    looks = looks_of(definition, plot, found, theme)
    said = {s.label: s.said for p in found for s in p.series}
    labels = [*((said[label], look) for label, look in looks.items()), *keys(found, ink)]
    names = rows_of(definition, plot, found)
    columns = max(min(len(found), MOST_PANELS), 1)
    rows = max(math.ceil(len(found) / columns), 1)
    left = 0.25 + LETTER * min(max(map(len, names), default=1), LONGEST_NAME)
    width = left + columns * WIDTH
    across, below = columns_and_height(labels, width)
    high = 0.15 + ROW_HEIGHT * max(len(names), 1)
    height = rows * (high + 0.75) + below
    drawing = Drawing(figsize=(width, height))
    FigureCanvasAgg(drawing)
    axes = drawing.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    drawing.subplots_adjust(
        left=left / width,
        right=1 - 0.12 / width,
        top=1 - 0.3 / height,
        bottom=(below + 0.45) / height,
        wspace=0.08,
        hspace=0.75 / high,
    )
    values = [v for p in found for s in p.series for _, v in s.points]
    scale = middle([v.centre for v in values], quantity.unit)
    for i, ax in enumerate(axes.flat):
        if i >= len(found):
            ax.set_visible(False)
            continue
        for series in found[i].series:
            look = looks[series.label]
            at = [float(names.index(str(x))) for x, _ in series.points]
            own = [v for _, v in series.points]
            wide = [(y, v) for y, v in zip(at, own, strict=True) if v.hi - v.lo > VISIBLE_RANGE * abs(v.centre)]
            ends = [v.lo / scale.factor for _, v in wide], [v.hi / scale.factor for _, v in wide]
            ax.hlines([y for y, _ in wide], *ends, color=look.colour, linewidth=look.width, zorder=look.layer)
            marks(ax, [v.centre / scale.factor for v in own], at, own, look)
        ax.set_xlabel(plain(axis_label(quantity.label, scale.unit)), color=ink)
        ax.tick_params(labelbottom=True)
        frame(ax, found[i].title, theme)
    first = axes.flat[0]
    first.set_yticks(range(len(names)), [_short(plain(name)) for name in names])
    first.set_ylim(len(names) - 0.5, -0.5)
    _scale(first, [v.centre / scale.factor for v in values], definition.plots[plot].scale_y)
    legend(drawing, labels, across, ink)
    return drawing


def _scale(ax: Axes, values: Sequence[float], said: str | None) -> None:
    """Scale and ticks of the axis of values, which all panels share."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    if said == "log" or (said is None and is_log(values)):
        ax.set_xscale("log")
        ticks = log_ticks(*ax.get_xlim(), MOST_TICKS)
        ax.xaxis.set_major_locator(FixedLocator(ticks))
        ax.xaxis.set_minor_locator(NullLocator())
    else:
        if values and min(values) >= 0:
            ax.set_xlim(left=0)
        ticks = list(ax.get_xticks())
    text = tick_texts(ticks)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: text(v)))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
