"""Snapshots as one JSON object: what a scenario cost, in numbers that a script can read.

The keys are a contract with scripts: they are added to and not renamed. This module reads
snapshots and nothing else; it knows no settings, terminal, clock or metric name. Seconds are
simulated; a mean or a ratio without data is None.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from goodputd.sim.snapshot import FleetSnapshot, Snapshot
from goodputd.sim.taxonomy import (
    IDLE_CAPACITY,
    Action,
    CheckpointOutcome,
    CheckpointTier,
    Component,
    DetectionResult,
    Layer,
    Origin,
    Reason,
)

Summary = dict[str, Any]
"""A JSON object: strings, numbers, None, and lists and objects of them."""

_UNPLANNED_COMPONENTS: Final = tuple(c for c in Component if c is not Component.PLANNED)
_UNPLANNED_LAYERS: Final = tuple(layer for layer in Layer if layer is not Layer.PLANNED)


@dataclass(slots=True)
class Target:
    """How a run to a step went; ``seconds`` is None unless the step was reached."""

    step: int
    completed: bool
    seconds: float | None


def summarize(
    snapshots: Sequence[Snapshot],
    *,
    version: str,
    seed: int,
    unpaired: Collection[str] = (),
    targets: Mapping[str, Target] | None = None,
) -> Summary:
    """The object that ``goodputd simulate --json`` prints.

    ``unpaired`` names the scenarios that do not share their faults with the first; ``targets`` has an
    entry for each scenario that was played to a step. ``simulated_seconds`` is the longest of the scenarios.
    """
    scenarios = []
    for snapshot in snapshots:
        scenario = _scenario(snapshot)
        scenario["paired"] = snapshot.scenario not in unpaired
        target = None if targets is None else targets.get(snapshot.scenario)
        if target is not None:
            scenario["target"] = {
                "step": target.step,
                "completed": target.completed,
                "seconds": target.seconds,
            }
        scenarios.append(scenario)
    return {
        "version": version,
        "seed": seed,
        "simulated_seconds": max((s.now for s in snapshots), default=0.0),
        "scenarios": scenarios,
    }


def _scenario(snapshot: Snapshot) -> Summary:
    return {
        "name": snapshot.scenario,
        "simulated_seconds": snapshot.now,
        **_progress(snapshot),
        **_reliability(snapshot),
        **_time(snapshot),
        **_decisions(snapshot),
        "detections": _detections(snapshot),
        "checkpoint_tiers": _tiers(snapshot),
        "fleet": _fleet(snapshot.fleet),
        "nodes": {str(state): count for state, count in snapshot.nodes.items()},
        "job_state": str(snapshot.job_state),
    }


def _progress(snapshot: Snapshot) -> Summary:
    # the tier of ``checkpoint_interval_seconds``; the weaker ones do not survive the loss of a host
    saves = _tally((o, n) for (tier, o), n in snapshot.checkpoints.items() if tier is CheckpointTier.REMOTE)
    return {
        "steps": snapshot.steps,
        "step": snapshot.step,
        "lost_steps": snapshot.lost_steps,
        "retracted_steps": snapshot.retracted_steps,
        # As of now: how long a step takes, and by how much that is more than in the settings.
        "step_seconds": snapshot.step_time.seconds,
        "step_time_ratio": math.prod(snapshot.step_time.ratios.values()),
        "loss": snapshot.loss,
        "checkpoints": saves[CheckpointOutcome.SAVED],
        "checkpoints_interrupted": saves[CheckpointOutcome.INTERRUPTED],
        "checkpoint_interval_seconds": snapshot.checkpoint_interval_seconds,
    }


def _reliability(snapshot: Snapshot) -> Summary:
    unplanned = {key: n for key, n in snapshot.interruptions.items() if key[0] is not Component.PLANNED}
    by_component = _tally((component, n) for (component, _), n in unplanned.items())
    by_layer = _tally((layer, n) for (_, layer), n in unplanned.items())
    by_origin = _tally((origin, n) for (_, _, origin), n in snapshot.faults.items())
    by_kind = _tally((kind, n) for (kind, _, _), n in snapshot.faults.items())
    return {
        "interruptions": {
            "total": snapshot.total_interruptions,
            "by_component": {str(c): by_component[c] for c in _UNPLANNED_COMPONENTS},
            "by_layer": {str(layer): by_layer[layer] for layer in _UNPLANNED_LAYERS},
        },
        "expected_interruptions": snapshot.expected_interruptions,
        "planned_stops": snapshot.planned_stops,
        "faults": {
            "by_kind": dict(by_kind),
            "by_origin": {str(origin): by_origin[origin] for origin in Origin},
        },
        "undetected_faults": snapshot.undetected_faults,
        "corruptions": {
            "injected": snapshot.corruptions.injected,
            **{str(outcome): n for outcome, n in snapshot.corruptions.outcomes.items()},
            "pending": snapshot.corruptions.injected - sum(snapshot.corruptions.outcomes.values()),
        },
        "false_alarms": {str(layer): n for layer, n in snapshot.false_alarms.items()},
        "mttr_seconds": snapshot.mttr_seconds,
        "mtbf_seconds": snapshot.mtbf_seconds,
        "mttd_seconds": snapshot.mttd_overall_seconds,
        "mttd_seconds_by_symptom": {str(s): seconds for s, seconds in snapshot.mttd_seconds.items()},
    }


def _time(snapshot: Snapshot) -> Summary:
    capacity = snapshot.nominal_gpus * snapshot.now
    return {
        "recovery_stage_seconds": {
            str(stage): total.seconds / total.count if total.count else None
            for stage, total in snapshot.stage_seconds.items()
        },
        "time_seconds": {str(bucket): seconds for bucket, seconds in snapshot.seconds.items()},
        "provisional_seconds": snapshot.provisional_seconds,
        "retracted_seconds": snapshot.retracted_seconds,
        "effective_training_time_ratio": snapshot.effective_training_time_ratio,
        "effective_utilization_ratio": snapshot.effective_utilization_ratio,
        "effective_compute_ratio": snapshot.effective_compute_ratio,
        "idle_capacity_ratio": snapshot.gpu_seconds[IDLE_CAPACITY] / capacity if capacity else None,
    }


def _decisions(snapshot: Snapshot) -> Summary:
    by_action = _tally((action, n) for (action, _), n in snapshot.decisions.items())
    by_reason = _tally((reason, n) for (_, reason), n in snapshot.decisions.items())
    return {
        "decisions": {str(action): by_action[action] for action in Action},
        "decisions_by_reason": {str(reason): by_reason[reason] for reason in Reason},
        "recovery_success_ratio": {str(a): ratio for a, ratio in snapshot.recovery_success_ratio.items()},
    }


def _detections(snapshot: Snapshot) -> Summary:
    """How often each layer that is on was the first to claim a fault, came too late, and saw nothing."""
    claims = {key: sum(histogram.counts) for key, histogram in snapshot.detection_seconds.items()}
    return {
        str(layer): {
            **{str(result): claims[layer, result] for result in DetectionResult},
            "missed": missed,
        }
        for layer, missed in snapshot.detection_misses.items()
    }


def _tiers(snapshot: Snapshot) -> Summary:
    """What became of the saves to each tier in use, and how often it was restored from."""
    return {
        str(tier): {
            **{str(o): n for (of, o), n in snapshot.checkpoints.items() if of is tier},
            "restored": restored,
        }
        for tier, restored in snapshot.restores.items()
    }


def _fleet(fleet: FleetSnapshot) -> Summary:
    repairs: Summary = {str(stage): {} for stage, _ in fleet.repairs}
    for (stage, outcome), count in fleet.repairs.items():
        repairs[str(stage)][str(outcome)] = count
    return {
        "spares": {str(readiness): n for readiness, n in fleet.spares.items()},
        "repairs": repairs,
        "repair_line": fleet.repair_line,
        "hot_resets": {str(outcome): n for outcome, n in fleet.hot_resets.items()},
        "misdiagnoses": {str(how): n for how, n in fleet.misdiagnoses.items()},
        "host_selections": fleet.host_selections,
        "displaced_nodes": fleet.displaced_nodes,
        "preemptions": fleet.preemptions,
        "drained_nodes": fleet.drained_nodes,
        "lemons": fleet.lemons,
        "lemon_faults": fleet.lemon_faults,
        "in_burst": fleet.in_burst,
    }


def _tally(pairs: Iterable[tuple[str, int]]) -> Counter[str]:
    """The counts of a table with several labels, added up over all labels but one."""
    tally: Counter[str] = Counter()
    for key, count in pairs:
        tally[key] += count
    return tally
