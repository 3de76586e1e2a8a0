"""Tests of single nodes for silicon that computes wrongly.

``Scan`` takes a node out of production every few weeks and tests it thoroughly; ``probe`` (its own
file) runs short tests beside the job every few days. Either comes round to every node once a period, each
node at its own time, and finds a defect only if its patterns provoke it: what one test misses all miss.
"""

import math
from dataclasses import dataclass
from typing import Protocol

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.fields import SECONDS_PER_DAY, SPEC, PositiveFloat, Probability
from goodputd.sim.taxonomy import Layer


@dataclass(slots=True, kw_only=True)
class ScanSpec:
    """Each node is taken out of production and tested for defects from time to time."""

    __pydantic_config__ = SPEC

    period_days: PositiveFloat = 52.0
    """Days between two scans of a node (Meta, Fleetscanner: 45 to 60)."""
    coverage: Probability = 0.93
    """Share of defects that a scan can find (Meta, Fleetscanner: 93 %)."""


class RoundSpec(Protocol):
    """What rounds of tests are made of."""

    period_days: float
    coverage: float


class Rounds:
    """Tests that come round to every node; blind to what is no defect."""

    sees_during_recovery = True

    def __init__(self, spec: RoundSpec, index: int) -> None:
        """``index`` says which of a rank's phases and chances are this layer's."""
        self._period = spec.period_days * SECONDS_PER_DAY
        self._coverage = spec.coverage
        self._index = index

    @property
    def timeout_seconds(self) -> None:
        """Nothing is waited for: a test comes when it comes."""

    def claims_at(self, observation: Observation) -> float | None:
        """The node's first test after the defect showed itself, if it can find it at all."""
        corrupt = observation.corrupt
        rank = None if corrupt is None else corrupt.rank
        if rank is None or not rank.is_defect or rank.chances[self._index] >= self._coverage:
            return None
        phase = rank.phases[self._index]
        rounds = math.floor(observation.at / self._period - phase) + 1
        return (rounds + phase) * self._period

    def false_alarms_per_second(self, job: JobView) -> float:  # noqa: ARG002 - the same for any job
        """None: a test compares with a known result."""
        return 0.0


class Scan(Rounds):
    """The layer ``scan``."""

    layer = Layer.SCAN

    def __init__(self, spec: ScanSpec) -> None:
        """The first kind of rounds."""
        super().__init__(spec, 0)
