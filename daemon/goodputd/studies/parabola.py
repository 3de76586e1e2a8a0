"""A quadratic fit near the top of a curve, and whether it says what was measured there.

One parabola for each seed, through the values near the vertex of their mean: the luck that paired
seeds share drops out of the vertex. Knows no settings, no run and no figure by name.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

from goodputd.errors import EnvironmentProblemError
from goodputd.studies.estimates import difference, half_width, missing

if TYPE_CHECKING:
    import numpy as np

FEWEST_VALUES: Final = 5
"""A parabola through three points fits always and says nothing."""
MOST_MISSED: Final = 0.003
"""By how much of all time the fit may miss the best value and those beside it, apart from luck. Values at
a ratio of 1.3 are missed by a tenth of that, those at a ratio of 3 by more: Daly's curve is no parabola."""
MOST_RISE: Final = 0.005
"""How far its top may rise above the best value that was measured, apart from luck."""
_LOG_REACH: Final = 1.0
"""How far from the vertex a value may be for the fit: a factor of e, within which the loss 2 cosh(x) of
saving and failing and its parabola differ by 9 % of the loss at the rim."""
_LINEAR_REACH: Final = 0.25
"""The same for a linear axis, as a share of its range."""
_MOST_ROUNDS: Final = 20
_BEYOND_LUCK: Final = 2.0
"""Of three values that are looked at, one is missed by more than half its interval in 1 of 7 studies, and
by more than twice that in hardly any."""
_SCATTER: Final = 3.0
"""Standard deviations within which values of a single seed may differ by luck."""


@dataclass(slots=True, kw_only=True)
class Fit:
    """The parabolas, and their vertex on the scale that they were fitted on."""

    vertex: float
    half: float | None
    """Half of the 95 % interval of the vertex; None for a single seed."""
    top: float
    """The mean figure at the vertex."""
    bend: float
    """Below 0."""
    window: list[int]
    """Which values were fitted."""
    scale: list[float]
    """Every value, on that scale."""
    heights: list[list[float]]
    """For each value, what the parabola of every seed has there."""
    tops: list[float]
    """What the parabola of every seed has at the vertex."""

    def is_true(self, columns: Sequence[Sequence[float]], best: int, alike: Sequence[int]) -> bool:
        """Whether the vertex lies beside the best values and the fit has there what was measured.

        ``best`` is not at an end of the values; ``alike`` are those around it that luck may have put
        behind it.
        """
        alike = alike if len(columns[0]) > 1 else self._alike(columns, best)
        first, last = max(alike[0] - 1, 0), min(alike[-1] + 1, len(columns) - 1)
        around = range(best - 1, best + 2)
        missed = max(_beyond_luck(self.heights[index], columns[index]) for index in around)
        is_beside = self.scale[first] <= self.vertex <= self.scale[last]
        return is_beside and missed <= MOST_MISSED and self.rise(columns[best]) <= MOST_RISE

    def rise(self, column: Sequence[float]) -> float:
        """How far the top is above these values of the seeds, beyond their 95 % interval."""
        above = difference(self.tops, column)
        assert above is not None  # noqa: S101 - both have all seeds
        return above.mean - (above.half_width or 0.0)

    def _alike(self, columns: Sequence[Sequence[float]], best: int) -> list[int]:
        """Those around the best of a single seed that are no further from it than its values scatter."""
        misses = [fmean(self.heights[index]) - fmean(columns[index]) for index in self.window]
        scatter = _SCATTER * math.sqrt(fmean([miss * miss for miss in misses]))
        return around(best, [fmean(columns[best]) - fmean(column) <= scatter for column in columns])


def fit(
    values: Sequence[float], columns: Sequence[Sequence[float]], best: int, *, is_log: bool
) -> Fit | None:
    """The fit near the best value; None when the curve has no top there beyond what luck would explain.

    ``columns`` has the figure of each value, seed by seed. The interval is by the delta method, over the
    seeds' own fits. Errors: ``EnvironmentProblemError`` when numpy is not installed.
    """
    try:
        import numpy as np  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise EnvironmentProblemError(missing("studies")) from error
    scale = np.log(values) if is_log else np.array(values, dtype=float)
    curves = np.array(columns, dtype=float)
    vertex = float(scale[best])
    for _ in range(_MOST_ROUNDS):
        window = _window(scale, vertex, is_log=is_log)
        center, before = float(scale[window].mean()), vertex
        bends, slopes, heights = np.polyfit(scale[window] - center, curves[window], 2)
        bend, slope = float(bends.mean()), float(slopes.mean())
        if not _bends_down(bends):
            return None
        offset = -slope / (2.0 * bend)
        vertex = min(max(center + offset, float(scale[0])), float(scale[-1]))
        if vertex == before or set(_window(scale, vertex, is_log=is_log)) == set(window):
            break
    # The vertex of each seed's fit, to first order around that of the mean.
    own = offset - (slopes - slope) / (2.0 * bend) + slope * (bends - bend) / (2.0 * bend * bend)
    places = (scale - center)[:, None]
    return Fit(
        vertex=center + offset,
        half=half_width([float(each) for each in own]),
        top=float(heights.mean()) + slope * offset + bend * offset * offset,
        bend=bend,
        window=window,
        scale=[float(each) for each in scale],
        heights=[[float(each) for each in row] for row in bends * places**2 + slopes * places + heights],
        tops=[float(each) for each in bends * offset**2 + slopes * offset + heights],
    )


def around(best: int, belongs: Sequence[bool]) -> list[int]:
    """The unbroken run of those that belong to the best, which does."""
    first = last = best
    while first > 0 and belongs[first - 1]:
        first -= 1
    while last < len(belongs) - 1 and belongs[last + 1]:
        last += 1
    return list(range(first, last + 1))


def _beyond_luck(fitted: Sequence[float], measured: Sequence[float]) -> float:
    missed = difference(fitted, measured)
    assert missed is not None  # noqa: S101 - both have all seeds
    return abs(missed.mean) - _BEYOND_LUCK * (missed.half_width or 0.0)


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
