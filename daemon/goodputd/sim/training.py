"""Training: the run in flight, what it executed, and what a restore takes back.

Knows the ledger and the checkpoints, nothing of faults or recoveries. Everything between two calls
is arithmetic on the run's anchor.
"""

import math
from dataclasses import dataclass
from typing import Final

from goodputd.sim.checkpoint import CheckpointStore
from goodputd.sim.job import Position, Run
from goodputd.sim.ledger import Ledger, RunWork
from goodputd.sim.noise import Noise
from goodputd.sim.pace import Pace
from goodputd.sim.paces import Paces
from goodputd.sim.rhythm import Rhythm, RhythmicRun, validated_step
from goodputd.sim.specs.checkpoint import CheckpointSpec, least_steps
from goodputd.sim.specs.detection import ShadowSpec, ValidationSpec
from goodputd.sim.specs.job import JobSpec
from goodputd.sim.taxonomy import CheckpointTier
from goodputd.sim.tiers import Held, TierCounts

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_REMOTE: Final = CheckpointTier.REMOTE


@dataclass(slots=True)
class StepCounts:
    """Counters of steps and saves; none of them ever falls."""

    executed: int = 0
    lost: int = 0
    retracted: int = 0
    saves: int = 0
    interrupted_saves: int = 0


class Training:
    """The job's progress."""

    __slots__ = (
        "_checkpoint",
        "_checks",
        "_hyper_factor",
        "_is_hyper",
        "_is_plain",
        "_ledger",
        "_mtbf_seconds",
        "_pace_may_differ",
        "_paces",
        "_progress",
        "_replicas",
        "_shadow",
        "_validation",
        "_weaker",
        "calm_factor",
        "calm_step_seconds",
        "checks_from",
        "counts",
        "held",
        "hyper_until",
        "interval_steps",
        "is_adaptive",
        "last_step_at",
        "pace",
        "run",
        "saved_replicas",
        "step",
        "step_seconds",
        "store",
        "tier_counts",
        "training_share",
        "validation_steps",
    )

    def __init__(
        self,
        job: JobSpec,
        checkpoint: CheckpointSpec,
        ledger: Ledger,
        replicas: int,
        validation: ValidationSpec | None = None,
        *,
        shadow: ShadowSpec | None = None,
        noise: Noise | None = None,
        hyper_factor: float = 1.0,
    ) -> None:
        """Nothing runs until ``start``; ``replicas`` is the nominal number.

        ``hyper_factor`` divides the intervals until ``hyper_until``.
        """
        self._checkpoint = checkpoint
        self._validation = validation
        self._shadow = shadow
        self._checks = (shadow is not None) + (validation is not None)
        """Rhythms of a run that save nothing; they come first."""
        self._weaker = tuple(enumerate(checkpoint.weaker_tiers(), self._checks))
        """(index among the rhythms of a run, tier)."""
        self._hyper_factor = hyper_factor
        self._is_hyper = False
        self.hyper_until = 0.0
        """Until when saves and validations come in quick succession."""
        self._is_plain = (
            self._checks == 0 and checkpoint.write_seconds == 0.0 and not self._weaker and hyper_factor == 1.0
        )
        """Saves are all that training pauses for, and durable when the pause ends."""
        self.is_adaptive = checkpoint.interval == "optimal" or hyper_factor > 1.0
        """Intervals follow what happened."""
        self._ledger = ledger
        self._mtbf_seconds = math.inf
        self._replicas = replicas
        self.pace = Pace(job, replicas, noise)
        self._progress = 0.0
        """With the fraction of the step that was in flight, when the last run was closed."""
        self.store = CheckpointStore(checkpoint.keep)
        self.held: dict[CheckpointTier, Held] = {}
        """The newest checkpoint of each weaker tier that can still be read, fastest tier first."""
        self.tier_counts = {tier: TierCounts() for _, tier in self._weaker}
        self.counts = StepCounts()
        self.run: Run | None = None
        self.step = 0
        """The last whole step when the run began or ended."""
        self.last_step_at: float | None = None
        self.checks_from = 0.0
        self.saved_replicas = replicas
        """Replicas of the job when its newest checkpoint was saved."""
        self._set_step_seconds(self.pace.step_seconds)
        self._paces = Paces(self.step_seconds, ledger.active_gpus)
        self._pace_may_differ = False
        """Steps committed next may take something else than those before."""

    def _set_step_seconds(self, seconds: float) -> None:
        self.step_seconds = seconds
        """Step time of the job as it is sized now, without noise or stragglers."""
        self.calm_factor = self.pace.noisy(seconds)
        """What noise makes of it where no rank is slow."""
        self.calm_step_seconds = seconds = seconds * self.calm_factor
        self.interval_steps = self._checkpoint.steps(seconds, self._mtbf_seconds)
        """Steps between two saves."""
        self.validation_steps = 0
        """Steps between two validations; 0 without any."""
        validating = 0.0
        least = least_steps(self._checkpoint, seconds)
        if self._is_hyper:
            self.interval_steps = max(1, least, round(self.interval_steps / self._hyper_factor))
        if self._validation is not None:
            self.validation_steps = self._validation.steps(seconds)
            if self._is_hyper:
                self.validation_steps = max(1, round(self.validation_steps / self._hyper_factor))
            if self._is_hyper or self._checkpoint.interval == "optimal":
                # every checkpoint is validated first, and none is begun before the last one is written
                wanted = round(self.interval_steps / self.validation_steps)
                validations = max(1, wanted, math.ceil(least / self.validation_steps))
                self.interval_steps = validations * self.validation_steps
            validating = self._validation.seconds * self.interval_steps / self.validation_steps
        if self._shadow is not None:
            validating += self._shadow.seconds_per_step * self.interval_steps
        stepping = self.interval_steps * seconds
        saving = self._checkpoint.save_seconds
        for _, tier in self._weaker:
            saving += self._checkpoint.tier(tier).save_seconds * self.interval_steps / self._tier_steps(tier)
        self.training_share = stepping / (stepping + saving + validating)
        """Share of running time spent in steps, not in saves or validations."""

    def _tier_steps(self, tier: CheckpointTier) -> int:
        spec = self._checkpoint.tier(tier)
        return max(spec.interval_steps, least_steps(spec, self.calm_step_seconds))

    def adapt(self, at: float, mtbf_seconds: float) -> None:
        """From the next start on, intervals are those of ``at``, and for this MTBF."""
        self._is_hyper = at < self.hyper_until
        self._mtbf_seconds = mtbf_seconds
        self._set_step_seconds(self.step_seconds)

    def end_hyper(self, at: float) -> Run:
        """Quick succession is over: the run in flight goes on from here at the usual intervals."""
        run = self.run
        assert isinstance(run, RhythmicRun)  # noqa: S101 - quick succession has rhythms
        position = run.position(at)
        self._close(at, position)
        self._is_hyper = False
        self._set_step_seconds(self.step_seconds)
        self.run = run.moved(at, position, run.slow_factor, self.store.last)
        self.run.adopt(self._rhythms())
        return self.run

    def resize(self, replicas: int) -> bool:
        """The job goes on with so many replicas from the next start; returns whether that is news."""
        if replicas == self._replicas:
            return False
        self._replicas = self.pace.replicas = replicas
        self._pace_may_differ = True
        if replicas and self.pace.follows_size:
            self._set_step_seconds(self.pace.step_seconds)
        return True

    def set_pace(self, factor: float) -> bool:
        """The job goes on at the pace of its slowest nodes; returns whether that is news."""
        is_news = factor != self.pace.factor
        if is_news:
            self.pace.factor, self._pace_may_differ = factor, True
            self._set_step_seconds(self.pace.step_seconds)
        return is_news

    def slowed(self, slow_factor: float) -> float:
        """Step time, as a multiple of ``step_seconds``, with a rank that is slow by so much."""
        return self.pace.noisy(self.step_seconds, slow_factor)

    def start(self, at: float) -> Run:
        """Train on from ``step``."""
        self.checks_from = at
        if self._is_plain:
            step, next_save = self.step, self.store.last + self.interval_steps
            self.run = run = Run(
                at,
                float(step),
                0.0,
                self.step_seconds,
                self.calm_factor,
                next_save if next_save > step else step + 1,
                self.interval_steps,
                self._checkpoint.save_seconds,
            )
            return run
        rhythms = self._rhythms()
        validation = -1 if self._validation is None else self._checks - 1
        self.run = RhythmicRun(
            at, float(self.step), 0.0, self.step_seconds, self.calm_factor, rhythms[-1].next_step,
            self.interval_steps, self._checkpoint.save_seconds, rhythms=rhythms, main=len(rhythms) - 1,
            validation=validation, checks=self._checks,
        )  # fmt: skip
        return self.run

    def _rhythms(self) -> tuple[Rhythm, ...]:
        """What a run from ``step`` on pauses for, in the order in which it is due at one step."""
        interval, last = self.interval_steps, self.store.last
        # a weaker tier may have brought the job back past a save that was not finished
        next_save = last + ((self.step - last) // interval + 1) * interval
        rhythms = []
        if self._shadow is not None:
            rhythms.append(Rhythm(1, self._shadow.seconds_per_step, 0.0, self.step + 1))
        if self._validation is not None:
            every = self.validation_steps
            next_save = validated_step(next_save, interval, every)
            rhythms.append(Rhythm(every, self._validation.seconds, 0.0, (self.step // every + 1) * every))
        spec = self._checkpoint
        for _, tier in self._weaker:
            every, weaker = self._tier_steps(tier), spec.tier(tier)
            due = (self.step // every + 1) * every
            rhythms.append(Rhythm(every, weaker.save_seconds, weaker.write_seconds, due))
        rhythms.append(Rhythm(interval, spec.save_seconds, spec.write_seconds, next_save))
        return tuple(rhythms)

    def saves_of_run(self, tier: CheckpointTier, at: float) -> tuple[int, float]:
        """Saves of the run in flight to a weaker tier, and when the newest was complete."""
        run = self.run
        for index, each in self._weaker:
            if each is tier and isinstance(run, RhythmicRun):
                saves, _, saved_at = run.saved(index, at)
                return saves, saved_at
        return 0, 0.0

    def position(self, at: float) -> Position:
        """Where the run in flight stands. Errors: ``AssertionError`` when nothing runs."""
        assert self.run is not None  # noqa: S101 - a caller's bug
        return self.run.position(at)

    def change_speed(self, at: float, slow_factor: float) -> Run:
        """A straggler appeared: go on from here at ``slow_factor`` times the step time, noise included."""
        run = self.run
        assert run is not None  # noqa: S101 - a caller's bug
        position = run.position(at)
        self._close(at, position)
        self.run = run.moved(at, position, slow_factor, self.store.last)
        return self.run

    def stop(self, at: float, position: Position, *, is_planned: bool = False) -> None:
        """The job stops at ``at``, where it stands; its work is entered in the ledger.

        Hosts that are well finish what they write while the job is restarted: a planned stop counts a
        save in flight as durable.
        """
        if is_planned and position.aside is not None and position.aside.writing:
            position.saves_finished += 1
            position.saved_at = at
            position.aside.writing = False
        self._close(at, position)
        if self._is_plain:
            if position.in_save:
                self.counts.interrupted_saves += 1
        else:
            self._note_interrupted(at, position)
        self.run = None

    def _note_interrupted(self, at: float, position: Position) -> None:
        run = self.run
        assert isinstance(run, RhythmicRun)  # noqa: S101 - what is not plain has rhythms
        writing = position.aside is not None and position.aside.writing
        saving = writing or (position.in_save and run.is_saving(run.main, at))
        self.counts.interrupted_saves += saving
        for index, tier in self._weaker:
            self.tier_counts[tier].interrupted += run.is_saving(index, at)

    def save_where_it_stands(self, at: float) -> bool:
        """The stopped job saves its last whole step, durable at ``at``; returns False for nothing new."""
        if self.step <= self.store.last:
            return False
        if self._pace_may_differ:
            self._note_pace(self.step_seconds)
        self._ledger.commit(max(0.0, self._progress - self.step) * self.step_seconds)
        self.store.saved(self.step, 1, self.interval_steps, at)
        self.counts.saves += 1
        self.saved_replicas = self._replicas
        return True

    def restore(self, step: int, tier: CheckpointTier = _REMOTE) -> tuple[int, int]:
        """Go back to the checkpoint of ``step``; returns lost and retracted steps."""
        committed = self.store.last
        kept = 0.0
        if self.held:
            if tier is not _REMOTE:
                self.tier_counts[tier].restored += 1
                if step > committed:
                    kept = self.held[tier].provisional_seconds
                    committed = step
            self.held = {each: held for each, held in self.held.items() if held.step <= step}
        lost = self.step - committed
        retracted = committed - step
        self._ledger.roll_back(kept)
        if retracted:
            self._ledger.retract(*self._paces.take_back(committed, step))
            self._pace_may_differ = True
            self.store.drop_after(step)
        self.counts.lost += lost
        self.counts.retracted += retracted
        self.step = step
        return lost, retracted

    def _note_pace(self, step_seconds: float) -> None:
        self._paces.note(self.store, step_seconds, self._ledger.active_gpus)
        self._pace_may_differ = False

    def work(self, at: float, position: Position) -> RunWork:
        """What the run in flight came to by ``at``."""
        run = self.run
        assert run is not None  # noqa: S101 - a caller's bug
        stepping = at - run.anchor_at - position.save_seconds
        validating = 0.0
        if position.aside is not None:
            validating = position.aside.validation_seconds
            stepping -= validating
        straggler = 0.0
        if run.slow_factor != 1.0:
            # from the progress, which stands still in a save; a difference of times would tremble there
            straggler = (position.progress - run.anchor_progress) * (run.step_seconds - run.base_step_seconds)
            stepping -= straggler
        commits = position.saves_finished > 0
        committed = 0.0
        if commits:
            saved = run.last_saved_step(position.saves_finished)
            committed = (saved - run.anchor_progress) * run.base_step_seconds
        # at the end of a save nothing is left but rounding; below zero it would make lost_work fall
        provisional = max(0.0, stepping - committed)
        return RunWork(position.save_seconds, straggler, commits, committed, provisional, validating)

    def _close(self, at: float, position: Position) -> None:
        """Enter the run's work; counters, step and store are as of ``at``."""
        run = self.run
        assert run is not None  # noqa: S101 - a caller's bug
        self._ledger.time.enter_run(self.work(at, position))
        saves = position.saves_finished
        if saves:
            if self._pace_may_differ:
                self._note_pace(run.base_step_seconds)
            self.store.saved(run.last_saved_step(saves), saves, run.interval_steps, position.saved_at)
            self.counts.saves += saves
            self.saved_replicas = self._replicas
        whole = position.whole_steps
        if whole > self.step:
            self.last_step_at = position.activity_since
            self.counts.executed += whole - self.step
            self.step = whole
        self._progress = position.progress
        if self._weaker:
            self._hold(at, position)

    def _hold(self, at: float, position: Position) -> None:
        """Note the newest checkpoint of each weaker tier, and the work up to it that is provisional."""
        run = self.run
        assert isinstance(run, RhythmicRun)  # noqa: S101 - the weaker tiers have rhythms
        provisional = self._ledger.time.provisional
        for index, tier in self._weaker:
            saves, step, saved_at = run.saved(index, at)
            self.tier_counts[tier].saved += saves
            held = Held(step, 0.0, saved_at) if saves else self.held.get(tier)
            if held is not None:  # an older one too: a remote save may have come through since
                since = (position.progress - held.step) * run.base_step_seconds
                self.held[tier] = Held(held.step, max(0.0, provisional - since), held.at)
