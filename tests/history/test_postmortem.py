"""Hindsight: judgements, observations, and the same fault elsewhere."""

import asyncio
import itertools

import pytest

from goodputd.history.fold import fold
from goodputd.history.judgement import Verdict, judge
from goodputd.history.postmortem import COMPARED_FAULTS, post_mortem
from goodputd.history.records import FaultOutcome
from goodputd.history.stretches import FactsLeftOut
from goodputd.sim.taxonomy import Action, Layer, Reason
from tests.history.past import BUSY, DAY, FOUND_LATE, VALIDATION, Past, strike, waiting

TWO = ('name = "naive"\ndetection.layers = ["watchdog"]', 'name = "default"')
CRASHES_TWICE = (strike(3600.0, "crash"), strike(7200.0, "crash"))
STAYS = strike(3600.0, "crash", transient=False)
DIFFERENT = "The two scenarios meet different faults, so nothing can be compared."


@pytest.mark.parametrize(
    ("script", "spares", "number", "expected", "words"),
    [
        ([strike(3600.0, "crash")], 2, 1, Verdict.RIGHT, "a restart cures it, and no spare is spent"),
        ([strike(3600.0, "bug", None)], 2, 1, Verdict.RIGHT, "blames no node"),
        ([STAYS], 2, 1, Verdict.WILL_RECUR, "on average after 2 h of training, until the node is replaced"),
        ([STAYS], 2, 1, Verdict.WILL_RECUR, "saw the first strike within 30 d and evicts at 2"),
        ([STAYS], 2, 2, Verdict.RIGHT, "no restart cures it"),
        (CRASHES_TWICE, 2, 2, Verdict.WASTED, "a restart would have cured it, yet spare node 16 was spent"),
        (CRASHES_TWICE, 2, 2, Verdict.WASTED, "independent causes. The node is away for 1 d"),
        (CRASHES_TWICE, 0, 2, Verdict.WASTED, "the job shrank for it"),
        ([STAYS, strike(3900.0, "crash")], 2, 2, Verdict.RIGHT, "still carried a permanent fault (crash)"),
    ],
)
def test_decisions_are_judged_by_the_truth(
    script: list[str], spares: int, number: int, expected: Verdict, words: str
) -> None:
    """A restart is right for what it cures, an eviction for what it does not; the reason says why."""
    judgement = Past(*script, spares=spares).until(3 * DAY).post_mortem(number).judgements[0]

    assert expected == judgement.verdict
    assert words in judgement.reason


ALWAYS_RESTART = '[policy]\nname = "always_restart"\n'
ALWAYS_EVICT = '[policy]\nname = "always_evict"\n'
WINDOW = '[policy]\nname = "window"\n'
SCORE = '[policy]\nname = "score"\n'
RETIRE = '[policy]\nname = "score"\nscore.evict_at = 80.0\nscore.retire_at = 70.0\n'
UNATTRIBUTED = "[detection.diagnosis]\nfound_probability = 0.0\n"
INNOCENT = "[detection.diagnosis]\ninnocent_probability = 1.0\n"
HOT_RESET = "[cluster.repair]\nhot_reset_probability = {}\n"
CRASH = strike(3600.0, "crash")


@pytest.mark.parametrize(
    ("script", "expected", "words"),
    [
        ([STAYS, ALWAYS_RESTART], Verdict.WILL_RECUR, "The settings never evict."),
        ([STAYS, WINDOW], Verdict.WILL_RECUR, "saw the first failure within 7 d and evicts at 3"),
        ([STAYS, SCORE], Verdict.WILL_RECUR, "the node's score was still above 20, where it evicts"),
        ([CRASH, ALWAYS_EVICT], Verdict.WASTED, "The policy evicts at every failure. The node is away"),
        ([CRASH, RETIRE], Verdict.WASTED, "is away for 1 d and leaves the fleet then."),
        ([STAYS, RETIRE], Verdict.RIGHT, "no restart cures it"),
        ([STAYS, HOT_RESET.format(1.0)], Verdict.RIGHT, "the reset of the device took it away"),
        ([STAYS, HOT_RESET.format(1e-9)], Verdict.WILL_RECUR, "Resetting the device did not help."),
        ([CRASH, UNATTRIBUTED], Verdict.RIGHT, "a restart cures it"),
        ([STAYS, UNATTRIBUTED], Verdict.WILL_RECUR, "nobody could say which node failed"),
        ([CRASH, INNOCENT], Verdict.RIGHT, "The fault is on node 0, and node 6 got the strike."),
        ([STAYS, INNOCENT], Verdict.WILL_RECUR, "on node 0; the diagnosis was wrong, and node 6 got the str"),
        ([STAYS, INNOCENT, ALWAYS_EVICT], Verdict.WASTED, "Node 6 is healthy, yet spare node 16 was spent"),
        ([CRASH, INNOCENT, ALWAYS_EVICT], Verdict.WASTED, "the fault, which a restart cured, is on node 0"),
    ],
)
def test_every_policy_and_every_diagnosis_is_judged(script: list[str], expected: Verdict, words: str) -> None:
    """By what was done for whom: the truth knows the node, the limit, and what a reset cured."""
    judgement = Past(*script).until(DAY).post_mortem(1).judgements[0]

    assert expected == judgement.verdict
    assert words in judgement.reason


def test_a_policy_that_was_overruled_is_told_as_such() -> None:
    """A node whose score is too low stays, because the job needs every node that is left."""
    past = Past(
        *(strike(3600.0 * n, "crash", transient=False) for n in (1, 2)), RETIRE, spares=0, min_replicas=2
    )
    judgement = past.until(DAY).post_mortem(1).judgements[0]

    assert (Verdict.WILL_RECUR, Reason.DEPLETION_GUARD) == (judgement.verdict, judgement.decision.reason)
    assert "fewer nodes than the smallest job needs" in judgement.reason


def test_a_wrong_diagnosis_is_a_wrong_conclusion() -> None:
    """An innocent node is blamed: the truth names the other."""
    told = Past(strike(3600.0, "crash", 3, logged=True), INNOCENT).until(DAY).post_mortem(1)

    assert not told.conclusion_is_right
    assert "node 3" not in told.concluded
    assert "on node 3" in told.root_cause


def test_an_unattributed_fault_is_concluded_as_far_as_it_goes() -> None:
    """Nobody could name the node, and nobody claimed to."""
    told = Past(strike(3600.0, "crash", 3, logged=True), UNATTRIBUTED).until(DAY).post_mortem(1)

    assert "The hardware layer: a GPU fault, of a node that nobody could name." == told.concluded
    assert told.conclusion_is_right


def test_corrupt_state_is_concluded_without_a_culprit() -> None:
    """A validation knows that the state is corrupt; the truth knows the node and the checkpoint."""
    told = Past(*FOUND_LATE, **VALIDATION).until(DAY).post_mortem(2)

    assert "the training state is corrupt" in told.concluded
    assert told.root_cause.endswith("The checkpoint of step 390 was saved with what it corrupted.")
    assert [Verdict.RIGHT] == [judgement.verdict for judgement in told.judgements]
    assert any("validation: the state is found corrupt" == each.text for each in told.observations)


def test_corruption_that_a_save_reveals_is_observed_there() -> None:
    """In the teaching model nobody watches: the checkpoint itself gives it away."""
    script = (strike(3950.0, "flip", 3), '[corruption]\nbaked_discovery = "at_checkpoint"\n')
    told = Past(*script, layers='"hardware"').until(DAY).post_mortem(1)

    assert any("turns out to be corrupt" in each.text for each in told.observations)


def test_false_alarms_are_judged() -> None:
    """Where nothing is ever broken restarts are needless and evictions wasted, and the truth says so."""
    past = Past(z_threshold=4.5).until(60 * DAY)
    told = [past.post_mortem(incident.number) for incident in past.all() if not incident.is_open]
    judged = {(each.decision.action, each.verdict) for one in told for each in one.judgements}

    assert {(Action.RESTART, Verdict.NEEDLESS), (Action.EVICT, Verdict.WASTED)} == judged
    assert {"Nothing was broken: gradient cried wolf."} == {one.root_cause for one in told}
    assert {False} == {one.conclusion_is_right for one in told}


def test_a_wait_leaves_no_choice() -> None:
    """With too few nodes the job has to wait, whatever the policy thinks."""
    past = Past(*CRASHES_TWICE, spares=0, min_replicas=2).until(3 * DAY)
    judgements = past.post_mortem(2).judgements

    assert [(Action.EVICT, Verdict.WASTED), (Action.WAIT_FOR_CAPACITY, Verdict.NO_CHOICE)] == [
        (judgement.decision.action, judgement.verdict) for judgement in judgements
    ]


def test_observations_tell_what_was_seen_in_order() -> None:
    """Symptom, report, what would have followed, and the check of the loss, by time."""
    told = Past(strike(3600.0, "crash", 7, logged=True)).until(DAY).post_mortem(1).observations

    assert sorted(each.at for each in told) == [each.at for each in told]
    assert [
        "the rank crashes; node 7 stops beating and the other ranks wait in a collective",
        "hardware: the agent of node 7 reports XID 79",
        "too late to matter: heartbeat: no beat of node 7 within the timeout",
    ] == [each.text for each in told[:3]]


@pytest.mark.parametrize(
    ("kind", "words"),
    [("crash", "node 0 does not log XID 79 this time"), ("hang", "this kind of fault has no vendor event")],
)
def test_silence_is_an_observation(kind: str, words: str) -> None:
    """A fault that logs nothing is told as such: never, or not this time."""
    told = Past(strike(3600.0, kind)).until(DAY).post_mortem(1).observations

    assert any(words in each.text for each in told)


def test_conclusion_and_truth_stand_side_by_side() -> None:
    """What was concluded names layer, component and node; the truth names the kind and what cures it."""
    told = Past(strike(3600.0, "crash", 7, transient=False, logged=True)).until(DAY).post_mortem(1)

    assert "The hardware layer: a GPU fault on node 7." == told.concluded
    assert (
        "Crash on node 7 (GPU, seen as a crash; permanent: only replacing the node cures it)."
        == told.root_cause
    )
    assert told.conclusion_is_right


def test_a_fault_without_a_node_is_in_the_job() -> None:
    """A software fault blames no node, neither in the conclusion nor in truth."""
    told = Past(strike(3600.0, "bug", None)).until(DAY).post_mortem(1)

    assert "The heartbeat layer: a software fault in the job." == told.concluded
    assert told.root_cause.startswith("Bug in the job (software, seen as a crash; transient")


@pytest.mark.parametrize(
    ("layers", "settings_seconds", "met"),
    [('"heartbeat", "hardware"', 280.0, True), ('"watchdog"', 850.0, False)],
)
def test_an_incident_is_measured_with_the_target_of_the_settings(
    layers: str, settings_seconds: float, met: bool
) -> None:
    """What stages take by the settings adds up, and is no target: that is ``targets.mttr_seconds``."""
    told = Past(strike(3600.0, "crash"), layers=layers).until(DAY).post_mortem(1)

    assert settings_seconds == told.settings_seconds
    assert (390.0, met) == (told.target_mttr_seconds, told.target_met)


def test_a_scenario_has_its_own_target() -> None:
    """The same incident meets a long target and misses a short one."""
    scenarios = ('name = "short"\ntargets.mttr_seconds = 60.0', 'name = "long"\ntargets.mttr_seconds = 900.0')
    past = Past(strike(3600.0, "crash"), scenarios=scenarios).until(DAY)
    told = [past.post_mortem(1, name) for name in ("short", "long")]

    assert [(60.0, False), (900.0, True)] == [(each.target_mttr_seconds, each.target_met) for each in told]


@pytest.mark.parametrize(
    ("layers", "until", "met"), [('"heartbeat"', 3640.0, None), ('"watchdog"', 4210.0, False)]
)
def test_whether_an_open_incident_meets_its_target_is_open(
    layers: str, until: float, met: bool | None
) -> None:
    """Ten seconds after its detection nobody knows, unless the detection alone took too long."""
    told = Past(strike(3600.0, "crash"), layers=layers).until(until).post_mortem(1)

    assert (True, met) == (told.incident.is_open, told.target_met)


def test_no_target_holds_for_a_planned_stop() -> None:
    """The mean that the target is for leaves planned stops out."""
    past = Past(*CRASHES_TWICE, spares=0, rejoin="checkpoint").until(3 * DAY)

    assert None is past.post_mortem(3).target_met


def test_the_same_fault_costs_more_in_the_naive_scenario() -> None:
    """Found by the watchdog instead of heartbeat, the first fault stops the naive job ten minutes longer."""
    past = Past(scenarios=TWO, per_job_day=2.0).until(10 * DAY)
    (same,) = past.post_mortem(1).same_faults
    here, there = same.scenarios

    assert [("default", True), ("naive", False)] == [(each.scenario, each.is_here) for each in same.scenarios]
    assert (Layer.HEARTBEAT, Layer.WATCHDOG) == (here.strikes[0].detected_by, there.strikes[0].detected_by)
    assert (1, 1) == (here.strikes[0].incident, there.strikes[0].incident)
    assert pytest.approx(600.0 - (here.strikes[0].latency_seconds or 0.0), abs=1.0) == (
        there.stopped_seconds - here.stopped_seconds
    )


def test_a_fault_that_did_not_strike_elsewhere_says_why() -> None:
    """Evicted in one scenario, a node meets no more faults there, while the other keeps it."""
    scenarios = ('name = "never"\npolicy.strikes.strikes_to_evict = 0', 'name = "default"')
    past = Past(scenarios=scenarios, **BUSY).until(60 * DAY)
    notes = {
        each.note
        for incident in past.all("never")
        for same in past.post_mortem(incident.number, "never").same_faults
        for each in same.scenarios
        if not each.strikes
    }

    assert any("was not in the job at that moment" in note for note in notes)


def test_unpaired_scenarios_are_not_compared() -> None:
    """A scenario with other faults says that there is nothing to compare."""
    scenarios = ('name = "default"', 'name = "worse"\nfaults.scale = 2.0')
    past = Past(scenarios=scenarios, per_job_day=2.0).until(10 * DAY)
    _, other = past.post_mortem(1).same_faults[0].scenarios

    assert (False, (), DIFFERENT) == (other.paired, other.strikes, other.note)


def test_an_incident_that_two_faults_share_is_counted_once() -> None:
    """The totals of a fault add up its incidents, not its strikes."""
    past = Past(strike(3600.0, "crash", 5), strike(3700.0, "hang", 6)).until(DAY)
    told = past.post_mortem(1)

    assert [told.incident.stopped_seconds] * 2 == [
        same.scenarios[0].stopped_seconds for same in told.same_faults
    ]


def test_a_benign_fault_is_compared_with_nothing() -> None:
    """It cost nothing anywhere."""
    told = Past(strike(3000.0, "benign", 5), strike(3600.0, "crash", 6)).until(DAY).post_mortem(1)

    assert [FaultOutcome.BENIGN, FaultOutcome.DETECTED] == [fault.outcome for fault in told.incident.faults]
    assert ["crash"] == [same.kind for same in told.same_faults]


def test_an_open_incident_has_a_post_mortem() -> None:
    """What is known so far is told: the cause, and that nothing is decided."""
    told = Past(strike(3600.0, "crash", logged=True)).until(3612.0).post_mortem(1)

    assert ((), True) == (told.judgements, told.incident.is_open)


def test_a_long_incident_is_compared_in_part() -> None:
    """Of hundreds of faults a few are compared, and it is told how many are not."""
    told = waiting(300).until(DAY).post_mortem(2)
    faults = len(told.incident.faults)

    assert faults > 50
    assert (COMPARED_FAULTS, faults - COMPARED_FAULTS) == (len(told.same_faults), told.more_faults)
    assert told.incident.facts_left_out > 500
    assert f" At least {faults - 1} more faults struck before training was verified." in told.root_cause


def test_what_is_not_kept_is_not_judged() -> None:
    """Wherever the middle of an incident is missing, no decision is taken for one on a false alarm."""
    faults = [strike(3600.0 + 40.0 * number, "crash", number, logged=True) for number in range(6)]
    past = Past(*faults).until(DAY)
    facts, premises = past.facts["default"], past.chronicle().premises
    verdicts = set()
    for begins, ends in itertools.combinations(range(3, len(facts)), 2):
        gap = FactsLeftOut(facts[begins].at, facts[ends - 1].at, ends - begins)
        record = fold(premises, [*facts[:begins], gap, *facts[ends:]], past.now, {})
        assert record is not None
        assert pytest.approx(record.stopped_seconds) == sum(stage.seconds for stage in record.stages)
        verdicts |= {each.verdict for each in judge(premises, record, {})}

    assert {Verdict.RIGHT, Verdict.UNKNOWN} == verdicts


def test_what_another_scenario_does_not_keep_is_said() -> None:
    """In the middle of a long incident nobody knows whether a fault struck, so no page denies it."""
    scenarios = (
        'name = "default"\ncluster.repair_hours = 1e5',
        'name = "spared"\ncluster.spares = 4\ncluster.repair_hours = 1e5',
    )
    twice = (strike(3600.0, "crash"), strike(7200.0, "crash"))
    faults = [strike(8000.0 + 600.0 * number, "bug", None) for number in range(300)]
    past = Past(*twice, *faults, scenarios=scenarios, spares=0, min_replicas=2).until(3 * DAY)
    told = past.post_mortem(150, "spared")

    assert ["What happened here at that moment is not kept."] == [
        each.note for each in told.same_faults[0].scenarios if each.scenario == "default"
    ]


def test_others_get_turns_while_a_post_mortem_is_made() -> None:
    """However long an incident is, the event loop comes round for every fault and scenario."""
    past = waiting(300).until(DAY)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def asked() -> None:
        counting = asyncio.create_task(count())
        await post_mortem(past.history, past.chronicle(), 2, past.now)
        counting.cancel()

    asyncio.run(asked())

    assert turns >= COMPARED_FAULTS * len(past.history.chronicles)
