"""One scenario: routes what happens to those who act on it, and computes nothing itself.

Driven by ``next_event_at``, ``advance_to``, ``submit`` and ``snapshot``; time is handed in. Cutting
a run into any pieces never changes its history, because nothing is accumulated at a cut.
"""

from collections.abc import Callable
from math import inf
from typing import Any

from goodputd.sim.arrivals import FaultSource
from goodputd.sim.building import new_state
from goodputd.sim.bursts import BurstTime
from goodputd.sim.decisions import Decisions
from goodputd.sim.domains import DomainSource
from goodputd.sim.events import (
    Command,
    DetectionRaised,
    Fact,
    FalseAlarmRaised,
    FaultOccurred,
    TargetReached,
)
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind, Marks, ScriptedFaultSpec
from goodputd.sim.hazards import Standing
from goodputd.sim.incident import Incident
from goodputd.sim.monitoring import Monitoring
from goodputd.sim.observation import Detection
from goodputd.sim.parts import Parts
from goodputd.sim.report import Context, report
from goodputd.sim.response import Response
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.streams import uniforms
from goodputd.sim.supply import Supply
from goodputd.sim.taxonomy import Bucket, Component, JobState, NodeState, Origin, Symptom
from goodputd.sim.walk import Walk

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_BENIGN = Symptom.BENIGN
_COMPLETED = JobState.COMPLETED
_FAILED = NodeState.FAILED
_FALSE_ALARM = Component.FALSE_ALARM
_INJECTED = Origin.INJECTED
_RUNNING = JobState.RUNNING
_STALLED = JobState.STALLED
_UNDETECTED_STALL = Bucket.UNDETECTED_STALL


class Simulation:
    """A scenario being played."""

    def __init__(self, parts: Parts) -> None:
        """The job starts at 0 seconds, initialised and running."""
        self.name = parts.name
        self._kinds = {kind.name: kind for kind in parts.kinds}
        self._during_recovery = parts.faults.during_recovery
        self._state = new_state(parts)
        self._monitoring = Monitoring(self._state, parts.detectors, parts.operator_seconds)
        self._decisions = Decisions(
            self._state, self._monitoring, parts.policy, parts.cluster.repair, parts.job.min_replicas
        )
        self._walk = Walk(self._state, self._monitoring)
        self._response = Response(self._state, self._monitoring, self._decisions, self._walk, parts)
        self._context = Context(
            parts.name,
            parts.seed,
            parts.loss,
            parts.detectors,
            parts.policy.window_seconds,
            parts.cluster.spares,
        )
        self._supply = Supply(
            self._state, self._response, rejoins_at_checkpoint=parts.job.rejoin == "checkpoint"
        )
        cluster = self._state.cluster
        self._source = FaultSource(
            parts.seed, parts.kinds, cluster.total_nodes, cluster.fleet, parts.faults.bursts.multiplier
        )
        self._handlers: dict[str, Callable[[Any], None]] = {
            "fault": self._on_candidate,
            "domain_fault": self._on_domain_candidate,
            "scripted": self._on_scripted,
            "recurrence": self._on_recurrence,
            "aged": self._on_aged,
            "burst": self._on_burst,
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
        }
        of_domains = tuple(kind for kind in parts.kinds if kind.domain_nodes > 1)
        self._domain_source = DomainSource(parts.seed, of_domains, cluster.total_nodes)
        self._attributes = bool(of_domains) or self._state.diagnosis is not None
        """Whether somebody asks which nodes a fault is blamed on."""
        for scripted in parts.faults.script:
            self._state.schedule.push(scripted.at_seconds, "scripted", scripted)
        self._begin()

    def _begin(self) -> None:
        """Schedule the first of everything that comes by itself, and train."""
        state = self._state
        if state.hazards.is_special:
            self._handlers["fault"] = self._on_special_candidate
        self._schedule_candidate()
        self._schedule_domain_candidate()
        if state.maintenance is not None:
            self._supply.schedule_maintenance()
        if state.hazards.bursts is not None:
            self._schedule_burst(state.hazards.bursts)
        state.start_run()

    @property
    def now(self) -> float:
        """Simulated seconds since start."""
        return self._state.now

    @property
    def completed(self) -> bool:
        """Whether the job reached its target step."""
        return self._state.job.state is _COMPLETED

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
        if self._reaches_job(node):
            fault = self._injected(kind, node, command.origin, transient=command.transient, logged=True)
            self._strike_domain(fault)
        return self._state.facts

    def snapshot(self) -> Snapshot:
        """The scenario as of now; changes nothing."""
        return report(self._state, self._context)

    # --- fault

    def _schedule_candidate(self) -> None:
        at = self._source.next_at
        if at is not None and at < inf:
            self._state.schedule.push(at, "fault")

    def _on_candidate(self, _: None) -> None:
        source = self._source
        if not self._reaches_job(source.pending[0][2]):
            source.skip()
            self._schedule_candidate()
            return
        fault = source.take()
        self._schedule_candidate()
        self._strike(fault)

    def _on_special_candidate(self, _: None) -> None:
        """The same where some candidates strike in bursts only, or lemons only."""
        source = self._source
        candidate = source.pending[0]
        node = candidate[2]
        of_lemons, of_bursts = source.conditions[candidate[1]]
        if (of_lemons or of_bursts) and self._is_in_vain(node, of_lemons=of_lemons, of_bursts=of_bursts):
            source.skip()
            self._schedule_candidate()
        else:
            self._on_candidate(None)

    def _is_in_vain(self, node: int, *, of_lemons: bool, of_bursts: bool) -> bool:
        """Whether it is not a time or not a node for this candidate; counts those of lemons that strike."""
        bursts, fleet = self._state.hazards.bursts, self._state.cluster.fleet
        if of_bursts and (bursts is None or not bursts.is_on):
            return True
        if of_lemons and fleet is not None:
            if node not in fleet.lemons:
                return True  # cured since it was drawn
            fleet.lemon_faults += self._reaches_job(node)
        return False

    def _reaches_job(self, node: int) -> bool:
        """Thinning: candidates are drawn for the whole fleet, always."""
        state = self._state.job.state
        if state is _COMPLETED or (state is not _RUNNING and not self._during_recovery):
            return False
        return node == JOB_WIDE or self._state.cluster.is_in_job(node)

    def _on_scripted(self, scripted: ScriptedFaultSpec) -> None:
        kind = self._kinds[scripted.kind]
        node = JOB_WIDE if scripted.node is None else scripted.node
        if self._reaches_job(node):
            fault = self._injected(
                kind, node, _INJECTED, transient=scripted.transient, logged=scripted.logged
            )
            self._strike_domain(fault)

    def _injected(
        self, kind: FaultKind, node: int, origin: Origin, *, transient: bool, logged: bool
    ) -> Fault:
        state = self._state
        identity = f"{origin}/{kind.name}/{node}/{state.now!r}"
        marks = Marks(*uniforms(state.seed, identity, 6))
        logs = logged and kind.event is not None
        return Fault(identity, state.now, kind, node, transient, origin, marks, 0, logs)

    def _on_recurrence(self, standing: Standing) -> None:
        fault = self._state.hazards.struck(standing, self._state.schedule)
        fault.at = self._state.now
        self._strike_domain(fault)

    def _schedule_burst(self, bursts: BurstTime) -> None:
        self._state.schedule.push(bursts.turns_at, "burst", bursts)

    def _on_burst(self, bursts: BurstTime) -> None:
        bursts.turn()
        self._schedule_burst(bursts)

    def _schedule_domain_candidate(self) -> None:
        at = self._domain_source.next_at
        if at is not None:
            self._state.schedule.push(at, "domain_fault")

    def _on_domain_candidate(self, _: None) -> None:
        fault = self._domain_source.take()
        self._schedule_domain_candidate()
        struck = self._of_domain(fault)
        if struck and self._reaches_job(struck[0]):
            fault.node = struck[0]
            self._strike_domain(fault)

    def _strike_domain(self, fault: Fault) -> None:
        """The fault strikes its node, and whoever of the job hangs on the same rack or switch."""
        cluster = self._state.cluster
        if fault.kind.domain_nodes > 1:
            fault.others = tuple(each for each in self._of_domain(fault) if each != fault.node)
            if fault.kind.stops:
                self._state.failed_nodes += [each for each in fault.others if cluster.fail(each)]
        self._strike(fault)

    def _of_domain(self, fault: Fault) -> list[int]:
        """The nodes of the job in the domain that the fault strikes."""
        cluster, size = self._state.cluster, fault.kind.domain_nodes
        first = fault.node // size * size
        nodes = range(first, min(first + size, cluster.total_nodes))
        return [node for node in nodes if cluster.is_in_job(node)]

    def _on_aged(self, _: None) -> None:
        self._strike(self._state.hazards.aged(self._state.schedule, self._state.now))

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
        self._monitoring.watch_running(fault, run, position)
        if fault.kind.stops:
            state.halt(_STALLED, position)
            state.ledger.open(_UNDETECTED_STALL, state.now)
        elif fault.kind.slow_factor > run.slow_factor:
            state.cancel_run_entries()
            slowed = state.training.change_speed(state.now, fault.kind.slow_factor)
            state.hazards.schedule_job_wide(state.schedule, state.now, slowed)
            state.schedule_target()
            self._supply.schedule_planned_stop()

    # --- detection

    def _on_detection(self, claim: tuple[Fault, int]) -> None:
        fault, index = claim
        state = self._state
        detection = self._monitoring.claimed(fault, index)
        if self._attributes:
            detection = self._attributed(fault, detection)
        case = self._decisions.case(detection)
        cause = fault.kind.name if detection.node is None else f"node {detection.node}"
        if detection.is_slow and state.job.state is _RUNNING and self._decisions.tolerates(case):
            self._raised(fault, detection, None)
            return
        down_since = fault.at if fault.kind.stops else state.now
        incident = self._response.take(case, fault.marks, cause, down_since)
        self._raised(fault, detection, incident)
        if fault.node == JOB_WIDE:
            crash = (fault.kind.name, incident.stop_step)
            incident.repeats_crash = state.last_crash == crash
            state.last_crash = crash

    def _attributed(self, fault: Fault, detection: Detection) -> Detection:
        """The detection with the node that is blamed; a whole domain that is down blames itself."""
        diagnosis = self._state.diagnosis
        if fault.others:
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
        detector, where, marks = state.hazards.alarm()
        node = state.cluster.nth_active(where)
        state.tally.false_alarms[detector.layer] += 1
        detection = Detection(state.now, detector.layer, node, _FALSE_ALARM, is_slow=False)
        incident = self._response.take(self._decisions.case(detection), marks, f"node {node}", state.now)
        state.facts.append(FalseAlarmRaised(state.now, detector.layer, node, incident.number))

    # --- planned stop and target

    def _on_planned_stop(self, _: None) -> None:
        self._state.planned_entry = -1
        self._response.planned_stop()

    def _on_target(self, _: None) -> None:
        state = self._state
        state.target_entry = -1
        state.halt(_COMPLETED, state.training.position(state.now), is_planned=True)
        state.completed_at = state.now
        assert state.target_step is not None  # noqa: S101 - it is what was scheduled
        state.facts.append(TargetReached(state.now, state.target_step))
