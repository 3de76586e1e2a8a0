"""The teaching model, step by step: a loop that is written to be read, the reference for the core.

Within a step each GPU fails, and each computes wrongly, with a probability of its own, whatever happened
before: the job of N GPUs with 1 - (1 - p)^N. A failure goes back to the newest checkpoint; a validation
finds what is corrupt; a checkpoint that holds it is counted, and the job goes back at once to the one
before. It shares nothing with the core, not even random numbers.
"""

from dataclasses import dataclass, field
from math import log1p
from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What is played."""

    gpus: int
    failure_probability: float
    """Of one GPU within one step."""
    corruption_probability: float
    """The same for a wrong computation."""
    step_seconds: float
    target_steps: int
    save_every: int
    save_seconds: float
    validate_every: int
    """0 for never."""
    validation_seconds: float
    recovery_seconds: float
    """From a failure, or a find, to training; nothing happens meanwhile."""

    def chances(self, seconds: float) -> tuple[float, float]:
        """Of a corruption and of a failure of any GPU within these seconds."""
        exponent = self.gpus * seconds / self.step_seconds
        return (
            1.0 - (1.0 - self.corruption_probability) ** exponent,
            1.0 - (1.0 - self.failure_probability) ** exponent,
        )


@dataclass(slots=True)
class Student:
    """One run, from the first step to the last."""

    lesson: Lesson
    random: Random
    seconds: float = 0.0
    steps: int = 0
    """All that were executed."""
    step: int = 0
    checkpoint: int = 0
    """The newest one, which is always clean."""
    corrupt_after: list[int] = field(default_factory=list)
    """For each corruption in the weights, the last step that was computed right."""
    interruptions: int = 0
    detected: int = 0
    baked: int = 0
    chances: dict[float, tuple[float, float]] = field(init=False)
    """Seconds -> the chances of a corruption and of a failure."""

    def __post_init__(self) -> None:
        """A step, a validation and a save are all that time passes with."""
        lesson = self.lesson
        lengths = (lesson.step_seconds, lesson.validation_seconds, lesson.save_seconds)
        self.chances = {seconds: lesson.chances(seconds) for seconds in lengths}

    @property
    def effective_training_time_ratio(self) -> float:
        """Of the time, what went into steps that counted in the end."""
        return self.step * self.lesson.step_seconds / self.seconds

    def run(self) -> "Student":
        """Train to the target."""
        lesson = self.lesson
        while self.step < lesson.target_steps:
            if not self._passes(lesson.step_seconds):
                continue
            self.step += 1
            self.steps += 1
            if lesson.validate_every and self.step % lesson.validate_every == 0 and not self._validated():
                continue
            if self.step % lesson.save_every == 0 and self.step < lesson.target_steps:
                self._save()
        if self.corrupt_after:
            self.baked += len(self.corrupt_after)
            self.step = self.checkpoint
        return self

    def _validated(self) -> bool:
        """Whether the weights are found to be right; if not, the job is back at the checkpoint."""
        if not self._passes(self.lesson.validation_seconds):
            return False
        found = self._corruptions()
        self.detected += found
        if found:
            self._go_back()
        return not found

    def _save(self) -> None:
        if not self._passes(self.lesson.save_seconds):
            return
        found = self._corruptions()
        self.baked += found
        if found:
            self._go_back()
        else:
            self.checkpoint = self.step

    def _corruptions(self) -> int:
        """How many there are in the weights of this step; what struck since then is in those of the next."""
        return sum(clean < self.step for clean in self.corrupt_after)

    def _passes(self, seconds: float) -> bool:
        """Let the time pass; False when a GPU failed meanwhile, and the job is back at the checkpoint."""
        corrupts, fails = self.chances[seconds]
        if self.random.random() < corrupts:
            self.corrupt_after.append(self.step)
        drawn = self.random.random()
        if drawn >= fails:
            self.seconds += seconds
            return True
        # the same number says when: as 1 - (1 - p)^(N t) of the part t of a step
        lesson = self.lesson
        steps = log1p(-drawn) / log1p(-lesson.failure_probability) / lesson.gpus
        self.seconds += steps * lesson.step_seconds
        self._go_back()
        return False

    def _go_back(self) -> None:
        self.interruptions += 1
        self.seconds += self.lesson.recovery_seconds
        self.step = self.checkpoint
        self.corrupt_after.clear()
