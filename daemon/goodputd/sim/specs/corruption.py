"""``[corruption]``: how often state is corrupted, how it shows, and how its node is found."""

from dataclasses import dataclass, field
from typing import Literal

from goodputd.sim.specs.fields import SPEC, Factor, NonNegativeFloat, PositiveFloat, Probability, Seconds


@dataclass(slots=True, kw_only=True)
class TriageSpec:
    """How the node that corrupted the state is found, while the job stands still."""

    __pydantic_config__ = SPEC

    method: Literal["none", "reductive", "replay"] = "none"
    """"reductive": bisects the nodes by rerun; "replay": one deterministic rerun, compared rank by rank."""
    overhead_seconds: Seconds = 120.0
    """Seconds to set up each rerun, beside the steps that it repeats."""
    name_probability: Probability = 0.9
    """Chance that it names the node; a transient fault does not show in a bisection at all."""


@dataclass(slots=True, kw_only=True)
class CorruptionSpec:
    """Silent corruption: a GPU computes wrongly and says nothing."""

    __pydantic_config__ = SPEC

    per_gpu_hour: NonNegativeFloat = 0.0
    """Silent corruptions per GPU and hour (Llama 3: 6 in 16,384 GPUs x 1,296 h, 2.8e-7)."""
    transient_probability: Probability = 0.5
    """Chance that a restart cures it (Google 2021: half of the suspects were proven bad later)."""
    baked_discovery: Literal["at_checkpoint", "later"] = "later"
    """"later": what is baked into a checkpoint is found by a later validation; "at_checkpoint": at once."""
    nan_share: Probability = 0.0
    """Share that turns the loss into NaN; what no share covers shows in a validation only."""
    loss_jump_share: Probability = 0.0
    """Share that makes the loss jump."""
    variance_share: Probability = 0.0
    """Share that raises the variance of one rank's gradients, which names the rank."""
    loss_jump: NonNegativeFloat = 0.2
    """By how much the loss jumps, nats per token."""
    variance_sigmas: NonNegativeFloat = 8.0
    """By how much that rank's gradient norm moves, in standard deviations over ranks."""
    hyper_factor: Factor = 1.0
    """Divides the intervals of saves and validations for a while after a corruption was found."""
    hyper_hours: PositiveFloat = 24.0
    """For how long."""
    triage: TriageSpec = field(default_factory=TriageSpec)
    """Finding the node."""
