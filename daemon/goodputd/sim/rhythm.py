"""A run with more than one rhythm: validations, saves to several tiers, saves that land later.

``job.Run`` pauses for one kind of save; here training pauses for several things, each after every so
many steps of its own, in a fixed order where they fall on one step. The number of pauses of a rhythm
before a step is a division, so the instant at which a step is completed is a sum of products, and
where the run stands is found by bisection over whole steps: exact, whatever the intervals have in
common, and as cheap for a century as for a minute.
"""

import math
from dataclasses import dataclass, field

from goodputd.sim.job import ROUNDING_SECONDS, ROUNDING_SHARE, Aside, Position, Run


@dataclass(slots=True)
class Rhythm:
    """What a run pauses for after every ``every_steps`` steps."""

    every_steps: int
    pause_seconds: float
    landing_seconds: float
    """From the end of the pause until what was saved is durable; not longer than the way to the next."""
    next_step: int
    """The first step after the anchor that it is due at."""
    left_seconds: float = 0.0
    """Of a pause that was in flight, or due and not begun, at the anchor."""
    is_left: bool = False
    """There was such a pause."""
    landing_step: int = -1
    """Step of a save that was not yet durable at the anchor; -1 for none."""
    landing_left_seconds: float = 0.0

    def before(self, step: int) -> int:
        """How often it is due after the anchor and before ``step``."""
        ahead = step - self.next_step
        return (ahead - 1) // self.every_steps + 1 if ahead > 0 else 0

    def is_due(self, step: int) -> bool:
        """Whether it is due at ``step``, after the anchor."""
        ahead = step - self.next_step
        return ahead >= 0 and ahead % self.every_steps == 0


def validated_step(step: int, interval: int, every: int) -> int:
    """The first step from ``step`` on that a validation every ``every`` steps sees, for a save to stand on.

    After a last gasp or quick succession saves may stand elsewhere; where ``every`` does not divide their
    interval they do anyway.
    """
    return step + -step % every if interval % every == 0 else step


@dataclass(slots=True)
class Stand:
    """Where a run with rhythms stands."""

    step: int
    """The last whole step."""
    progress: float
    since: float
    """When the step or pause in flight began."""
    ended: list[int]
    """Pauses that ended since the anchor, by rhythm."""
    pausing: int = -1
    """The rhythm whose pause is in flight; -1 while stepping."""
    ends_at: float = 0.0
    """When that pause ends."""


@dataclass(slots=True)
class RhythmicRun(Run):
    """One stretch of training with several rhythms; those of saves make progress durable.

    ``rhythms`` are in the order in which they are due at one step, the ``checks`` that save nothing
    first. ``main`` is the index of the saves that commit, and ``validation`` that of validations, -1 for
    none; the others save to weaker tiers.
    """

    rhythms: tuple[Rhythm, ...] = ()
    main: int = 0
    validation: int = -1
    checks: int = 0
    begins_at: float = field(init=False)
    """When stepping goes on after what was left at the anchor."""

    def __post_init__(self) -> None:
        """What is left at the anchor does not change."""
        self.step_seconds = self.base_step_seconds * self.slow_factor
        self.begins_at = self.anchor_at + math.fsum(rhythm.left_seconds for rhythm in self.rhythms)

    def reaches_step_at(self, step: int) -> float:
        """When step ``step``, ahead of the anchor, is completed; what is due there comes after."""
        pauses = 0.0
        for rhythm in self.rhythms:
            pauses += rhythm.before(step) * rhythm.pause_seconds
        return self.begins_at + (step - self.anchor_progress) * self.step_seconds + pauses

    def stand(self, at: float) -> Stand:
        """Where the run stands at ``at``, which is not before the anchor.

        A pause has not begun at the very instant at which it would: whoever stops the run there, at
        the end of the pause before it, cuts nothing short.
        """
        rounding = ROUNDING_SECONDS + ROUNDING_SHARE * at
        step = self._completed(at + rounding)
        if step < 0:
            return self._stand_at_anchor(at, rounding)
        since = self.reaches_step_at(step)
        ended = [rhythm.before(step) + rhythm.is_left for rhythm in self.rhythms]
        for index, rhythm in enumerate(self.rhythms):
            if not rhythm.is_due(step):
                continue
            ends_at = since + rhythm.pause_seconds
            if at < ends_at - rounding:
                pausing = index if at > since + rounding else -1
                return Stand(step, float(step), since, ended, pausing, ends_at)
            ended[index] += 1
            since = ends_at
        return Stand(step, step + max(at - since, 0.0) / self.step_seconds, since, ended)

    def _stand_at_anchor(self, at: float, rounding: float) -> Stand:
        """No step was completed since the anchor."""
        progress, since = self.anchor_progress, self.anchor_at
        ended = [0] * len(self.rhythms)
        for index, rhythm in enumerate(self.rhythms):
            if not rhythm.is_left:
                continue
            ends_at = since + rhythm.left_seconds
            if at < ends_at - rounding:
                pausing = index if at > since + rounding or rhythm.left_seconds < rhythm.pause_seconds else -1
                return Stand(round(progress), progress, since, ended, pausing, ends_at)
            ended[index] = 1
            since = ends_at
        now = progress + max(at - since, 0.0) / self.step_seconds
        return Stand(math.floor(progress), now, since, ended)

    def _completed(self, limit: float) -> int:
        """The last step after the anchor that is completed by ``limit``; -1 for none."""
        first = math.floor(self.anchor_progress) + 1
        ahead = limit - self.begins_at
        step_seconds = self.step_seconds
        high = first + 1 + max(0, int(ahead / step_seconds))
        # pauses at their mean rate: an upper bound as well, and within a few pauses of the answer
        credit, pace = 0.0, step_seconds
        for rhythm in self.rhythms:
            pause = rhythm.pause_seconds / rhythm.every_steps
            pace += pause
            credit += pause * (rhythm.next_step - self.anchor_progress)
        high = min(high, max(first, math.floor(self.anchor_progress + (ahead + credit) / pace) + 2))
        low, width = high, 1
        while low >= first and self.reaches_step_at(low) > limit:
            high = low
            low -= width
            width *= 2
        low = max(low, first - 1)
        while high - low > 1:
            middle = (low + high) // 2
            if self.reaches_step_at(middle) <= limit:
                low = middle
            else:
                high = middle
        return low if low >= first else -1

    def position(self, at: float) -> Position:
        """Where the run stands at ``at``, which is not before the anchor."""
        stand = self.stand(at)
        save_seconds = validation_seconds = 0.0
        for index in range(len(self.rhythms)):
            spent = self._spent(index, stand, at)
            if index < self.checks:
                validation_seconds += spent
            else:
                save_seconds += spent
        durable, saved_at = self._durable(self.main, stand, at)
        ends_at = stand.ends_at if stand.pausing >= 0 else 0.0
        validates = 0 <= stand.pausing < self.checks
        return Position(
            stand.progress,
            stand.step,
            durable,
            save_seconds,
            stand.since,
            saved_at,
            0.0 if validates else ends_at,
            Aside(
                validation_seconds,
                ends_at if validates else 0.0,
                self.landing(self.main, stand, at) is not None,
            ),
        )

    def _spent(self, index: int, stand: Stand, at: float) -> float:
        """Seconds in pauses of one rhythm since the anchor, the one in flight included."""
        rhythm = self.rhythms[index]
        ended = stand.ended[index]
        spent = at - stand.since if stand.pausing == index else 0.0
        if ended and rhythm.is_left:
            spent += rhythm.left_seconds
            ended -= 1
        return spent + ended * rhythm.pause_seconds

    def _pause(self, index: int, ordinal: int) -> tuple[int, float]:
        """Step and end of a rhythm's pause, counted from 1 since the anchor."""
        rhythm = self.rhythms[index]
        upto = self.rhythms[: index + 1]
        if rhythm.is_left:
            if ordinal == 1:
                return round(self.anchor_progress), self.anchor_at + math.fsum(
                    each.left_seconds for each in upto
                )
            ordinal -= 1
        step = rhythm.next_step + (ordinal - 1) * rhythm.every_steps
        pauses = math.fsum(each.pause_seconds for each in upto if each.is_due(step))
        return step, self.reaches_step_at(step) + pauses

    def _durable(self, index: int, stand: Stand, at: float) -> tuple[int, float]:
        """How many saves of a rhythm became durable since the anchor, and when the newest did."""
        rhythm = self.rhythms[index]
        carried = rhythm.landing_step >= 0
        rounding = ROUNDING_SECONDS + ROUNDING_SHARE * at
        for ended in range(stand.ended[index], max(0, stand.ended[index] - 2), -1):
            landed_at = self._pause(index, ended)[1] + rhythm.landing_seconds
            if at >= landed_at - rounding:
                return ended + carried, landed_at
        landed_at = self.anchor_at + rhythm.landing_left_seconds
        if carried and at >= landed_at - rounding:
            return 1, landed_at
        return 0, self.anchor_at

    def landing(self, index: int, stand: Stand, at: float) -> tuple[int, float] | None:
        """Step of a save whose pause ended and that is not durable yet, and when it will be."""
        rhythm = self.rhythms[index]
        if rhythm.landing_seconds <= 0.0:
            return None
        rounding = ROUNDING_SECONDS + ROUNDING_SHARE * at
        if stand.ended[index]:
            step, ended_at = self._pause(index, stand.ended[index])
            lands_at = ended_at + rhythm.landing_seconds
        elif rhythm.landing_step >= 0:
            step, lands_at = rhythm.landing_step, self.anchor_at + rhythm.landing_left_seconds
        else:
            return None
        return (step, lands_at) if at < lands_at - rounding else None

    def _saved_step(self, index: int, durable: int) -> int:
        """The step of the newest of ``durable`` saves of a rhythm since the anchor, at least one."""
        rhythm = self.rhythms[index]
        if rhythm.landing_step >= 0:
            durable -= 1
            if durable == 0:
                return rhythm.landing_step
        return self._pause(index, durable)[0]

    def last_saved_step(self, saves_finished: int) -> int:
        """The step of the newest of ``saves_finished`` saves since the anchor, at least one."""
        return self._saved_step(self.main, saves_finished)

    def saved(self, index: int, at: float) -> tuple[int, int, float]:
        """How many saves of a rhythm became durable since the anchor, and step and instant of the newest.

        The step is -1 when there is none.
        """
        durable, saved_at = self._durable(index, self.stand(at), at)
        return durable, self._saved_step(index, durable) if durable else -1, saved_at

    def is_saving(self, index: int, at: float) -> bool:
        """Whether a save of a rhythm blocks training, or is not durable yet."""
        stand = self.stand(at)
        return stand.pausing == index or self.landing(index, stand, at) is not None

    def next_save_ends_at(self, at: float) -> float:
        """When the first save that ends after ``at`` no longer blocks training."""
        stand = self.stand(at)
        if stand.pausing == self.main:
            return stand.ends_at
        return self._pause(self.main, stand.ended[self.main] + 1)[1]

    def covers_at(self, step: int) -> float:
        """When a save of a step after ``step`` is durable for the first time."""
        rhythm = self.rhythms[self.main]
        if rhythm.landing_step > step:
            return self.anchor_at + rhythm.landing_left_seconds
        return self._ends_after(self.main, step) + rhythm.landing_seconds

    def validates_at(self, step: int) -> float | None:
        """When the first validation of a step after ``step`` ends; None when none ever comes."""
        return None if self.validation < 0 else self._ends_after(self.validation, step)

    def finishes_at(self, step: int) -> float:
        """When step ``step``, ahead of the anchor, is completed, and validated if that is due there."""
        if self.validation >= 0 and self.rhythms[self.validation].is_due(step):
            return self._ends_after(self.validation, step - 1)
        return self.reaches_step_at(step)

    def _ends_after(self, index: int, step: int) -> float:
        """When a rhythm's first pause at a step after ``step`` ends."""
        rhythm = self.rhythms[index]
        if rhythm.is_left and round(self.anchor_progress) > step:
            return self._pause(index, 1)[1]
        return self._pause(index, rhythm.before(step + 1) + 1 + rhythm.is_left)[1]

    def moved(self, at: float, position: Position, slow_factor: float, saved_step: int) -> "RhythmicRun":
        """The same run from ``at`` on, where it stands, at another speed."""
        del position, saved_step
        stand = self.stand(at)
        rhythms = []
        is_first = True
        for index, rhythm in enumerate(self.rhythms):
            left, is_left = 0.0, self._is_due_now(index, stand)
            if is_left:
                full = rhythm.left_seconds if self._is_at_anchor(stand) else rhythm.pause_seconds
                left = stand.ends_at - at if is_first and stand.pausing == index else full
                is_first = False
            landing = self.landing(index, stand, at)
            rhythms.append(
                Rhythm(
                    rhythm.every_steps,
                    rhythm.pause_seconds,
                    rhythm.landing_seconds,
                    rhythm.next_step + rhythm.before(stand.step + 1) * rhythm.every_steps,
                    left,
                    is_left,
                    -1 if landing is None else landing[0],
                    0.0 if landing is None else landing[1] - at,
                )
            )
        return RhythmicRun(
            at,
            stand.progress,
            0.0,
            self.base_step_seconds,
            slow_factor,
            rhythms[self.main].next_step,
            self.interval_steps,
            self.save_seconds,
            tuple(rhythms),
            self.main,
            self.validation,
            self.checks,
        )

    def adopt(self, rhythms: tuple[Rhythm, ...]) -> None:
        """From the anchor on, come as often as these; a save at the anchor, or on its way, counts as one."""
        for own, other in zip(self.rhythms, rhythms, strict=True):
            own.every_steps = other.every_steps
            own.next_step = other.next_step
        save = self.rhythms[self.main]
        before = round(self.anchor_progress) if save.is_left else save.landing_step
        if before >= 0:
            save.next_step = before + save.every_steps
            if self.validation >= 0:
                every = self.rhythms[self.validation].every_steps
                save.next_step = validated_step(save.next_step, save.every_steps, every)
        self.interval_steps = save.every_steps
        self.next_save_step = save.next_step

    def _is_at_anchor(self, stand: Stand) -> bool:
        """No step was completed since the anchor."""
        return stand.step <= self.anchor_progress

    def _is_due_now(self, index: int, stand: Stand) -> bool:
        """A rhythm's pause is in flight, or due where the run stands and not begun."""
        rhythm = self.rhythms[index]
        if self._is_at_anchor(stand):
            return rhythm.is_left and not stand.ended[index]
        return rhythm.is_due(stand.step) and stand.ended[index] == rhythm.before(stand.step) + rhythm.is_left
