"""Figures, drawn once: a cache of files named by the digest of everything that shaped them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..files import write_atomic
from ..render.plots import alt_text as describe
from ..render.plots import digest as digest_of
from ..render.plots import figure as draw
from .blocks import Figure

__all__ = ["FigureCache", "Format", "alt_text", "stem"]

Format = Literal["light", "dark", "pdf", "png"]
_SUFFIX: dict[Format, str] = {"light": "-light.svg", "dark": "-dark.svg", "pdf": ".pdf", "png": ".png"}


def stem(figure: Figure) -> str:
    """Name of a figure's files: what it shows, and a digest. Nothing is drawn."""
    digest = digest_of(figure.benchmark, figure.cards, figure.plot)
    who = figure.cards[0].device_id if len(figure.cards) == 1 else f"{len(figure.cards)}-devices"
    return f"{figure.benchmark.definition.id}-{figure.plot}-{who}-{digest[:16]}"


def alt_text(figure: Figure) -> str:
    """What the figure shows, in words."""
    return describe(figure.benchmark, figure.cards, figure.plot)


def file_name(name: str, form: Format) -> str:
    """File name of one format of a figure, by its stem."""
    return name + _SUFFIX[form]


@dataclass(frozen=True, slots=True)
class FigureCache:
    """Figures in a folder. Safe for several processes at once: files appear whole, and their names are contents."""

    folder: Path

    def path(self, figure: Figure, form: Format) -> Path:
        """The file of a figure in one format; drawn now if it is not there yet."""
        path = self.folder / file_name(stem(figure), form)
        if not path.is_file():
            self._draw(figure, ("light", "dark") if form in ("light", "dark") else (form,))
        return path

    def _draw(self, figure: Figure, forms: tuple[Format, ...]) -> None:
        drawn = draw(figure.benchmark, figure.cards, figure.plot, formats=forms)
        self.folder.mkdir(parents=True, exist_ok=True)
        name = stem(figure)
        for form in forms:
            write_atomic(self.folder / file_name(name, form), getattr(drawn, form))

    def keep(self, stems: Iterable[str]) -> None:
        """Remove every other figure from the cache."""
        kept = {file_name(name, form) for name in stems for form in _SUFFIX}
        if self.folder.is_dir():
            for path in self.folder.iterdir():
                if path.suffix in (".svg", ".pdf", ".png") and path.name not in kept:
                    with contextlib.suppress(FileNotFoundError):
                        path.unlink()
