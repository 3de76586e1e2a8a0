"""Tiers: what survives a fault, what is restored from where, and that weaker tiers commit nothing."""

from typing import Any

import pytest

from goodputd.sim.events import TrainingResumed
from goodputd.sim.taxonomy import Bucket, CheckpointOutcome, CheckpointTier, NodeState
from tests.world import World, ledger_error, strike

MEMORY: dict[str, Any] = {
    "memory__interval_steps": 2,
    "memory__save_seconds": 0.0,
    "memory__node_bandwidth_bytes_per_second": 1.25e7,
}
"""Steps of 10 s; the tier in memory every second step, for nothing; restored in 5 s by 16 nodes."""
LOCAL: dict[str, Any] = {"local__interval_steps": 5, "local__save_seconds": 0.0}
REMOTE, IN_MEMORY, ON_DISK = CheckpointTier.REMOTE, CheckpointTier.MEMORY, CheckpointTier.LOCAL


def resumed_at(world: World) -> list[tuple[float, int, int, int]]:
    """(instant, step, lost, retracted) of every resume."""
    return [(r.at, r.step, r.lost_steps, r.retracted_steps) for r in world.of(TrainingResumed)]


def restores(world: World) -> dict[CheckpointTier, int]:
    """Restores by tier, those that did not happen left out."""
    return {tier: n for tier, n in world.snapshot.restores.items() if n}


@pytest.mark.parametrize(
    ("kind", "node", "expected"),
    [
        ("bug", None, (18, 0, IN_MEMORY)),
        ("crash", 3, (18, 0, IN_MEMORY)),
        ("hang", 3, (18, 0, IN_MEMORY)),
        ("silent_crash", 3, (15, 3, ON_DISK)),
    ],
)
def test_memory_survives_the_processes_and_not_the_host(
    kind: str, node: int | None, expected: tuple[int, int, CheckpointTier]
) -> None:
    """A software crash, a GPU or a switch leaves the host running; a host that crashes forgets."""
    world = World(strike(189.0, kind, node), **MEMORY, **LOCAL).until(1000.0)
    step, lost, tier = expected

    assert [(step, lost, 0)] == [each[1:] for each in resumed_at(world)]
    assert {tier: 1} == restores(world)


def test_nothing_on_a_node_survives_its_eviction() -> None:
    """The replica of its share is gone, in memory and on disk: the remote one of step 10 is left."""
    world = World(strike(189.0, "crash", 3), **MEMORY, **LOCAL, strikes__strikes_to_evict=1).until(1000.0)

    assert [(10, 8, 0)] == [each[1:] for each in resumed_at(world)]
    assert {REMOTE: 1} == restores(world)


def test_a_job_of_another_size_restores_from_remote() -> None:
    """Each node holds its share of the old layout only."""
    world = World(strike(189.0, "crash", 3), **MEMORY, cluster__spares=0, strikes__strikes_to_evict=1).until(
        1000.0
    )

    assert 64 == world.snapshot.gpus[NodeState.ACTIVE]
    assert {REMOTE: 1} == restores(world)


def test_a_weaker_tier_is_restored_at_its_own_bandwidth() -> None:
    """1 GB over 16 nodes of 12.5 MB/s: 5 s instead of 100 s."""
    seen = [
        World(strike(189.0, "crash", 3, logged=True), **settings).until(1000.0) for settings in ({}, MEMORY)
    ]
    stopped = [world.of(TrainingResumed)[0].stopped_seconds for world in seen]

    assert [252.0, 157.0] == stopped


BUG = strike(189.0, "bug", None)
RESUMED_AT = 180.0 + 30.0 + 30.0 + 90.0 + 5.0 + 30.0
"""30 s after the last beat: a decision, a restart, a restore of 5 s and verification. It is at step 18."""


@pytest.mark.parametrize(
    ("after", "productive", "provisional"), [(0.0, 100.0, 80.0), (19.0, 100.0, 99.0), (25.0, 200.0, 0.0)]
)
def test_work_that_a_weaker_tier_brought_back_is_provisional_until_the_next_remote_save(
    after: float, productive: float, provisional: float
) -> None:
    """Steps 11 to 18 are kept; the remote saves stay on their grid, so that step 20 commits them."""
    snapshot = World(BUG, **MEMORY).until(RESUMED_AT + after).snapshot

    assert 18 <= snapshot.step
    assert productive == snapshot.seconds[Bucket.PRODUCTIVE]
    assert provisional == pytest.approx(snapshot.provisional_seconds)
    assert 4.0 == pytest.approx(snapshot.seconds[Bucket.LOST_WORK])
    assert 0.0 == pytest.approx(ledger_error(snapshot), abs=1e-9)


def test_a_weaker_checkpoint_serves_until_it_is_lost() -> None:
    """Twice from memory, the second time after five more seconds; then the host crashes, too."""
    script = (BUG, strike(RESUMED_AT + 5.0, "crash", 2), strike(RESUMED_AT + 420.0, "silent_crash", 4))
    world = World(*script, **MEMORY, checkpoint__interval_steps=100).until(2000.0)

    assert [(18, 0), (18, 0)] == [(step, lost) for _, step, lost, _ in resumed_at(world)[:2]]
    assert 0 == resumed_at(world)[2][1]
    assert {IN_MEMORY: 2, REMOTE: 1} == restores(world)
    assert 0.0 == pytest.approx(ledger_error(world.snapshot), abs=1e-9)


def test_a_weaker_tier_is_no_help_against_corruption_that_it_holds() -> None:
    """Corrupted in step 15, found by its gradients after step 20: memory holds it, step 10 does not."""
    world = World(strike(145.0, "corrupt", 1), **MEMORY, gradient__every_steps=20).until(1000.0)

    assert [10] == [each[1] for each in resumed_at(world)]
    assert {REMOTE: 1} == restores(world)


def test_corruption_that_nobody_knows_comes_back_from_memory_and_is_baked_in_later() -> None:
    """The crash alone would have washed it out."""
    script = (strike(145.0, "silent", 1), strike(189.0, "bug", None))
    baked = [
        World(*script, **settings).until(2000.0).snapshot.corruptions.outcomes for settings in (MEMORY, {})
    ]

    assert [{"baked": 1}, {"harmless": 1}] == [{str(o): n for o, n in each.items() if n} for each in baked]


def test_saves_of_every_tier_are_counted() -> None:
    """In 215 s two remote saves, ten in memory and four on disk; no other tier is there."""
    snapshot = World(**MEMORY, **LOCAL).until(215.0).snapshot
    saved = {
        tier: n for (tier, outcome), n in snapshot.checkpoints.items() if outcome is CheckpointOutcome.SAVED
    }

    assert {REMOTE: 2, IN_MEMORY: 10, ON_DISK: 4} == saved
    assert {REMOTE: 210.0, IN_MEMORY: 200.0 + 5.0, ON_DISK: 205.0} == snapshot.last_checkpoint_at


def test_a_tier_that_is_off_is_not_there() -> None:
    """No series of it is exported."""
    snapshot = World().until(215.0).snapshot

    assert {REMOTE} == set(snapshot.restores) == set(snapshot.last_checkpoint_at)


def test_a_save_to_a_weaker_tier_may_be_cut_short() -> None:
    """It blocks training for 3 s of every second step; the fault strikes in one."""
    world = World(strike(21.0, "crash", 3), **MEMORY | {"memory__save_seconds": 3.0}).until(400.0)

    assert 1 == world.snapshot.checkpoints[IN_MEMORY, CheckpointOutcome.INTERRUPTED]
    assert 0 == world.snapshot.checkpoints[REMOTE, CheckpointOutcome.INTERRUPTED]


def test_a_replica_that_is_not_complete_is_not_used() -> None:
    """It takes 15 s; that of step 18 is not there yet at 189 s, that of step 16 is."""
    world = World(strike(189.0, "bug", None), **MEMORY | {"memory__write_seconds": 15.0}).until(1000.0)

    assert [16] == [each[1] for each in resumed_at(world)]
