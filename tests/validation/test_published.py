"""The published cases that play fast agree; ``make validate`` plays all of them with more seeds.

With VALIDATE in the environment this module plays all of them, too. Each figure of each case is one
test at three standard errors, which fails a right program in 0.3 % of tries (1 % with the 6 to 20 seeds
of the fast ones); the seeds are fixed.
"""

import os
from functools import cache

import pytest

from goodputd.settings import load
from goodputd.settings.doubts import warnings
from tests.readme import README, section
from tests.validation.cases import Case, Figure
from tests.validation.comparing import Result, compare, computed
from tests.validation.playing import HERE
from tests.validation.published import CASES
from tests.validation.tables import ALL as ALL_FIGURES
from tests.validation.tables import UNMET, is_unmet, published

ALL = "VALIDATE" in os.environ
PLAYED = [case for case in CASES if case.seeds and (ALL or case.quick_seeds)]
FIGURES = [(case, figure) for case in PLAYED for figure in case.figures]
FORMULAS = [result for case in CASES for result in computed(case)]
SIMULATED = [case for case in CASES if case.figures]


@cache
def results(case: Case) -> dict[str, Result]:
    """All figures of a case."""
    seeds = case.seeds if ALL else case.quick_seeds
    return {result.figure.name: result for result in compare(case, range(seeds))}


@pytest.mark.parametrize(
    ("case", "figure"), FIGURES, ids=[f"{case.name}: {figure.name}" for case, figure in FIGURES]
)
def test_we_come_as_near_as_the_published_spread_allows(case: Case, figure: Figure) -> None:
    """Within three combined standard errors, or within the published tolerance; sharply enough, if all."""
    result = results(case)[figure.name]

    assert result.agrees is not figure.is_unmet, (
        f"{figure.published:g} was published, ours is {result.ours:g} ± {result.our_error:g}"
    )
    assert result.is_precise or not ALL


@pytest.mark.parametrize(
    "result", FORMULAS, ids=[f"{each.case.name}: {each.figure.name}" for each in FORMULAS]
)
def test_formulas_give_the_published_numbers(result: Result) -> None:
    """To the last digit that was printed, or within the published tolerance."""
    assert result.agrees, f"{result.figure.published:g} was published, ours is {result.ours:g}"


@pytest.mark.parametrize("case", SIMULATED, ids=lambda case: case.name)
def test_every_case_has_settings_without_a_doubt(case: Case) -> None:
    """Its file loads and nothing in it is without effect; scenarios may differ in their faults."""
    found = warnings(load(HERE / f"{case.name}.toml", environ={}))

    assert [] == [line for line in found if "luck is part of the difference" not in line]


def test_every_file_is_a_case() -> None:
    """No settings are left over, and each figure of a case reads a scenario that there is."""
    files = {path.stem for path in HERE.glob("*.toml")}
    scenarios = {
        case.name: {scenario.name for scenario in load(HERE / f"{case.name}.toml", environ={}).scenarios}
        for case in SIMULATED
    }

    assert files == {case.name for case in SIMULATED}
    assert all(figure.scenario in scenarios[case.name] for case in SIMULATED for figure in case.figures)


def columns(name: str, text: str, *wanted: int) -> list[list[str]]:
    """These columns of the rows of a README's table."""
    rows = section(text, name).splitlines()[2:]
    return [[row.strip("| ").split(" | ")[index].strip() for index in wanted] for row in rows]


def test_the_readme_shows_every_case() -> None:
    """Source, name, first figure and published number are those of the code; the rest was played."""
    shown = columns("validation", README.read_text(encoding="utf-8"), 0, 1, 2, 3)

    heads = [(case, case.all_figures[0]) for case in CASES]

    assert [[case.source, case.name, head.name, published(head)] for case, head in heads] == shown


def test_the_readme_of_this_folder_shows_every_figure() -> None:
    """Names and published numbers are those of the code, and all of them agree but those it tells of."""
    text = section(ALL_FIGURES.read_text(encoding="utf-8"), "figures")
    shown = [[each.strip() for each in row[1:-1].split("|")] for row in text.splitlines()[2:]]
    every = [each for case in CASES for each in case.all_figures]

    assert [[each.name, published(each), UNMET if is_unmet(each) else "yes"] for each in every] == [
        [row[1], row[2], row[-1]] for row in shown
    ]
