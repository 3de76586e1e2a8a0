"""What every policy says alike: decisions made once, and detections that blame no node.

A fault that blames no node has nothing to evict: it restarts, whatever the policy (DESIGN rule 8).
"""

from typing import Final

from goodputd.sim.observation import Detection
from goodputd.sim.protocols import Decision
from goodputd.sim.taxonomy import Action, Component, Reason

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_RESTART = Action.RESTART
_SOFTWARE = Component.SOFTWARE

DECISIONS: Final = {(action, reason): Decision(action, reason) for action in Action for reason in Reason}
"""Made once: there are few, and one is needed for every fault."""

_OF_SOFTWARE: Final = DECISIONS[_RESTART, Reason.SOFTWARE]
_OF_NO_NODE: Final = DECISIONS[_RESTART, Reason.NO_NODE]


def without_node(detection: Detection) -> Decision:
    """The decision for a detection that blames no node."""
    return _OF_SOFTWARE if detection.component == _SOFTWARE else _OF_NO_NODE
