"""The pace of the job: how long a step takes by its size, its nodes and the noise of its ranks.

Knows no run and nothing of intervals; slow ranks come and go with the run.
"""

from goodputd.sim.noise import Noise
from goodputd.sim.specs.job import JobSpec
from goodputd.sim.taxonomy import Slowing


class Pace:
    """Step time of the job as it is sized and placed now."""

    __slots__ = ("_grows", "_job", "_nominal_replicas", "factor", "noise", "replicas")

    def __init__(self, job: JobSpec, replicas: int, noise: Noise | None = None) -> None:
        """``replicas`` is the nominal number; ``noise`` is None for ranks that are all alike."""
        self._job = job
        self._nominal_replicas = replicas
        self._grows = job.on_shrink == "same_batch"
        self.noise = noise
        self.replicas = replicas
        self.factor = 1.0
        """Step time by who is in the job, as a multiple."""

    @property
    def follows_size(self) -> bool:
        """Whether steps take as long as the job is large."""
        return self.noise is not None or self._grows

    @property
    def step_seconds(self) -> float:
        """Step time without noise."""
        seconds = self._job.step_seconds * self.factor
        if self._grows and self.replicas:
            seconds = seconds * self._nominal_replicas / self.replicas
        return seconds

    def noisy(self, step_seconds: float, slow_factor: float = 1.0) -> float:
        """Step time as a multiple of ``step_seconds``, with one rank that is slow by so much."""
        if self.noise is None or not self.replicas:
            return slow_factor
        return self.noise.factor(step_seconds, self.replicas, slow_factor)

    def slowings(self, step_seconds: float) -> dict[Slowing, float]:
        """What makes steps longer, as multiples, but for who is in the job and slow ranks."""
        found = {}
        if self._grows and self.replicas:
            found[Slowing.SHRINK] = self._nominal_replicas / self.replicas
        if self.noise is not None and self.replicas:
            computing = self.noise.computing(self.replicas)
            found[Slowing.NOISE] = computing
            found[Slowing.NETWORK] = self.noisy(step_seconds) / computing
        return found
