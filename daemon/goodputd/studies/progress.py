"""Which of two scenarios gets further: steps that are kept, in the same time.

Shares of the time cannot see how long a step takes, and placement, slow GPUs, heat or a smaller job
make steps longer. Knows no terminal.
"""

from collections.abc import Callable
from typing import Final

from goodputd.studies.estimates import Estimate, estimate
from goodputd.studies.figures import Figures
from goodputd.studies.study import Point, Results

_Measure = Callable[[Figures, float, Point], float]

_LEAST: Final = 0.005
"""A smaller lead in steps is not worth a word."""


def ahead(results: Results, slow: int) -> tuple[int, Estimate] | None:
    """The scenario with shorter steps that gets furthest beyond this one, and by what share of its steps.

    None without any. A lead counts where its 95 % interval leaves out zero, seed by seed.
    """
    leads: list[tuple[int, Estimate]] = []
    for index in range(len(results.study.points)):
        lead, quicker = _lead(results, index, slow, _pace), _lead(results, index, slow, _speed)
        if lead is None or quicker is None or lead.is_zero:
            continue
        if min(lead.mean, quicker.mean) > _LEAST:
            leads.append((index, lead))
    return max(leads, key=lambda each: each[1].mean, default=None)


def slowest(results: Results) -> int:
    """The scenario that gets least far."""
    return min(range(len(results.study.points)), key=lambda index: sum(_each(results, index, _pace)))


def _lead(results: Results, index: int, slow: int, of: _Measure) -> Estimate | None:
    pairs = zip(_each(results, index, of), _each(results, slow, of), strict=True)
    return estimate(mine / other - 1.0 if other > 0.0 else None for mine, other in pairs)


def _each(results: Results, index: int, of: _Measure) -> list[float]:
    point, horizon = results.study.points[index], results.study.horizon_seconds
    return [of(results.figures[seed, index], horizon, point) for seed in results.seeds]


def _pace(run: Figures, horizon_seconds: float, point: Point) -> float:
    """Steps of the full batch that a checkpoint holds, for each second that was played."""
    return _speed(run, horizon_seconds, point) * _worked(run, point)


def _speed(run: Figures, horizon_seconds: float, _: Point) -> float:
    """Steps for each second that was spent on them; 0 when none was."""
    trained = (run.effective_training_time_ratio or 0.0) + (run.provisional_share or 0.0)
    played = horizon_seconds if run.completion_seconds is None else run.completion_seconds
    return run.step / (trained * played) if trained > 0.0 else 0.0


def _worked(run: Figures, point: Point) -> float:
    """The share of the time that made steps which are kept, counted by GPUs where the batch shrinks."""
    smaller = point.scenario.job.on_shrink == "smaller_batch"
    return (run.effective_utilization_ratio if smaller else run.effective_training_time_ratio) or 0.0
