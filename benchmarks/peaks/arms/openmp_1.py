"""C++ on one processor."""

from perfdocs.measure.arm import Context, Prepared

from ..host import prepare as prepare_host
from ..problems import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    """Compile where needed; one thread."""
    return prepare_host(problem, context, 1)
