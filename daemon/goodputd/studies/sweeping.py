"""A sweep as one JSON object: a curve over the first varied key for each value of the others.

On each curve stands what was measured, where its optimum is, and for checkpoint intervals what Young
and Daly would have chosen. The keys of the object are added to and not renamed. Knows no terminal.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, Final

from goodputd.sim.daly import daly, young
from goodputd.studies.axes import Axis, is_whole, limits
from goodputd.studies.comparison import pairing, told_figure
from goodputd.studies.estimates import estimate
from goodputd.studies.figures import NAMES, Figures
from goodputd.studies.optimum import Optimum, find
from goodputd.studies.study import Results

INTERVAL_SECONDS: Final = "checkpoint.interval_seconds"
INTERVAL_STEPS: Final = "checkpoint.interval_steps"
GOALS: Final = ("effective_training_time_ratio", "effective_utilization_ratio", "effective_compute_ratio")
"""Figures of which more is better and all is 1, so that their curves have optima worth telling."""

Sweep = dict[str, Any]
"""A JSON object."""


def sweep(
    results: Results, axes: Sequence[Axis], *, figure: str, precision: float | None, version: str, source: str
) -> Sweep:
    """The object that ``goodputd sweep`` draws, prints and writes; there is a whole seed or more.

    Errors: ``EnvironmentProblemError`` when there is more than one seed and no scipy, or a curve to fit
    and no numpy.
    """
    seeds = results.seeds
    return {
        "version": version,
        "source": source,
        "figure": figure,
        "first_seed": seeds[0],
        "seeds": len(seeds),
        "simulated_seconds": results.study.horizon_seconds,
        "interrupted": results.interrupted,
        "precision": {"wanted": precision, "widest": widest(results, figure)},
        "axes": [
            {"key": axis.key, "values": list(axis.values), "log": axis.is_log, "zero": axis.zero}
            for axis in axes
        ],
        "curves": [_curve(results, axes, indexes, figure) for indexes in _grouped(results, axes)],
        "runs": [
            {"seed": seed, "scenario": point.name, **point.varied, **asdict(figures)}
            for (seed, index), figures in sorted(results.figures.items(), key=lambda each: each[0])
            for point in [results.study.points[index]]
        ],
    }


def widest(results: Results, figure: str) -> float | None:
    """Half of the widest 95 % interval of the figure over all points; None for a single seed."""
    found = [estimate(results.values(index, figure)) for index in range(len(results.study.points))]
    halves = [each.half_width for each in found if each is not None and each.half_width is not None]
    return max(halves, default=None)


def _grouped(results: Results, axes: Sequence[Axis]) -> list[list[int]]:
    """The points of each curve, in order of the first key's values where they have one.

    A 0 that is no number comes last: those before it lead there, as strikes do to never evicting.
    """
    first = axes[0]
    curves: dict[str, list[int]] = {}
    for index, point in enumerate(results.study.points):
        curves.setdefault(str((point.name, *_held(point.varied, first))), []).append(index)
    if first.is_numeric:
        for indexes in curves.values():
            indexes.sort(key=lambda index: _place(first, results.study.points[index].varied[first.key]))
    return list(curves.values())


def _held(varied: dict[str, object], first: Axis) -> list[tuple[str, object]]:
    return [(key, value) for key, value in varied.items() if key != first.key]


def _curve(results: Results, axes: Sequence[Axis], indexes: list[int], figure: str) -> Sweep:
    points, first = results.study.points, axes[0]
    start = points[indexes[0]]
    optimum = _optimum(results, first, indexes, figure)
    reason = optimum if isinstance(optimum, str) else None
    return {
        "scenario": start.name,
        "held": dict(_held(start.varied, first)),
        "optimum": None if isinstance(optimum, str) else _told(optimum, first.key),
        "no_optimum": reason,
        "changes_nothing": _changes_nothing(results, indexes),
        "formulas": _formulas(results, first, indexes, None if isinstance(optimum, str) else optimum),
        "points": [
            {
                "value": points[index].varied[first.key],
                "faults": pairing(points[index], points[0]),
                "figures": {name: told_figure(name, estimate(results.values(index, name))) for name in NAMES},
            }
            for index in indexes
        ],
    }


def _told(optimum: Optimum, key: str) -> Sweep:
    """An optimum as JSON: a value that the key may have, at the ends of the interval too."""
    told, allowed = asdict(optimum), limits(key)
    for end in ("value", "low", "high"):
        value = told[end]
        if value is not None:
            value = value if allowed.lowest is None else max(value, allowed.lowest)
            value = value if allowed.highest is None else min(value, allowed.highest)
            told[end] = round(value) if is_whole(key) else value
    return told


def _changes_nothing(results: Results, indexes: Sequence[int]) -> bool:
    """Whether each seed came to the same whatever the value, in every figure."""
    return all(
        results.figures[seed, index] == results.figures[seed, indexes[0]]
        for seed in results.seeds
        for index in indexes
    )


def _optimum(results: Results, first: Axis, indexes: list[int], figure: str) -> Optimum | str:
    if figure not in GOALS:
        return f"{figure} is no goal, as goodput and utilization are"
    if not first.is_numeric:
        return f"{first.key} has no scale"
    values = [_place(first, results.study.points[index].varied[first.key]) for index in indexes]
    columns = [[_number(value) for value in results.values(index, figure)] for index in indexes]
    if math.isinf(values[-1]):
        best = max(columns, key=fmean)
        if best is columns[-1]:
            return f"the best value is 0, which means {first.zero}"
        values, columns = values[:-1], columns[:-1]
    rows = list(zip(*columns, strict=True))
    is_interval = first.key in {INTERVAL_SECONDS, INTERVAL_STEPS}
    return find(
        values,
        rows,
        is_log=first.is_log or is_interval,
        is_whole=is_whole(first.key),
        limits=limits(first.key),
    )


def _formulas(results: Results, first: Axis, indexes: list[int], optimum: Optimum | None) -> Sweep | None:
    """Young's and Daly's values of the key, from the save time and the MTBF that was measured.

    None for other keys. The MTBF is training time over interruptions, for both formulas count failures
    of a job that trains. An interval in steps counts them as long as they were.
    """
    if first.key not in {INTERVAL_SECONDS, INTERVAL_STEPS}:
        return None
    scenario = results.study.points[indexes[0]].scenario
    runs = [results.figures[seed, index] for seed in results.seeds for index in indexes]
    interruptions = math.fsum(run.interruptions for run in runs)
    if interruptions == 0.0:
        return None
    horizon = results.study.horizon_seconds
    mtbf = math.fsum(_trained_seconds(run, horizon) for run in runs) / interruptions
    save = scenario.checkpoint.save_seconds
    step = fmean(run.mean_step_seconds or scenario.job.step_seconds for run in runs)
    unit = 1.0 if first.key == INTERVAL_SECONDS else step
    formulas: Sweep = {"save_seconds": save, "mtbf_seconds": mtbf, "step_seconds": step}
    for formula in (young, daly):
        value = formula(save, mtbf) / unit
        loss = None if optimum is None or value <= 0.0 else optimum.loss_at(value)
        formulas[formula.__name__] = {"value": value, "loss": loss}
    return formulas


def _trained_seconds(run: Figures, horizon_seconds: float) -> float:
    """How long the job was not stopped; a job that is completed was played until then and no longer."""
    played = horizon_seconds if run.completion_seconds is None else run.completion_seconds
    return played * (run.effective_compute_ratio or 0.0)


def _place(axis: Axis, value: object) -> float:
    """Where a value of a numeric axis lies; a 0 that is no number lies beyond all."""
    return math.inf if value == 0 and axis.zero is not None else _number(value)


def _number(value: object) -> float:
    """A value of a numeric axis, or a goal of a run of positive length, which always has it."""
    assert isinstance(value, int | float)  # noqa: S101 - see above
    return float(value)
