"""Daly's interval against the model it comes from.

The published values are the cases young-daly-intervals and daly-complete-model in tests/validation.
"""

from math import exp, expm1

import pytest

from goodputd.sim.daly import daly


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
    ("mtbf", "restart", "save"), [(1440.0, 10.0, 5.0), (185.6, 10.0, 1.0), (60.0, 5.0, 5.0)]
)
def test_daly_loses_next_to_nothing_against_the_best_interval(
    mtbf: float, restart: float, save: float
) -> None:
    """The case daly-complete-model: within 1e-6 of a grid's least."""
    interval = daly(save, mtbf)
    chosen = slowdown(interval, save, mtbf, restart)
    least = min(slowdown(interval * (0.9 + 0.0001 * step), save, mtbf, restart) for step in range(2001))

    assert chosen / least < 1.0 + 1e-6
