"""Means with 95 % intervals, by Student's t over independent seeds.

The quantiles come from scipy, which is an extra: a study of one seed has no interval and needs none.
Knows no run and no figure.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final

from goodputd.errors import EnvironmentProblemError

CONFIDENCE: Final = 0.95


@dataclass(slots=True)
class Estimate:
    """A mean over seeds."""

    mean: float
    half_width: float | None
    """Half of the 95 % interval; None for a single value."""
    count: int
    """How many seeds it is the mean of."""

    @property
    def is_zero(self) -> bool:
        """Whether 0 cannot be excluded; False without an interval."""
        return self.half_width is not None and abs(self.mean) <= self.half_width


def estimate(values: Iterable[float | None]) -> Estimate | None:
    """The mean of the values that there are; None when there are none."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return Estimate(fmean(known), half_width(known), len(known))


def difference(values: Sequence[float | None], base: Sequence[float | None]) -> Estimate | None:
    """The mean of ``values`` minus ``base``, seed by seed, over the seeds that both have.

    The interval holds whether or not the two share their luck; sharing it makes it narrow.
    """
    return estimate(
        one - other for one, other in zip(values, base, strict=True) if one is not None and other is not None
    )


def half_width(values: Sequence[float]) -> float | None:
    """Half of the 95 % interval of the mean; None for a single value."""
    count = len(values)
    return None if count == 1 else t_quantile(count - 1) * stdev(values) / math.sqrt(count)


def t_quantile(degrees: int) -> float:
    """The quantile of Student's t for a two-sided interval of 95 %.

    Errors: ``EnvironmentProblemError`` when scipy is not installed.
    """
    try:
        from scipy.special import stdtrit  # noqa: PLC0415 - an extra, and a tenth of a second to load
    except ImportError as error:
        raise EnvironmentProblemError(missing("studies")) from error
    return float(stdtrit(degrees, (1.0 + CONFIDENCE) / 2.0))


def missing(extra: str) -> str:
    """What to say when the libraries of an extra are not installed."""
    return f"this needs libraries that are not installed: pip install 'goodputd[{extra}]'"
