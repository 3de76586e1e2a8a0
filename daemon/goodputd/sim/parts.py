"""What a scenario is made of: the specs, and the plug-ins that were chosen by name.

``assembly`` fills it from settings; the core takes it apart.
"""

from dataclasses import dataclass

from goodputd.sim.faults import FaultKind
from goodputd.sim.protocols import Detector, Policy
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.specs.cluster import ClusterSpec
from goodputd.sim.specs.corruption import CorruptionSpec
from goodputd.sim.specs.detection import DiagnosisSpec, ShadowSpec, ValidationSpec
from goodputd.sim.specs.faults import FaultsSpec
from goodputd.sim.specs.job import JobSpec, LossSpec
from goodputd.sim.specs.recovery import RecoverySpec


@dataclass(slots=True, kw_only=True)
class Parts:
    """One scenario, ready to be played: to ``until_step``, or to its target if that comes first."""

    name: str
    seed: int
    cluster: ClusterSpec
    job: JobSpec
    loss: LossSpec
    faults: FaultsSpec
    kinds: tuple[FaultKind, ...]
    detectors: tuple[Detector, ...]
    operator_seconds: float
    diagnosis: DiagnosisSpec
    policy: Policy
    recovery: RecoverySpec
    checkpoint: CheckpointSpec
    corruption: CorruptionSpec
    validation: ValidationSpec | None = None
    """None when that layer is off: nothing pauses for it."""
    shadow: ShadowSpec | None = None
    """The same."""
    until_step: int | None = None
