"""Ours against theirs: means over seeds, standard errors, and whether they agree.

Two means agree within three combined standard errors; where only a tolerance was published, within
that. Knows nothing of what was played.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from statistics import fmean, linear_regression, stdev

from tests.validation.cases import Case, Figure, Formula
from tests.validation.playing import lemons, play
from tests.validation.published import CASES

MOST_ERRORS = 3.0
MOST_OF_THEIRS = 0.5
"""Our standard error, as a share of the published one."""


@dataclass(frozen=True, slots=True)
class Result:
    """One figure of a case."""

    case: Case
    figure: Figure | Formula
    ours: float
    our_error: float = 0.0
    seeds: int = 0

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.figure.published

    @property
    def their_error(self) -> float | None:
        """The published standard error, 0 for an exact figure; None where only a tolerance is known."""
        if isinstance(self.figure, Formula):
            return None
        if self.figure.runs is not None:
            return float(self.our_error * (self.seeds / self.figure.runs) ** 0.5)
        return 0.0 if self.figure.rounding and self.figure.error is None else self.figure.error

    @property
    def errors(self) -> float | None:
        """The difference in combined standard errors; None where only a tolerance is known."""
        theirs = self.their_error
        if theirs is None or isinstance(self.figure, Formula):
            return None
        combined = (theirs**2 + self.our_error**2 + self.figure.rounding**2) ** 0.5
        return self.difference / combined if combined else 0.0

    @property
    def agrees(self) -> bool:
        """Within three combined standard errors, or within the tolerance; above what is a lower bound."""
        if isinstance(self.figure, Figure) and self.figure.is_least:
            return self.difference > MOST_ERRORS * self.our_error
        errors = self.errors
        if errors is not None:
            return abs(errors) <= MOST_ERRORS
        allowed = self.figure.tolerance
        return allowed is not None and abs(self.difference) <= allowed

    @property
    def is_precise(self) -> bool:
        """Whether our standard error is at most half of the published one, where there is one."""
        theirs = self.their_error
        return not theirs or self.our_error <= MOST_OF_THEIRS * theirs


def figures(case: Case, seed: int) -> list[float]:
    """All figures of one seed."""
    played = play(case.name, seed, case.ending)
    return [figure.read(played[figure.scenario]) for figure in case.figures]


def _figures_by_name(name: str, seed: int) -> list[float]:
    """``figures`` for another process, to which a reading cannot be sent."""
    return figures(next(case for case in CASES if case.name == name), seed)


def computed(case: Case) -> list[Result]:
    """The formulas of a case."""
    return [Result(case, formula, formula.ours) for formula in case.formulas]


def compare(case: Case, seeds: Sequence[int], workers: int = 1) -> list[Result]:
    """All figures of a case over these seeds, on so many cores."""
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            runs = list(pool.map(partial(_figures_by_name, case.name), seeds, chunksize=4))
    else:
        runs = [figures(case, seed) for seed in seeds]
    columns: list[Sequence[float]] = list(zip(*runs, strict=True))
    if case.bad_servers is not None:
        born = [lemons(case.name, seed) for seed in seeds]
        columns = [with_as_many(values, born, case.bad_servers) for values in columns]
    return [
        Result(case, figure, fmean(values), stdev(values) / len(values) ** 0.5, len(values))
        for figure, values in zip(case.figures, columns, strict=True)
    ]


def with_as_many(values: Sequence[float], born: Sequence[int], wanted: int) -> list[float]:
    """What the values would be with ``wanted`` bad servers, as far as a straight line tells.

    Each of our servers is bad by chance, so that their number has a spread of its own.
    """
    slope = linear_regression(born, values).slope
    return [value - slope * (count - wanted) for value, count in zip(values, born, strict=True)]
