"""Cooling: temperature and rates, racks that are too full, and cooling that fails."""

from collections import Counter
from statistics import fmean, stdev
from typing import Any

import pytest
from scipy.stats import binomtest, poisson

from goodputd.sim.cooling import Racks, declared_thermal_kinds, heat, throttled, warmed
from goodputd.sim.events import FaultOccurred, NodeEvicted
from goodputd.sim.faults import resolve_kinds
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fleet import CoolingSpec
from goodputd.sim.taxonomy import Bucket, NodeState, Slowing
from tests.world import DAY, World, ledger_error, strike

HOUR = 3600.0
RACKS: dict[str, Any] = {"topology__nodes_per_rack": 4, "topology__racks_per_switch": 2}
FAILS: dict[str, Any] = {
    "cooling__failures_per_rack_day": 1e-6,
    "detection__layers": ("hardware",),
    **RACKS,
}
"""So rarely that only what is scripted happens."""


# --- rates


def test_at_the_reference_temperature_rates_are_those_of_the_catalog() -> None:
    """Exactly, whatever the other settings."""
    assert 1.0 == heat(CoolingSpec(inlet_celsius=31.0, reference_celsius=31.0, rise_celsius=12.0))


@pytest.mark.parametrize(("celsius", "expected"), [(15.0, 0.4809), (35.0, 1.9937), (45.0, 3.8247)])
def test_rates_follow_the_arrhenius_law(celsius: float, expected: float) -> None:
    """0.7 eV and chips at 65 degrees: about twice with ten degrees more (worked out by hand)."""
    assert expected == pytest.approx(heat(CoolingSpec(inlet_celsius=celsius)), rel=1e-4)


def test_without_an_activation_energy_temperature_does_nothing() -> None:
    """However hot."""
    assert 1.0 == heat(CoolingSpec(inlet_celsius=60.0, activation_energy_ev=0.0))


@pytest.mark.parametrize(
    ("kind", "grows"),
    [
        (FaultKindSpec(name="hbm", component="memory", per_node_day=1.0), True),
        (FaultKindSpec(name="leaf", component="switch", scope="rack", per_domain_day=1.0), True),
        (FaultKindSpec(name="bug", component="software", per_job_day=1.0), False),
        (FaultKindSpec(name="oops", component="operator", per_node_day=1.0), False),
    ],
)
def test_only_hardware_grows_warm(kind: FaultKindSpec, grows: bool) -> None:
    """Software and operators stay cool."""
    [resolved] = resolve_kinds(FaultsSpec(kinds=(kind,)), None, nodes=1, gpus_per_node=8)
    hot = CoolingSpec(inlet_celsius=35.0)

    assert (heat(hot) if grows else 1.0) * resolved.rate_per_second == warmed(resolved, hot)


def test_a_warmer_hall_has_more_faults() -> None:
    """Poisson at the rate of the law; p > 0.001."""
    crash = FaultKindSpec(name="crash", component="gpu", per_node_day=0.5, event="XID 79")
    world = World(faults__kinds=(crash,), policy__name="always_restart", cooling__inlet_celsius=35.0)
    struck = len(world.until(100 * DAY).of(FaultOccurred))

    assert 0.0005 < poisson.cdf(struck, 16 * 100 * 0.5 * heat(CoolingSpec(inlet_celsius=35.0))) < 0.9995


# --- full racks


@pytest.mark.parametrize(("nodes", "expected"), [(0, 1.0), (4, 1.0), (8, 1.0), (16, 2.0 ** (1 / 3))])
def test_power_goes_with_the_cube_of_the_clock(nodes: int, expected: float) -> None:
    """Twice the heat that is removed takes 26 % more time."""
    assert expected == pytest.approx(throttled(CoolingSpec(watts_per_rack=81_600.0), nodes))


def test_the_fullest_rack_sets_the_pace() -> None:
    """As nodes come and go, on racks that had none before as well."""
    racks = Racks(4, 6)
    seen = [(racks.fullest, racks.active)]
    for node, change in (
        (0, -1),
        (4, -1),
        (1, -1),
        (9, 1),
        (10, 1),
        (8, 1),
        (2, -1),
        (3, -1),
        (5, -1),
        (11, 1),
    ):
        racks.moved(node, change)
        seen.append((racks.fullest, racks.active))

    assert [
        (4, 2), (3, 2), (3, 2), (2, 2), (2, 3), (2, 3), (3, 3), (3, 3), (3, 2), (3, 1), (4, 1)
    ] == seen  # fmt: skip


def test_no_nodes_fill_no_rack() -> None:
    """The last one left."""
    racks = Racks(4, 1)
    racks.moved(0, -1)

    assert (0, 0) == (racks.fullest, racks.active)


def test_a_rack_that_is_too_full_slows_the_job_to_what_can_be_cooled() -> None:
    """Four nodes of 10.2 kW on racks that take 20.4 kW: the cube root of 2, in productive time."""
    factor = 2.0 ** (1 / 3)
    world = World(cooling__watts_per_rack=20_400.0, **RACKS).until(40 * (100.0 * factor + 5.0))

    assert 400 == world.snapshot.steps
    assert (4000.0 * factor, 0.0) == pytest.approx(
        (world.spent(Bucket.PRODUCTIVE), world.spent(Bucket.STRAGGLER))
    )
    assert factor == pytest.approx(world.snapshot.step_time.ratios[Slowing.COOLING])


# --- cooling that fails


def test_no_failures_are_no_kinds() -> None:
    """And a share of nothing is none."""
    assert () == declared_thermal_kinds(CoolingSpec())
    assert ["thermal_shutdown"] == [
        kind.name
        for kind in declared_thermal_kinds(CoolingSpec(failures_per_rack_day=1.0, shutdown_share=1.0))
    ]


def test_a_rack_that_is_shut_down_takes_its_nodes_with_it() -> None:
    """One fault, four nodes, one interruption."""
    world = World(strike(HOUR, "thermal_shutdown", 5, logged=True), **FAILS).until(HOUR)

    assert 4 == world.snapshot.nodes[NodeState.FAILED]
    assert 1 == world.until(2 * HOUR).snapshot.total_interruptions


def test_a_throttled_rack_slows_the_job() -> None:
    """By its factor, and nobody is down; the excess is straggler time."""
    world = World(
        strike(1000.0, "thermal_throttle", 5),
        **FAILS | {"detection__layers": ()},
        checkpoint__save_seconds=0.0,
    ).until(2500.0)

    assert 0 == world.snapshot.nodes[NodeState.FAILED]
    assert 200 == world.snapshot.steps
    assert 500.0 == pytest.approx(world.spent(Bucket.STRAGGLER))
    assert ledger_error(world.snapshot) < 1e-6


def test_a_throttled_rack_is_evicted_as_a_whole() -> None:
    """Where the policy evicts slow ranks, and there are spares for it."""
    world = World(
        strike(HOUR, "thermal_throttle", 5, logged=True), strikes__on_slow="evict", cluster__spares=4, **FAILS
    ).until(2 * HOUR)

    assert [4, 5, 6, 7] == sorted(fact.node for fact in world.of(NodeEvicted))


def test_failures_come_at_their_rate_and_are_shared_out() -> None:
    """Four racks for 400 days; Poisson in all and binomial by share, p > 0.001 each."""
    world = World(
        cooling__failures_per_rack_day=0.3,
        cooling__shutdown_share=0.3,
        cooling__transient_probability=1.0,
        policy__name="always_restart",
        **RACKS,
    ).until(400 * DAY)
    counted = Counter(fact.kind for fact in world.of(FaultOccurred))

    assert 0.0005 < poisson.cdf(counted.total(), 4 * 400 * 0.3) < 0.9995
    assert binomtest(counted["thermal_shutdown"], counted.total(), 0.3).pvalue > 0.001


def test_expected_interruptions_count_cooling() -> None:
    """Observed minus expected over 60 seeds is 0 within 3.3 standard errors, 0.1 % of tries."""
    scores = []
    for seed in range(60):
        world = World(
            seed=seed,
            faults__during_recovery=False,
            cooling__failures_per_rack_day=0.2,
            cooling__inlet_celsius=32.0,
            cooling__watts_per_rack=30_000.0,
            detection__layers=("hardware",),
            policy__name="window",
            window__failures=2,
            cluster__spares=10,
            **RACKS,
        ).until(60 * DAY)
        scores.append(world.surprise)

    assert abs(fmean(scores)) < 3.3 * stdev(scores) / 60**0.5
