"""The core against a loop over every step, on the shipped teaching case: the same in distribution.

400 runs of each, on seeds that have nothing in common. A figure is compared by its mean and by its whole
distribution (the largest distance of the two empirical ones), each with 9,999 permutations of who
played which run, so that ties and small counts do no harm; what cannot vary must be equal. Six figures
vary: twelve tests that fail a right program with 0.001 each, 1.2 % in all, and the seeds are fixed.
"""

from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from goodputd.studies.figures import Figures
from goodputd.studies.runs import InProcess, Job
from tests.lessons import lesson, scenarios
from tests.teaching import Student

pytestmark = pytest.mark.xdist_group("teaching")  # one worker has the runs
SEEDS = 400
FEW = 10
"""Seeds of a scenario without luck."""
PERMUTATIONS = 9_999
LEAST_P = 0.001
HORIZON_SECONDS = 365 * 86400.0
FIGURES = ("effective_time", "interruptions", "detected", "baked")
CONSTANT = {
    ("naive", "detected"),
    ("optimized", "baked"),
    *(("ideal", figure) for figure in FIGURES),
}
"""Naive training finds nothing, optimized training saves nothing corrupt, ideal training meets nothing."""
VARYING = [
    (name, figure) for name in ("naive", "optimized") for figure in FIGURES if (name, figure) not in CONSTANT
]

Sample = dict[str, list[float]]


def of_core(figures: Figures) -> tuple[float | None, ...]:
    """What is compared, of a run of the core."""
    assert figures.completion_seconds is not None
    return (
        figures.effective_training_time_ratio,
        figures.interruptions,
        figures.corruptions_detected,
        figures.corruptions_baked,
    )


def of_loop(student: Student) -> tuple[float, ...]:
    """The same of a run of the loop."""
    return (student.effective_training_time_ratio, student.interruptions, student.detected, student.baked)


@cache
def samples(name: str) -> tuple[Sample, Sample]:
    """Every figure of every run of the scenario, by the core and by the loop."""
    scenario = scenarios()[name]
    seeds = SEEDS if scenario.faults.scale else FEW
    jobs = (Job(0, scenario, seed, HORIZON_SECONDS) for seed in range(1, seeds + 1))
    core = [of_core(run.figures) for run in InProcess().run(jobs)]
    luck = [Random(f"{name}/{seed}") for seed in range(seeds)]  # noqa: S311 - not for secrets
    loop = [of_loop(Student(lesson(scenario), each).run()) for each in luck]
    return _columns(core), _columns(loop)


def _columns(rows: list[Any]) -> Sample:
    return dict(zip(FIGURES, (list(column) for column in zip(*rows, strict=True)), strict=True))


def p_values(one: list[float], other: list[float]) -> tuple[float, float]:
    """How often chance alone puts the means, and the distributions, as far apart as they are."""
    rng = np.random.default_rng(20)
    together = np.concatenate([one, other])
    order = np.argsort(together, kind="stable")
    pooled = together[order]
    labels = (order < len(one)).astype(np.int64)
    last_of_ties = np.append(pooled[1:] != pooled[:-1], [True])

    def apart(shuffled: Any) -> tuple[float, float]:  # noqa: ANN401 - an array of 0 and 1
        share_one = np.cumsum(shuffled) / len(one)
        share_other = np.cumsum(1 - shuffled) / len(other)
        means = abs(pooled[shuffled == 1].mean() - pooled[shuffled == 0].mean())
        return float(means), float(np.abs(share_one - share_other)[last_of_ties].max())

    seen = apart(labels)
    rounding = 1e-12
    as_far = np.zeros(2)
    for _ in range(PERMUTATIONS):
        by_chance = apart(rng.permutation(labels))
        as_far += [by_chance[0] >= seen[0] - rounding, by_chance[1] >= seen[1] - rounding]
    means, distributions = (as_far + 1) / (PERMUTATIONS + 1)
    return float(means), float(distributions)


@pytest.mark.parametrize(("name", "figure"), VARYING)
def test_the_core_agrees_with_the_loop_over_every_step(name: str, figure: str) -> None:
    """Mean and distribution of each figure, in each scenario."""
    core, loop = samples(name)

    assert min(p_values(core[figure], loop[figure])) > LEAST_P


@pytest.mark.parametrize(("name", "figure"), sorted(CONSTANT))
def test_what_cannot_vary_is_the_same_in_every_run(name: str, figure: str) -> None:
    """One value, the same in both."""
    core, loop = samples(name)

    assert loop[figure][0] == pytest.approx(core[figure][0], rel=1e-12)
    assert (1, 1) == (len(set(core[figure])), len(set(loop[figure])))


@pytest.mark.parametrize(("name", "figure", "shift"), [("optimized", "effective_time", 0.01)])
def test_a_shift_of_a_hundredth_would_be_seen(name: str, figure: str, shift: float) -> None:
    """The loop's runs, a hundredth better than they are, are told from the core's."""
    core, loop = samples(name)

    assert min(p_values(core[figure], [value * (1.0 + shift) for value in loop[figure]])) < LEAST_P
