"""Short tests in production: less thorough than a scan, and much more often."""

from dataclasses import dataclass

from goodputd.detectors.scan import Rounds
from goodputd.sim.specs.fields import SPEC, PositiveFloat, Probability
from goodputd.sim.taxonomy import Layer


@dataclass(slots=True, kw_only=True)
class ProbeSpec:
    """Each node is tested for defects beside the job, for minutes every few days."""

    __pydantic_config__ = SPEC

    period_days: PositiveFloat = 15.0
    """Days between two tests of a node."""
    coverage: Probability = 0.7
    """Share of defects that such a test can find."""


class Probe(Rounds):
    """The layer ``probe``."""

    layer = Layer.PROBE

    def __init__(self, spec: ProbeSpec) -> None:
        """The second kind of rounds."""
        super().__init__(spec, 1)
