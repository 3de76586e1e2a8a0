"""One scenario: routes what happens to those who act on it, and computes nothing itself.

Driven by ``next_event_at``, ``advance_to``, ``submit`` and ``snapshot``; time is handed in. Cutting
a run into any pieces never changes its history, because nothing is accumulated at a cut.
"""

from collections.abc import Callable
from typing import Any, Final

from goodputd.sim.building import new_state
from goodputd.sim.corruption import Taint
from goodputd.sim.decisions import Decisions
from goodputd.sim.events import (
    Command,
    DetectionRaised,
    Fact,
    FalseAlarmRaised,
    FaultOccurred,
    TargetReached,
)
from goodputd.sim.exposure import Exposure
from goodputd.sim.faults import JOB_WIDE, Fault
from goodputd.sim.incident import Incident
from goodputd.sim.job import Run
from goodputd.sim.monitoring import BY_A_PERSON, Monitoring
from goodputd.sim.observation import Detection
from goodputd.sim.parts import Parts
from goodputd.sim.report import Context, report
from goodputd.sim.response import Response
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.supply import Supply
from goodputd.sim.tainting import Tainting
from goodputd.sim.taxonomy import Bucket, Component, JobState, NodeState, Origin, Symptom
from goodputd.sim.walk import Walk

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_BENIGN: Final = Symptom.BENIGN
_COMPLETED: Final = JobState.COMPLETED
_CORRUPT: Final = Symptom.CORRUPT
_FAILED: Final = NodeState.FAILED
_FALSE_ALARM: Final = Component.FALSE_ALARM
_INJECTED: Final = Origin.INJECTED
_RUNNING: Final = JobState.RUNNING
_STALLED: Final = JobState.STALLED
_UNDETECTED_STALL: Final = Bucket.UNDETECTED_STALL


class Simulation:
    """A scenario being played."""

    def __init__(self, parts: Parts) -> None:
        """The job starts at 0 seconds, initialised and running."""
        self.name = parts.name
        self._kinds = {kind.name: kind for kind in parts.kinds}
        self._state = new_state(parts)
        self._engage(parts)
        self._context = Context(
            parts.name,
            parts.seed,
            parts.loss,
            parts.detectors,
            parts.policy.window_seconds,
            parts.cluster.spares,
            parts.checkpoint.save_seconds,
        )
        self._supply = Supply(
            self._state, self._response, rejoins_at_checkpoint=parts.job.rejoin == "checkpoint"
        )
        self._exposure = Exposure(self._state, parts, self._monitoring, self._strike)
        self._handlers: dict[str, Callable[[Any], None]] = {
            "fault": self._exposure.on_candidate,
            "domain_fault": self._exposure.on_domain_candidate,
            "scripted": self._exposure.on_scripted,
            "recurrence": self._exposure.on_recurrence,
            "aged": self._exposure.on_aged,
            "burst": self._exposure.on_burst,
            "detection": self._on_detection,
            "false_alarm": self._on_false_alarm,
            "plan": self._response.plan_ended,
            "collective": self._walk.collective_begins,
            "node_returns": self._supply.node_returns,
            "crew_wanted": self._supply.crew_wanted,
            "preempted": self._supply.preempted,
            "maintenance": self._supply.maintenance_due,
            "drain": self._supply.drain_soon,
            "maintained": self._supply.maintained,
            "planned_stop": self._on_planned_stop,
            "target": self._on_target,
            "bake": self._on_bake,
            "hyper_ends": self._on_hyper_ends,
            "node_test": self._on_node_test,
        }
        has_domains = any(kind.domain_nodes > 1 for kind in parts.kinds)
        self._attributes = has_domains or self._state.diagnosis is not None
        """Whether somebody asks which nodes a fault is blamed on."""
        self._exposure.begin()
        if self._state.maintenance is not None:
            self._supply.schedule_maintenance()
        self._state.start_run()

    def _engage(self, parts: Parts) -> None:
        """Those who act on the state."""
        self._monitoring = Monitoring(self._state, parts.detectors, parts.operator_seconds, parts.loss.noise)
        self._tainting = Tainting(self._state, self._monitoring, parts.corruption)
        self._decisions = Decisions(self._state, self._monitoring, self._tainting, parts)
        self._walk = Walk(self._state, self._monitoring)
        self._response = Response(
            self._state, self._monitoring, self._tainting, self._decisions, self._walk, parts=parts
        )

    @property
    def now(self) -> float:
        """Simulated seconds since start."""
        return self._state.now

    @property
    def completed(self) -> bool:
        """Whether the job reached its target step."""
        return self._state.job.state is _COMPLETED

    @property
    def target_step(self) -> int | None:
        """The step that completes the job; None when it trains on."""
        return self._state.target_step

    def next_event_at(self) -> float | None:
        """When something happens next; None when nothing ever will."""
        return self._state.schedule.next_at

    def advance_to(self, at: float) -> list[Fact]:
        """Play everything up to and including ``at``; afterwards now == at.

        Errors: ``ValueError`` when ``at`` lies in the past.
        """
        state = self._state
        if at < state.now:
            message = f"cannot go back from {state.now} to {at}"
            raise ValueError(message)
        facts: list[Fact] = []
        state.facts = facts
        handlers = self._handlers
        catch_up = self._walk.catch_up
        for due_at, _, name, payload in state.schedule.due(at):
            if state.incident is not None:
                catch_up(state.incident, due_at)
            state.now = due_at
            handlers[name](payload)
        if state.incident is not None:
            catch_up(state.incident, at)
        state.now = at
        return facts

    def submit(self, command: Command) -> list[Fact]:
        """Carry out a command now. Errors: see the command."""
        kind = self._kinds[command.kind]
        node = JOB_WIDE if command.node is None else command.node
        if (node == JOB_WIDE) != kind.job_wide or node >= self._state.cluster.total_nodes:
            message = f"kind {kind.name!r} cannot strike node {command.node}"
            raise ValueError(message)
        self._state.facts = []
        self._exposure.inject(kind, node, command.origin, transient=command.transient, logged=True)
        return self._state.facts

    def snapshot(self) -> Snapshot:
        """The scenario as of now; changes nothing."""
        return report(self._state, self._context)

    # --- fault

    def _strike(self, fault: Fault) -> None:
        """A fault is in the world: stop or slow the job as it does, and let the layers look."""
        state = self._state
        kind = fault.kind
        state.tally.fault(kind, fault.origin)
        node = None if fault.node == JOB_WIDE else fault.node
        state.facts.append(
            FaultOccurred(
                state.now,
                fault.identity,
                kind.name,
                kind.component,
                kind.symptom,
                fault.origin,
                node,
                fault.transient,
            )
        )
        if kind.symptom is _BENIGN:
            return
        state.present.append(fault)
        if kind.stops and node is not None and state.cluster.fail(node):
            state.failed_nodes.append(node)
        if state.job.state is _RUNNING:
            self._strike_running(fault)
            return
        self._monitoring.watch_stopped(fault)
        if kind.stops and state.incident is not None:
            self._walk.struck(state.incident, fault)

    def _strike_running(self, fault: Fault) -> None:
        state = self._state
        run = state.training.run
        assert run is not None  # noqa: S101 - a running job has a run
        position = run.position(state.now)
        fault.step = position.whole_steps
        if fault.kind.symptom is _CORRUPT:
            self._monitoring.watch_corrupt(fault, run, position)
            self._tainting.struck(fault, run)
        else:
            self._monitoring.watch_running(fault, run, position)
        if fault.kind.stops:
            state.halt(_STALLED, position)
            state.ledger.open(_UNDETECTED_STALL, state.now)
        elif (slow_factor := state.training.slowed(fault.kind.slow_factor)) > run.slow_factor:
            state.cancel_run_entries()
            self._run_changed(state.training.change_speed(state.now, slow_factor))

    def _run_changed(self, run: Run) -> None:
        """The run goes on at another speed or rhythm: what was scheduled for it comes at other times."""
        state = self._state
        state.hazards.schedule_job_wide(state.schedule, state.now, run)
        state.schedule_target()
        self._supply.schedule_planned_stop()
        self._tainting.speed_changed(run)

    # --- detection

    def _on_detection(self, claim: tuple[Fault, int]) -> None:
        fault, index = claim
        state = self._state
        detection = self._monitoring.claimed(fault, index)
        if self._attributes:
            detection = self._attributed(fault, detection)
        case = self._decisions.case(detection)
        cause = fault.kind.name if detection.node is None else f"node {detection.node}"
        suspect = self._tainting.found(fault, detection) if state.taints else None
        if detection.slowdown and state.job.state is _RUNNING and self._decisions.tolerates(case):
            self._raised(fault, detection, None)
            return
        down_since = fault.at if fault.kind.stops else state.now
        incident = self._response.take(case, fault.marks, cause, down_since, suspect)
        self._raised(fault, detection, incident)
        if fault.node == JOB_WIDE:
            crash = (fault.kind.name, incident.stop_step)
            incident.repeats_crash = state.last_crash == crash
            state.last_crash = crash

    def _attributed(self, fault: Fault, detection: Detection) -> Detection:
        """The detection with the node that is blamed; a whole domain that is down blames itself."""
        diagnosis = self._state.diagnosis
        if fault.others:
            if detection.node is not None:
                self._decisions.strike_also(fault.others)
            return detection
        return detection if diagnosis is None else diagnosis.blame(fault, detection)

    def _raised(self, fault: Fault, detection: Detection, incident: Incident | None) -> None:
        now = self._state.now
        number = None if incident is None else incident.number
        self._state.facts.append(
            DetectionRaised(
                now,
                fault.identity,
                fault.kind.name,
                detection.layer,
                detection.node,
                now - fault.at,
                number,
                fault.claims,
            )
        )

    def _on_false_alarm(self, _: None) -> None:
        state = self._state
        alarm = state.hazards.alarm(state.schedule, state.now, running=state.job.state is _RUNNING)
        if alarm is None:
            return
        detector, where, marks = alarm
        node = state.cluster.nth_active(where)
        state.tally.false_alarms[detector.layer] += 1
        detection = Detection(state.now, detector.layer, node, _FALSE_ALARM, slowdown=0.0)
        incident = self._response.take(self._decisions.case(detection), marks, f"node {node}", state.now)
        state.facts.append(FalseAlarmRaised(state.now, detector.layer, node, incident.number))

    # --- planned stop and target

    def _on_planned_stop(self, _: None) -> None:
        self._state.planned_entry = -1
        self._response.planned_stop()

    def _on_target(self, again: str | None) -> None:
        state = self._state
        state.target_entry = -1
        if state.taints and again is None:
            # what the validation of this very step finds comes first
            state.target_entry = state.schedule.push(state.now, "target", "again")
            return
        state.halt(_COMPLETED, state.training.position(state.now), is_planned=True)
        state.completed_at = state.now
        assert state.target_step is not None  # noqa: S101 - it is what was scheduled
        state.facts.append(TargetReached(state.now, state.target_step))
        for fault in (*state.present, *(standing.fault for standing in state.hazards.standing)):
            self._monitoring.call_off(fault)
        self._tainting.end_reached()
        if state.target_step == state.final_step:
            state.ledger.commit(0.0)  # the result is handed over: nothing can take its work back

    # --- corruption

    def _on_bake(self, taint: Taint) -> None:
        self._tainting.baked(taint)
        if self._tainting.discovers_at_checkpoint:
            self._monitoring.call_off(taint.fault)
            self._on_detection((taint.fault, BY_A_PERSON))

    def _on_node_test(self, claim: tuple[Fault, int]) -> None:
        """A test found the defect of a node that is at rest; outside of the job nobody is stopped for it."""
        claim[0].announced = -1
        if self._state.cluster.is_in_job(claim[0].node):
            self._on_detection(claim)

    def _on_hyper_ends(self, _: None) -> None:
        state = self._state
        if state.job.state is _RUNNING and state.now >= state.training.hyper_until:
            state.cancel_run_entries()
            self._run_changed(state.training.end_hyper(state.now))
