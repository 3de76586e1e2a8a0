"""Shadow recomputation: spare ranks repeat a share of the steps and compare.

A mismatch names the rank. Only a step that was computed wrongly shows: a bit that flipped once must be in
the share, while a defect gets its chance in every step.
"""

import math

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.detection import ShadowSpec
from goodputd.sim.taxonomy import Layer

_HOPELESS = 1e-12
"""A share below this repeats no wrong step within a century of steps."""


class Shadow:
    """The layer ``shadow``; blind to state that is corrupt already."""

    layer = Layer.SHADOW
    sees_during_recovery = False

    def __init__(self, spec: ShadowSpec) -> None:
        """Nothing is kept but the settings."""
        self._share = spec.share

    @property
    def timeout_seconds(self) -> None:
        """Comparisons follow steps, so there is no number of seconds to wait for."""

    def claims_at(self, observation: Observation) -> float | None:
        """The end of the first step that is repeated: a geometric number of steps away for a defect."""
        corrupt = observation.corrupt
        rank = None if corrupt is None else corrupt.rank
        if rank is None or self._share < _HOPELESS:
            return None
        steps = 1
        if rank.shadow_uniform >= self._share:
            if not rank.is_defect:
                return None
            steps = math.ceil(math.log1p(-rank.shadow_uniform) / math.log1p(-self._share))
        step_seconds = observation.step_seconds
        begun = math.floor((observation.at - observation.checks_from) / step_seconds)
        return observation.checks_from + (begun + steps) * step_seconds

    def false_alarms_per_second(self, job: JobView) -> float:  # noqa: ARG002 - the same for any job
        """None: the arithmetic of two ranks is the same to the bit."""
        return 0.0
