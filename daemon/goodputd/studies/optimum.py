"""Where a curve over a varied key has its best value, and how well that is known; or why nobody knows.

The vertex of a fit, in the logarithm of the value where the axis is logarithmic: quadratic, or of the
fourth degree where the values are far apart. A best value of a grid proves nothing, for the top of such
a curve is flat: the fit uses the flanks. Knows no settings, no run and no figure by name.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from goodputd.studies.estimates import difference
from goodputd.studies.parabola import FEWEST_VALUES, Fit, around, fit

_ALL: Final = 1.0
_NEIGHBOURS: Final = 2.0
"""From the whole number before one to that after it."""
_TOO_FLAT: Final = "the curve is too flat to tell an optimum; more seeds or a wider range may"
_TOO_FAR_APART: Final = (
    "the values are too far apart for a fit, which misses what was measured around the best of them, "
    "{best:g}; nearer ones may tell, such as {nearer}"
)
_ONE_SEED: Final = "; or the one seed has much luck"


@dataclass(slots=True, kw_only=True)
class Limits:
    """The least and the most that a key may have; None where there is no such value."""

    lowest: float | None = None
    highest: float | None = None


@dataclass(slots=True, kw_only=True)
class Optimum:
    """The vertex of the fit, or the best of whole numbers between which there is nothing to fit."""

    value: float
    low: float | None
    """The ends of the 95 % interval; None for a single seed."""
    high: float | None
    figure: float
    """The figure there."""
    curvature: float
    """How much of the figure is lost at a distance of 1 from the optimum, on the scale of the fit."""
    fitted: int
    """How many values the fit uses; 0 where there is none."""
    degree: int
    """Of the polynomial: 2, or 4 where the values are far apart; 0 where there is none."""
    is_log: bool
    """Whether the fit is in the logarithm of the value."""

    def loss_at(self, value: float) -> float:
        """How much less the figure is at ``value``, by the fit; good near the vertex only."""
        distance = math.log(value / self.value) if self.is_log else value - self.value
        return self.curvature * distance * distance


def find(
    values: Sequence[float],
    rows: Sequence[Sequence[float]],
    *,
    is_log: bool,
    is_whole: bool = False,
    limits: Limits | None = None,
) -> Optimum | str:
    """The optimum of a curve, or why there is none to be told; ``rows`` has the curve of each seed.

    ``values`` rise, ``is_whole`` if others than whole numbers mean nothing; the figure is a share of
    which more is better.
    Errors: ``EnvironmentProblemError`` when numpy is not installed.
    """
    columns = [list(column) for column in zip(*rows, strict=True)]
    best = max(range(len(values)), key=lambda index: fmean(columns[index]))
    same = around(best, [column == columns[best] for column in columns])
    if len(same) > 1 or len(values) < FEWEST_VALUES:
        return _unfit(values, same)
    lucky = [_is_luck(column, columns[best]) for column in columns]
    alike = around(best, lucky)
    is_inner, found = 0 < best < len(values) - 1, None
    is_gapless = is_inner and is_whole and values[best + 1] - values[best - 1] == _NEIGHBOURS
    if is_inner and not is_gapless:
        found = fit(values, columns, best, is_log=is_log)
        if found is not None and found.is_true(columns, best, alike) and found.top.height <= _ALL:
            return _vertex(found, is_log=is_log)
    is_noise = len(alike) == len(values) or len(alike) < sum(lucky)
    reaches_end = alike[0] == 0 or alike[-1] == len(values) - 1
    is_known = is_gapless or reaches_end or (len(alike) == 1 and len(rows) > 1)
    if is_noise or (found is None and not is_known):
        return _TOO_FLAT
    if is_gapless and not reaches_end:
        return _measured(values, columns, best, alike)
    if is_inner and not (len(alike) > 1 and reaches_end):
        nearer = _nearer(values, alike, is_log=is_log)
        return _TOO_FAR_APART.format(best=values[best], nearer=nearer) + _ONE_SEED * (len(rows) == 1)
    return _why_not(values, best, alike, limits or Limits())


def _unfit(values: Sequence[float], same: Sequence[int]) -> str:
    """Why there is nothing to fit: the best values are the same, or there are too few."""
    if len(same) == len(values):
        return "all values come to the same figure"
    if len(values) < FEWEST_VALUES:
        return f"an optimum takes {FEWEST_VALUES} values or more"
    return f"the curve is flat {_stretch(values, same)}, where all values come to the same"


def _vertex(found: Fit, *, is_log: bool) -> Optimum:
    back = math.exp if is_log else float
    top, half = found.top, found.top.half
    return Optimum(
        value=back(top.vertex),
        low=None if half is None else back(top.vertex - half),
        high=None if half is None else back(top.vertex + half),
        figure=top.height,
        curvature=-top.bend,
        fitted=len(found.window),
        degree=found.degree,
        is_log=is_log,
    )


def _measured(
    values: Sequence[float], columns: Sequence[Sequence[float]], best: int, alike: Sequence[int]
) -> Optimum:
    """The best of whole numbers, from the first to the last that the seeds cannot tell from it."""
    before, top, after = (fmean(columns[index]) for index in range(best - 1, best + 2))
    is_one = len(columns[best]) == 1
    return Optimum(
        value=values[best],
        low=None if is_one else values[alike[0]],
        high=None if is_one else values[alike[-1]],
        figure=top,
        curvature=top - (before + after) / 2.0,
        fitted=0,
        degree=0,
        is_log=False,
    )


def _is_luck(column: Sequence[float], best: Sequence[float]) -> bool:
    """Whether the seeds cannot tell this value from the best one; a single seed tells all apart."""
    behind = difference(column, best)
    return behind is not None and (behind.mean == 0.0 or behind.is_zero)


def _nearer(values: Sequence[float], alike: Sequence[int], *, is_log: bool) -> str:
    """The range in which the optimum is, as it is typed, with values that a parabola can be put through."""
    low, high = values[max(alike[0] - 1, 0)], values[min(alike[-1] + 1, len(values) - 1)]
    return f"{low:g}:{high:g}:{'log' if is_log else 'lin'}9"


def _why_not(values: Sequence[float], best: int, alike: Sequence[int], limits: Limits) -> str:
    """Why a curve whose best values reach an end of the range has no optimum to be told."""
    if len(alike) > 1:
        return f"no value {_stretch(values, alike)} can be told from the best; more seeds may"
    limit, side, most = (limits.highest, "above", "most") if best else (limits.lowest, "below", "least")
    if values[best] == limit:
        return f"the best value is {values[best]:g}, the {most} that the key may have"
    return f"the best value is {values[best]:g}, an end of the range; the optimum may lie {side} it"


def _stretch(values: Sequence[float], run: Sequence[int]) -> str:
    """Where the run lies, in words."""
    if run[-1] == len(values) - 1:
        return f"from {values[run[0]]:g} on"
    if run[0] == 0:
        return f"up to {values[run[-1]]:g}"
    return f"from {values[run[0]]:g} to {values[run[-1]]:g}"
