"""Every failure of a node evicts it, the first one too.

The cautious end of the scale: nothing comes back, and every transient fault costs a repair.
"""

from goodputd.policies._verdicts import DECISIONS, without_node
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.taxonomy import Action, Reason

_ALWAYS = DECISIONS[Action.EVICT, Reason.ALWAYS]


class AlwaysEvict:
    """The policy ``always_evict``; it has no settings."""

    name = "always_evict"
    window_seconds = 30.0 * SECONDS_PER_DAY
    """For the count of strikes that people see; nothing is decided on it."""
    outlasts_repair = False

    def decide(self, case: Case) -> Decision:
        """Evict the node that is blamed."""
        return _ALWAYS if case.detection.node is not None else without_node(case.detection)
