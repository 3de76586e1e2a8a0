"""Silent corruption: validation and saves race for it, and what becomes of each."""

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goodputd.sim.events import (
    CorruptionBaked,
    DetectionRaised,
    FaultMasked,
    TargetReached,
    TrainingResumed,
    WorkVoided,
)
from goodputd.sim.taxonomy import CorruptionOutcome, JobState, Layer
from tests.sim.corruption_walker import CorruptionWalker
from tests.world import World, ledger_error, strike

VALIDATED: dict[str, Any] = {
    "detection__layers": ("heartbeat", "hardware", "validation"),
    "checkpoint__keep": 99,
}
"""Steps of 10 s, every tenth validated for 3 s and then saved for 5 s: a cycle of 108 s."""
BLIND: dict[str, Any] = {"detection__layers": ("heartbeat", "hardware"), "checkpoint__keep": 99}
"""The same without validation: a cycle of 105 s."""
AT_CHECKPOINT = {"corruption__baked_discovery": "at_checkpoint"}
RECOVERY_SECONDS = 250
"""30 to decide, 43 + 17 + 30 to restart, 100 to restore, 30 to verify."""


def outcomes(world: World) -> dict[str, int]:
    """Corruptions by what became of them, those that have not happened left out."""
    counts = world.snapshot.corruptions
    return {"injected": counts.injected} | {str(o): n for o, n in counts.outcomes.items() if n}


def resumed_at(world: World) -> list[tuple[float, int, int, int]]:
    """(instant, step, lost, retracted) of every resume."""
    return [(r.at, r.step, r.lost_steps, r.retracted_steps) for r in world.of(TrainingResumed)]


# --- the race


def test_a_validation_before_the_save_finds_it() -> None:
    """Corrupted in step 15, found after step 20 before that is saved: back to step 10."""
    world = World(strike(150.0, "silent"), **VALIDATED).until(1000.0)

    assert [(461.0, 10, 10, 0)] == resumed_at(world)
    assert {"injected": 1, "detected": 1} == outcomes(world)
    assert 0 == world.snapshot.undetected_faults


def test_a_save_before_the_validation_bakes_it_in() -> None:
    """15 into 20: saved at step 20, found at step 30, back to the start; what was committed is retracted."""
    world = World(
        strike(175.0, "silent"), **VALIDATED, validation__every_steps=15, checkpoint__interval_steps=20
    ).until(1000.0)
    [baked] = world.of(CorruptionBaked)
    [raised] = world.of(DetectionRaised)

    assert (208.0, 0, 20) == (baked.at, baked.node, baked.step)
    assert (311.0, Layer.VALIDATION) == (raised.at, raised.layer)
    assert [(561.0, 0, 10, 20)] == resumed_at(world)
    assert {"injected": 1, "baked": 1} == outcomes(world)


def test_what_is_baked_in_can_be_rolled_back_at_once() -> None:
    """The teaching model: the save of step 20 ends at 210 s, and the job goes back to that of step 10."""
    world = World(strike(150.0, "silent"), **BLIND, **AT_CHECKPOINT).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert (210.0, Layer.NONE, 60.0) == (raised.at, raised.layer, raised.latency_seconds)
    assert [(460.0, 10, 0, 10)] == resumed_at(world)
    assert {"injected": 1, "baked": 1} == outcomes(world)


def test_without_validation_nobody_ever_knows() -> None:
    """The job runs on; only the truth counts it, once."""
    world = World(strike(150.0, "silent"), **BLIND).until(5000.0)

    assert [] == resumed_at(world)
    assert [(210.0, 20)] == [(baked.at, baked.step) for baked in world.of(CorruptionBaked)]
    assert {"injected": 1, "baked": 1} == outcomes(world)
    assert 1 == world.snapshot.undetected_faults


def test_two_at_once_are_found_at_once() -> None:
    """One interruption, two corruptions detected."""
    world = World(strike(150.0, "silent", 1), strike(170.0, "silent", 2), **VALIDATED).until(1000.0)

    assert 1 == world.snapshot.total_interruptions
    assert {"injected": 2, "detected": 2} == outcomes(world)


def test_a_corruption_during_a_validation_is_left_to_the_next() -> None:
    """It taints the step after; the save of the step that was being validated is clean."""
    world = World(strike(102.0, "silent"), **VALIDATED).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert 211.0 == raised.at
    assert [(461.0, 10, 10, 0)] == resumed_at(world)


def test_a_validation_that_does_not_cover_it_is_no_help() -> None:
    """Nor is any later one."""
    world = World(strike(150.0, "silent"), **VALIDATED, validation__coverage=0.0).until(5000.0)

    assert {"injected": 1, "baked": 1} == outcomes(world)
    assert [] == world.of(DetectionRaised)


def test_statistics_may_be_faster_than_a_validation() -> None:
    """A corruption that shifts gradients is found by the check of step 15; the validation comes late."""
    world = World(
        strike(125.0, "corrupt"), detection__layers=("gradient", "validation"), gradient__every_steps=5
    ).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert [Layer.GRADIENT, Layer.VALIDATION] == [layer for _, _, layer in raised.claims]
    assert (Layer.GRADIENT, 0) == (raised.layer, raised.node)
    assert {"injected": 1, "detected": 1} == outcomes(world)


def test_a_straggler_moves_the_validation() -> None:
    """Half of the way to step 20 takes half as long again."""
    world = World(strike(150.0, "silent", 1), strike(158.0, "blind_slow", 2), **VALIDATED).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert 158.0 + 50.0 * 1.25 + 3.0 == raised.at


# --- restarts


def test_a_restart_for_another_reason_washes_it_out() -> None:
    """A crash in the same cycle: back to step 10, before the corruption; nobody ever knew."""
    world = World(strike(150.0, "silent", 1), strike(180.0, "crash", 2, logged=True), **VALIDATED).until(
        1000.0
    )

    assert {"injected": 1, "harmless": 1} == outcomes(world)
    assert [1] == [masked.node for masked in world.of(FaultMasked)]


def test_a_restart_brings_baked_corruption_back_and_a_validation_finds_it() -> None:
    """Baked into step 20; a crash restores that; the validation of step 30 finds the state corrupt.

    The fault itself was cured by the restart, so it is the state that is found: no node is named.
    """
    world = World(
        strike(175.0, "silent", 1),
        strike(250.0, "crash", 2, logged=True),
        **VALIDATED,
        validation__every_steps=15,
        checkpoint__interval_steps=20,
    ).until(540.0)
    assert (1, []) == (world.snapshot.undetected_faults, world.of(FaultMasked))
    world.until(2000.0)
    crash, found = world.of(DetectionRaised)

    assert [(502.0, 20, 4, 0), (502.0 + 103.0 + 250.0, 0, 10, 20)] == resumed_at(world)
    assert (Layer.HARDWARE, Layer.VALIDATION, 1.0) == (crash.layer, found.layer, found.at - 604.0)
    assert {"injected": 1, "baked": 1} == outcomes(world)
    assert 0 == world.snapshot.undetected_faults


def test_corrupt_state_outlives_the_eviction_of_its_node() -> None:
    """The node is gone, the checkpoint that it spoilt is not."""
    world = World(
        strike(175.0, "silent", 1),
        strike(250.0, "crash", 1, logged=True),
        **VALIDATED,
        validation__every_steps=15,
        checkpoint__interval_steps=20,
        strikes__strikes_to_evict=1,
    ).until(2000.0)

    assert [Layer.HARDWARE, Layer.VALIDATION] == [raised.layer for raised in world.of(DetectionRaised)]
    assert 0 == world.snapshot.undetected_faults


def test_a_repair_in_vain_keeps_the_fault_apart_from_the_state_that_it_spoilt() -> None:
    """The node takes the fault along, to strike anew there; what is left is the one that struck."""
    world = World(
        strike(175.0, "silent", 1, transient=False),
        strike(250.0, "crash", 1, logged=True),
        **VALIDATED,
        validation__every_steps=15,
        checkpoint__interval_steps=20,
        strikes__strikes_to_evict=1,
        repair__stages="automatic_then_manual",
        repair__automatic_failure_probability=1.0,
        repair__manual_failure_probability=1.0,
    ).until(540.0)
    state = world.simulation._state  # noqa: SLF001 - nothing else shows what is remembered
    [taint], [standing] = state.taints, state.hazards.standing

    assert (0, 1) == (taint.fault.recurrences, standing.fault.recurrences)


def test_a_permanent_fault_corrupts_again_after_its_state_was_found() -> None:
    """A restart does not cure it and a validation names no node."""
    world = World(
        strike(150.0, "silent", 1, transient=False), **VALIDATED, faults__recurrence_hours=0.1
    ).until(20_000.0)
    counts = world.snapshot.corruptions

    assert counts.injected > 5
    assert counts.injected - counts.outcomes[CorruptionOutcome.DETECTED] in {0, 1}


def test_a_corrupt_fault_that_strikes_a_stopped_job_corrupts_nothing() -> None:
    """Nothing is computed; an event in its log costs no checkpoint."""
    world = World(strike(1000.0, "crash", 1, logged=True), strike(1050.0, "silent", 2), **VALIDATED).until(
        3000.0
    )

    assert {"injected": 0} == outcomes(world)
    assert [90] == [step for _, step, _, _ in resumed_at(world)]


def test_what_nobody_can_find_is_remembered_once() -> None:
    """A hundred corruptions and restarts leave one taint behind, the oldest."""
    script = [strike(1000.0 * n + 150.0, "silent", 1) for n in range(1, 101)]
    script += [strike(1000.0 * n + 600.0, "crash", 2, logged=True) for n in range(1, 101)]
    world = World(*script, **BLIND, strikes__strikes_to_evict=0).until(101_900.0)

    assert {"injected": 100, "baked": 100} == outcomes(world)
    assert 1 == len(world.simulation._state.taints)  # noqa: SLF001 - nothing else shows what is remembered


# --- the end


def test_corruption_that_reaches_the_end_voids_the_work_since_the_last_clean_checkpoint() -> None:
    """Corrupted in step 25 of 34: checkpoint 20 is clean, 30 is not."""
    world = World(strike(260.0, "silent"), **BLIND, until_step=34).until(1000.0)
    [voided] = world.of(WorkVoided)
    snapshot = world.snapshot

    assert (355.0, 20, 4, 10) == (voided.at, voided.step, voided.lost_steps, voided.retracted_steps)
    assert (JobState.COMPLETED, 20, 34) == (snapshot.job_state, snapshot.step, snapshot.steps)
    assert 200.0 / 355.0 == pytest.approx(snapshot.effective_training_time_ratio)
    assert {"injected": 1, "baked": 1} == outcomes(world)
    assert ledger_error(snapshot) < 1e-6


def test_a_clean_end_voids_nothing() -> None:
    """The corruption was found and its work done again."""
    world = World(strike(150.0, "silent"), **VALIDATED, until_step=30).until(5000.0)

    assert [] == world.of(WorkVoided)
    assert 30 == world.snapshot.step


def test_the_validation_of_the_last_step_is_waited_for() -> None:
    """It finds what was corrupted in the last cycle, and the job is not done yet."""
    world = World(strike(150.0, "silent"), **VALIDATED, until_step=20).until(5000.0)
    [reached] = world.of(TargetReached)

    assert 461.0 + 100.0 + 3.0 == reached.at
    assert ([], {"injected": 1, "detected": 1}) == (world.of(WorkVoided), outcomes(world))


@pytest.mark.parametrize("kind", ["slow", "corrupt"])
def test_a_completed_job_hears_no_more_detections(kind: str) -> None:
    """The check that would have found it comes after the last step."""
    world = World(strike(200.0, kind), gradient__every_steps=50, until_step=30).until(5000.0)

    assert ([], JobState.COMPLETED) == (world.of(DetectionRaised), world.snapshot.job_state)


# --- what keeps corruption out of checkpoints


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 40_000), max_size=12),
    st.lists(st.integers(0, 40_000), max_size=8),
    st.tuples(st.integers(1, 30), st.integers(1, 5)),
    st.fixed_dictionaries(
        {
            "corruption__hyper_factor": st.sampled_from([1.0, 2.5, 4.0]),
            "corruption__hyper_hours": st.floats(0.1, 4),
            "checkpoint__write_seconds": st.sampled_from([0.0, 40.0]),
            "checkpoint__keep": st.integers(1, 5),
            "memory__interval_steps": st.integers(0, 12),
            "local__interval_steps": st.integers(0, 30),
        }
    ),
)
def test_validation_that_divides_the_interval_keeps_every_checkpoint_clean(
    strikes: list[int], crashes: list[int], steps: tuple[int, int], rest: dict[str, Any]
) -> None:
    """Whatever strikes when, in quick succession or not, restored from any tier, written aside or not."""
    every, times = steps
    script = [strike(at + 0.5, "silent", 1) for at in strikes]
    script += [strike(at + 0.25, "crash", 2, logged=True) for at in crashes]
    world = World(
        *script,
        detection__layers=("heartbeat", "hardware", "validation"),
        validation__every_steps=every,
        checkpoint__interval_steps=every * times,
        strikes__strikes_to_evict=0,
        **rest,
    ).until(60_000.0)

    assert [] == world.of(CorruptionBaked)


def test_after_a_last_gasp_saves_are_validated_again() -> None:
    """It saves at step 12; the next save is that of step 30, which is validated, and not that of 22."""
    world = World(
        strike(137.0, "crash", 2, logged=True),
        strike(505.0, "silent", 1),
        **VALIDATED,
        checkpoint__last_gasp_probability=1.0,
    ).until(3000.0)

    assert 12 == world.of(TrainingResumed)[0].step
    assert [] == world.of(CorruptionBaked)


# --- all of it against a walk


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 6000), max_size=8),
    st.integers(0, 30),
    st.integers(1, 30),
    st.sampled_from(["at_checkpoint", "later"]),
    st.integers(0, 9000),
)
def test_outcomes_and_progress_are_those_of_a_walk_step_by_step(
    strikes: list[int],
    validate_every: int,
    save_every: int,
    discovery: Literal["at_checkpoint", "later"],
    until: int,
) -> None:
    """Any corruptions, validations and saves, in both modes: the same steps, losses and counts."""
    instants = sorted({at + 0.5 for at in strikes})
    walker = CorruptionWalker(
        instants, until, 10, validate_every, 3, save_every, 5, RECOVERY_SECONDS, discovery == "at_checkpoint"
    ).run()
    layers = ("heartbeat", "validation") if validate_every else ("heartbeat",)
    world = World(
        *(strike(at, "silent") for at in instants),
        detection__layers=layers,
        validation__every_steps=max(1, validate_every),
        checkpoint__interval_steps=save_every,
        checkpoint__keep=10_000,
        corruption__baked_discovery=discovery,
        faults__during_recovery=False,
        strikes__strikes_to_evict=0,
    ).until(float(until))
    snapshot = world.snapshot
    counts = snapshot.corruptions

    assert (walker.injected, walker.incidents) == (counts.injected, snapshot.total_interruptions)
    assert (walker.detected, walker.baked, walker.harmless) == tuple(
        counts.outcomes[outcome] for outcome in CorruptionOutcome
    )
    assert walker.lost == snapshot.lost_steps + snapshot.retracted_steps
    if snapshot.job_state is JobState.RUNNING:
        assert walker.step == snapshot.step
