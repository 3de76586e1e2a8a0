"""Exposure: which of the faults that were drawn reach the job, and when each is due.

Candidates are drawn for the whole fleet and thinned to the job; those of bursts, lemons, ages and
domains come in here as well. What a strike does to the job is not known here.
"""

from collections.abc import Callable
from math import inf
from typing import Final

from goodputd.sim.arrivals import FaultSource
from goodputd.sim.bursts import BurstTime
from goodputd.sim.domains import DomainSource
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind, Marks
from goodputd.sim.hazards import Standing
from goodputd.sim.monitoring import Monitoring
from goodputd.sim.parts import Parts
from goodputd.sim.specs.faults import ScriptedFaultSpec
from goodputd.sim.state import State
from goodputd.sim.streams import uniforms
from goodputd.sim.taxonomy import JobState, Origin

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_COMPLETED: Final = JobState.COMPLETED
_INJECTED: Final = Origin.INJECTED
_RUNNING: Final = JobState.RUNNING


class Exposure:
    """The faults that wait for their turn."""

    __slots__ = (
        "_domain_source",
        "_during_recovery",
        "_kinds",
        "_monitoring",
        "_script",
        "_source",
        "_state",
        "_strike",
        "on_candidate",
    )

    def __init__(
        self, state: State, parts: Parts, monitoring: Monitoring, strike: Callable[[Fault], None]
    ) -> None:
        """``strike`` is told of every fault that reaches the job."""
        cluster = state.cluster
        self._state = state
        self._monitoring = monitoring
        self._strike = strike
        self._kinds = {kind.name: kind for kind in parts.kinds}
        self._script = parts.faults.script
        self._during_recovery = parts.faults.during_recovery
        self._source = FaultSource(
            parts.seed, parts.kinds, cluster.total_nodes, cluster.fleet, parts.faults.bursts.multiplier
        )
        of_domains = tuple(kind for kind in parts.kinds if kind.domain_nodes > 1)
        self._domain_source = DomainSource(parts.seed, of_domains, cluster.total_nodes)
        self.on_candidate = self._on_special_candidate if state.hazards.is_special else self._on_candidate
        """The earliest candidate is due."""

    def begin(self) -> None:
        """Schedule the first of everything that strikes by itself."""
        state = self._state
        for scripted in self._script:
            state.schedule.push(scripted.at_seconds, "scripted", scripted)
        self._schedule_candidate()
        self._schedule_domain_candidate()
        if state.hazards.bursts is not None:
            self._schedule_burst(state.hazards.bursts)

    def _schedule_candidate(self) -> None:
        at, state = self._source.next_at, self._state
        if at is not None and at < inf and state.job.state is not _COMPLETED:
            state.schedule.push(at, "fault")

    def _on_candidate(self, _: None) -> None:
        """The earliest candidate strikes, if its node is in the job."""
        source = self._source
        if self._reaches_job(source.pending[0][2]):
            fault = source.take()
            self._schedule_candidate()
            self._strike(fault)
        else:
            source.skip()
            self._schedule_candidate()

    def _on_special_candidate(self, _: None) -> None:
        """The same where some candidates strike in bursts only, or lemons only."""
        state, source = self._state, self._source
        bursts, fleet = state.hazards.bursts, state.cluster.fleet
        node = source.pending[0][2]
        in_vain = bursts is not None and source.next_is_of_bursts and not bursts.is_on
        if fleet is not None and source.next_is_of_lemons and not in_vain:
            in_vain = node not in fleet.lemons  # cured since it was drawn
            fleet.lemon_faults += not in_vain and self._reaches_job(node)
        if in_vain:
            source.skip()
            self._schedule_candidate()
        else:
            self._on_candidate(None)

    def _reaches_job(self, node: int) -> bool:
        """Thinning: candidates are drawn for the whole fleet, always."""
        state = self._state.job.state
        if state is _COMPLETED or (state is not _RUNNING and not self._during_recovery):
            return False
        return node == JOB_WIDE or self._state.cluster.is_in_job(node)

    def on_scripted(self, scripted: ScriptedFaultSpec) -> None:
        """The instant of a fault of the script has come."""
        node = JOB_WIDE if scripted.node is None else scripted.node
        kind = self._kinds[scripted.kind]
        self.inject(kind, node, _INJECTED, transient=scripted.transient, logged=scripted.logged)

    def inject(self, kind: FaultKind, node: int, origin: Origin, *, transient: bool, logged: bool) -> None:
        """A fault is asked for now; outside of the job it strikes nobody."""
        if not self._reaches_job(node):
            return
        state = self._state
        identity = f"{origin}/{kind.name}/{node}/{state.now!r}"
        marks = Marks(*uniforms(state.seed, identity, 6))
        logs = logged and kind.event is not None
        self._strike_domain(Fault(identity, state.now, kind, node, transient, origin, marks, 0, logs))

    def on_recurrence(self, standing: Standing) -> None:
        """A permanent fault strikes again."""
        self._monitoring.call_off(standing.fault)
        fault = self._state.hazards.struck(standing, self._state.schedule)
        fault.at = self._state.now
        self._strike_domain(fault)

    def _schedule_burst(self, bursts: BurstTime) -> None:
        if self._state.job.state is not _COMPLETED:
            self._state.schedule.push(bursts.turns_at, "burst", bursts)

    def on_burst(self, bursts: BurstTime) -> None:
        """A faulty period begins or ends."""
        bursts.turn()
        self._schedule_burst(bursts)

    def _schedule_domain_candidate(self) -> None:
        at = self._domain_source.next_at
        if at is not None and self._state.job.state is not _COMPLETED:
            self._state.schedule.push(at, "domain_fault")

    def on_domain_candidate(self, _: None) -> None:
        """The earliest candidate of a domain strikes, if any of its nodes is in the job."""
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

    def on_aged(self, _: None) -> None:
        """A node's age tells."""
        self._strike(self._state.hazards.aged(self._state.schedule, self._state.now))
