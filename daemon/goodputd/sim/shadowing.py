"""Shadow recomputation: what it costs, and how much of the work it repeats.

The settings of the layer, for the training that pauses for it and for the detector alike.
"""

from dataclasses import dataclass

from goodputd.sim.specs import SPEC, Probability, Seconds


@dataclass(slots=True, kw_only=True)
class ShadowSpec:
    """Spare ranks repeat a share of the steps and compare; a mismatch rolls back."""

    __pydantic_config__ = SPEC

    share: Probability = 0.1
    """Share of every rank's steps that a spare rank repeats."""
    seconds_per_step: Seconds = 0.02
    """Seconds by which handing over and comparing lengthens every step."""
