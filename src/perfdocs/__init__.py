"""Performance pages that cannot drift from the measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["__version__", "setup"]
__version__ = "0.1.0"


def setup(app: Sphinx) -> dict[str, Any]:
    """Entry point of the Sphinx extension; Sphinx is imported only here."""
    from .sphinx_ext import setup as setup_extension

    return setup_extension(app)
