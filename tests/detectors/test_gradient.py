"""The gradient layer: a real statistic on per-rank values, and a simulated one that agrees with it.

The empirical tests draw per-rank values, compute ``robust_z_scores`` and compare how often a rank is
found with the probabilities that the simulation uses. Those treat the median and the MAD of the
ranks as exact; with n ranks their own noise moves a probability by at most about 3 % at n = 1,024
and 1 % at n = 4,096, which the tolerances include beside 3.3 standard errors (alpha = 0.001).
"""

import math
from collections import Counter
from statistics import StatisticsError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, median_abs_deviation, norm

from goodputd.detectors.gradient import (
    Gradient,
    GradientSpec,
    detection_probability,
    false_positive_probability,
    robust_z_scores,
    upper_tail,
)
from goodputd.sim.observation import JobView, Observation

RANKS = 1024


def observation(
    at: float = 1000.0,
    *,
    time_shift: float = 0.0,
    gradient_shift: float = 0.0,
    uniform: float = 0.5,
    checks_from: float = 0.0,
    step_seconds: float = 5.0,
) -> Observation:
    """A fault that shows everything there is to the other layers, and these shifts to this one."""
    return Observation(at, at, at, at, at, at, checks_from, step_seconds, time_shift, gradient_shift, uniform)


# --- the statistic


def test_the_scores_are_distances_from_the_median_in_robust_standard_deviations() -> None:
    """As numpy and scipy compute them."""
    values = np.random.default_rng(1).lognormal(size=RANKS)
    expected = (values - np.median(values)) / median_abs_deviation(values, scale="normal")

    assert expected.tolist() == pytest.approx(robust_z_scores(values.tolist()), rel=1e-4)


def test_the_scores_of_normal_ranks_are_standard_normal() -> None:
    """The MAD estimates the standard deviation: spread within 4 % for 4,096 ranks (3.3 standard errors)."""
    scores = robust_z_scores(np.random.default_rng(2).normal(7.0, 0.3, 4096).tolist())

    assert 1.0 == pytest.approx(float(np.std(scores)), rel=0.06)
    assert abs(float(np.mean(scores))) < 0.08


@given(
    st.lists(st.integers(-1000, 1000), min_size=3, max_size=30), st.integers(1, 50), st.integers(-500, 500)
)
def test_the_scores_do_not_depend_on_unit_or_origin(values: list[int], unit: int, origin: int) -> None:
    """Gradient norms in any unit give the same suspects."""
    moved = [float(unit * value + origin) for value in values]

    assert robust_z_scores([float(value) for value in values]) == pytest.approx(robust_z_scores(moved))


@pytest.mark.parametrize("ranks", [8, 16, 32])
def test_a_suspect_cannot_hide_behind_its_own_deviation(ranks: int) -> None:
    """Among few ranks a plain z-score cannot reach 6: it is at most (n - 1) / sqrt(n). A robust one can."""
    values = [1.0 + 0.01 * (n % 5) for n in range(ranks - 1)] + [100.0]
    plain = (values[-1] - np.mean(values)) / np.std(values)

    assert plain < 6.0
    assert robust_z_scores(values)[-1] > 100.0


def test_two_suspects_do_not_hide_each_other() -> None:
    """Nearly half of the ranks may be off before the median and the MAD are."""
    values = [1.0 + 0.01 * n for n in range(9)] + [50.0] * 6
    scores = robust_z_scores(values)

    assert all(score > 6.0 for score in scores[9:])
    assert all(abs(score) < 2.5 for score in scores[:9])


def test_equal_values_have_no_suspect() -> None:
    """When at least half are equal the MAD is 0 and says nothing."""
    assert [0.0] * 5 == robust_z_scores([2.0] * 5)
    assert [0.0] * 5 == robust_z_scores([2.0, 2.0, 2.0, 3.0, 9.0])


def test_no_values_have_no_scores() -> None:
    """There is no median of nothing."""
    with pytest.raises(StatisticsError):
        robust_z_scores([])


# --- the probabilities


@pytest.mark.parametrize("z", [-5.0, 0.0, 1.0, 2.5, 6.0, 10.0, 20.0, 35.0])
def test_the_tail_is_accurate_far_out(z: float) -> None:
    """To 12 digits where 1 - Phi(z) would have been 0 since z = 8.3."""
    assert float(norm.sf(z)) == pytest.approx(upper_tail(z), rel=1e-12, abs=0.0)


@pytest.mark.parametrize("z", [2.5, 6.0])
def test_a_rank_without_a_shift_is_found_by_chance_only(z: float) -> None:
    """One tail for the step time, two for the gradient norm."""
    spec = GradientSpec(z_threshold=z)
    tail = float(norm.sf(z))

    assert 1.0 - (1.0 - tail) * (1.0 - 2.0 * tail) == pytest.approx(
        false_positive_probability(spec), rel=1e-6, abs=0.0
    )
    assert false_positive_probability(spec) == detection_probability(
        spec, step_time_shift=0.0, gradient_shift=0.0
    )


def test_gradient_norms_may_move_either_way_but_only_slower_steps_count() -> None:
    """A rank that is too fast harms nobody."""
    spec = GradientSpec()
    up, down = (detection_probability(spec, step_time_shift=0.0, gradient_shift=d) for d in (7.0, -7.0))
    slower, faster = (detection_probability(spec, step_time_shift=d, gradient_shift=0.0) for d in (7.0, -7.0))

    assert up == pytest.approx(down) == pytest.approx(slower, rel=1e-6)
    assert faster < 1e-8
    assert slower > 0.8


@given(st.floats(0, 12), st.floats(0, 12), st.floats(0.1, 12))
def test_more_shift_or_a_lower_threshold_finds_more(shift: float, more: float, z: float) -> None:
    """Power grows with the shift and falls with the threshold."""
    spec, strict = GradientSpec(z_threshold=z), GradientSpec(z_threshold=z + 1.0)
    by_time = [
        detection_probability(spec, step_time_shift=d, gradient_shift=0.0) for d in (shift, shift + more)
    ]

    assert 0.0 <= by_time[0] <= by_time[1] <= 1.0
    assert detection_probability(strict, step_time_shift=shift, gradient_shift=0.0) <= by_time[0]


# --- the probabilities against the statistic


def is_suspect(spec: GradientSpec, time_score: float, gradient_score: float) -> bool:
    """The rule of the layer for one rank."""
    return time_score > spec.z_threshold or abs(gradient_score) > spec.z_threshold


@pytest.mark.parametrize(
    ("z", "time_shift", "gradient_shift"),
    [(6.0, 6.5, 0.0), (6.0, 0.0, -5.5), (6.0, 5.5, 5.5), (3.0, 3.5, 0.0)],
)
def test_a_shifted_rank_is_found_as_often_as_the_simulation_says(
    z: float, time_shift: float, gradient_shift: float
) -> None:
    """400 checks of 1,024 ranks: within 3.3 standard errors and 3 %."""
    spec, checks = GradientSpec(z_threshold=z), 400
    random = np.random.default_rng(3)
    found = 0
    for _ in range(checks):
        times, norms = random.normal(5.0, 0.05, RANKS), random.normal(1.0, 0.1, RANKS)
        times[0] += 0.05 * time_shift
        norms[0] += 0.1 * gradient_shift
        found += is_suspect(spec, robust_z_scores(times.tolist())[0], robust_z_scores(norms.tolist())[0])
    power = detection_probability(spec, step_time_shift=time_shift, gradient_shift=gradient_shift)

    assert 0.2 < power < 0.8
    assert power == pytest.approx(
        found / checks, abs=3.3 * (power * (1 - power) / checks) ** 0.5 + 0.03 * power
    )


def test_healthy_ranks_are_suspected_as_often_as_the_simulation_says() -> None:
    """100 checks of 4,096 ranks at z = 2.5: some 7,600 false suspects, within 3.3 standard errors and 1 %."""
    spec, checks, ranks = GradientSpec(z_threshold=2.5), 100, 4096
    random = np.random.default_rng(4)
    found = 0
    for _ in range(checks):
        times = np.array(robust_z_scores(random.normal(5.0, 0.05, ranks).tolist()))
        norms = np.array(robust_z_scores(random.normal(1.0, 0.1, ranks).tolist()))
        found += int(np.sum((times > 2.5) | (np.abs(norms) > 2.5)))
    expected = checks * ranks * false_positive_probability(spec)

    assert expected > 7500
    assert expected == pytest.approx(found, abs=3.3 * expected**0.5 + 0.01 * expected)


def test_a_rank_is_found_after_as_many_checks_as_the_simulation_says() -> None:
    """400 shifted ranks, each checked until it is found; chi-square against claims_at, alpha = 0.001.

    The expected counts come from the layer itself, asked with 4,000 evenly spread uniforms.
    """
    spec = GradientSpec(every_steps=1, z_threshold=4.0)
    random = np.random.default_rng(5)
    observed: Counter[int] = Counter()
    for _ in range(400):
        checks = 1
        while True:
            times = random.normal(5.0, 0.05, RANKS)
            times[0] += 0.05 * 3.8
            if is_suspect(spec, robust_z_scores(times.tolist())[0], 0.0):
                break
            checks += 1
        observed[min(checks, 6)] += 1
    expected: Counter[int] = Counter()
    for n in range(4000):
        claim = Gradient(spec).claims_at(
            observation(0.0, time_shift=3.8, uniform=(n + 0.5) / 4000, step_seconds=1.0)
        )
        assert claim is not None
        expected[min(round(claim), 6)] += 1

    bins = range(1, 7)
    assert chisquare([observed[n] for n in bins], [expected[n] / 10 for n in bins]).pvalue > 0.001


# --- claims


@pytest.mark.parametrize("shift", [4.0, 5.0, 6.0, 7.0])
def test_the_number_of_checks_is_geometric(shift: float) -> None:
    """Over evenly spread uniforms exactly the share (1 - p)^k is not found after k checks."""
    spec, grid = GradientSpec(every_steps=10), 20_000
    power = detection_probability(spec, step_time_shift=shift, gradient_shift=0.0)
    checks = []
    for n in range(grid):
        claim = Gradient(spec).claims_at(observation(0.0, time_shift=shift, uniform=(n + 0.5) / grid))
        assert claim is not None
        checks.append(round(claim / 50.0))

    for k in (1, 2, 3, 5, 10):
        assert (1.0 - power) ** k == pytest.approx(sum(c > k for c in checks) / grid, abs=1.0 / grid)


@pytest.mark.parametrize(
    ("at", "expected"), [(0.0, 50.0), (49.9, 50.0), (50.0, 100.0), (1000.0, 1050.0), (1049.0, 1050.0)]
)
def test_a_claim_comes_at_the_end_of_a_check(at: float, expected: float) -> None:
    """Checks are every ten steps of five seconds from the start of the run; a sure one is the next."""
    assert expected == Gradient(GradientSpec()).claims_at(observation(at, time_shift=100.0))


def test_checks_count_from_the_start_of_the_run() -> None:
    """Not from the start of time."""
    claim = Gradient(GradientSpec()).claims_at(observation(1000.0, time_shift=100.0, checks_from=983.0))

    assert 1033.0 == claim


@given(st.floats(0, 1e6), st.floats(4, 30), st.floats(0, 0.999999), st.integers(1, 100), st.floats(0.5, 60))
def test_no_claim_comes_before_the_first_check_after_the_fault(
    at: float, shift: float, uniform: float, every_steps: int, step_seconds: float
) -> None:
    """And every claim is a whole number of checks after the start."""
    claim = Gradient(GradientSpec(every_steps=every_steps)).claims_at(
        observation(at, gradient_shift=shift, uniform=uniform, step_seconds=step_seconds)
    )
    period = every_steps * step_seconds

    assert claim is not None
    assert claim > at
    assert claim / period == pytest.approx(round(claim / period), rel=1e-9)


def test_what_shifts_no_statistic_is_its_blind_spot() -> None:
    """Crash, hang and vendor events show nothing here."""
    assert Gradient(GradientSpec()).claims_at(observation()) is None


def test_a_shift_far_below_the_threshold_is_never_found() -> None:
    """Not within a century of checks: that is a miss, not a claim in the year 10,000."""
    spec = GradientSpec(z_threshold=9.0)

    assert Gradient(spec).claims_at(observation(time_shift=0.5, uniform=0.999999)) is None
    assert Gradient(spec).claims_at(observation(time_shift=8.0)) is not None


@pytest.mark.parametrize("uniform", [0.0, 0.5, 1.0 - 2.0**-53])
def test_every_uniform_has_a_finite_claim(uniform: float) -> None:
    """The least comes with the first check, the largest after 53 ln 2 / p."""
    claim = Gradient(GradientSpec()).claims_at(observation(time_shift=5.0, uniform=uniform))

    assert claim is not None
    assert 1050.0 <= claim < 1000.0 + 50.0 * (2 + 53 * math.log(2.0) / upper_tail(1.0))


def test_it_needs_a_running_job_and_has_no_timeout() -> None:
    """A job that stands still has no statistics; checks follow steps, not seconds."""
    detector = Gradient(GradientSpec())

    assert (False, None) == (detector.sees_during_recovery, detector.timeout_seconds)


# --- false alarms


def test_false_alarms_are_checks_times_ranks_times_chance() -> None:
    """1,000 ranks, a check every 50 s of stepping, 95 % of the time spent in steps."""
    spec = GradientSpec(every_steps=10, z_threshold=4.0)
    rate = Gradient(spec).false_alarms_per_second(JobView(125, 1000, 5.0, 0.95))

    assert 0.95 / 50.0 * 1000 * false_positive_probability(spec) == pytest.approx(rate)


def test_a_lower_threshold_cries_wolf_more_often() -> None:
    """Sensitive and quiet trade off."""
    view = JobView(125, 1000, 5.0, 0.95)
    rates = [
        Gradient(GradientSpec(z_threshold=z)).false_alarms_per_second(view) for z in (3.0, 4.0, 5.0, 6.0, 7.0)
    ]

    assert sorted(rates, reverse=True) == rates
    assert rates[-1] > 0.0


def test_the_defaults_raise_less_than_five_false_alarms_in_54_days_of_16384_ranks() -> None:
    """Its share of the ten that all layers together may raise (rule 5)."""
    rate = Gradient(GradientSpec()).false_alarms_per_second(JobView(2048, 16384, 5.9, 472.0 / 482.0))

    assert 0.5 < rate * 54 * 86400 < 5.0
