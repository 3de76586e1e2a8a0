"""Comparisons in words: cells no finer than they are worth, and tables that show the best."""

import io

import pytest
from rich.console import Console

from goodputd.commands.compare_table import FIGURES, Write, cell_text, count, percent, plain, print_comparison
from goodputd.narration import duration
from goodputd.studies.comparison import compare
from tests.studied import TIME, named, results


def cell(mean: float, half: float | None = None) -> dict[str, float | None]:
    """A cell, as the object of a comparison has it."""
    return {
        "mean": mean,
        "low": None if half is None else mean - half,
        "high": None if half is None else mean + half,
        "half_width": half,
    }


@pytest.mark.parametrize(
    ("mean", "half", "write", "expected"),
    [
        (0.91731, 0.00294, percent, "91.73% ±0.29"),
        (0.91731, None, percent, "91.73%"),
        (498.3, 24.2, count, "498 ±24"),
        (5.6, 1.62, count, "5.6 ±1.6"),
        (7.0, None, count, "7"),
        (10.2, 0.9, duration, "10 s ±0.9 s"),
        (349.0, 1.6, duration, "5 min 49 s ±2 s"),
        (9420.0, 456.0, duration, "2 h 37 min ±8 min"),
        (2194.0, 181.0, duration, "37 min ±3 min"),
        (30.0, 119.0, duration, "30 s ±1 min 59 s"),
        (20.0, 3600.0, duration, "20 s ±1 h"),
        (0.5546, 1.1e-16, plain, "0.555 ±0"),
        (0.0125, 0.0398, plain, "0.0125 ±0.0398"),
    ],
)
def test_a_mean_has_its_interval(mean: float, half: float | None, write: Write, expected: str) -> None:
    """Percentages in points, counts and durations rounded like their intervals."""
    assert expected == cell_text(cell(mean, half), write)


@pytest.mark.parametrize(
    ("mean", "half", "write", "expected"),
    [
        (-0.0577, 0.0029, percent, "-5.77% ±0.29"),
        (0.0577, None, percent, "+5.77%"),
        (-2194.0, 181.0, duration, "-37 min ±3 min"),
        (-155.2, 26.4, count, "-155 ±26"),
        (0.0, 0.0, count, "0 ±0"),
        (-0.00001, 0.00002, percent, "0.00% ±0.00"),
        (0.00001, None, percent, "0.00%"),
        (-0.04, 0.06, duration, "0 s ±0.1 s"),
        (-0.04, None, count, "0.0"),
        (-20.0, 300.0, duration, "-20 s ±5 min"),
    ],
)
def test_a_difference_has_its_sign(mean: float, half: float | None, write: Write, expected: str) -> None:
    """Plus as well as minus, and none for nothing."""
    assert expected == cell_text(cell(mean, half), write, signed=True)


def test_no_data_is_a_dash() -> None:
    """As in every table."""
    assert "-" == cell_text(None, percent)


def printed(scenarios: int, width: int = 80) -> str:
    """A comparison of so many, one better than the one before."""
    goodput = {TIME: [[0.5 + 0.01 * index, 0.5 + 0.011 * index] for index in range(scenarios)]}
    found = compare(
        results(*named(*(f"s{index}" for index in range(scenarios))), seeds=2, **goodput),
        version="1",
        source="x.toml",
    )
    out = io.StringIO()
    print_comparison(found | {"other_scenarios": [], "conclusion": "."}, Console(file=out, width=width))
    return out.getvalue()


def test_of_many_scenarios_the_best_is_the_first_row() -> None:
    """With how far the others are behind it, in their order."""
    rows = [line.split() for line in printed(7).splitlines() if line.startswith("s")][:7]

    assert ["s6", "s5", "s4", "s3", "s2", "s1", "s0"] == [row[0] for row in rows]
    assert ["56.30%", "±3.81", "-"] == rows[0][1:4]
    assert ["55.25%", "±3.18", "-1.05%", "±0.64"] == rows[1][1:5]


def test_a_row_has_every_figure_that_a_column_would_have() -> None:
    """In as many tables as fit the console, in both forms."""
    rows, columns = printed(7), printed(6)
    labels = [label.split() for _, label, _ in FIGURES if label in columns]

    assert len(labels) > 20
    assert [] == [words for words in labels if any(word not in rows for word in words)]


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_wider_than_the_console(width: int) -> None:
    """Tables go on below."""
    assert width >= max(map(len, printed(12, width).splitlines()))
