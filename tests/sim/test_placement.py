"""Placement: what it costs that collectives cross racks and switches."""

from typing import Any

import pytest

from goodputd.sim.fleet import Domains
from goodputd.sim.placement import Placement
from goodputd.sim.specs.fleet import PlacementSpec
from goodputd.sim.taxonomy import Slowing
from tests.world import World, strike

COSTLY: dict[str, Any] = {
    "placement__communication_share": 0.2,
    "placement__rack_hop_factor": 2.0,
    "placement__switch_hop_factor": 4.0,
    "topology__nodes_per_rack": 4,
    "topology__racks_per_switch": 2,
}
"""Sixteen nodes in four racks behind two switches; the spares 16 and 17 have one of each of their own."""
PACKED = 1.0 + 0.2 * (4 / 16 * 1.0 + 2 / 16 * 2.0)
"""Of 16 hops four leave a rack, two of which leave the switch as well."""
HOPS: dict[str, Any] = {"communication_share": 0.5, "rack_hop_factor": 2.0, "switch_hop_factor": 3.0}


def factor(nodes: int, layout: Any = "packed") -> float:  # noqa: ANN401 - one of two words
    """Of the first nodes of racks of four, two to a switch."""
    return Placement(PlacementSpec(layout=layout, **HOPS), Domains(4, nodes), Domains(8, nodes)).factor(nodes)


@pytest.mark.parametrize(
    ("nodes", "packed", "spread"),
    [
        (4, 1.0, 1.0),
        (8, 1.0 + 0.5 * 2 / 8, 1.0 + 0.5 * 1.0),
        (16, 1.0 + 0.5 * (4 / 16 + 2 / 16), 1.0 + 0.5 * 2.0),
        (4096, 1.0 + 0.5 * (1 / 4 + 1 / 8), 1.0 + 0.5 * 2.0),
    ],
)
def test_a_step_costs_the_mean_of_its_hops(nodes: int, packed: float, spread: float) -> None:
    """Within a rack nothing, behind a switch the racks, beyond it both; spread, every hop pays."""
    assert (packed, spread) == pytest.approx((factor(nodes), factor(nodes, "spread")))


def test_the_job_steps_at_the_pace_of_its_placement() -> None:
    """A cycle of ten steps and a save, forty times."""
    world = World(**COSTLY).until(40 * (100.0 * PACKED + 5.0))

    assert 400 == world.snapshot.steps
    assert pytest.approx(PACKED) == world.snapshot.step_time.ratios[Slowing.PLACEMENT]


def test_evictions_make_a_packed_job_cross_more_racks() -> None:
    """A spare from another rack, behind another switch, takes a place: five racks, three switches."""
    world = World(strike(1000.0, "crash", 3), policy__name="always_evict", **COSTLY).until(5000.0)
    expected = 1.0 + 0.2 * (5 / 16 * 1.0 + 3 / 16 * 2.0)

    assert pytest.approx(expected) == world.snapshot.step_time.ratios[Slowing.PLACEMENT]
    assert pytest.approx(10.0 * expected) == world.snapshot.step_time.seconds


def test_a_job_without_nodes_has_no_pace() -> None:
    """It waits for one to be repaired, and is slow only by what is left to say."""
    world = World(
        strike(1000.0, "crash", 3), policy__name="always_evict", cluster__nodes=8, cluster__spares=0, **COSTLY
    ).until(5000.0)

    assert {1.0} == set(world.snapshot.step_time.ratios.values())


def test_hops_that_cost_nothing_change_nothing() -> None:
    """No domain is followed and no step time is touched."""
    plain = World(placement__layout="spread", placement__communication_share=0.5)

    assert plain.simulation._state.cluster.fleet is None  # noqa: SLF001 - that is the point


def test_the_ratios_by_cause_multiply_to_the_step_time() -> None:
    """A shrunk, noisy job with a slow rank, placed across racks and cooled too little."""
    world = World(
        strike(1000.0, "crash", 3),
        strike(20_000.0, "slow", 12),
        policy__name="always_evict",
        cluster__spares=0,
        job__on_shrink="same_batch",
        detection__layers=("hardware", "heartbeat"),
        noise__step_sigma=0.02,
        noise__delays_per_node_step=0.1,
        cooling__watts_per_rack=30_000.0,
        **COSTLY,
    ).until(21_000.0)
    ratios = world.snapshot.step_time.ratios
    product = 10.0
    for ratio in ratios.values():
        product *= ratio

    assert {Slowing.POOL} == {cause for cause, ratio in ratios.items() if ratio == 1.0}
    assert (2.0, pytest.approx(product)) == (ratios[Slowing.SHRINK], world.snapshot.step_time.seconds)
