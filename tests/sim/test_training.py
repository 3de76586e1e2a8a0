"""Training: what a run executed, what is durable, and what a restore takes back."""

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from goodputd.sim.ledger import Account, Ledger
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.specs.job import JobSpec
from goodputd.sim.taxonomy import Bucket
from goodputd.sim.training import Training
from tests.sim.walker import Walker

JOB = JobSpec(step_seconds=10.0)
CHECKPOINT = CheckpointSpec(interval_steps=10, save_seconds=5.0)
"""Ten steps of ten seconds and a save of five: a cycle of 105 s."""


class Trainer:
    """A training with its ledger, started at 0 s."""

    def __init__(
        self, job: JobSpec = JOB, checkpoint: CheckpointSpec = CHECKPOINT, *, replicas: int = 4
    ) -> None:
        """With ``replicas`` of eight GPUs."""
        self.ledger = Ledger(8 * replicas, 8 * replicas)
        self.training = Training(job, checkpoint, self.ledger, replicas)
        self.training.start(0.0)

    def account(self, at: float) -> Account:
        """Seconds as of ``at``, the run in flight included."""
        training = self.training
        work = None if training.run is None else training.work(at, training.position(at))
        return self.ledger.at(at, work)[0]

    def stop(self, at: float) -> None:
        """The job stops."""
        self.training.stop(at, self.training.position(at))


def spent(account: Account) -> dict[str, float]:
    """What is not 0, in milliseconds precision."""
    found = {bucket.value: seconds for bucket, seconds in account.buckets.items()}
    found["provisional"], found["retracted"] = account.provisional, account.retracted
    return {name: round(seconds, 3) for name, seconds in found.items() if abs(seconds) > 1e-9}


def total(account: Account) -> float:
    """Buckets and provisional, which must come to elapsed."""
    return sum(account.buckets.values()) + account.provisional


# --- work


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (0.0, {}),
        (42.0, {"provisional": 42.0}),
        (100.0, {"provisional": 100.0}),
        (103.0, {"provisional": 100.0, "checkpoint_save": 3.0}),
        (105.0, {"productive": 100.0, "checkpoint_save": 5.0}),
        (148.0, {"productive": 100.0, "checkpoint_save": 5.0, "provisional": 43.0}),
        (315.0, {"productive": 300.0, "checkpoint_save": 15.0}),
    ],
)
def test_step_time_is_provisional_until_a_save_covers_it(at: float, expected: dict[str, float]) -> None:
    """A save commits when it ends; its own seconds are entered at once."""
    assert expected == spent(Trainer().account(at))


def test_looking_at_the_work_enters_nothing() -> None:
    """The account of a later instant does not depend on earlier looks."""
    trainer = Trainer()
    for at in range(0, 500, 7):
        trainer.account(float(at))

    assert spent(Trainer().account(500.0)) == spent(trainer.account(500.0))


def test_stopping_enters_what_looking_showed() -> None:
    """And counts steps and saves."""
    trainer = Trainer()
    before = spent(trainer.account(348.0))
    trainer.stop(348.0)
    counts = trainer.training.counts

    assert before == spent(trainer.ledger.time)
    assert (33, 33, 3, 0) == (trainer.training.step, counts.executed, counts.saves, counts.interrupted_saves)
    assert trainer.training.run is None


def test_a_save_cut_short_is_not_durable() -> None:
    """Its seconds stay in checkpoint_save, its steps provisional."""
    trainer = Trainer()
    trainer.stop(103.0)

    assert {"provisional": 100.0, "checkpoint_save": 3.0} == spent(trainer.ledger.time)
    assert (0, 0, 1) == (
        trainer.training.store.last,
        trainer.training.counts.saves,
        trainer.training.counts.interrupted_saves,
    )


def test_a_stop_at_the_very_end_of_a_save_finds_it_durable() -> None:
    """A planned stop comes there and must lose nothing."""
    trainer = Trainer()
    run = trainer.training.run
    assert run is not None
    trainer.stop(run.next_save_ends_at(50.0))

    assert (10, 1, 0) == (
        trainer.training.store.last,
        trainer.training.counts.saves,
        trainer.training.counts.interrupted_saves,
    )


# --- restore


def test_a_restore_of_the_newest_checkpoint_loses_the_steps_since() -> None:
    """Provisional seconds become lost work; nothing is retracted."""
    trainer = Trainer()
    trainer.stop(148.0)

    assert (4, 0) == trainer.training.restore(10)
    assert {"productive": 100.0, "checkpoint_save": 5.0, "lost_work": 43.0} == spent(trainer.ledger.time)
    assert 10 == trainer.training.step


def test_a_restore_of_an_older_checkpoint_retracts_what_lies_between() -> None:
    """Committed seconds stay in their bucket and are counted as retracted beside it."""
    trainer = Trainer()
    trainer.stop(348.0)

    assert (3, 20) == trainer.training.restore(10)
    assert {"productive": 300.0, "checkpoint_save": 15.0, "lost_work": 33.0, "retracted": 200.0} == spent(
        trainer.ledger.time
    )
    assert (10, 10) == (trainer.training.step, trainer.training.store.last)


def test_steps_add_up_over_restores() -> None:
    """The step is what was executed less what was lost or retracted, after any of them (rule 10)."""
    trainer = Trainer()
    training = trainer.training
    at = 0.0
    for seconds, step in ((348.0, 10), (257.0, 10), (990.0, 90), (430.0, 110)):
        at += seconds
        trainer.stop(at)
        training.restore(step)
        counts = training.counts
        assert step == training.step == counts.executed - counts.lost - counts.retracted
        training.start(at)


def test_the_next_save_comes_an_interval_after_the_restored_checkpoint() -> None:
    """Saves stay on the grid of checkpoints, whenever the job stopped."""
    trainer = Trainer()
    trainer.stop(148.0)
    trainer.training.restore(10)
    run = trainer.training.start(1000.0)

    assert (20, 10, 1105.0) == (run.next_save_step, run.interval_steps, run.next_save_ends_at(1000.0))


# --- size


def test_a_smaller_batch_keeps_the_step_time() -> None:
    """The batch shrinks with the job."""
    trainer = Trainer()

    assert trainer.training.resize(3)
    assert 10.0 == trainer.training.step_seconds


@pytest.mark.parametrize(
    ("replicas", "step_seconds"), [(3, 40.0 / 3), (2, 20.0), (1, 40.0), (4, 10.0), (5, 8.0)]
)
def test_the_same_batch_takes_longer_on_fewer_replicas(replicas: int, step_seconds: float) -> None:
    """In inverse proportion, from the next start on; the run in flight is left alone."""
    trainer = Trainer(replace(JOB, on_shrink="same_batch"))
    trainer.training.resize(replicas)
    run = trainer.training.run
    assert run is not None

    assert (10.0, pytest.approx(step_seconds)) == (run.step_seconds, trainer.training.step_seconds)


def test_the_same_size_is_no_news() -> None:
    """The ledger is told of changes only."""
    trainer = Trainer()

    assert [False, True, False] == [trainer.training.resize(n) for n in (4, 3, 3)]


def test_an_interval_in_seconds_follows_the_step_time() -> None:
    """100 s are ten steps of ten seconds, and five of twenty."""
    trainer = Trainer(
        replace(JOB, on_shrink="same_batch"), CheckpointSpec(interval_seconds=100.0, save_seconds=5.0)
    )
    trainer.training.resize(2)

    assert (5, 100.0 / 105.0) == (trainer.training.interval_steps, trainer.training.training_share)


def test_a_job_without_a_replica_keeps_its_step_time() -> None:
    """It waits; there is no step time of nothing."""
    trainer = Trainer(replace(JOB, on_shrink="same_batch"))
    trainer.training.resize(0)

    assert 10.0 == trainer.training.step_seconds


def test_the_size_at_the_newest_save_is_known() -> None:
    """A restore to another number of replicas is resharded."""
    trainer = Trainer()
    training = trainer.training
    trainer.stop(50.0)
    training.restore(0)
    training.resize(3)
    assert 4 == training.saved_replicas
    training.start(100.0)
    trainer.stop(210.0)

    assert 3 == training.saved_replicas


SIZES = st.lists(
    st.tuples(st.integers(1, 4), st.floats(0, 600), st.sampled_from(["last", "last", "oldest", "start"])),
    min_size=1,
    max_size=12,
)


@settings(max_examples=100)
@given(SIZES, st.integers(1, 4), st.sampled_from(["smaller_batch", "same_batch"]))
def test_what_is_retracted_is_what_was_committed(
    stretches: list[tuple[int, float, str]], keep: int, on_shrink: Literal["smaller_batch", "same_batch"]
) -> None:
    """Steps done at another size are taken back with the seconds and the GPUs they took then.

    The reference remembers both for every committed step; restores go to the newest checkpoint, to
    the oldest kept, or to the initial state.
    """
    trainer = Trainer(replace(JOB, on_shrink=on_shrink), replace(CHECKPOINT, keep=keep))
    training, ledger = trainer.training, trainer.ledger
    cost: dict[int, tuple[float, int]] = {}
    seconds = gpu_seconds = at = 0.0
    for replicas, ran, target in stretches:
        at += ran
        trainer.stop(at)
        size = (training.step_seconds, ledger.active_gpus)
        cost |= dict.fromkeys(range(len(cost), training.store.last), size)
        last = training.store.last
        to = {"last": last, "oldest": training.store.oldest, "start": 0}[target]
        taken_back = [cost.pop(step) for step in range(to, last)]
        seconds += sum(each for each, _ in taken_back)
        gpu_seconds += sum(each * gpus for each, gpus in taken_back)
        training.restore(to)
        if training.resize(replicas):
            ledger.set_active_gpus(8 * replicas, at)
        training.start(at)
        time, gpus, _ = ledger.at(at, None)
        assert seconds == pytest.approx(time.retracted, abs=1e-6)
        assert gpu_seconds == pytest.approx(gpus.retracted, abs=1e-5)
        assert time.buckets[Bucket.PRODUCTIVE] - time.retracted == pytest.approx(
            sum(each for each, _ in cost.values()), abs=1e-6
        )


def test_two_sizes_are_taken_back_at_once_each_at_its_own_cost() -> None:
    """Ten steps at each of four sizes; the last two, of 20 s on 16 GPUs and of 40 s on 8, are retracted."""
    trainer = Trainer(replace(JOB, on_shrink="same_batch"), replace(CHECKPOINT, keep=3))
    at = 0.0
    for replicas, ran in ((3, 105.0), (2, 140.0), (1, 205.0), (1, 405.0)):
        at += ran
        trainer.stop(at)
        trainer.training.restore(trainer.training.store.last)
        if trainer.training.resize(replicas):
            trainer.ledger.set_active_gpus(8 * replicas, at)
        trainer.training.start(at)
    trainer.stop(at)
    trainer.training.restore(20)
    time, gpus, _ = trainer.ledger.at(at, None)

    assert (600.0, 6400.0) == (pytest.approx(time.retracted), pytest.approx(gpus.retracted))


def test_a_job_that_changes_its_size_for_years_remembers_little() -> None:
    """What it must remember of earlier sizes is bounded by the checkpoints that it keeps."""
    trainer = Trainer(replace(JOB, on_shrink="same_batch"))
    for n in range(1000):
        at = 2000.0 * (n + 1)
        trainer.stop(at)
        trainer.training.restore(trainer.training.store.last)
        trainer.training.resize(3 + n % 2)
        trainer.ledger.set_active_gpus(8 * (3 + n % 2), at)
        trainer.training.start(at)

    assert len(trainer.training._paces) < 10  # noqa: SLF001 - nothing else shows what is remembered


# --- speed


def test_a_straggler_in_the_middle_of_a_step_slows_the_rest_of_it() -> None:
    """Half of step 5 at full speed, the other half at a third: it ends at 45 + 15 s."""
    trainer = Trainer()
    trainer.training.change_speed(45.0, 3.0)

    assert (4, 5) == tuple(trainer.training.position(at).whole_steps for at in (59.9, 60.0))
    assert {"provisional": 50.0, "straggler": 10.0} == spent(trainer.account(60.0))


def test_a_straggler_in_the_middle_of_a_save_leaves_the_save_alone() -> None:
    """Two of five seconds are left, and then steps take thirty."""
    trainer = Trainer()
    trainer.training.change_speed(103.0, 3.0)

    assert [True, False] == [trainer.training.position(at).in_save for at in (104.9, 105.0)]
    assert {"productive": 100.0, "checkpoint_save": 5.0} == spent(trainer.account(105.0))
    assert 11 == trainer.training.position(135.0).whole_steps
    trainer.stop(405.0)
    assert (10, 1, 20) == (
        trainer.training.store.last,
        trainer.training.counts.saves,
        trainer.training.step,
    )


def test_the_last_step_is_known_through_every_change() -> None:
    """Of speed in the middle of a step, and of a run that stops before it completed any."""
    trainer = Trainer()
    training = trainer.training
    training.change_speed(45.0, 3.0)
    assert 40.0 == training.last_step_at
    trainer.stop(50.0)
    assert 40.0 == training.last_step_at
    training.restore(0)
    training.start(1000.0)
    trainer.stop(1007.0)

    assert 40.0 == training.last_step_at


def test_checks_go_on_when_the_speed_changes() -> None:
    """The phase of every-N-steps checks is that of the start."""
    trainer = Trainer()
    trainer.training.change_speed(45.0, 3.0)

    assert 0.0 == trainer.training.checks_from


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.floats(0, 400), st.floats(1, 3)), max_size=6),
    st.floats(0, 400),
    st.integers(1, 12),
    st.one_of(st.just(0.0), st.floats(0.1, 60)),
)
def test_changes_of_speed_keep_every_second_and_every_step(
    changes: list[tuple[float, float]], rest: float, interval_steps: int, save_seconds: float
) -> None:
    """Any stragglers at any instants: steps, saves and buckets are those of a walk step by step."""
    trainer = Trainer(
        checkpoint=CheckpointSpec(interval_steps=interval_steps, save_seconds=save_seconds, keep=3)
    )
    walker = Walker(
        now=Fraction(0),
        progress=Fraction(0),
        step_seconds=Fraction(10),
        next_save_step=interval_steps,
        interval_steps=interval_steps,
        save_seconds=Fraction(save_seconds),
    )
    at = 0.0
    for gap, factor in changes:
        at += gap
        walker.advance_to(Fraction(at))
        walker.step_seconds = Fraction(10.0 * factor)
        trainer.training.change_speed(at, factor)
    at += rest
    walker.advance_to(Fraction(at))
    assume(walker.slack_seconds > 1e-5)
    account = trainer.account(at)
    saved = walker.saved[-1][0] if walker.saved else 0
    steps = float(walker.progress) * 10.0

    assert at == pytest.approx(total(account), rel=0, abs=1e-6)
    assert float(walker.seconds_in_saves) == pytest.approx(account.buckets[Bucket.CHECKPOINT_SAVE], abs=1e-6)
    assert saved * 10.0 == pytest.approx(account.buckets[Bucket.PRODUCTIVE], abs=1e-6)
    assert steps - saved * 10.0 == pytest.approx(account.provisional, abs=1e-6)
    assert at - steps - float(walker.seconds_in_saves) == pytest.approx(
        account.buckets[Bucket.STRAGGLER], abs=1e-6
    )
    trainer.stop(at)
    assert (float(walker.saved[-1][1]) if walker.saved else None) == pytest.approx(
        trainer.training.store.last_saved_at, abs=1e-6
    )
    counts = trainer.training.counts
    assert (int(walker.progress), int(walker.progress)) == (trainer.training.step, counts.executed)
    assert (len(walker.saved), saved) == (counts.saves, trainer.training.store.last)
    assert counts.interrupted_saves == int(walker.in_save)


@pytest.mark.parametrize("factor", [1.0, 1.37, 3.0])
@pytest.mark.parametrize("at", [0.0, 10.0, 100.0, 105.0, 115.0, 210.0])
def test_a_change_of_speed_exactly_on_a_boundary_loses_nothing(at: float, factor: float) -> None:
    """At the start, at the end of a step, at both ends of a save: twice, then 500 s more."""
    trainer = Trainer()
    trainer.training.change_speed(at, 2.0)
    trainer.training.change_speed(at, factor)
    whole_steps = trainer.training.position(at).whole_steps
    after = trainer.account(at + 500.0)

    assert Trainer().training.position(at).whole_steps == whole_steps
    assert at + 500.0 == pytest.approx(total(after), abs=1e-9)
    assert Trainer().account(at).buckets[Bucket.PRODUCTIVE] <= after.buckets[Bucket.PRODUCTIVE]


# --- counters do not tremble


def looks(first: float, last: float, count: int) -> list[float]:
    """Instants that no binary fraction hits exactly."""
    return [first + (last - first) * n / count for n in range(count + 1)]


def test_the_straggler_seconds_stand_still_in_a_save() -> None:
    """Not one of 1,000 looks during a save differs in the last bit: Prometheus takes a fall for a reset."""
    trainer = Trainer(replace(JOB, step_seconds=5.9), replace(CHECKPOINT, save_seconds=31.7))
    trainer.training.change_speed(3.3, 1.3)
    run = trainer.training.run
    assert run is not None
    begins_at = run.reaches_step_at(10) + 1e-6
    seen = {trainer.account(at).buckets[Bucket.STRAGGLER] for at in looks(begins_at, begins_at + 31.0, 1000)}

    assert 1 == len(seen)


@pytest.mark.parametrize("slow_factor", [1.0, 1.3])
def test_no_bucket_ever_falls_while_a_job_runs(slow_factor: float) -> None:
    """Not by the last bit, over 20 cycles of steps and saves of awkward lengths."""
    trainer = Trainer(replace(JOB, step_seconds=5.9), replace(CHECKPOINT, save_seconds=3.3))
    trainer.training.change_speed(1e7, slow_factor)
    before = trainer.account(1e7).buckets
    for at in looks(1e7, 1e7 + 1500.0, 5000):
        now = trainer.account(at).buckets
        assert {} == {
            bucket: (before[bucket], now[bucket]) for bucket in Bucket if now[bucket] < before[bucket]
        }
        before = now


@settings(max_examples=100)
@given(st.floats(0.5, 60), st.floats(0, 60), st.floats(0, 1e7), st.floats(0, 1e5))
def test_a_stop_at_the_end_of_a_save_never_takes_from_lost_work(
    step_seconds: float, save_seconds: float, start: float, stop_after: float
) -> None:
    """What is provisional there is rounding; below zero it would make a counter fall."""
    trainer = Trainer(replace(JOB, step_seconds=step_seconds), replace(CHECKPOINT, save_seconds=save_seconds))
    run = trainer.training.start(start)
    stop_at = run.next_save_ends_at(start + stop_after)
    trainer.stop(stop_at)
    lost, retracted = trainer.training.restore(trainer.training.store.last)

    assert (0, 0) == (lost, retracted)
    assert 0.0 <= trainer.ledger.time.buckets[Bucket.LOST_WORK] < 1e-6
