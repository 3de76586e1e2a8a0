"""Quick succession: after corruption was found, saves and validations come more often for a while."""

from typing import Any

import pytest

from goodputd.sim.events import DetectionRaised, TrainingResumed
from goodputd.sim.taxonomy import Bucket, Layer
from tests.world import World, ledger_error, strike

HYPER: dict[str, Any] = {
    "detection__layers": ("heartbeat", "hardware", "validation"),
    "checkpoint__interval_steps": 20,
    "validation__every_steps": 20,
    "corruption__hyper_factor": 4.0,
    "corruption__hyper_hours": 1.0,
}
"""Steps of 10 s, every twentieth validated for 3 s and saved for 5 s; five after a find, for an hour."""
FOUND = strike(150.0, "silent", 3)
RESUMED_AT = 203.0 + 250.0


def interval(world: World) -> float:
    """Seconds of training between two saves."""
    return world.snapshot.checkpoint_interval_seconds


def test_intervals_shrink_after_a_find_and_grow_again() -> None:
    """For an hour from the resume."""
    world = World(FOUND, **HYPER)
    seen = [
        interval(world.until(at))
        for at in (200.0, RESUMED_AT + 1.0, RESUMED_AT + 3599.0, RESUMED_AT + 3601.0)
    ]

    assert [RESUMED_AT] == [resumed.at for resumed in world.of(TrainingResumed)]
    assert [200.0, 50.0, 50.0, 200.0] == seen


def test_saves_and_validations_stay_together() -> None:
    """Cycles of 5 steps, 3 s and 5 s: 58 s, from step 0; then from the last of them cycles of 208 s."""
    world = World(FOUND, **HYPER).until(RESUMED_AT + 3600.0)
    quick = int(3600.0 // 58.0)
    before = world.snapshot
    world.until(RESUMED_AT + 3600.0 + 5 * 208.0)
    after = world.snapshot

    assert 3.0 * (1 + quick) == pytest.approx(before.seconds[Bucket.VALIDATION])
    assert 5.0 * quick == pytest.approx(before.seconds[Bucket.CHECKPOINT_SAVE])
    assert 5 * 5.0 == pytest.approx(
        after.seconds[Bucket.CHECKPOINT_SAVE] - before.seconds[Bucket.CHECKPOINT_SAVE], abs=5.0
    )
    assert ledger_error(after) < 1e-6


def test_corruption_in_that_time_is_found_sooner() -> None:
    """Within five steps instead of twenty."""
    world = World(FOUND, strike(RESUMED_AT + 61.0, "silent", 4), **HYPER).until(3000.0)
    first, second = world.of(DetectionRaised)

    assert (53.0, 50.0) == (first.latency_seconds, second.latency_seconds)
    assert {Layer.VALIDATION} == {first.layer, second.layer}


def test_another_find_prolongs_it() -> None:
    """An hour from the last resume."""
    world = World(FOUND, strike(RESUMED_AT + 1800.0, "silent", 4), **HYPER).until(RESUMED_AT + 3700.0)

    assert 50.0 == interval(world)
    assert 200.0 == interval(world.until(RESUMED_AT + 1800.0 + 250.0 + 3600.0 + 60.0))


def test_other_incidents_do_not_start_it() -> None:
    """A crash is no corruption."""
    world = World(strike(150.0, "crash", 3, logged=True), **HYPER).until(2000.0)

    assert 200.0 == interval(world)


def test_it_ends_in_the_middle_of_anything() -> None:
    """Whatever is in flight then goes on, at the speed of a straggler as well; no second is lost."""
    for shift in range(0, 200, 7):
        script = (strike(150.0, "silent", 3), strike(RESUMED_AT + 1.0 + 0.3 * shift, "blind_slow", 2))
        world = World(
            *script,
            **HYPER | {"corruption__hyper_hours": (1000.0 + shift) / 3600.0},
            checkpoint__write_seconds=30.0,
        ).until(3000.0)

        assert ledger_error(world.snapshot) < 1e-6
