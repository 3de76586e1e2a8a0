"""The layer ``validation``: what it claims, and that training pauses for it."""

from dataclasses import replace

import pytest

from goodputd.detectors.validation import Validation
from goodputd.sim.events import DetectionRaised
from goodputd.sim.observation import CorruptState, JobView, Observation
from goodputd.sim.specs.detection import ValidationSpec
from goodputd.sim.taxonomy import Bucket, Layer
from tests.world import World, strike

LAYERS = {"detection__layers": ("heartbeat", "validation")}


def corrupt(validation_ends_at: float | None, uniform: float = 0.0) -> Observation:
    """What silent corruption at 100 s shows."""
    return Observation(
        100.0,
        None,
        None,
        95.0,
        None,
        None,
        0.0,
        10.0,
        0.0,
        0.0,
        0.5,
        CorruptState(validation_ends_at, uniform, 0.0, None),
    )


def test_the_claim_is_the_end_of_the_first_validation() -> None:
    """Not its beginning: the result is known when it is over."""
    assert 203.0 == Validation(ValidationSpec(every_steps=10)).claims_at(corrupt(203.0))


def test_what_is_never_validated_is_never_claimed() -> None:
    """Nor is a fault that corrupts nothing."""
    layer = Validation(ValidationSpec(every_steps=10))
    harmless = replace(corrupt(203.0), corrupt=None)

    assert [None, None] == [layer.claims_at(each) for each in (corrupt(None), harmless)]


@pytest.mark.parametrize(("uniform", "claim"), [(0.0, 203.0), (0.29, 203.0), (0.3, None), (0.99, None)])
def test_coverage_is_the_share_of_corruptions_that_are_seen(uniform: float, claim: float | None) -> None:
    """The uniform belongs to the fault: what one validation misses all miss."""
    layer = Validation(ValidationSpec(every_steps=10, coverage=0.3))

    assert claim == layer.claims_at(corrupt(203.0, uniform))


def test_it_never_cries_wolf() -> None:
    """It compares with a known result."""
    assert 0.0 == Validation(ValidationSpec()).false_alarms_per_second(JobView(2048, 16384, 5.9, 1.0))


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        (ValidationSpec(every_steps=7), 7),
        (ValidationSpec(interval_seconds=472.0), 80),
        (ValidationSpec(interval_seconds=1.0), 1),
    ],
)
def test_the_interval_is_whole_steps(spec: ValidationSpec, steps: int) -> None:
    """Seconds are rounded to steps, at least one."""
    assert steps == spec.steps(5.9)


def test_training_pauses_for_it() -> None:
    """Ten steps of 10 s, 3 s of validation and 5 s of save: a cycle of 108 s."""
    world = World(**LAYERS).until(1080.0)

    assert (30.0, 50.0, 1000.0) == tuple(
        pytest.approx(world.spent(bucket))
        for bucket in (Bucket.VALIDATION, Bucket.CHECKPOINT_SAVE, Bucket.PRODUCTIVE)
    )


def test_it_finds_the_state_and_not_the_node() -> None:
    """Corrupted at 150 s, in the second cycle, which is validated at 208 + 3 s."""
    world = World(strike(150.0, "silent", 5), **LAYERS).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert (211.0, Layer.VALIDATION, None) == (raised.at, raised.layer, raised.node)
