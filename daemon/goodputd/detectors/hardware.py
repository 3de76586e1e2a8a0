"""Vendor events: XID, ECC, link. Event driven, or found by the next poll.

Fast and nearly free of false alarms, but only faults that log something are seen.
"""

import math
from dataclasses import dataclass
from typing import Literal

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.fields import SPEC, PositiveSeconds, Seconds
from goodputd.sim.taxonomy import Layer


@dataclass(slots=True, kw_only=True)
class HardwareSpec:
    """Vendor events (XID, ECC, link) in a node's log."""

    __pydantic_config__ = SPEC

    mode: Literal["event", "poll"] = "event"
    """"event": the node's agent pushes the event; "poll": it is found by the next poll."""
    delay_seconds: Seconds = 2.0
    """Seconds from the logged event to the claim."""
    poll_seconds: PositiveSeconds = 60.0
    """Seconds between two polls; used when mode is "poll"."""


class Hardware:
    """The layer ``hardware``; blind to faults that log nothing."""

    layer = Layer.HARDWARE
    sees_during_recovery = True

    def __init__(self, spec: HardwareSpec) -> None:
        """Nothing is kept but the settings."""
        self._delay = spec.delay_seconds
        self._poll = spec.poll_seconds if spec.mode == "poll" else 0.0

    @property
    def timeout_seconds(self) -> float:
        """The longest time from event to claim."""
        return self._poll + self._delay

    def claims_at(self, observation: Observation) -> float | None:
        """The delay after the event, or after the poll that finds it."""
        logged = observation.event_logged_at
        if logged is None:
            return None
        if self._poll:
            logged = math.ceil(logged / self._poll) * self._poll
        return logged + self._delay

    def false_alarms_per_second(self, job: JobView) -> float:  # noqa: ARG002 - the same for any job
        """None: an event that was logged is a fact, however harmless its cause."""
        return 0.0
