"""Decisions: what the policy says of each detection, and the evictions that follow.

A decision is made at the end of the decide stage, for every detection since the last one, oldest
first. Knows the cluster and the policy, nothing of stages.
"""

from dataclasses import replace

from goodputd.sim.cluster import ClusterSpec
from goodputd.sim.events import CapacityAwaited, DecisionMade, NodeEvicted
from goodputd.sim.incident import Incident, Undecided
from goodputd.sim.monitoring import Monitoring
from goodputd.sim.observation import Detection
from goodputd.sim.protocols import Case, Decision, Policy
from goodputd.sim.specs import SECONDS_PER_HOUR
from goodputd.sim.state import State
from goodputd.sim.streams import exponential
from goodputd.sim.tainting import Tainting
from goodputd.sim.taxonomy import Action, Component, Reason

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_EVICT = Action.EVICT
_FALSE_ALARM = Component.FALSE_ALARM
_TOLERATE = Action.TOLERATE


class Decisions:
    """The policy at work."""

    __slots__ = ("_cluster_spec", "_monitoring", "_policy", "_state", "_tainting")

    def __init__(
        self, state: State, monitoring: Monitoring, tainting: Tainting, policy: Policy, cluster: ClusterSpec
    ) -> None:
        """``cluster`` says how long a repair takes."""
        self._state = state
        self._tainting = tainting
        self._monitoring = monitoring
        self._policy = policy
        self._cluster_spec = cluster

    def case(self, detection: Detection) -> Case:
        """The detection with its node's strikes, this one included."""
        state = self._state
        strikes = 0
        if detection.node is not None:
            strikes = state.cluster.strike(detection.node, state.now, self._policy.window_seconds)
        return Case(state.now, detection, strikes)

    def tolerates(self, case: Case) -> bool:
        """Whether the policy lets a slow rank be; that decision is made at once."""
        decision = self._policy.decide(case)
        if decision.action is not _TOLERATE:
            return False
        self._note(None, decision, case.detection.node, case.strikes)
        return True

    def carry_out(self, incident: Incident) -> None:
        """Decide every undecided case, evict who must go, and bring the other failed nodes back."""
        state = self._state
        for undecided in incident.undecided:
            case = undecided.case
            if undecided.named is not None and state.cluster.is_in_job(undecided.named):
                case = undecided.case = self.case(replace(case.detection, node=undecided.named))
                undecided.cause = f"node {undecided.named}"
            decision = self._policy.decide(case)
            node = case.detection.node
            self._note(incident.number, decision, node, case.strikes)
            incident.action, incident.node = decision.action, node
            self._act(incident, decision, undecided)
        incident.undecided.clear()
        for node in state.failed_nodes:
            state.cluster.revive(node)
        state.failed_nodes.clear()

    def await_capacity(self, incident: Incident, needed_nodes: int) -> None:
        """Too few healthy nodes are left: say so."""
        state = self._state
        cluster = state.cluster
        self._note(incident.number, Decision(Action.WAIT_FOR_CAPACITY, Reason.NO_CAPACITY), incident.node, 0)
        healthy = cluster.active_nodes + cluster.waiting_nodes
        state.facts.append(CapacityAwaited(state.now, incident.number, healthy, needed_nodes))

    def _act(self, incident: Incident, decision: Decision, undecided: Undecided) -> None:
        cause = undecided.cause
        node = undecided.case.detection.node
        self._failed_before_verified(incident, cause)
        if node is not None and decision.action is _EVICT:
            if not self._state.cluster.is_in_job(node):
                return  # an earlier case of this incident evicted it
            cause = self._evict(incident, node, undecided)
            self._failed_before_verified(incident, cause)
        incident.recoveries[cause] = decision.action

    def _failed_before_verified(self, incident: Incident, cause: str) -> None:
        before = incident.recoveries.pop(cause, None)
        if before is not None:
            self._state.outcomes.in_vain(before)

    def _evict(self, incident: Incident, node: int, undecided: Undecided) -> str:
        """Take the node out; returns what must stay healthy for the eviction to have helped."""
        state = self._state
        no_fault_found = undecided.case.detection.component is _FALSE_ALARM and not self._is_faulty(node)
        replacement = state.cluster.evict(node)
        state.training.held.clear()
        repair_seconds = self._cluster_spec.repair_hours * SECONDS_PER_HOUR
        if self._cluster_spec.repair_distribution == "exponential":
            repair_seconds *= exponential(undecided.marks.repair)
        state.schedule.push(state.now + repair_seconds, "node_returns", (node, no_fault_found))
        for fault in state.hazards.node_left(node):
            self._monitoring.call_off(fault)
        for fault in [fault for fault in state.present if fault.node == node]:
            state.present.remove(fault)
            if not fault.detected and not self._tainting.outlives(fault):
                self._monitoring.forget(fault)
        state.facts.append(NodeEvicted(state.now, node, replacement, repair_seconds))
        return f"shrink {incident.number}/{node}" if replacement is None else f"node {replacement}"

    def _is_faulty(self, node: int) -> bool:
        state = self._state
        return any(fault.node == node for fault in state.present) or state.hazards.stands_on(node)

    def _note(self, incident: int | None, decision: Decision, node: int | None, strikes: int) -> None:
        state = self._state
        state.tally.decisions[decision.action, decision.reason] += 1
        state.facts.append(DecisionMade(state.now, incident, decision.action, decision.reason, node, strikes))
