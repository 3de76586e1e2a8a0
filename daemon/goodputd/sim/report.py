"""The report: a snapshot of a scenario's state, without changing it.

Running quantities come from anchors here, so that looking accumulates nothing (DESIGN rule 15).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from goodputd.sim.capacity import CapacityCounts
from goodputd.sim.daly import daly
from goodputd.sim.job import Position
from goodputd.sim.ledger import Account, RunWork
from goodputd.sim.loss import gradient_norm_at, loss_at
from goodputd.sim.protocols import Detector
from goodputd.sim.snapshot import (
    Corruptions,
    FleetSnapshot,
    NodeStrikes,
    Snapshot,
    Total,
    TuningSnapshot,
    unplanned,
)
from goodputd.sim.specs.job import LossSpec
from goodputd.sim.state import State
from goodputd.sim.step_time import step_time
from goodputd.sim.taxonomy import (
    IDLE_CAPACITY,
    Action,
    Bucket,
    CheckpointOutcome,
    CheckpointTier,
    Misdiagnosis,
    NodeState,
    Readiness,
    RecoveryOutcome,
)
from goodputd.sim.training import Training

_RECOVERING_ACTIONS = (Action.RESTART, Action.EVICT)
_REMOTE: Final = CheckpointTier.REMOTE
_WORST_NODES = 20
_STRIKES_WORTH_A_SERIES = 2


@dataclass(slots=True)
class Context:
    """What a report needs to know of the settings."""

    scenario: str
    seed: int
    loss: LossSpec
    detectors: tuple[Detector, ...]
    strike_window_seconds: float
    spares: int
    save_seconds: float


def report(state: State, context: Context) -> Snapshot:
    """The scenario as of ``state.now``, or as of the moment the job completed."""
    now = state.now if state.completed_at is None else state.completed_at
    training = state.training
    position, work, step = _in_flight(training, now)
    time, gpus, idle = state.ledger.at(now, work)
    tally, recoveries = state.tally, state.outcomes.at(now)
    return Snapshot(
        scenario=context.scenario,
        now=now,
        seconds=time.buckets,
        provisional_seconds=time.provisional,
        retracted_seconds=time.retracted,
        gpu_seconds={bucket.value: gpus.buckets[bucket] for bucket in Bucket} | {IDLE_CAPACITY: idle},
        provisional_gpu_seconds=gpus.provisional,
        retracted_gpu_seconds=gpus.retracted,
        nominal_gpus=state.cluster.nominal_gpus,
        interruptions=dict(tally.interruptions),
        expected_interruptions=tally.expected_interruptions + _expected_of_run(state, now),
        faults=dict(tally.faults),
        detection_misses=tally.misses(),
        hardware_events=tally.logged,
        false_alarms=dict(tally.false_alarms),
        decisions=dict(tally.decisions),
        recoveries=recoveries,
        verifications=dict(tally.verifications),
        corruptions=Corruptions(tally.corruptions_injected, dict(tally.corruptions)),
        steps=training.counts.executed + step - training.step,
        lost_steps=training.counts.lost,
        retracted_steps=training.counts.retracted,
        step_time=step_time(state),
        step=step,
        checkpoints=_checkpoints(state, position),
        restores=_restores(state),
        recovery_seconds=tally.recovery.frozen(),
        detection_seconds={key: counting.frozen() for key, counting in tally.detections.items()},
        stage_seconds={name: total.copy() for name, total in tally.stages.items()},
        effective_training_time_ratio=_ratio(_kept(time), now),
        effective_utilization_ratio=_ratio(_kept(gpus), state.cluster.nominal_gpus * now),
        effective_compute_ratio=_ratio(now - _stopped_seconds(state, now), now),
        recovery_success_ratio={action: _success(recoveries, action) for action in _RECOVERING_ACTIONS},
        mttr_seconds=_mean([tally.recovery.total]),
        mtbf_seconds=_ratio(now, unplanned(tally.interruptions)),
        mttd_seconds={symptom: _ratio(t.seconds, t.count) for symptom, t in tally.mttd.items()},
        mttd_overall_seconds=_mean(tally.mttd.values()),
        fleet=_fleet(state),
        nodes=dict(state.cluster.counts),
        gpus={at: count * state.cluster.gpus_per_node for at, count in state.cluster.counts.items()},
        job_state=state.job.state,
        node_strikes=_node_strikes(state, context),
        undetected_faults=_undetected(state),
        loss=_loss(state, context, step),
        gradient_norm=_gradient_norm(state, context, step),
        last_interruption_at=tally.last_interruption_at,
        last_step_at=_last_step_at(state, position, step),
        last_checkpoint_at=_last_checkpoint_at(state, position),
        tuning=_tuning(state, context, now),
        checkpoint_interval_seconds=training.interval_steps * training.calm_step_seconds,
        spares_configured=context.spares,
    )


def _fleet(state: State) -> FleetSnapshot:
    shop, reserve, diagnosis = state.shop, state.cluster.reserve, state.diagnosis
    spares = dict.fromkeys(Readiness, 0)
    counts = CapacityCounts() if reserve is None else reserve.counts
    if reserve is None:
        spares[Readiness.WARM] = state.cluster.counts[NodeState.SPARE]
    else:
        waiting = (len(reserve.warm), len(reserve.cold), len(reserve.preemptible))
        spares.update(zip(Readiness, waiting, strict=True))
    fleet = state.cluster.fleet
    return FleetSnapshot(
        repairs=dict(shop.counts.outcomes),
        repair_line=shop.line,
        hot_resets=dict(shop.counts.hot_resets),
        spares=spares,
        host_selections=counts.host_selections,
        displaced_nodes=counts.displaced,
        preemptions=counts.preemptions,
        drained_nodes=0 if state.maintenance is None else state.maintenance.drained,
        in_burst=state.hazards.bursts is not None and state.hazards.bursts.is_on,
        misdiagnoses=dict.fromkeys(Misdiagnosis, 0) if diagnosis is None else dict(diagnosis.counts),
        lemons=0 if fleet is None else len(fleet.lemons),
        lemon_faults=0 if fleet is None else fleet.lemon_faults,
    )


def _in_flight(training: Training, now: float) -> tuple[Position | None, RunWork | None, int]:
    """Position and work of the run in flight, if there is one, and the last whole step."""
    if training.run is None:
        return None, None, training.step
    position = training.position(now)
    return position, training.work(now, position), position.whole_steps


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0.0 else None


def _tuning(state: State, context: Context, now: float) -> TuningSnapshot:
    timeouts = {d.layer: d.timeout_seconds for d in context.detectors if d.timeout_seconds is not None}
    return TuningSnapshot(timeouts, context.save_seconds, _daly_interval(state, context, now))


def _daly_interval(state: State, context: Context, now: float) -> float | None:
    """For the training time between interruptions as it was so far, which is what Daly's MTBF means."""
    interruptions = unplanned(state.tally.interruptions)
    if not interruptions or not context.save_seconds:
        return None
    return daly(context.save_seconds, (now - _stopped_seconds(state, now)) / interruptions)


def _expected_of_run(state: State, now: float) -> float:
    running = state.training.run is not None
    so_far = state.hazards.expected_so_far(now) if running else 0.0
    return so_far + state.hazards.expected_of_age(now, running=running)


def _mean(totals: Iterable[Total]) -> float | None:
    seconds, count = 0.0, 0
    for total in totals:
        seconds += total.seconds
        count += total.count
    return _ratio(seconds, count)


def _kept(account: Account) -> float:
    """Productive work that was not taken back."""
    return account.buckets[Bucket.PRODUCTIVE] - account.retracted


def _loss(state: State, context: Context, step: int) -> float | None:
    """The loss of the step, with what corruption added to it; None for NaN."""
    jump = math.fsum(taint.fault.kind.loss_jump for taint in state.taints if taint.step < step)
    return None if math.isinf(jump) else loss_at(context.loss, context.seed, step) + jump


def _gradient_norm(state: State, context: Context, step: int) -> float | None:
    """The gradient norm of the step; None for NaN."""
    nan = any(math.isinf(taint.fault.kind.loss_jump) for taint in state.taints if taint.step < step)
    return None if nan else gradient_norm_at(context.loss, context.seed, step)


def _stopped_seconds(state: State, now: float) -> float:
    return state.down_seconds + (0.0 if state.down_since is None else now - state.down_since)


def _undetected(state: State) -> int:
    """Faults at work that no layer has found, those included whose corrupt state is all that is left."""
    lingering = [taint.fault for taint in state.taints if taint.lingers]
    return sum(1 for fault in (*state.present, *lingering) if not fault.detected)


def _success(recoveries: dict[tuple[Action, RecoveryOutcome], int], action: Action) -> float | None:
    succeeded = recoveries[action, RecoveryOutcome.SUCCESS]
    return _ratio(succeeded, succeeded + recoveries[action, RecoveryOutcome.FAILURE])


def _checkpoints(
    state: State, position: Position | None
) -> dict[tuple[CheckpointTier, CheckpointOutcome], int]:
    training = state.training
    counts = training.counts
    running = 0 if position is None else position.saves_finished
    found = {
        (_REMOTE, CheckpointOutcome.SAVED): counts.saves + running,
        (_REMOTE, CheckpointOutcome.INTERRUPTED): counts.interrupted_saves,
        (_REMOTE, CheckpointOutcome.UNREADABLE): state.tally.unreadable,
    }
    for tier, weaker in training.tier_counts.items():
        running = training.saves_of_run(tier, state.now)[0]
        found[tier, CheckpointOutcome.SAVED] = weaker.saved + running
        found[tier, CheckpointOutcome.INTERRUPTED] = weaker.interrupted
    return found


def _restores(state: State) -> dict[CheckpointTier, int]:
    training = state.training
    weaker = {tier: counts.restored for tier, counts in training.tier_counts.items()}
    closed = state.incidents - (state.incident is not None)
    return {_REMOTE: closed - sum(weaker.values()), **weaker}


def _last_checkpoint_at(state: State, position: Position | None) -> dict[CheckpointTier, float | None]:
    training = state.training
    is_new = position is not None and position.saves_finished > 0
    remote = position.saved_at if is_new and position is not None else training.store.last_saved_at
    found: dict[CheckpointTier, float | None] = {_REMOTE: remote}
    for tier in training.tier_counts:
        saves, saved_at = training.saves_of_run(tier, state.now)
        held = training.held.get(tier)
        found[tier] = saved_at if saves else None if held is None else held.at
    return found


def _last_step_at(state: State, position: Position | None, step: int) -> float | None:
    """When the newest step was completed; a run that completed none yet says what the one before did."""
    training = state.training
    if position is not None and step > training.step:
        return position.activity_since
    return training.last_step_at


def _node_strikes(state: State, context: Context) -> tuple[NodeStrikes, ...]:
    window = context.strike_window_seconds
    worst = state.cluster.standing_strikes(state.now, window, _STRIKES_WORTH_A_SERIES)
    return tuple(NodeStrikes(node, strikes) for node, strikes in worst[:_WORST_NODES])
