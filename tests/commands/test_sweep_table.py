"""Sweeps in words: the line below a table."""

import io

import pytest
from rich.console import Console

from goodputd.commands.sweep_table import print_sweep
from goodputd.studies.axes import Axis
from goodputd.studies.study import Point
from goodputd.studies.sweeping import sweep
from tests.studied import TIME, results, scenario


def printed(key: str, *values: float) -> str:
    """A sweep over these values of which the third is best, in two seeds."""
    points = tuple(Point(name="a", scenario=scenario(), varied={key: value}) for value in values)
    middle = values[2]
    curve = [[0.9 - 0.1 * (value / middle - 1.0) ** 2 + luck for luck in (0.0, 0.01)] for value in values]
    found = results(*points, seeds=2, **{TIME: curve})
    told = sweep(found, [Axis(key, values)], figure=TIME, precision=None, version="1", source="x.toml")
    told["other_scenarios"] = []
    out = io.StringIO()
    print_sweep(told, Console(file=out, width=80))
    return " ".join(out.getvalue().split())


@pytest.mark.parametrize(
    ("key", "optimum"),
    [
        ("detection.validation.seconds", "Optimum: 3 s (95 % interval 3 to 3 s), goodput 90.50%"),
        ("cluster.repair_hours", "Optimum: 3 h (95 % interval 3 to 3 h), goodput 90.50%"),
        ("job.target_steps", "Optimum: 3 steps (95 % interval 3 to 3 steps), goodput 90.50%"),
        ("cluster.spares", "Optimum: 3 spares (95 % interval 3 to 3 spares), goodput 90.50%"),
        ("policy.score.credit_per_day", "Optimum: 3 (95 % interval 3 to 3), goodput 90.50%"),
        ("faults.scale", "Optimum: 3 (95 % interval 3 to 3), goodput 90.50%"),
    ],
)
def test_an_optimum_has_the_unit_of_its_key(key: str, optimum: str) -> None:
    """Which the name of the key ends with; rates and pure numbers have none."""
    assert optimum in printed(key, 1, 2, 3, 4, 5)


def test_a_zero_that_is_no_number_is_a_word_in_the_last_row() -> None:
    """The five before it have their optimum."""
    told = printed("policy.strikes.strikes_to_evict", 1, 2, 3, 4, 5, 0)

    assert "5 86.06% ±6.35" in told
    assert "never 80.50% ±6.35" in told
    assert "Optimum: 3 (" in told
