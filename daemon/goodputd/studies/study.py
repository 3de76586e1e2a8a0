"""A study: points times seeds, played until there are enough of them, and what the runs came to.

Seeds are played in rounds, each at every point before the next, so that whatever is finished can be
compared pair by pair. When a study ends early depends on the runs alone, not on who played them or in
which order they came back. Knows no settings file, no figure by name and no terminal.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

from goodputd.settings import Scenario
from goodputd.studies.figures import Figures
from goodputd.studies.runs import Executor, Job

FEWEST_SEEDS: Final = 5
"""An interval from fewer runs says too little of itself to end a study."""
_NEXT_LOOK: Final = 1.1
"""Looks grow rare: each look at the same data is another chance to stop by luck."""

Progress = Callable[[int], None]
"""Is told how many runs are finished."""


@dataclass(slots=True, kw_only=True)
class Point:
    """One scenario of a study, and what it is there for."""

    name: str
    scenario: Scenario
    varied: dict[str, object] = field(default_factory=dict)
    """Dotted key -> value, of the keys that the study varies."""


@dataclass(slots=True, kw_only=True)
class Study:
    """What is to be played."""

    points: Sequence[Point]
    seeds: range
    horizon_seconds: float

    def jobs(self) -> Iterator[Job]:
        """Every run, seed by seed."""
        for seed in self.seeds:
            for index, point in enumerate(self.points):
                yield Job(index, point.scenario, seed, self.horizon_seconds)

    @property
    def runs(self) -> int:
        """How many runs there are to play."""
        return len(self.points) * len(self.seeds)


@dataclass(slots=True)
class Results:
    """The runs of a study that are finished."""

    study: Study
    figures: dict[tuple[int, int], Figures] = field(default_factory=dict)
    """By seed and point."""
    interrupted: bool = False
    """Somebody stopped the study."""
    _finished: Counter[int] = field(default_factory=Counter)
    """Seed -> points that are finished."""

    def add(self, seed: int, point: int, figures: Figures) -> None:
        """One more run."""
        self.figures[seed, point] = figures
        self._finished[seed] += 1

    @property
    def seeds(self) -> list[int]:
        """The seeds that are finished at every point, in order: those that can be compared."""
        return [seed for seed in self.study.seeds if self.is_complete(seed)]

    def is_complete(self, seed: int) -> bool:
        """Whether the seed is finished at every point."""
        return self._finished[seed] == len(self.study.points)

    def first(self, rounds: int) -> "Results":
        """Those of the first seeds alone, as if there had never been more."""
        fewer = Study(
            points=self.study.points,
            seeds=self.study.seeds[:rounds],
            horizon_seconds=self.study.horizon_seconds,
        )
        results = Results(fewer)
        for (seed, point), figures in self.figures.items():
            if seed in fewer.seeds:
                results.add(seed, point, figures)
        return results

    def values(self, point: int, name: str) -> list[float | None]:
        """A figure of a point, one value for each of ``seeds``."""
        return [getattr(self.figures[seed, point], name) for seed in self.seeds]


def conduct(
    study: Study,
    executor: Executor,
    *,
    progress: Progress,
    is_enough: Callable[[Results], bool] | None = None,
) -> Results:
    """Play the study; with ``is_enough`` only as many seeds as it asks for.

    ``is_enough`` is asked about the results of the first seeds, more of them each time. Ctrl-C ends the
    study and keeps what is finished.
    """
    results = Results(study)
    rounds, look_at = 0, FEWEST_SEEDS
    try:
        with closing(executor.run(study.jobs())) as runs:
            for run in runs:
                results.add(run.seed, run.point, run.figures)
                progress(len(results.figures))
                while rounds < len(study.seeds) and results.is_complete(study.seeds[rounds]):
                    rounds += 1
                    if is_enough is None or rounds < look_at:
                        continue
                    look_at = max(rounds + 1, math.ceil(rounds * _NEXT_LOOK))
                    first = results.first(rounds)
                    if is_enough(first):
                        return first
    except KeyboardInterrupt:
        results.interrupted = True
    return results
