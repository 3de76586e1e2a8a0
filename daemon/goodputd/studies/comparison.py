"""Scenarios side by side: means, intervals, differences seed by seed, as one JSON object.

The first scenario is what the others are compared with. The keys of the object are added to and not
renamed. Knows no terminal; tables and conclusions are made of what is here.
"""

from collections.abc import Sequence
from typing import Any, Final

from goodputd.settings import nothing_breaks, same_faults
from goodputd.studies.estimates import Estimate, difference, estimate
from goodputd.studies.figures import NAMES
from goodputd.studies.study import Point, Results

TIME_RATIO: Final = "effective_training_time_ratio"
GPU_RATIO: Final = "effective_utilization_ratio"
_SAME: Final = 1e-9

Comparison = dict[str, Any]
"""A JSON object."""


def compare(results: Results, *, version: str, source: str) -> Comparison:
    """The object that ``goodputd compare --json`` prints, without the conclusion.

    Errors: ``EnvironmentProblemError`` when there is more than one seed and no scipy.
    """
    points, seeds = results.study.points, results.seeds
    metric = _metric(results)
    ranked = _ranked(results, metric)
    best = results.values(ranked[0], metric)
    scenarios = [_scenario(results, index) for index in range(len(points))]
    for index in ranked[1:]:
        scenarios[index]["behind_best"] = told(difference(results.values(index, metric), best))
    return {
        "version": version,
        "source": source,
        "first_seed": seeds[0],
        "seeds": len(seeds),
        "simulated_seconds": results.study.horizon_seconds,
        "compared_with": points[0].name,
        "compared_on": metric,
        "ranking": [points[index].name for index in ranked],
        "scenarios": scenarios,
    }


def pairing(point: Point, first: Point) -> str:
    """How the faults of two scenarios of a seed relate: "same", "none" or "other"."""
    if nothing_breaks(point.scenario):
        return "none"
    return "same" if same_faults(point.scenario, first.scenario) else "other"


def told(found: Estimate | None) -> dict[str, float | int | None] | None:
    """An estimate as JSON; the interval is null for a single seed."""
    if found is None:
        return None
    half = found.half_width
    low, high = (None, None) if half is None else (found.mean - half, found.mean + half)
    return {"mean": found.mean, "low": low, "high": high, "half_width": half, "seeds": found.count}


def told_figure(name: str, found: Estimate | None) -> dict[str, float | int | None] | None:
    """The same of a figure, whose interval ends where the figure does: none is below 0, no share above 1."""
    cell = told(found)
    if found is not None and cell is not None and found.half_width is not None:
        cell["low"] = max(found.mean - found.half_width, min(found.mean, 0.0))
        if name.endswith(("_ratio", "_share")):
            cell["high"] = min(found.mean + found.half_width, max(found.mean, 1.0))
    return cell


def _scenario(results: Results, index: int) -> Comparison:
    points = results.study.points
    values = {name: results.values(index, name) for name in NAMES}
    scenario: Comparison = {
        "name": points[index].name,
        **_origin(points[index]),
        "faults": pairing(points[index], points[0]),
        "figures": {name: told_figure(name, estimate(values[name])) for name in NAMES},
    }
    if index:
        scenario["differences"] = {
            name: told(difference(values[name], results.values(0, name))) for name in NAMES
        }
    return scenario


def _ranked(results: Results, metric: str) -> list[int]:
    """The scenarios, the best first, those that are equal as they came."""
    means = [estimate(results.values(index, metric)) for index in range(len(results.study.points))]
    return sorted(range(len(means)), key=lambda index: -1.0 if (mean := means[index]) is None else -mean.mean)


def _origin(point: Point) -> Comparison:
    """Which scenario of the settings was varied, and how; nothing where it was not."""
    return {"scenario": point.scenario.name, "varied": point.varied} if point.varied else {}


def _metric(results: Results) -> str:
    """What scenarios are ranked by: utilization as soon as a job shrank, which time alone cannot see."""
    for index in range(len(results.study.points)):
        pairs: Sequence[Any] = [
            *zip(results.values(index, TIME_RATIO), results.values(index, GPU_RATIO), strict=True)
        ]
        if any(abs(time - gpus) > _SAME for time, gpus in pairs):
            return GPU_RATIO
    return TIME_RATIO
