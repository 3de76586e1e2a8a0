"""Records of the past: what is told of one incident, as plain data.

Made by ``fold``, judged by ``judgement``, joined into post-mortems by ``postmortem``; read by pages
and by the API, whose schema is made from these classes. Immutable once folded, by convention (frozen
ones cost four times as much to make). Instants (``at``, ``_at``) are simulated seconds since start.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from goodputd.sim.taxonomy import (
    Action,
    Bucket,
    Component,
    Layer,
    Origin,
    Reason,
    Symptom,
    VerificationOutcome,
)

_CARRIED_OUT: Final = frozenset({Action.RESTART, Action.EVICT, Action.RETIRE})

DESCRIBED: Final[dict[str, Any]] = {"use_attribute_docstrings": True}
"""``__pydantic_config__`` of a record: the sentence below a field describes it in the schema."""


class FaultOutcome(StrEnum):
    """What became of a fault between the last resume and the next one."""

    DETECTED = "detected"
    TOLERATED = "tolerated"
    MASKED = "masked"
    UNDETECTED = "undetected"
    BENIGN = "benign"


class ClaimResult(StrEnum):
    """How a layer did on one fault."""

    FIRST = "first"
    LATE = "late"
    BLIND = "blind"


@dataclass(slots=True, kw_only=True)
class LayerClaim:
    """One layer on one fault."""

    __pydantic_config__ = DESCRIBED

    layer: Layer
    result: ClaimResult
    """``first`` won; ``late`` is when it would have claimed the fault; ``blind`` never would."""
    latency_seconds: float | None
    """From the fault to the claim."""


@dataclass(slots=True, kw_only=True)
class FaultRecord:
    """One fault, the truth."""

    __pydantic_config__ = DESCRIBED

    id: str
    """The same in all scenarios that meet the fault."""
    at: float
    kind: str
    component: Component
    symptom: Symptom
    origin: Origin
    node: int | None
    """None: the job as a whole."""
    transient: bool
    """A restart cures it; otherwise it comes back until the node is replaced."""
    baked_step: int | None = None
    """The step of the checkpoint that its corruption was baked into."""
    outcome: FaultOutcome
    detected_by: Layer | None
    """``none`` is a person, after every layer stayed silent."""
    detected_at: float | None
    claims: tuple[LayerClaim, ...]
    """Every layer that is on, once the fault is detected: the winner first, the blind ones last."""


@dataclass(slots=True, kw_only=True)
class FalseAlarmRecord:
    """A layer claimed a fault where there was none."""

    at: float
    layer: Layer
    node: int


@dataclass(slots=True, kw_only=True)
class DecisionRecord:
    """What the policy decided, and on what."""

    __pydantic_config__ = DESCRIBED

    at: float
    incident: int | None
    """None: a slow rank that was let be, which opens no incident."""
    action: Action
    reason: Reason
    node: int | None
    component: Component | None
    """What the detection named as broken; ``false_alarm`` when nothing was; None for a wait."""
    strikes: int
    """Standing on the node, this one included."""
    fault: str | None
    """Id of the fault behind the detection; None for a false alarm or a wait."""
    cured: tuple[str, ...] | None = None
    """Ids of the permanent faults that a reset of the device took away; None where none was reset."""
    replacement: int | None = None
    """The spare that took an evicted node's slot; None when the job shrank."""
    repair_seconds: float | None = None
    """How long an evicted node is away."""


@dataclass(slots=True, kw_only=True)
class StageRecord:
    """One stretch of an incident; together they cover it from the stop to verified training."""

    __pydantic_config__ = DESCRIBED

    name: str
    """A stage of the plan, ``detect``, ``stall``, ``wait`` (for capacity), ``left_out``, ``in_progress``."""
    bucket: Bucket | None
    """The ledger bucket that it cost; None while it is in progress and where facts are left out."""
    begins_at: float
    seconds: float
    settings_seconds: float | None
    """What the settings say that it takes: ``detect`` its timeout, a stage its mean. None where they say
    nothing, and for a restore as long as the size of the job that goes on is not known."""
    cut: bool
    """Another fault ended it early."""


@dataclass(slots=True, kw_only=True)
class VerificationRecord:
    """The loss after a restore, compared with the loss before the fault."""

    __pydantic_config__ = DESCRIBED

    at: float
    outcome: VerificationOutcome
    difference: float
    """Mean loss after minus before."""
    step: int
    """The step that was restored."""


@dataclass(slots=True, kw_only=True)
class IncidentRecord:
    """One incident, from its first detection or planned stop to verified training."""

    __pydantic_config__ = DESCRIBED

    scenario: str
    number: int
    began_at: float
    """The first fault or false alarm, or the planned stop."""
    stopped_at: float
    """When training stopped: at the fault if that stops the job, else at the detection."""
    resumed_at: float | None
    """When training was verified; None while the incident is open."""
    stopped_seconds: float
    """So far, while it is open."""
    component: Component
    """What was blamed first."""
    layer: Layer
    """Who noticed first."""
    node: int | None
    """The node that was blamed first."""
    faults: tuple[FaultRecord, ...]
    """Everything that struck since training was last verified, benign faults included, and what struck
    earlier and was found by the corrupt state that it left behind."""
    false_alarms: tuple[FalseAlarmRecord, ...]
    decisions: tuple[DecisionRecord, ...]
    stages: tuple[StageRecord, ...]
    verifications: tuple[VerificationRecord, ...]
    lost_steps: int | None
    """Steps since the newest checkpoint; None while the incident is open."""
    retracted_steps: int | None
    """Steps taken back although a checkpoint covered them."""
    lost_work_seconds: float | None
    """Lost and retracted steps, at the step time of the settings."""
    restored_step: int | None
    active_gpus: int | None
    """Of the job that goes on."""
    facts_left_out: int = 0
    """Of a long incident the first facts and the newest are kept, and not so many between them."""
    drained: tuple[int, ...] = ()
    """Nodes that were given up for planned maintenance."""

    @property
    def is_open(self) -> bool:
        """Training is not verified yet."""
        return self.resumed_at is None

    @property
    def all_lost_steps(self) -> int | None:
        """Lost and retracted steps; None while the incident is open."""
        if self.lost_steps is None or self.retracted_steps is None:
            return None
        return self.lost_steps + self.retracted_steps

    @property
    def decision(self) -> DecisionRecord | None:
        """The newest decision that was carried out."""
        carried_out = [each for each in self.decisions if each.action in _CARRIED_OUT]
        return carried_out[-1] if carried_out else None

    @property
    def first_fault(self) -> FaultRecord | None:
        """The fault whose detection opened the incident; None for a false alarm or a planned stop."""
        found = [fault for fault in self.faults if fault.outcome is FaultOutcome.DETECTED]
        first = min(found, key=lambda fault: fault.detected_at or 0.0, default=None)
        if first is None or any(alarm.at < (first.detected_at or 0.0) for alarm in self.false_alarms):
            return None
        return first
