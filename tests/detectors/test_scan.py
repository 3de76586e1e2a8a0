"""The layer ``scan``: rounds of thorough tests, whether the defect is at work or at rest."""

from typing import Any

import pytest

from goodputd.detectors.scan import Scan, ScanSpec
from goodputd.sim.events import DecisionMade, DetectionRaised, NodeEvicted
from goodputd.sim.observation import CorruptState, JobView, Observation, WrongRank
from goodputd.sim.taxonomy import Layer
from tests.world import DAY, World, strike


def wrong(
    at: float = 0.0, *, is_defect: bool = True, chance: float = 0.0, phase: float = 0.25
) -> Observation:
    """A rank that computes wrongly since ``at``; the chances and phases of probes are out of the way."""
    rank = WrongRank(is_defect, 0.99, 0.99, (chance, 0.99), (phase, 0.99))
    corrupt = CorruptState(None, 0.0, 0.0, rank)
    return Observation(at, None, None, at, None, None, 0.0, 10.0, 0.0, 0.0, 0.5, corrupt)


@pytest.mark.parametrize(
    ("at", "scan"), [(0.0, 10.0), (9.99, 10.0), (10.0, 50.0), (49.0, 50.0), (130.0, 170.0)]
)
def test_each_node_has_its_turn_once_a_period(at: float, scan: float) -> None:
    """Days, every forty, a quarter of a period in."""
    layer = Scan(ScanSpec(period_days=40.0))

    assert scan * DAY == pytest.approx(layer.claims_at(wrong(at * DAY)))


@pytest.mark.parametrize(("chance", "found"), [(0.0, True), (0.92, True), (0.93, False), (0.99, False)])
def test_coverage_is_the_share_of_defects_that_it_can_find(chance: float, found: bool) -> None:
    """93 % by default."""
    assert found == (Scan(ScanSpec()).claims_at(wrong(chance=chance)) is not None)


def test_what_does_not_do_it_again_is_not_found() -> None:
    """Nor is state that is corrupt, or a fault that corrupts nothing."""
    gone = wrong()
    assert gone.corrupt is not None
    gone.corrupt.rank = None
    harmless = wrong()
    harmless.corrupt = None

    assert [None] * 3 == [
        Scan(ScanSpec()).claims_at(each) for each in (wrong(is_defect=False), gone, harmless)
    ]


def test_it_never_cries_wolf() -> None:
    """It compares with a known result."""
    assert 0.0 == Scan(ScanSpec()).false_alarms_per_second(JobView(2048, 16384, 5.9, 1.0))


# --- in a history

SCANNED: dict[str, Any] = {
    "detection__layers": ("heartbeat", "hardware", "scan"),
    "scan__coverage": 1.0,
    "scan__period_days": 1.0,
}
"""Nothing else sees silent corruption; every node is scanned once a day."""


def test_a_scan_names_the_node() -> None:
    """Within a day of the corruption."""
    world = World(strike(150.0, "silent", 5, transient=False), **SCANNED).until(DAY)
    raised = world.of(DetectionRaised)[0]

    assert (Layer.SCAN, 5) == (raised.layer, raised.node)


def test_a_defect_at_rest_is_found_as_well() -> None:
    """A crash at 200 s restarts the job; the defect would strike again after a hundred hours of training."""
    seen = []
    for seed in range(8):
        world = World(
            strike(150.0, "silent", 5, transient=False),
            strike(200.0, "crash", 6, logged=True),
            **SCANNED,
            seed=seed,
            faults__recurrence_hours=1e5,
            strikes__strikes_to_evict=1,
        ).until(1.1 * DAY)
        seen += [(r.layer, r.node) for r in world.of(DetectionRaised) if r.node == 5]
        assert 5 in {evicted.node for evicted in world.of(NodeEvicted)}

    assert [(Layer.SCAN, 5)] * 8 == seen


def test_a_scan_of_a_node_that_left_the_job_stops_nobody() -> None:
    """It was evicted for another reason, and its defect with it."""
    world = World(
        strike(150.0, "silent", 5, transient=False),
        strike(200.0, "crash", 5, logged=True),
        **SCANNED,
        strikes__strikes_to_evict=1,
    ).until(3 * DAY)

    assert [Layer.HARDWARE] == [raised.layer for raised in world.of(DetectionRaised)]


def test_a_defect_is_evicted_with_the_second_find() -> None:
    """The first is a strike like any other; by the next round, at the latest, it is out."""
    world = World(strike(150.0, "silent", 5, transient=False), **SCANNED).until(4 * DAY)

    assert [1, 2] == [decision.strikes for decision in world.of(DecisionMade)]
    assert [5] == [evicted.node for evicted in world.of(NodeEvicted)]
