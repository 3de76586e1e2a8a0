"""Recovery plans as data: which stages, in which order, how long, at whose cost."""

from statistics import mean

import pytest

from goodputd.sim.recovery import RecoveryPlan, decide_plan, pace_of, restart_plan, second_restore_plan
from goodputd.sim.specs.recovery import RecoverySpec
from goodputd.sim.taxonomy import Bucket, StageName

SPEC = RecoverySpec(
    decide_seconds=1.0,
    reschedule_seconds=2.0,
    collective_init_seconds=3.0,
    compile_seconds=5.0,
    verify_seconds=6.0,
)


def seconds(plan: RecoveryPlan) -> list[tuple[StageName, float]]:
    """The stages and their mean seconds."""
    return [(stage.name, stage.seconds) for stage in plan]


def test_the_decision_comes_before_the_plan_is_known() -> None:
    """One stage of its own."""
    assert [(StageName.DECIDE, 1.0)] == seconds(decide_plan(SPEC))


def test_a_restart_goes_from_reschedule_to_verify() -> None:
    """The restore time is handed in, the others are settings."""
    assert [
        (StageName.RESCHEDULE, 2.0),
        (StageName.COLLECTIVE_INIT, 3.0),
        (StageName.RESTORE, 4.0),
        (StageName.COMPILE, 5.0),
        (StageName.VERIFY, 6.0),
    ] == seconds(restart_plan(SPEC, 4.0))


def test_a_second_restore_reads_and_verifies_only() -> None:
    """Processes, collectives and graph are there already."""
    assert [(StageName.RESTORE, 4.0), (StageName.VERIFY, 6.0)] == seconds(second_restore_plan(SPEC, 4.0))


def test_detection_and_plan_are_all_stages_in_order() -> None:
    """The nine names of the taxonomy, each once, where a restart has all of them."""
    first = ((StageName.HOT_RESET, 1.0), (StageName.HOST_SELECTION, 2.0))
    stages = [stage.name for stage in (*decide_plan(SPEC), *restart_plan(SPEC, 4.0, first))]

    assert list(StageName) == [StageName.DETECT, *stages]


def test_every_stage_costs_one_bucket() -> None:
    """Reschedule, collective_init and compile are `restart`; the others have their own."""
    plan = (*decide_plan(SPEC), *restart_plan(SPEC, 4.0))

    assert {
        StageName.DECIDE: Bucket.DECISION,
        StageName.RESCHEDULE: Bucket.RESTART,
        StageName.COLLECTIVE_INIT: Bucket.RESTART,
        StageName.RESTORE: Bucket.CHECKPOINT_RESTORE,
        StageName.COMPILE: Bucket.RESTART,
        StageName.VERIFY: Bucket.VERIFY,
    } == {stage.name: stage.bucket for stage in plan}


def test_two_stages_need_every_rank() -> None:
    """Collective initialisation and the steps that verify: a missing rank stalls them (rule 3)."""
    plan = (*decide_plan(SPEC), *restart_plan(SPEC, 4.0))

    assert {StageName.COLLECTIVE_INIT, StageName.VERIFY} == {s.name for s in plan if s.uses_collectives}


@pytest.mark.parametrize(
    ("spread", "uniform", "expected"),
    [
        (0.2, 0.0, 0.8),
        (0.2, 0.5, 1.0),
        (0.2, 0.999999999, 1.2),
        (0.0, 0.3, 1.0),
        (1.0, 0.0, 0.0),
        (1.0, 0.75, 1.5),
    ],
)
def test_the_pace_lies_within_the_spread(spread: float, uniform: float, expected: float) -> None:
    """From 1 - spread to 1 + spread, in proportion to the uniform."""
    assert expected == pytest.approx(pace_of(RecoverySpec(spread=spread), uniform), abs=1e-8)


@pytest.mark.parametrize("spread", [0.0, 0.2, 1.0])
def test_the_mean_pace_is_one(spread: float) -> None:
    """So the settings are the means they say they are."""
    assert 1.0 == pytest.approx(
        mean(pace_of(RecoverySpec(spread=spread), (n + 0.5) / 1000) for n in range(1000))
    )


def test_the_default_plan_keeps_the_budget_of_six_minutes() -> None:
    """Decide to verify with a restore of 180 s is 330 s; a heartbeat's detection comes to 360 s."""
    plan = (*decide_plan(RecoverySpec()), *restart_plan(RecoverySpec(), 180.0))

    assert 330.0 == sum(stage.seconds for stage in plan)
