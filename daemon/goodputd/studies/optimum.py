"""Where a curve over a varied key has its best value, and how well that is known.

The vertex of a quadratic fit, in the logarithm of the value where the axis is logarithmic. A best
value of a grid proves nothing, for the top of such a curve is flat: the fit uses the flanks, and the
luck that paired seeds share drops out of it. Knows no settings, no run and no figure by name.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from goodputd.errors import EnvironmentProblemError
from goodputd.studies.estimates import half_width, missing

if TYPE_CHECKING:
    import numpy as np

FEWEST_VALUES: Final = 5
"""A parabola through three points fits always and says nothing."""
_LOG_REACH: Final = 1.0
"""How far from the vertex a value may be for the fit: a factor of e, within which the loss 2 cosh(x) of
saving and failing and its parabola differ by 9 % of the loss at the rim."""
_LINEAR_REACH: Final = 0.25
"""The same for a linear axis, as a share of its range."""
_MOST_ROUNDS: Final = 20


@dataclass(slots=True, kw_only=True)
class Optimum:
    """The vertex of the fit."""

    value: float
    low: float | None
    """The ends of the 95 % interval; None for a single seed."""
    high: float | None
    figure: float
    """The figure there, by the fit."""
    curvature: float
    """How much of the figure is lost at a distance of 1 from the vertex, on the scale of the fit."""
    fitted: int
    """How many values the fit uses."""
    is_log: bool
    """Whether the fit is in the logarithm of the value."""

    def loss_at(self, value: float) -> float:
        """How much less the figure is at ``value``, by the fit; good near the vertex only."""
        distance = math.log(value / self.value) if self.is_log else value - self.value
        return self.curvature * distance * distance


def find(values: Sequence[float], rows: Sequence[Sequence[float]], *, is_log: bool) -> Optimum | str:
    """The optimum of a curve, or why there is none to be told; ``rows`` has the curve of each seed.

    ``values`` rise. The interval is by the delta method, over the seeds' own fits.
    Errors: ``EnvironmentProblemError`` when numpy is not installed.
    """
    if len(values) < FEWEST_VALUES:
        return f"an optimum takes {FEWEST_VALUES} values or more"
    try:
        import numpy as np  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise EnvironmentProblemError(missing("studies")) from error
    scale = np.log(values) if is_log else np.array(values, dtype=float)
    curves = np.array(rows, dtype=float).T
    vertex = float(scale[curves.mean(axis=1).argmax()])
    if vertex in {scale[0], scale[-1]}:
        end, side = (values[0], "below") if vertex == scale[0] else (values[-1], "above")
        return f"the best value is {end:g}, an end of the range; the optimum may lie {side} it"
    for _ in range(_MOST_ROUNDS):
        window = _window(scale, vertex, is_log=is_log)
        center, before = float(scale[window].mean()), vertex
        bends, slopes, heights = np.polyfit(scale[window] - center, curves[window], 2)
        bend, slope = float(bends.mean()), float(slopes.mean())
        if not _bends_down(bends):
            return "the curve is too flat to tell an optimum; more seeds or a wider range may"
        offset = -slope / (2.0 * bend)
        vertex = min(max(center + offset, float(scale[0])), float(scale[-1]))
        if vertex == before or set(_window(scale, vertex, is_log=is_log)) == set(window):
            break
    # The vertex of each seed's fit, to first order around that of the mean.
    own = offset - (slopes - slope) / (2.0 * bend) + slope * (bends - bend) / (2.0 * bend * bend)
    half = half_width([float(each) for each in own])
    low, high = (None, None) if half is None else (vertex - half, vertex + half)
    back = math.exp if is_log else float
    return Optimum(
        value=back(vertex),
        low=None if low is None else back(low),
        high=None if high is None else back(high),
        figure=float(heights.mean()) + slope * offset + bend * offset * offset,
        curvature=-bend,
        fitted=len(window),
        is_log=is_log,
    )


def _window(
    scale: "np.ndarray[tuple[int], np.dtype[np.float64]]", vertex: float, *, is_log: bool
) -> list[int]:
    """The values near the vertex, and at least the nearest few."""
    reach = _LOG_REACH if is_log else _LINEAR_REACH * float(scale[-1] - scale[0])
    nearest = sorted(range(len(scale)), key=lambda index: abs(float(scale[index]) - vertex))
    near = [index for index in nearest if abs(float(scale[index]) - vertex) <= reach]
    return sorted(near if len(near) >= FEWEST_VALUES else nearest[:FEWEST_VALUES])


def _bends_down(bends: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> bool:
    """Whether the curve has a top, beyond what luck would explain."""
    half = half_width([float(each) for each in bends])
    return float(bends.mean()) + (half or 0.0) < 0.0
