"""The weaker tiers of checkpoints: what they cost, and what they survive.

A checkpoint in the memory of a host survives the processes of the job and not the host; one on the
host's disk survives a reboot and not the host's leaving the job. Both are bound to the layout of the
job: when it is resized only remote storage can be restored from.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from goodputd.sim.faults import JOB_WIDE, Fault
from goodputd.sim.specs.checkpoint import TierSpec
from goodputd.sim.taxonomy import CheckpointTier, Component

TAKES_THE_HOST_DOWN: Final = frozenset(
    {Component.HOST, Component.POWER, Component.OPERATOR, Component.UNKNOWN}
)
"""Components whose crash or hang costs the memory of the node; the others leave its host running."""


def restore_seconds(spec: TierSpec, size_bytes: float, nodes: int) -> float:
    """Seconds for ``nodes`` to restore a checkpoint of so many bytes, each its share."""
    return size_bytes / (nodes * spec.node_bandwidth_bytes_per_second)


@dataclass(slots=True)
class Held:
    """The newest checkpoint of a weaker tier."""

    step: int
    provisional_seconds: float
    """Step time up to it that no remote checkpoint covers."""
    at: float
    """When it was complete."""


@dataclass(slots=True)
class TierCounts:
    """Saves to one of the weaker tiers."""

    saved: int = 0
    interrupted: int = 0
    restored: int = 0


def lost_with(faults: Iterable[Fault]) -> frozenset[CheckpointTier]:
    """The tiers that are gone after these faults, their nodes being still in the job."""
    host_down = any(
        fault.kind.stops and fault.node != JOB_WIDE and fault.kind.component in TAKES_THE_HOST_DOWN
        for fault in faults
    )
    return frozenset({CheckpointTier.MEMORY}) if host_down else frozenset()
