"""The JSON object of a simulation: its keys, its sums and its nulls."""

import json
from dataclasses import fields, replace
from typing import Any

from goodputd.sim.snapshot import FleetSnapshot, Total
from goodputd.sim.taxonomy import (
    Action,
    CheckpointOutcome,
    CheckpointTier,
    Component,
    Layer,
    Origin,
    Reason,
    RepairOutcome,
    RepairStage,
    StageName,
)
from goodputd.summary import Target, summarize
from tests.snapshots import snapshot

CONTRACT = {
    *("name", "steps", "interruptions", "faults", "false_alarms", "lost_steps", "checkpoints", "nodes"),
    *("mttr_seconds", "mtbf_seconds", "mttd_seconds", "recovery_stage_seconds", "time_seconds"),
    *("effective_training_time_ratio", "effective_utilization_ratio", "effective_compute_ratio"),
    *("provisional_seconds", "decisions", "recovery_success_ratio"),
}
"""What scripts were promised; more keys may come, none of these may go."""


def scenario(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of a snapshot
    """The summary of one scenario."""
    summary: dict[str, Any] = summarize([snapshot(**changes)], version="1.2.3", seed=7)["scenarios"][0]
    return summary


def test_every_key_of_the_contract_is_there() -> None:
    """A script finds every promised key, whatever happened."""
    assert set() == CONTRACT - scenario().keys()


def test_the_head_says_what_played() -> None:
    """Version, seed and the longest simulated time stand at the top."""
    summary = summarize([snapshot(now=10.0), snapshot("b", now=20.0)], version="1.2.3", seed=7)
    head = {key: value for key, value in summary.items() if key != "scenarios"}
    assert {"version": "1.2.3", "seed": 7, "simulated_seconds": 20.0} == head


def test_scenarios_keep_their_order() -> None:
    """Scenarios come in the order of the settings."""
    summary = summarize([snapshot("z"), snapshot()], version="1", seed=1)
    assert ["z", "default"] == [s["name"] for s in summary["scenarios"]]


def test_what_has_no_data_is_null() -> None:
    """Before the first interruption no mean and no ratio is a number."""
    quiet = scenario(
        mttr_seconds=None,
        mtbf_seconds=None,
        mttd_overall_seconds=None,
        effective_training_time_ratio=None,
        stage_seconds={StageName.RESTORE: Total(0.0, 0)},
    )
    nulls = [
        quiet["mttr_seconds"], quiet["mtbf_seconds"], quiet["mttd_seconds"],
        quiet["effective_training_time_ratio"], quiet["recovery_success_ratio"]["evict"],
        quiet["recovery_stage_seconds"]["restore"],
    ]  # fmt: skip
    assert [None] * 6 == nulls


def test_interruptions_add_up_over_both_labels() -> None:
    """The total is the sum by component and the sum by layer."""
    counts = {
        (Component.GPU, Layer.HARDWARE): 3,
        (Component.GPU, Layer.HEARTBEAT): 2,
        (Component.SOFTWARE, Layer.HEARTBEAT): 4,
    }
    interruptions = scenario(interruptions=counts)["interruptions"]
    parts = (
        interruptions["total"],
        interruptions["by_component"]["gpu"],
        interruptions["by_layer"]["heartbeat"],
        sum(interruptions["by_component"].values()),
        sum(interruptions["by_layer"].values()),
    )
    assert (9, 5, 6, 9, 9) == parts


def test_a_planned_stop_is_no_interruption() -> None:
    """Planned stops have a key of their own and are in no interruption count."""
    stopped = scenario(
        interruptions={(Component.PLANNED, Layer.PLANNED): 2, (Component.GPU, Layer.HARDWARE): 1}
    )
    assert (2, 1) == (stopped["planned_stops"], stopped["interruptions"]["total"])
    assert "planned" not in stopped["interruptions"]["by_component"]
    assert "planned" not in stopped["interruptions"]["by_layer"]


def test_faults_by_kind_and_by_origin_add_up_to_the_same() -> None:
    """A recurrence is one more fault of its kind."""
    faults = scenario(
        faults={
            ("hbm3", Component.MEMORY, Origin.PRIMARY): 5,
            ("hbm3", Component.MEMORY, Origin.RECURRENCE): 2,
            ("nccl", Component.SOFTWARE, Origin.PRIMARY): 1,
        }
    )["faults"]
    assert {
        "by_kind": {"hbm3": 7, "nccl": 1},
        "by_origin": {"primary": 6, "recurrence": 2, "injected": 0, "replayed": 0},
    } == faults


def test_a_stage_is_its_mean() -> None:
    """Seconds of a recovery stage are the mean over its runs."""
    stages = {StageName.RESTORE: Total(540.0, 3)}
    assert {"restore": 180.0} == scenario(stage_seconds=stages)["recovery_stage_seconds"]


def test_decisions_add_up_over_reasons() -> None:
    """An action counts whatever its reason, a reason whatever its action."""
    decided = scenario(
        decisions={
            (Action.RESTART, Reason.FIRST_STRIKE): 6,
            (Action.RESTART, Reason.SOFTWARE): 2,
            (Action.EVICT, Reason.SECOND_STRIKE): 1,
        }
    )
    assert (8, 1, 6) == (
        decided["decisions"]["restart"],
        decided["decisions"]["evict"],
        decided["decisions_by_reason"]["first_strike"],
    )


def test_a_save_cut_short_is_no_checkpoint() -> None:
    """Checkpoints are those that can be restored."""
    saves = {
        (CheckpointTier.REMOTE, CheckpointOutcome.SAVED): 12,
        (CheckpointTier.REMOTE, CheckpointOutcome.INTERRUPTED): 1,
    }
    saved = scenario(checkpoints=saves)
    assert (12, 1) == (saved["checkpoints"], saved["checkpoints_interrupted"])


def test_a_save_to_a_weaker_tier_is_not_counted_with_the_others() -> None:
    """The number goes with the interval, which is that of the tier that survives any host."""
    saves = {
        (CheckpointTier.REMOTE, CheckpointOutcome.SAVED): 12,
        (CheckpointTier.REMOTE, CheckpointOutcome.INTERRUPTED): 1,
        (CheckpointTier.MEMORY, CheckpointOutcome.SAVED): 500,
    }

    assert 12 == scenario(checkpoints=saves)["checkpoints"]


def test_saves_and_restores_are_told_by_tier() -> None:
    """Each tier in use, with what became of its saves."""
    saves = {
        (CheckpointTier.REMOTE, CheckpointOutcome.SAVED): 12,
        (CheckpointTier.REMOTE, CheckpointOutcome.INTERRUPTED): 1,
        (CheckpointTier.MEMORY, CheckpointOutcome.SAVED): 500,
    }
    restores = {CheckpointTier.REMOTE: 2, CheckpointTier.MEMORY: 7}

    assert {
        "remote": {"saved": 12, "interrupted": 1, "restored": 2},
        "memory": {"saved": 500, "restored": 7},
    } == scenario(checkpoints=saves, restores=restores)["checkpoint_tiers"]


def test_a_layer_is_told_with_its_finds_and_misses() -> None:
    """Two claims that were first, no late one, three faults that it could not see."""
    found = scenario(detection_misses={Layer.HARDWARE: 3})["detections"]

    assert {"hardware": {"first": 2, "late": 0, "missed": 3}} == found


def test_a_corruption_whose_outcome_is_open_is_pending() -> None:
    """Three were injected and two of them baked in."""
    assert {"injected": 3, "detected": 0, "baked": 2, "harmless": 0, "pending": 1} == scenario()[
        "corruptions"
    ]


def test_repairs_are_told_by_who_and_with_what_outcome() -> None:
    """People never escalate."""
    repairs = {
        (RepairStage.AUTOMATIC, RepairOutcome.ESCALATED): 4,
        (RepairStage.MANUAL, RepairOutcome.CURED): 3,
    }
    fleet = scenario(fleet=replace(snapshot().fleet, repairs=repairs))["fleet"]

    assert {"automatic": {"escalated": 4}, "manual": {"cured": 3}} == fleet["repairs"]


def test_everything_known_of_the_fleet_is_told() -> None:
    """Each field of the snapshot under its own name."""
    assert {field.name for field in fields(FleetSnapshot)} == set(scenario()["fleet"])


def test_a_scenario_that_trains_on_has_no_target_beside_one_that_has() -> None:
    """The key is there for whoever was played to a step."""
    target = Target(100, completed=True, seconds=642.5)
    summary = summarize([snapshot(), snapshot("b")], version="1", seed=1, targets={"b": target})

    assert [False, True] == ["target" in each for each in summary["scenarios"]]


def test_a_target_is_told_when_there_was_one() -> None:
    """A run to a step says for each scenario whether and when it got there."""
    summary = summarize(
        [snapshot(), snapshot("b")],
        version="1",
        seed=1,
        targets={
            "default": Target(100, completed=True, seconds=642.5),
            "b": Target(100, completed=False, seconds=None),
        },
    )
    assert [
        {"step": 100, "completed": True, "seconds": 642.5},
        {"step": 100, "completed": False, "seconds": None},
    ] == [s["target"] for s in summary["scenarios"]]


def test_without_a_target_there_is_no_target_key() -> None:
    """A run for a time has no target."""
    assert "target" not in scenario()


def test_unpaired_scenarios_are_marked() -> None:
    """A scenario that met other faults than the first says so."""
    summary = summarize([snapshot(), snapshot("b")], version="1", seed=1, unpaired=["b"])
    assert [True, False] == [s["paired"] for s in summary["scenarios"]]


def test_it_is_strict_json() -> None:
    """The object holds nothing that JSON cannot say, NaN included, and comes back equal."""
    summary = summarize(
        [snapshot(now=5.0, faults={("k", Component.GPU, Origin.PRIMARY): 1})], version="1", seed=1
    )
    assert summary == json.loads(json.dumps(summary, allow_nan=False))
