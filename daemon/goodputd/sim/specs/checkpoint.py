"""``[checkpoint]``: saving and restoring the training state, on every tier."""

import math
from dataclasses import dataclass, field
from typing import Final, Literal

from goodputd.sim.daly import daly
from goodputd.sim.specs.fields import (
    SECONDS_PER_DAY,
    SPEC,
    CountOrNone,
    Factor,
    PositiveCount,
    PositiveFloat,
    PositiveSeconds,
    Probability,
    Seconds,
)
from goodputd.sim.taxonomy import CheckpointTier

LONGEST_OPTIMAL_SECONDS: Final = SECONDS_PER_DAY
"""What an interval that follows the MTBF does not exceed, however rare failures are."""

_WEAKER: Final = (CheckpointTier.MEMORY, CheckpointTier.LOCAL)


@dataclass(slots=True, kw_only=True)
class MemoryTierSpec:
    """Checkpoints in host memory, which survive the processes of the job and not their node."""

    __pydantic_config__ = SPEC

    interval_steps: CountOrNone = 0
    """Steps between two of them; 0 for none."""
    save_seconds: Seconds = 0.2
    """Seconds one blocks training (Ant, flash checkpoint: 0.2 s)."""
    write_seconds: Seconds = 0.0
    """Seconds until its replica is complete, while training goes on."""
    node_bandwidth_bytes_per_second: PositiveFloat = 2.0e10
    """Bytes a second that one node restores of its share."""


@dataclass(slots=True, kw_only=True)
class LocalTierSpec:
    """Checkpoints on the disks of the nodes, which survive a reboot and not an eviction."""

    __pydantic_config__ = SPEC

    interval_steps: CountOrNone = 0
    """Steps between two of them; 0 for none."""
    save_seconds: Seconds = 1.0
    """Seconds one blocks training."""
    write_seconds: Seconds = 0.0
    """Seconds until it is on the disk, while training goes on."""
    node_bandwidth_bytes_per_second: PositiveFloat = 5.0e9
    """Bytes a second that one node restores of its share."""


TierSpec = MemoryTierSpec | LocalTierSpec


@dataclass(slots=True, kw_only=True)
class CheckpointSpec:
    """Saving and restoring the training state."""

    __pydantic_config__ = SPEC

    interval_seconds: PositiveSeconds | None = None
    """Seconds of training between two saves, rounded to whole steps; give this or `interval_steps`."""
    interval_steps: PositiveCount | None = None
    """Steps between two saves."""
    interval: Literal["optimal"] | None = None
    """"optimal": Daly's interval for the MTBF observed so far, worked out anew at every resume."""
    save_seconds: Seconds = 10.0
    """Seconds a save blocks training; the checkpoint is durable when it ends, or `write_seconds` later."""
    write_seconds: Seconds = 0.0
    """Seconds that an asynchronous save goes on while training does; intervals are not shorter."""
    size_bytes: PositiveFloat = 5.67e12
    """Bytes of a checkpoint (405 B parameters x 14 bytes: bf16 weights, fp32 master and moments)."""
    node_bandwidth_bytes_per_second: PositiveFloat = 2.0e9
    """Bytes a second that one node can read."""
    total_bandwidth_bytes_per_second: PositiveFloat = 31.5e9
    """Bytes a second that the storage gives to all nodes together."""
    reshard_factor: Factor = 1.8
    """Multiple of the restore time when the number of replicas changed since the save."""
    keep: PositiveCount = 5
    """Checkpoints kept, newest first; before the oldest there is only the initial state."""
    unreadable_probability: Probability = 0.0
    """Chance that a checkpoint turns out to be unreadable at a restore; the one before is read then."""
    last_gasp_probability: Probability = 0.0
    """Chance that the survivors of a detected fault save where they stand, so that no whole step is lost."""
    last_gasp_seconds: Seconds = 60.0
    """Seconds that takes, beside the diagnosis; deciding takes at least so long."""
    memory: MemoryTierSpec = field(default_factory=MemoryTierSpec)
    """The tier in host memory."""
    local: LocalTierSpec = field(default_factory=LocalTierSpec)
    """The tier on the disks of the nodes."""

    def tier(self, tier: CheckpointTier) -> TierSpec:
        """The settings of a weaker tier."""
        return self.memory if tier is CheckpointTier.MEMORY else self.local

    def weaker_tiers(self) -> tuple[CheckpointTier, ...]:
        """The weaker tiers that are in use, fastest first."""
        return tuple(tier for tier in _WEAKER if self.tier(tier).interval_steps)

    def steps(self, step_seconds: float, mtbf_seconds: float = math.inf) -> int:
        """Steps between two saves at this step time: the nearest whole number, at least one.

        ``mtbf_seconds`` counts for an optimal interval only.
        """
        if self.interval == "optimal":
            best = math.inf if math.isinf(mtbf_seconds) else daly(self.save_seconds, mtbf_seconds)
            wanted = round(min(best, LONGEST_OPTIMAL_SECONDS) / step_seconds)
        elif self.interval_steps is not None:
            wanted = self.interval_steps
        else:
            assert self.interval_seconds is not None  # noqa: S101 - settings require one of the three
            wanted = round(self.interval_seconds / step_seconds)
        return max(1, wanted, least_steps(self, step_seconds))

    def restore_seconds(self, nodes: int, *, resharded: bool) -> float:
        """Seconds for ``nodes`` to read the checkpoint: the narrower of their and the storage's bandwidth."""
        bandwidth = min(self.total_bandwidth_bytes_per_second, nodes * self.node_bandwidth_bytes_per_second)
        return self.size_bytes / bandwidth * (self.reshard_factor if resharded else 1.0)


def least_steps(spec: CheckpointSpec | TierSpec, step_seconds: float) -> int:
    """So many steps and a save take as long as writing the save before."""
    if spec.write_seconds <= spec.save_seconds:
        return 1
    return math.ceil((spec.write_seconds - spec.save_seconds) / step_seconds)
