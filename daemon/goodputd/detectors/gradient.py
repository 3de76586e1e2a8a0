"""Per-rank statistics: gradient norm and step time every N steps, as robust z-scores.

A rank is suspect when its value lies ``z_threshold`` robust standard deviations from the median of
all ranks, the standard deviation estimated by 1.4826 x MAD so that the suspect itself cannot hide
behind it. ``robust_z_scores`` is that statistic. What the simulation needs of it follows from the
same threshold: a rank whose value is shifted by d standard deviations is found at one check with
probability P(Z > z - d), a healthy one by chance with P(Z > z). Gradient norms may move either
way; step times count only when slower. The loss of the job, which names no rank, is held against its
curve with the same threshold; NaN always exceeds it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.fields import SPEC, PositiveCount, PositiveFloat
from goodputd.sim.taxonomy import Layer

_MAD_TO_SIGMA = 1.4826
"""1 / Phi^-1(3/4): the MAD of a normal sample times this estimates its standard deviation."""
_HOPELESS = 1e-12
"""A detection probability per check below this never fires within a century of checks."""


@dataclass(slots=True, kw_only=True)
class GradientSpec:
    """Per-rank gradient norm and step time every N steps, robust z-score."""

    __pydantic_config__ = SPEC

    every_steps: PositiveCount = 10
    """Steps between two checks."""
    z_threshold: PositiveFloat = 6.0
    """Robust standard deviations that make a rank suspect; lower finds more and cries wolf more often."""


def robust_z_scores(values: Sequence[float]) -> list[float]:
    """Robust z-score of each value: (value - median) / (1.4826 x MAD).

    All zeros when at least half of the values are equal, since then the MAD says nothing.
    Errors: ``statistics.StatisticsError`` for no values.
    """
    centre = median(values)
    sigma = _MAD_TO_SIGMA * median([abs(value - centre) for value in values])
    if sigma == 0.0:
        return [0.0] * len(values)
    return [(value - centre) / sigma for value in values]


def upper_tail(z: float) -> float:
    """P(Z > z) for a standard normal Z, accurate far into the tail."""
    return 0.5 * math.erfc(z / math.sqrt(2.0))


def detection_probability(spec: GradientSpec, *, step_time_shift: float, gradient_shift: float) -> float:
    """Chance that one check finds a rank shifted by so many standard deviations, 0 to 1."""
    z = spec.z_threshold
    by_time = upper_tail(z - step_time_shift)
    by_gradient = upper_tail(z - gradient_shift) + upper_tail(z + gradient_shift)
    return 1.0 - (1.0 - by_time) * (1.0 - by_gradient)


def false_positive_probability(spec: GradientSpec) -> float:
    """Chance that one check finds one given healthy rank, 0 to 1."""
    return detection_probability(spec, step_time_shift=0.0, gradient_shift=0.0)


class Gradient:
    """The layer ``gradient``; blind to whatever shifts no statistic, and to a job that stands still."""

    layer = Layer.GRADIENT
    sees_during_recovery = False

    def __init__(self, spec: GradientSpec) -> None:
        """The false-positive probability is a constant of the threshold."""
        self._spec = spec
        self._false_positive = false_positive_probability(spec)

    @property
    def timeout_seconds(self) -> None:
        """Checks follow steps, so there is no number of seconds to wait for."""

    def claims_at(self, observation: Observation) -> float | None:
        """The end of the first check that finds the rank: a geometric number of checks away."""
        time_shift, gradient_shift = observation.step_time_shift_sigmas, observation.gradient_shift_sigmas
        corrupt = observation.corrupt
        if time_shift == 0.0 and gradient_shift == 0.0 and corrupt is None:
            return None
        power = detection_probability(self._spec, step_time_shift=time_shift, gradient_shift=gradient_shift)
        if corrupt is not None and corrupt.loss_shift_sigmas > 0.0:
            by_loss = upper_tail(self._spec.z_threshold - corrupt.loss_shift_sigmas)
            power = 1.0 - (1.0 - power) * (1.0 - by_loss)
        elif time_shift == 0.0 and gradient_shift == 0.0:
            return None
        if power < _HOPELESS:
            return None
        checks = (
            1 if power >= 1.0 else max(1, math.ceil(math.log1p(-observation.uniform) / math.log1p(-power)))
        )
        period = self._spec.every_steps * observation.step_seconds
        passed = math.floor((observation.at - observation.checks_from) / period)
        return observation.checks_from + (passed + checks) * period

    def false_alarms_per_second(self, job: JobView) -> float:
        """Checks per second of running, times the ranks, times the chance per healthy rank."""
        checks_per_second = job.training_share / (self._spec.every_steps * job.step_seconds)
        return checks_per_second * job.active_ranks * self._false_positive
