"""How a problem becomes a Sphinx warning: type ``perfdocs``, the problem's code as subtype, a location."""

from __future__ import annotations

from sphinx.util import logging

from ..errors import Problem, clean

__all__ = ["warn"]

logger = logging.getLogger("perfdocs")


def warn(problem: Problem, location: str | None = None) -> None:
    """Report one problem, where it is or at ``location`` (``path:line``).

    ``suppress_warnings = ["perfdocs.<code>"]`` silences it.
    """
    where = location or problem.where
    text = f"found {clean(problem.found)}, expected {problem.expected}; {problem.do}"
    # Sphinx takes a location without a colon for the name of a document.
    logger.warning("%s", text, type="perfdocs", subtype=problem.code, location=where if ":" in where else f"{where}:1")
