"""The step time of the job as it is now, and what makes it longer than that of the settings.

Reads the state; changes nothing.
"""

from goodputd.sim.snapshot import StepTime
from goodputd.sim.state import State
from goodputd.sim.taxonomy import Slowing


def step_time(state: State) -> StepTime:
    """Of the run in flight; of a stopped job as it would go on."""
    training, fleet = state.training, state.cluster.fleet
    ratios = dict.fromkeys(Slowing, 1.0)
    if fleet is not None:
        ratios |= fleet.slowings
    ratios |= training.pace.slowings(training.step_seconds)
    run = training.run
    if run is None:
        return StepTime(training.calm_step_seconds, ratios)
    ratios[Slowing.SLOW_RANK] = run.slow_factor / training.calm_factor
    return StepTime(run.step_seconds, ratios)
