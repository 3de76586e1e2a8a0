"""Faults that come with the age of a node: who is next, what repair renews, and what a restart does not."""

from statistics import fmean, stdev
from typing import Any

import pytest
from scipy.stats import kstest, poisson

from goodputd.sim.aging import Aging
from goodputd.sim.events import FaultOccurred, NodeEvicted, NodeReturned
from goodputd.sim.faults import resolve_kinds
from goodputd.sim.fleet import Fleet
from goodputd.sim.lifetimes import Lifetime
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fleet import LemonsSpec
from tests.world import DAY, World

WEAR = FaultKindSpec(
    name="wear", component="gpu", per_node_day=0.1, event="XID 79", arrival="weibull", shape=3.0
)
INFANT = FaultKindSpec(
    name="infant", component="gpu", per_node_day=0.1, event="XID 79", arrival="weibull", shape=0.6
)
QUICK: dict[str, Any] = {
    "detection__layers": ("hardware",),
    "hardware__delay_seconds": 0.0,
    "recovery__decide_seconds": 0.0,
    "recovery__reschedule_seconds": 0.0,
    "recovery__collective_init_seconds": 0.0,
    "recovery__compile_seconds": 0.0,
    "recovery__verify_seconds": 0.0,
    "checkpoint__size_bytes": 1.0,
    "checkpoint__save_seconds": 0.0,
}
"""Nothing takes time, so that running time is elapsed time."""


def aging(spec: FaultKindSpec, nodes: int = 1000, seed: int = 1) -> Aging:
    """New nodes, all in the job."""
    kinds = resolve_kinds(FaultsSpec(kinds=(spec,)), None, nodes=nodes, gpus_per_node=8)
    fleet = Fleet(LemonsSpec(), (), nodes=nodes, job_nodes=nodes, seed=seed)
    return Aging(seed, kinds, fleet, nodes)


def strikes(held: Aging, until: float) -> list[tuple[float, int]]:
    """(running time, node) of all strikes up to then."""
    found = []
    while (due := held.next_ran) is not None and due <= until:
        found.append((due, held.strike(due).node))
    return found


def test_first_lives_have_the_distribution() -> None:
    """Kolmogorov-Smirnov over 5,000 nodes; p > 0.001."""
    first: dict[int, float] = {}
    for ran, node in strikes(aging(WEAR, 5000), 30 * DAY):
        first.setdefault(node, ran)
    lifetime = Lifetime("weibull", 3.0)
    used = [lifetime.hazard(ran / (10 * DAY)) for ran in first.values()]

    assert 5000 == len(used)
    assert kstest(used, "expon").pvalue > 0.001


def test_a_restart_does_not_make_a_node_new() -> None:
    """Strikes of one life are spread as its hazard: twice the age, eight times as many (k = 3); p > 0.001."""
    found = strikes(aging(WEAR, 1000), 20 * DAY)
    early = sum(1 for ran, _ in found if ran <= 10 * DAY)
    hazard = Lifetime("weibull", 3.0).hazard

    assert 0.0005 < poisson.cdf(early, 1000 * hazard(1.0)) < 0.9995
    assert 0.0005 < poisson.cdf(len(found), 1000 * hazard(2.0)) < 0.9995


def test_a_repair_does() -> None:
    """Infants renewed once they have grown up die like infants again; p > 0.001."""
    held = aging(INFANT, 2000)
    strikes(held, 50 * DAY)
    for node in range(2000):
        held.renew(node, 50 * DAY)
        held.came(node, 50 * DAY)
    renewed = [ran for ran, _ in strikes(held, 51 * DAY)]

    assert 0.0005 < poisson.cdf(len(renewed), 2000 * Lifetime("weibull", 0.6).hazard(0.1)) < 0.9995


def test_a_node_does_not_age_outside_the_job() -> None:
    """It strikes as much later as it was away."""
    stayed, away = aging(WEAR, 1), aging(WEAR, 1)
    [(first, _), (second, _)] = strikes(stayed, 100 * DAY)[:2]
    away.left(0, 0.5 * first)
    away.came(0, 0.5 * first + 7 * DAY)
    found = strikes(away, 100 * DAY)[:2]

    assert pytest.approx([first + 7 * DAY, second + 7 * DAY]) == [ran for ran, _ in found]


def test_nothing_strikes_while_everybody_is_away() -> None:
    """And what was pending is forgotten."""
    held = aging(WEAR, 10)
    for node in range(10):
        held.left(node, DAY)

    assert held.next_ran is None


def test_lives_are_the_same_whoever_else_lives() -> None:
    """A node's first strikes do not depend on the size of the fleet or on what its neighbours do."""
    small = [found for found in strikes(aging(WEAR, 10), 20 * DAY) if found[1] == 3]
    held = aging(WEAR, 500)
    for node in range(4, 500):
        held.renew(node, 0.0)
    large = [found for found in strikes(held, 20 * DAY) if found[1] == 3]

    assert small == large


def test_memory_does_not_grow_with_nodes_that_come_and_go() -> None:
    """Of ten thousand departures a few hundred entries are left."""
    held = aging(WEAR, 100)
    for turn in range(10_000):
        held.left(turn % 100, float(turn))
        held.came(turn % 100, float(turn) + 0.5)

    assert len(held._pending) < 500  # noqa: SLF001 - memory is what this test is about


def test_strikes_come_when_they_are_expected() -> None:
    """Expected at any instant is the hazard used up by all: observed minus it is a martingale, 0 on average.

    Over 200 seeds of 40 nodes that come and go; 3.3 standard errors fail a right program in 0.1 %.
    """
    differences = []
    for seed in range(200):
        held = aging(INFANT, 40, seed)
        count = 0
        for day in range(30):
            count += len(strikes(held, day * DAY))
            node = (7 * day) % 40
            held.left(node, day * DAY)
            if day % 2:
                held.renew(node, day * DAY)
            held.came(node, day * DAY)
        count += len(strikes(held, 30 * DAY))
        differences.append(count - held.expected(30 * DAY))

    assert abs(fmean(differences)) < 3.3 * stdev(differences) / 200**0.5


# --- in a scenario


def test_age_survives_restarts_and_ends_with_repair() -> None:
    """With wear, a fleet that is only restarted fails more and more; one that is repaired does not."""
    restarted = World(faults__kinds=(WEAR,), policy__name="always_restart", **QUICK).until(30 * DAY)
    repaired = World(
        faults__kinds=(WEAR,), policy__name="always_evict", cluster__repair_hours=1.0, **QUICK
    ).until(30 * DAY)
    hazard = Lifetime("weibull", 3.0).hazard(3.0)

    assert 0.0005 < poisson.cdf(len(restarted.of(FaultOccurred)), 16 * hazard) < 0.9995
    assert len(repaired.of(FaultOccurred)) < 5 * 16
    assert len(repaired.of(NodeReturned)) > 16


def test_expected_interruptions_hold_for_a_fleet_that_ages() -> None:
    """Observed minus expected over 100 seeds with evictions, failed repairs, lemons and spares."""
    scores = []
    for seed in range(100):
        world = World(
            seed=seed,
            faults__kinds=(INFANT, WEAR),
            cluster__spares=4,
            cluster__repair_hours=30.0,
            repair__stages="automatic_then_manual",
            lemons__fraction=0.3,
            policy__name="window",
            window__failures=2,
            detection__layers=("hardware",),
        ).until(20 * DAY)
        scores.append(world.surprise)
        assert len(world.of(NodeEvicted)) > 3

    assert abs(fmean(scores)) < 3.3 * stdev(scores) / 100**0.5
