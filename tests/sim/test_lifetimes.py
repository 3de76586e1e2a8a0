"""Lifetime distributions: cumulative hazards, their inverse, and their mean."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from goodputd.sim.lifetimes import Lifetime
from goodputd.sim.specs.faults import Arrival

SHAPES: list[tuple[Arrival, float]] = [
    ("exponential", 1.0),
    ("weibull", 0.5),
    ("weibull", 0.7),
    ("weibull", 1.0),
    ("weibull", 3.0),
    ("lognormal", 0.3),
    ("lognormal", 1.0),
    ("lognormal", 2.0),
]


@pytest.mark.parametrize(("arrival", "shape"), SHAPES)
def test_the_mean_is_one(arrival: Arrival, shape: float) -> None:
    """The integral of the share that survives, by quadrature over the logarithm of the age."""
    lifetime = Lifetime(arrival, shape)
    mean, _ = integrate.quad(
        lambda t: math.exp(t - lifetime.hazard(math.exp(t))), -60.0, 12.0, limit=500, epsabs=1e-9
    )

    assert pytest.approx(1.0, abs=2e-5) == mean


@pytest.mark.parametrize(("arrival", "shape"), SHAPES)
@pytest.mark.parametrize("hazard", [1e-9, 1e-3, 0.1, 1.0, 5.0, 30.0, 600.0, 617.0, 620.0, 5000.0])
def test_age_and_hazard_are_inverse(arrival: Arrival, shape: float, hazard: float) -> None:
    """Also far out in both tails, where a node was restarted a thousand times in one life."""
    lifetime = Lifetime(arrival, shape)

    assert pytest.approx(hazard, rel=1e-6) == lifetime.hazard(lifetime.age(hazard))


@given(st.sampled_from(SHAPES), st.floats(0, 20), st.floats(0, 20))
def test_hazards_never_fall(shape: tuple[Arrival, float], one: float, other: float) -> None:
    """With age."""
    lifetime = Lifetime(*shape)
    low, high = sorted((one, other))

    assert lifetime.hazard(low) <= lifetime.hazard(high)
    assert lifetime.age(low) <= lifetime.age(high)


@pytest.mark.parametrize("age", [0.01, 0.14, 1.0, 4.0])
def test_hazards_are_those_of_the_textbook(age: float) -> None:
    """Minus the log of the survival function as scipy has it."""
    weibull = stats.weibull_min(0.7, scale=1.0 / math.gamma(1.0 + 1.0 / 0.7))
    lognormal = stats.lognorm(1.0, scale=math.exp(-0.5))

    assert pytest.approx(-weibull.logsf(age)) == Lifetime("weibull", 0.7).hazard(age)
    assert pytest.approx(-lognormal.logsf(age)) == Lifetime("lognormal", 1.0).hazard(age)


def test_nothing_is_used_up_at_birth() -> None:
    """Not at age 0 and not before."""
    for arrival, shape in SHAPES:
        lifetime = Lifetime(arrival, shape)
        assert [0.0] * 4 == [
            lifetime.hazard(0.0),
            lifetime.hazard(-1.0),
            lifetime.age(0.0),
            lifetime.age(-1.0),
        ]
