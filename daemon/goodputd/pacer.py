"""Wall time <-> simulated time, as three numbers: where both clocks stood, and how fast one runs.

The wall clock is handed in, so that a test can be it. This module knows no simulation and never
waits: it says how far simulated time has come, and how long until it gets somewhere.
"""

from collections.abc import Callable


class Pacer:
    """Simulated time that passes ``speedup`` times as fast as the wall clock.

    It never goes back, whatever the wall clock or a change of speed does. Errors: ``ValueError``
    for a speedup that is not above 0.
    """

    def __init__(
        self, clock: Callable[[], float], speedup: float, *, simulated_start_seconds: float = 0.0
    ) -> None:
        """``clock`` gives wall seconds from any origin; simulated time starts to pass now."""
        self._clock = clock
        self._speedup = _above_zero(speedup)
        self._wall_base = clock()
        self._simulated_base = simulated_start_seconds
        self._reached = simulated_start_seconds

    @property
    def speedup(self) -> float:
        """Simulated seconds per wall second."""
        return self._speedup

    def simulated_now(self) -> float:
        """Simulated seconds that the scenarios should have reached by now."""
        return self._simulated_at(self._clock())

    def wall_seconds_until(self, at: float) -> float:
        """Wall seconds until simulated second ``at``; 0 when it has passed."""
        return max(0.0, (at - self.simulated_now()) / self._speedup)

    def lag_wall_seconds(self, now_simulated: float) -> float:
        """Wall seconds by which scenarios that have come to ``now_simulated`` are behind; 0 when ahead."""
        return max(0.0, (self.simulated_now() - now_simulated) / self._speedup)

    def set_speedup(self, speedup: float) -> None:
        """Go on from where simulated time is, at another speed."""
        _above_zero(speedup)
        wall = self._clock()
        self._simulated_base = self._simulated_at(wall)
        self._wall_base = wall
        self._speedup = speedup

    def _simulated_at(self, wall: float) -> float:
        self._reached = max(self._reached, self._simulated_base + (wall - self._wall_base) * self._speedup)
        return self._reached


def _above_zero(speedup: float) -> float:
    if not speedup > 0.0:
        message = f"a speedup must be above 0, not {speedup}"
        raise ValueError(message)
    return speedup
