"""The response: an incident from its first detection to verified training.

Restarts, restores and verifies. The plan is data and walked by ``walk``; this module only says what
the end of a plan leads to.
"""

from goodputd.sim.capacity import Reserve
from goodputd.sim.decisions import Decisions
from goodputd.sim.events import (
    JobResized,
    NodePreempted,
    RestoreVerified,
    TrainingResumed,
)
from goodputd.sim.faults import JOB_WIDE, Marks
from goodputd.sim.incident import Incident, Undecided
from goodputd.sim.loss import verify
from goodputd.sim.monitoring import Monitoring
from goodputd.sim.parts import Parts
from goodputd.sim.protocols import Case
from goodputd.sim.recovery import (
    RecoveryPlan,
    decide_plan,
    pace_of,
    restart_plan,
    second_restore_plan,
)
from goodputd.sim.state import State
from goodputd.sim.streams import uniforms
from goodputd.sim.taxonomy import (
    Action,
    Bucket,
    Component,
    JobState,
    Layer,
    Reason,
    StageName,
    Symptom,
    VerificationOutcome,
)
from goodputd.sim.walk import Walk

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_BUCKET_WAITING_FOR_CAPACITY = Bucket.WAITING_FOR_CAPACITY
_CORRUPT = Symptom.CORRUPT
_DECIDE = StageName.DECIDE
_DETECT = StageName.DETECT
_EVICT = Action.EVICT
_HOST_SELECTION = StageName.HOST_SELECTION
_LAYER_PLANNED = Layer.PLANNED
_NO_CAPACITY = Reason.NO_CAPACITY
_PLANNED = Component.PLANNED
_RECOVERING = JobState.RECOVERING
_RUNNING = JobState.RUNNING
_STALLED = JobState.STALLED
_TOLERATE = Action.TOLERATE
_UNDETECTED_STALL = Bucket.UNDETECTED_STALL
_WAITING_FOR_CAPACITY = JobState.WAITING_FOR_CAPACITY
_WAIT_FOR_CAPACITY = Action.WAIT_FOR_CAPACITY

_JUMPS = frozenset({VerificationOutcome.JUMP, VerificationOutcome.FALSE_JUMP})


class Response:
    """What is done about detections."""

    __slots__ = (
        "_capacity",
        "_checkpoint",
        "_decide_plan",
        "_decisions",
        "_job_spec",
        "_loss",
        "_monitoring",
        "_recovery",
        "_restart_plans",
        "_state",
        "_walk",
    )

    def __init__(
        self, state: State, monitoring: Monitoring, decisions: Decisions, walk: Walk, parts: Parts
    ) -> None:
        """Settings only; the state is the scenario's."""
        self._walk = walk
        self._state = state
        self._monitoring = monitoring
        self._decisions = decisions
        self._job_spec = parts.job
        self._checkpoint = parts.checkpoint
        self._capacity = parts.cluster.capacity
        self._recovery = parts.recovery
        self._loss = parts.loss
        self._decide_plan = decide_plan(parts.recovery)
        self._restart_plans: dict[float, RecoveryPlan] = {}

    # --- detection -> incident

    def take(self, case: Case, marks: Marks, cause: str, down_since: float) -> Incident:
        """Open an incident for the detection, or let it join the open one; decide comes next.

        ``cause`` names what must stay healthy for an earlier recovery to count as a success;
        ``down_since`` is the fault's instant if it stopped the job, else now.
        """
        state = self._state
        component = case.detection.component
        state.outcomes.failed_again(cause, state.now)
        incident = state.incident
        if incident is None:
            incident = self._open(component, case.detection.layer, marks)
        else:
            self._walk.cut(incident)
            if incident.is_planned:
                incident.component = component
                incident.layer = case.detection.layer
                state.tally.interruption(component, incident.layer, state.now)
                state.down_since = down_since
        incident.marks = marks
        incident.undecided.append(Undecided(case, marks, cause))
        self._monitoring.mute()
        incident.pace = pace_of(self._recovery, marks.pace)
        self._walk.begin(incident, self._decide_plan)
        return incident

    def planned_stop(self) -> None:
        """Stop at a checkpoint to take nodes back (DESIGN rule 12)."""
        state = self._state
        state.halt(_RECOVERING, state.training.position(state.now), is_planned=True)
        marks = Marks(*uniforms(state.seed, f"planned/{state.incidents}", 6))
        incident = self._open(_PLANNED, _LAYER_PLANNED, marks)
        incident.pace = pace_of(self._recovery, marks.pace)
        self._monitoring.mute()
        self.restart(incident)

    def _open(self, component: Component, layer: Layer, marks: Marks) -> Incident:
        state = self._state
        state.incidents += 1
        if state.job.state is _RUNNING:
            state.halt(_RECOVERING, state.training.position(state.now))
        elif state.down_since is not None:
            state.tally.stages[_DETECT].add(state.now - state.down_since)
        state.tally.interruption(component, layer, state.now)
        state.incident = Incident(state.incidents, component, layer, state.training.step, marks)
        return state.incident

    def plan_ended(self, incident: Incident) -> None:
        """The plan is through: carry out what it decided, or verify what it restored."""
        if not self._walk.finish(incident):
            return
        if incident.plan is self._decide_plan:
            self._decisions.carry_out(incident)
            self.restart(incident)
        else:
            self._verify(incident)

    # --- reschedule and restore

    def restart(self, incident: Incident) -> None:
        """Go on with the healthy nodes there are, or wait for more."""
        state = self._state
        cluster = state.cluster
        if state.maintenance is not None:
            self._decisions.drain(state.maintenance)
        if cluster.active_replicas < cluster.nominal_replicas:
            self._grow(incident)
        self._resize()
        if cluster.active_replicas < self._job_spec.min_replicas:
            self._wait(incident)
            return
        incident.restore_step = self._restore_step(incident)
        if incident.first_stages:
            plan = restart_plan(self._recovery, self._restore_seconds(), incident.first_stages)
            incident.first_stages = ()
        else:
            plan = self._restart_plan(self._restore_seconds())
        self._walk.begin(incident, plan)

    def _grow(self, incident: Incident) -> None:
        """Fill the places that are free; where not every spare is warm, that is a host selection."""
        cluster = self._state.cluster
        grown = cluster.grow()
        if cluster.reserve is not None:
            if grown:
                selection = (_HOST_SELECTION, self._capacity.host_selection_seconds)
                incident.first_stages = (*incident.first_stages, selection)
            self._call_for_nodes(cluster.reserve)

    def _call_for_nodes(self, reserve: Reserve) -> None:
        """Places are free and nobody is left to take them: ask other work for a node."""
        state = self._state
        if reserve.preemptible and not reserve.is_preempting and state.cluster.vacant_nodes:
            reserve.is_preempting = True
            state.schedule.push(state.now + self._capacity.preemption_seconds, "preempted", reserve)

    def preempted(self, reserve: Reserve) -> bool:
        """Other work gave up a node; returns whether that was the last that is called for."""
        state = self._state
        state.facts.append(NodePreempted(state.now, reserve.preempt()))
        reserve.is_preempting = bool(reserve.preemptible) and state.cluster.lacks_nodes()
        if reserve.is_preempting:
            state.schedule.push(state.now + self._capacity.preemption_seconds, "preempted", reserve)
        return not reserve.is_preempting

    def _restart_plan(self, restore_seconds: float) -> RecoveryPlan:
        """Plans differ by the restore time only, which takes few values: built once."""
        plan = self._restart_plans.get(restore_seconds)
        if plan is None:
            plan = self._restart_plans[restore_seconds] = restart_plan(self._recovery, restore_seconds)
        return plan

    def _restore_seconds(self) -> float:
        cluster = self._state.cluster
        nodes = cluster.active_nodes
        resharded = cluster.active_replicas != self._state.training.saved_replicas
        return self._checkpoint.restore_seconds(nodes, resharded=resharded)

    def _resize(self) -> None:
        state = self._state
        cluster = state.cluster
        fleet = cluster.fleet
        if fleet is not None and fleet.has_paces and state.training.set_pace(fleet.pace):
            cluster.reshapes += 1
        if state.training.resize(cluster.active_replicas):
            state.ledger.set_active_gpus(cluster.active_gpus, state.now)
            state.facts.append(
                JobResized(state.now, cluster.active_replicas, cluster.active_gpus, cluster.nominal_gpus)
            )

    def _wait(self, incident: Incident) -> None:
        state = self._state
        if state.job.state is _WAITING_FOR_CAPACITY:
            return
        state.job.move(_WAITING_FOR_CAPACITY)
        state.ledger.open(_BUCKET_WAITING_FOR_CAPACITY, state.now)
        self._decisions.await_capacity(
            incident, self._job_spec.min_replicas * state.cluster.nodes_per_replica
        )

    def _restore_step(self, incident: Incident) -> int:
        """The newest checkpoint that is known clean and past which the job does not crash again."""
        store = self._state.training.store
        step = store.last
        for fault in self._state.present:
            if fault.detected and fault.kind.symptom is _CORRUPT:
                step = min(step, store.at_or_before(fault.step))
        return store.before(step) if incident.repeats_crash else step

    # --- verify and resume

    def _verify(self, incident: Incident) -> None:
        state = self._state
        wrong, noise = incident.marks.wrong_restore, incident.marks.verify_noise
        if incident.restores:
            wrong, noise = uniforms(state.seed, f"verify/{incident.number}/{incident.restores}", 2)
        incident.restores += 1
        outcome, difference = verify(
            self._recovery, self._loss, wrong=wrong < self._recovery.wrong_restore_probability, uniform=noise
        )
        state.tally.verifications[outcome] += 1
        state.facts.append(
            RestoreVerified(state.now, incident.number, outcome, difference, incident.restore_step)
        )
        if outcome in _JUMPS:
            incident.restore_step = state.training.store.before(incident.restore_step)
            self._walk.begin(incident, second_restore_plan(self._recovery, self._restore_seconds()))
            return
        self._resume(incident)

    def _resume(self, incident: Incident) -> None:
        state = self._state
        lost, retracted = state.training.restore(incident.restore_step)
        self._settle_present(incident)
        state.incident = None
        state.outcomes.verified(incident.recoveries, state.now)
        stopped = 0.0
        if state.down_since is not None:
            stopped = state.now - state.down_since
            state.down_seconds += stopped
            state.down_since = None
            state.tally.recovery.observe(stopped)
        state.ledger.open(None, state.now)
        state.job.move(_RUNNING)
        state.start_run()
        state.facts.append(
            TrainingResumed(
                state.now,
                incident.number,
                incident.component,
                incident.layer,
                incident.action,
                incident.node,
                incident.restore_step,
                lost,
                retracted,
                stopped,
                state.cluster.active_gpus,
            )
        )

    def _settle_present(self, incident: Incident) -> None:
        """The restart cured what is transient; what is permanent will be back (DESIGN rules 2, 4)."""
        state = self._state
        present, state.present = state.present, []
        for fault in present:
            if fault.transient:
                if not fault.detected:
                    self._monitoring.forget(fault)
                continue
            if fault.announced >= 0:
                state.schedule.cancel(fault.announced)
                fault.announced = -1
            if fault.node != JOB_WIDE or not incident.repeats_crash:
                state.hazards.keep(fault, fault.step)
