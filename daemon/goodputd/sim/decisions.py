"""Decisions: what the policy says of each detection, and the evictions that follow.

A decision is made at the end of the decide stage, for every detection since the last one, oldest
first. An eviction that would take the last node the job needs out of the fleet is refused. Knows
the cluster, the repair shop and the policy, nothing of stages.
"""

from dataclasses import replace
from typing import Final

from goodputd.sim.events import CapacityAwaited, DecisionMade, DeviceReset, NodeDrained, NodeEvicted
from goodputd.sim.incident import Incident, Undecided
from goodputd.sim.maintenance import Maintenance
from goodputd.sim.monitoring import Monitoring
from goodputd.sim.observation import Detection
from goodputd.sim.parts import Parts
from goodputd.sim.protocols import Case, Decision, ScoringPolicy
from goodputd.sim.state import State
from goodputd.sim.streams import uniforms
from goodputd.sim.tainting import Tainting
from goodputd.sim.taxonomy import Action, Component, HotResetOutcome, NodeState, Reason, StageName

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_EVICT: Final = Action.EVICT
_FALSE_ALARM: Final = Component.FALSE_ALARM
_HOT_RESET: Final = StageName.HOT_RESET
_RESTART: Final = Action.RESTART
_RETIRE: Final = Action.RETIRE
_RETIRED: Final = NodeState.RETIRED
_TOLERATE: Final = Action.TOLERATE

_REFUSED: Final = Decision(Action.RESTART, Reason.DEPLETION_GUARD)


class Decisions:
    """The policy at work."""

    __slots__ = (
        "_has_domains",
        "_hot_resets",
        "_may_retire",
        "_monitoring",
        "_needed_nodes",
        "_policy",
        "_repair",
        "_scoring",
        "_state",
        "_tainting",
        "_window_seconds",
    )

    def __init__(self, state: State, monitoring: Monitoring, tainting: Tainting, parts: Parts) -> None:
        """Settings only; the state is the scenario's."""
        self._state = state
        self._tainting = tainting
        self._monitoring = monitoring
        self._policy = parts.policy
        self._window_seconds = parts.policy.window_seconds
        self._scoring = parts.policy if isinstance(parts.policy, ScoringPolicy) else None
        self._repair = parts.cluster.repair
        fleet = state.cluster.fleet
        self._has_domains = fleet is not None and bool(fleet.domains)
        self._hot_resets = self._repair.hot_reset_probability > 0.0
        self._may_retire = self._scoring is not None or self._repair.retire_after_evictions > 0
        self._needed_nodes = parts.job.min_replicas * state.cluster.nodes_per_replica

    def case(self, detection: Detection) -> Case:
        """The detection with its node's strikes, this one included."""
        state = self._state
        strikes = 0
        if detection.node is not None:
            strikes = state.cluster.strike(detection.node, state.now, self._window_seconds)
            if self._scoring is not None:
                score = self._score(self._scoring, detection.node)
                return Case(state.now, detection, strikes, score)
        return Case(state.now, detection, strikes)

    def strike_also(self, nodes: tuple[int, ...]) -> None:
        """These went down with the node that is blamed: each of them has a strike as well."""
        state = self._state
        for node in nodes:
            state.cluster.strike(node, state.now, self._window_seconds)
            if self._scoring is not None:
                self._score(self._scoring, node)

    def _score(self, policy: ScoringPolicy, node: int) -> float:
        """The node failed once more: what its score is now."""
        scores, now = self._state.scores, self._state.now
        before, since = scores.get(node, (None, now))
        score = policy.rescore(before, now - since)
        scores[node] = (score, now)
        return score

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
            if self._may_retire and self._would_deplete(decision, node):
                decision = _REFUSED
            self._note(incident.number, decision, node, case.strikes)
            incident.action, incident.node = decision.action, node
            self._act(incident, decision, undecided)
        incident.undecided.clear()
        for node in state.failed_nodes:
            state.cluster.revive(node)
        state.failed_nodes.clear()

    def _would_deplete(self, decision: Decision, node: int | None) -> bool:
        """Whether the eviction is for good and the fleet would be too small for the job ever after."""
        if decision.action is _RESTART or node is None:
            return False
        shop, cluster = self._state.shop, self._state.cluster
        if decision.action is not _RETIRE and not shop.would_retire(node):
            return False
        left = cluster.total_nodes - cluster.counts[_RETIRED] - shop.retiring
        return left <= self._needed_nodes and cluster.is_in_job(node)

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
        action = decision.action
        if node is not None:
            if action is not _RESTART:
                if not self._state.cluster.is_in_job(node):
                    return  # an earlier case of this incident evicted it
                for other in self._struck_with(node) if self._has_domains else ():
                    self._evict(incident, other, undecided, retires=action is _RETIRE)
                cause = self._evict(incident, node, undecided, retires=action is _RETIRE)
                action = _EVICT
                self._failed_before_verified(incident, cause)
            elif self._hot_resets:
                self._hot_reset(incident, node, undecided)
        incident.recoveries[cause] = action

    def _struck_with(self, node: int) -> tuple[int, ...]:
        """The other nodes of the domain that went down with this one."""
        cluster = self._state.cluster
        for fault in self._state.present:
            if fault.node == node and fault.others and fault.detected:
                # those that a dissolved replica left idle since are as broken as the others
                gone = (NodeState.REPAIRING, NodeState.RETIRED, NodeState.SPARE)
                return tuple(each for each in fault.others if cluster.state_of(each) not in gone)
        return ()

    def _hot_reset(self, incident: Incident, node: int, undecided: Undecided) -> None:
        """Reset the device in place, which may cure what a restart alone would not."""
        if undecided.case.detection.component not in self._repair.hot_reset_components:
            return
        state = self._state
        incident.first_stages = (*incident.first_stages, (_HOT_RESET, self._repair.hot_reset_seconds))
        cured = []
        for fault in state.present:
            if fault.node == node and not fault.transient:
                name = f"hot_reset/{fault.identity}/{fault.recurrences}"
                if uniforms(state.seed, name, 1)[0] < self._repair.hot_reset_probability:
                    fault.transient = True
                    cured.append(fault.identity)
        state.shop.counts.hot_resets[HotResetOutcome.CURED if cured else HotResetOutcome.IN_VAIN] += 1
        state.facts.append(DeviceReset(state.now, incident.number, node, tuple(cured)))

    def _failed_before_verified(self, incident: Incident, cause: str) -> None:
        before = incident.recoveries.pop(cause, None)
        if before is not None:
            self._state.outcomes.in_vain(before)

    def _evict(self, incident: Incident, node: int, undecided: Undecided, *, retires: bool) -> str:
        """Take the node out; returns what must stay healthy for the eviction to have helped."""
        state = self._state
        blames_surely = state.diagnosis is None and undecided.case.detection.component is not _FALSE_ALARM
        no_fault_found = not (blames_surely or self._is_faulty(node))
        if state.cluster.is_in_job(node):
            replacement = state.cluster.evict(node)
        else:
            state.cluster.withdraw(node)
            replacement = None
        state.training.held.clear()
        visit = state.shop.admit(
            node,
            state.schedule,
            state.now,
            uniform=undecided.marks.repair,
            no_fault_found=no_fault_found,
            retires=retires,
        )
        for fault in [fault for fault in state.present if fault.node == node]:
            state.present.remove(fault)
            if not fault.detected and not self._tainting.outlives(fault):
                self._monitoring.forget(fault)
            if not (visit.cured or fault.transient):
                state.hazards.keep(self._tainting.stands(fault), fault.step)
        left = state.hazards.node_left if visit.cured else state.hazards.park
        for fault in left(node):
            self._monitoring.call_off(fault)
        seconds = visit.automatic_seconds + visit.manual_seconds
        state.facts.append(NodeEvicted(state.now, node, replacement, seconds))
        return f"shrink {incident.number}/{node}" if replacement is None else f"node {replacement}"

    def drain(self, maintenance: Maintenance) -> None:
        """The job is stopped: give up the nodes that are due for planned work, faults and strikes and all."""
        state = self._state
        for node in maintenance.due_nodes:
            if not state.cluster.is_in_job(node):
                continue  # evicted or left idle since
            replacement = state.cluster.evict(node)
            state.training.held.clear()
            maintenance.drained += 1
            for fault in [fault for fault in state.present if fault.node == node and not fault.transient]:
                state.present.remove(fault)
                if not fault.detected and not self._tainting.outlives(fault):
                    self._monitoring.forget(fault)
                state.hazards.keep(self._tainting.stands(fault), fault.step)
            for fault in state.hazards.park(node):
                self._monitoring.call_off(fault)
            state.schedule.push(state.now + maintenance.seconds, "maintained", node)
            state.facts.append(NodeDrained(state.now, node, replacement, maintenance.seconds))
        maintenance.due_nodes.clear()

    def _is_faulty(self, node: int) -> bool:
        state = self._state
        struck = any(fault.node == node or node in fault.others for fault in state.present)
        return struck or state.hazards.stands_on(node)

    def _note(self, incident: int | None, decision: Decision, node: int | None, strikes: int) -> None:
        state = self._state
        state.tally.decisions[decision.action, decision.reason] += 1
        state.facts.append(DecisionMade(state.now, incident, decision.action, decision.reason, node, strikes))
