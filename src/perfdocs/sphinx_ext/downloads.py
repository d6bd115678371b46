"""A card to download: its own bytes, and its values as CSV, made once and kept beside the figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..files import write_atomic
from ..render.csv import card_csv
from .blocks import Downloads
from .project import RENDERER, Project, card, definition

__all__ = ["TableCache", "download_name", "table_digest"]


def download_name(block: Downloads, suffix: str) -> str:
    """Path of a download in our folder: made of ids, so it can lead nowhere else."""
    return f"cards/{block.benchmark.definition.id}/{block.card.device_id}.{suffix}"


def table_digest(project: Project, block: Downloads) -> str:
    """A digest of all that shapes the CSV."""
    benchmark, device_id = block.benchmark.definition.id, block.card.device_id
    keys = (RENDERER, definition(benchmark), card(benchmark, device_id))
    return sha256(" ".join(map(project.digest, keys)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class TableCache:
    """CSV files in a folder. Safe for several processes at once, like the figures'."""

    project: Project

    def _name(self, block: Downloads) -> str:
        return f"{block.benchmark.definition.id}-{block.card.device_id}-{table_digest(self.project, block)}.csv"

    def path(self, block: Downloads) -> Path:
        """The CSV of a card, made now if it is not there yet: cheapest while its page is written."""
        path = self.project.settings.cache / self._name(block)
        if not path.is_file():
            write_atomic(path, card_csv(block.benchmark, block.card).encode())
        return path

    def keep(self, blocks: Iterable[Downloads]) -> None:
        """Remove every other CSV from the cache."""
        kept = {self._name(block) for block in blocks}
        for path in self.project.settings.cache.glob("*.csv"):
            if path.name not in kept:
                path.unlink(missing_ok=True)
