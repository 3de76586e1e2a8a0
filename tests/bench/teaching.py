"""The teaching case on one CPU: the core against a loop over every step of it.

Both play the optimized scenario of config/compare-meta-mini.toml to its target, in turns; once as it is,
once in steps ten times shorter, with ten times as many of them between saves and validations.
"""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Final

from goodputd.settings import Scenario
from goodputd.studies.runs import Job, play
from tests.bench.core import cpu_seconds
from tests.bench.report import Row
from tests.lessons import lesson, scenarios
from tests.teaching import Student

SEEDS: Final = range(1, 11)
FINER: Final = 10
HORIZON_SECONDS: Final = 365 * 86400.0
"""Longer than any run takes."""


def rows() -> list[Row]:
    """One row, with both lengths of a step."""
    scenario = scenarios()["optimized"]
    coarse, fine = _ratio(scenario), _ratio(finer(scenario))
    return [
        Row(
            what="teaching case: the core against a loop over every step",
            budget="-",
            measured=f"{coarse:.1f} x as fast, {fine:.0f} x in steps ten times shorter ({len(SEEDS)} seeds)",
            holds=None,
            figures={"ratio": coarse, "ratio_of_shorter_steps": fine},
        )
    ]


def finer(scenario: Scenario) -> Scenario:
    """The same job in shorter steps; it fails, saves and validates as often as before."""
    job, checkpoint, detection = scenario.job, scenario.checkpoint, scenario.detection
    every = detection.validation.steps(job.step_seconds)
    return replace(
        scenario,
        job=replace(job, step_seconds=job.step_seconds / FINER, target_steps=(job.target_steps or 0) * FINER),
        checkpoint=replace(checkpoint, interval_steps=(checkpoint.interval_steps or 0) * FINER),
        detection=replace(detection, validation=replace(detection.validation, every_steps=every * FINER)),
    )


def _ratio(scenario: Scenario) -> float:
    """CPU time of the loop over that of the core, all seeds together."""
    played = lesson(scenario)
    core = loop = 0.0
    for seed in SEEDS:
        core += cpu_seconds(partial(play, Job(0, scenario, seed, HORIZON_SECONDS)))
        loop += cpu_seconds(Student(played, Random(seed)).run)  # noqa: S311 - not for secrets
    return loop / core
