"""The repair shop: how long an evicted node is away, whether it comes back, and whether it is cured.

One repair that always cures, or an automatic one that may escalate to people, each of which may
report success and have cured nothing. All of a visit's luck is drawn when the node is admitted.
Knows visits and crews, nothing of slots, faults or policies.
"""

from collections import deque
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from goodputd.sim.schedule import Schedule
from goodputd.sim.specs.cluster import Distribution, RepairSpec
from goodputd.sim.specs.fields import SECONDS_PER_HOUR
from goodputd.sim.streams import exponential, uniforms
from goodputd.sim.taxonomy import HotResetOutcome, RepairOutcome, RepairStage

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_AUTOMATIC: Final = RepairStage.AUTOMATIC
_CURED: Final = RepairOutcome.CURED
_ESCALATED: Final = RepairOutcome.ESCALATED
_FAILED: Final = RepairOutcome.FAILED
_MANUAL: Final = RepairStage.MANUAL
_NO_FAULT_FOUND: Final = RepairOutcome.NO_FAULT_FOUND


@dataclass(slots=True)
class Visit:
    """One stay of a node in repair, its luck already drawn."""

    node: int
    automatic_seconds: float
    manual_seconds: float
    """Of hands at work; waiting for them comes on top."""
    cured: bool
    no_fault_found: bool
    retires: bool
    has_crew: bool = False


def _outcomes() -> dict[tuple[RepairStage, RepairOutcome], int]:
    counts = dict.fromkeys(product(RepairStage, RepairOutcome), 0)
    del counts[_MANUAL, _ESCALATED]
    return counts


@dataclass(slots=True)
class RepairCounts:
    """Counters of finished visits; none of them ever falls."""

    outcomes: dict[tuple[RepairStage, RepairOutcome], int] = field(default_factory=_outcomes)
    hot_resets: dict[HotResetOutcome, int] = field(default_factory=lambda: dict.fromkeys(HotResetOutcome, 0))


class RepairShop:
    """The nodes in repair."""

    __slots__ = (
        "_busy_crews",
        "_counts_visits",
        "_exponential",
        "_hours",
        "_line",
        "_seed",
        "_spec",
        "_two_stages",
        "_visits",
        "counts",
        "retiring",
    )

    def __init__(self, spec: RepairSpec, hours: float, distribution: Distribution, seed: int) -> None:
        """``hours`` and ``distribution`` are those of the repair in one stage."""
        self._spec = spec
        self._hours = hours
        self._exponential = distribution == "exponential"
        self._two_stages = spec.stages == "automatic_then_manual"
        self._seed = seed
        self._counts_visits = self._two_stages or spec.retire_after_evictions > 0
        self._visits: dict[int, int] = {}
        self._busy_crews = 0
        self._line: deque[Visit] = deque()
        self.counts = RepairCounts()
        self.retiring = 0
        """Nodes in repair that will not come back."""

    @property
    def line(self) -> int:
        """Nodes that wait for a crew."""
        return len(self._line)

    def would_retire(self, node: int) -> bool:
        """Whether one more eviction of the node is its last."""
        limit = self._spec.retire_after_evictions
        return 0 < limit <= self._visits.get(node, 0) + 1

    def admit(
        self,
        node: int,
        schedule: Schedule,
        at: float,
        *,
        uniform: float,
        no_fault_found: bool,
        retires: bool,
    ) -> Visit:
        """The node is in repair from ``at`` on; ``uniform`` is that of the fault that sent it there."""
        spec = self._spec
        if self._two_stages:
            visit = self._two_stage_visit(node, no_fault_found=no_fault_found)
        else:
            seconds = self._hours * SECONDS_PER_HOUR
            if self._exponential:
                seconds *= exponential(uniform)
            visit = Visit(node, 0.0, seconds, True, no_fault_found, False)  # noqa: FBT003 - cured, not retired
        if self._counts_visits:
            retires |= self.would_retire(node)
            self._visits[node] = self._visits.get(node, 0) + 1
        if retires:
            visit.retires = True
            self.retiring += 1
        if not spec.crews or not visit.manual_seconds:
            schedule.push(at + visit.automatic_seconds + visit.manual_seconds, "node_returns", visit)
        elif visit.automatic_seconds:
            schedule.push(at + visit.automatic_seconds, "crew_wanted", visit)
        else:
            self.want_crew(visit, schedule, at)
        return visit

    def _two_stage_visit(self, node: int, *, no_fault_found: bool) -> Visit:
        """The j-th visit of a node has the same luck in every scenario."""
        spec = self._spec
        name = f"repair/{node}/{self._visits.get(node, 0)}"
        pace, escalation, manual_pace, failure = uniforms(self._seed, name, 4)
        automatic = spec.automatic_hours * SECONDS_PER_HOUR
        if spec.automatic_distribution == "exponential":
            automatic *= exponential(pace)
        if escalation >= spec.escalation_probability:
            cured = failure >= spec.automatic_failure_probability
            return Visit(node, automatic, 0.0, cured, no_fault_found, False)  # noqa: FBT003 - not retired yet
        manual = spec.manual_hours * SECONDS_PER_HOUR
        if spec.manual_distribution == "exponential":
            manual *= exponential(manual_pace)
        cured = failure >= spec.manual_failure_probability
        return Visit(node, automatic, manual, cured, no_fault_found, False)  # noqa: FBT003 - not retired yet

    def want_crew(self, visit: Visit, schedule: Schedule, at: float) -> None:
        """People are needed: a crew starts at once, or when one is free, first come first served."""
        if self._busy_crews < self._spec.crews:
            self._busy_crews += 1
            self._begin(visit, schedule, at)
        else:
            self._line.append(visit)

    def _begin(self, visit: Visit, schedule: Schedule, at: float) -> None:
        visit.has_crew = True
        schedule.push(at + visit.manual_seconds, "node_returns", visit)

    def finish(self, visit: Visit, schedule: Schedule, at: float) -> None:
        """The visit is over: count it, and send its crew to the next in line."""
        outcome = _NO_FAULT_FOUND if visit.no_fault_found else _CURED if visit.cured else _FAILED
        outcomes = self.counts.outcomes
        if visit.manual_seconds:
            if visit.automatic_seconds:
                outcomes[_AUTOMATIC, _ESCALATED] += 1
            outcomes[_MANUAL, outcome] += 1
        else:
            outcomes[_AUTOMATIC, outcome] += 1
        if visit.retires:
            self.retiring -= 1
        if visit.has_crew:
            if self._line:
                self._begin(self._line.popleft(), schedule, at)
            else:
                self._busy_crews -= 1
