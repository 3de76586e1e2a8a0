"""Heartbeats: a rank or node that stops beating, and ranks that stop completing steps.

Beats are sent at multiples of the interval; the monitor declares a rank dead when its last beat is
``timeout_seconds`` old, so a crash is seen between timeout - interval and timeout after the fault.
Per-step beats also catch hangs: no rank completes a step for the timeout, or for three step times
where steps are longer (the task-hang rule of Unicron, arXiv 2401.00134).

A beat is late by an exponential jitter, so a healthy rank's gap exceeds t with probability
exp(-(t - interval) / jitter): the shorter the timeout, the more false alarms (DESIGN rule 5).
"""

import math
from dataclasses import dataclass

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.fields import SPEC, PositiveSeconds, Seconds
from goodputd.sim.taxonomy import Layer

_STEPS_BEFORE_A_HANG = 3.0


@dataclass(slots=True, kw_only=True)
class HeartbeatSpec:
    """A rank or node that stops beating; per-step beats also catch hangs."""

    __pydantic_config__ = SPEC

    interval_seconds: PositiveSeconds = 10.0
    """Seconds between two beats of a node."""
    timeout_seconds: PositiveSeconds = 30.0
    """Seconds without a beat before the node counts as dead; shorter is faster and cries wolf more often."""
    jitter_seconds: Seconds = 1.0
    """Mean lateness of a beat in seconds; the tail that causes false alarms."""
    step_beats: bool = True
    """Ranks also beat after each step, so that a hang shows as well as a crash."""


class Heartbeat:
    """The layer ``heartbeat``; blind to slow and corrupt ranks."""

    layer = Layer.HEARTBEAT
    sees_during_recovery = True

    def __init__(self, spec: HeartbeatSpec) -> None:
        """Nothing is kept but the settings."""
        self._interval = spec.interval_seconds
        self._timeout = spec.timeout_seconds
        self._jitter = spec.jitter_seconds
        self._step_beats = spec.step_beats

    @property
    def timeout_seconds(self) -> float:
        """Silence that counts as death."""
        return self._timeout

    def claims_at(self, observation: Observation) -> float | None:
        """Timeout after the last beat, or after the last completed step."""
        stop = observation.beats_stop_at
        if stop is not None:
            return math.floor(stop / self._interval) * self._interval + self._timeout
        if self._step_beats and observation.steps_stop_at is not None:
            patience = max(self._timeout, _STEPS_BEFORE_A_HANG * observation.step_seconds)
            return observation.last_step_at + patience
        return None

    def false_alarms_per_second(self, job: JobView) -> float:
        """Beats per second of all nodes, times the chance that the next one is too late."""
        if self._jitter == 0.0:
            return 0.0
        tail = math.exp(-(self._timeout - self._interval) / self._jitter)
        return job.active_nodes / self._interval * tail
