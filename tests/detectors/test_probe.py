"""The layer ``probe``: the same rounds, shorter and more often."""

import pytest

from goodputd.detectors.probe import Probe, ProbeSpec
from goodputd.sim.events import DetectionRaised
from goodputd.sim.observation import CorruptState, Observation, WrongRank
from goodputd.sim.taxonomy import Layer
from tests.world import DAY, World, strike


def wrong(chance: float = 0.0) -> Observation:
    """A rank that computes wrongly since the start; the chances and phases of scans are out of the way."""
    rank = WrongRank(
        is_defect=True, sentinel_uniform=0.99, shadow_uniform=0.99, chances=(0.99, chance), phases=(0.99, 0.5)
    )
    corrupt = CorruptState(None, 0.0, 0.0, rank)
    return Observation(0.0, None, None, 0.0, None, None, 0.0, 10.0, 0.0, 0.0, 0.5, corrupt)


def test_each_node_has_its_turn_once_a_period() -> None:
    """Every 15 days, half a period in."""
    assert 7.5 * DAY == pytest.approx(Probe(ProbeSpec()).claims_at(wrong()))


@pytest.mark.parametrize(("chance", "found"), [(0.69, True), (0.7, False)])
def test_coverage_is_the_share_of_defects_that_it_can_find(chance: float, found: bool) -> None:
    """70 % by default."""
    assert found == (Probe(ProbeSpec()).claims_at(wrong(chance)) is not None)


def test_probes_and_scans_have_luck_and_turns_of_their_own() -> None:
    """Of 40 nodes, some are probed first and some scanned, with the same period."""
    firsts = set()
    for seed in range(40):
        world = World(
            strike(150.0, "silent", 5, transient=False),
            seed=seed,
            detection__layers=("heartbeat", "probe", "scan"),
            probe__period_days=1.0,
            scan__period_days=1.0,
            probe__coverage=1.0,
            scan__coverage=1.0,
        ).until(DAY)
        firsts.add(world.of(DetectionRaised)[0].layer)

    assert {Layer.PROBE, Layer.SCAN} == firsts
