"""One incident: from the first detection to verified training.

Holds what the incident knows about itself; ``simulation`` moves it along. A fault that is detected
before training is verified joins the open incident (DESIGN rule 1).
"""

from dataclasses import dataclass, field
from typing import Final

from goodputd.sim.faults import Marks
from goodputd.sim.protocols import Case
from goodputd.sim.recovery import RecoveryPlan
from goodputd.sim.taxonomy import Action, CheckpointTier, Component, Layer, StageName

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_PLANNED: Final = Component.PLANNED
_REMOTE: Final = CheckpointTier.REMOTE


@dataclass(slots=True)
class Undecided:
    """A detection that waits for its decision.

    ``cause`` names what must stay healthy for the recovery to have helped: the node, or the kind
    of a fault that blames none.
    """

    case: Case
    marks: Marks
    cause: str
    named: int | None = None
    """The node that triage names by the time of the decision."""


@dataclass(slots=True)
class Incident:
    """The open incident; instants in simulated seconds, -1 for a schedule number not set."""

    number: int
    component: Component
    layer: Layer
    stop_step: int
    marks: Marks
    """Of the newest detection: its luck is the plan's luck."""
    pace: float = 1.0
    """Factor on the mean seconds of every stage."""
    plan: RecoveryPlan = ()
    stage_index: int = 0
    stage_since: float = 0.0
    plan_since: float = 0.0
    plan_entry: int = -1
    """Schedule number of the end of the plan; -1 while none is walked."""
    hold_up_entry: int = -1
    """Schedule number of the beginning of the collective that an undetected fault will hold up."""
    undecided: list["Undecided"] = field(default_factory=list)
    """Detections whose decision is not carried out yet, oldest first."""
    action: Action = Action.RESTART
    node: int | None = None
    """Action and node of the newest decision."""
    recoveries: dict[str, Action] = field(default_factory=dict)
    """What was done, by the node or software cause that must now stay healthy (DESIGN rule 13)."""
    first_stages: tuple[tuple[StageName, float], ...] = ()
    """(stage, seconds) that the next restart begins with and others do not have."""
    restore_step: int = 0
    restore_tier: CheckpointTier = _REMOTE
    unreadable: int = 0
    """Checkpoints that could not be read on the way to that one."""
    restores: int = 0
    """Restores verified so far."""
    repeats_crash: bool = False
    """The same software crash at the same step as last time (DESIGN rule 8)."""

    @property
    def is_planned(self) -> bool:
        """A planned stop, which is out of MTBF and MTTR (DESIGN rule 12)."""
        return self.component is _PLANNED
