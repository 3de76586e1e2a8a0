"""Planned maintenance: a node is drained at a checkpoint, and comes back as it was."""

from typing import Any

from scipy.stats import poisson

from goodputd.sim.events import FaultOccurred, NodeDrained, NodeReturned, TrainingResumed
from goodputd.sim.taxonomy import Component, Layer, NodeState
from tests.world import DAY, World, strike

HOUR = 3600.0
PLANNED: dict[str, Any] = {"maintenance__per_day": 2.0, "maintenance__hours": 3.0}


def test_a_node_is_drained_at_a_checkpoint_and_no_step_is_lost() -> None:
    """Every stop is planned, out of MTBF and MTTR, and goes on where it was."""
    world = World(**PLANNED).until(20 * DAY)
    resumed = world.of(TrainingResumed)

    assert len(resumed) > 20
    assert {(Component.PLANNED, Layer.PLANNED, 0)} == {
        (fact.component, fact.layer, fact.lost_steps) for fact in resumed
    }
    assert (0, None, None) == (
        world.snapshot.total_interruptions,
        world.snapshot.mtbf_seconds,
        world.snapshot.mttr_seconds,
    )
    assert all(fact.step % 10 == 0 for fact in resumed)


def test_as_many_are_due_as_the_settings_say() -> None:
    """Two a day; Poisson, p > 0.001."""
    drained = World(**PLANNED).until(100 * DAY).snapshot.fleet.drained_nodes

    assert 0.0005 < poisson.cdf(drained, 200) < 0.9995


def test_a_drained_node_is_away_for_its_hours() -> None:
    """Then it is a spare."""
    world = World(**PLANNED).until(20 * DAY)
    drained = {(fact.at + 3 * HOUR, fact.node) for fact in world.of(NodeDrained)}
    returned = {(fact.at, fact.node) for fact in world.of(NodeReturned)}

    assert returned <= drained
    assert len(drained) - len(returned) == world.snapshot.nodes[NodeState.REPAIRING]


def test_maintenance_cures_nothing() -> None:
    """A permanent fault rests while its node is away, and strikes again when it is back in the job."""
    world = World(
        strike(HOUR, "crash", 3, transient=False),
        policy__name="always_restart",
        maintenance__per_day=20.0,
        maintenance__hours=5.0,
        cluster__spares=0,
        job__rejoin="checkpoint",
    ).until(10 * DAY)
    away = [fact.at for fact in world.of(NodeDrained) if fact.node == 3]
    strikes = [fact.at for fact in world.of(FaultOccurred)]

    assert len(away) > 3
    assert all(not any(at < strike_at <= at + 5 * HOUR for strike_at in strikes) for at in away)
    assert max(strikes) > away[2]


def test_a_stop_for_another_reason_serves() -> None:
    """Whoever is due while the job is down goes then, or soon after: nobody is forgotten."""
    script = [strike(HOUR * (1 + 2 * index), "crash", index % 16) for index in range(100)]
    world = World(*script, **{**PLANNED, "maintenance__per_day": 10.0}).until(9 * DAY)

    assert 0.0005 < poisson.cdf(world.snapshot.fleet.drained_nodes, 90) < 0.9995


def test_nothing_is_due_by_default() -> None:
    """No stop, no node away."""
    assert [] == World().until(30 * DAY).of(NodeDrained)
