"""Validation points: training pauses to look for corrupt state.

What it finds is the state and not the node that corrupted it. When a validation runs is the
training's business; this layer only says whether the first one that runs on corrupt state sees it.
"""

from goodputd.sim.observation import JobView, Observation
from goodputd.sim.specs.detection import ValidationSpec
from goodputd.sim.taxonomy import Layer


class Validation:
    """The layer ``validation``; blind to everything but corrupt state."""

    layer = Layer.VALIDATION
    sees_during_recovery = False

    def __init__(self, spec: ValidationSpec) -> None:
        """A corruption is inside the coverage or outside of it, for every validation alike."""
        self._coverage = spec.coverage

    @property
    def timeout_seconds(self) -> None:
        """Validations follow steps, so there is no number of seconds to wait for."""

    def claims_at(self, observation: Observation) -> float | None:
        """The end of the first validation that runs on the corrupt state, if it can see it at all."""
        corrupt = observation.corrupt
        if corrupt is None or corrupt.uniform >= self._coverage:
            return None
        return corrupt.validation_ends_at

    def false_alarms_per_second(self, job: JobView) -> float:  # noqa: ARG002 - the same for every job
        """None: it compares with a known result."""
        return 0.0
