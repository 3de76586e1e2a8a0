"""Facts as words: one event per fact for machines, one line per incident for people.

Everything here is a pure function of facts, or joins the facts of one scenario into the story of
one incident. Nothing here writes, waits or reads a clock: ``journal`` decides what is said, how
often, and where. Instants are simulated seconds since start.
"""

import dataclasses
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from goodputd.sim.events import (
    CapacityAwaited,
    CorruptionBaked,
    DecisionMade,
    DetectionRaised,
    Fact,
    FalseAlarmRaised,
    FaultMasked,
    FaultOccurred,
    JobResized,
    NodeDrained,
    NodeEvicted,
    NodePreempted,
    NodeRetired,
    RestoreVerified,
    StageFinished,
    TargetReached,
    TrainingResumed,
    WorkVoided,
)
from goodputd.sim.specs.fields import SECONDS_PER_DAY, SECONDS_PER_HOUR
from goodputd.sim.taxonomy import Action, Component, Layer, Symptom, VerificationOutcome

_WORD_START: Final = re.compile(r"(?<!^)(?=[A-Z])")
_JUMPS: Final = frozenset({VerificationOutcome.JUMP, VerificationOutcome.FALSE_JUMP})
_TENTHS_BELOW_SECONDS: Final = 10.0
_UNITS: Final = (("d", SECONDS_PER_DAY), ("h", SECONDS_PER_HOUR), ("min", 60.0), ("s", 1.0))


def event_name(fact: Fact) -> str:
    """The name of a fact in a log: ``FaultOccurred`` is ``fault_occurred``."""
    return _WORD_START.sub("_", type(fact).__name__).lower()


def event_fields(fact: Fact, clock_start_timestamp: float) -> dict[str, Any]:
    """The fields of a fact, ``at`` first and joined by ``simulated_time``, the same instant in ISO 8601.

    The claims of a detection become the instant of each layer's.
    """
    when = simulated_time(clock_start_timestamp + fact.at)
    fields: dict[str, Any] = {"at": fact.at, "simulated_time": when}
    for each in dataclasses.fields(fact):
        fields[each.name] = getattr(fact, each.name)
    if isinstance(fact, DetectionRaised):
        fields["claims"] = {layer: at for at, _, layer in fact.claims}
    return fields


def is_warning(fact: Fact) -> bool:
    """Whether somebody should look: the job waits, its state is corrupt, or a restore made the loss jump."""
    if isinstance(fact, RestoreVerified):
        return fact.outcome in _JUMPS
    return isinstance(fact, CapacityAwaited | CorruptionBaked | WorkVoided)


def simulated_time(timestamp: float) -> str | None:
    """Unix seconds in ISO 8601, UTC, milliseconds; None past the year 9999."""
    try:
        moment = datetime.fromtimestamp(timestamp, UTC)
    except (OverflowError, ValueError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day_and_time(at: float) -> str:
    """How long the cluster has been running, as ``day 3 04:12``; the first day is day 0."""
    minutes = int(at // 60.0)
    return f"day {minutes // 1440:,} {minutes // 60 % 24:02d}:{minutes % 60:02d}"


def duration(seconds: float) -> str:
    """The two coarsest units that say it: ``5 min 41 s``, ``2 h``; tenths below ten seconds."""
    if seconds < _TENTHS_BELOW_SECONDS:
        return f"{round(seconds, 1):g} s"
    left = round(seconds)
    for index, (unit, size) in enumerate(_UNITS[:-1]):
        if left >= size:
            finer, finer_size = _UNITS[index + 1]
            finer_count = round(left / finer_size)
            whole, rest = divmod(finer_count, round(size / finer_size))
            return f"{whole} {unit} {rest} {finer}" if rest else f"{whole} {unit}"
    return f"{left} s"


def counted(number: int, noun: str) -> str:
    """So many of them, as ``1 step`` or ``1,022 steps``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(slots=True)
class IncidentStory:
    """An incident that was closed, from its first fault to verified training."""

    at: float
    """When its first fault struck, or the planned stop began."""
    fault: FaultOccurred | None = None
    first: DetectionRaised | FalseAlarmRaised | None = None
    further: int = 0
    """Faults and false alarms that joined the incident later."""
    decision: DecisionMade | None = None
    evicted: list[NodeEvicted] = field(default_factory=list)
    drained: list[NodeDrained] = field(default_factory=list)
    jumps: int = 0
    resumed: TrainingResumed | None = None
    is_warning: bool = False

    def text(self) -> str:
        """What broke -> who noticed when -> what was decided -> when training went on."""
        return " -> ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        resumed = self.resumed
        stopped_seconds = 0.0 if resumed is None else resumed.stopped_seconds
        if resumed is not None and resumed.component is Component.PLANNED:
            yield f"planned stop {'for maintenance' if self.drained else 'to take nodes back'}"
            stopped_seconds = resumed.at - self.at  # stopped time is that of failures alone
        else:
            yield self._cause()
            yield self._notice()
        if self.further:
            yield f"{counted(self.further, 'more fault')} during recovery"
        if self.decision is not None:
            yield self._decision(self.decision)
        if self.drained:
            yield ", ".join(f"node {each.node} given up: {_heir(each)}" for each in self.drained)
        if self.jumps:
            yield "loss jump, restored again"
        if resumed is not None:
            lost = counted(resumed.lost_steps, "step")
            retracted = f" and {resumed.retracted_steps:,} retracted" if resumed.retracted_steps else ""
            yield f"training again in {duration(stopped_seconds)}, {lost} lost{retracted}"

    def _cause(self) -> str:
        if isinstance(self.first, FalseAlarmRaised):
            return f"node {self.first.node} false alarm"
        fault = self.fault
        if fault is not None:
            return f"{_where(fault.node)} {fault.kind} ({fault.component} {fault.symptom})"
        return _where(self.first.node if self.first is not None else None)

    def _notice(self) -> str:
        first = self.first
        if isinstance(first, DetectionRaised):
            layer = "a person" if first.layer is Layer.NONE else str(first.layer)
            return f"{layer} in {duration(first.latency_seconds)}"
        return str(first.layer) if first is not None else "noticed"

    def _decision(self, decision: DecisionMade) -> str:
        text = f"{decision.action} ({decision.reason.replace('_', ' ')})"
        for eviction in self.evicted:
            heir = _heir(eviction)
            text += f", {heir}" if len(self.evicted) == 1 else f", node {eviction.node}: {heir}"
        return text


@dataclass(slots=True)
class RemarkStory:
    """Something that is said when it happens."""

    at: float
    remark: str
    is_warning: bool = False

    def text(self) -> str:
        """The remark."""
        return self.remark


Story = IncidentStory | RemarkStory
"""One line for people; its text is made only when the line is said."""


class Narrator:
    """Joins the facts of one scenario into stories; at most one incident is open at a time."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self._faults: dict[str, FaultOccurred] = {}
        """Faults that struck and were not detected yet, by id."""
        self._open: IncidentStory | None = None
        self._gpus: int | None = None
        """Active GPUs after the last resize."""

    def feed(self, facts: Iterable[Fact]) -> list[Story]:
        """The stories that these facts complete, in order."""
        stories: list[Story] = []
        for fact in facts:
            stories += self._take(fact)
        return stories

    def _take(self, fact: Fact) -> Iterator[Story]:
        match fact:
            case FaultOccurred():
                if fact.symptom is not Symptom.BENIGN:
                    self._faults[fact.fault] = fact
            case FaultMasked():
                self._faults.pop(fact.fault, None)
            case DetectionRaised():
                yield from self._detected(fact)
            case FalseAlarmRaised():
                self._noticed(fact, None)
            case TrainingResumed():
                incident = self._incident(fact.at)
                incident.resumed = fact
                self._open = None
                yield incident
            case CorruptionBaked() | WorkVoided():
                yield _of_corruption(fact)
            case NodeRetired():
                yield RemarkStory(fact.at, f"node {fact.node} leaves the fleet for good")
            case NodePreempted():
                yield RemarkStory(fact.at, f"other work gives up node {fact.node} for the job")
            case JobResized() | CapacityAwaited() | TargetReached():
                yield self._remark(fact)
            case _:
                self._join(fact)

    def _join(self, fact: Fact) -> None:
        """Add to the open incident what will be told when it is closed."""
        match fact:
            case DecisionMade():
                if fact.action is not Action.WAIT_FOR_CAPACITY and fact.action is not Action.TOLERATE:
                    self._incident(fact.at).decision = fact
            case StageFinished():
                self._incident(fact.at - fact.seconds)
            case NodeEvicted():
                self._incident(fact.at).evicted.append(fact)
            case NodeDrained():
                self._incident(fact.at).drained.append(fact)
            case RestoreVerified():
                self._incident(fact.at).jumps += fact.outcome in _JUMPS
            case _:
                pass

    def _detected(self, fact: DetectionRaised) -> Iterator[Story]:
        fault = self._faults.pop(fact.fault, None)
        if fact.incident is not None:
            self._noticed(fact, fault)
            return
        tolerated = IncidentStory(fact.at if fault is None else fault.at, fault=fault, first=fact)
        yield RemarkStory(tolerated.at, f"{tolerated.text()} -> tolerated")

    def _noticed(self, fact: DetectionRaised | FalseAlarmRaised, fault: FaultOccurred | None) -> None:
        incident = self._incident(fact.at)
        if incident.first is None:
            incident.first, incident.fault = fact, fault
            incident.at = fact.at if fault is None else fault.at
        else:
            incident.further += 1

    def _incident(self, at: float) -> IncidentStory:
        if self._open is None:
            self._open = IncidentStory(at)
        return self._open

    def _remark(self, fact: JobResized | CapacityAwaited | TargetReached) -> RemarkStory:
        if isinstance(fact, TargetReached):
            return RemarkStory(fact.at, f"step {fact.step:,} reached, the job is completed")
        if isinstance(fact, CapacityAwaited):
            remark = f"waits for capacity: {fact.healthy_nodes:,} healthy nodes, {fact.needed_nodes:,} needed"
            return RemarkStory(fact.at, remark, is_warning=True)
        before = fact.nominal_gpus if self._gpus is None else self._gpus
        self._gpus = fact.active_gpus
        verb = "shrinks" if fact.active_gpus < before else "grows"
        remark = f"the job {verb} to {fact.active_gpus:,} of {fact.nominal_gpus:,} GPUs"
        return RemarkStory(fact.at, remark)


def _of_corruption(fact: CorruptionBaked | WorkVoided) -> RemarkStory:
    if isinstance(fact, CorruptionBaked):
        remark = f"{_where(fact.node)} {fact.kind} is baked into the checkpoint of step {fact.step:,}"
    else:
        void = counted(fact.lost_steps + fact.retracted_steps, "step")
        remark = f"the job ended on corrupt state: {void} after step {fact.step:,} void"
    return RemarkStory(fact.at, remark, is_warning=True)


def _heir(taken: NodeEvicted | NodeDrained) -> str:
    return "no spare" if taken.replacement is None else f"node {taken.replacement} takes over"


def _where(node: int | None) -> str:
    return "job" if node is None else f"node {node}"
