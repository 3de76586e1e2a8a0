"""What is kept, what is forgotten, and how it is found again."""

import random
from itertools import islice

import pytest

from goodputd.history.keeping import FACTS_KEPT, LONGEST, Chronicle, History
from goodputd.history.premises import premises_of
from goodputd.sim.events import NodeDrained, NodeReturned, TargetReached, TrainingResumed
from goodputd.sim.taxonomy import Layer
from tests.history.past import BUSY, DAY, FOUND_LATE, VALIDATION, Past, strike, waiting

TWO = ('name = "naive"\ndetection.layers = ["watchdog"]', 'name = "default"')


@pytest.fixture(scope="module")
def past() -> Past:
    """Two scenarios on the same faults after 60 busy days."""
    return Past(scenarios=TWO, **BUSY).until(60 * DAY)


def test_pieces_make_no_difference(past: Past) -> None:
    """Facts that were taken in 500 pieces give the records of facts that were taken at once."""
    cuts = sorted(random.Random("cuts").sample(range(1, int(60 * DAY)), 500))  # noqa: S311 - no secret
    pieces = Past(scenarios=TWO, **BUSY)
    for cut in cuts:
        pieces.until(float(cut))
        pieces.chronicle().has(1)
    pieces.until(60 * DAY)

    assert past.all() == pieces.all()


def test_incidents_are_found_by_number(past: Past) -> None:
    """The number of a record leads back to it, for every incident."""
    assert past.all() == [past.incident(incident.number) for incident in past.all()]


def test_numbers_have_no_gap(past: Past) -> None:
    """Nothing is left out: the numbers count from 1."""
    numbers = [incident.number for incident in past.all()]

    assert list(range(1, len(numbers) + 1)) == numbers


def test_a_long_incident_keeps_its_beginning_and_its_newest_facts() -> None:
    """A job that waits through more faults than memory holds has one open incident, from its start to now."""
    past = waiting(1100).until(3 * DAY)
    incident = past.incident(2)
    told = [fault.at for fault in incident.faults]

    assert len(past.facts["default"]) > FACTS_KEPT
    assert (2, True, 7200.0) == (past.all()[-1].number, incident.is_open, incident.stopped_at)
    assert (7200.0, past.facts["default"][-1].at) == (told[0], incident.decisions[-1].at)
    assert len(past.chronicle()) <= 2 * LONGEST + 20
    assert pytest.approx(incident.stopped_seconds) == sum(stage.seconds for stage in incident.stages)


def test_what_is_left_out_of_a_long_incident_is_counted() -> None:
    """The facts of its record and those that were left out are all there were."""
    past = waiting(1100).until(3 * DAY)
    incident = past.incident(2)
    opened = next(
        place for place, fact in enumerate(past.facts["default"]) if isinstance(fact, TrainingResumed)
    )

    assert len(past.facts["default"]) - opened - 1 == incident.facts_left_out + LONGEST
    assert 1 == sum(stage.name == "left_out" for stage in incident.stages)


def test_a_long_incident_does_not_vanish_when_it_is_closed() -> None:
    """Closed at last, it is there with its beginning and its end, and so are those before and after it."""
    past = waiting(1100, repair_hours=100).until(6 * DAY)
    first, long, *_ = past.all()

    assert (1, 2, False) == (first.number, long.number, long.is_open)
    assert (7200.0, True) == (long.stopped_at, long.facts_left_out > 3000)
    assert pytest.approx(long.stopped_seconds) == sum(stage.seconds for stage in long.stages)


def test_pieces_make_no_difference_to_a_long_incident() -> None:
    """Taken fact by fact or at once, a closed record has the same beginning and the same end."""
    at_once = waiting(300, repair_hours=30).until(6 * DAY)
    piece_by_piece = Chronicle(at_once.chronicle().premises)
    for fact in at_once.facts["default"]:
        piece_by_piece.take([fact])
    one, other = at_once.incident(2), piece_by_piece.incident(2, at_once.now)
    assert other is not None

    assert one.facts_left_out == other.facts_left_out > 500
    assert (one.stopped_at, one.resumed_at, one.faults[0]) == (
        other.stopped_at, other.resumed_at, other.faults[0],
    )  # fmt: skip


def test_what_is_left_out_is_not_said_to_be_nothing() -> None:
    """The middle of a long incident is not kept, its beginning and its end are."""
    past = waiting(1100).until(3 * DAY)
    gap = next(stage for stage in past.incident(2).stages if stage.name == "left_out")
    chronicle = past.chronicle()

    assert [True, False, True] == [
        chronicle.keeps(at) for at in (7200.0, gap.begins_at + gap.seconds / 2, past.now)
    ]


@pytest.mark.parametrize("number", [0, -1, 10_000])
def test_what_has_not_been_is_not_found(past: Past, number: int) -> None:
    """There is no such incident."""
    chronicle = past.chronicle()

    assert (None, False) == (chronicle.incident(number, past.now), chronicle.has(number))


def test_the_past_can_be_seen_as_of_then(past: Past) -> None:
    """Until the instant of an older page there are the incidents of that page, as they stood."""
    earlier = Past(scenarios=TWO, **BUSY).until(20 * DAY)

    assert earlier.all()[::-1] == list(past.chronicle().newest_first(20 * DAY))


def test_pages_hold_every_incident_once(past: Past) -> None:
    """Seven at a time, each page from the number before the last one's on, they add up to the whole."""
    number, found = past.all()[-1].number, []
    while page := list(islice(past.chronicle().newest_first(past.now, number), 7)):
        found += page
        number = page[-1].number - 1

    assert past.all()[::-1] == found


@pytest.mark.parametrize(("until", "number"), [(3612.0, 1), (DAY, 1), (DAY, 0)])
def test_a_page_may_begin_anywhere(until: float, number: int) -> None:
    """From an open incident's number on, from a closed one's, and from 0 on, where there is none."""
    past = Past(strike(3600.0, "crash", logged=True)).until(until)

    assert list(range(number, 0, -1)) == [
        incident.number for incident in past.chronicle().newest_first(past.now, number)
    ]


def test_only_the_newest_are_kept(past: Past) -> None:
    """With room for 300 facts the records are the newest of an unbounded memory, and none is partial."""
    small = Chronicle(past.chronicle().premises, facts_kept=300)
    for fact in past.facts["default"]:
        small.take([fact])
    kept = list(small.newest_first(past.now))

    assert 10 < len(kept) < 60
    assert past.all()[::-1][: len(kept)] == kept
    assert kept[-1].number == small.first_number


def test_what_is_kept_says_since_when(past: Past) -> None:
    """Everything after the resume that came before the oldest kept incident is kept."""
    small = Chronicle(past.chronicle().premises, facts_kept=300)
    small.take(past.facts["default"])
    first = small.first_number
    assert first is not None

    assert past.incident(first - 1).resumed_at == small.since
    assert 0.0 == past.chronicle().since


def test_memory_does_not_grow_with_time() -> None:
    """After 1,500 busy days the facts that are held are as many as are to be kept."""
    busy = Past(**BUSY).until(1500 * DAY)
    held = list(busy.chronicle().newest_first(busy.now))

    assert len(busy.facts["default"]) > 2 * FACTS_KEPT
    assert 300 < len(held) < 900


def test_many_scenarios_share_the_memory(past: Past) -> None:
    """Of 64 scenarios less is kept of each, so that all of them need hardly more than four."""
    many = Past(scenarios=[f'name = "s{number}"' for number in range(64)])
    history = History(many.settings.scenarios)
    for name in (scenario.name for scenario in many.settings.scenarios):
        history.facts(name, past.facts["default"] * 10)
        history.facts(name, [TargetReached(past.now, 1)] * 10_000)
    held = {len(chronicle) for chronicle in history.chronicles}

    assert len(past.facts["default"]) > 500
    assert held <= set(range(500, 501 + 500 // 4 + 1))


def test_a_fault_is_found_in_every_scenario(past: Past) -> None:
    """The first fault struck both scenarios at the same instant and opened an incident in each."""
    fault = past.incident(1).faults[0]
    strikes = {
        each.premises.name: each.strikes(fault.id, past.now, near=fault.at, most=1)[0][0]
        for each in past.history.chronicles
    }

    assert 1 == len({strike.fault.at for strike in strikes.values()})
    assert all(strike.incident is not None for strike in strikes.values())


def test_the_strikes_next_to_an_instant_are_told() -> None:
    """Of a fault that comes back for ever a few strikes are told, around the one that is asked about."""
    never = ('name = "default"\npolicy.strikes.strikes_to_evict = 0',)
    past = Past(strike(3600.0, "crash", transient=False), scenarios=never).until(10 * DAY)
    struck_at = [incident.faults[0].at for incident in past.all()]
    fault = past.incident(20).faults[0]
    found, more = past.chronicle().strikes(fault.id, past.now, near=fault.at, most=5)
    nearest = sorted(struck_at, key=lambda at: abs(at - fault.at))[:5]

    assert sorted(nearest) == [each.fault.at for each in found]
    assert len(struck_at) - 5 == more > 50


def test_a_permanent_fault_stands_until_its_node_leaves() -> None:
    """After the restart the node carries it, after the eviction it does not; other nodes never did."""
    past = Past(strike(3600.0, "crash", transient=False)).until(3 * DAY)
    chronicle, evicted = past.chronicle(), past.incident(2)
    carried = chronicle.standing_faults({0, 1}, evicted.began_at)

    assert {0: ["crash"], 1: []} == {node: [each.kind for each in faults] for node, faults in carried.items()}
    assert {0: []} == chronicle.standing_faults({0}, past.now)


def test_a_repair_in_vain_brings_the_fault_back() -> None:
    """The node stands in repair with it, and carries it again when it is back."""
    vain = """
[policy]
name = "always_evict"
[cluster.repair]
stages = "automatic_then_manual"
automatic_failure_probability = 1.0
manual_failure_probability = 1.0
"""
    past = Past(strike(3600.0, "crash", transient=False), vain).until(20 * DAY)
    (back, *_) = [fact.at for fact in past.facts["default"] if isinstance(fact, NodeReturned)]
    chronicle = past.chronicle()

    assert {0: []} == chronicle.standing_faults({0}, back)
    assert ["crash"] == [fault.kind for fault in chronicle.standing_faults({0}, back + 1.0)[0]]


def test_maintenance_cures_nothing() -> None:
    """A node that was drained carries no fault while it is away, and the same one when it is back."""
    drained = '[policy]\nname = "always_restart"\n[cluster.maintenance]\nper_day = 5.0\nhours = 2.0\n'
    past = Past(strike(3600.0, "crash", transient=False), drained).until(20 * DAY)
    facts = past.facts["default"]
    left = next(fact.at for fact in facts if isinstance(fact, NodeDrained) and fact.node == 0)
    back = next(f.at for f in facts if isinstance(f, NodeReturned) and f.node == 0 and f.at > left)
    chronicle = past.chronicle()

    assert {0: []} == chronicle.standing_faults({0}, back)
    assert {"crash"} == {fault.kind for fault in chronicle.standing_faults({0}, back + 1.0)[0]}


def test_a_fault_that_a_reset_cured_stands_no_more() -> None:
    """The device was reset in place: the node stays, and carries nothing."""
    always = "[cluster.repair]\nhot_reset_probability = 1.0\n"
    past = Past(strike(3600.0, "crash", transient=False), always).until(DAY)

    assert {0: []} == past.chronicle().standing_faults({0}, past.now)


def test_a_strike_that_is_found_late_belongs_to_that_incident() -> None:
    """Corrupted, restarted for another reason, found by a validation: it is of the second incident."""
    past = Past(*FOUND_LATE, **VALIDATION).until(DAY)
    fault = past.incident(2).faults[0]
    (strike_of_it,), _ = past.chronicle().strikes(fault.id, past.now, near=fault.at, most=1)
    assert strike_of_it.incident is not None

    assert (2, Layer.VALIDATION) == (strike_of_it.incident.number, strike_of_it.fault.detected_by)


def test_decisions_come_newest_first(past: Past) -> None:
    """All decisions of all incidents, in falling order of time."""
    instants = [decision.at for decision in past.chronicle().decisions(past.now)]

    assert sorted(instants, reverse=True) == instants
    assert sum(len(incident.decisions) for incident in past.all()) == len(instants)


def test_an_unknown_scenario_has_no_chronicle(past: Past) -> None:
    """Asked for a name that is not played, there is nothing."""
    assert past.history.of("other") is None


def test_the_yardstick_is_the_settings() -> None:
    """Stages, layers and events are those of the scenario's own tables."""
    premises = premises_of(Past(layers='"watchdog"').settings.scenarios[0])

    assert (600.0, 30.0, "XID 79", None) == (
        premises.stage_seconds["detect"], premises.stage_seconds["decide"], premises.events["crash"],
        premises.events["hang"],
    )  # fmt: skip
    assert 180.0 == premises.restore_seconds(64, resharded=True)
