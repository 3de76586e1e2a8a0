"""The layer ``shadow``: what it finds, and that every step takes longer for it."""

from typing import Any

import pytest

from goodputd.detectors.shadow import Shadow
from goodputd.sim.events import DetectionRaised
from goodputd.sim.observation import CorruptState, JobView, Observation, WrongRank
from goodputd.sim.specs.detection import ShadowSpec
from goodputd.sim.taxonomy import Bucket, Layer
from tests.world import World, ledger_error, strike


def wrong(uniform: float, *, is_defect: bool) -> Observation:
    """A rank that computes wrongly since 104 s, steps of 10 s since 0 s."""
    rank = WrongRank(is_defect, 0.99, uniform, (0.99, 0.99), (0.5, 0.5))
    return Observation(
        104.0, None, None, 100.0, None, None, 0.0, 10.0, 0.0, 0.0, 0.5, CorruptState(None, 0.0, 0.0, rank)
    )


@pytest.mark.parametrize(("uniform", "claim"), [(0.0, 110.0), (0.09, 110.0), (0.1, None), (0.9, None)])
def test_a_bit_that_flipped_once_must_be_in_the_share(uniform: float, claim: float | None) -> None:
    """Otherwise nobody repeats that step."""
    assert claim == Shadow(ShadowSpec(share=0.1)).claims_at(wrong(uniform, is_defect=False))


@pytest.mark.parametrize(("uniform", "claim"), [(0.05, 110.0), (0.15, 120.0), (0.25, 130.0), (0.9, 320.0)])
def test_a_defect_gets_its_chance_in_every_step(uniform: float, claim: float) -> None:
    """The quantile of a geometric number of steps with 0.1 each: 0.1, 0.19, 0.271 and 0.9 after 22."""
    assert claim == Shadow(ShadowSpec(share=0.1)).claims_at(wrong(uniform, is_defect=True))


@pytest.mark.parametrize("share", [0.0, 1e-300])
def test_without_a_share_worth_mentioning_nothing_is_repeated(share: float) -> None:
    """Nor found."""
    assert Shadow(ShadowSpec(share=share)).claims_at(wrong(0.5, is_defect=True)) is None


def test_all_of_it_finds_everything_at_the_end_of_the_step() -> None:
    """Whatever the luck."""
    layer = Shadow(ShadowSpec(share=1.0))

    assert {110.0} == {layer.claims_at(wrong(u, is_defect=d)) for u in (0.0, 0.999) for d in (False, True)}


def test_it_never_cries_wolf() -> None:
    """The arithmetic of two ranks is the same."""
    assert 0.0 == Shadow(ShadowSpec()).false_alarms_per_second(JobView(2048, 16384, 5.9, 1.0))


SHADOWED: dict[str, Any] = {"detection__layers": ("heartbeat", "shadow"), "shadow__seconds_per_step": 0.5}


def test_every_step_takes_longer() -> None:
    """Ten steps of 10 s with 0.5 s each and a save of 5 s: a cycle of 110 s."""
    world = World(**SHADOWED).until(1100.0)

    assert (50.0, 50.0, 1000.0) == tuple(
        pytest.approx(world.spent(bucket))
        for bucket in (Bucket.VALIDATION, Bucket.CHECKPOINT_SAVE, Bucket.PRODUCTIVE)
    )


def test_it_runs_beside_validation() -> None:
    """3 s more each cycle; both are in the same bucket."""
    world = World(**SHADOWED | {"detection__layers": ("shadow", "validation")}).until(1130.0)

    assert 80.0 == pytest.approx(world.spent(Bucket.VALIDATION))
    assert ledger_error(world.snapshot) < 1e-9


def test_a_mismatch_names_the_node_and_rolls_back() -> None:
    """In the step of the corruption, before anything is saved."""
    world = World(strike(120.0, "silent", 5), **SHADOWED, shadow__share=1.0).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert (Layer.SHADOW, 5, True) == (raised.layer, raised.node, 120.0 < raised.at <= 131.0)
