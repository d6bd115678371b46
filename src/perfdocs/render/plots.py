"""Figures: one drawing gives the light and the dark SVG, the PDF for LaTeX and the PNG for the rest.

Drawn without pyplot and without randomness: the same cards give the same bytes. matplotlib is imported where used.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ..library import Benchmark
from ..loading import LoadedCard
from .dots import rows_of
from .drawing import draw
from .html import plain
from .points import origin_of, with_origin
from .series import ARM, Panel, has_values, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FORMATS", "UNMEASURED", "Figure", "alt_text", "digest", "figure", "origin_notes"]

RENDERER = 6
"""Raised whenever the same cards give another picture, so that caches draw anew; ``env_version`` goes with it."""

UNMEASURED = {"imported": "Imported, not measured here", "synthetic": "Synthetic, no measurement"}

FORMATS = ("light", "dark", "pdf", "png")
# Okabe and Ito's colours, darkened for white and lightened for black until each has a contrast of 3 or more
LIGHT = ("#0072b2", "#c44e00", "#00805c", "#b0528b", "#8a6a00", "#3b5bdb", "#1c1c1c", "#882255")
DARK = ("#4db2f0", "#ff8a4c", "#2fcb9b", "#e59cc8", "#f2be3a", "#8ea2ff", "#f4f4f4", "#e27aa0")
INK = {"light": "#333333", "dark": "#d6d6d6"}
QUIET = {"light": "#8a8a8a", "dark": "#8c8c8c"}
RULE = {"light": "#d9d9d9", "dark": "#454545"}
# colours no figure uses, replaced in the finished SVG: one drawing, two themes
_INK, _RULE, _QUIET = "#010203", "#010204", "#010205"
_SENTINELS = tuple(f"#0102{10 + i:02x}" for i in range(len(LIGHT)))
_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Figure:
    """The formats that were asked for (others are empty) and what a reader who cannot see it is told."""

    light: bytes = b""
    dark: bytes = b""
    pdf: bytes = b""
    png: bytes = b""
    alt: str = ""


def digest(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str) -> str:
    """Hex sha256 of all that shapes a figure: definition, cards, their devices, the renderer. Draws nothing."""
    parts = [str(RENDERER), _matplotlib_version(), benchmark.digest, plot]
    parts += [f"{c.device_id} {c.digest} {c.card.device.name}" for c in cards]
    by_device = len(cards) > 1 or benchmark.definition.plots[plot].x == ARM  # whose looks are those of their places
    places = [c.device_id for c in benchmark.cards] if by_device else []
    return sha256("\n".join(parts + places).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=1)
def _matplotlib_version() -> str:
    """Looked up once: it reads and parses a file of metadata, and a site asks for hundreds of digests."""
    try:
        return version("matplotlib")
    except PackageNotFoundError:
        return ""


def alt_text(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str) -> str:
    """What the figure shows, in words."""
    return _alt(benchmark, cards, plot, panels(benchmark, cards, plot))


def _alt(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str, found: Sequence[Panel]) -> str:
    definition = benchmark.definition
    entry = definition.plots[plot]
    one = with_origin(cards[0].card.device.name, origin_of(cards[0].card))
    who = one if len(cards) == 1 else f"{len(cards)} devices{', each by its best arm' if entry.x != ARM else ''}"
    lines = list(dict.fromkeys(s.said for p in found for s in p.series))
    parts = [f"{entry.title}, {who}."]
    if titles := [p.title for p in found if p.title]:
        parts.append(f"Panels: {', '.join(titles)}.")
    if entry.x == ARM and lines:
        parts.append(f"Rows: {'; '.join(rows_of(definition, plot, found))}.")
    parts.append(f"{'Marks' if entry.x == ARM else 'Lines'}: {'; '.join(lines)}." if lines else "No values.")
    if curves := list(dict.fromkeys(c.name for p in found for c in p.curves)):
        parts.append(f"Over them: {'; '.join(curves)}.")
    parts += origin_notes(benchmark, cards, plot)
    return plain(" ".join([*parts, "The tables hold every value."]))


def origin_notes(benchmark: Benchmark, cards: Sequence[LoadedCard], plot: str) -> Iterator[str]:
    """Sentences for the caption and the alternative text: which of the devices that are shown were not measured."""
    for origin, said in UNMEASURED.items():
        names = [c.card.device.name for c in cards if origin_of(c.card) == origin and has_values(benchmark, c, plot)]
        if names:
            yield f"{said}." if len(cards) == 1 else f"{said}: {', '.join(dict.fromkeys(names))}."


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
            svg = _svg(draw(benchmark.definition, plot, found, (_INK, _RULE, _QUIET, _SENTINELS)))
            for theme, palette in (("light", LIGHT), ("dark", DARK)):
                if theme in formats:
                    out[theme] = _themed(svg, theme, palette).encode()
        if {"pdf", "png"} & set(formats):
            drawing = draw(benchmark.definition, plot, found, (INK["light"], RULE["light"], QUIET["light"], LIGHT))
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
    colours = {_INK: INK[theme], _RULE: RULE[theme], _QUIET: QUIET[theme]}
    colours |= dict(zip(_SENTINELS, palette, strict=True))
    return re.sub("#0102[0-9a-f]{2}", lambda m: colours.get(m[0], m[0]), svg)
