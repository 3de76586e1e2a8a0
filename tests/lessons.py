"""The shipped teaching case, for the core and for the loop over its steps alike.

The probabilities are worked out from what was published and from the file's own words, not from the
rates that the core makes of them.
"""

from math import expm1
from pathlib import Path

from goodputd.settings import Scenario, load
from tests.teaching import Lesson

FILE = Path(__file__).parents[1] / "config" / "compare-meta-mini.toml"
GPUS = 1024
FAILURES_PER_SECOND = 3 * 419 / (54 * 86400.0)
"""Of the job: three times what stopped Llama 3."""
RESTORE_SECONDS = 180.0
STAGES_SECONDS = 30.0 + 43.0 + 17.0 + 30.0 + 30.0


def scenarios() -> dict[str, Scenario]:
    """The scenarios of the file by name."""
    return {each.name: each for each in load(FILE, environ={}).scenarios}


def lesson(scenario: Scenario) -> Lesson:
    """The same for the loop."""
    step_seconds = scenario.job.step_seconds
    fails = FAILURES_PER_SECOND / GPUS if scenario.faults.scale else 0.0
    validates = "validation" in scenario.detection.layers
    every, target = scenario.checkpoint.interval_steps, scenario.job.target_steps
    assert every is not None
    assert target is not None
    return Lesson(
        gpus=GPUS,
        failure_probability=-expm1(-fails * step_seconds),
        corruption_probability=-expm1(-scenario.corruption.per_gpu_hour / 3600.0 * step_seconds),
        step_seconds=step_seconds,
        target_steps=target,
        save_every=every,
        save_seconds=scenario.checkpoint.save_seconds,
        validate_every=scenario.detection.validation.steps(step_seconds) if validates else 0,
        validation_seconds=scenario.detection.validation.seconds,
        recovery_seconds=STAGES_SECONDS + RESTORE_SECONDS,
    )
