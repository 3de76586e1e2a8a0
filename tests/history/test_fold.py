"""One incident from its facts."""

from typing import Any

import pytest

from goodputd.history.fold import fold
from goodputd.history.records import ClaimResult, FaultOutcome
from goodputd.sim.events import NodeDrained, TrainingResumed
from goodputd.sim.taxonomy import Action, Bucket, Component, Layer, Reason, VerificationOutcome
from tests.history.past import BUSY, CORRUPT, DAY, FLEET, FOUND_LATE, VALIDATED, VALIDATION, Past, strike


def test_the_stages_are_those_of_the_plan() -> None:
    """A crash that the hardware layer sees after 2 s is recovered from by six stages, each in its bucket."""
    incident = Past(strike(3600.0, "crash", logged=True)).until(DAY).incident(1)

    assert [
        ("detect", Bucket.UNDETECTED_STALL, 3600.0, 2.0, 30.0),
        ("decide", Bucket.DECISION, 3602.0, 30.0, 30.0),
        ("reschedule", Bucket.RESTART, 3632.0, 43.0, 43.0),
        ("collective_init", Bucket.RESTART, 3675.0, 17.0, 17.0),
        ("restore", Bucket.CHECKPOINT_RESTORE, 3692.0, 100.0, 100.0),
        ("compile", Bucket.RESTART, 3792.0, 30.0, 30.0),
        ("verify", Bucket.VERIFY, 3822.0, 30.0, 30.0),
    ] == [
        (stage.name, stage.bucket, stage.begins_at, stage.seconds, stage.settings_seconds)
        for stage in incident.stages
    ]


def test_a_record_says_what_the_facts_said() -> None:
    """Cause, times, steps and size are those of the fact that closed the incident."""
    past = Past(strike(3600.0, "crash", 3, logged=True)).until(DAY)
    incident = past.incident(1)
    resumed = next(fact for fact in past.facts["default"] if isinstance(fact, TrainingResumed))

    assert (Component.GPU, Layer.HARDWARE, 3, 3600.0, 3600.0) == (
        incident.component, incident.layer, incident.node, incident.began_at, incident.stopped_at,
    )  # fmt: skip
    assert (resumed.at, resumed.stopped_seconds, resumed.lost_steps, resumed.step, resumed.active_gpus) == (
        incident.resumed_at, incident.stopped_seconds, incident.lost_steps, incident.restored_step,
        incident.active_gpus,
    )  # fmt: skip
    assert 10.0 * resumed.lost_steps == incident.lost_work_seconds


@pytest.mark.parametrize(
    ("also", "tables"),
    [("", BUSY), ("", {**BUSY, "layers": '"watchdog"'}), (VALIDATED, CORRUPT), (FLEET + VALIDATED, CORRUPT)],
    ids=["plain", "watchdog", "corrupt", "fleet"],
)
def test_stages_cover_every_incident_without_a_hole(also: str, tables: dict[str, Any]) -> None:
    """In 200 busy days each incident's stages follow each other from the stop to verified training."""
    past = Past(also, **tables).until(200 * DAY)
    resumed = {f.incident: f.stopped_seconds for f in past.facts["default"] if isinstance(f, TrainingResumed)}
    incidents = [incident for incident in past.all() if not incident.is_open]

    assert len(incidents) > 300
    for incident in incidents:
        ends = [stage.begins_at + stage.seconds for stage in incident.stages]
        assert pytest.approx([incident.stopped_at, *ends]) == [
            *(stage.begins_at for stage in incident.stages), incident.resumed_at,
        ]  # fmt: skip
        assert pytest.approx(resumed[incident.number]) == incident.stopped_seconds


def test_every_layer_has_its_latency() -> None:
    """The winner comes first, losers follow by latency, and the blind layer is named last."""
    (fault,) = Past(strike(3600.0, "crash", logged=True)).until(DAY).incident(1).faults

    assert [
        (Layer.HARDWARE, ClaimResult.FIRST, 2.0),
        (Layer.HEARTBEAT, ClaimResult.LATE, 30.0),
        (Layer.WATCHDOG, ClaimResult.LATE, 600.0),
        (Layer.GRADIENT, ClaimResult.BLIND, None),
    ] == [(claim.layer, claim.result, claim.latency_seconds) for claim in fault.claims]


def test_a_person_can_be_first() -> None:
    """With gradient alone nobody sees a crash but a person, whose layer is called none."""
    incident = Past(strike(3600.0, "crash"), layers='"gradient"').until(DAY).incident(1)

    assert (Layer.NONE, 14400.0) == (incident.layer, incident.stages[0].seconds)
    assert [Layer.NONE, Layer.GRADIENT] == [claim.layer for claim in incident.faults[0].claims]


def test_a_fault_during_recovery_joins_the_incident() -> None:
    """A hang during reschedule stalls the next collective; the decision on it starts the plan anew."""
    incident = Past(strike(3600.0, "crash", 5), strike(3700.0, "hang", 6)).until(DAY).incident(1)

    assert ["detect", "decide", "reschedule", "stall", "decide", "reschedule"] == [
        stage.name for stage in incident.stages[:6]
    ]
    assert [5, 6] == [decision.node for decision in incident.decisions]
    assert [Layer.HEARTBEAT, Layer.WATCHDOG] == [fault.detected_by for fault in incident.faults]


def test_a_cut_stage_says_so() -> None:
    """A second crash that is noticed during compile ends that stage early, and no other."""
    incident = (
        Past(strike(3600.0, "crash", 5, logged=True), strike(3800.0, "crash", 6, logged=True))
        .until(DAY)
        .incident(1)
    )

    assert ["compile"] == [stage.name for stage in incident.stages if stage.cut]


def test_a_wait_for_capacity_is_a_stretch_of_its_own() -> None:
    """Two replicas are needed and a node is evicted without a spare: the job waits for the repair."""
    first, second = strike(3600.0, "crash", transient=True), strike(7200.0, "crash", transient=True)
    incident = Past(first, second, spares=0, min_replicas=2).until(3 * DAY).incident(2)
    (wait,) = [stage for stage in incident.stages if stage.name == "wait"]

    assert (Bucket.WAITING_FOR_CAPACITY, None) == (wait.bucket, wait.settings_seconds)
    assert pytest.approx(DAY) == wait.seconds
    assert [Action.EVICT, Action.WAIT_FOR_CAPACITY] == [decision.action for decision in incident.decisions]


def test_an_eviction_names_the_spare() -> None:
    """The second strike evicts; the spare with the lowest number takes the slot, repair takes a day."""
    incident = Past(strike(3600.0, "crash"), strike(7200.0, "crash")).until(DAY).incident(2)
    (decision,) = incident.decisions

    assert (Action.EVICT, Reason.SECOND_STRIKE, 2, 16, DAY) == (
        decision.action, decision.reason, decision.strikes, decision.replacement, decision.repair_seconds,
    )  # fmt: skip


def test_a_planned_stop_is_an_incident_without_a_cause() -> None:
    """Taking repaired nodes back stops the job at a checkpoint: no fault, no decision, no lost step."""
    first, second = strike(3600.0, "crash"), strike(7200.0, "crash")
    incident = Past(first, second, spares=0, rejoin="checkpoint").until(3 * DAY).incident(3)

    assert (Component.PLANNED, Layer.PLANNED, None, (), 0) == (
        incident.component, incident.layer, incident.node, incident.decisions, incident.lost_steps,
    )  # fmt: skip
    assert "reschedule" == incident.stages[0].name
    assert pytest.approx(incident.stopped_seconds) == sum(stage.seconds for stage in incident.stages)


def test_a_stop_for_maintenance_names_who_was_given_up() -> None:
    """The nodes that the job lost at this stop, in the incident and in its conclusion."""
    past = Past("[cluster.maintenance]\nper_day = 1.0\n").until(10 * DAY)
    given_up = [fact.node for fact in past.facts["default"] if isinstance(fact, NodeDrained)]
    incidents = [past.incident(number + 1) for number in range(len(given_up))]

    assert len(given_up) > 3
    assert [(node,) for node in given_up] == [incident.drained for incident in incidents]
    assert f"to give up node {given_up[0]} for maintenance." in past.post_mortem(1).concluded


def test_a_slow_rank_stops_the_job_when_it_is_found() -> None:
    """The incident begins with the fault, the stop with the detection: nothing stalls before it."""
    incident = Past(strike(4000.0, "slow")).until(DAY).incident(1)

    assert (4000.0, "decide") == (incident.began_at, incident.stages[0].name)
    assert incident.stopped_at == incident.faults[0].detected_at


def test_a_tolerated_rank_opens_no_incident() -> None:
    """Its detection and decision are told with the next incident, whose restart cures it."""
    incident = (
        Past(strike(4000.0, "slow", 1), strike(9000.0, "crash", 2), on_slow="tolerate").until(DAY).incident(1)
    )

    assert [FaultOutcome.TOLERATED, FaultOutcome.DETECTED] == [fault.outcome for fault in incident.faults]
    assert [(Action.TOLERATE, 1, None), (Action.RESTART, 2, 1)] == [
        (decision.action, decision.node, decision.incident) for decision in incident.decisions
    ]
    assert 2 == incident.node


def test_a_fault_that_nobody_saw_is_masked_by_the_restart() -> None:
    """A rank that becomes slow while the job is stopped shows nothing, and the restart cures it unseen."""
    incident = Past(strike(3600.0, "crash", 5), strike(3650.0, "slow", 6)).until(DAY).incident(1)

    assert [FaultOutcome.DETECTED, FaultOutcome.MASKED] == [fault.outcome for fault in incident.faults]


def test_benign_faults_are_told_as_such() -> None:
    """A corrected error before the crash is part of the record and of nothing else."""
    incident = Past(strike(3000.0, "benign", 5), strike(3600.0, "crash", 6)).until(DAY).incident(1)

    assert [FaultOutcome.BENIGN, FaultOutcome.DETECTED] == [fault.outcome for fault in incident.faults]
    assert 6 == incident.node


def found_late() -> Past:
    """The crash is the first incident, the corrupt state the second."""
    return Past(*FOUND_LATE, **VALIDATION).until(DAY)


def test_corrupt_state_is_told_where_it_is_found() -> None:
    """The fault struck before the last resume; its record says what it was, and which checkpoint held it."""
    past = found_late()
    crash, corrupt = past.all()
    (fault,) = corrupt.faults

    assert [("flip", FaultOutcome.UNDETECTED), ("crash", FaultOutcome.DETECTED)] == [
        (each.kind, each.outcome) for each in crash.faults
    ]
    assert (4100.0, "flip", 3, Layer.VALIDATION, 390) == (
        fault.at, fault.kind, fault.node, fault.detected_by, fault.baked_step,
    )  # fmt: skip
    assert (4100.0, Component.MEMORY, None) == (corrupt.began_at, corrupt.component, corrupt.node)


def test_what_is_forgotten_of_a_corruption_is_told_as_unknown() -> None:
    """Where only the facts since the crash are kept, the detection is all that is known."""
    past = found_late()
    facts = past.facts["default"]
    first, second = (place for place, fact in enumerate(facts) if isinstance(fact, TrainingResumed))
    corrupt = fold(past.chronicle().premises, facts[first + 1 : second + 1], past.now, {})
    assert corrupt is not None

    assert [("flip", Component.UNKNOWN, None, 4100.0)] == [
        (fault.kind, fault.component, fault.node, pytest.approx(fault.at)) for fault in corrupt.faults
    ]


def test_a_reset_of_the_device_is_a_stage_and_says_what_it_cured() -> None:
    """The restart begins with it, in the bucket of restarts, and the permanent fault does not come back."""
    always = "[cluster.repair]\nhot_reset_probability = 1.0\n"
    (incident,) = Past(strike(3600.0, "crash", transient=False, logged=True), always).until(DAY).all()
    (reset,) = [stage for stage in incident.stages if stage.name == "hot_reset"]

    assert (Bucket.RESTART, 150.0, 150.0) == (reset.bucket, reset.seconds, reset.settings_seconds)
    assert [(incident.faults[0].id,)] == [decision.cured for decision in incident.decisions]


def test_verifications_are_told() -> None:
    """When every restore is wrong nine times in ten, records hold jumps and the restores after them."""
    past = Past(*(strike(DAY * n, "bug", None) for n in range(1, 6)), wrong_restore_probability=0.9).until(
        9 * DAY
    )
    outcomes = [[check.outcome for check in incident.verifications] for incident in past.all()]

    assert any(VerificationOutcome.JUMP in each for each in outcomes)
    assert all(each[-1] in {VerificationOutcome.CONTINUOUS, VerificationOutcome.MISSED} for each in outcomes)


def test_an_open_incident_is_told_as_far_as_it_has_come() -> None:
    """Ten seconds into the decision the incident has no end, and the rest of its time is in progress."""
    incident = Past(strike(3600.0, "crash", logged=True)).until(3612.0).incident(1)

    assert (True, None, 12.0) == (incident.is_open, incident.resumed_at, incident.stopped_seconds)
    assert [("detect", 2.0), ("in_progress", 10.0)] == [(s.name, s.seconds) for s in incident.stages]


def test_before_a_detection_there_is_no_incident() -> None:
    """A crash that nobody has noticed yet is a fault, not an incident."""
    past = Past(strike(3600.0, "crash")).until(3610.0)

    assert [] == past.all()
    assert ["crash"] == [fault.kind for fault in past.chronicle().unsettled(3610.0)]
