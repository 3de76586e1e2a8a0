"""Training as a loop over steps in exact fractions: slow, obvious, and the reference for the arithmetic.

Knows nothing of ``Run`` or ``Training``; a step is a step and a save is a save.
"""

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(slots=True)
class Walker:
    """A job that trains step by step; every number is exact."""

    now: Fraction
    progress: Fraction
    step_seconds: Fraction
    next_save_step: int
    interval_steps: int
    save_seconds: Fraction
    save_left: Fraction = Fraction(0)
    """Of the save in flight; 0 while stepping."""
    in_save: bool = False
    since: Fraction = Fraction(0)
    """When the step or save in flight began."""
    saved: list[tuple[int, Fraction]] = field(default_factory=list)
    """(step, instant at which it was durable) of every finished save."""
    seconds_in_saves: Fraction = Fraction(0)
    completed: list[tuple[int, Fraction]] = field(default_factory=list)
    """(step, instant) of every completed step."""

    def advance_to(self, at: Fraction) -> None:
        """Walk to ``at``; what ends there has ended."""
        while True:
            ends_at = self.ends_at
            if ends_at > at:
                self._spend(at - self.now)
                return
            self._spend(ends_at - self.now)
            if self.in_save:
                self.in_save = False
                self.saved.append((int(self.progress), self.now))
            else:
                self.completed.append((int(self.progress), self.now))
                if self.progress == self.next_save_step:
                    self.in_save, self.save_left = True, self.save_seconds
                    self.next_save_step += self.interval_steps
            self.since = self.now

    @property
    def ends_at(self) -> Fraction:
        """When the step or save in flight ends at this speed."""
        if self.in_save:
            return self.now + self.save_left
        return self.now + (int(self.progress) + 1 - self.progress) * self.step_seconds

    @property
    def slack_seconds(self) -> float:
        """How far now is from the nearest beginning or end, where a rounding error may decide."""
        return float(min(self.now - self.since, self.ends_at - self.now))

    def _spend(self, seconds: Fraction) -> None:
        self.now += seconds
        if self.in_save:
            self.save_left -= seconds
            self.seconds_in_saves += seconds
        else:
            self.progress += seconds / self.step_seconds
