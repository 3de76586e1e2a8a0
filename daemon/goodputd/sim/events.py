"""What happened (facts, past tense) and what is asked (commands, imperative).

Facts are the history of a scenario: two runs are equal when their facts are. They name a fault by
its id and never hold it, so that whoever reads a history learns nothing the monitoring could not.
``at`` and every ``_at`` is simulated seconds since start.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from goodputd.sim.observation import Claim
from goodputd.sim.taxonomy import (
    Action,
    Component,
    Layer,
    Origin,
    Reason,
    StageName,
    Symptom,
    VerificationOutcome,
)


@dataclass(slots=True)
class FaultOccurred:
    """A fault of the ground truth struck the job; ``node`` is None for a fault of the whole job."""

    at: float
    fault: str
    kind: str
    component: Component
    symptom: Symptom
    origin: Origin
    node: int | None
    transient: bool


@dataclass(slots=True)
class DetectionRaised:
    """The first layer claimed a fault; ``latency_seconds`` runs from the fault.

    ``claims`` says when each layer that is not blind to the fault claimed it or would have, first
    claim first: (simulated seconds, index of the detector, layer).
    """

    at: float
    fault: str
    kind: str
    layer: Layer
    node: int | None
    latency_seconds: float
    incident: int | None
    claims: Sequence[Claim]


@dataclass(slots=True)
class FalseAlarmRaised:
    """A layer claimed a fault where there was none, and blamed ``node``."""

    at: float
    layer: Layer
    node: int
    incident: int


@dataclass(slots=True)
class FaultMasked:
    """A restart cured a fault that nobody had detected (DESIGN rule 4)."""

    at: float
    fault: str
    kind: str
    node: int | None


@dataclass(slots=True)
class CorruptionBaked:
    """A checkpoint of ``step`` became durable, or was the last of the job, that holds a corruption."""

    at: float
    fault: str
    kind: str
    node: int | None
    step: int


@dataclass(slots=True)
class WorkVoided:
    """The job ended on corrupt state: the work after the clean checkpoint of ``step`` is worth nothing."""

    at: float
    step: int
    lost_steps: int
    retracted_steps: int


@dataclass(slots=True)
class DecisionMade:
    """The policy decided; ``strikes`` counts those standing on ``node`` at that moment."""

    at: float
    incident: int | None
    action: Action
    reason: Reason
    node: int | None
    strikes: int


@dataclass(slots=True)
class DeviceReset:
    """The restart that was decided on resets a device in place.

    ``cured`` are the permanent faults that this takes away, by id (ground truth).
    """

    at: float
    incident: int
    node: int
    cured: tuple[str, ...]


@dataclass(slots=True)
class NodeEvicted:
    """A node left the job for repair; ``replacement`` took its slot, None when the job shrank.

    ``repair_seconds`` is work on the node; waiting for a crew comes on top.
    """

    at: float
    node: int
    replacement: int | None
    repair_seconds: float


@dataclass(slots=True)
class NodeReturned:
    """A node came back from repair as a spare, its strikes cleared.

    ``no_fault_found``: a false alarm or a wrong diagnosis had sent it there. ``cured`` is False
    where the repair reported success and changed nothing (ground truth).
    """

    at: float
    node: int
    no_fault_found: bool = False
    cured: bool = True


@dataclass(slots=True)
class NodeRetired:
    """A node left the fleet for good when its repair was over."""

    at: float
    node: int


@dataclass(slots=True)
class NodeDrained:
    """A node was given up for planned maintenance; ``replacement`` took its slot, None for a shrink."""

    at: float
    node: int
    replacement: int | None
    maintenance_seconds: float


@dataclass(slots=True)
class NodePreempted:
    """Other work gave up a node, which waits as a spare from now on."""

    at: float
    node: int


@dataclass(slots=True)
class JobResized:
    """The job lost or regained whole replicas."""

    at: float
    active_replicas: int
    active_gpus: int
    nominal_gpus: int


@dataclass(slots=True)
class CapacityAwaited:
    """Too few healthy nodes for the smallest job the policy allows; the job waits."""

    at: float
    incident: int
    healthy_nodes: int
    needed_nodes: int


@dataclass(slots=True)
class StageFinished:
    """A stage of a recovery ended; ``cut`` says that another fault ended it early."""

    at: float
    incident: int
    stage: StageName
    seconds: float
    cut: bool


@dataclass(slots=True)
class RestoreVerified:
    """The losses after a restore were compared with those of the same steps before the fault.

    ``difference`` is the mean loss after minus before, in units of the loss.
    """

    at: float
    incident: int
    outcome: VerificationOutcome
    difference: float
    step: int


@dataclass(slots=True)
class TrainingResumed:
    """Training is verified and goes on: the incident is closed.

    ``lost_steps`` and ``retracted_steps`` add up to the step at the stop minus ``step``.
    """

    at: float
    incident: int
    component: Component
    layer: Layer
    action: Action
    node: int | None
    step: int
    lost_steps: int
    retracted_steps: int
    stopped_seconds: float
    active_gpus: int


@dataclass(slots=True)
class TargetReached:
    """The job executed the step it was asked to run to; it is completed."""

    at: float
    step: int


Fact = (
    FaultOccurred
    | DetectionRaised
    | FalseAlarmRaised
    | FaultMasked
    | CorruptionBaked
    | WorkVoided
    | DecisionMade
    | DeviceReset
    | NodeEvicted
    | NodeReturned
    | NodeRetired
    | NodePreempted
    | NodeDrained
    | JobResized
    | CapacityAwaited
    | StageFinished
    | RestoreVerified
    | TrainingResumed
    | TargetReached
)


@dataclass(slots=True)
class InjectFault:
    """Strike ``node`` (None: the whole job) with a fault of the named kind, now.

    Errors: ``KeyError`` when the catalog holds no such kind, ``ValueError`` for a node number that
    does not exist or a scope that does not fit the kind.
    """

    kind: str
    node: int | None
    transient: bool = True
    origin: Origin = Origin.INJECTED


Command = InjectFault
