"""All that leaves the core: plain data, read by metrics, JSON and people.

This module defines and does not compute; ``report`` fills it. It may know ``taxonomy`` only, so
that whoever reads a snapshot cannot reach the truth behind it. Seconds are simulated; a mean or a
ratio that has no data is None. Closed label sets are complete: a key that has not happened is 0.
"""

from dataclasses import dataclass

from goodputd.sim.taxonomy import (
    Action,
    Bucket,
    CheckpointOutcome,
    CheckpointTier,
    Component,
    CorruptionOutcome,
    DetectionResult,
    HotResetOutcome,
    JobState,
    Layer,
    Misdiagnosis,
    NodeState,
    Origin,
    Readiness,
    Reason,
    RecoveryOutcome,
    RepairOutcome,
    RepairStage,
    Slowing,
    StageName,
    Symptom,
    VerificationOutcome,
)


@dataclass(slots=True)
class Histogram:
    """Counts per bucket (not cumulative); ``counts`` is one longer than ``bounds`` (+Inf)."""

    bounds: tuple[float, ...]
    counts: tuple[int, ...]
    sum: float


@dataclass(slots=True)
class Total:
    """A sum of seconds and how many went into it."""

    seconds: float
    count: int

    def add(self, seconds: float) -> None:
        """One more."""
        self.seconds += seconds
        self.count += 1

    def copy(self) -> "Total":
        """An independent copy."""
        return Total(self.seconds, self.count)


@dataclass(slots=True)
class NodeStrikes:
    """Standing strikes of one node."""

    node: int
    strikes: int


@dataclass(slots=True)
class FleetSnapshot:
    """What was done about nodes: repairs, places in the job, blame."""

    repairs: dict[tuple[RepairStage, RepairOutcome], int]
    """Finished ones."""
    repair_line: int
    """Nodes that wait for a crew."""
    hot_resets: dict[HotResetOutcome, int]
    spares: dict[Readiness, int]
    """Healthy nodes outside the job, idle ones not counted."""
    host_selections: int
    displaced_nodes: int
    """Healthy nodes of the job that a host selection benched for better ones."""
    preemptions: int
    drained_nodes: int
    """For planned maintenance."""
    in_burst: bool
    """A faulty period is going on (ground truth)."""
    misdiagnoses: dict[Misdiagnosis, int]
    lemons: int
    """Nodes that no repair made ordinary yet (ground truth)."""
    lemon_faults: int
    """Faults beyond those that an ordinary node would have had."""


@dataclass(slots=True)
class StepTime:
    """How long a step takes, and why."""

    seconds: float
    """Mean, simulated."""
    ratios: dict[Slowing, float]
    """By cause; their product is ``seconds`` over the step time of the settings."""


@dataclass(slots=True)
class Corruptions:
    """Silent corruption: ground truth, except for what was detected."""

    injected: int
    """Corruptions of a running job."""
    outcomes: dict[CorruptionOutcome, int]
    """Of those whose outcome is known."""


@dataclass(slots=True)
class TuningSnapshot:
    """Settings that a figure is drawn against, and what they should be."""

    detection_timeout_seconds: dict[Layer, float]
    """Enabled layers that wait for a timeout."""
    save_seconds: float
    """For which a checkpoint blocks training."""
    daly_interval_seconds: float | None
    """Daly's optimum for that and the training time between interruptions so far; None before the first, or
    if saves take no time."""


@dataclass(slots=True)
class Snapshot:
    """One scenario at one instant; internally consistent (buckets + provisional = elapsed)."""

    scenario: str
    now: float
    """Simulated seconds since start; equal to elapsed."""

    seconds: dict[Bucket, float]
    provisional_seconds: float
    retracted_seconds: float
    gpu_seconds: dict[str, float]
    """By bucket, and ``idle_capacity``."""
    provisional_gpu_seconds: float
    retracted_gpu_seconds: float
    nominal_gpus: int

    interruptions: dict[tuple[Component, Layer], int]
    expected_interruptions: float
    faults: dict[tuple[str, Component, Origin], int]
    """By kind, component and origin; every kind of the catalog x (primary, recurrence), others lazily."""
    detection_misses: dict[Layer, int]
    """Enabled layers only."""
    hardware_events: int
    """Faults that left a vendor event in a log, whether a layer reads it or not."""
    false_alarms: dict[Layer, int]
    """Enabled layers only."""
    decisions: dict[tuple[Action, Reason], int]
    recoveries: dict[tuple[Action, RecoveryOutcome], int]
    verifications: dict[VerificationOutcome, int]
    corruptions: Corruptions

    steps: int
    """Executed, repeats included."""
    lost_steps: int
    retracted_steps: int
    step_time: StepTime
    step: int
    """step = steps - lost_steps - retracted_steps whenever the job runs."""
    checkpoints: dict[tuple[CheckpointTier, CheckpointOutcome], int]
    """Tiers in use only."""
    restores: dict[CheckpointTier, int]
    """Tiers in use only."""

    recovery_seconds: Histogram
    """Stopped seconds per closed incident."""
    detection_seconds: dict[tuple[Layer, DetectionResult], Histogram]
    """Enabled layers only."""
    stage_seconds: dict[StageName, Total]

    effective_training_time_ratio: float | None
    effective_utilization_ratio: float | None
    effective_compute_ratio: float | None
    recovery_success_ratio: dict[Action, float | None]
    """Restart and evict."""
    mttr_seconds: float | None
    mtbf_seconds: float | None
    mttd_seconds: dict[Symptom, float | None]
    """Crash, hang, slow, corrupt."""
    mttd_overall_seconds: float | None

    fleet: FleetSnapshot
    nodes: dict[NodeState, int]
    gpus: dict[NodeState, int]
    job_state: JobState
    node_strikes: tuple[NodeStrikes, ...]
    """Nodes with two standing strikes or more, the worst 20."""
    undetected_faults: int
    loss: float | None
    gradient_norm: float | None
    """None where a corruption made them NaN."""

    last_interruption_at: float | None
    last_step_at: float | None
    last_checkpoint_at: dict[CheckpointTier, float | None]

    tuning: TuningSnapshot
    checkpoint_interval_seconds: float
    spares_configured: int

    @property
    def total_interruptions(self) -> int:
        """Incidents opened, planned ones not counted."""
        return unplanned(self.interruptions)

    @property
    def planned_stops(self) -> int:
        """The others: to give up nodes for maintenance, or to take repaired ones back."""
        return sum(self.interruptions.values()) - self.total_interruptions


def unplanned(interruptions: dict[tuple[Component, Layer], int]) -> int:
    """How many of the incidents were not planned: what MTBF counts (DESIGN rule 12)."""
    return sum(count for (component, _), count in interruptions.items() if component is not Component.PLANNED)
