"""What a detector and a policy are, and the read-only views they are given.

Both are arithmetic, not processes: a detector answers *when* it would claim a fault, so that no
event is spent on polls and beats that find nothing.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from goodputd.sim.observation import Detection, JobView, Observation
from goodputd.sim.taxonomy import Action, Layer, Reason


class Detector(Protocol):
    """One layer of monitoring."""

    layer: Layer

    @property
    def timeout_seconds(self) -> float | None:
        """The longest silence or delay this layer lets pass, simulated seconds; None without one."""
        ...

    @property
    def sees_during_recovery(self) -> bool:
        """Whether the layer works while the job is being restarted (DESIGN rule 3)."""
        ...

    def claims_at(self, observation: Observation) -> float | None:
        """When the layer claims the fault, simulated seconds; None when it is blind to it."""
        ...

    def false_alarms_per_second(self, job: JobView) -> float:
        """Expected false alarms per simulated second of running job."""
        ...


@dataclass(slots=True)
class Case:
    """What a policy decides on."""

    at: float
    detection: Detection
    strikes: int
    """Strikes standing on the node, this one included; 0 when no node is to blame."""
    score: float = 0.0
    """The node's score after this failure, for policies that keep one."""


@dataclass(slots=True)
class Decision:
    """What to do, and why."""

    action: Action
    reason: Reason


class Policy(Protocol):
    """Decides what an incident calls for."""

    name: str

    @property
    def window_seconds(self) -> float:
        """How long a strike stands; infinite for lifetime counting."""
        ...

    @property
    def outlasts_repair(self) -> bool:
        """Whether strikes stay with a node that comes back from repair."""
        ...

    def decide(self, case: Case) -> Decision:
        """The decision for one detected fault or false alarm."""
        ...


@runtime_checkable
class ScoringPolicy(Policy, Protocol):
    """A policy that keeps a score per node."""

    def rescore(self, score: float | None, up_seconds: float) -> float:
        """The score after one more failure of a node, None for its first.

        ``up_seconds`` is how long it was up since the last one, or since its last repair.
        """
        ...
