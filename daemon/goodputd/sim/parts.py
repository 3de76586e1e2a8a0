"""What a scenario is made of: the specs, and the plug-ins that were chosen by name.

``assembly`` fills it from settings; the core takes it apart.
"""

from dataclasses import dataclass

from goodputd.sim.checkpoint import CheckpointSpec
from goodputd.sim.cluster import ClusterSpec
from goodputd.sim.corruption import CorruptionSpec
from goodputd.sim.faults import FaultKind, FaultsSpec
from goodputd.sim.job import JobSpec
from goodputd.sim.loss import LossSpec
from goodputd.sim.observation import DiagnosisSpec
from goodputd.sim.protocols import Detector, Policy
from goodputd.sim.recovery import RecoverySpec
from goodputd.sim.shadowing import ShadowSpec
from goodputd.sim.validation import ValidationSpec


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
