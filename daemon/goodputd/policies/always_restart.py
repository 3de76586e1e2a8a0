"""Every failure restarts, whoever failed and however often: no node is ever evicted.

The naive end of the scale. Permanent faults stay in the job and come back.
"""

from goodputd.policies._verdicts import DECISIONS, without_node
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.taxonomy import Action, Reason

_ALWAYS = DECISIONS[Action.RESTART, Reason.ALWAYS]


class AlwaysRestart:
    """The policy ``always_restart``; it has no settings."""

    name = "always_restart"
    window_seconds = 30.0 * SECONDS_PER_DAY
    """For the count of strikes that people see; nothing is decided on it."""
    outlasts_repair = False

    def decide(self, case: Case) -> Decision:
        """Restart."""
        return _ALWAYS if case.detection.node is not None else without_node(case.detection)
