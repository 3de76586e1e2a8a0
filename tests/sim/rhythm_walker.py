"""Training with several rhythms as a loop over steps in exact fractions: slow, obvious, the reference.

Knows nothing of ``RhythmicRun``: a step is a step, and a pause is a pause.
"""

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(slots=True)
class Beat:
    """One rhythm, and what came of it."""

    every_steps: int
    pause_seconds: Fraction
    landing_seconds: Fraction
    first_step: int
    ended: list[tuple[int, Fraction]] = field(default_factory=list)
    """(step, instant) at which each pause ended."""
    spent: Fraction = Fraction(0)
    """Seconds in its pauses."""

    def is_due(self, step: int) -> bool:
        """Whether it is due at a step."""
        return step >= self.first_step and (step - self.first_step) % self.every_steps == 0

    def durable(self, at: Fraction) -> list[tuple[int, Fraction]]:
        """(step, instant) of what landed by ``at``."""
        landed = [(step, ended + self.landing_seconds) for step, ended in self.ended]
        return [each for each in landed if each[1] <= at]


@dataclass(slots=True)
class RhythmWalker:
    """A job that trains step by step; every number is exact."""

    now: Fraction
    step: int
    step_seconds: Fraction
    beats: list[Beat]
    fraction: Fraction = Fraction(0)
    """Of the step in flight."""
    waiting: list[int] = field(default_factory=list)
    """Beats whose pause is in flight or due here, in order."""
    left: Fraction = Fraction(0)
    """Of the pause in flight."""
    since: Fraction = Fraction(0)

    def advance_to(self, at: Fraction) -> None:
        """Walk to ``at``; what ends there has ended."""
        while True:
            ends_at = self.ends_at
            if ends_at > at:
                self._spend(at - self.now)
                return
            self._spend(ends_at - self.now)
            if self.waiting:
                self.beats[self.waiting.pop(0)].ended.append((self.step, self.now))
            else:
                self.step, self.fraction = self.step + 1, Fraction(0)
                self.waiting = [index for index, beat in enumerate(self.beats) if beat.is_due(self.step)]
            if self.waiting:
                self.left = self.beats[self.waiting[0]].pause_seconds
            self.since = self.now

    @property
    def ends_at(self) -> Fraction:
        """When the step or pause in flight ends at this speed."""
        if self.waiting:
            return self.now + self.left
        return self.now + (1 - self.fraction) * self.step_seconds

    @property
    def slack_seconds(self) -> float:
        """How far now is from the nearest boundary, where a rounding error may decide."""
        landings = [
            abs(self.now - ended - beat.landing_seconds)
            for beat in self.beats
            for _, ended in beat.ended[-2:]
        ]
        return float(min([self.now - self.since, self.ends_at - self.now, *landings]))

    def _spend(self, seconds: Fraction) -> None:
        self.now += seconds
        if self.waiting:
            self.left -= seconds
            self.beats[self.waiting[0]].spent += seconds
        else:
            self.fraction += seconds / self.step_seconds
