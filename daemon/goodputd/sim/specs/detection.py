"""What of ``[detection]`` the core itself needs: pauses of training, and who is blamed."""

from dataclasses import dataclass

from goodputd.sim.specs.fields import SPEC, PositiveCount, PositiveSeconds, Probability, Seconds


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


@dataclass(slots=True, kw_only=True)
class ShadowSpec:
    """Spare ranks repeat a share of the steps and compare; a mismatch rolls back."""

    __pydantic_config__ = SPEC

    share: Probability = 0.1
    """Share of every rank's steps that a spare rank repeats."""
    seconds_per_step: Seconds = 0.02
    """Seconds by which handing over and comparing lengthens every step."""


@dataclass(slots=True, kw_only=True)
class DiagnosisSpec:
    """Which node a detected fault is blamed on."""

    __pydantic_config__ = SPEC

    found_probability: Probability = 1.0
    """Chance that a fault of a node is attributed to any node; otherwise the job restarts as it is."""
    innocent_probability: Probability = 0.0
    """Chance that the node that is blamed is another one of the job."""
