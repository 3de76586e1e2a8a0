"""How long a simulated day lasts on the wall, and how Prometheus spells it.

Windows in rules are wall time, since that is what Prometheus counts. This module knows the speed of
the clock and of the scrapes, and no metric.
"""

import math
from typing import Final

from goodputd.errors import SettingsError

SECONDS_PER_DAY: Final = 86400.0
SCRAPES_PER_WINDOW: Final = 4
"""Fewer leave an ``increase()`` with nothing to go by when a scrape is late."""
LEAST_SPEEDUP: Final = 0.001
MOST_SPEEDUP: Final = 1e9
LEAST_WALL_SECONDS: Final = 0.001
"""What Prometheus can spell."""

_UNITS: Final = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))


class Windows:
    """Windows of whole simulated days, for one speedup and one scrape interval."""

    def __init__(self, speedup: float, scrape_interval_wall_seconds: float) -> None:
        """Errors: ``SettingsError`` for a speedup or an interval that no window can follow."""
        if not LEAST_SPEEDUP <= speedup <= MOST_SPEEDUP:
            message = (
                f"--speedup: {speedup:g} is out of range; allowed is {LEAST_SPEEDUP:g} to {MOST_SPEEDUP:g}"
            )
            raise SettingsError(message)
        if not LEAST_WALL_SECONDS <= scrape_interval_wall_seconds <= SECONDS_PER_DAY:
            message = (
                f"--scrape-interval: {scrape_interval_wall_seconds:g} s is out of range; "
                "allowed is 0.001s to 1d"
            )
            raise SettingsError(message)
        self._scrape_interval = scrape_interval_wall_seconds
        self._day = max(
            _up(SECONDS_PER_DAY / speedup), _up(SCRAPES_PER_WINDOW * scrape_interval_wall_seconds)
        )

    @property
    def scrape_interval(self) -> str:
        """The scrape interval."""
        return prometheus_duration(self._scrape_interval)

    @property
    def two_scrapes(self) -> str:
        """How long a simulated alert must hold: the next two scrapes say the same."""
        return prometheus_duration(2 * self._scrape_interval)

    def days(self, count: int) -> str:
        """So many simulated days, and never less than four scrapes a day."""
        return prometheus_duration(count * self._day)

    def wall(self, seconds: float) -> str:
        """So much wall time, or four scrapes if that is more."""
        return prometheus_duration(max(seconds, _up(SCRAPES_PER_WINDOW * self._scrape_interval)))


def prometheus_duration(seconds: float) -> str:
    """``1d``, ``1m30s``, ``500ms``: whole milliseconds, above 0."""
    left = round(seconds * 1000)
    spelled = []
    for unit, milliseconds in _UNITS:
        count, left = divmod(left, milliseconds)
        if count:
            spelled.append(f"{count}{unit}")
    return "".join(spelled)


def _up(seconds: float) -> float:
    """Whole seconds, so that a window holds what its name says and is easy to read."""
    return float(math.ceil(round(seconds, 6)))
