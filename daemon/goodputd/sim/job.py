"""The one synchronous training run: its states, and its progress as arithmetic.

Steps and checkpoints are not events. A ``Run`` is one stretch of training between two events that
touch it (resume, slow-down, stop); where it stands at any instant follows from its anchor, so that
nothing is accumulated when somebody looks (DESIGN rule 15).
"""

import math
from dataclasses import dataclass, field
from typing import Final

from goodputd.errors import TransitionError
from goodputd.sim.taxonomy import JobState

ROUNDING_SECONDS: Final = 1e-7
ROUNDING_SHARE: Final = 1e-15
"""An instant meant as the end of a step or save may fall short of it by so much, and so much of itself."""


JOB_TRANSITIONS: Final[dict[JobState, frozenset[JobState]]] = {
    JobState.RUNNING: frozenset({JobState.STALLED, JobState.RECOVERING, JobState.COMPLETED}),
    JobState.STALLED: frozenset({JobState.RECOVERING}),
    JobState.RECOVERING: frozenset(
        {JobState.RUNNING, JobState.STALLED, JobState.WAITING_FOR_CAPACITY, JobState.RECOVERING}
    ),
    JobState.WAITING_FOR_CAPACITY: frozenset({JobState.RECOVERING}),
    JobState.COMPLETED: frozenset(),
}
"""The legal moves of the job; every state has its row."""


class Job:
    """The state of the job."""

    __slots__ = ("state",)

    def __init__(self) -> None:
        """A job starts initialised and running."""
        self.state = JobState.RUNNING

    def move(self, to: JobState) -> None:
        """Change state. Errors: ``TransitionError``, state unchanged."""
        if to not in JOB_TRANSITIONS[self.state]:
            message = f"the job cannot go from {self.state} to {to}"
            raise TransitionError(message)
        self.state = to


@dataclass(slots=True)
class Aside:
    """What a run has beside steps and saves that block it."""

    validation_seconds: float
    """Seconds spent in validations since the anchor, the one in flight included."""
    validation_ends_at: float
    """When the validation in flight ends; 0 for none."""
    writing: bool
    """A save that no longer blocks training is not durable yet."""


@dataclass(slots=True)
class Position:
    """Where a run stands at one instant."""

    progress: float
    """Steps, with the fraction of the one in flight."""
    whole_steps: int
    """Completed steps."""
    saves_finished: int
    """Saves that became durable since the anchor."""
    save_seconds: float
    """Seconds spent in saves since the anchor, the one in flight included."""
    activity_since: float
    """When the step or pause in flight began."""
    saved_at: float
    """When the newest finished save became durable; the anchor if none has."""
    save_ends_at: float
    """When the save in flight ends; 0 while stepping or validating."""
    aside: "Aside | None" = None
    """Beside steps and saves; None where these are all there is."""

    @property
    def in_save(self) -> bool:
        """A save is in flight."""
        return self.save_ends_at > 0.0


@dataclass(slots=True)
class Run:
    """One stretch of training at one speed.

    The next checkpoint is saved after step ``next_save_step``, then every ``interval_steps``; each
    save blocks training for ``save_seconds`` and is durable when it ends.
    """

    anchor_at: float
    anchor_progress: float
    save_left_seconds: float
    """Of a save that was in flight at the anchor."""
    base_step_seconds: float
    """Step time without stragglers."""
    slow_factor: float
    next_save_step: int
    interval_steps: int
    save_seconds: float
    step_seconds: float = field(init=False)
    """Step time as it is."""

    def __post_init__(self) -> None:
        """The step time of a run does not change."""
        self.step_seconds = self.base_step_seconds * self.slow_factor

    def position(self, at: float) -> Position:
        """Where the run stands at ``at``, which is not before the anchor."""
        since = self.anchor_at
        elapsed = at - since
        progress = self.anchor_progress
        saves = 0
        saved = 0.0
        rounding = ROUNDING_SECONDS + ROUNDING_SHARE * at
        left = self.save_left_seconds
        if left > 0.0:
            if elapsed < left - rounding:
                return Position(progress, round(progress), 0, elapsed, since, since, since + left)
            saves, saved = 1, left
            elapsed = max(elapsed - left, 0.0)
            since += left
        lead = (self.next_save_step - progress) * self.step_seconds
        if elapsed < lead - rounding:
            return self._stepping(progress, elapsed, saves, saved, since)
        elapsed -= lead
        since += lead
        save = self.save_seconds
        stepping = self.interval_steps * self.step_seconds
        cycle = save + stepping
        cycles = math.floor((elapsed + rounding) / cycle)
        step = self.next_save_step
        if cycles:
            elapsed -= cycles * cycle
            since += cycles * cycle
            saves += cycles
            saved += cycles * save
            step += cycles * self.interval_steps
        if elapsed < save - rounding:
            before = since - stepping if cycles else self.anchor_at + left
            return Position(float(step), step, saves, saved + max(elapsed, 0.0), since, before, since + save)
        elapsed = elapsed - save if elapsed > save else 0.0
        return self._stepping(float(step), elapsed, saves + 1, saved + save, since + save)

    def _stepping(self, progress: float, elapsed: float, saves: int, saved: float, since: float) -> Position:
        """``elapsed`` seconds of stepping after ``since``, when progress was ``progress``."""
        now = progress + elapsed / self.step_seconds
        rounding = ROUNDING_SECONDS + ROUNDING_SHARE * (since + elapsed)
        whole = math.floor(now + rounding / self.step_seconds)
        begun = since + (whole - progress) * self.step_seconds if whole > progress else since
        return Position(now, whole, saves, saved, begun, since, 0.0)

    def last_saved_step(self, saves_finished: int) -> int:
        """The step of the newest of ``saves_finished`` saves since the anchor, at least one."""
        if self.save_left_seconds > 0.0:
            saves_finished -= 1
            if saves_finished == 0:
                return round(self.anchor_progress)
        return self.next_save_step + (saves_finished - 1) * self.interval_steps

    def reaches_step_at(self, step: int) -> float:
        """When step ``step``, ahead of the anchor, is completed; a save due there comes after."""
        saves = max(0, -((self.next_save_step - step) // self.interval_steps))
        stepping = (step - self.anchor_progress) * self.step_seconds
        return self.anchor_at + self.save_left_seconds + stepping + saves * self.save_seconds

    def next_save_ends_at(self, at: float) -> float:
        """When the first save that ends after ``at`` is durable."""
        position = self.position(at)
        if position.save_ends_at > at:
            return position.save_ends_at
        done = position.saves_finished - (1 if self.save_left_seconds > 0.0 else 0)
        step = self.next_save_step + max(0, done) * self.interval_steps
        return self.reaches_step_at(step) + self.save_seconds

    def finishes_at(self, step: int) -> float:
        """When step ``step``, ahead of the anchor, is completed, and validated if that is due there."""
        return self.reaches_step_at(step)

    def covers_at(self, step: int) -> float:
        """When a save of a step after ``step`` is durable for the first time."""
        if self.save_left_seconds > 0.0 and round(self.anchor_progress) > step:
            return self.anchor_at + self.save_left_seconds
        saves = max(0, (step - self.next_save_step) // self.interval_steps + 1)
        return self.reaches_step_at(self.next_save_step + saves * self.interval_steps) + self.save_seconds

    def validates_at(self, step: int) -> float | None:  # noqa: ARG002 - not every run validates
        """When the first validation of a step after ``step`` ends; None when none ever comes."""
        return None

    def moved(self, at: float, position: Position, slow_factor: float, saved_step: int) -> "Run":
        """The same run from ``at`` on, where it stands, at another speed.

        ``saved_step`` is the step of the newest checkpoint, which the next save follows an interval later.
        """
        left = 0.0
        next_save = saved_step + self.interval_steps
        if position.in_save:
            left = position.save_ends_at - at
            next_save = position.whole_steps + self.interval_steps
        return Run(
            at,
            position.progress,
            left,
            self.base_step_seconds,
            slow_factor,
            max(next_save, position.whole_steps + 1),
            self.interval_steps,
            self.save_seconds,
        )
