"""The kernel-side sentinel: anomalies that a wrong computation leaves behind in passing.

Passive, so that it costs nothing; it sees the consequences of a corruption when one strikes, and only
those that reach the kernel.
"""

from dataclasses import dataclass

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.fields import SPEC, Probability, Seconds
from goodputd.sim.taxonomy import Layer


@dataclass(slots=True, kw_only=True)
class SentinelSpec:
    """Kernel anomalies that a wrong computation leaves behind."""

    __pydantic_config__ = SPEC

    coverage: Probability = 0.4
    """Share of corruptions that leave one (Meta, Hardware Sentinel: 41 % more finds than tests alone)."""
    delay_seconds: Seconds = 60.0
    """Seconds until it is understood."""


class Sentinel:
    """The layer ``sentinel``; blind to corruption that leaves nothing in the kernel."""

    layer = Layer.SENTINEL
    sees_during_recovery = True

    def __init__(self, spec: SentinelSpec) -> None:
        """Nothing is kept but the settings."""
        self._coverage = spec.coverage
        self._delay = spec.delay_seconds

    @property
    def timeout_seconds(self) -> float:
        """The longest time from corruption to claim."""
        return self._delay

    def claims_at(self, observation: Observation) -> float | None:
        """The delay after the corruption, if it left something."""
        corrupt = observation.corrupt
        if corrupt is None or corrupt.rank is None or corrupt.rank.sentinel_uniform >= self._coverage:
            return None
        return observation.at + self._delay

    def false_alarms_per_second(self, job: JobView) -> float:  # noqa: ARG002 - the same for any job
        """None: no published figure says how often."""
        return 0.0
