"""The job's states, and its progress as arithmetic against a walk step by step."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from goodputd.errors import TransitionError
from goodputd.sim.job import JOB_TRANSITIONS, Job, Run
from goodputd.sim.taxonomy import JobState
from tests.sim.walker import Walker

RUNNING, STALLED, RECOVERING = JobState.RUNNING, JobState.STALLED, JobState.RECOVERING
WAITING, COMPLETED = JobState.WAITING_FOR_CAPACITY, JobState.COMPLETED

LEGAL = {
    (RUNNING, STALLED),
    (RUNNING, RECOVERING),
    (RUNNING, COMPLETED),
    (STALLED, RECOVERING),
    (RECOVERING, RUNNING),
    (RECOVERING, STALLED),
    (RECOVERING, WAITING),
    (RECOVERING, RECOVERING),
    (WAITING, RECOVERING),
}


@pytest.mark.parametrize("to", JobState)
@pytest.mark.parametrize("before", JobState)
def test_the_job_makes_the_legal_moves_and_no_other(before: JobState, to: JobState) -> None:
    """Of the 25 moves nine are legal; an illegal one leaves the state as it was."""
    job = Job()
    job.state = before

    if (before, to) in LEGAL:
        job.move(to)
        assert to is job.state
    else:
        with pytest.raises(TransitionError, match=f"the job cannot go from {before} to {to}"):
            job.move(to)
        assert before is job.state


def test_every_state_has_its_row() -> None:
    """A state without a row would be a KeyError in the middle of a simulation."""
    assert set(JobState) == set(JOB_TRANSITIONS)


def test_a_job_starts_running() -> None:
    """Initialised, at step 0."""
    assert RUNNING is Job().state


def test_a_completed_job_stays_completed() -> None:
    """No state is reached from it, and all others are reached from a start."""
    reached, waiting = {RUNNING}, [RUNNING]
    while waiting:
        new = JOB_TRANSITIONS[waiting.pop()] - reached
        reached |= new
        waiting += new

    assert (set(JobState), frozenset()) == (reached, JOB_TRANSITIONS[COMPLETED])


# --- progress


def near(at: float) -> float:
    """Seconds; nearer than this to a boundary a rounding error may decide which side one is on.

    After a thousand years, 3e10 s, the clock itself moves in steps of 4e-6 s.
    """
    return 1e-6 + 4e-15 * at


@st.composite
def runs(draw: st.DrawFn) -> Run:
    """Any stretch of training: anchored in a step, between two, or in the middle of a save."""
    save_seconds = draw(st.one_of(st.just(0.0), st.floats(0.1, 300)))
    in_save = save_seconds > 0.0 and draw(st.booleans())
    whole = draw(st.integers(0, 10**6))
    return Run(
        anchor_at=draw(st.one_of(st.floats(0, 1e7), st.floats(0, 3e10))),
        anchor_progress=float(whole)
        if in_save
        else whole + draw(st.one_of(st.just(0.0), st.floats(0, 0.999))),
        save_left_seconds=save_seconds * draw(st.floats(0.01, 1)) if in_save else 0.0,
        base_step_seconds=draw(st.floats(0.5, 60)),
        slow_factor=draw(st.one_of(st.just(1.0), st.floats(1, 3))),
        next_save_step=whole + draw(st.integers(1, 40)),
        interval_steps=draw(st.integers(1, 40)),
        save_seconds=save_seconds,
    )


def walk(run: Run) -> Walker:
    """The same run, to be walked step by step."""
    return Walker(
        now=Fraction(run.anchor_at),
        progress=Fraction(run.anchor_progress),
        step_seconds=Fraction(run.step_seconds),
        next_save_step=run.next_save_step,
        interval_steps=run.interval_steps,
        save_seconds=Fraction(run.save_seconds),
        save_left=Fraction(run.save_left_seconds),
        in_save=run.save_left_seconds > 0.0,
        since=Fraction(run.anchor_at),
    )


@st.composite
def runs_and_instants(draw: st.DrawFn) -> tuple[Run, float]:
    """A run, and an instant within 120 steps of its anchor."""
    run = draw(runs())
    return run, run.anchor_at + draw(st.floats(0, 120)) * run.step_seconds


@settings(max_examples=120)
@given(runs_and_instants())
def test_a_run_stands_where_a_walk_step_by_step_gets_to(case: tuple[Run, float]) -> None:
    """Progress, saves, seconds in saves, and what is in flight since when agree at any instant."""
    run, at = case
    walker = walk(run)
    walker.advance_to(Fraction(at))
    assume(walker.slack_seconds > near(at))
    position = run.position(at)

    assert (walker.in_save, len(walker.saved)) == (position.in_save, position.saves_finished)
    assert math.floor(walker.progress) == position.whole_steps
    assert float(walker.progress) == pytest.approx(position.progress, rel=0, abs=2 * near(at))
    assert float(walker.seconds_in_saves) == pytest.approx(position.save_seconds, rel=0, abs=near(at))
    assert float(walker.since) == pytest.approx(position.activity_since, rel=0, abs=near(at))
    if walker.saved:
        assert walker.saved[-1][0] == run.last_saved_step(position.saves_finished)


@settings(max_examples=80)
@given(runs_and_instants())
def test_a_run_spends_its_seconds_on_steps_and_saves_only(case: tuple[Run, float]) -> None:
    """Steps times step time plus seconds in saves are the seconds since the anchor."""
    run, at = case
    position = run.position(at)
    stepping = (position.progress - run.anchor_progress) * run.step_seconds

    assert at - run.anchor_at == pytest.approx(stepping + position.save_seconds, rel=0, abs=near(at))


@settings(max_examples=80)
@given(runs(), st.integers(1, 120))
def test_a_step_is_reached_when_a_walk_completes_it(run: Run, ahead: int) -> None:
    """``reaches_step_at`` agrees with the walk; a save that is due at the step comes after."""
    step = math.floor(run.anchor_progress) + ahead
    walker = walk(run)
    while not walker.completed or walker.completed[-1][0] < step:
        walker.advance_to(walker.ends_at)
    at = run.reaches_step_at(step)

    assert float(walker.completed[-1][1]) == pytest.approx(at, rel=0, abs=near(at))
    assert step == run.position(at).whole_steps


@settings(max_examples=80)
@given(runs_and_instants())
def test_the_next_save_ends_when_a_walk_ends_it(case: tuple[Run, float]) -> None:
    """``next_save_ends_at`` is the first end of a save after the instant, and then the save counts."""
    run, at = case
    walker = walk(run)
    walker.advance_to(Fraction(at))
    assume(walker.slack_seconds > near(at))
    saves = len(walker.saved)
    while len(walker.saved) == saves:
        walker.advance_to(walker.ends_at)
    ends_at = run.next_save_ends_at(at)
    position = run.position(ends_at)

    assert float(walker.now) == pytest.approx(ends_at, rel=0, abs=near(at))
    assert (False, saves + 1) == (position.in_save, position.saves_finished)
    assert walker.saved[-1][0] == position.whole_steps == run.last_saved_step(position.saves_finished)


@settings(max_examples=80)
@given(runs(), st.lists(st.floats(0, 200), min_size=2, max_size=30))
def test_a_run_never_goes_back(run: Run, looks: list[float]) -> None:
    """Progress, saves and seconds in saves never fall as time goes on, boundaries included."""
    boundaries = [run.reaches_step_at(run.next_save_step + n) for n in range(3)] + [
        run.next_save_ends_at(run.anchor_at)
    ]
    instants = sorted([run.anchor_at + look * run.step_seconds for look in looks] + boundaries)
    allowed = near(instants[-1])
    for before, after in pairwise(run.position(at) for at in instants):
        assert before.whole_steps <= after.whole_steps
        assert before.saves_finished <= after.saves_finished
        assert before.progress <= after.progress + 2 * allowed
        assert before.save_seconds <= after.save_seconds + allowed
        assert before.activity_since <= after.activity_since + allowed


@pytest.mark.parametrize("years", [1, 30, 1000])
def test_a_run_of_many_years_counts_exactly(years: int) -> None:
    """After a whole number of cycles of 80 steps of 5.9 s and a save of 10 s nothing has drifted."""
    run = Run(0.0, 0.0, 0.0, 5.9, 1.0, 80, 80, 10.0)
    cycles = years * 365 * 86400 // 482
    at = cycles * 482.0

    assert 80 * cycles == run.position(at).whole_steps
    assert cycles == run.position(at + 1.0).saves_finished
    assert at == pytest.approx(run.reaches_step_at(80 * cycles) + 10.0, rel=1e-14)


def test_a_straggler_lengthens_every_step() -> None:
    """Three times the step time, saves as before."""
    run = Run(100.0, 5.0, 0.0, 10.0, 3.0, 7, 5, 4.0)

    assert (30.0, 100.0 + 60.0 + 4.0 + 30.0) == (run.step_seconds, run.reaches_step_at(8))
