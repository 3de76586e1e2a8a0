"""Corrupt state may outlive a resume: which strike a late detection is about.

Knows facts, and nothing of incidents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from goodputd.sim.events import DetectionRaised, FaultOccurred
from goodputd.sim.taxonomy import Component, Origin, Symptom

_SAME_STRIKE_SECONDS: Final = 1e-3
"""An instant and a latency after it give the instant back to within rounding, in a thousand years, too."""


@dataclass(slots=True)
class Corruption:
    """A corrupt fault that struck, and the step of the checkpoint that it was baked into."""

    fact: FaultOccurred
    baked_step: int | None = None


Corruptions = Mapping[str, Sequence[Corruption]]
"""All that are known, by fault, oldest first."""


def is_strike(struck_at: float, detection: DetectionRaised) -> bool:
    """Whether that is the strike which was detected; a fault may have struck more than once."""
    return abs(detection.at - detection.latency_seconds - struck_at) <= _SAME_STRIKE_SECONDS


def forgotten(detection: DetectionRaised) -> FaultOccurred:
    """What the detection alone tells of its fault; only corrupt state is found so late."""
    return FaultOccurred(
        detection.at - detection.latency_seconds,
        detection.fault,
        detection.kind,
        Component.UNKNOWN,
        Symptom.CORRUPT,
        Origin.PRIMARY,
        None,
        transient=True,
    )
