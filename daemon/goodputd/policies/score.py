"""A reliability score per node: failures cost points, uptime earns them back.

A low score evicts the node, a lower one takes it out of the fleet for good. The score outlasts
repair, so that a node that fails again after each repair is found out. The credit rests at the
initial score: good years do not buy later failures.
"""

import math
from dataclasses import dataclass

from goodputd.policies._verdicts import DECISIONS, without_node
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.specs.fields import SECONDS_PER_DAY, SPEC, NonNegativeFloat, PositiveFloat
from goodputd.sim.taxonomy import Action, Reason

_EVICT = DECISIONS[Action.EVICT, Reason.LOW_SCORE]
_RESTART = DECISIONS[Action.RESTART, Reason.WITHIN_LIMIT]
_RETIRE = DECISIONS[Action.RETIRE, Reason.LOW_SCORE]


@dataclass(slots=True, kw_only=True)
class ScoreSpec:
    """Failures cost points, uptime earns them back; a low score evicts, a lower one retires."""

    __pydantic_config__ = SPEC

    initial: PositiveFloat = 100.0
    """Points of a new node; uptime never earns more than that."""
    penalty: PositiveFloat = 40.0
    """Points that a failure costs."""
    credit_per_day: NonNegativeFloat = 2.0
    """Points that a day without failure earns; days in repair do not count."""
    evict_at: float = 20.0
    """Score at or below which the node is evicted."""
    retire_at: float | None = None
    """Score at or below which the node leaves the fleet for good once its repair is over."""


class Score:
    """The policy ``score``."""

    name = "score"
    window_seconds = 30.0 * SECONDS_PER_DAY
    """For the count of strikes that people see; nothing is decided on it."""
    outlasts_repair = True

    def __init__(self, spec: ScoreSpec) -> None:
        """Nothing is kept but the settings; the node's score comes with each case."""
        self._initial = spec.initial
        self._penalty = spec.penalty
        self._credit_per_second = spec.credit_per_day / SECONDS_PER_DAY
        self._evict_at = spec.evict_at
        self._retire_at = -math.inf if spec.retire_at is None else spec.retire_at

    def rescore(self, score: float | None, up_seconds: float) -> float:
        """The score after one more failure, ``up_seconds`` after the last one or the last repair."""
        if score is None:
            return self._initial - self._penalty
        return min(self._initial, score + self._credit_per_second * up_seconds) - self._penalty

    def decide(self, case: Case) -> Decision:
        """Retire, evict or restart by the node's score."""
        if case.detection.node is None:
            return without_node(case.detection)
        if case.score <= self._retire_at:
            return _RETIRE
        return _EVICT if case.score <= self._evict_at else _RESTART
