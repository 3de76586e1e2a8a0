"""Triage: what it takes to find the node that corrupted the state, and what is decided then."""

import math
from typing import Any

import pytest

from goodputd.sim.events import DecisionMade, NodeEvicted, StageFinished, TrainingResumed
from goodputd.sim.faults import JOB_WIDE, Fault, Marks
from goodputd.sim.specs.corruption import TriageSpec
from goodputd.sim.taxonomy import Action, Bucket, Origin, Reason, StageName
from goodputd.sim.triage import triage
from tests.world import KINDS, World, parts, strike

[SILENT] = [kind for kind in parts().kinds if kind.name == "silent"]
VALIDATED: dict[str, Any] = {
    "detection__layers": ("heartbeat", "hardware", "validation"),
    "checkpoint__keep": 99,
}
"""Steps of 10 s, every tenth validated for 3 s and then saved for 5 s: a cycle of 108 s."""
REPLAY: dict[str, Any] = {"corruption__triage": TriageSpec(method="replay", name_probability=1.0)}


def fault(node: int = 5, *, transient: bool = False, identity: str = "f") -> Fault:
    """A silent corruption."""
    return Fault(
        identity, 0.0, SILENT, node, transient, Origin.PRIMARY, Marks(0, 0, 0, 0, 0, 0), 0, logged=False
    )


def test_bisection_reruns_once_per_halving() -> None:
    """2,048 nodes: eleven times 100 s of steps and 20 s of setting up."""
    spec = TriageSpec(method="reductive", overhead_seconds=20.0)

    assert 11 * 120.0 == triage(spec, 1, fault(), rerun_seconds=100.0, nodes=2048).seconds


@pytest.mark.parametrize("nodes", [1, 2, 3, 1000])
def test_bisection_halves_what_is_left(nodes: int) -> None:
    """The logarithm to base two, rounded up, and at least one rerun."""
    spec = TriageSpec(method="reductive", overhead_seconds=0.0)

    assert (
        max(1, math.ceil(math.log2(nodes)))
        == triage(spec, 1, fault(), rerun_seconds=1.0, nodes=nodes).seconds
    )


def test_replay_reruns_once() -> None:
    """Every rank at once, whatever their number."""
    spec = TriageSpec(method="replay", overhead_seconds=20.0)

    assert 120.0 == triage(spec, 1, fault(), rerun_seconds=100.0, nodes=2048).seconds


def test_without_triage_nothing_is_known_at_once() -> None:
    """The default."""
    found = triage(TriageSpec(), 1, fault(), rerun_seconds=100.0, nodes=2048)

    assert (0.0, None) == (found.seconds, found.node)


@pytest.mark.parametrize(("method", "transient", "named"), [
    ("reductive", False, True), ("reductive", True, False), ("replay", False, True), ("replay", True, True),
])  # fmt: skip
def test_a_transient_fault_does_not_show_in_a_bisection(method: Any, transient: bool, named: bool) -> None:  # noqa: ANN401
    """It does not do it again; a replay is compared with what was computed first."""
    spec = TriageSpec(method=method, name_probability=1.0)
    found = triage(spec, 1, fault(transient=transient), rerun_seconds=1.0, nodes=16)

    assert (5 if named else None) == found.node


def test_a_fault_of_the_whole_job_has_no_node() -> None:
    """Nothing to name."""
    spec = TriageSpec(method="replay", name_probability=1.0)

    assert triage(spec, 1, fault(JOB_WIDE), rerun_seconds=1.0, nodes=16).node is None


def test_the_node_is_named_with_the_given_chance() -> None:
    """1,000 faults at 0.3: within 3.3 standard errors, alpha = 0.001; each is the same every time."""
    spec = TriageSpec(method="replay", name_probability=0.3)
    faults = [fault(identity=f"f{n}") for n in range(1000)]
    named, again = (
        [triage(spec, 1, each, rerun_seconds=1.0, nodes=16).node is not None for each in faults]
        for _ in range(2)
    )

    assert named == again
    assert 300 == pytest.approx(sum(named), abs=3.3 * (1000 * 0.3 * 0.7) ** 0.5)


# --- in a history


def test_triage_takes_its_time_before_the_decision() -> None:
    """Ten steps since the clean checkpoint and 120 s of setting up: 30 + 100 + 120 s of deciding."""
    world = World(strike(150.0, "silent", 5), **VALIDATED, **REPLAY).until(2000.0)

    assert 250.0 == next(s.seconds for s in world.of(StageFinished) if s.stage is StageName.DECIDE)
    assert 250.0 == world.spent(Bucket.DECISION)


def test_checkpoints_in_quick_succession_shorten_it() -> None:
    """Half the interval, half the steps to run again."""
    world = World(
        strike(150.0, "silent", 5),
        **VALIDATED,
        **REPLAY,
        checkpoint__interval_steps=5,
        validation__every_steps=5,
    ).until(2000.0)

    assert 30.0 + 50.0 + 120.0 == world.spent(Bucket.DECISION)


def test_a_node_that_is_named_gets_the_strike() -> None:
    """And with the second its eviction."""
    world = World(strike(150.0, "silent", 5, transient=False), **VALIDATED, **REPLAY).until(40_000.0)
    decisions = [(d.action, d.reason, d.node, d.strikes) for d in world.of(DecisionMade)]

    assert [
        (Action.RESTART, Reason.FIRST_STRIKE, 5, 1),
        (Action.EVICT, Reason.SECOND_STRIKE, 5, 2),
    ] == decisions
    assert [5] == [evicted.node for evicted in world.of(NodeEvicted)]


def test_a_node_that_is_not_named_goes_on_corrupting() -> None:
    """No node to blame: restart after restart."""
    world = World(strike(150.0, "silent", 5, transient=False), **VALIDATED).until(40_000.0)

    assert {(Action.RESTART, Reason.NO_NODE, None)} == {
        (d.action, d.reason, d.node) for d in world.of(DecisionMade)
    }
    assert len(world.of(TrainingResumed)) > 2


def test_what_names_its_node_needs_no_triage() -> None:
    """Gradients are per rank."""
    world = World(strike(150.0, "corrupt", 5), **REPLAY).until(2000.0)

    assert 30.0 == world.spent(Bucket.DECISION)


def test_no_kind_of_the_small_world_is_missed() -> None:
    """The reference to the silent kind cannot go stale."""
    assert "silent" in {kind.name for kind in KINDS}
