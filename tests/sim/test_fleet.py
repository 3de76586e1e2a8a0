"""The fleet: pools of hardware, lemons, and what they do to the job."""

from collections import Counter
from statistics import fmean, stdev

import pytest
from scipy.stats import binomtest, poisson

from goodputd.sim.arrivals import FaultSource
from goodputd.sim.events import FaultOccurred, NodeEvicted
from goodputd.sim.faults import Fault, FaultKind, resolve_kinds
from goodputd.sim.fleet import Fleet, pools_of
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fleet import LemonsSpec, PoolSpec
from goodputd.sim.taxonomy import Symptom
from tests.world import DAY, World, strike

CRASH = FaultKindSpec(name="crash", component="gpu", per_node_day=0.05, event="XID 79")
CORRUPT = FaultKindSpec(name="flip", component="gpu", symptom="corrupt", per_node_day=0.05)
POOLS = (
    PoolSpec(name="old", nodes=30, fault_multiplier=2.0, corruption_multiplier=0.0),
    PoolSpec(name="new", nodes=70, fault_multiplier=0.5, corruption_multiplier=4.0),
)


def kinds(*specs: FaultKindSpec) -> tuple[FaultKind, ...]:
    """Kinds with their rates."""
    return resolve_kinds(FaultsSpec(kinds=specs), None, nodes=100, gpus_per_node=8)


def fleet(
    pools: tuple[PoolSpec, ...] = (),
    *,
    nodes: int = 100,
    job_nodes: int | None = None,
    seed: int = 1,
    **lemons: float,
) -> Fleet:
    """A fleet without spares."""
    job = nodes if job_nodes is None else job_nodes
    return Fleet(LemonsSpec(**lemons), pools, nodes=nodes, job_nodes=job, seed=seed)


def faults(held: Fleet, *specs: FaultKindSpec, days: float = 1000.0, nodes: int = 100) -> list[Fault]:
    """All candidates of so many days."""
    source = FaultSource(1, kinds(*specs), nodes, held)
    found = []
    while (at := source.next_at) is not None and at < days * DAY:
        found.append(source.take())
    return found


def test_pools_take_node_numbers_in_order() -> None:
    """The first pool has the lowest."""
    held = fleet(POOLS)

    assert [0, 0, 1, 1] == [held.pool_of(node) for node in (0, 29, 30, 99)]


def test_each_pool_has_its_own_rates() -> None:
    """Twice, half, none and four times the rate of the kind; Poisson, p > 0.001 each."""
    counted = Counter((held.kind.symptom, held.node < 30) for held in faults(fleet(POOLS), CRASH, CORRUPT))
    for key, expected in {
        (Symptom.CRASH, True): 30 * 50 * 2.0,
        (Symptom.CRASH, False): 70 * 50 * 0.5,
        (Symptom.CORRUPT, False): 70 * 50 * 4.0,
    }.items():
        assert 0.0005 < poisson.cdf(counted[key], expected) < 0.9995
    assert 0 == counted[Symptom.CORRUPT, True]


def test_a_pool_does_not_move_the_faults_of_another() -> None:
    """Whatever the other's rates."""
    worse = (PoolSpec(name="old", nodes=30, fault_multiplier=9.0), POOLS[1])
    before, after = ([f for f in faults(fleet(each), CRASH) if f.node >= 30] for each in (POOLS, worse))

    assert len(before) > 1000
    assert [(f.at, f.node, f.identity) for f in before] == [(f.at, f.node, f.identity) for f in after]


def test_what_multiplies_to_nothing_never_strikes() -> None:
    """A lemon of one part in 2**52 more, in a pool of nearly no faults: the excess is 0 in floats."""
    held = fleet(
        (PoolSpec(name="quiet", nodes=100, fault_multiplier=2.3e-309),), fraction=1.0, multiplier=1.0 + 2**-52
    )

    assert [] == faults(held, CRASH)


def test_the_share_of_lemons_is_the_setting() -> None:
    """Of 20,000 nodes; p > 0.001."""
    assert binomtest(len(fleet(nodes=20_000, fraction=0.08).lemons), 20_000, 0.08).pvalue > 0.001


def test_lemons_of_a_small_share_are_lemons_of_a_larger_one_and_of_a_larger_fleet() -> None:
    """So that scenarios that differ in these are paired."""
    few, more = fleet(nodes=3000, fraction=0.05).lemons, fleet(nodes=3000, fraction=0.2).lemons
    larger = fleet(nodes=5000, fraction=0.05).lemons

    assert len(few) > 100
    assert few < more
    assert few == {node for node in larger if node < 3000}


def test_lemons_fail_by_their_multiple() -> None:
    """Six times as often as the others; Poisson, p > 0.001 each."""
    held = fleet(nodes=1000, fraction=0.2, multiplier=6.0)
    lemons = len(held.lemons)
    counted = Counter(fault.node in held.lemons for fault in faults(held, CRASH, nodes=1000, days=100.0))

    assert 0.0005 < poisson.cdf(counted[True], lemons * 100 * 0.05 * 6.0) < 0.9995
    assert 0.0005 < poisson.cdf(counted[False], (1000 - lemons) * 100 * 0.05) < 0.9995


def test_lemons_do_not_move_the_faults_of_the_others() -> None:
    """What they suffer beyond an ordinary node comes from streams of their own."""
    plain = [(f.at, f.node, f.identity) for f in faults(fleet(), CRASH)]
    with_lemons = [
        (f.at, f.node, f.identity) for f in faults(fleet(fraction=0.3), CRASH) if "lemons" not in f.identity
    ]

    assert plain == with_lemons


def test_a_cured_lemon_fails_no_more_than_others() -> None:
    """Once all are cured nothing comes of their streams."""
    held = fleet(fraction=0.3)
    for node in sorted(held.lemons):
        held.repaired(node)
    # the candidate that each stream holds already was drawn before, none here

    assert [] == [fault for fault in faults(held, CRASH) if "lemons" in fault.identity]


@pytest.mark.parametrize(("probability", "left"), [(1.0, 0.0), (0.0, 1.0), (0.25, 0.75)])
def test_a_repair_cures_a_lemon_with_its_probability(probability: float, left: float) -> None:
    """Of 2,000 lemons, one repair each; p > 0.001."""
    held = fleet(nodes=2000, fraction=1.0, cure_probability=probability)
    for node in range(2000):
        held.repaired(node)

    assert binomtest(len(held.lemons), 2000, left).pvalue > 0.001


def test_the_weight_counts_who_is_in_the_job() -> None:
    """Ordinary nodes of a pool by its multiplier, lemons by theirs on top; nodes come and go."""
    held = fleet(POOLS, job_nodes=40, fraction=1.0, multiplier=3.0)
    before = held.weight
    held.moved(0, -1)
    held.moved(50, 1)

    assert pytest.approx(3.0 * (30 * 2.0 + 10 * 0.5)) == before
    assert pytest.approx(3.0 * (29 * 2.0 + 11 * 0.5)) == held.weight


def test_without_pools_the_fleet_is_one() -> None:
    """With the stream names of a fleet whose nodes do not differ."""
    [pool] = pools_of((), 100)

    assert ("", 0, 100) == (pool.prefix, pool.first, pool.nodes)


# --- in a scenario

SLOW_SPARES = (
    PoolSpec(name="fast", nodes=16),
    PoolSpec(name="slow", nodes=2, step_time_factor=1.5),
)


def test_the_job_runs_at_the_pace_of_its_slowest_rank() -> None:
    """A spare of a slower make takes a place, and every step takes half as long again."""
    world = World(strike(1000.0, "crash", 3), cluster__pool=SLOW_SPARES, policy__name="always_evict")
    world.until(1000.0)
    before = world.snapshot
    world.until(2 * DAY)
    start, steps = world.snapshot.now, world.snapshot.steps
    world.until(start + 100 * (10 * 15.0 + 5.0))

    assert 1000 == world.snapshot.steps - steps
    assert (100.0, 150.0) == (before.checkpoint_interval_seconds, world.snapshot.checkpoint_interval_seconds)


def test_the_pace_recovers_when_the_slow_node_leaves() -> None:
    """The repaired node of the faster make takes the place back."""
    world = World(
        strike(1000.0, "crash", 3),
        strike(3 * DAY, "crash", 16),
        cluster__pool=SLOW_SPARES,
        policy__name="always_evict",
    ).until(4 * DAY)

    assert 3 == world.of(NodeEvicted)[-1].replacement
    assert 100.0 == world.snapshot.checkpoint_interval_seconds


def martingale(seed: int) -> float:
    """Observed minus expected interruptions, in standard deviations, of a fleet that differs in all ways."""
    world = World(
        seed=seed,
        faults__kinds=(CRASH,),
        faults__during_recovery=False,
        cluster__nodes=64,
        cluster__spares=8,
        cluster__repair_hours=24.0,
        cluster__pool=(
            PoolSpec(name="old", nodes=40, fault_multiplier=2.0),
            PoolSpec(name="new", nodes=32, fault_multiplier=0.5),
        ),
        lemons__fraction=0.2,
        lemons__multiplier=8.0,
        lemons__cure_probability=0.3,
        detection__layers=("hardware",),
        policy__name="always_evict",
    ).until(40 * DAY)
    return world.surprise


def test_expected_interruptions_follow_who_is_in_the_job() -> None:
    """Observed minus expected is a martingale: its mean over 60 seeds is 0 within 3.3 standard errors.

    A right program fails in 0.1 % of tries; 60 seeds of about 200 faults would show an error of 1 %.
    """
    scores = [martingale(seed) for seed in range(60)]

    assert abs(fmean(scores)) < 3.3 * stdev(scores) / 60**0.5


def test_lemon_faults_are_counted_apart() -> None:
    """They are a part of all faults, and a fleet of lemons has mostly them."""
    world = World(
        faults__kinds=(CRASH,), lemons__fraction=1.0, lemons__multiplier=20.0, policy__name="always_restart"
    ).until(20 * DAY)
    counted = world.snapshot.fleet.lemon_faults
    struck = len(world.of(FaultOccurred))

    assert binomtest(counted, struck, 19 / 20).pvalue > 0.001
