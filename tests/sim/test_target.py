"""The end of a job: its last step, and what becomes of the work that no checkpoint holds."""

from typing import Any

import pytest

from goodputd.sim.taxonomy import Bucket, JobState
from tests.world import World, ledger_error, strike

BLIND: dict[str, Any] = {"detection__layers": ("heartbeat", "hardware"), "checkpoint__keep": 99}
"""Steps of 10 s, a save of 5 s after every tenth; nothing sees corruption."""


def test_a_completed_job_hands_over_its_result() -> None:
    """34 steps, the last four of which no checkpoint holds: all of them count."""
    snapshot = World(job__target_steps=34, **BLIND).until(1000.0).snapshot

    assert (JobState.COMPLETED, 34, 355.0) == (snapshot.job_state, snapshot.step, snapshot.now)
    assert (340.0, 0.0) == (snapshot.seconds[Bucket.PRODUCTIVE], snapshot.provisional_seconds)
    assert ledger_error(snapshot) < 1e-6


def test_a_corrupt_result_counts_up_to_the_last_clean_checkpoint() -> None:
    """Corrupted in step 25 of 34: what follows step 20 is void."""
    snapshot = World(strike(260.0, "silent"), job__target_steps=34, **BLIND).until(1000.0).snapshot

    assert (20, 4, 10) == (snapshot.step, snapshot.lost_steps, snapshot.retracted_steps)
    assert 200.0 / 355.0 == pytest.approx(snapshot.effective_training_time_ratio)


def test_what_is_played_up_to_a_step_before_the_target_stays_provisional() -> None:
    """Whoever stops looking at step 24 has not completed the job."""
    snapshot = World(job__target_steps=34, until_step=24, **BLIND).until(1000.0).snapshot

    assert (24, 40.0) == (snapshot.step, snapshot.provisional_seconds)


def test_a_job_is_not_played_past_its_target() -> None:
    """Asked for step 60, a job of 34 ends at 34."""
    world = World(job__target_steps=34, until_step=60, **BLIND).until(1000.0)

    assert (34, 34) == (world.simulation.target_step, world.snapshot.step)


def test_a_job_without_a_target_trains_on() -> None:
    """There is no step that completes it."""
    world = World(**BLIND).until(1e6)

    assert (None, False) == (world.simulation.target_step, world.simulation.completed)


def test_nothing_happens_after_a_completed_job() -> None:
    """Whoever plays on for a year finds no candidate, burst or cooling failure that was drawn for nobody."""
    world = World(
        job__target_steps=34,
        bursts__multiplier=2.0,
        cooling__failures_per_rack_day=0.01,
        **BLIND,
    ).until(365 * 86400.0)

    assert None is world.simulation.next_event_at()
