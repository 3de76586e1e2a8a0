"""Young's and Daly's intervals, against published values and against the model they come from."""

from math import exp, expm1

import pytest

from goodputd.sim.daly import daly, young

CASES = [
    (5.0, 886.6995, 94.165, 90.861),
    (0.5, 886.6995, 29.777, 29.445),
    (5.0, 1440.0, 120.0, 116.69),
    (1.0, 185.6, 19.267, 18.606),
    (20.0, 300.0, 109.545, 96.617),
    (11.0, 60.0, 36.332, 29.369),
]
"""Save, MTBF, Young's and Daly's interval: the case young-daly-intervals."""


@pytest.mark.parametrize(("save", "mtbf", "expected", "_"), CASES)
def test_young_is_the_published_value(save: float, mtbf: float, expected: float, _: float) -> None:
    """To all digits that are given."""
    assert expected == pytest.approx(young(save, mtbf), rel=1e-4)


@pytest.mark.parametrize(("save", "mtbf", "_", "expected"), CASES)
def test_daly_is_the_published_value(save: float, mtbf: float, _: float, expected: float) -> None:
    """To all digits that are given."""
    assert expected == pytest.approx(daly(save, mtbf), rel=1e-4)


@pytest.mark.parametrize("save", [20.0, 21.0, 1e6])
def test_a_save_of_two_mtbf_or_more_waits_one_mtbf(save: float) -> None:
    """There the expansion means nothing, and Daly sets the interval to the MTBF."""
    assert daly(save, 10.0) == 10.0


def test_a_save_that_takes_no_time_is_made_at_once() -> None:
    """The interval goes to zero with the save."""
    assert daly(0.0, 100.0) == 0.0


def slowdown(interval: float, save: float, mtbf: float, restart: float) -> float:
    """Elapsed over productive time in Daly's complete model."""
    return mtbf * exp(restart / mtbf) * expm1((interval + save) / mtbf) / interval


@pytest.mark.parametrize(
    ("mtbf", "restart", "save", "interval", "expected"),
    [
        (1440.0, 10.0, 5.0, 116.69, 1.09576),
        (185.6, 10.0, 1.0, 18.606, 1.17294),
        (60.0, 5.0, 5.0, 21.275, 1.68431),
    ],
)
def test_daly_loses_next_to_nothing_against_the_best_interval(
    mtbf: float, restart: float, save: float, interval: float, expected: float
) -> None:
    """The case daly-complete-model: interval and slowdown as published, and within 1e-6 of a grid's least."""
    chosen = slowdown(daly(save, mtbf), save, mtbf, restart)
    least = min(slowdown(interval * (0.9 + 0.0001 * step), save, mtbf, restart) for step in range(2001))

    assert interval == pytest.approx(daly(save, mtbf), rel=1e-4)
    assert expected == pytest.approx(chosen, rel=1e-4)
    assert chosen / least < 1.0 + 1e-6
