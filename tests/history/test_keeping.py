"""What is kept, what is forgotten, and how it is found again."""

import random

import pytest

from goodputd.history.keeping import FACTS_KEPT, Chronicle, History
from goodputd.history.premises import premises_of
from goodputd.sim.events import NodeDrained, NodeReturned, TargetReached
from goodputd.sim.taxonomy import Layer
from tests.history.past import BUSY, DAY, FOUND_LATE, VALIDATION, Past, strike

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
    """Seven at a time, each asked for before the last one's stop, the pages add up to the whole."""
    before, found = float("inf"), []
    while page := [
        incident
        for _, incident in zip(range(7), past.chronicle().newest_first(past.now, before), strict=False)
    ]:
        found += page
        before = page[-1].stopped_at

    assert past.all()[::-1] == found


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


def test_many_scenarios_share_the_memory() -> None:
    """Of 64 scenarios less is kept of each, so that all of them need no more than four."""
    names = [f'name = "s{number}"' for number in range(64)]
    many = Past(scenarios=names)
    fact = TargetReached(0.0, 1)
    history = History(many.settings.scenarios)
    for name in (scenario.name for scenario in many.settings.scenarios):
        history.facts(name, [fact] * 10_000)

    assert {500} == {len(chronicle._facts) for chronicle in history.chronicles}  # noqa: SLF001 - its size


def test_a_fault_is_found_in_every_scenario(past: Past) -> None:
    """The first fault struck both scenarios at the same instant and opened an incident in each."""
    fault = past.incident(1).faults[0].id
    strikes = {each.premises.name: each.strikes(fault, past.now)[0] for each in past.history.chronicles}

    assert 1 == len({strike.fault.at for strike in strikes.values()})
    assert all(strike.incident is not None for strike in strikes.values())


def test_a_permanent_fault_stands_until_its_node_leaves() -> None:
    """After the restart the node carries it, after the eviction it does not."""
    past = Past(strike(3600.0, "crash", transient=False)).until(3 * DAY)
    chronicle, evicted = past.chronicle(), past.incident(2)

    assert ["crash"] == [fault.kind for fault in chronicle.standing_faults(0, evicted.began_at)]
    assert [] == chronicle.standing_faults(0, past.now)


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

    assert [] == chronicle.standing_faults(0, back)
    assert ["crash"] == [fault.kind for fault in chronicle.standing_faults(0, back + 1.0)]


def test_maintenance_cures_nothing() -> None:
    """A node that was drained carries no fault while it is away, and the same one when it is back."""
    drained = '[policy]\nname = "always_restart"\n[cluster.maintenance]\nper_day = 5.0\nhours = 2.0\n'
    past = Past(strike(3600.0, "crash", transient=False), drained).until(20 * DAY)
    facts = past.facts["default"]
    left = next(fact.at for fact in facts if isinstance(fact, NodeDrained) and fact.node == 0)
    back = next(f.at for f in facts if isinstance(f, NodeReturned) and f.node == 0 and f.at > left)
    chronicle = past.chronicle()

    assert [] == chronicle.standing_faults(0, back)
    assert {"crash"} == {fault.kind for fault in chronicle.standing_faults(0, back + 1.0)}


def test_a_fault_that_a_reset_cured_stands_no_more() -> None:
    """The device was reset in place: the node stays, and carries nothing."""
    always = "[cluster.repair]\nhot_reset_probability = 1.0\n"
    past = Past(strike(3600.0, "crash", transient=False), always).until(DAY)

    assert [] == past.chronicle().standing_faults(0, past.now)


def test_a_strike_that_is_found_late_belongs_to_that_incident() -> None:
    """Corrupted, restarted for another reason, found by a validation: it is of the second incident."""
    past = Past(*FOUND_LATE, **VALIDATION).until(DAY)
    (strike_of_it,) = past.chronicle().strikes(past.incident(2).faults[0].id, past.now)
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
    """Budgets, layers and events are those of the scenario's own tables."""
    premises = premises_of(Past(layers='"watchdog"').settings.scenarios[0])

    assert (600.0, 30.0, "XID 79", None) == (
        premises.stage_seconds["detect"], premises.stage_seconds["decide"], premises.events["crash"],
        premises.events["hang"],
    )  # fmt: skip
    assert 180.0 == premises.restore_seconds(64, resharded=True)
