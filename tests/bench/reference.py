"""The loop that goodputd does not run: every step of the job, one after the other.

It shares no code with the core but the random streams: a step fails with probability
1 - (1 - p)^N, a failure loses what was done since the last save and costs a fixed recovery. Nothing
else is modelled, so the core is configured down to this before the two are compared.
"""

from dataclasses import dataclass
from math import log1p

from goodputd.sim.streams import stream


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What both are given."""

    gpus: int
    failure_probability: float
    """Of one GPU within one step."""
    step_seconds: float
    interval_steps: int
    save_seconds: float
    recovery_seconds: float
    """From the fault to training."""
    horizon_seconds: float


class PerStepLoop:
    """One job, played step by step."""

    def __init__(self, inputs: Inputs, seed: int) -> None:
        """Nothing is played until ``run``."""
        self._inputs = inputs
        self._uniform = stream(seed, "bench/reference").random
        self.effective_training_time_ratio = 0.0
        """Saved work over elapsed time, once it has run."""

    def run(self) -> None:
        """Play to the horizon.

        A uniform below the hazard is a failure, and says when: -ln(1 - u) / rate after the step or
        save began, the exponential that the hazard comes from, cut off at the end of the step.
        """
        step, interval = self._inputs.step_seconds, self._inputs.interval_steps
        save, recovery = self._inputs.save_seconds, self._inputs.recovery_seconds
        horizon, uniform = self._inputs.horizon_seconds, self._uniform
        hazard = 1.0 - (1.0 - self._inputs.failure_probability) ** self._inputs.gpus
        save_hazard = 1.0 - (1.0 - hazard) ** (save / step)
        rate = -log1p(-hazard) / step
        now = 0.0
        unsaved = saved = 0
        while now < horizon:
            drawn = uniform()
            if drawn < hazard:
                now += recovery - log1p(-drawn) / rate
                unsaved = 0
                continue
            now += step
            unsaved += 1
            if unsaved == interval:
                drawn = uniform()
                if drawn < save_hazard:
                    now += recovery - log1p(-drawn) / rate
                else:
                    now += save
                    saved += unsaved
                unsaved = 0
        self.effective_training_time_ratio = saved * step / now
