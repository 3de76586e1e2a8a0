"""The fleet: who holds which slot, who waits, who is in repair, and whose strikes stand."""

from dataclasses import dataclass
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from goodputd.errors import InvariantError, TransitionError
from goodputd.sim.cluster import Cluster
from goodputd.sim.specs.cluster import CapacitySpec, ClusterSpec, HostSelection
from goodputd.sim.streams import stream
from goodputd.sim.taxonomy import NodeState

ACTIVE, FAILED, IDLE = NodeState.ACTIVE, NodeState.FAILED, NodeState.IDLE
SPARE, REPAIRING, RETIRED = NodeState.SPARE, NodeState.REPAIRING, NodeState.RETIRED
DAY = 86400.0


def fleet(nodes: int = 8, spares: int = 0, *, nodes_per_replica: int = 4) -> Cluster:
    """A cluster of nodes of 8 GPUs."""
    return Cluster(ClusterSpec(nodes=nodes, gpus_per_node=8, spares=spares), 8 * nodes_per_replica)


def states(cluster: Cluster) -> list[NodeState]:
    """The state of every node, by number."""
    return [cluster.state_of(node) for node in range(cluster.total_nodes)]


def in_job(cluster: Cluster) -> set[int]:
    """The nodes that hold a slot."""
    return {node for node in range(cluster.total_nodes) if cluster.is_in_job(node)}


def with_node_in(state: NodeState) -> tuple[Cluster, int]:
    """A cluster, and a node of it in this state; two replicas of four, one spare at most."""
    cluster = fleet(spares=1 if state is SPARE else 0)
    if state is SPARE:
        return cluster, 8
    if state is FAILED:
        cluster.fail(1)
    if state in {IDLE, REPAIRING, RETIRED}:
        cluster.evict(0 if state is IDLE else 1)
    if state is RETIRED:
        cluster.retire(1)
    return cluster, 1


# --- moves

LEGAL = {
    (ACTIVE, FAILED),
    (ACTIVE, REPAIRING),
    (ACTIVE, IDLE),
    (ACTIVE, SPARE),
    (FAILED, ACTIVE),
    (FAILED, REPAIRING),
    (FAILED, IDLE),
    (IDLE, ACTIVE),
    (IDLE, REPAIRING),
    (SPARE, ACTIVE),
    (REPAIRING, SPARE),
    (REPAIRING, RETIRED),
}


@pytest.mark.parametrize("to", NodeState)
@pytest.mark.parametrize("before", NodeState)
def test_a_node_makes_the_legal_moves_and_no_other(before: NodeState, to: NodeState) -> None:
    """Of the 36 moves twelve are legal; an illegal one changes neither state nor counts."""
    cluster, node = with_node_in(before)
    assert before is cluster.state_of(node)
    counts, seen = dict(cluster.counts), states(cluster)
    move = cluster._move  # noqa: SLF001 - the moves have no door of their own, only operations that use them

    if (before, to) in LEGAL:
        move(node, before, to)
        assert to is cluster.state_of(node)
        assert counts | {before: counts[before] - 1, to: counts[to] + 1} == cluster.counts
    else:
        with pytest.raises(TransitionError, match=f"node {node} cannot go from {before} to {to}"):
            move(node, before, to)
        assert (counts, seen) == (cluster.counts, states(cluster))


OUTCOMES: dict[tuple[str, NodeState], NodeState | None] = {
    ("fail", ACTIVE): FAILED,
    ("fail", FAILED): FAILED,
    ("fail", IDLE): None,
    ("fail", SPARE): None,
    ("fail", REPAIRING): None,
    ("fail", RETIRED): None,
    ("revive", ACTIVE): ACTIVE,
    ("revive", FAILED): ACTIVE,
    ("revive", IDLE): IDLE,
    ("revive", SPARE): SPARE,
    ("revive", REPAIRING): REPAIRING,
    ("revive", RETIRED): RETIRED,
    ("evict", ACTIVE): REPAIRING,
    ("evict", FAILED): REPAIRING,
    ("evict", IDLE): None,
    ("evict", SPARE): None,
    ("evict", REPAIRING): None,
    ("evict", RETIRED): None,
    ("return_repaired", ACTIVE): None,
    ("return_repaired", FAILED): None,
    ("return_repaired", IDLE): None,
    ("return_repaired", SPARE): None,
    ("return_repaired", REPAIRING): SPARE,
    ("return_repaired", RETIRED): None,
    ("withdraw", IDLE): REPAIRING,
    ("retire", ACTIVE): None,
    ("retire", FAILED): None,
    ("retire", IDLE): None,
    ("retire", SPARE): None,
    ("retire", REPAIRING): RETIRED,
    ("retire", RETIRED): None,
}
"""What each operation makes of a node in each state; None is an error that changes nothing."""


@pytest.mark.parametrize(("operation", "before"), OUTCOMES)
def test_every_operation_on_every_state_has_its_outcome(operation: str, before: NodeState) -> None:
    """It ends in the state of the table, or raises and leaves every node, slot and count as they were."""
    cluster, node = with_node_in(before)
    seen = (
        states(cluster),
        dict(cluster.counts),
        in_job(cluster),
        cluster.waiting_nodes,
        cluster.active_nodes,
    )
    expected = OUTCOMES[operation, before]

    if expected is None:
        with pytest.raises(TransitionError):
            getattr(cluster, operation)(node)
        now = (
            states(cluster),
            dict(cluster.counts),
            in_job(cluster),
            cluster.waiting_nodes,
            cluster.active_nodes,
        )
        assert seen == now
    else:
        getattr(cluster, operation)(node)
        assert expected is cluster.state_of(node)
    cluster.check()


# --- the fleet at the start


def test_the_job_starts_on_the_first_nodes_and_spares_take_the_highest_numbers() -> None:
    """Eight nodes work, nodes 8 and 9 are spare."""
    cluster = fleet(8, 2)

    assert [ACTIVE] * 8 + [SPARE] * 2 == states(cluster)
    assert (8, 2, 64, 64) == (
        cluster.active_nodes,
        cluster.active_replicas,
        cluster.active_gpus,
        cluster.nominal_gpus,
    )


def test_nodes_beyond_whole_replicas_are_idle_from_the_start() -> None:
    """Ten nodes hold two replicas of four; nodes 8 and 9 wait, and count as nominal capacity."""
    cluster = fleet(10, 1)

    assert [ACTIVE] * 8 + [IDLE] * 2 + [SPARE] == states(cluster)
    assert (64, 80, 3) == (cluster.active_gpus, cluster.nominal_gpus, cluster.waiting_nodes)


# --- eviction


def test_an_idle_node_is_used_before_a_spare() -> None:
    """Node 8 is idle, node 9 a spare: 8 goes first, then 9."""
    cluster = fleet(9, 1)

    assert [8, 9] == [cluster.evict(0), cluster.evict(1)]
    assert {2, 3, 4, 5, 6, 7, 8, 9} == in_job(cluster)


def test_spares_are_used_lowest_number_first() -> None:
    """Also when an evicted node has come back among them."""
    cluster = fleet(8, 3)
    assert [8, 9] == [cluster.evict(3), cluster.evict(2)]
    cluster.return_repaired(3)

    assert [3, 10] == [cluster.evict(4), cluster.evict(5)]


def test_a_replacement_can_be_replaced() -> None:
    """The slot goes from 5 to 8, to 9, and back to 5."""
    cluster = fleet(8, 2)
    assert [8, 9] == [cluster.evict(5), cluster.evict(8)]
    cluster.return_repaired(5)

    assert 5 == cluster.evict(9)
    assert set(range(8)) == in_job(cluster)
    assert set(range(8)) == {cluster.nth_active(n / 8) for n in range(8)}


def test_without_a_replacement_the_replica_is_dissolved() -> None:
    """The other nodes of the replica become idle; the rest of the job is left alone."""
    cluster = fleet(8)

    assert cluster.evict(5) is None
    assert [ACTIVE] * 4 + [IDLE, REPAIRING, IDLE, IDLE] == states(cluster)
    assert (1, 4, 32) == (cluster.active_replicas, cluster.active_nodes, cluster.active_gpus)
    assert {ACTIVE: 4, FAILED: 0, IDLE: 3, SPARE: 0, REPAIRING: 1, RETIRED: 0} == cluster.counts


def test_idle_nodes_of_a_dissolved_replica_save_the_next_one() -> None:
    """Three more evictions are replaced from the dissolved replica, the fourth dissolves again (rule 11)."""
    cluster = fleet(12)
    cluster.evict(0)

    assert [1, 2, 3, None] == [cluster.evict(node) for node in (4, 5, 6, 7)]
    assert (1, [8, 9, 10, 11]) == (cluster.active_replicas, sorted(in_job(cluster)))


def test_a_failed_neighbour_of_an_evicted_node_leaves_the_job_with_it() -> None:
    """Its replica is dissolved, so it is idle; reviving it does not bring it back into the job."""
    cluster = fleet(8)
    cluster.fail(4)
    cluster.fail(5)
    cluster.evict(5)
    cluster.revive(4)

    assert IDLE is cluster.state_of(4)
    assert not cluster.is_in_job(4)


def test_a_job_of_one_node_per_replica_loses_one_node_at_a_time() -> None:
    """Down to nothing."""
    cluster = fleet(3, nodes_per_replica=1)

    assert [None, None, None] == [cluster.evict(node) for node in (1, 0, 2)]
    assert (0, 0, 0) == (cluster.active_replicas, cluster.active_nodes, cluster.active_gpus)


# --- growth


def test_a_shrunk_job_grows_when_a_replica_is_worth_of_nodes() -> None:
    """Three idle nodes are not enough for a replica of four; with the repaired one they are."""
    cluster = fleet(8)
    cluster.evict(5)
    assert (False, 0) == (cluster.can_grow(), cluster.grow())
    cluster.return_repaired(5)

    assert cluster.can_grow()
    assert 1 == cluster.grow()
    assert [ACTIVE] * 8 == states(cluster)
    assert (2, 64) == (cluster.active_replicas, cluster.active_gpus)


def test_growing_fills_as_many_replicas_as_there_are_nodes_for() -> None:
    """Three replicas of four are dissolved, nodes for two have come back."""
    cluster = fleet(16)
    for node in (0, *range(4, 12)):
        cluster.evict(node)
    assert (1, 3) == (cluster.active_replicas, cluster.waiting_nodes)
    for node in range(4, 9):
        cluster.return_repaired(node)

    assert (2, 3) == (cluster.grow(), cluster.active_replicas)
    assert (0, False) == (cluster.waiting_nodes, cluster.can_grow())


def test_a_full_job_cannot_grow() -> None:
    """Spares wait; nothing is dissolved."""
    cluster = fleet(8, 8)

    assert (False, 0, 8) == (cluster.can_grow(), cluster.grow(), cluster.waiting_nodes)


def test_a_node_that_is_back_in_its_own_slot_has_forgotten_the_others() -> None:
    """Node 0 went idle, worked in slot 4, went idle again and came back as itself; then it is evicted."""
    cluster = fleet(8)
    assert [None, 0, 2, 3, None] == [cluster.evict(node) for node in (1, 4, 5, 6, 7)]
    cluster.return_repaired(1)
    assert 1 == cluster.grow()
    assert {0, 1, 2, 3} == in_job(cluster)

    assert cluster.evict(0) is None
    assert (0, set()) == (cluster.active_replicas, in_job(cluster))


def test_a_choice_skips_replicas_that_were_dissolved_in_any_order() -> None:
    """The third replica went before the first."""
    cluster = fleet(16)
    assert [None, 9, 10, 11, None] == [cluster.evict(node) for node in (8, 0, 1, 2, 3)]

    assert [4, 5, 6, 7, 12, 13, 14, 15] == [cluster.nth_active((n + 0.5) / 8) for n in range(8)]


# --- strikes


def test_strikes_of_one_node_add_up_and_leave_others_alone() -> None:
    """The count includes the strike just noted."""
    cluster = fleet()

    assert [1, 2, 3] == [cluster.strike(5, at, 30 * DAY) for at in (0.0, 10.0, 20.0)]
    assert 1 == cluster.strike(6, 30.0, 30 * DAY)


@pytest.mark.parametrize(("at", "expected"), [(DAY, 2), (DAY + 0.001, 1)])
def test_a_strike_stands_for_the_window_inclusive(at: float, expected: int) -> None:
    """Exactly one window later it still counts, then no more."""
    cluster = fleet()
    cluster.strike(5, 0.0, DAY)

    assert expected == cluster.strike(5, at, DAY)


def test_the_window_slides_with_each_strike() -> None:
    """A strike a day, with a window of two and a half days: three stand."""
    cluster = fleet()

    assert [1, 2, 3, 3, 3] == [cluster.strike(5, day * DAY, 2.5 * DAY) for day in range(5)]


def test_an_infinite_window_keeps_every_strike() -> None:
    """Lifetime counting, over ten years."""
    cluster = fleet()

    assert list(range(1, 11)) == [cluster.strike(5, year * 365 * DAY, float("inf")) for year in range(10)]


def test_repair_clears_the_strikes_of_that_node() -> None:
    """And of no other."""
    cluster = fleet(8, 1)
    for node in (5, 5, 6):
        cluster.strike(node, 0.0, DAY)
    cluster.evict(5)
    cluster.return_repaired(5)

    assert [(6, 1)] == cluster.standing_strikes(0.0, DAY, least=1)
    assert [1, 2] == [cluster.strike(5, 1.0, DAY), cluster.strike(6, 1.0, DAY)]


def test_standing_strikes_are_listed_worst_first() -> None:
    """Ties by node number; what has left the window is not counted, and looking forgets nothing."""
    cluster = fleet()
    for node, at in (
        (1, 0.0),
        (2, 0.0),
        (2, 1.0),
        (3, 0.0),
        (3, 5.0),
        (3, 6.0),
        (4, 5.0),
        (4, 6.0),
        (5, 6.0),
    ):
        cluster.strike(node, at, 100.0)

    assert [(3, 3), (2, 2), (4, 2)] == cluster.standing_strikes(6.0, 100.0, least=2)
    assert [(3, 2), (4, 2)] == cluster.standing_strikes(10.0, 5.0, least=2)
    assert [(3, 3), (2, 2), (4, 2)] == cluster.standing_strikes(6.0, 100.0, least=2)


# --- every history


@dataclass(slots=True)
class Shape:
    """The size of a fleet."""

    nodes: int
    spares: int
    nodes_per_replica: int
    warm_standbys: int | None
    preemptible: int
    host_selection: HostSelection


SHAPES = st.builds(
    Shape,
    st.integers(4, 24),
    st.integers(0, 5),
    st.sampled_from([1, 2, 3, 4]),
    st.sampled_from([None, None, 0, 1, 3]),
    st.integers(0, 2),
    st.sampled_from(get_args(HostSelection)),
)
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["fail", "revive", "evict", "strike", "return", "retire", "preempt", "grow"]),
        st.floats(0, 0.999),
    ),
    max_size=60,
)


def play(shape: Shape, operations: list[tuple[str, float]]) -> Cluster:
    """A cluster after a history of legal operations; the number picks the node."""
    capacity = CapacitySpec(
        warm_standbys=shape.warm_standbys,
        preemptible=min(shape.preemptible, shape.spares),
        host_selection=shape.host_selection,
    )
    spec = ClusterSpec(nodes=shape.nodes, gpus_per_node=8, spares=shape.spares, capacity=capacity)
    cluster = Cluster(spec, 8 * shape.nodes_per_replica)
    for operation, pick in operations:
        job = sorted(in_job(cluster))
        repairing = [node for node, state in enumerate(states(cluster)) if state is REPAIRING]
        if operation == "grow":
            cluster.grow()
        elif operation == "return" and repairing:
            cluster.return_repaired(repairing[int(pick * len(repairing))])
        elif operation == "retire" and repairing:
            cluster.retire(repairing[int(pick * len(repairing))])
        elif operation == "preempt" and cluster.reserve is not None and cluster.reserve.preemptible:
            cluster.reserve.preempt()
        elif operation == "strike" and job:
            cluster.strike(job[int(pick * len(job))], 0.0, DAY)
        elif operation in {"fail", "revive", "evict"} and job:
            getattr(cluster, operation)(job[int(pick * len(job))])
    return cluster


@settings(max_examples=100)
@given(SHAPES, OPERATIONS)
def test_counts_are_what_a_scan_finds(shape: Shape, operations: list[tuple[str, float]]) -> None:
    """Kept counts, the size of the job and who waits agree with every node's own state."""
    cluster = play(shape, operations)
    seen = states(cluster)

    assert {state: seen.count(state) for state in NodeState} == cluster.counts
    assert seen.count(ACTIVE) + seen.count(FAILED) == cluster.active_nodes == len(in_job(cluster))
    assert cluster.active_nodes == cluster.active_replicas * cluster.nodes_per_replica
    assert cluster.active_gpus == 8 * cluster.active_nodes
    preemptible = 0 if cluster.reserve is None else len(cluster.reserve.preemptible)
    assert seen.count(SPARE) + seen.count(IDLE) == cluster.waiting_nodes + preemptible
    cluster.check()


@settings(max_examples=100)
@given(SHAPES, OPERATIONS)
def test_nth_active_covers_exactly_the_nodes_of_the_job(
    shape: Shape, operations: list[tuple[str, float]]
) -> None:
    """Start, middle and end of the n-th of N equal fractions name the same node, each node once."""
    cluster = play(shape, operations)
    size = cluster.active_nodes
    # the start of an interval may round down into the one before, so it is taken a little further in
    inside = [[cluster.nth_active((n + part) / size) for part in (1e-9, 0.5, 1 - 1e-9)] for n in range(size)]

    assert all(len(set(nodes)) == 1 for nodes in inside)
    assert sorted(in_job(cluster)) == sorted(nodes[0] for nodes in inside)


def test_nth_active_is_uniform_after_dissolves_and_replacements() -> None:
    """Chi-square of 20,000 choices in a job with a hole and two replaced slots; alpha = 0.001."""
    cluster = fleet(20, 2)
    for node in (1, 18, 5, 10):
        cluster.evict(node)
    assert 2 < cluster.active_replicas < 5
    random = stream(1, "test")
    chosen = [cluster.nth_active(random.random()) for _ in range(20_000)]
    counts = np.bincount(chosen, minlength=cluster.total_nodes)

    assert in_job(cluster) == set(chosen)
    assert chisquare(counts[counts > 0]).pvalue > 0.001


def test_the_largest_fraction_names_the_last_node() -> None:
    """A uniform below 1 is at most 1 - 2^-53."""
    assert 16383 == fleet(16384, nodes_per_replica=16).nth_active(1.0 - 2.0**-53)


def test_check_notices_a_node_in_no_state() -> None:
    """Counts that do not add up to the fleet are an error of ours."""
    cluster = fleet()
    cluster.counts[ACTIVE] -= 1

    with pytest.raises(InvariantError, match="do not add up to 8 nodes"):
        cluster.check()


def test_check_notices_a_count_below_zero() -> None:
    """Even if the sum is right."""
    cluster = fleet()
    cluster.counts[IDLE] -= 1
    cluster.counts[SPARE] += 1

    with pytest.raises(InvariantError, match="do not add up"):
        cluster.check()
