"""Planned maintenance: a node is drained at a checkpoint, and comes back after its hours.

Its own cause, with its own stream; it is no strike, loses no step and cures nothing. A job that is
stopped anyway gives the node up at once.
"""

from random import Random

from goodputd.sim.specs.cluster import MaintenanceSpec
from goodputd.sim.specs.fields import SECONDS_PER_DAY, SECONDS_PER_HOUR
from goodputd.sim.streams import exponential, stream


class Maintenance:
    """When which node is due."""

    __slots__ = ("_random", "_spec", "drained", "due_nodes")

    def __init__(self, spec: MaintenanceSpec, seed: int) -> None:
        """Nobody is due yet."""
        self._spec = spec
        self._random: Random = stream(seed, "maintenance")
        self.due_nodes: list[int] = []
        """Nodes that the job should give up at its next stop."""
        self.drained = 0
        """Nodes given up so far; never falls."""

    @property
    def seconds(self) -> float:
        """How long a node is away."""
        return self._spec.hours * SECONDS_PER_HOUR

    def next_after(self, at: float) -> tuple[float, float]:
        """When the next node is due, and where in the job it is, as a fraction."""
        uniform = self._random.random
        return at + exponential(uniform()) * SECONDS_PER_DAY / self._spec.per_day, uniform()
