"""What a run that is over came to, read from its snapshot in the units of the publications.

AIReSim starts with a host selection and our job is placed already: one selection and its three
minutes are added where its figures have them.
"""

from typing import Final

from goodputd.sim.snapshot import Snapshot
from goodputd.sim.taxonomy import (
    Bucket,
    Component,
    NodeState,
    Origin,
    RepairOutcome,
    RepairStage,
    StageName,
)
from tests.validation.playing import DAY, Reading

HOUR: Final = 3600.0
MINUTE: Final = 60.0
FIRST_SELECTION_HOURS: Final = 3.0 / 60.0


def hours(snapshot: Snapshot) -> float:
    """From the first host selection to the end."""
    return snapshot.now / HOUR + FIRST_SELECTION_HOURS


def failures(snapshot: Snapshot) -> float:
    """Interruptions."""
    return snapshot.total_interruptions


def lemon_failures(snapshot: Snapshot) -> float:
    """Those that a lemon had beyond an ordinary server."""
    return snapshot.fleet.lemon_faults


def other_failures(snapshot: Snapshot) -> float:
    """The rest."""
    return snapshot.total_interruptions - snapshot.fleet.lemon_faults


def manual_repairs(snapshot: Snapshot) -> float:
    """By people."""
    return sum(count for (stage, _), count in snapshot.fleet.repairs.items() if stage is RepairStage.MANUAL)


def repairs(outcome: RepairOutcome) -> Reading:
    """Repairs that ended so."""
    return lambda snapshot: sum(
        count for (_, each), count in snapshot.fleet.repairs.items() if each is outcome
    )


def selections(snapshot: Snapshot) -> float:
    """The first one included."""
    return snapshot.fleet.host_selections + 1


def selection_hours(snapshot: Snapshot) -> float:
    """The first one included."""
    return snapshot.stage_seconds[StageName.HOST_SELECTION].seconds / HOUR + FIRST_SELECTION_HOURS


def preemptions(snapshot: Snapshot) -> float:
    """Servers taken from the spare pool."""
    return snapshot.fleet.preemptions


def waiting_hours(snapshot: Snapshot) -> float:
    """For them."""
    return snapshot.seconds[Bucket.WAITING_FOR_CAPACITY] / HOUR


def recovery_hours(snapshot: Snapshot) -> float:
    """All that is fixed per failure."""
    return snapshot.stage_seconds[StageName.DECIDE].seconds / HOUR


def retired(snapshot: Snapshot) -> float:
    """Servers that left the fleet."""
    return snapshot.nodes[NodeState.RETIRED]


def effective(compute_hours: float) -> Reading:
    """Computing over elapsed time."""
    return lambda snapshot: compute_hours / hours(snapshot)


def run_minutes(compute_hours: float) -> Reading:
    """Computing between two failures."""
    return lambda snapshot: compute_hours * MINUTE / snapshot.total_interruptions


def goodput(snapshot: Snapshot) -> float:
    """As a ratio; work in flight at the end counts."""
    return (snapshot.seconds[Bucket.PRODUCTIVE] + snapshot.provisional_seconds) / snapshot.now


def goodput_percent(snapshot: Snapshot) -> float:
    """The same in percent."""
    return 100.0 * goodput(snapshot)


def slowdown(snapshot: Snapshot) -> float:
    """Elapsed over productive time; work in flight at the end counts."""
    return 1.0 / goodput(snapshot)


def percent(*buckets: Bucket) -> Reading:
    """The share of time in these."""
    return lambda snapshot: 100.0 * sum(snapshot.seconds[each] for each in buckets) / snapshot.now


def between_interruptions_hours(snapshot: Snapshot) -> float:
    """Running time, saves included."""
    return _running_hours(snapshot) / snapshot.total_interruptions


def between_expected_hours(snapshot: Snapshot) -> float:
    """The same for the interruptions that the integrated hazard expects."""
    return _running_hours(snapshot) / snapshot.expected_interruptions


def _running_hours(snapshot: Snapshot) -> float:
    buckets = (Bucket.PRODUCTIVE, Bucket.LOST_WORK, Bucket.CHECKPOINT_SAVE)
    return (sum(snapshot.seconds[each] for each in buckets) + snapshot.provisional_seconds) / HOUR


def wasted_seconds(snapshot: Snapshot) -> float:
    """Work lost or taken back, and restoring, per failure."""
    wasted = snapshot.seconds[Bucket.LOST_WORK] + snapshot.retracted_seconds
    return (wasted + snapshot.seconds[Bucket.CHECKPOINT_RESTORE]) / snapshot.total_interruptions


def gone(snapshot: Snapshot) -> float:
    """The share of nodes that left the job."""
    return snapshot.nodes[NodeState.REPAIRING] / snapshot.nominal_gpus


def primary_faults(snapshot: Snapshot) -> float:
    """Faults that are nobody's recurrence."""
    return sum(count for (_, _, origin), count in snapshot.faults.items() if origin is Origin.PRIMARY)


def primary_faults_of(kind: str) -> Reading:
    """Those of one kind."""
    return lambda snapshot: sum(
        count
        for (each, _, origin), count in snapshot.faults.items()
        if each == kind and origin is Origin.PRIMARY
    )


def planned_stops(snapshot: Snapshot) -> float:
    """For maintenance."""
    return sum(n for (component, _), n in snapshot.interruptions.items() if component is Component.PLANNED)


def between_faults_hours(snapshot: Snapshot) -> float:
    """Elapsed time per primary fault."""
    return snapshot.now / HOUR / primary_faults(snapshot)


def between_stops_hours(snapshot: Snapshot) -> float:
    """Elapsed time per primary fault or planned stop."""
    return snapshot.now / HOUR / (primary_faults(snapshot) + planned_stops(snapshot))


def faults_per_1000_node_days(nodes: int) -> Reading:
    """Primary faults per node and day."""
    return lambda snapshot: 1000.0 * primary_faults(snapshot) / (nodes * snapshot.now / DAY)
