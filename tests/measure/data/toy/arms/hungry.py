from perfdocs.measure.arm import Context, Prepared

from ..workload import Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    raise MemoryError
