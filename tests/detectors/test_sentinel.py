"""The layer ``sentinel``: what a corruption leaves behind in the kernel."""

import pytest

from goodputd.detectors.sentinel import Sentinel, SentinelSpec
from goodputd.sim.events import DetectionRaised
from goodputd.sim.observation import CorruptState, JobView, Observation, WrongRank
from goodputd.sim.taxonomy import Layer
from tests.world import World, strike


def wrong(uniform: float) -> Observation:
    """A bit that flipped at 100 s."""
    rank = WrongRank(False, uniform, 0.99, (0.99, 0.99), (0.5, 0.5))
    return Observation(
        100.0, None, None, 95.0, None, None, 0.0, 10.0, 0.0, 0.0, 0.5, CorruptState(None, 0.0, 0.0, rank)
    )


@pytest.mark.parametrize(("uniform", "claim"), [(0.0, 160.0), (0.39, 160.0), (0.4, None)])
def test_a_share_of_corruptions_leaves_something(uniform: float, claim: float | None) -> None:
    """40 % by default, understood after a minute; transient ones as well."""
    assert claim == Sentinel(SentinelSpec()).claims_at(wrong(uniform))


def test_corrupt_state_leaves_nothing() -> None:
    """Nor does a fault that corrupts nothing."""
    state, harmless = wrong(0.0), wrong(0.0)
    assert state.corrupt is not None
    state.corrupt.rank = None
    harmless.corrupt = None

    assert [None, None] == [Sentinel(SentinelSpec()).claims_at(each) for each in (state, harmless)]


def test_it_does_not_cry_wolf() -> None:
    """No figure says how often it would."""
    assert 0.0 == Sentinel(SentinelSpec()).false_alarms_per_second(JobView(2048, 16384, 5.9, 1.0))


def test_the_timeout_is_the_delay() -> None:
    """What is shown as the layer's setting in force."""
    assert 30.0 == Sentinel(SentinelSpec(delay_seconds=30.0)).timeout_seconds


def test_it_names_the_node() -> None:
    """A minute after the corruption, before a checkpoint holds it."""
    world = World(
        strike(120.0, "silent", 5), detection__layers=("heartbeat", "sentinel"), sentinel__coverage=1.0
    ).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert (180.0, Layer.SENTINEL, 5) == (raised.at, raised.layer, raised.node)
