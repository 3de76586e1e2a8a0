"""Named random streams: what they depend on, and what they do not."""

import math
from itertools import islice, starmap

import numpy as np
import pytest
from scipy.stats import kstest, pearsonr

from goodputd.sim.streams import exponential, stream, uniforms

DRAWS = 20_000
PINNED = (0.8615820020290956, 0.8621427894676296)


def test_equal_names_give_equal_sequences() -> None:
    """A stream is a function of seed and name."""
    one, other = stream(7, "faults/gpu/0"), stream(7, "faults/gpu/0")

    assert [one.random() for _ in range(100)] == [other.random() for _ in range(100)]


@pytest.mark.parametrize(("seed", "name"), [(8, "faults/gpu/0"), (7, "faults/gpu/1024"), (7, "false_alarms")])
def test_another_seed_or_name_gives_another_sequence(seed: int, name: str) -> None:
    """Seed and name both matter."""
    assert stream(7, "faults/gpu/0").random() != stream(seed, name).random()


def test_drawing_from_one_stream_does_not_move_another() -> None:
    """Whoever draws first, or more, changes nobody else's luck."""
    expected = stream(7, "verify").random()
    busy, quiet = stream(7, "false_alarms"), stream(7, "verify")
    for _ in range(1000):
        busy.random()

    assert expected == quiet.random()


def test_the_first_draw_of_a_stream_is_the_same_in_every_version() -> None:
    """Histories can be repeated years later: the numbers behind a seed are part of the contract."""
    assert [0.9145004780261937, 0.8225153352286915] == [
        stream(1, "faults/gpu/0").random(),
        stream(2, "loss/100").random(),
    ]
    assert PINNED == uniforms(1, "verify/1/1", 2)


def test_the_first_draws_of_neighbouring_names_are_uniform_and_independent() -> None:
    """Streams are made by the thousand and drawn from once; KS and correlation, alpha = 0.001 each."""
    first = [stream(1, f"loss/{step}").random() for step in range(DRAWS)]

    assert kstest(first, "uniform").pvalue > 0.001
    assert pearsonr(first[:-1], first[1:]).pvalue > 0.001


def test_the_uniforms_of_a_name_are_uniform_and_independent() -> None:
    """KS of each of eight columns over 5,000 names, and its correlation with the next column and name.

    Alpha = 0.001 each; 24 tests, so 2.4 % together.
    """
    table = np.array([uniforms(1, f"recurrence/gpu/0/{n}/1", 8) for n in range(5000)])

    assert 0.0 <= table.min()
    assert table.max() < 1.0
    for column in range(8):
        assert kstest(table[:, column], "uniform").pvalue > 0.001
        assert pearsonr(table[:, column], table[:, (column + 1) % 8]).pvalue > 0.001
        assert pearsonr(table[:-1, column], table[1:, column]).pvalue > 0.001


def test_the_uniforms_of_a_name_are_a_function_of_seed_and_name() -> None:
    """Asked again they are the same; another seed or name has none of them."""
    expected = uniforms(1, "verify/1/1", 4)

    assert expected == uniforms(1, "verify/1/1", 4)
    assert set(expected).isdisjoint({*uniforms(2, "verify/1/1", 4), *uniforms(1, "verify/1/2", 4)})


@pytest.mark.parametrize("count", range(1, 9))
def test_as_many_uniforms_come_as_were_asked_for(count: int) -> None:
    """One to eight."""
    assert count == len(set(uniforms(1, "planned/1", count)))


def test_exponentials_have_the_law_exp_minus_t() -> None:
    """KS test of 20,000 draws against 1 - exp(-t), alpha = 0.001."""
    source = stream(3, "test")

    assert kstest([exponential(source.random()) for _ in range(DRAWS)], "expon").pvalue > 0.001


def test_the_exponential_of_zero_is_zero() -> None:
    """The least uniform is an event at once, not an error."""
    assert 0.0 == exponential(0.0)


def test_the_largest_uniform_has_a_finite_exponential() -> None:
    """A uniform below 1 is at most 1 - 2^-53, whose exponential is 53 ln 2."""
    assert 53 * math.log(2.0) == pytest.approx(exponential(1.0 - 2.0**-53), rel=1e-15)


@pytest.mark.parametrize("uniform", [1e-300, 1e-18, 1e-12])
def test_exponentials_of_tiny_uniforms_are_not_lost(uniform: float) -> None:
    """-ln(1 - u) is u for tiny u, where 1 - u would round to 1."""
    assert uniform == pytest.approx(exponential(uniform), rel=1e-11, abs=0.0)


def test_streams_are_not_shifted_copies_of_each_other() -> None:
    """No number of one stream occurs in another."""
    drawn = [list(islice(iter(source.random, None), 2000)) for source in starmap(stream, NAMES)]

    assert 2000 * len(NAMES) == len({number for numbers in drawn for number in numbers})


NAMES = [
    (seed, f"faults/{kind}/{block}") for seed in (1, 2) for kind in ("gpu", "nic") for block in (0, 1024)
]
