import a_package_nobody_has  # type: ignore[import-not-found] # on purpose

from perfdocs.measure.arm import Context, Prepared

from ..workload import Arm, Problem


def prepare(problem: Problem, context: Context) -> Prepared:
    return Arm(str(a_package_nobody_has), problem)
