import platform

from perfdocs.measure.arm import Context, Prepared

from ..workload import Arm, Problem


class Raises(Arm):
    def run(self) -> None:
        super().run()
        if self.runs == 4:
            raise RuntimeError(f"no file /home/somebody/data/x.bin on {platform.node()}, see http://example.org/a")


def prepare(problem: Problem, context: Context) -> Prepared:
    return Raises("raises", problem)
