"""Means and intervals, against scipy's own and against a sample that is known."""

import sys

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from goodputd.errors import EnvironmentProblemError
from goodputd.studies.estimates import Estimate, difference, estimate, t_quantile

VALUES = [3.1, 2.7, 3.6, 2.9, 3.3]


def test_the_interval_is_that_of_students_t() -> None:
    """As scipy's t test has it."""
    found = estimate(VALUES)
    expected = ttest_1samp(VALUES, 0.0).confidence_interval(0.95)

    assert found is not None
    assert found.half_width is not None
    assert (found.mean - found.half_width, found.mean + found.half_width) == pytest.approx(tuple(expected))


def test_the_interval_covers_the_mean_in_95_of_100_samples() -> None:
    """10,000 samples of 4: the share has a standard error of 0.22 %, 3.5 of them are allowed (p < 0.0005)."""
    samples = np.random.default_rng(7).normal(5.0, 2.0, (10_000, 4))
    means, errors = samples.mean(axis=1), samples.std(axis=1, ddof=1) / 2.0
    covered = np.mean(np.abs(means - 5.0) <= t_quantile(3) * errors)

    assert abs(covered - 0.95) < 3.5 * 0.0022


def test_a_difference_is_taken_seed_by_seed() -> None:
    """Luck that two scenarios share is no part of their difference."""
    found = difference([value + 0.5 for value in VALUES], VALUES)

    assert found is not None
    assert (0.5, 0.0) == pytest.approx((found.mean, found.half_width), abs=1e-12)


def test_one_seed_has_no_interval() -> None:
    """A mean of one is known, how good it is is not, and no library is needed."""
    assert Estimate(2.0, None, 1) == estimate([2.0])


def test_values_without_data_are_left_out() -> None:
    """A run without incidents has no MTTR, and a difference takes both."""
    assert Estimate(2.0, None, 1) == estimate([None, 2.0])
    assert Estimate(1.5, None, 1) == difference([1.0, 2.0, None], [None, 0.5, 1.0])
    assert estimate([None, None]) is None


@pytest.mark.parametrize(
    ("found", "zero"),
    [
        (Estimate(0.1, 0.2, 5), True),
        (Estimate(-0.3, 0.2, 5), False),
        (Estimate(0.0, 0.0, 5), True),
        (Estimate(0.0, None, 1), False),
    ],
)
def test_zero_is_excluded_by_the_interval(found: Estimate, zero: bool) -> None:
    """On either side; without an interval nothing is said."""
    assert zero == found.is_zero


def test_without_scipy_it_says_which_extra_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that can be pasted."""
    monkeypatch.setitem(sys.modules, "scipy.special", None)

    with pytest.raises(EnvironmentProblemError, match=r"pip install 'goodputd\[studies\]'"):
        t_quantile(4)
