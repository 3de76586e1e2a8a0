"""One line of conclusion, computed from the runs: which scenario is best, by how much, and why.

A difference is stated as one only where its 95 % interval leaves out zero. Knows no terminal.
"""

from collections.abc import Sequence
from typing import Final

from goodputd.studies.comparison import GPU_RATIO, TIME_RATIO, Comparison
from goodputd.studies.estimates import Estimate, difference
from goodputd.studies.progress import ahead, slowest
from goodputd.studies.study import Results

_REASONS: Final = {
    "lost_work_share": "loses less work",
    "checkpoint_save_share": "spends less time on saving",
    "stopped_share": "stands still for less time",
    "validation_share": "spends less time on validation",
    "straggler_share": "is slowed down less",
    "provisional_share": "has less work that is not saved yet",
}
_BAKED: Final = "corruptions_baked"
_INJECTED: Final = "corruptions_injected"
_MOST: Final = 0.5
"""A reason for more than half of a difference explains most of it."""


def conclude(results: Results, comparison: Comparison) -> str:
    """The line. There are two scenarios or more, and a seed or more."""
    metric = comparison["compared_on"]
    names = [point.name for point in results.study.points]
    means = [scenario["figures"][metric]["mean"] for scenario in comparison["scenarios"]]
    ranked = sorted(range(len(names)), key=lambda index: -means[index])
    best, second, worst = ranked[0], ranked[1], ranked[-1]
    gap = _gap(results, best, worst, metric)
    if gap.mean == 0.0 or gap.is_zero:
        parts = [_no_difference(names, ranked, gap), *_ahead(results, names, slowest(results))]
        return f"{'; '.join(parts)} {_basis(gap)}"
    share = f"{means[best]:.2%} of {'the GPU time' if metric == GPU_RATIO else 'the time'}"
    lead = f"{names[best]} trains {share}, {_points(gap)} more than {names[worst]} ({means[worst]:.2%})"
    parts = [lead + _reason(results, best, worst, metric, gap), *_ahead(results, names, best)]
    if second != worst:
        parts.append(_second(results, names, (best, second, worst), metric))
    parts += _baked(results, names, comparison["scenarios"])
    return f"{'; '.join(parts)} {_basis(gap)}"


def _gap(results: Results, one: int, other: int, name: str) -> Estimate:
    """The difference of two scenarios in a ratio, which every run of a positive length has."""
    found = difference(results.values(one, name), results.values(other, name))
    assert found is not None  # noqa: S101 - see above
    return found


def _no_difference(names: list[str], ranked: list[int], gap: Estimate) -> str:
    told = ", ".join(names[index] for index in ranked[:-1]) + f" and {names[ranked[-1]]}"
    if gap.mean == 0.0:
        return f"{told} come to the same"
    return f"{told} cannot be told apart: {_points(gap)} between best and worst"


def _ahead(results: Results, names: list[str], slow: int) -> list[str]:
    """Who gets further although its time is spent no better."""
    found = ahead(results, slow)
    if found is None:
        return []
    index, lead = found
    error = "" if lead.half_width is None else f" ± {100.0 * lead.half_width:.1f}"
    steps = f"{100.0 * lead.mean:.1f}{error} % more steps in the same time, since its steps are shorter"
    told = f"but {names[index]} keeps {steps}, which shares of the time do not show"
    return [f"{told}: by steps, it is ahead of {names[slow]}"]


def _second(results: Results, names: list[str], ranked: tuple[int, int, int], metric: str) -> str:
    best, second, worst = ranked
    behind = _gap(results, best, second, metric)
    if behind.mean == 0.0 or behind.is_zero:
        return f"{names[second]} cannot be told from it"
    way = 1.0 - behind.mean / _gap(results, best, worst, metric).mean
    return f"{names[second]} gets {way:.0%} of the way"


def _reason(results: Results, best: int, worst: int, metric: str, gap: Estimate) -> str:
    """The share of the time that differs most in favour of the best, and how much it explains."""
    savings = {name: -_gap(results, best, worst, name).mean for name in _REASONS}
    if metric == GPU_RATIO:
        shrinking = _gap(results, best, worst, TIME_RATIO).mean
        savings["idle"] = gap.mean - shrinking
    name, saved = max(savings.items(), key=lambda each: each[1])
    if saved <= 0.0:
        return ""
    words = _REASONS.get(name, "keeps more of its GPUs at work")
    explained = "mostly" if saved > _MOST * gap.mean else "in part"
    return f", {explained} because it {words} ({100.0 * saved:.2f} points)"


def _baked(results: Results, names: list[str], scenarios: Sequence[Comparison]) -> list[str]:
    """Where most and least corruption got into checkpoints, of the scenarios that met any."""
    means = {
        index: scenario["figures"][_BAKED]["mean"]
        for index, scenario in enumerate(scenarios)
        if scenario["figures"][_INJECTED]["mean"] > 0.0
    }
    if not means:
        return []
    least, most = min(means, key=lambda index: means[index]), max(means, key=lambda index: means[index])
    gap = _gap(results, most, least, _BAKED)
    if gap.mean == 0.0 or gap.is_zero:
        return []
    all_of_it = scenarios[most]["figures"][_INJECTED]["mean"]
    few = f"{means[least]:,.1f}" if means[least] else "none"
    return [
        f"{names[most]} bakes in {means[most]:,.1f} of {all_of_it:,.1f} corruptions, {names[least]} {few}"
    ]


def _points(gap: Estimate) -> str:
    """A difference of shares in percentage points, with its interval if there is one."""
    if gap.half_width is None:
        return f"{100.0 * gap.mean:.2f} points"
    return f"{100.0 * gap.mean:.2f} ± {100.0 * gap.half_width:.2f} points"


def _basis(gap: Estimate) -> str:
    if gap.half_width is None:
        return "[one seed: luck is part of it]"
    return f"[95 % interval over {gap.count} seeds]"
