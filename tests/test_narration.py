"""Narration: what facts come to in words."""

import json
from typing import get_args

import pytest

from goodputd.narration import (
    Narrator,
    day_and_time,
    duration,
    event_fields,
    event_name,
    is_warning,
    simulated_time,
)
from goodputd.sim.events import (
    CapacityAwaited,
    CorruptionBaked,
    DecisionMade,
    DetectionRaised,
    DeviceReset,
    Fact,
    FalseAlarmRaised,
    FaultMasked,
    FaultOccurred,
    JobResized,
    NodeDrained,
    NodeEvicted,
    NodePreempted,
    NodeRetired,
    NodeReturned,
    RestoreVerified,
    StageFinished,
    TargetReached,
    TrainingResumed,
    WorkVoided,
)
from goodputd.sim.taxonomy import (
    Action,
    Component,
    Layer,
    Origin,
    Reason,
    StageName,
    Symptom,
    VerificationOutcome,
)

AT = 3 * 86400.0 + 4 * 3600.0 + 12 * 60.0
FACTS: list[Fact] = [
    FaultOccurred(AT, "f", "faulty_gpu", Component.GPU, Symptom.CRASH, Origin.PRIMARY, 817, transient=True),
    DetectionRaised(AT, "f", "faulty_gpu", Layer.HARDWARE, 817, 2.0, 1, ((AT, 1, Layer.HARDWARE),)),
    FalseAlarmRaised(AT, Layer.HEARTBEAT, 12, 1),
    FaultMasked(AT, "f", "faulty_gpu", 817),
    DecisionMade(AT, 1, Action.RESTART, Reason.FIRST_STRIKE, 817, 1),
    NodeEvicted(AT, 817, 2050, 86400.0),
    NodeReturned(AT, 817),
    JobResized(AT, 15, 960, 1024),
    CapacityAwaited(AT, 1, 7, 8),
    StageFinished(AT, 1, StageName.RESTORE, 180.0, cut=False),
    RestoreVerified(AT, 1, VerificationOutcome.CONTINUOUS, 0.001, 500),
    TrainingResumed(AT, 1, Component.GPU, Layer.HARDWARE, Action.RESTART, 817, 500, 62, 0, 341.0, 1024),
    TargetReached(AT, 1000),
    CorruptionBaked(AT, "f", "silent_corruption", 12, 400),
    WorkVoided(AT, 800, 40, 160),
    DeviceReset(AT, 1, 817, ("f",)),
    NodeRetired(AT, 817),
    NodePreempted(AT, 2052),
    NodeDrained(AT, 5, 2051, 7200.0),
]
"""One of each kind."""


def fault(
    node: int | None = 817,
    *,
    identity: str = "f",
    kind: str = "faulty_gpu",
    component: Component = Component.GPU,
    symptom: Symptom = Symptom.CRASH,
) -> FaultOccurred:
    """A fault at the instant of the tests."""
    return FaultOccurred(AT, identity, kind, component, symptom, Origin.PRIMARY, node, transient=True)


def detection(
    node: int | None = 817,
    *,
    identity: str = "f",
    layer: Layer = Layer.HARDWARE,
    seconds: float = 2.0,
    incident: int | None = 1,
) -> DetectionRaised:
    """The detection of that fault."""
    return DetectionRaised(AT + seconds, identity, "faulty_gpu", layer, node, seconds, incident, ())


def decision(
    action: Action = Action.RESTART, reason: Reason = Reason.FIRST_STRIKE, node: int | None = 817
) -> DecisionMade:
    """The decision on it."""
    return DecisionMade(AT + 30.0, 1, action, reason, node, 1)


def resumed(
    *, component: Component = Component.GPU, seconds: float = 341.0, lost: int = 62, retracted: int = 0
) -> TrainingResumed:
    """Training goes on."""
    return TrainingResumed(
        AT + 341.0, 1, component, Layer.HARDWARE, Action.RESTART, 817, 500, lost, retracted, seconds, 1024
    )


def told(*facts: Fact) -> list[str]:
    """The lines that a narrator makes of the facts."""
    return [story.text() for story in Narrator().feed(facts)]


def test_an_incident_is_one_line() -> None:
    """Fault, layer and seconds, decision, time to training and lost steps make one line."""
    lines = told(fault(), detection(), decision(), resumed())

    expected = (
        "node 817 faulty_gpu (gpu crash) -> hardware in 2 s -> restart (first strike)"
        " -> training again in 5 min 41 s, 62 steps lost"
    )
    assert [expected] == lines


def test_the_line_comes_when_training_goes_on() -> None:
    """Until the incident is closed there is nothing to say."""
    narrator = Narrator()
    before = narrator.feed([fault(), detection(), decision()])

    assert (0, 1) == (len(before), len(narrator.feed([resumed()])))


def test_an_incident_is_dated_by_its_fault() -> None:
    """The line tells when the fault struck, not when training went on."""
    (story,) = Narrator().feed([fault(), detection(seconds=600.0), decision(), resumed()])

    assert AT == story.at


def test_a_software_fault_is_of_the_job() -> None:
    """A fault without a node is told as one of the job."""
    software = fault(None, kind="software_bug", component=Component.SOFTWARE)
    (line,) = told(software, detection(None, layer=Layer.HEARTBEAT, seconds=29.5), decision(), resumed())

    assert line.startswith("job software_bug (software crash) -> heartbeat in 30 s -> ")


def test_a_person_may_be_the_one_who_notices() -> None:
    """The layer none is told as a person."""
    (line,) = told(fault(), detection(layer=Layer.NONE, seconds=14400.0), decision(), resumed())

    assert " -> a person in 4 h -> " in line


@pytest.mark.parametrize(("replacement", "heir"), [(2050, "node 2050 takes over"), (None, "no spare")])
def test_an_eviction_tells_who_takes_over(replacement: int | None, heir: str) -> None:
    """The line names the replacement, or says that there was none."""
    evicted = NodeEvicted(AT + 30.0, 817, replacement, 86400.0)
    (line,) = told(fault(), detection(), decision(Action.EVICT, Reason.SECOND_STRIKE), evicted, resumed())

    assert f" -> evict (second strike), {heir} -> training" in line


def test_two_evictions_name_their_nodes() -> None:
    """When an incident evicts two nodes each is named."""
    evictions = [NodeEvicted(AT, 817, 2050, 1.0), NodeEvicted(AT, 9, None, 1.0)]
    (line,) = told(fault(), detection(), decision(Action.EVICT, Reason.SECOND_STRIKE), *evictions, resumed())

    assert "evict (second strike), node 817: node 2050 takes over, node 9: no spare -> " in line


def test_a_false_alarm_is_told_as_one() -> None:
    """Nothing broke: the line says so, and who cried."""
    alarm = FalseAlarmRaised(AT, Layer.HEARTBEAT, 12, 1)
    (line,) = told(alarm, decision(), resumed())

    assert line.startswith("node 12 false alarm -> heartbeat -> restart (first strike) -> training again")


def test_faults_during_recovery_are_counted() -> None:
    """Faults that join an open incident are a number in its line."""
    more: list[Fact] = [
        fault(5, identity="g"),
        detection(5, identity="g"),
        FalseAlarmRaised(AT, Layer.HEARTBEAT, 3, 1),
    ]
    (line,) = told(fault(), detection(), *more, decision(), resumed())

    assert " -> 2 more faults during recovery -> " in line


def test_a_second_restore_is_told() -> None:
    """A loss jump that led to another restore is in the line, and so are retracted steps."""
    jump = RestoreVerified(AT, 1, VerificationOutcome.JUMP, 0.05, 500)
    (line,) = told(fault(), detection(), decision(), jump, resumed(lost=1, retracted=80))

    assert line.endswith(
        "-> loss jump, restored again -> training again in 5 min 41 s, 1 step lost and 80 retracted"
    )


def test_a_planned_stop_is_told_as_one() -> None:
    """A stop that takes nodes back has no fault and no decision, and lasts from its first stage."""
    first_stage = StageFinished(AT + 43.0, 1, StageName.RESCHEDULE, 43.0, cut=False)
    (story,) = Narrator().feed([first_stage, resumed(component=Component.PLANNED, seconds=0.0, lost=0)])

    assert AT == story.at
    assert "planned stop to take nodes back -> training again in 5 min 41 s, 0 steps lost" == story.text()


def test_planned_maintenance_tells_who_is_given_up() -> None:
    """A stop for maintenance names the node and who takes over."""
    drained = NodeDrained(AT, 5, 2051, 7200.0)
    (line,) = told(drained, resumed(component=Component.PLANNED, seconds=0.0, lost=0))

    assert line.startswith(
        "planned stop for maintenance -> node 5 given up: node 2051 takes over -> training"
    )


def test_maintenance_may_wait_for_any_stop() -> None:
    """A node that is given up while the job is restarted anyway is told beside the decision."""
    (line,) = told(fault(), detection(), decision(), NodeDrained(AT, 5, None, 7200.0), resumed())

    assert " -> restart (first strike) -> node 5 given up: no spare -> training again" in line


def test_a_job_that_shrinks_and_grows_says_so() -> None:
    """A change of size is a line of its own, at once."""
    lines = told(JobResized(AT, 15, 960, 1024), JobResized(AT, 16, 1024, 1024))

    assert ["the job shrinks to 960 of 1,024 GPUs", "the job grows to 1,024 of 1,024 GPUs"] == lines


def test_a_job_that_waits_says_so() -> None:
    """Waiting for capacity is told at once, with what is missing, and the decision before stays."""
    waiting = [DecisionMade(AT, 1, Action.WAIT_FOR_CAPACITY, Reason.NO_CAPACITY, 817, 0), FACTS[8]]
    lines = told(fault(), detection(), decision(Action.EVICT, Reason.SECOND_STRIKE), *waiting, resumed())

    assert "waits for capacity: 7 healthy nodes, 8 needed" == lines[0]
    assert " -> evict (second strike) -> " in lines[1]


def test_a_tolerated_slow_rank_is_told() -> None:
    """A slow rank that the policy lets be is a line without a recovery."""
    slow = fault(5, kind="slow_nic", component=Component.NIC, symptom=Symptom.SLOW)
    tolerate = DecisionMade(AT, None, Action.TOLERATE, Reason.SLOW_TOLERATED, 5, 1)
    lines = told(slow, tolerate, detection(5, layer=Layer.GRADIENT, seconds=59.0, incident=None))

    assert ["node 5 slow_nic (nic slow) -> gradient in 59 s -> tolerated"] == lines


def test_the_next_incident_starts_afresh() -> None:
    """Nothing of a closed incident is told in the next."""
    evicted = NodeEvicted(AT, 817, 2050, 86400.0)
    first = (fault(), detection(), decision(Action.EVICT, Reason.SECOND_STRIKE), evicted, resumed())
    second = (fault(4, identity="g"), detection(4, identity="g"), decision(), resumed())

    assert told(*second) == told(*first, *second)[1:]


@pytest.mark.parametrize("symptom", [Symptom.BENIGN, Symptom.SLOW])
def test_faults_that_nobody_detects_are_forgotten(symptom: Symptom) -> None:
    """A benign fault, and one that a restart masks, leave nothing behind in the narrator."""
    narrator = Narrator()
    narrator.feed([fault(symptom=symptom), FaultMasked(AT, "f", "faulty_gpu", 817)])
    (story,) = narrator.feed([detection(), decision(), resumed()])

    assert story.text().startswith("node 817 -> hardware in 2 s")


def test_nodes_that_come_and_go_for_good_are_told() -> None:
    """A node that leaves the fleet and one that other work gave up are lines of their own, at once."""
    assert [
        "node 817 leaves the fleet for good",
        "other work gives up node 2052 for the job",
    ] == told(NodeRetired(AT, 817), NodePreempted(AT, 2052))


def test_a_completed_job_says_so() -> None:
    """Reaching the target step is a line."""
    assert ["step 1,000 reached, the job is completed"] == told(TargetReached(AT, 1000))


@pytest.mark.parametrize("fact", FACTS, ids=event_name)
def test_every_fact_becomes_an_event(fact: Fact) -> None:
    """An event has the instant as number and text, and every field of its fact as plain JSON."""
    fields = json.loads(json.dumps(event_fields(fact, 0.0)))

    own = {name: getattr(fact, name) for name in fact.__slots__}
    if isinstance(fact, DetectionRaised):
        own["claims"] = {"hardware": AT}
    if isinstance(fact, DeviceReset):
        own["cured"] = ["f"]
    assert {**own, "simulated_time": "1970-01-04T04:12:00.000Z"} == fields


def test_every_kind_of_fact_is_tried() -> None:
    """The list above has one of each."""
    assert set(get_args(Fact)) == {type(fact) for fact in FACTS}


def test_event_names_are_the_facts_names() -> None:
    """A log calls a fact by its class, in lower case with underscores."""
    assert ("fault_occurred", "training_resumed") == (event_name(FACTS[0]), event_name(FACTS[11]))


def test_what_somebody_should_look_at_is_a_warning() -> None:
    """A job that waits for capacity, corrupt state and a loss that jumped are warnings, nothing else is."""
    jumps = [RestoreVerified(AT, 1, outcome, 0.05, 500) for outcome in VerificationOutcome]
    warnings = [fact for fact in [*FACTS, *jumps] if is_warning(fact)]

    assert [FACTS[8], FACTS[13], FACTS[14], jumps[1], jumps[2]] == warnings


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (0.25, "0.2 s"),
        (2.0, "2 s"),
        (29.6, "30 s"),
        (59.6, "1 min"),
        (341.0, "5 min 41 s"),
        (600.0, "10 min"),
        (3599.6, "1 h"),
        (9000.0, "2 h 30 min"),
        (86400.0, "1 d"),
        (437_400.0, "5 d 2 h"),
    ],
)
def test_durations_use_two_units(seconds: float, text: str) -> None:
    """The coarsest unit that fits and the next finer one, when it is not 0."""
    assert text == duration(seconds)


@pytest.mark.parametrize(
    ("at", "text"), [(0.0, "day 0 00:00"), (AT + 59.9, "day 3 04:12"), (1e8, "day 1,157 09:46")]
)
def test_an_instant_is_a_day_and_a_time(at: float, text: str) -> None:
    """Days are counted from 0, and the time is the time of that day."""
    assert text == day_and_time(at)


def test_simulated_time_is_iso() -> None:
    """Simulated instants are written in ISO 8601 with milliseconds, in UTC."""
    assert "2026-01-01T00:00:00.500Z" == simulated_time(1_767_225_600.5)


def test_there_is_no_iso_time_after_the_year_9999() -> None:
    """A daemon that has played eight thousand years goes on without a calendar."""
    assert None is simulated_time(300_000_000_000.0)


@pytest.mark.parametrize(
    ("fact", "remark"),
    [
        (
            CorruptionBaked(AT, "f", "silent_corruption", 12, 4000),
            "node 12 silent_corruption is baked into the checkpoint of step 4,000",
        ),
        (
            WorkVoided(AT, 8000, 40, 1160),
            "the job ended on corrupt state: 1,200 steps after step 8,000 void",
        ),
    ],
)
def test_corrupt_state_is_told_as_a_warning(fact: Fact, remark: str) -> None:
    """At once, since no incident need follow."""
    [story] = Narrator().feed([fact])

    assert (AT, remark, True) == (story.at, story.text(), story.is_warning)
    assert is_warning(fact)
