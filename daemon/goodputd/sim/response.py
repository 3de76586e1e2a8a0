"""The response: an incident from its first detection to verified training.

Restarts, restores and verifies. The plan is data and walked by ``walk``; this module only says what
the end of a plan leads to.
"""

from typing import Final

from goodputd.sim.capacity import Reserve
from goodputd.sim.decisions import Decisions
from goodputd.sim.events import (
    JobResized,
    NodePreempted,
    RestoreVerified,
    TrainingResumed,
)
from goodputd.sim.faults import JOB_WIDE, Fault, Marks
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
from goodputd.sim.restoring import Restoring
from goodputd.sim.state import State
from goodputd.sim.streams import uniforms
from goodputd.sim.tainting import Tainting
from goodputd.sim.taxonomy import (
    Action,
    Bucket,
    Component,
    JobState,
    Layer,
    Reason,
    StageName,
    VerificationOutcome,
)
from goodputd.sim.triage import Triage, triage
from goodputd.sim.walk import Walk

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_BUCKET_WAITING_FOR_CAPACITY: Final = Bucket.WAITING_FOR_CAPACITY
_DECIDE: Final = StageName.DECIDE
_DETECT: Final = StageName.DETECT
_EVICT: Final = Action.EVICT
_HOST_SELECTION: Final = StageName.HOST_SELECTION
_LAYER_PLANNED: Final = Layer.PLANNED
_NO_CAPACITY: Final = Reason.NO_CAPACITY
_PLANNED: Final = Component.PLANNED
_RECOVERING: Final = JobState.RECOVERING
_RUNNING: Final = JobState.RUNNING
_STALLED: Final = JobState.STALLED
_TOLERATE: Final = Action.TOLERATE
_UNDETECTED_STALL: Final = Bucket.UNDETECTED_STALL
_WAITING_FOR_CAPACITY: Final = JobState.WAITING_FOR_CAPACITY
_WAIT_FOR_CAPACITY: Final = Action.WAIT_FOR_CAPACITY

_JUMPS = frozenset({VerificationOutcome.JUMP, VerificationOutcome.FALSE_JUMP})


class Response:
    """What is done about detections."""

    __slots__ = (
        "_capacity",
        "_decide_plan",
        "_decisions",
        "_gasp",
        "_gasp_plan",
        "_job_spec",
        "_loss",
        "_monitoring",
        "_recovery",
        "_restart_plans",
        "_restoring",
        "_state",
        "_tainting",
        "_triage",
        "_walk",
    )

    def __init__(
        self,
        state: State,
        monitoring: Monitoring,
        tainting: Tainting,
        decisions: Decisions,
        walk: Walk,
        *,
        parts: Parts,
    ) -> None:
        """Settings only; the state is the scenario's."""
        self._walk = walk
        self._tainting = tainting
        self._state = state
        self._monitoring = monitoring
        self._decisions = decisions
        self._job_spec = parts.job
        self._restoring = Restoring(state, tainting, parts.checkpoint)
        self._capacity = parts.cluster.capacity
        self._gasp = parts.checkpoint.last_gasp_probability
        self._triage = parts.corruption.triage
        self._recovery = parts.recovery
        self._loss = parts.loss
        self._decide_plan = decide_plan(parts.recovery)
        self._gasp_plan = decide_plan(parts.recovery, at_least=parts.checkpoint.last_gasp_seconds)
        self._restart_plans: dict[float, RecoveryPlan] = {}

    # --- detection -> incident

    def take(
        self, case: Case, marks: Marks, cause: str, down_since: float, suspect: Fault | None = None
    ) -> Incident:
        """Open an incident for the detection, or let it join the open one; decide comes next.

        ``cause`` names what must stay healthy for an earlier recovery to count as a success;
        ``down_since`` is the fault's instant if it stopped the job, else now. ``suspect`` is the fault
        behind corrupt state, for triage to find.
        """
        state = self._state
        component = case.detection.component
        state.outcomes.failed_again(cause, state.now)
        incident = state.incident
        if incident is None:
            incident = self._open(component, case.detection.layer, marks)
            plan = self._gasp_plan if self._gasp > 0.0 and self._gasps(marks) else self._decide_plan
        else:
            plan = self._decide_plan
            self._walk.cut(incident)
            if incident.is_planned:
                incident.component = component
                incident.layer = case.detection.layer
                state.tally.interruption(component, incident.layer, state.now)
                state.down_since = down_since
        incident.marks = marks
        undecided = Undecided(case, marks, cause)
        incident.undecided.append(undecided)
        if suspect is not None:
            found = self._triage_of(suspect)
            undecided.named = found.node
            plan = decide_plan(self._recovery, more=found.seconds)
        self._monitoring.mute()
        incident.pace = pace_of(self._recovery, marks.pace)
        self._walk.begin(incident, plan)
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
        if incident.undecided:
            if incident.plan is self._gasp_plan:
                self._last_gasp()
            self._decisions.carry_out(incident)
            self.restart(incident)
        else:
            self._verify(incident)

    def _triage_of(self, suspect: Fault) -> Triage:
        """What it takes to find the node: the steps since the last clean checkpoint, run again."""
        state = self._state
        training = state.training
        steps = training.step - self._tainting.clean_step(training.store.last)
        rerun_seconds = steps * training.calm_step_seconds
        nodes = state.cluster.active_nodes
        return triage(self._triage, state.seed, suspect, rerun_seconds=rerun_seconds, nodes=nodes)

    def _gasps(self, marks: Marks) -> bool:
        """Whether the survivors will save where the job stands: never a state that is known to be corrupt."""
        if self._tainting.any_found:
            return False
        return uniforms(self._state.seed, f"last_gasp/{marks!r}", 1)[0] < self._gasp

    def _last_gasp(self) -> None:
        """The survivors have saved the last whole step."""
        state = self._state
        if state.training.save_where_it_stands(state.now) and state.taints:
            self._tainting.saved(state.training.step)

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
        restore_seconds = self._restoring.choose(incident)
        plan = self._restart_plans.get(restore_seconds)
        if plan is None or incident.first_stages:
            plan = self._new_restart_plan(incident, restore_seconds)
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

    def _new_restart_plan(self, incident: Incident, restore_seconds: float) -> RecoveryPlan:
        """Most plans differ by the restore time only, which takes few values: these are built once."""
        first_stages, incident.first_stages = incident.first_stages, ()
        plan = restart_plan(self._recovery, restore_seconds, first_stages)
        if not first_stages:
            self._restart_plans[restore_seconds] = plan
        return plan

    def _resize(self) -> None:
        state = self._state
        cluster = state.cluster
        fleet = cluster.fleet
        if fleet is not None and fleet.has_paces and state.training.set_pace(fleet.pace):
            cluster.reshapes += 1
        if state.training.resize(cluster.active_replicas):
            state.training.held.clear()
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
            self._restoring.further_back(incident)
            plan = second_restore_plan(self._recovery, self._restoring.remote_seconds())
            self._walk.begin(incident, plan)
            return
        self._resume(incident)

    def _resume(self, incident: Incident) -> None:
        state = self._state
        lost, retracted = state.training.restore(incident.restore_step, incident.restore_tier)
        if incident.unreadable:
            state.tally.unreadable += incident.unreadable
        if state.taints:
            self._tainting.restored(incident.restore_step)
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
        if state.taints and state.training.run is not None:
            self._tainting.run_began(state.training.run)
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
                if not fault.detected and not self._tainting.outlives(fault):
                    self._monitoring.forget(fault)
                continue
            if fault.announced >= 0:
                state.schedule.cancel(fault.announced)
                fault.announced = -1
            if fault.node != JOB_WIDE or not incident.repeats_crash:
                standing = self._tainting.stands(fault)
                state.hazards.keep(standing, fault.step)
                self._monitoring.watch_standing(standing)
