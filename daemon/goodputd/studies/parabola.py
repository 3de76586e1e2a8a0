"""A quadratic fit near the top of a curve, and whether it says what was measured there.

One parabola for each seed, through the values near the vertex of their mean: the luck that paired
seeds share drops out of the vertex. Values that double are too far apart for a parabola; through them
goes a curve of the fourth degree. Knows no settings, no run and no figure by name.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from goodputd.errors import EnvironmentProblemError
from goodputd.studies.estimates import difference, half_width, missing

if TYPE_CHECKING:
    import numpy as np

    _Columns = np.ndarray[tuple[Any, ...], np.dtype[np.floating[Any]]]
    """The coefficients of a polynomial in each column, from the constant on."""

FEWEST_VALUES: Final = 5
"""A parabola through three points fits always and says nothing."""
MOST_MISSED: Final = 0.003
"""By how much of all time the fit may miss the best value and those beside it, apart from luck. Values at
a ratio of 1.3 are missed by a tenth of that: Daly's curve is no parabola."""
MOST_RISE: Final = 0.005
"""How far its top may rise above the best value that was measured, apart from luck."""
_MOST_APART: Final = 0.05
"""How far apart two degrees may put the vertex on a logarithmic axis. The error of the higher one is a
fifth of that in Daly's model, whose curve doubled values resolve; a cliff between two values, which they
do not, puts the vertices further apart."""
_LOG_REACH: Final = 1.0
"""How far from the vertex a value may be for a parabola: a factor of e, within which the loss 2 cosh(x) of
saving and failing and its parabola differ by 9 % of the loss at the rim."""
_FAR_REACH: Final = 2.0
"""The same for the fourth degree: the two values to each side of one that doubles, and a bit."""
_LINEAR_REACH: Final = 0.25
"""The same for a linear axis, as a share of its range; on it a parabola takes the nearest few at least."""
_PARABOLA: Final = 2
_QUARTIC: Final = 4
_MOST_ROUNDS: Final = 20
_BEYOND_LUCK: Final = 2.0
"""Of three values that are looked at, one is missed by more than half its interval in 1 of 7 studies, and
by more than twice that in hardly any."""
_SCATTER: Final = 3.0
"""Standard deviations within which values of a single seed may differ by luck."""


@dataclass(slots=True, kw_only=True)
class _Top:
    """The top of the curves of all seeds, on the scale that they were fitted on."""

    vertex: float
    """Of their mean."""
    vertices: list[float]
    """Of every seed's own, to first order around that of the mean."""
    heights: list[float]
    """What the curve of every seed has at the vertex of the mean."""
    bend: float
    """Half of the second derivative there; below 0."""

    @property
    def half(self) -> float | None:
        """Half of the 95 % interval of the vertex, by the delta method; None for a single seed."""
        return half_width(self.vertices)

    @property
    def height(self) -> float:
        """The mean figure at the vertex."""
        return fmean(self.heights)


@dataclass(slots=True, kw_only=True)
class Fit:
    """The curves that were fitted, and their top."""

    top: _Top
    degree: int
    window: list[int]
    """Which values were fitted."""
    scale: list[float]
    """Every value, on that scale."""
    heights: list[list[float]]
    """For each value, what the curve of every seed has there."""
    coarse: _Top | None
    """That of the parabolas through the best value and those beside it; for a fourth degree."""

    def is_true(self, columns: Sequence[Sequence[float]], best: int, alike: Sequence[int]) -> bool:
        """Whether the vertex lies beside the best values and the fit has there what was measured.

        ``best`` is not at an end of the values; ``alike`` are those around it that luck may have put
        behind it.
        """
        alike = alike if len(columns[0]) > 1 else self._alike(columns, best)
        first, last = max(alike[0] - 1, 0), min(alike[-1] + 1, len(columns) - 1)
        is_beside = self.scale[first] <= self.top.vertex <= self.scale[last]
        return is_beside and (self._fits(columns, best) if self.coarse is None else self._agrees(self.coarse))

    def _fits(self, columns: Sequence[Sequence[float]], best: int) -> bool:
        """Whether the parabola has what was measured at the best value and beside it."""
        around = range(best - 1, best + 2)
        missed = max(_beyond_luck(self.heights[index], columns[index]) for index in around)
        return missed <= MOST_MISSED and self._rise(columns[best]) <= MOST_RISE

    def _rise(self, column: Sequence[float]) -> float:
        """How far the top is above these values of the seeds, beyond their 95 % interval."""
        above = difference(self.top.heights, column)
        assert above is not None  # noqa: S101 - both have all seeds
        return above.mean - (above.half_width or 0.0)

    def _agrees(self, coarse: _Top) -> bool:
        """Whether another degree comes to the same.

        A curve with as many parameters as there are values misses none of them, and says by that nothing.
        """
        reach = max(abs(self.scale[index] - self.top.vertex) for index in self.window)
        moved = _beyond_luck(self.top.vertices, coarse.vertices)
        missed = _beyond_luck(self.top.heights, coarse.heights)
        return reach <= _FAR_REACH and moved <= _MOST_APART and missed <= MOST_MISSED

    def _alike(self, columns: Sequence[Sequence[float]], best: int) -> list[int]:
        """Those around the best of a single seed that are no further from it than its values scatter."""
        misses = [fmean(self.heights[index]) - fmean(columns[index]) for index in self.window]
        scatter = _SCATTER * math.sqrt(fmean([miss * miss for miss in misses]))
        return around(best, [fmean(columns[best]) - fmean(column) <= scatter for column in columns])


def fit(
    values: Sequence[float], columns: Sequence[Sequence[float]], best: int, *, is_log: bool
) -> Fit | None:
    """The fit near the best value; None when the curve has no top there beyond what luck would explain.

    ``columns`` has the figure of each value, seed by seed; ``best`` is not at an end of the values.
    Errors: ``EnvironmentProblemError`` when numpy is not installed.
    """
    try:
        import numpy as np  # noqa: PLC0415 - an extra
        from numpy.polynomial import polynomial  # noqa: PLC0415 - as above
    except ImportError as error:
        raise EnvironmentProblemError(missing("studies")) from error
    scale = np.log(values) if is_log else np.array(values, dtype=float)
    curves = np.array(columns, dtype=float)
    at_best = vertex = float(scale[best])
    for _ in range(_MOST_ROUNDS):
        window, degree = _window(scale, vertex, is_log=is_log)
        center, before = float(scale[window].mean()), vertex
        found = polynomial.polyfit(scale[window] - center, curves[window], degree)
        top = _top(found, center, at_best)
        if top is None:
            return None
        vertex = min(max(top.vertex, float(scale[0])), float(scale[-1]))
        if vertex == before or _window(scale, vertex, is_log=is_log)[0] == window:
            break
    assert top is not None  # noqa: S101 - there is a round or more
    coarse = None
    if degree != _PARABOLA:
        beside = [best - 1, best, best + 1]
        through = polynomial.polyfit(scale[beside] - at_best, curves[beside], _PARABOLA)
        coarse = _top(through, at_best, at_best)
        if coarse is None:
            return None
    return Fit(
        top=top,
        degree=degree,
        window=window,
        scale=scale.tolist(),
        heights=polynomial.polyval(scale - center, found).T.tolist(),
        coarse=coarse,
    )


def _top(found: "_Columns", center: float, near: float) -> _Top | None:
    """The top of polynomials in the distance from ``center``; of several the nearest to ``near``.

    None when they do not bend down there beyond what luck would explain.
    """
    from numpy.polynomial import polynomial  # noqa: PLC0415 - an extra

    slopes, bends = polynomial.polyder(found), polynomial.polyder(found, 2) / 2.0
    level = [float(root.real) for root in polynomial.polyroots(slopes.mean(axis=1)) if root.imag == 0.0]
    tops = [place for place in level if fmean(_at(place, bends)) < 0.0]
    if not tops:
        return None
    offset = min(tops, key=lambda place: abs(center + place - near))
    bent = _at(offset, bends)
    bend = fmean(bent)
    if bend + (half_width(bent) or 0.0) >= 0.0:
        return None
    return _Top(
        vertex=center + offset,
        vertices=[center + offset - slope / (2.0 * bend) for slope in _at(offset, slopes)],
        heights=_at(offset, found),
        bend=bend,
    )


def _at(place: float, found: "_Columns") -> list[float]:
    """What each of the polynomials has there."""
    from numpy.polynomial import polynomial  # noqa: PLC0415 - an extra

    return [float(row[0]) for row in polynomial.polyval([place], found)]


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
) -> tuple[list[int], int]:
    """The values near the vertex, and the degree of what goes through them; at least the nearest few."""
    reach = _LOG_REACH if is_log else _LINEAR_REACH * float(scale[-1] - scale[0])
    nearest = sorted(range(len(scale)), key=lambda index: abs(float(scale[index]) - vertex))
    near = [index for index in nearest if abs(float(scale[index]) - vertex) <= reach]
    if len(near) >= FEWEST_VALUES:
        return sorted(near), _PARABOLA
    return sorted(nearest[:FEWEST_VALUES]), _QUARTIC if is_log else _PARABOLA
