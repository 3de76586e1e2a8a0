"""Runs that pause for several things: where they stand, by arithmetic and by walking every step."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from goodputd.sim.job import Aside, Position
from goodputd.sim.rhythm import Rhythm, RhythmicRun
from tests.sim.rhythm_walker import Beat, RhythmWalker

NEAR = 1e-5
"""Seconds; nearer than this to a boundary a rounding error may decide which side one is on."""


def a_run(*rhythms: Rhythm, step_seconds: float = 10.0, **rest: Any) -> RhythmicRun:  # noqa: ANN401 - fields
    """A run from step 0 at 0 s; the last rhythm is that of the saves, the first that of validations."""
    main = len(rhythms) - 1
    interval, save = rhythms[main].every_steps, rhythms[main].pause_seconds
    anchor = {"anchor_at": 0.0, "anchor_progress": 0.0} | rest
    return RhythmicRun(
        anchor["anchor_at"], anchor["anchor_progress"], 0.0, step_seconds, 1.0, interval, interval, save,
        rhythms, main, 0 if main else -1, 1 if main else 0,
    )  # fmt: skip


def aside(position: Position) -> Aside:
    """What the run has beside steps and saves."""
    assert position.aside is not None
    return position.aside


@st.composite
def journeys(draw: st.DrawFn) -> tuple[RhythmicRun, RhythmWalker, list[tuple[float, float]]]:
    """A run, the same to be walked, and changes of speed: (seconds since the last, factor)."""
    step_seconds = draw(st.floats(0.5, 60))
    step = draw(st.integers(0, 10**6))
    at = draw(st.floats(0, 1e8))
    rhythms, beats = [], []
    for _ in range(draw(st.integers(1, 4))):
        every = draw(st.integers(1, 40))
        pause = draw(st.one_of(st.just(0.0), st.floats(0.1, 300)))
        landing = draw(st.one_of(st.just(0.0), st.floats(0.0, 1.0))) * every * step_seconds
        first = step + draw(st.integers(1, 50))
        rhythms.append(Rhythm(every, pause, landing, first))
        beats.append(Beat(every, Fraction(pause), Fraction(landing), first))
    run = a_run(*rhythms, step_seconds=step_seconds, anchor_at=at, anchor_progress=float(step))
    walker = RhythmWalker(Fraction(at), step, Fraction(step_seconds), beats, since=Fraction(at))
    gap = st.floats(0, 60).map(lambda steps: steps * step_seconds)
    changes = st.lists(st.tuples(gap, st.floats(1, 3)), min_size=1, max_size=5)
    return run, walker, draw(changes)


@settings(max_examples=300, deadline=None)
@given(journeys())
def test_a_run_stands_where_a_walk_step_by_step_gets_to(
    journey: tuple[RhythmicRun, RhythmWalker, list[tuple[float, float]]],
) -> None:
    """Steps, pauses, their seconds and what is durable agree at any instant, whatever the speed was."""
    run, walker, changes = journey
    at, saved = run.anchor_at, 0
    spent_before = dict.fromkeys(("save", "validation"), 0.0)
    for gap, factor in changes:
        at += gap
        walker.advance_to(Fraction(at))
        assume(walker.slack_seconds > NEAR)
        position = run.position(at)
        agrees(position, run, walker, saved, spent_before)
        saved += position.saves_finished
        spent_before["save"] += position.save_seconds
        spent_before["validation"] += aside(position).validation_seconds
        walker.step_seconds = Fraction(run.base_step_seconds * factor)
        run = run.moved(at, position, factor, 0)


def agrees(
    position: Position, run: RhythmicRun, walker: RhythmWalker, saved: int, spent: dict[str, float]
) -> None:
    """The position is where the walker is; ``saved`` and ``spent`` count what earlier runs did."""
    main, validation = run.main, run.validation
    durable = walker.beats[main].durable(walker.now)
    saves = sum(float(b.spent) for i, b in enumerate(walker.beats) if i != validation)
    validating = float(walker.beats[validation].spent) if validation >= 0 else 0.0
    in_validation = walker.waiting[:1] == [validation]
    saving = walker.beats[main]
    landing = any(ended + saving.landing_seconds > walker.now for _, ended in saving.ended[-1:])

    assert (walker.step, len(durable)) == (position.whole_steps, saved + position.saves_finished)
    assert float(walker.step + walker.fraction) == pytest.approx(position.progress, rel=0, abs=NEAR)
    assert max(float(walker.since), run.anchor_at) == pytest.approx(position.activity_since, rel=0, abs=NEAR)
    assert saves == pytest.approx(spent["save"] + position.save_seconds, rel=0, abs=NEAR)
    assert validating == pytest.approx(
        spent["validation"] + aside(position).validation_seconds, rel=0, abs=NEAR
    )
    assert in_validation == (aside(position).validation_ends_at > 0.0)
    assert (bool(walker.waiting) and not in_validation) == position.in_save
    assert landing == aside(position).writing
    if position.saves_finished:
        assert durable[-1][0] == run.last_saved_step(position.saves_finished)
        assert float(durable[-1][1]) == pytest.approx(position.saved_at, rel=0, abs=NEAR)


@settings(max_examples=150, deadline=None)
@given(journeys(), st.integers(0, 60))
def test_a_run_says_when_a_step_is_validated_and_saved(
    journey: tuple[RhythmicRun, RhythmWalker, list[tuple[float, float]]], ahead: int
) -> None:
    """The first validation, and the first durable save, of a step after the given one."""
    run, walker, changes = journey
    at = run.anchor_at + changes[0][0]
    walker.advance_to(Fraction(at))
    assume(walker.slack_seconds > NEAR)
    run = run.moved(at, run.position(at), 1.0, 0)
    step = run.position(at).whole_steps + ahead
    beat = walker.beats[run.main]
    while not [s for s, _ in beat.ended if s > step]:
        walker.advance_to(walker.ends_at)
    covers_at = next(ended for s, ended in beat.ended if s > step) + beat.landing_seconds
    if run.validation >= 0:
        checks = walker.beats[run.validation]
        while not [s for s, _ in checks.ended if s > step]:
            walker.advance_to(walker.ends_at)
        validated_at = next(float(ended) for s, ended in checks.ended if s > step)
        assert validated_at == pytest.approx(run.validates_at(step), rel=0, abs=NEAR)

    assert float(covers_at) == pytest.approx(run.covers_at(step), rel=0, abs=NEAR)


@settings(max_examples=100, deadline=None)
@given(journeys(), st.lists(st.floats(0, 200), min_size=2, max_size=30))
def test_a_run_never_goes_back(
    journey: tuple[RhythmicRun, RhythmWalker, list[tuple[float, float]]], looks: list[float]
) -> None:
    """Progress, saves and seconds never fall as time goes on, boundaries included."""
    run = journey[0]
    boundaries = [run.covers_at(run.next_save_step + n) for n in range(3)]
    boundaries += [run.next_save_ends_at(run.anchor_at), run.reaches_step_at(run.next_save_step + 1)]
    instants = sorted([run.anchor_at + look * run.step_seconds for look in looks] + boundaries)
    for before, after in pairwise(run.position(at) for at in instants):
        assert before.whole_steps <= after.whole_steps
        assert before.saves_finished <= after.saves_finished
        assert before.progress <= after.progress + NEAR
        assert before.save_seconds <= after.save_seconds + NEAR
        assert aside(before).validation_seconds <= aside(after).validation_seconds + NEAR


def test_a_validation_comes_before_the_save_of_its_step() -> None:
    """Steps of 10 s, validated for 3 s every fifth and saved for 5 s every tenth."""
    run = a_run(Rhythm(5, 3.0, 0.0, 5), Rhythm(10, 5.0, 0.0, 10))

    assert (53.0, 106.0, 111.0) == (run.validates_at(0), run.validates_at(5), run.covers_at(0))
    assert (106.0, 111.0) == (aside(run.position(105.0)).validation_ends_at, run.position(107.0).save_ends_at)


def test_a_pause_has_not_begun_where_the_one_before_it_ends() -> None:
    """A job that is stopped by what a validation found cuts no save short."""
    run = a_run(Rhythm(10, 3.0, 0.0, 10), Rhythm(10, 5.0, 0.0, 10))
    position = run.position(103.0)

    assert (False, 0.0, 3.0) == (position.in_save, position.save_seconds, aside(position).validation_seconds)


def test_a_save_that_lands_later_is_durable_then() -> None:
    """The save of step 10 ends at 101 s and lands 40 s later; training has gone on."""
    run = a_run(Rhythm(10, 1.0, 40.0, 10))
    seen = [run.position(at) for at in (100.5, 120.0, 141.0)]

    assert [(0, False), (0, True), (1, False)] == [(p.saves_finished, aside(p).writing) for p in seen]
    assert 14 == seen[2].whole_steps


@pytest.mark.parametrize("years", [1, 30, 1000])
def test_a_run_of_many_years_counts_exactly(years: int) -> None:
    """Every 7 steps a validation of 3 s, every 80 a save of 10 s: nothing drifts over cycles of 560 steps."""
    run = a_run(Rhythm(7, 3.0, 0.0, 7), Rhythm(80, 10.0, 0.0, 80), step_seconds=5.9)
    cycle = 560 * 5.9 + 80 * 3.0 + 7 * 10.0
    cycles = int(years * 365 * 86400 // cycle)
    position = run.position(cycles * cycle + 1.0)

    assert (560 * cycles, 7 * cycles) == (position.whole_steps, position.saves_finished)
    assert 240.0 * cycles == pytest.approx(aside(position).validation_seconds, rel=1e-14)
