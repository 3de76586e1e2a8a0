"""Diagnosis: a fault that is blamed on nobody, and one that is blamed on the wrong node."""

from scipy.stats import binomtest

from goodputd.sim.events import DecisionMade, FaultOccurred, NodeEvicted, NodeReturned
from goodputd.sim.taxonomy import Action, Misdiagnosis, Origin, Reason, RepairOutcome, RepairStage
from tests.world import DAY, World, strike

HOUR = 3600.0


def test_an_unattributed_fault_restarts_the_job_as_it_is() -> None:
    """Even where every failure evicts: there is no node to evict, and no strike."""
    world = World(
        strike(HOUR, "crash", 3), policy__name="always_evict", diagnosis__found_probability=0.0
    ).until(2 * HOUR)

    assert [(Action.RESTART, Reason.NO_NODE, None, 0)] == [
        (fact.action, fact.reason, fact.node, fact.strikes) for fact in world.of(DecisionMade)
    ]
    assert {Misdiagnosis.UNATTRIBUTED: 1, Misdiagnosis.INNOCENT: 0} == world.snapshot.fleet.misdiagnoses


def test_an_innocent_node_goes_and_the_guilty_one_stays() -> None:
    """The permanent fault comes back, and each time another innocent node may go for it."""
    world = World(
        strike(HOUR, "crash", 3, transient=False),
        policy__name="always_evict",
        diagnosis__innocent_probability=1.0,
        cluster__spares=30,
    ).until(DAY)
    blamed = [fact.node for fact in world.of(NodeEvicted)]

    assert len(blamed) > 3
    assert 3 not in blamed[:3]
    assert any(fact.origin is Origin.RECURRENCE for fact in world.of(FaultOccurred))


def test_a_validation_blames_nobody_not_even_an_innocent_node() -> None:
    """It finds that the state is corrupt and does not know whose fault that is: nothing to get wrong."""
    world = World(
        strike(150.0, "silent", 3),
        policy__name="always_evict",
        detection__layers=("validation",),
        diagnosis__innocent_probability=1.0,
    ).until(HOUR)

    assert [(Action.RESTART, None)] == [(fact.action, fact.node) for fact in world.of(DecisionMade)]
    assert {Misdiagnosis.UNATTRIBUTED: 0, Misdiagnosis.INNOCENT: 0} == world.snapshot.fleet.misdiagnoses


def test_the_shop_finds_no_fault_in_an_innocent_node() -> None:
    """And says so, in the history and in the counts."""
    world = World(
        strike(HOUR, "crash", 3), policy__name="always_evict", diagnosis__innocent_probability=1.0
    ).until(3 * DAY)

    assert [True] == [fact.no_fault_found for fact in world.of(NodeReturned)]
    assert 1 == world.snapshot.fleet.repairs[RepairStage.MANUAL, RepairOutcome.NO_FAULT_FOUND]


def test_faults_are_misdiagnosed_as_often_as_the_settings_say() -> None:
    """Of 400 faults; p > 0.001 each, where one blame in sixteen hits the guilty node by accident."""
    count = 400
    script = [strike(HOUR * (1 + each), "crash", each % 16) for each in range(count)]
    world = World(
        *script,
        policy__name="always_restart",
        detection__layers=("hardware",),
        diagnosis__found_probability=0.8,
        diagnosis__innocent_probability=0.25,
    ).until(HOUR * (count + 1))
    counts = world.snapshot.fleet.misdiagnoses

    # scripted faults log nothing, so a person finds them; each is one decision
    found = len(world.of(DecisionMade))
    assert binomtest(counts[Misdiagnosis.UNATTRIBUTED], found, 0.2).pvalue > 0.001
    assert binomtest(counts[Misdiagnosis.INNOCENT], found, 0.8 * 0.25 * 15 / 16).pvalue > 0.001


def test_scenarios_share_the_luck_of_a_diagnosis() -> None:
    """It belongs to the fault: the same ones are misdiagnosed under another policy."""
    script = [strike(HOUR * (1 + each), "crash", each % 16, logged=True) for each in range(60)]
    settings = {"diagnosis__found_probability": 0.5, "window__failures": 100}
    seen = []
    for policy in ("always_restart", "window"):
        world = World(*script, policy__name=policy, **settings).until(HOUR * 62)
        seen.append([fact.node is None for fact in world.of(DecisionMade)])

    assert 60 == len(seen[0])
    assert seen[0] == seen[1]
    assert len(set(seen[0])) == 2
