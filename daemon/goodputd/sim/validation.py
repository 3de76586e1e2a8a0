"""Validation: what it costs, how often it runs, and how much it sees.

The settings of the layer, for the training that pauses for it and for the detector alike.
"""

from dataclasses import dataclass

from goodputd.sim.specs import SPEC, PositiveCount, PositiveSeconds, Probability, Seconds


@dataclass(slots=True, kw_only=True)
class ValidationSpec:
    """Training pauses every N steps to look for corrupt state, before a checkpoint that falls due with it."""

    __pydantic_config__ = SPEC

    every_steps: PositiveCount | None = None
    """Steps between two validations; every checkpoint is validated where this divides its interval."""
    interval_seconds: PositiveSeconds | None = None
    """Seconds of training between two validations, rounded to whole steps; replaces `every_steps`."""
    seconds: Seconds = 5.0
    """Seconds a validation blocks training."""
    coverage: Probability = 1.0
    """Share of corruptions that a validation can see at all."""

    def steps(self, step_seconds: float) -> int:
        """Steps between two validations at this step time: the nearest whole number, at least one."""
        if self.every_steps is not None:
            return self.every_steps
        assert self.interval_seconds is not None  # noqa: S101 - settings require one of the two
        return max(1, round(self.interval_seconds / step_seconds))
