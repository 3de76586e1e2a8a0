"""Snapshots and views made by hand, for tests of whatever reads them.

``snapshot()`` is a small cluster after ten simulated days with a few incidents behind it; every
closed label set is complete, as the core promises. Keyword arguments replace fields.
"""

from dataclasses import replace
from itertools import pairwise, product
from typing import Any

from goodputd.metrics.view import DaemonView, InForce, ScenarioView, View
from goodputd.sim.snapshot import (
    Corruptions,
    FleetSnapshot,
    Histogram,
    NodeStrikes,
    Snapshot,
    StepTime,
    Total,
    TuningSnapshot,
)
from goodputd.sim.taxonomy import (
    IDLE_CAPACITY,
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

CLOCK_START = 1_767_225_600.0
"""2026-01-01T00:00:00Z, Unix seconds."""
LAYERS = (Layer.HARDWARE, Layer.HEARTBEAT, Layer.GRADIENT, Layer.WATCHDOG)
RECOVERY_BOUNDS = (
    60.0, 120.0, 180.0, 240.0, 300.0, 360.0, 420.0, 480.0, 540.0, 600.0,
    720.0, 840.0, 960.0, 1200.0, 1800.0, 3600.0, 7200.0, 14400.0, 86400.0,
)  # fmt: skip
DETECTION_BOUNDS = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 600.0, 3600.0)
KINDS = (
    ("faulty_gpu", Component.GPU),
    ("gpu_hbm3_memory", Component.MEMORY),
    ("software_bug", Component.SOFTWARE),
)
NOW = 864_000.0
BUCKETS = {
    **dict.fromkeys(Bucket, 0.0),
    Bucket.PRODUCTIVE: 850_000.0,
    Bucket.LOST_WORK: 700.5,
    Bucket.CHECKPOINT_SAVE: 12_000.0,
    Bucket.RESTART: 290.0,
    Bucket.CHECKPOINT_RESTORE: 540.25,
}


def histogram(bounds: tuple[float, ...], *values: float) -> Histogram:
    """The histogram of these values."""
    edges = (float("-inf"), *bounds, float("inf"))
    counts = tuple(sum(1 for v in values if low < v <= high) for low, high in pairwise(edges))
    return Histogram(bounds, counts, sum(values))


def snapshot(scenario: str = "default", **changes: Any) -> Snapshot:  # noqa: ANN401 - any field of a snapshot
    """Ten days of a 1,024-GPU job with three interruptions."""
    gpus = 1024
    interruptions = dict.fromkeys(product(Component, (*LAYERS, Layer.NONE)), 0)
    interruptions[Component.GPU, Layer.HARDWARE] = 2
    interruptions[Component.SOFTWARE, Layer.HEARTBEAT] = 1
    faults = {(*kind, origin): 0 for kind in KINDS for origin in (Origin.PRIMARY, Origin.RECURRENCE)}
    faults["faulty_gpu", Component.GPU, Origin.PRIMARY] = 2
    faults["software_bug", Component.SOFTWARE, Origin.PRIMARY] = 1
    decisions = dict.fromkeys(product(Action, Reason), 0)
    decisions[Action.RESTART, Reason.FIRST_STRIKE] = 1
    decisions[Action.EVICT, Reason.SECOND_STRIKE] = 1
    recoveries = dict.fromkeys(product((Action.RESTART, Action.EVICT), RecoveryOutcome), 0)
    recoveries[Action.RESTART, RecoveryOutcome.SUCCESS] = 2
    detections = {key: histogram(DETECTION_BOUNDS) for key in product((*LAYERS, Layer.NONE), DetectionResult)}
    detections[Layer.HARDWARE, DetectionResult.FIRST] = histogram(DETECTION_BOUNDS, 2.0, 2.5)
    made = Snapshot(
        scenario=scenario,
        now=NOW,
        seconds=dict(BUCKETS),
        provisional_seconds=NOW - sum(BUCKETS.values()),
        retracted_seconds=0.0,
        gpu_seconds={**{b: s * gpus for b, s in BUCKETS.items()}, IDLE_CAPACITY: 0.0},
        provisional_gpu_seconds=(NOW - sum(BUCKETS.values())) * gpus,
        retracted_gpu_seconds=0.0,
        nominal_gpus=gpus,
        interruptions=interruptions,
        expected_interruptions=2.75,
        faults=faults,
        detection_misses=dict.fromkeys(LAYERS, 0),
        hardware_events=0,
        false_alarms=dict.fromkeys(LAYERS, 0),
        decisions=decisions,
        recoveries=recoveries,
        verifications={**dict.fromkeys(VerificationOutcome, 0), VerificationOutcome.CONTINUOUS: 3},
        corruptions=Corruptions(3, {**dict.fromkeys(CorruptionOutcome, 0), CorruptionOutcome.BAKED: 2}),
        steps=144_000,
        lost_steps=118,
        retracted_steps=0,
        step_time=StepTime(6.25, {**dict.fromkeys(Slowing, 1.0), Slowing.SLOW_RANK: 1.25}),
        step=143_882,
        checkpoints={
            (CheckpointTier.REMOTE, CheckpointOutcome.SAVED): 1200,
            (CheckpointTier.REMOTE, CheckpointOutcome.INTERRUPTED): 1,
            (CheckpointTier.REMOTE, CheckpointOutcome.UNREADABLE): 0,
        },
        restores={CheckpointTier.REMOTE: 3},
        recovery_seconds=histogram(RECOVERY_BOUNDS, 341.0, 355.5, 362.0),
        detection_seconds=detections,
        stage_seconds={stage: Total(120.5, 3) for stage in StageName},
        effective_training_time_ratio=0.984375,
        effective_utilization_ratio=0.984375,
        effective_compute_ratio=0.9987,
        recovery_success_ratio={Action.RESTART: 1.0, Action.EVICT: None},
        mttr_seconds=352.8,
        mtbf_seconds=288_000.0,
        mttd_seconds={Symptom.CRASH: 2.25, Symptom.HANG: None, Symptom.SLOW: None, Symptom.CORRUPT: None},
        mttd_overall_seconds=2.25,
        fleet=FleetSnapshot(
            repairs={
                (stage, outcome): 0
                for stage, outcome in product(RepairStage, RepairOutcome)
                if (stage, outcome) != (RepairStage.MANUAL, RepairOutcome.ESCALATED)
            },
            repair_line=0,
            hot_resets=dict.fromkeys(HotResetOutcome, 0),
            spares={**dict.fromkeys(Readiness, 0), Readiness.WARM: 2},
            host_selections=0,
            displaced_nodes=0,
            preemptions=0,
            drained_nodes=0,
            in_burst=False,
            misdiagnoses=dict.fromkeys(Misdiagnosis, 0),
            lemons=0,
            lemon_faults=0,
        ),
        nodes={**dict.fromkeys(NodeState, 0), NodeState.ACTIVE: 128, NodeState.SPARE: 2},
        gpus={**dict.fromkeys(NodeState, 0), NodeState.ACTIVE: 1024, NodeState.SPARE: 16},
        job_state=JobState.RUNNING,
        node_strikes=(NodeStrikes(17, 2),),
        undetected_faults=0,
        loss=2.0625,
        gradient_norm=0.25,
        last_interruption_at=860_000.5,
        last_step_at=863_998.0,
        last_checkpoint_at={CheckpointTier.REMOTE: 863_700.0},
        tuning=TuningSnapshot(
            {Layer.HARDWARE: 2.0, Layer.HEARTBEAT: 30.0, Layer.GRADIENT: 0.0, Layer.WATCHDOG: 600.0},
            save_seconds=10.0,
            daly_interval_seconds=2392.0,
        ),
        checkpoint_interval_seconds=600.0,
        spares_configured=2,
    )  # fmt: skip
    return replace(made, **changes)


def in_force(**changes: Any) -> InForce:  # noqa: ANN401 - any field
    """The settings that go with ``snapshot``."""
    return replace(
        InForce(
            policy="strikes",
            catalog="llama3",
            source="simulated",
            settings_digest="0a1b2c3d",
            target_goodput_ratio=0.9,
            target_mttr_seconds=390.0,
            alerting=True,
            clock_start_timestamp=CLOCK_START,
        ),
        **changes,
    )


def daemon(**changes: Any) -> DaemonView:  # noqa: ANN401 - any field
    """A daemon that keeps its pace."""
    return replace(
        DaemonView(
            version="1.2.3",
            python="3.11.7",
            core="interpreted",
            speedup=1440.0,
            lag_wall_seconds=0.0625,
            scrape_wall_seconds=0.004,
            last_advance_timestamp=1_800_000_000.25,
        ),
        **changes,
    )


def view(*snapshots: Snapshot, **daemon_changes: Any) -> View:  # noqa: ANN401 - any field of the daemon
    """A view of these scenarios; of the default one when none is given."""
    shown = snapshots or (snapshot(),)
    return View(tuple(ScenarioView(s, in_force()) for s in shown), daemon(**daemon_changes))
