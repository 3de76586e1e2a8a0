"""Studies: rounds of seeds, an early end that luck of the machine does not move, Ctrl-C."""

from collections.abc import Callable, Generator, Iterable

import pytest

from goodputd.studies.runs import Job, Run
from goodputd.studies.study import FEWEST_SEEDS, Results, Study, conduct
from tests.studied import FIGURES, figures, named


class Shuffled:
    """An executor whose runs come back in an order of its own, and which counts what it was asked for."""

    def __init__(self, order: Callable[[list[Job]], Iterable[Job]], ahead: int = 12) -> None:
        """``order`` is applied to ``ahead`` jobs at a time."""
        self.order = order
        self.ahead = ahead
        self.closed = False
        self.played = 0

    def run(self, jobs: Iterable[Job]) -> Generator[Run, None, None]:
        """The goodput of a run is its seed over 1000."""
        waiting = list(jobs)
        try:
            while waiting:
                taken, waiting = waiting[: self.ahead], waiting[self.ahead :]
                for job in self.order(taken):
                    self.played += 1
                    yield Run(job.point, job.seed, figures(effective_training_time_ratio=job.seed / 1000))
        finally:
            self.closed = True


def study(seeds: int = 40) -> Study:
    """Three points."""
    return Study(points=named("a", "b", "c"), seeds=range(1, seeds + 1), horizon_seconds=60.0)


def ignored(_: int) -> None:
    """Nobody watches."""


def test_seeds_are_played_in_rounds() -> None:
    """Every point meets a seed before any meets the next."""
    asked = [(job.seed, job.point) for job in study(2).jobs()]

    assert [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)] == asked


def test_without_a_limit_every_run_is_there() -> None:
    """All points at all seeds, and the progress counts them."""
    counts: list[int] = []
    found = conduct(study(4), Shuffled(reversed), progress=counts.append)

    assert ([1, 2, 3, 4], 12, list(range(1, 13))) == (found.seeds, len(found.figures), counts)


@pytest.mark.parametrize("order", [list, reversed, lambda jobs: sorted(jobs, key=lambda job: job.point)])
def test_an_early_end_does_not_depend_on_the_order_of_runs(order: Callable[[list[Job]], list[Job]]) -> None:
    """It is the first seeds that decide, whichever runs came back first, and they alone are kept."""
    asked: list[int] = []

    def seven_are_enough(results: Results) -> bool:
        asked.append(len(results.seeds))
        return len(results.seeds) >= 7

    executor = Shuffled(order)
    found = conduct(study(), executor, progress=ignored, is_enough=seven_are_enough)

    assert ([1, 2, 3, 4, 5, 6, 7], 21) == (found.seeds, len(found.figures))
    assert [5, 6, 7] == asked
    assert executor.closed
    assert executor.played < study().runs


def test_a_study_never_ends_on_too_few_seeds() -> None:
    """An interval from two or three runs may be narrow by luck."""
    found = conduct(study(), Shuffled(list), progress=ignored, is_enough=lambda _: True)

    assert FEWEST_SEEDS == len(found.seeds)


def test_looks_grow_rare() -> None:
    """Each look is another chance to stop by luck: ten percent more seeds between two of them."""
    asked: list[int] = []

    def never(results: Results) -> bool:
        asked.append(len(results.seeds))
        return False

    conduct(study(40), Shuffled(list), progress=ignored, is_enough=never)

    assert [5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 21, 24, 27, 30, 33, 37] == asked


def test_ctrl_c_keeps_what_is_finished() -> None:
    """The runs are there, the seeds that can be compared are those of whole rounds."""

    def interrupt(finished: int) -> None:
        if finished == 8:
            raise KeyboardInterrupt

    executor = Shuffled(list)
    found = conduct(study(), executor, progress=interrupt)

    assert (True, 8, [1, 2]) == (found.interrupted, len(found.figures), found.seeds)
    assert executor.closed


def test_values_are_of_whole_seeds_in_order() -> None:
    """A seed that one point has not finished is nobody's."""
    found = Results(study(3))
    for seed, point in [(2, 0), (2, 1), (2, 2), (1, 0), (1, 1), (1, 2), (3, 0)]:
        found.add(seed, point, FIGURES if seed == 2 else figures(step=7.0))

    assert [7.0, FIGURES.step] == found.values(0, "step")
