"""What one run came to: the figures that studies compare, vary and plot.

Read from a snapshot and from nothing else. A new figure is a field here and a line in ``read``; the
files that studies write have a column for each. Seconds are simulated; what has no data is None.
"""

from dataclasses import dataclass, fields
from typing import Final

from goodputd.sim.snapshot import Snapshot
from goodputd.sim.specs.fields import SECONDS_PER_DAY, SECONDS_PER_HOUR
from goodputd.sim.taxonomy import (
    Action,
    Bucket,
    CheckpointOutcome,
    CheckpointTier,
    CorruptionOutcome,
    JobState,
)


@dataclass(slots=True, kw_only=True)
class Figures:
    """The headline figures of one run."""

    effective_training_time_ratio: float | None
    """Productive over elapsed time; cannot see a job that shrank."""
    effective_utilization_ratio: float | None
    """Productive GPU-seconds over those of the full job."""
    effective_compute_ratio: float | None
    """Share of the time that the job was not stopped."""
    lost_work_share: float | None
    """Share of the time that went into work which was lost or taken back."""
    checkpoint_save_share: float | None
    """Share of the time that went into saving."""
    validation_share: float | None
    """Share of the time that went into validating."""
    straggler_share: float | None
    """Share of the time that slow ranks took."""
    stopped_share: float | None
    """Share of the time in which the job stood still: undetected, decided on, waiting, recovering."""
    provisional_share: float | None
    """Share of the time whose work no checkpoint held at the end."""
    interruptions: float
    """Incidents, planned ones not counted."""
    interruptions_per_day: float | None
    """The same per day."""
    expected_interruptions: float
    """The hazard, integrated over running time."""
    hazard_per_hour: float | None
    """The same per hour of training: the rate at which a running job is stopped."""
    faults: float
    """Ground truth, recurrences included."""
    false_alarms: float
    """Alarms without a fault."""
    restarts: float
    """Decisions to restart on the same nodes."""
    evictions: float
    """Decisions to evict a node."""
    restart_success_ratio: float | None
    """Restarts after which the node, or the cause, kept quiet for 24 h."""
    evict_success_ratio: float | None
    """Evictions after which the node that took the place kept quiet for 24 h."""
    mtbf_seconds: float | None
    """Elapsed time per interruption."""
    mttd_seconds: float | None
    """Mean time from fault to detection."""
    mttr_seconds: float | None
    """Mean stopped time per incident."""
    step: float
    """The step that was reached."""
    mean_step_seconds: float | None
    """Mean time of a step that was executed, with all that makes it longer."""
    completion_seconds: float | None
    """Until the job had reached its target; None where it has none, or did not get there."""
    lost_steps: float
    """Steps that were executed in vain, retracted ones included."""
    checkpoints: float
    """Saves that were completed, to the tier that survives the loss of any host."""
    corruptions_injected: float
    """Silent corruptions that struck the job; ground truth."""
    corruptions_detected: float
    """Those that somebody found before a checkpoint held them."""
    corruptions_baked: float
    """Those that a checkpoint held, or the result, before anybody found them."""


_STEPPING: Final = (Bucket.PRODUCTIVE, Bucket.LOST_WORK, Bucket.STRAGGLER)
"""What steps took, with what is provisional; retracted steps are still productive here."""
_STOPPED: Final = (
    Bucket.UNDETECTED_STALL,
    Bucket.DECISION,
    Bucket.WAITING_FOR_CAPACITY,
    Bucket.RESTART,
    Bucket.CHECKPOINT_RESTORE,
    Bucket.VERIFY,
)

NAMES: Final = tuple(each.name for each in fields(Figures))
"""Every figure, in the order of the columns."""


def read(snapshot: Snapshot) -> Figures:
    """The figures of a scenario at the instant of the snapshot."""
    seconds, now = snapshot.seconds, snapshot.now
    return Figures(
        effective_training_time_ratio=snapshot.effective_training_time_ratio,
        effective_utilization_ratio=snapshot.effective_utilization_ratio,
        effective_compute_ratio=snapshot.effective_compute_ratio,
        lost_work_share=_per(seconds[Bucket.LOST_WORK] + snapshot.retracted_seconds, now),
        checkpoint_save_share=_per(seconds[Bucket.CHECKPOINT_SAVE], now),
        validation_share=_per(seconds[Bucket.VALIDATION], now),
        straggler_share=_per(seconds[Bucket.STRAGGLER], now),
        stopped_share=_per(sum(seconds[bucket] for bucket in _STOPPED), now),
        provisional_share=_per(snapshot.provisional_seconds, now),
        interruptions=snapshot.total_interruptions,
        interruptions_per_day=_per(snapshot.total_interruptions * SECONDS_PER_DAY, now),
        expected_interruptions=snapshot.expected_interruptions,
        hazard_per_hour=_hazard(snapshot),
        faults=sum(snapshot.faults.values()),
        false_alarms=sum(snapshot.false_alarms.values()),
        restarts=_decided(snapshot, Action.RESTART),
        evictions=_decided(snapshot, Action.EVICT),
        restart_success_ratio=snapshot.recovery_success_ratio[Action.RESTART],
        evict_success_ratio=snapshot.recovery_success_ratio[Action.EVICT],
        mtbf_seconds=snapshot.mtbf_seconds,
        mttd_seconds=snapshot.mttd_overall_seconds,
        mttr_seconds=snapshot.mttr_seconds,
        step=snapshot.step,
        mean_step_seconds=_per(
            sum(seconds[bucket] for bucket in _STEPPING) + snapshot.provisional_seconds, snapshot.steps
        ),
        completion_seconds=now if snapshot.job_state is JobState.COMPLETED else None,
        lost_steps=snapshot.lost_steps + snapshot.retracted_steps,
        checkpoints=snapshot.checkpoints[CheckpointTier.REMOTE, CheckpointOutcome.SAVED],
        corruptions_injected=snapshot.corruptions.injected,
        corruptions_detected=snapshot.corruptions.outcomes[CorruptionOutcome.DETECTED],
        corruptions_baked=snapshot.corruptions.outcomes[CorruptionOutcome.BAKED],
    )


def _hazard(snapshot: Snapshot) -> float | None:
    trained = snapshot.now * (snapshot.effective_compute_ratio or 0.0)
    return _per(snapshot.expected_interruptions * SECONDS_PER_HOUR, trained)


def _decided(snapshot: Snapshot, action: Action) -> int:
    return sum(count for (decided, _), count in snapshot.decisions.items() if decided is action)


def _per(part: float, whole: float) -> float | None:
    return part / whole if whole > 0.0 else None
