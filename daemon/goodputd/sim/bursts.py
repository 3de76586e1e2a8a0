"""Bursts: faulty periods in which everything breaks more often for a while.

Periods are drawn once, the same for every scenario of a seed. What breaks beyond the ordinary comes
from streams of its own, of which only what falls into a burst is kept, so that bursts move no other
fault.
"""

from goodputd.sim.specs.faults import BurstsSpec
from goodputd.sim.specs.fields import SECONDS_PER_HOUR
from goodputd.sim.streams import exponential, stream


class BurstTime:
    """The bursts of a seed, and how much of the time so far was within them.

    From anchors, so that looking changes nothing.
    """

    __slots__ = ("_before", "_burst_seconds", "_quiet_seconds", "_since", "_uniform", "turns_at")

    def __init__(self, spec: BurstsSpec, seed: int) -> None:
        """Quiet at first."""
        self._uniform = stream(seed, "bursts").random
        self._quiet_seconds = spec.quiet_hours * SECONDS_PER_HOUR
        self._burst_seconds = spec.burst_hours * SECONDS_PER_HOUR
        self._before = 0.0
        self._since: float | None = None
        self.turns_at = self._quiet_seconds * exponential(self._uniform())
        """When the burst in progress ends, or the next one begins."""

    @property
    def is_on(self) -> bool:
        """Whether a burst is going on."""
        return self._since is not None

    def turn(self) -> None:
        """A burst begins or ends, as announced."""
        at = self.turns_at
        if self._since is None:
            self._since = at
            self.turns_at = at + self._burst_seconds * exponential(self._uniform())
        else:
            self._before += at - self._since
            self._since = None
            self.turns_at = at + self._quiet_seconds * exponential(self._uniform())

    def until(self, at: float) -> float:
        """Seconds within bursts up to ``at``."""
        return self._before if self._since is None else self._before + (at - self._since)
