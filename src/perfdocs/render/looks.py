"""How series, curves and the keys of a legend look: markers, dashes and colours that are told apart, without pyplot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..definition import Definition
from ..verdict import Value
from .html import plain
from .points import ORIGINS
from .series import Curve, Panel, legend_order, strong

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

__all__ = [
    "MARGIN",
    "VISIBLE_RANGE",
    "Look",
    "Theme",
    "columns_and_height",
    "curve_looks",
    "frame",
    "keys",
    "legend",
    "looks_of",
    "marks",
]

MARKERS = "osD^vPX<>hp*d"
Dash = Literal["-", "--", ":", "-.", ""]
Fill = Literal["full", "none", "bottom", "top"]
DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")
FILLS: Mapping[str, Fill] = {"": "full", "imported": "bottom", "synthetic": "top"}
"""The marks of what was measured here are full; what was not has half of one, so that no print takes it for that."""
KEYS: Mapping[Fill, str] = {
    "none": "hollow: flagged",
    "bottom": "half full: imported, not measured here",
    "top": "half full: synthetic, no measurement",
}
CURVES: dict[str, tuple[Dash, str]] = {"hyperbola": ("--", "|"), "corner": (":", "x")}
"""Dash and mark of the laws: strokes, since series have filled marks."""
ROOFS: tuple[Dash, ...] = ("-", "-.", "--", ":")
MARGIN, ROW = 0.62, 0.18
VISIBLE_RANGE = 0.05
"""Ranges that are drawn, as a part of the value."""
LONGEST = 90

Theme = tuple[str, str, str, Sequence[str]]
"""Colours of ink, of rules and of lines that stand behind, and the palette of those before them."""


@dataclass(frozen=True, slots=True)
class Look:
    """How one series is drawn; without ``dash`` it is a mark of the legend alone. ``strong``: before the others.

    ``thin``: it is no series, but a curve over one. ``joined``: a line goes through its points. ``fill``: of its marks.
    """

    colour: str
    marker: str
    dash: Dash
    strong: bool = True
    thin: bool = False
    joined: bool = True
    fill: Fill = "full"

    @property
    def width(self) -> float:
        """Of the line, in points."""
        return 0.9 if self.thin else 1.6 if self.strong else 0.7

    @property
    def size(self) -> float:
        """Of a marker, in points."""
        return 8.0 if self.thin else 5.5 if self.strong else 3.5

    @property
    def layer(self) -> int:
        """The higher, the nearer to the reader."""
        return 3 if self.thin else 4 if self.strong else 2


def keys(found: Sequence[Panel], ink: str) -> list[tuple[str, Look]]:
    """What the fills of marks mean, of those that are drawn."""
    series = [s for panel in found for s in panel.series]
    used: dict[Fill, None] = dict.fromkeys(FILLS[s.origin] for s in series if s.origin)
    if any(v.flags - ORIGINS for s in series for _, v in s.points):
        used["none"] = None
    return [(KEYS[fill], Look(ink, "o", "", fill=fill)) for fill in KEYS if fill in used]


def curve_looks(found: Sequence[Panel], looks: Mapping[str, Look], ink: str) -> dict[Curve, Look]:
    """The look of each curve that is drawn, roofs first: all of those that belong to no line, or to a strong one."""
    out: dict[Curve, Look] = {}
    curves = [curve for panel in found for curve in panel.curves if not curve.of or looks[curve.of].strong]
    roofs = list(dict.fromkeys(curve.name for curve in curves if curve.roof))
    for curve in sorted(curves, key=lambda curve: not curve.roof):
        colour = looks[curve.of].colour if curve.of else ink
        if curve.roof:
            out[curve] = Look(colour, "+", ROOFS[roofs.index(curve.name) % len(ROOFS)], thin=True)
        else:
            dash, marker = CURVES[curve.law]
            out[curve] = Look(colour, marker, dash, thin=True)
    return out


def looks_of(definition: Definition, plot: str, found: Sequence[Panel], theme: Theme) -> dict[str, Look]:
    """The look of each label, in the order of the legend.

    No two strong lines share colour or marker, and no two of the others a marker and dash, so that a print without
    colours tells them apart. A line has the look of its place in the definition unless another has it.
    """
    _, _, quiet, palette = theme
    series = {s.label: s for panel in found for s in panel.series}
    chosen = sorted(strong(definition, plot, found), key=lambda label: series[label].place)
    colours = _apart([series[label].colour for label in chosen], len(palette))
    markers = _apart([series[label].place for label in chosen], len(MARKERS))
    looks = {
        label: Look(palette[colour], MARKERS[marker], DASHES[i % 2])
        for i, (label, colour, marker) in enumerate(zip(chosen, colours, markers, strict=True))
    }
    behind = [label for label in series if label not in looks]
    for i, label in enumerate(behind):
        dash = DASHES[(i // len(MARKERS) + i) % len(DASHES)]
        looks[label] = Look(quiet, MARKERS[i % len(MARKERS)], dash, strong=False)
    return {
        label: replace(looks[label], joined=series[label].joined, fill=FILLS[series[label].origin])
        for label in legend_order(definition, plot, found)
    }


def _apart(wanted: Sequence[int], count: int) -> list[int]:
    """Numbers below ``count``: the wanted ones, and another one that is free for one that is taken."""
    taken: list[int] = []
    for want in wanted:
        ring = [(want + step) % count for step in range(count)]
        taken.append(next((number for number in ring if number not in taken), ring[0]))
    return taken


def legend(drawing: Drawing, labels: Sequence[tuple[str, Look]], columns: int, ink: str) -> None:
    """Labels with their looks, below everything."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], color=look.colour, marker=look.marker, markersize=look.size, linewidth=look.width,
            linestyle=look.dash if look.joined else "none", fillstyle=look.fill, markerfacecoloralt="none",
        )
        for _, look in labels
    ]  # fmt: skip
    # labels are set afterwards: a leading underscore means "no label" to matplotlib
    width = float(drawing.get_figwidth())
    box = drawing.legend(
        handles,
        ["-"] * len(labels),
        loc="lower left",
        bbox_to_anchor=((MARGIN - 0.1) / width, 0.0),
        ncols=columns,
        frameon=False,
        fontsize=8.5,
        borderaxespad=0.2,
    )
    for text, (label, _) in zip(box.get_texts(), labels, strict=True):
        text.set_text(_short(plain(label)))
        text.set_color(ink)


def columns_and_height(labels: Sequence[tuple[str, Look]], width: float) -> tuple[int, float]:
    """How many labels stand side by side in a figure so wide, and how high the legend is: inches."""
    longest = max((len(label) for label, _ in labels), default=1)
    across = max(int((width - 0.2) / (0.55 + 0.068 * min(longest, 60))), 1)
    return across, math.ceil(len(labels) / across) * ROW + 0.1


def frame(ax: Axes, title: str, theme: Theme) -> None:
    """Title, rules and spines of a panel."""
    ink, rule, *_ = theme
    ax.set_title(plain(title), fontsize=9.5, color=ink, y=1.02)  # a fixed place needs no measuring
    ax.patch.set_alpha(0)
    ax.grid(True, which="major", color=rule, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(which="both", colors=ink, length=3, width=0.6, labelsize=8)
    ax.tick_params(which="minor", length=0)
    for side, spine in ax.spines.items():
        spine.set_color(rule)
        spine.set_visible(side in ("left", "bottom"))


def marks(ax: Axes, x: Sequence[float], y: Sequence[float], values: Sequence[Value], look: Look) -> None:
    """The points of a series: those that are flagged are hollow."""
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


def _short(label: str) -> str:
    """A label that fits a line. Its end is kept, which says whose it is and whether it was measured here."""
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 40]}…{label[-39:]}"
