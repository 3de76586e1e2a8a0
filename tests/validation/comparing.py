"""Ours against theirs: means over seeds, standard errors, and whether they agree.

Two means agree within three combined standard errors; where only a tolerance was published, within
that. Knows nothing of what was played.
"""

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev

from tests.validation.playing import play
from tests.validation.published import CASES, Case, Figure

MOST_ERRORS = 3.0


@dataclass(frozen=True, slots=True)
class Result:
    """One figure of a case."""

    case: Case
    figure: Figure
    ours: float
    our_error: float
    seeds: int

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.figure.published

    @property
    def errors(self) -> float | None:
        """The difference in combined standard errors; None where only a tolerance is known."""
        theirs = self.figure.error
        if self.figure.runs is not None:
            theirs = self.our_error * (self.seeds / self.figure.runs) ** 0.5
        if theirs is None:
            return None
        combined = (theirs**2 + self.our_error**2) ** 0.5
        return self.difference / combined if combined else 0.0

    @property
    def agrees(self) -> bool:
        """Within three combined standard errors, or within the tolerance."""
        errors = self.errors
        if errors is not None:
            return abs(errors) <= MOST_ERRORS
        allowed = self.figure.tolerance
        return allowed is not None and abs(self.difference) <= allowed


def figures(case: Case, seed: int) -> list[float]:
    """All figures of one seed."""
    played = play(case.name, seed, case.ending)
    return [figure.read(played[figure.scenario]) for figure in case.figures]


def _figures_by_name(name: str, seed: int) -> list[float]:
    """``figures`` for another process, to which a reading cannot be sent."""
    return figures(next(case for case in CASES if case.name == name), seed)


def compare(case: Case, seeds: Iterable[int], workers: int = 1) -> list[Result]:
    """All figures of a case over these seeds, on so many cores."""
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            runs = list(pool.map(partial(_figures_by_name, case.name), seeds, chunksize=4))
    else:
        runs = [figures(case, seed) for seed in seeds]
    columns = list(zip(*runs, strict=True))
    return [
        Result(case, figure, fmean(values), stdev(values) / len(values) ** 0.5, len(values))
        for figure, values in zip(case.figures, columns, strict=True)
    ]
