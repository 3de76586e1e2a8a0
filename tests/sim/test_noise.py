"""Noise of the step time: the formulas against the laws they stand for, and what they do to a job."""

from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import exp1
from scipy.stats import norm

from goodputd.detectors.gradient import GradientSpec, detection_probability, robust_z_scores
from goodputd.sim.events import DetectionRaised, FaultOccurred
from goodputd.sim.faults import resolve_kinds
from goodputd.sim.noise import Noise, blurred, expected_greatest, longest_delay, noise_of, spread_of_greatest
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.job import NoiseSpec
from goodputd.sim.taxonomy import Bucket, Layer
from tests.world import DAY, SLOW, World, ledger_error, strike

EULER = 0.5772156649015329


def noise(sigma: float = 0.0, delays: float = 0.0, seconds: float = 1.0) -> Noise:
    """Of a job whose replicas are 64 ranks on 8 nodes."""
    spec = NoiseSpec(step_sigma=sigma, delays_per_node_step=delays, delay_seconds=seconds)
    return Noise(spec, ranks_per_replica=64, nodes_per_replica=8)


# --- the formulas


def test_the_greatest_of_one_is_no_greater() -> None:
    """A job of one rank has nobody to wait for."""
    assert (0.0, 1.0) == (expected_greatest(1), spread_of_greatest(1))


@pytest.mark.parametrize("ranks", [8, 64, 1024, 16_384, 131_072])
def test_the_mean_of_the_greatest_is_that_of_the_law(ranks: int) -> None:
    """Within 1 % of the integral of 1 - PHI(x)^n, less that of PHI(x)^n below 0, from 8 ranks on."""
    above, _ = quad(lambda x: -np.expm1(ranks * norm.logcdf(x)), 0.0, 12.0, limit=200)
    below, _ = quad(lambda x: np.exp(ranks * norm.logcdf(x)), -12.0, 0.0, limit=200)

    assert above - below == pytest.approx(expected_greatest(ranks), rel=0.01)


@pytest.mark.parametrize("delays", [1e-9, 0.01, 0.7, 3.0, 19.99, 20.01, 1000.0])
def test_the_longest_delay_is_ein(delays: float) -> None:
    """Natural logarithm of L + Euler's constant + E1(L), on both sides of where the formula changes."""
    expected = np.log(delays) + EULER + exp1(delays) if delays > 1e-6 else delays

    assert expected == pytest.approx(longest_delay(delays), rel=1e-9)


def test_no_delays_are_no_delay() -> None:
    """Exactly."""
    assert 0.0 == longest_delay(0.0)


def test_the_longest_of_many_delays_is_what_a_step_waits_for() -> None:
    """Played step by step, 40,000 steps of 6.4 delays on average: within 3.3 standard errors (p > 0.001)."""
    random = np.random.default_rng(3)
    longest = [
        random.exponential(2.0, size=count).max(initial=0.0) for count in random.poisson(6.4, size=40_000)
    ]
    error = float(np.std(longest)) / 40_000**0.5

    assert error < 0.01 * fmean(longest)
    assert abs(fmean(longest) - noise(delays=0.1, seconds=2.0).delay_seconds(8)) < 3.3 * error


@pytest.mark.parametrize("slow_factor", [1.0, 1.02, 1.06, 1.08, 1.1, 1.3])
def test_a_slow_rank_hides_in_the_noise_of_the_others(slow_factor: float) -> None:
    """Played step by step with 64 ranks, one of them slow: what it adds is right within 1 %."""
    random = np.random.default_rng(4)
    times = 1.0 + 0.03 * random.standard_normal((100_000, 64))
    times[:, 0] *= slow_factor
    added = float(times.max(axis=1).mean()) - 1.0

    assert added == pytest.approx(noise(0.03).computing(1, slow_factor) - 1.0, rel=0.01)


def test_a_slower_rank_never_makes_a_step_shorter() -> None:
    """From one that is not slow at all upwards, for any number of ranks."""
    for replicas in (1, 3, 300):
        factors = [noise(0.05).computing(replicas, 1.0 + step / 100.0) for step in range(60)]
        assert sorted(factors) == factors


def test_without_noise_a_slow_rank_is_all_there_is() -> None:
    """Nothing is built that would change a number."""
    assert None is noise_of(NoiseSpec(), gpus_per_replica=64, gpus_per_node=8)
    assert 1.5 == noise(0.0).computing(3, 1.5)


# --- what the statistics show

[SLOW_KIND] = resolve_kinds(FaultsSpec(kinds=(SLOW,)), None, nodes=1, gpus_per_node=8)
"""Half as slow again, 20 standard deviations: a fortieth of a step each."""


@pytest.mark.parametrize(("sigma", "expected"), [(0.0, 20.0), (0.025, 200**0.5), (0.5, 0.5 / 0.2506243**0.5)])
def test_noise_adds_in_quadrature_to_what_the_ranks_differ_by(sigma: float, expected: float) -> None:
    """The shift stays, its unit grows."""
    assert expected == pytest.approx(blurred(SLOW_KIND, NoiseSpec(step_sigma=sigma)), rel=1e-4)


def test_a_shift_that_nobody_sees_stays_unseen() -> None:
    """And one without a slowdown to go with it drowns in any noise."""
    unseen = replace(SLOW_KIND, step_time_sigmas=0.0)
    weightless = replace(SLOW_KIND, slow_factor=1.0)

    assert (0.0, 0.0) == (
        blurred(unseen, NoiseSpec(step_sigma=0.1)),
        blurred(weightless, NoiseSpec(step_sigma=0.1)),
    )


def test_the_robust_z_score_finds_a_slow_rank_among_noisy_ones_as_often_as_said() -> None:
    """Times of 1,024 ranks of 1 +- 2.5 % by the machine and 7.5 % by noise, one of them half as slow again.

    3,000 checks: within 3.3 standard errors and the 3 % that the median and MAD of 1,024 ranks add.
    """
    random = np.random.default_rng(5)
    found = 0
    for _ in range(3000):
        times = 1.0 + 0.025 * random.standard_normal(1024) + 0.075 * random.standard_normal(1024)
        times[0] += 0.5
        found += robust_z_scores(times.tolist())[0] > 6.0
    shift = blurred(SLOW_KIND, NoiseSpec(step_sigma=0.075))
    expected = detection_probability(GradientSpec(), step_time_shift=shift, gradient_shift=0.0)

    assert 0.2 < expected < 0.8
    assert expected == pytest.approx(found / 3000, abs=3.3 * (expected * (1 - expected) / 3000) ** 0.5 + 0.03)


# --- in a scenario


def test_noise_lengthens_every_step_and_its_excess_is_straggler_time() -> None:
    """Sixteen nodes of eight: a step of 10 s takes 10 s x (1 + s e(128)), a cycle ten of them and a save."""
    factor = 1.0 + 0.1 * expected_greatest(128)
    world = World(noise__step_sigma=0.1).until(40 * (100.0 * factor + 5.0))

    assert (400, 40) == (world.snapshot.steps, sum(world.snapshot.checkpoints.values()))
    assert 4000.0 * (factor - 1.0) == pytest.approx(world.spent(Bucket.STRAGGLER))
    assert 4000.0 == pytest.approx(world.spent(Bucket.PRODUCTIVE))
    assert ledger_error(world.snapshot) < 1e-6


def test_the_network_lengthens_every_step_by_its_longest_delay() -> None:
    """Sixteen nodes that meet a delay of 2 s in every tenth step."""
    longer = 2.0 * longest_delay(1.6)
    world = World(noise__delays_per_node_step=0.1, noise__delay_seconds=2.0)
    world.until(40 * (100.0 + 10 * longer + 5.0))

    assert 400 == world.snapshot.steps
    assert 400 * longer == pytest.approx(world.spent(Bucket.STRAGGLER))


def test_a_smaller_job_has_a_shorter_wait() -> None:
    """Without spares one of two replicas is left."""
    world = World(
        strike(1000.0, "crash", 3), noise__step_sigma=0.1, cluster__spares=0, policy__name="always_evict"
    )
    before = world.until(999.0).snapshot.checkpoint_interval_seconds
    after = world.until(5000.0).snapshot.checkpoint_interval_seconds

    assert (1.0 + 0.1 * expected_greatest(128), 1.0 + 0.1 * expected_greatest(64)) == pytest.approx(
        (before / 100.0, after / 100.0)
    )


def test_a_slow_rank_slows_a_noisy_job_as_the_formula_says() -> None:
    """Ten steps before, twenty after."""
    settings = {"noise__step_sigma": 0.02, "detection__layers": (), "checkpoint__save_seconds": 0.0}
    calm, slow = noise(0.02).computing(2), noise(0.02).computing(2, 1.5)
    world = World(strike(100.0 * calm, "slow", 5), **settings).until(100.0 * calm + 200.0 * slow)

    assert 30 == world.snapshot.steps
    assert 100.0 * (calm - 1.0) + 200.0 * (slow - 1.0) == pytest.approx(world.spent(Bucket.STRAGGLER))


def found_after(sigma: float, seed: int) -> float:
    """Checks until the slow rank is found, each of them ten steps."""
    kind = replace(SLOW, name="hidden", step_time_sigmas=12.0)
    world = World(
        strike(1000.0, "hidden", 5), seed=seed, faults__kinds=(kind,), noise__step_sigma=sigma,
        detection__layers=("gradient",), gradient__z_threshold=6.0, checkpoint__interval_steps=2000,
    ).until(2 * DAY)  # fmt: skip
    [detected] = [fact for fact in world.of(DetectionRaised) if fact.layer is Layer.GRADIENT]
    return detected.latency_seconds


def test_noise_delays_the_detection_of_a_slow_rank() -> None:
    """At 12 sigmas the first check finds it; with noise the chance per check falls to about a sixth."""
    assert fmean(found_after(0.0, seed) for seed in range(20)) < 160.0
    assert fmean(found_after(0.09, seed) for seed in range(20)) > 2 * 160.0


def test_noise_moves_no_fault() -> None:
    """Scenarios with and without it are paired: the same faults at the same instants."""
    crash = FaultKindSpec(name="crash", component="gpu", per_node_day=0.2, event="XID 79")
    struck = []
    for settings in ({}, {"noise__step_sigma": 0.1, "noise__delays_per_node_step": 0.5}):
        world = World(faults__kinds=(crash,), policy__name="always_restart", **settings).until(30 * DAY)
        struck.append([(fact.at, fact.fault) for fact in world.of(FaultOccurred)])

    assert len(struck[0]) > 50
    assert struck[0] == struck[1]
