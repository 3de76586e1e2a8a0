"""One incident after another, played by hand on a small world."""

import pytest

from goodputd.sim.events import (
    CapacityAwaited,
    DecisionMade,
    DetectionRaised,
    FaultMasked,
    FaultOccurred,
    InjectFault,
    JobResized,
    NodeEvicted,
    NodeReturned,
    RestoreVerified,
    StageFinished,
    TrainingResumed,
)
from goodputd.sim.taxonomy import (
    Action,
    Bucket,
    Component,
    JobState,
    Layer,
    NodeState,
    Origin,
    Reason,
    StageName,
    Symptom,
    VerificationOutcome,
)
from tests.world import World, gpu_ledger_error, ledger_error, strike

PLAN_SECONDS = 30.0 + 43.0 + 17.0 + 100.0 + 30.0 + 30.0


def test_a_logged_crash_is_claimed_by_hardware_after_two_seconds() -> None:
    """The hardware layer wins against heartbeat and watchdog when the node logs the event."""
    world = World(strike(1000.0, "crash", 3, logged=True)).until(5000.0)

    assert [(1002.0, Layer.HARDWARE, 3)] == [(d.at, d.layer, d.node) for d in world.of(DetectionRaised)]


def test_a_detection_tells_when_every_layer_would_have_claimed_the_fault() -> None:
    """The winner first, then those that come too late; gradient is blind to a crash."""
    world = World(strike(1000.0, "crash", 3, logged=True)).until(5000.0)

    assert [
        [(1002.0, Layer.HARDWARE), (1030.0, Layer.HEARTBEAT), (1600.0, Layer.WATCHDOG)],
    ] == [[(at, layer) for at, _, layer in d.claims] for d in world.of(DetectionRaised)]


@pytest.mark.parametrize(("logged", "events"), [(True, 1), (False, 0)])
def test_a_hardware_event_counts_whether_or_not_a_layer_reads_it(logged: bool, events: int) -> None:
    """With the watchdog alone nobody reads the event that the node logged."""
    world = World(strike(1000.0, "crash", 3, logged=logged), detection__layers=("watchdog",)).until(5000.0)

    assert (events, [Layer.WATCHDOG]) == (
        world.snapshot.hardware_events,
        [d.layer for d in world.of(DetectionRaised)],
    )


def test_a_silent_crash_is_claimed_by_heartbeat_thirty_seconds_after_its_last_beat() -> None:
    """A crash on the beat grid is claimed exactly one timeout later."""
    world = World(strike(1000.0, "silent_crash")).until(5000.0)

    assert [(1030.0, Layer.HEARTBEAT)] == [(d.at, d.layer) for d in world.of(DetectionRaised)]


def test_a_hang_is_claimed_by_step_beats() -> None:
    """No rank completes a step: claimed a timeout after the last completed one."""
    world = World(strike(1004.0, "hang")).until(5000.0)

    # nine cycles of ten steps and a save are 945 s; the last whole step before 1004 s ended at 995 s
    assert [(1025.0, Layer.HEARTBEAT)] == [(d.at, d.layer) for d in world.of(DetectionRaised)]


def test_without_step_beats_a_hang_is_left_to_the_watchdog() -> None:
    """Only the backstop is left, 600 s after the ranks began to wait."""
    world = World(strike(1004.0, "hang"), heartbeat__step_beats=False).until(5000.0)

    assert [(1604.0, Layer.WATCHDOG)] == [(d.at, d.layer) for d in world.of(DetectionRaised)]


def test_a_person_finds_what_every_layer_missed() -> None:
    """With only the hardware layer, a crash that logs nothing waits for a person."""
    world = World(strike(1000.0, "silent_crash"), detection__layers=("hardware",)).until(20000.0)

    assert [(15400.0, Layer.NONE)] == [(d.at, d.layer) for d in world.of(DetectionRaised)]


def test_the_plan_runs_stage_by_stage_to_verified_training() -> None:
    """Every stage takes its configured seconds, in the order of the plan."""
    world = World(strike(1000.0, "crash", logged=True)).until(5000.0)
    stages = [(s.stage, s.seconds, s.cut) for s in world.of(StageFinished)]

    assert stages == [
        (StageName.DECIDE, 30.0, False),
        (StageName.RESCHEDULE, 43.0, False),
        (StageName.COLLECTIVE_INIT, 17.0, False),
        (StageName.RESTORE, 100.0, False),
        (StageName.COMPILE, 30.0, False),
        (StageName.VERIFY, 30.0, False),
    ]
    assert [1002.0 + PLAN_SECONDS] == [r.at for r in world.of(TrainingResumed)]


def test_lost_steps_run_from_the_stop_to_the_checkpoint() -> None:
    """A crash at step 95 with a checkpoint at 90 loses 5 steps and 55 provisional seconds."""
    world = World(strike(1000.0, "crash", logged=True)).until(1300.0)
    resumed = world.of(TrainingResumed)[0]

    assert (90, 5, 0) == (resumed.step, resumed.lost_steps, resumed.retracted_steps)
    assert world.spent(Bucket.LOST_WORK) == pytest.approx(55.0)
    assert world.spent(Bucket.PRODUCTIVE) == 900.0


def test_a_fault_in_a_save_uses_the_checkpoint_before() -> None:
    """A save that is cut short is not durable; its seconds stay in checkpoint_save."""
    world = World(strike(103.0, "crash", logged=True)).until(1000.0)
    resumed = world.of(TrainingResumed)[0]

    assert (0, 10) == (resumed.step, resumed.lost_steps)
    snapshot = world.snapshot
    assert sum(n for (_, outcome), n in snapshot.checkpoints.items() if outcome == "interrupted") == 1


def test_first_strike_restarts_and_second_strike_evicts() -> None:
    """The second failure of a node within the window evicts it; a spare takes its slot."""
    world = World(strike(1000.0, "crash", 5), strike(5000.0, "crash", 5)).until(9000.0)
    decisions = [(d.action, d.reason, d.strikes) for d in world.of(DecisionMade)]

    assert decisions == [(Action.RESTART, Reason.FIRST_STRIKE, 1), (Action.EVICT, Reason.SECOND_STRIKE, 2)]
    assert [(5, 16)] == [(e.node, e.replacement) for e in world.of(NodeEvicted)]
    assert world.of(JobResized) == []


def test_strikes_outside_the_window_do_not_stand() -> None:
    """Two failures further apart than window_days are two first strikes."""
    world = World(strike(1000.0, "crash", 5), strike(90000.0, "crash", 5), strikes__window_days=1.0)
    world.until(100000.0)

    assert [Reason.FIRST_STRIKE] * 2 == [d.reason for d in world.of(DecisionMade)]


def test_lifetime_strikes_stand_for_ever() -> None:
    """With lifetime counting the window does not matter."""
    world = World(
        strike(1000.0, "crash", 5),
        strike(90000.0, "crash", 5),
        strikes__window_days=1.0,
        strikes__lifetime=True,
    )
    world.until(100000.0)

    assert [Reason.FIRST_STRIKE, Reason.SECOND_STRIKE] == [d.reason for d in world.of(DecisionMade)]


def test_a_component_can_be_evicted_at_once() -> None:
    """A component in evict_components gets no free restart."""
    world = World(strike(1000.0, "crash", 5), strikes__evict_components=("gpu",)).until(3000.0)

    assert [(Action.EVICT, Reason.COMPONENT_RULE)] == [(d.action, d.reason) for d in world.of(DecisionMade)]


def test_software_faults_blame_no_node() -> None:
    """A software fault restarts, never strikes, and names no node."""
    world = World(strike(1000.0, "bug", None), strike(5000.0, "bug", None), strike(9000.0, "bug", None))
    world.until(13000.0)

    assert [(Action.RESTART, Reason.SOFTWARE, None, 0)] * 3 == [
        (d.action, d.reason, d.node, d.strikes) for d in world.of(DecisionMade)
    ]


def test_the_same_crash_at_the_same_step_restores_one_checkpoint_further_back() -> None:
    """A permanent software fault crashes at its step again; then the job goes back once more, past it."""
    world = World(strike(1000.0, "bug", None, transient=False)).until(6000.0)
    resumed = world.of(TrainingResumed)

    assert [(90, 5, 0), (80, 5, 10)] == [(r.step, r.lost_steps, r.retracted_steps) for r in resumed]
    assert world.snapshot.retracted_seconds == pytest.approx(100.0)
    assert [Origin.INJECTED, Origin.RECURRENCE] == [f.origin for f in world.of(FaultOccurred)]


def test_a_permanent_fault_comes_back_until_the_node_is_evicted() -> None:
    """It strikes again after some training; the second strike ends it."""
    world = World(strike(1000.0, "crash", 5, transient=False)).until(400000.0)

    assert [Origin.INJECTED, Origin.RECURRENCE] == [f.origin for f in world.of(FaultOccurred)]
    assert [5] == [e.node for e in world.of(NodeEvicted)]


def test_an_evicted_node_returns_as_a_spare_with_its_strikes_cleared() -> None:
    """After repair_hours it waits among the spares."""
    world = World(strike(1000.0, "crash", 5), strike(5000.0, "crash", 5)).until(5000.0 + 25 * 3600.0)

    assert [5] == [r.node for r in world.of(NodeReturned)]
    assert world.snapshot.nodes[NodeState.SPARE] == 2
    assert world.snapshot.node_strikes == ()


def test_without_a_spare_the_job_shrinks_by_a_whole_replica() -> None:
    """One node out of two replicas of eight: eight go on, seven wait as idle capacity."""
    world = World(strike(1000.0, "crash", 5), strike(5000.0, "crash", 5), cluster__spares=0).until(9000.0)
    snapshot = world.snapshot

    assert [(1, 64, 128)] == [
        (r.active_replicas, r.active_gpus, r.nominal_gpus) for r in world.of(JobResized)
    ]
    assert (8, 7, 1) == (
        snapshot.nodes[NodeState.ACTIVE],
        snapshot.nodes[NodeState.IDLE],
        snapshot.nodes[NodeState.REPAIRING],
    )
    assert snapshot.gpu_seconds["idle_capacity"] == pytest.approx(64 * (9000.0 - 5060.0))


def test_a_shrunk_restore_takes_the_reshard_factor() -> None:
    """The restore after the number of replicas changed takes 1.8 times as long."""
    world = World(strike(1000.0, "crash", 5), strike(5000.0, "crash", 5), cluster__spares=0).until(9000.0)
    restores = [s.seconds for s in world.of(StageFinished) if s.stage is StageName.RESTORE]

    assert restores == pytest.approx([100.0, 180.0])


def test_a_shrunk_job_grows_back_at_the_next_restart() -> None:
    """The repaired node makes the replica whole again at the next restart."""
    world = World(
        strike(1000.0, "crash", 5),
        strike(5000.0, "crash", 5),
        strike(100000.0, "bug", None),
        cluster__spares=0,
    ).until(110000.0)

    assert [1, 2] == [r.active_replicas for r in world.of(JobResized)]
    assert world.snapshot.nodes[NodeState.ACTIVE] == 16


def test_a_shrunk_job_may_grow_by_a_planned_stop_at_a_checkpoint() -> None:
    """A planned stop loses no steps and stays out of interruptions and MTTR."""
    world = World(
        strike(1000.0, "crash", 5), strike(5000.0, "crash", 5), cluster__spares=0, job__rejoin="checkpoint"
    ).until(110000.0)
    resumed = world.of(TrainingResumed)[-1]
    snapshot = world.snapshot

    assert (Component.PLANNED, Layer.PLANNED, 0, 0) == (
        resumed.component,
        resumed.layer,
        resumed.lost_steps,
        resumed.stopped_seconds,
    )
    assert snapshot.total_interruptions == 2
    assert snapshot.interruptions[Component.PLANNED, Layer.PLANNED] == 1
    assert snapshot.nodes[NodeState.ACTIVE] == 16
    assert snapshot.mttr_seconds == pytest.approx(
        sum(r.stopped_seconds for r in world.of(TrainingResumed)) / 2
    )


def test_with_too_few_nodes_the_job_waits_for_capacity_and_says_so() -> None:
    """Eight nodes are one replica; without one of them the job waits for its repair."""
    world = World(
        strike(1000.0, "crash", 5), strike(5000.0, "crash", 5), cluster__nodes=8, cluster__spares=0
    ).until(10000.0)

    assert world.snapshot.job_state is JobState.WAITING_FOR_CAPACITY
    assert [(7, 8)] == [(c.healthy_nodes, c.needed_nodes) for c in world.of(CapacityAwaited)]
    assert (Action.WAIT_FOR_CAPACITY, Reason.NO_CAPACITY) == (
        world.of(DecisionMade)[-1].action,
        world.of(DecisionMade)[-1].reason,
    )
    world.until(200000.0)
    assert world.snapshot.job_state is JobState.RUNNING
    assert world.spent(Bucket.WAITING_FOR_CAPACITY) == pytest.approx(24 * 3600.0)
    assert ledger_error(world.snapshot) < 1e-6
    assert gpu_ledger_error(world.snapshot) < 1e-6


def test_same_batch_makes_the_steps_longer_when_the_job_shrinks() -> None:
    """Half the replicas need twice the step time."""
    world = World(
        strike(1000.0, "crash", 5), strike(5000.0, "crash", 5), cluster__spares=0, job__on_shrink="same_batch"
    ).until(5500.0)
    before = world.snapshot.step
    world.until(5560.0)

    assert world.snapshot.step - before == 3


def test_a_fault_during_recovery_joins_the_incident_and_restarts_the_plan() -> None:
    """The cut stage keeps its seconds; one interruption, two faults, two strikes."""
    world = World(strike(1000.0, "crash", 5, logged=True), strike(1150.0, "crash", 6, logged=True)).until(
        5000.0
    )
    snapshot = world.snapshot
    cut = [(s.stage, s.seconds) for s in world.of(StageFinished) if s.cut]

    assert snapshot.total_interruptions == 1
    assert cut == [(StageName.RESTORE, 60.0)]
    assert [5, 6] == [d.node for d in world.of(DecisionMade)]
    assert [1152.0 + PLAN_SECONDS] == [r.at for r in world.of(TrainingResumed)]
    assert snapshot.mttr_seconds == pytest.approx(152.0 + PLAN_SECONDS)


def test_what_heartbeat_and_hardware_miss_in_recovery_stalls_the_next_collective() -> None:
    """A hang while restoring shows only when the verification's collectives wait for the watchdog."""
    world = World(strike(1000.0, "crash", 5, logged=True), strike(1150.0, "hang", 6)).until(9000.0)
    found = world.of(DetectionRaised)[1]

    # 1002 + 30 + 43 + 17 + 100 + 30 = 1222: verify would start, its collective waits 600 s
    assert (1822.0, Layer.WATCHDOG, 6) == (found.at, found.layer, found.node)
    assert world.spent(Bucket.UNDETECTED_STALL) == pytest.approx(602.0)


def test_a_transient_fault_nobody_detected_is_masked_by_the_restart() -> None:
    """A second hang in a job that already stands still shows nothing; the restart cures it unseen."""
    world = World(strike(1000.0, "crash", 5), strike(1001.0, "hang", 6)).until(5000.0)

    assert [6] == [m.node for m in world.of(FaultMasked)]
    assert [5] == [d.node for d in world.of(DetectionRaised)]
    assert world.snapshot.undetected_faults == 0


def test_the_first_detection_names_the_cause() -> None:
    """The crash came first, but the second fault's event is seen first and names the incident."""
    world = World(strike(1000.0, "silent_crash", 5), strike(1001.0, "crash", 6, logged=True)).until(5000.0)
    resumed = world.of(TrainingResumed)[0]

    assert (Component.GPU, Layer.HARDWARE) == (resumed.component, resumed.layer)
    assert world.snapshot.total_interruptions == 1
    assert resumed.stopped_seconds == pytest.approx(resumed.at - 1000.0)


def test_a_slow_rank_costs_straggler_seconds_until_it_is_restarted() -> None:
    """Found by the step-time statistic; what it cost in excess lands in its own bucket."""
    world = World(strike(1000.0, "slow", 5)).until(5000.0)
    detection = world.of(DetectionRaised)[0]
    slow_seconds = detection.at - 1000.0

    assert detection.layer is Layer.GRADIENT
    assert 0.0 < world.spent(Bucket.STRAGGLER) <= slow_seconds / 3.0 + 1e-9
    assert world.snapshot.total_interruptions == 1
    assert ledger_error(world.snapshot) < 1e-6


def test_a_tolerated_slow_rank_is_no_interruption() -> None:
    """The policy lets it be: a decision, a strike, no stop."""
    world = World(strike(1000.0, "slow", 5), strikes__on_slow="tolerate").until(5000.0)

    assert [Action.TOLERATE] == [d.action for d in world.of(DecisionMade)]
    assert world.snapshot.total_interruptions == 0
    assert world.spent(Bucket.STRAGGLER) > 1000.0


def test_a_slow_rank_that_shifts_no_statistic_goes_unfound() -> None:
    """The gradient layer's blind spot: an undetected fault in the gauge."""
    world = World(strike(1000.0, "blind_slow", 5)).until(50000.0)

    assert world.of(DetectionRaised) == []
    assert world.snapshot.undetected_faults == 1


def test_corruption_restores_the_last_checkpoint_before_it() -> None:
    """Work after the corruption is lost even where it was checkpointed."""
    world = World(strike(1000.0, "corrupt", 5), gradient__every_steps=50, checkpoint__keep=9)
    world.until(5000.0)
    resumed = world.of(TrainingResumed)[0]

    assert (90, 3, 50) == (resumed.step, resumed.lost_steps, resumed.retracted_steps)


def test_corruption_older_than_every_checkpoint_goes_back_to_the_start() -> None:
    """With one checkpoint kept nothing clean is left but the initial state."""
    world = World(strike(1000.0, "corrupt", 5), gradient__every_steps=50, checkpoint__keep=1).until(5000.0)

    assert world.of(TrainingResumed)[0].step == 0


def test_a_benign_fault_is_counted_and_changes_nothing() -> None:
    """It is a fault of the truth only."""
    world = World(strike(1000.0, "benign", 5)).until(5000.0)

    assert world.snapshot.faults["benign", Component.MEMORY, Origin.INJECTED] == 1
    assert world.of(DetectionRaised) == []


def test_a_wrong_restore_is_seen_by_its_loss_and_restored_again() -> None:
    """The checkpoint before is used, and what lies between is retracted."""
    world = World(
        strike(1000.0, "crash", 5, logged=True), recovery__wrong_restore_probability=0.9, seed=4
    ).until(9000.0)
    outcomes = [v.outcome for v in world.of(RestoreVerified)]
    jumps = outcomes.count(VerificationOutcome.JUMP)

    assert outcomes == [VerificationOutcome.JUMP] * jumps + [VerificationOutcome.CONTINUOUS]
    assert jumps > 0
    assert world.of(TrainingResumed)[0].step == 90 - 10 * min(jumps, 4)


def test_mttd_is_kept_per_symptom() -> None:
    """A hang's latency does not dilute a crash's."""
    world = World(strike(1000.0, "crash", 5, logged=True), strike(3000.0, "hang", 6)).until(9000.0)
    mttd = world.snapshot.mttd_seconds

    assert mttd[Symptom.CRASH] == pytest.approx(2.0)
    assert mttd[Symptom.SLOW] is None
    assert mttd[Symptom.HANG] is not None


def test_a_restart_counts_as_success_only_after_a_day() -> None:
    """Pending restarts are in neither count; a failure within the day is a failure."""
    world = World(strike(1000.0, "crash", 5), strike(5000.0, "crash", 5), strikes__strikes_to_evict=0)
    world.until(80000.0)
    assert world.snapshot.recovery_success_ratio[Action.RESTART] == 0.0
    world.until(200000.0)

    assert world.snapshot.recovery_success_ratio[Action.RESTART] == 0.5


def test_the_job_completes_at_its_target_step() -> None:
    """Ten steps, a save, five steps: 155 s; nothing happens to a completed job."""
    world = World(strike(1000.0, "crash", 5), until_step=15).until(5000.0)
    snapshot = world.snapshot

    assert (JobState.COMPLETED, 15, 155.0) == (snapshot.job_state, snapshot.step, snapshot.now)
    assert [(155.0, "TargetReached")] == world.story
    assert ledger_error(snapshot) < 1e-6


def test_an_innocent_node_comes_back_with_no_fault_found() -> None:
    """Two false alarms on one node send it to repair, which finds nothing."""
    world = World(
        cluster__nodes=8,
        cluster__repair_hours=1.0,
        heartbeat__timeout_seconds=13.0,
        heartbeat__jitter_seconds=0.3,
    ).until(30 * 86400.0)
    returned = world.of(NodeReturned)

    assert len(world.of(NodeEvicted)) > 0
    assert all(fact.no_fault_found for fact in returned)
    assert world.snapshot.mttd_overall_seconds is None
    assert world.snapshot.total_interruptions == sum(world.snapshot.false_alarms.values())


def test_a_fault_can_be_injected_at_any_moment() -> None:
    """A command strikes at once; what it leads to is the history from there on."""
    world = World().until(1000.0)
    struck = world.simulation.submit(InjectFault("crash", node=5))
    world.until(2000.0)

    assert [(1000.0, "crash", Origin.INJECTED, 5)] == [
        (fact.at, fact.kind, fact.origin, fact.node) for fact in struck if isinstance(fact, FaultOccurred)
    ]
    assert [5] == [decision.node for decision in world.of(DecisionMade)]


@pytest.mark.parametrize(("kind", "node", "error"), [("nope", 1, KeyError), ("crash", 99, ValueError)])
def test_an_impossible_injection_changes_nothing(kind: str, node: int, error: type[Exception]) -> None:
    """An unknown kind and a node that does not exist are refused."""
    world = World().until(1000.0)

    with pytest.raises(error):
        world.simulation.submit(InjectFault(kind, node))
    assert sum(world.snapshot.faults.values()) == 0


def test_a_software_crash_comes_back_at_its_step_though_a_straggler_slowed_the_job() -> None:
    """The step decides, not the time: 95 again, whatever the speed in between."""
    world = World(strike(1000.0, "bug", None, transient=False), strike(1290.0, "blind_slow", 3)).until(6000.0)
    stopped = [
        resumed.step + resumed.lost_steps + resumed.retracted_steps for resumed in world.of(TrainingResumed)
    ]

    assert [95, 95] == stopped[:2]


def test_a_missing_rank_holds_up_even_a_verification_that_takes_no_time() -> None:
    """The plan's end and its collective fall on one instant: training does not resume with a hung rank."""
    world = World(
        strike(1000.0, "crash", 5, logged=True), strike(1150.0, "hang", 6), recovery__verify_seconds=0.0
    ).until(9000.0)

    assert [(1822.0, Layer.WATCHDOG)] == [(d.at, d.layer) for d in world.of(DetectionRaised)[1:]]
    assert [2022.0 + 20.0] == [resumed.at for resumed in world.of(TrainingResumed)]
    assert world.snapshot.job_state is JobState.RUNNING
