"""Checkpoints that cannot be read, and those that are saved with the last breath."""

import pytest

from goodputd.sim.events import StageFinished, TrainingResumed
from goodputd.sim.taxonomy import Bucket, CheckpointOutcome, CheckpointTier, StageName
from tests.world import World, strike

CRASH = strike(1000.0, "crash", 3, logged=True)
"""In step 96: nine saves are durable, the newest of step 90 at 945 s."""


def resumed_at(world: World) -> list[tuple[int, int, int]]:
    """(step, lost, retracted) of every resume."""
    return [(r.step, r.lost_steps, r.retracted_steps) for r in world.of(TrainingResumed)]


# --- unreadable


def test_when_nothing_can_be_read_the_job_starts_anew() -> None:
    """Five checkpoints are kept; each is tried for 100 s, and the initial state for another 100 s."""
    world = World(CRASH, checkpoint__unreadable_probability=1.0).until(3000.0)
    [restore] = [s.seconds for s in world.of(StageFinished) if s.stage is StageName.RESTORE]

    assert [(0, 5, 90)] == resumed_at(world)
    assert 600.0 == restore
    assert 5 == world.snapshot.checkpoints[CheckpointTier.REMOTE, CheckpointOutcome.UNREADABLE]


def test_each_checkpoint_is_unreadable_with_the_given_chance() -> None:
    """300 crashes at 0.3: the number of tries in vain is geometric with mean 3/7, sd 0.78.

    Within 3.3 standard errors of 0.045: alpha = 0.001.
    """
    script = [strike(5000.0 * n, "crash", n % 16, logged=True) for n in range(1, 301)]
    world = World(
        *script, checkpoint__unreadable_probability=0.3, checkpoint__keep=40, strikes__strikes_to_evict=0
    ).until(5000.0 * 301)
    unreadable = world.snapshot.checkpoints[CheckpointTier.REMOTE, CheckpointOutcome.UNREADABLE]

    assert 300 == len(world.of(TrainingResumed))
    assert 3 / 7 == pytest.approx(unreadable / 300, abs=3.3 * 0.045)


def test_the_same_checkpoint_stays_unreadable_in_one_incident() -> None:
    """A second crash during the recovery does not make it readable."""
    for seed in range(40):
        world = World(
            CRASH, strike(1050.0, "crash", 4, logged=True), seed=seed, checkpoint__unreadable_probability=0.5
        ).until(3000.0)
        alone = World(CRASH, seed=seed, checkpoint__unreadable_probability=0.5).until(3000.0)

        assert resumed_at(alone) == resumed_at(world)


# --- the last gasp

GASPS = {"checkpoint__last_gasp_probability": 1.0}


def test_the_survivors_save_where_they_stand() -> None:
    """Step 95 was the last whole one; five seconds of step 96 are lost."""
    world = World(CRASH, **GASPS).until(2000.0)
    snapshot = world.snapshot

    assert [(95, 0, 0)] == resumed_at(world)
    assert 5.0 == pytest.approx(snapshot.seconds[Bucket.LOST_WORK])


def test_it_takes_its_time_beside_the_diagnosis() -> None:
    """60 s instead of the 30 s of deciding."""
    decided = [
        next(s.seconds for s in World(CRASH, **settings).until(2000.0).of(StageFinished))
        for settings in ({}, GASPS, GASPS | {"checkpoint__last_gasp_seconds": 10.0})
    ]

    assert [30.0, 60.0, 30.0] == decided


def test_a_second_fault_in_the_meantime_ends_it() -> None:
    """Detected at 1032 s: nothing new is saved."""
    world = World(CRASH, strike(1030.0, "crash", 4, logged=True), **GASPS).until(2000.0)

    assert [(90, 5, 0)] == resumed_at(world)


def test_nobody_saves_a_state_that_is_known_to_be_corrupt() -> None:
    """Found by its gradients; back to the last clean checkpoint."""
    world = World(strike(945.0 + 5.0, "corrupt", 1), **GASPS).until(2000.0)

    assert [90] == [step for step, _, _ in resumed_at(world)]


def test_a_last_gasp_bakes_in_what_nobody_knows() -> None:
    """The crash would have washed it out."""
    world = World(strike(950.0, "silent", 1), CRASH, **GASPS).until(2000.0)

    assert {"baked": 1} == {str(o): n for o, n in world.snapshot.corruptions.outcomes.items() if n}


def test_it_succeeds_with_the_given_chance() -> None:
    """300 crashes at 0.4: 120 keep every whole step, within 3.3 standard errors, alpha = 0.001."""
    script = [strike(1000.0 * n + 50.0, "crash", n % 16, logged=True) for n in range(1, 301)]
    world = World(*script, checkpoint__last_gasp_probability=0.4, strikes__strikes_to_evict=0).until(
        1000.0 * 302
    )
    kept = sum(lost == 0 for _, lost, _ in resumed_at(world))
    on_the_grid = sum(lost == 0 and step % 10 == 0 for step, lost, _ in resumed_at(world))

    assert 300 == len(resumed_at(world))
    assert 120 == pytest.approx(kept - on_the_grid * 0.6, abs=3.3 * (300 * 0.4 * 0.6) ** 0.5)
