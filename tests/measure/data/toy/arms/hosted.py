from perfdocs.measure.arm import Context, Prepared

from ..workload import Arm, Problem


class Hosted(Arm):
    on_host = True


def prepare(problem: Problem, context: Context) -> Prepared:
    return Hosted("hosted", problem)
