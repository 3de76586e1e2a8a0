"""Capacity: who takes a free place, how soon, and what the waiting costs."""

from typing import Any

import pytest

from goodputd.sim.capacity import Reserve
from goodputd.sim.events import CapacityAwaited, FaultOccurred, NodeEvicted, NodePreempted, TrainingResumed
from goodputd.sim.specs.cluster import CapacitySpec
from goodputd.sim.taxonomy import Bucket, Readiness, StageName
from tests.world import DAY, World, strike

EVICTS = {"policy__name": "always_evict", "cluster__repair_hours": 1000.0}
"""Every failure takes a node away for good, as far as these tests go."""
SINGLES = {"job__gpus_per_replica": 8, "job__min_replicas": 16, "cluster__nodes": 16}
"""Sixteen nodes, all of which the job needs."""


def reserve(spares: int = 6, **settings: object) -> Reserve:
    """Spares 16, 17 and so on of a job of 16 nodes."""
    return Reserve(CapacitySpec(**settings), 1, list(range(16, 16 + spares)))  # type: ignore[arg-type]


def world(count: int, **overrides: object) -> World:
    """So many evictions, far enough apart for a restart each, from a job that needs all its nodes."""
    script = [strike(1000.0 + 3000.0 * index, "crash", index) for index in range(count)]
    return World(*script, **{**EVICTS, **SINGLES, **overrides}).until(1000.0 + 3000.0 * count)


def test_warm_standbys_are_the_first_spares_and_preemptible_ones_the_last() -> None:
    """Six spares: two warm, three cold, one at other work."""
    held = reserve(warm_standbys=2, preemptible=1)

    assert ([16, 17], [18, 19, 20], [21]) == (held.warm, [node for _, node in held.cold], held.preemptible)


def test_without_a_number_every_own_spare_is_warm() -> None:
    """Only those at other work are not."""
    held = reserve(preemptible=2)

    assert ([16, 17, 18, 19], [], [20, 21]) == (held.warm, held.cold, held.preemptible)


def test_a_returned_node_is_warm_while_a_standby_is_missing() -> None:
    """And cold otherwise."""
    held = reserve(2, warm_standbys=1)
    held.admit(3)
    taken = held.warm.pop(0)
    held.admit(4)

    assert (16, [4], [3, 17]) == (taken, held.warm, sorted(node for _, node in held.cold))


@pytest.mark.parametrize(
    ("selection", "order"),
    [("lowest_number", [3, 16, 17, 18]), ("longest_in_service", [16, 17, 18, 3])],
)
def test_cold_nodes_are_ranked(selection: str, order: list[int]) -> None:
    """By number, or by how long they have been back."""
    held = reserve(3, warm_standbys=0, host_selection=selection)
    held.admit(3)

    assert order == [node for _, node in held.cold]


def test_a_node_that_failed_less_often_is_chosen_first() -> None:
    """Ties go to the lower number."""
    held = reserve(2, warm_standbys=0, host_selection="fewest_failures")
    held.failed(3)
    held.failed(3)
    held.failed(4)
    for node in (3, 4):
        held.admit(node)

    assert [16, 17, 4, 3] == [node for _, node in held.cold]


def test_a_random_rank_depends_on_the_seed_and_the_visit() -> None:
    """Another visit has another rank, so that nobody is last for ever."""
    held = reserve(0, warm_standbys=0, host_selection="random")
    first = held.rank(3)
    held.admit(3)

    assert first != held.rank(3)
    assert held.rank(3) != Reserve(CapacitySpec(host_selection="random"), 2, []).rank(3)


def test_a_warm_standby_costs_no_selection() -> None:
    """It takes the place and the plan is the plain one."""
    played = world(
        1, cluster__spares=3, capacity__warm_standbys=1, capacity__host_selection_seconds=180.0
    ).snapshot

    assert (0, 0) == (played.fleet.host_selections, played.stage_seconds[StageName.HOST_SELECTION].count)


def test_without_one_hosts_are_selected_anew() -> None:
    """That takes its seconds, before the plan, and warms up the standbys again."""
    played = world(
        2, cluster__spares=4, capacity__warm_standbys=1, capacity__host_selection_seconds=180.0
    ).snapshot

    assert (1, 180.0) == (
        played.fleet.host_selections,
        played.stage_seconds[StageName.HOST_SELECTION].seconds,
    )
    assert {Readiness.WARM: 1, Readiness.COLD: 1, Readiness.PREEMPTIBLE: 0} == played.fleet.spares


def test_other_work_gives_up_nodes_one_after_the_other() -> None:
    """The job waits for its place and for its standby: two nodes, 1,200 s each."""
    played = world(
        1,
        cluster__spares=3,
        capacity__warm_standbys=1,
        capacity__preemptible=3,
    )
    [evicted], preempted = played.of(NodeEvicted), played.of(NodePreempted)

    assert [(16, 1200.0), (17, 2400.0)] == [(fact.node, fact.at - evicted.at) for fact in preempted]
    assert pytest.approx(2400.0) == played.spent(Bucket.WAITING_FOR_CAPACITY)
    assert 1 == len(played.of(CapacityAwaited)) == len(played.of(TrainingResumed))
    assert {Readiness.WARM: 1, Readiness.COLD: 0, Readiness.PREEMPTIBLE: 1} == played.snapshot.fleet.spares


def test_a_job_that_may_shrink_goes_on_while_it_waits_for_nodes() -> None:
    """It takes the place back at the next checkpoint after the node came."""
    played = world(
        1,
        job__min_replicas=1,
        job__rejoin="checkpoint",
        cluster__spares=1,
        capacity__preemptible=1,
        capacity__preemption_seconds=600.0,
    )
    resumed = played.of(TrainingResumed)

    assert 0.0 == played.spent(Bucket.WAITING_FOR_CAPACITY)
    assert [120, 128] == [fact.active_gpus for fact in resumed]


def test_a_selection_benches_who_came_back_last() -> None:
    """Node 0 was repaired and took a place as a standby; at the next selection a colder hand takes it."""
    script = [strike(1000.0, "crash", 0), strike(20_000.0, "crash", 1), strike(22_000.0, "crash", 2)]
    common = {**SINGLES, "policy__name": "always_evict", "cluster__spares": 4, "cluster__repair_hours": 2.0,
              "capacity__warm_standbys": 1}  # fmt: skip
    benched = World(*script, **common, capacity__host_selection="longest_in_service").until(40_000.0)
    kept = World(*script, **common, capacity__host_selection="lowest_number").until(40_000.0)

    assert [0, 1] == [kept.snapshot.fleet.displaced_nodes, benched.snapshot.fleet.displaced_nodes]


def test_a_selection_never_takes_longer_than_its_seconds() -> None:
    """Whatever the number of nodes that change places: it is one stage."""
    played = world(
        5, cluster__spares=8, capacity__warm_standbys=0, capacity__host_selection_seconds=100.0
    ).snapshot
    stage = played.stage_seconds[StageName.HOST_SELECTION]

    assert (5, pytest.approx(500.0)) == (stage.count, stage.seconds)


def test_a_displaced_fault_rests_with_its_node() -> None:
    """Node 3 fails again and again until a host selection benches it for a node that never failed."""
    settings: dict[str, Any] = {
        **SINGLES,
        "strikes__strikes_to_evict": 0,
        "strikes__evict_components": ("host",),
        "cluster__spares": 2,
        "capacity__warm_standbys": 0,
        "capacity__host_selection": "fewest_failures",
    }
    script = [strike(1000.0, "crash", 3, transient=False), strike(2 * DAY, "silent_crash", 5)]
    world = World(*script, **settings).until(4 * DAY)
    [evicted] = world.of(NodeEvicted)
    strikes = [fact.at < evicted.at for fact in world.of(FaultOccurred) if fact.node == 3]

    assert 1 == world.snapshot.fleet.displaced_nodes
    assert len(strikes) > 5
    assert all(strikes)
