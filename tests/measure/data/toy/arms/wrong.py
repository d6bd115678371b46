from perfdocs.measure.arm import Context, Prepared

from ..workload import Arm, Problem


class Wrong(Arm):
    def result(self) -> list[int]:
        return [value + 1 for value in self.out]


def prepare(problem: Problem, context: Context) -> Prepared:
    return Wrong("wrong", problem)
