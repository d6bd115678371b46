"""Figures: one drawing gives the light and the dark SVG, the PDF for LaTeX and the PNG for the rest.

Drawn without pyplot and without randomness: the same cards give the same bytes. matplotlib is imported where used.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal

from ..definition import Axis, Definition, Derived, Metric
from ..library import Benchmark, LoadedCard
from ..quantity import Scale, axis_text, scale_for
from .html import plain
from .points import ORIGINS
from .series import Panel, Series, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

__all__ = ["FORMATS", "Figure", "alt_text", "digest", "figure"]

RENDERER = 1
"""Raised whenever the same cards give another picture, so that caches draw anew."""

FORMATS = ("light", "dark", "pdf", "png")
MARKERS = "osD^vPX<>hp*d"
# Okabe and Ito's colours, darkened for white and lightened for black until each has a contrast of 3 or more
LIGHT = ("#0072b2", "#c44e00", "#00805c", "#b0528b", "#8a6a00", "#3b5bdb", "#5c5c5c", "#882255")
DARK = ("#4db2f0", "#ff8a4c", "#2fcb9b", "#e59cc8", "#f2be3a", "#8ea2ff", "#c4c4c4", "#e27aa0")
INK = {"light": "#333333", "dark": "#d6d6d6"}
RULE = {"light": "#d9d9d9", "dark": "#454545"}
# colours no figure uses, replaced in the finished SVG: one drawing, two themes
_INK, _RULE = "#010203", "#010204"
_SENTINELS = tuple(f"#0102{10 + i:02x}" for i in range(len(LIGHT)))
_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
VISIBLE_RANGE = 0.05
Dash = Literal["-", "--", ":", "-.", ""]
DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")
HOLLOW = "hollow: flagged"
PANEL_WIDTH, PANEL_HEIGHT, ROW, MARGIN = 3.0, 2.7, 0.21, 0.62


@dataclass(frozen=True, slots=True)
class Figure:
    """The formats that were asked for (others are empty) and what a reader who cannot see it is told."""

    light: bytes = b""
    dark: bytes = b""
    pdf: bytes = b""
    png: bytes = b""
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """How one series is drawn; without ``dash`` it is a hollow mark of the legend."""

    colour: str
    marker: str
    dash: Dash


def digest(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str) -> str:
    """Hex sha256 of all that shapes a figure: definition, cards, their devices, the renderer. Draws nothing."""
    try:
        library = version("matplotlib")
    except PackageNotFoundError:
        library = ""
    parts = [str(RENDERER), library, benchmark.digest, plot]
    parts += [f"{c.device_id} {c.digest} {c.card.device.name}" for c in cards]
    places = [c.device_id for c in benchmark.cards] if len(cards) > 1 else []
    return sha256("\n".join(parts + places).encode("utf-8", "surrogatepass")).hexdigest()


def alt_text(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str) -> str:
    """What the figure shows, in words."""
    return _alt(benchmark, cards, plot, panels(benchmark, cards, plot))


def _alt(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str, found: Sequence[Panel]) -> str:
    definition = benchmark.definition
    entry = definition.plots[plot]
    who = cards[0].card.device.name if len(cards) == 1 else f"{len(cards)} devices, each by its best arm"
    lines = list(dict.fromkeys(s.label for p in found for s in p.series))
    parts = [f"{entry.title}, {who}."]
    if titles := [p.title for p in found if p.title]:
        parts.append(f"Panels: {', '.join(titles)}.")
    parts.append(f"Lines: {'; '.join(lines)}." if lines else "No values.")
    return plain(" ".join([*parts, "The tables hold every value."]))


def figure(
    benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str, formats: Collection[str] = ("light", "dark")
) -> Figure:
    """Draw a plot of one device, or of several compared, in the given :data:`FORMATS`."""
    from matplotlib import rc_context

    found = panels(benchmark, cards, plot)
    out: dict[str, bytes] = {}
    with rc_context(_rc()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the reader's fonts show it, not ours
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")  # right-to-left shaping
        if {"light", "dark"} & set(formats):
            svg = _svg(_draw(benchmark.definition, plot, found, (_INK, _RULE, _SENTINELS)))
            for theme, palette in (("light", LIGHT), ("dark", DARK)):
                if theme in formats:
                    out[theme] = _themed(svg, theme, palette).encode()
        if {"pdf", "png"} & set(formats):
            drawing = _draw(benchmark.definition, plot, found, (INK["light"], RULE["light"], LIGHT))
            if "pdf" in formats:
                out["pdf"] = _save(drawing, "pdf", {"CreationDate": None, "Creator": None, "Producer": None})
            if "png" in formats:
                out["png"] = _save(drawing, "png", {"Software": None}, dpi=144, facecolor="white", transparent=False)
    return Figure(**out, alt=_alt(benchmark, cards, plot, found))


def _rc() -> Any:  # the stubs of rc_context want a type of hundreds of literal keys
    return {
        "svg.hashsalt": "perfdocs",
        "svg.fonttype": "none",
        "text.parse_math": False,
        "font.size": 9.0,
        "font.family": ["DejaVu Sans"],
        "axes.unicode_minus": True,
        "pdf.fonttype": 3,  # a fifth of the time of 42, for the same look
        "pdf.compression": 6,
        "path.simplify": False,
    }


def _save(drawing: Drawing, kind: str, metadata: dict[str, Any], **options: Any) -> bytes:
    out = io.BytesIO()
    drawing.savefig(out, format=kind, metadata=metadata, **{"transparent": True, **options})
    return out.getvalue()


def _svg(drawing: Drawing) -> str:
    metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
    text = _save(drawing, "svg", metadata).decode()
    return re.sub("\n +", "\n", text).replace("'DejaVu Sans'", _FONT)


def _themed(svg: str, theme: str, palette: Sequence[str]) -> str:
    colours = {_INK: INK[theme], _RULE: RULE[theme], **dict(zip(_SENTINELS, palette, strict=True))}
    return re.sub("#0102[0-9a-f]{2}", lambda m: colours.get(m[0], m[0]), svg)


Theme = tuple[str, str, Sequence[str]]


def _draw(definition: Definition, plot: str, found: Sequence[Panel], theme: Theme) -> Drawing:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    entry = definition.plots[plot]
    quantity = definition.quantity(entry.y)
    looks = _looks((s for p in found for s in p.series), theme[2])
    hollow = any(v.flags - ORIGINS for p in found for s in p.series for _, v in s.points)
    labels = [*looks.items(), *([(HOLLOW, Look(theme[0], "o", ""))] if hollow else [])]
    columns = max(min(len(found), 3), 1)
    rows = max(math.ceil(len(found) / columns), 1)
    width = max(columns * PANEL_WIDTH + MARGIN, 5.0)
    longest = max((len(label) for label, _ in labels), default=1)
    across = max(int((width - 0.2) / (0.55 + 0.078 * min(longest, 60))), 1)
    legend = math.ceil(len(labels) / across) * ROW + 0.1
    height = rows * PANEL_HEIGHT + 0.5 + legend
    drawing = Drawing(figsize=(width, height))
    FigureCanvasAgg(drawing)
    axes = drawing.subplots(rows, columns, sharey=True, squeeze=False)
    drawing.subplots_adjust(
        left=MARGIN / width,
        right=1 - 0.12 / width,
        top=1 - 0.3 / height,
        bottom=(legend + 0.45) / height,
        wspace=0.08,
        hspace=0.35,
    )
    values = [v.centre for p in found for s in p.series for _, v in s.points]
    y_scale = _middle(values, quantity.unit)
    for i, ax in enumerate(axes.flat):
        if i >= len(found):
            ax.set_visible(False)
            continue
        _panel(ax, definition, entry.x, found[i], y_scale, theme, looks)
        if i % columns == 0:
            ax.set_ylabel(plain(_axis_label(quantity.label, y_scale.unit)), color=theme[0])
    _y_axis(axes.flat[0], values)
    if labels:
        _legend(drawing, labels, across, theme[0])
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


def _tick(value: float) -> str:
    if value and abs(value) < 1e-3:
        return axis_text(0.0) if value == 0 else f"{value:.0e}".replace("e-0", "e-")
    return axis_text(value) if value >= 1000 else f"{value:g}"


def _y_axis(ax: Axes, values: Sequence[float]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    if _log(values):
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(numticks=9))
        ax.yaxis.set_minor_locator(NullLocator())  # half the time of a figure goes into minor ticks
    elif values and min(values) >= 0:
        ax.set_ylim(bottom=0)
    # axes share y and hold numbers in the scale's unit already
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: _tick(v)))


def _x_axis(ax: Axes, entry: Axis | Metric | Derived, x: Sequence[float], scale: Scale) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

    log = entry.scale == "log" if isinstance(entry, Axis) else _log(x)
    if log:
        ax.set_xscale("log")
    if len(x) <= 6 or (log and max(x) / min(x) < 100):
        ax.xaxis.set_major_locator(FixedLocator(list(x) if len(x) <= 6 else list(x[:: math.ceil(len(x) / 6)])))
    elif log:
        ax.xaxis.set_major_locator(LogLocator(numticks=7))
    if log:
        ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: _tick(v / scale.factor)))


def _panel(
    ax: Axes, definition: Definition, key: str, panel: Panel, y_scale: Scale, theme: Theme, looks: dict[str, Look]
) -> None:
    ink, rule, _ = theme
    entry: Axis | Metric | Derived = definition.axes[key] if key in definition.axes else definition.quantity(key)
    x = [p[0] for s in panel.series for p in s.points]
    numbers = sorted({v for v in x if not isinstance(v, str)})
    words = list(dict.fromkeys(v for v in x if isinstance(v, str)))
    for series in panel.series:
        _line(ax, series, words, y_scale, looks[series.label])
    if words:
        ax.set_xticks(range(len(words)), [plain(w) for w in words], rotation=30, ha="right")
    elif numbers:
        scale = _middle(numbers, entry.unit)
        _x_axis(ax, entry, numbers, scale)
        unit = "" if entry.unit == "sample" else scale.unit
        ax.set_xlabel(plain(_axis_label(entry.label, unit)), color=ink)
    ax.set_title(plain(panel.title), fontsize=9.5, color=ink, y=1.02)  # a fixed place needs no measuring
    ax.patch.set_alpha(0)
    ax.grid(True, which="major", color=rule, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(which="both", colors=ink, length=3, width=0.6, labelsize=8)
    ax.tick_params(which="minor", length=0)
    for side, spine in ax.spines.items():
        spine.set_color(rule)
        spine.set_visible(side in ("left", "bottom"))


def _line(ax: Axes, series: Series, words: Sequence[str], scale: Scale, look: Look) -> None:
    x = [words.index(a) if isinstance(a, str) else a for a, _ in series.points]
    values = [v for _, v in series.points]
    y = [v.centre / scale.factor for v in values]
    ax.plot(x, y, look.dash, color=look.colour, linewidth=1.3, zorder=2)
    wide = [i for i, v in enumerate(values) if v.hi - v.lo > VISIBLE_RANGE * abs(v.centre)]
    if wide:
        low, high = [values[i].lo / scale.factor for i in wide], [values[i].hi / scale.factor for i in wide]
        ax.vlines([x[i] for i in wide], low, high, color=look.colour, linewidth=1.0, zorder=2)
    flagged = [bool(v.flags - ORIGINS) for v in values]
    for hollow in (False, True):
        chosen = [i for i, f in enumerate(flagged) if f is hollow]
        if chosen:
            face = "none" if hollow else look.colour
            at = [x[i] for i in chosen], [y[i] for i in chosen]
            ax.plot(*at, look.marker, color=look.colour, markerfacecolor=face, markersize=5, zorder=3)


def _looks(series: Iterable[Series], palette: Sequence[str]) -> dict[str, Look]:
    """Colour and marker of each label by its place in the definition; a colour used twice is dashed the second time."""
    out: dict[str, Look] = {}
    used: dict[int, int] = {}
    for s in series:
        if s.label not in out:
            colour = s.colour % len(palette)
            dash = DASHES[used.setdefault(colour, 0) % len(DASHES)]
            used[colour] += 1
            out[s.label] = Look(palette[colour], MARKERS[s.place % len(MARKERS)], dash)
    return out


def _legend(drawing: Drawing, labels: Sequence[tuple[str, Look]], columns: int, ink: str) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [], [], color=look.colour, marker=look.marker, markersize=5, linewidth=1.3,
            linestyle=look.dash, markerfacecolor=look.colour if look.dash else "none",
        )
        for _, look in labels
    ]  # fmt: skip
    # labels are set afterwards: a leading underscore means "no label" to matplotlib
    width = float(drawing.get_figwidth())
    legend = drawing.legend(
        handles,
        ["-"] * len(labels),
        loc="lower left",
        bbox_to_anchor=((MARGIN - 0.1) / width, 0.0),
        ncols=columns,
        frameon=False,
        fontsize=8.5,
        borderaxespad=0.2,
    )
    for text, (label, _) in zip(legend.get_texts(), labels, strict=True):
        text.set_text(plain(label)[:90])
        text.set_color(ink)
