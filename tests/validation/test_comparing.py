"""How ours and theirs are compared: what agrees, what is precise, and what bad servers explain."""

import pytest

from tests.validation.cases import Case, Figure, Formula
from tests.validation.comparing import Result, with_as_many
from tests.validation.readings import failures

CASE = Case("case", "source")


def result(ours: float, our_error: float, *, seeds: int = 100, **figure: float | bool) -> Result:
    """Ours beside a published 10."""
    return Result(CASE, Figure("figure", 10.0, failures, **figure), ours, our_error, seeds)  # type: ignore[arg-type] # as given


@pytest.mark.parametrize(("ours", "agrees"), [(24.9, True), (25.1, False), (-4.9, True), (-5.1, False)])
def test_means_agree_within_three_combined_standard_errors(ours: float, agrees: bool) -> None:
    """Errors of 3 and 4 make one of 5."""
    assert agrees is result(ours, 3.0, error=4.0).agrees


def test_an_unknown_spread_is_taken_to_be_ours() -> None:
    """100 seeds have an error of 2, so 25 runs have one of 4."""
    assert 4.0 == result(10.0, 2.0, runs=25).their_error


def test_a_figure_that_was_rounded_is_exact_but_for_that() -> None:
    """Ours is off by one error of its own, 3, beside a rounding of 4."""
    found = result(15.0, 3.0, rounding=4.0)

    assert (0.0, 1.0) == (found.their_error, found.errors)


@pytest.mark.parametrize(("ours", "agrees"), [(11.0, True), (11.1, False)])
def test_without_a_spread_the_tolerance_holds(ours: float, agrees: bool) -> None:
    """Whatever our error."""
    assert agrees is result(ours, 3.0, tolerance=1.0).agrees


@pytest.mark.parametrize(("ours", "agrees"), [(13.1, True), (12.9, False), (9.0, False)])
def test_a_lower_bound_is_passed_beyond_doubt(ours: float, agrees: bool) -> None:
    """By three standard errors."""
    assert agrees is result(ours, 1.0, is_least=True).agrees


def test_half_of_their_error_is_precise_enough() -> None:
    """And no more; beside exact figures and tolerances anything is."""
    assert result(10.0, 2.0, error=4.0).is_precise
    assert not result(10.0, 2.1, error=4.0).is_precise
    assert result(10.0, 2.1, error=0.0).is_precise
    assert result(10.0, 2.1, tolerance=1.0).is_precise


def test_formulas_agree_within_their_tolerance() -> None:
    """They have no errors."""
    found = Result(CASE, Formula("formula", 1.0, 1.2, 0.1), 1.2)

    assert (False, None, None) == (found.agrees, found.errors, found.their_error)


def test_what_the_number_of_bad_servers_explains_is_taken_out() -> None:
    """A figure that is twice their number and 5 comes to 25 with ten of them, and has no spread."""
    assert [25.0] * 4 == pytest.approx(with_as_many([11.0, 21.0, 25.0, 31.0], [3, 8, 10, 13], 10))
