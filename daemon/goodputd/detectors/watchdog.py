"""The collective watchdog (NCCL): nobody made progress in a collective for ten minutes.

The backstop. It needs no agent and sees every crash and hang, at the price of its timeout; it is
blind to slow ranks and to wrong numbers. PyTorch's default is 600 s.
"""

from dataclasses import dataclass

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.fields import SPEC, PositiveSeconds
from goodputd.sim.taxonomy import Layer


@dataclass(slots=True, kw_only=True)
class WatchdogSpec:
    """No collective progress; the backstop, never the main channel."""

    __pydantic_config__ = SPEC

    timeout_seconds: PositiveSeconds = 600.0
    """Seconds a collective may wait before its ranks abort (PyTorch: 600). A short one costs nothing here,
    while in a real job it aborts on every slow save; keep it well above your longest healthy pause."""


class Watchdog:
    """The layer ``watchdog``; blind to slow and corrupt ranks."""

    layer = Layer.WATCHDOG
    sees_during_recovery = False

    def __init__(self, spec: WatchdogSpec) -> None:
        """Nothing is kept but the settings."""
        self._timeout = spec.timeout_seconds

    @property
    def timeout_seconds(self) -> float:
        """How long a collective may wait."""
        return self._timeout

    def claims_at(self, observation: Observation) -> float | None:
        """Timeout after the ranks that are left started to wait."""
        stall = observation.collective_stalls_at
        return None if stall is None else stall + self._timeout

    def false_alarms_per_second(self, job: JobView) -> float:  # noqa: ARG002 - the same for any job
        """None: a healthy collective does not wait for ten minutes."""
        return 0.0
