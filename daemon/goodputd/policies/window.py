"""So many failures of one node in so many days evict it, those before a repair included.

Unlike ``strikes`` it forgives with time alone: a repair that did not help is not taken for a cure.
"""

from dataclasses import dataclass

from goodputd.policies._verdicts import DECISIONS, without_node
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.specs.fields import SECONDS_PER_DAY, SPEC, PositiveCount, PositiveFloat
from goodputd.sim.taxonomy import Action, Reason

_EVICT = DECISIONS[Action.EVICT, Reason.LIMIT_REACHED]
_RESTART = DECISIONS[Action.RESTART, Reason.WITHIN_LIMIT]


@dataclass(slots=True, kw_only=True)
class WindowSpec:
    """So many failures of one node in so many days evict it; repair does not clear them."""

    __pydantic_config__ = SPEC

    failures: PositiveCount = 3
    """Failures of one node within the window that evict it."""
    days: PositiveFloat = 7.0
    """Days a failure counts."""


class Window:
    """The policy ``window``."""

    name = "window"
    outlasts_repair = True

    def __init__(self, spec: WindowSpec) -> None:
        """Nothing is kept but the settings; the node's history comes with each case."""
        self._limit = spec.failures
        self.window_seconds = spec.days * SECONDS_PER_DAY

    def decide(self, case: Case) -> Decision:
        """Evict at the limit, restart below it."""
        if case.detection.node is None:
            return without_node(case.detection)
        return _EVICT if case.strikes >= self._limit else _RESTART
