"""The repair shop: how long a node is away, whether it is cured, and what people are for."""

from collections import Counter
from statistics import fmean

import pytest
from scipy.stats import binomtest

from goodputd.sim.events import DecisionMade, FaultOccurred, NodeEvicted, NodeRetired, NodeReturned
from goodputd.sim.repair import RepairShop, Visit
from goodputd.sim.schedule import Schedule
from goodputd.sim.specs.cluster import RepairSpec
from goodputd.sim.taxonomy import (
    Action,
    HotResetOutcome,
    NodeState,
    Origin,
    Reason,
    RepairOutcome,
    RepairStage,
    StageName,
)
from tests.world import DAY, World, strike

HOUR = 3600.0
TWO_STAGES = {"repair__stages": "automatic_then_manual", "policy__name": "always_evict"}


def shop(**settings: object) -> RepairShop:
    """A shop in two stages of 2 h and 48 h, escalating four times of five."""
    spec = {"stages": "automatic_then_manual", **settings}
    return RepairShop(RepairSpec(**spec), 24.0, "fixed", 1)  # type: ignore[arg-type]


def visits(held: RepairShop, nodes: range) -> list[Visit]:
    """One visit of each node."""
    schedule = Schedule()
    return [
        held.admit(node, schedule, 0.0, uniform=0.5, no_fault_found=False, retires=False) for node in nodes
    ]


def returns(held: RepairShop, *arrivals: float) -> list[float]:
    """When nodes 0, 1 and so on, sent in at these instants, come back; in order of return."""
    schedule = Schedule()
    back = []
    for node, at in enumerate(arrivals):
        schedule.push(at, "sent", node)
    while (due := schedule.next_at) is not None:
        for at, _, name, payload in schedule.due(due):
            if name == "sent":
                held.admit(payload, schedule, at, uniform=0.5, no_fault_found=False, retires=False)
            elif name == "crew_wanted":
                held.want_crew(payload, schedule, at)
            else:
                held.finish(payload, schedule, at)
                back.append(at)
    return back


def test_times_and_chances_are_those_of_the_settings() -> None:
    """20,000 visits; means within 3 %, six standard errors, and shares at p > 0.001."""
    found = visits(shop(), range(20_000))
    manual = [visit for visit in found if visit.manual_seconds]
    automatic = [visit for visit in found if not visit.manual_seconds]

    assert pytest.approx(2.0 * HOUR, rel=0.03) == fmean(visit.automatic_seconds for visit in found)
    assert pytest.approx(48.0 * HOUR, rel=0.03) == fmean(visit.manual_seconds for visit in manual)
    assert binomtest(len(manual), len(found), 0.8).pvalue > 0.001
    assert binomtest(sum(visit.cured for visit in manual), len(manual), 0.8).pvalue > 0.001
    assert binomtest(sum(visit.cured for visit in automatic), len(automatic), 0.6).pvalue > 0.001


def test_fixed_times_are_fixed() -> None:
    """Both stages."""
    found = visits(shop(automatic_distribution="fixed", manual_distribution="fixed"), range(50))

    assert {(2.0 * HOUR, 0.0), (2.0 * HOUR, 48.0 * HOUR)} == {
        (visit.automatic_seconds, visit.manual_seconds) for visit in found
    }


def test_the_luck_of_a_visit_belongs_to_node_and_visit() -> None:
    """Who else is in the shop does not matter."""
    alone, crowded = shop(), shop()
    visits(crowded, range(10))
    [first], [second] = visits(alone, range(5, 6)), visits(alone, range(5, 6))

    assert first != second
    assert [second] == visits(crowded, range(5, 6))


def test_one_repair_of_fixed_hours_is_the_default() -> None:
    """Cured, by people, without waiting for them."""
    [visit] = visits(RepairShop(RepairSpec(), 24.0, "fixed", 1), range(1))

    assert Visit(0, 0.0, 24.0 * HOUR, cured=True, no_fault_found=False, retires=False) == visit


def test_two_crews_work_on_two_nodes() -> None:
    """The third waits for the first to be done, the fourth for the second."""
    held = RepairShop(RepairSpec(crews=2), 10.0, "fixed", 1)

    assert [10 * HOUR, 11 * HOUR, 20 * HOUR, 21 * HOUR] == returns(held, 0.0, HOUR, 2 * HOUR, 3 * HOUR)


def test_without_a_limit_nobody_waits() -> None:
    """There is always a crew."""
    held = RepairShop(RepairSpec(), 10.0, "fixed", 1)

    assert [10 * HOUR, 11 * HOUR, 12 * HOUR] == returns(held, 0.0, HOUR, 2 * HOUR)


def test_automatic_repair_needs_no_crew() -> None:
    """Five nodes at once are done together where nothing escalates."""
    held = shop(escalation_probability=0.0, automatic_distribution="fixed", crews=1)

    assert [2 * HOUR] * 5 == returns(held, *[0.0] * 5)


def test_a_crew_is_taken_in_the_order_of_escalation() -> None:
    """First come, first served; the line is empty in the end."""
    held = shop(
        escalation_probability=1.0, automatic_distribution="fixed", manual_distribution="fixed", crews=1
    )

    assert [50 * HOUR, 98 * HOUR, 146 * HOUR] == returns(held, 0.0, HOUR, 2 * HOUR)
    assert 0 == held.line


def test_every_visit_is_counted_once_per_stage() -> None:
    """An escalated one with both: escalated, and what people made of it."""
    held = shop(crews=3)
    returns(held, *[float(node) for node in range(500)])
    outcomes = held.counts.outcomes
    manual = (
        outcomes[RepairStage.MANUAL, RepairOutcome.CURED] + outcomes[RepairStage.MANUAL, RepairOutcome.FAILED]
    )

    assert manual == outcomes[RepairStage.AUTOMATIC, RepairOutcome.ESCALATED] > 0
    assert 500 == manual + sum(
        outcomes[RepairStage.AUTOMATIC, outcome] for outcome in (RepairOutcome.CURED, RepairOutcome.FAILED)
    )


# --- in a scenario


def recurrences(**overrides: object) -> int:
    """How often a permanent fault strikes again after its node was repaired and took its place again."""
    world = World(
        strike(HOUR, "crash", 3, transient=False),
        policy__name="always_evict",
        cluster__spares=0,
        job__rejoin="checkpoint",
        repair__stages="automatic_then_manual",
        repair__escalation_probability=0.0,
        **overrides,
    ).until(20 * DAY)
    return Counter(fact.origin for fact in world.of(FaultOccurred))[Origin.RECURRENCE]


def test_a_repair_that_cured_nothing_brings_the_fault_back() -> None:
    """The node takes its place again, and the fault with it."""
    assert recurrences(repair__automatic_failure_probability=1.0) > 10


def test_a_repair_that_cured_does_not() -> None:
    """For good."""
    assert 0 == recurrences(repair__automatic_failure_probability=0.0)


def test_the_return_tells_whether_the_node_was_cured() -> None:
    """Ground truth, for whoever reads the history."""
    script = [strike(HOUR * (1 + 2 * node), "crash", node) for node in range(12)]
    world = World(*script, **TWO_STAGES, cluster__spares=12, repair__manual_failure_probability=0.5).until(
        60 * DAY
    )
    outcomes = world.snapshot.fleet.repairs
    told = Counter(fact.cured for fact in world.of(NodeReturned))

    assert 12 == len(world.of(NodeReturned))
    assert {True: 12 - told[False], False: told[False]} == told
    assert told[False] == sum(outcomes[stage, RepairOutcome.FAILED] for stage in RepairStage) > 0


def test_the_last_eviction_retires() -> None:
    """With a limit of two, the second; the node is gone when its repair is over."""
    script = [strike(HOUR, "crash", 3), strike(3 * DAY, "crash", 3)]
    world = World(
        *script,
        policy__name="always_evict",
        repair__retire_after_evictions=2,
        cluster__spares=0,
        job__rejoin="checkpoint",
    ).until(10 * DAY)
    last = world.of(NodeEvicted)[-1]

    assert [(last.at + DAY, 3)] == [(fact.at, fact.node) for fact in world.of(NodeRetired)]
    assert (1, 1) == (len(world.of(NodeReturned)), world.snapshot.nodes[NodeState.RETIRED])


def test_an_eviction_that_would_end_the_job_is_refused() -> None:
    """Of 16 nodes and a spare the job needs 16: one may go for good, the next is kept, and counted."""
    script = [strike(HOUR * (1 + node), "crash", node) for node in range(3)]
    world = World(
        *script,
        policy__name="always_evict",
        repair__retire_after_evictions=1,
        cluster__spares=1,
        job__gpus_per_replica=8,
        job__min_replicas=16,
    ).until(30 * DAY)
    made = [(fact.action, fact.reason) for fact in world.of(DecisionMade)]

    assert [
        (Action.EVICT, Reason.ALWAYS),
        (Action.RESTART, Reason.DEPLETION_GUARD),
        (Action.RESTART, Reason.DEPLETION_GUARD),
    ] == made
    assert 2 == world.snapshot.decisions[Action.RESTART, Reason.DEPLETION_GUARD]


@pytest.mark.parametrize(("probability", "strikes"), [(1.0, False), (0.0, True)])
def test_a_hot_reset_may_cure_what_a_restart_does_not(probability: float, *, strikes: bool) -> None:
    """A permanent fault of a device does not come back; without a reset it does."""
    world = World(
        strike(HOUR, "crash", 3, transient=False),
        policy__name="always_restart",
        repair__hot_reset_probability=probability,
    ).until(5 * DAY)

    assert strikes == (Counter(f.origin for f in world.of(FaultOccurred))[Origin.RECURRENCE] > 0)
    assert (0 if strikes else 1) == world.snapshot.fleet.hot_resets[HotResetOutcome.CURED]


def test_a_hot_reset_takes_its_seconds() -> None:
    """As a stage of its own, before the plan."""
    world = World(
        strike(HOUR, "crash", 3), policy__name="always_restart", repair__hot_reset_probability=0.5
    ).until(3 * HOUR)

    assert 150.0 == world.snapshot.stage_seconds[StageName.HOT_RESET].seconds
    assert 1 == world.snapshot.fleet.hot_resets[HotResetOutcome.IN_VAIN]


def test_only_devices_are_reset() -> None:
    """A host that crashed has nothing to reset."""
    world = World(
        strike(HOUR, "silent_crash", 3), policy__name="always_restart", repair__hot_reset_probability=1.0
    ).until(3 * HOUR)

    assert {HotResetOutcome.CURED: 0, HotResetOutcome.IN_VAIN: 0} == world.snapshot.fleet.hot_resets
