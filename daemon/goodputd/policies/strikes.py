"""First failure on a node restarts, the second evicts it without waiting for repair.

A restart cures most faults (73 % by Unicron, arXiv 2401.00134); what it does not cure comes back on
the same node, and the second strike within the window says so. Faults that blame no node never
strike and always restart (DESIGN rule 8).
"""

import math
from dataclasses import dataclass
from typing import Literal

from goodputd.policies._verdicts import DECISIONS, without_node
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.specs.fields import SECONDS_PER_DAY, SPEC, CountOrNever, Factor, PositiveFloat
from goodputd.sim.taxonomy import Action, Reason

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_COMPONENT_RULE = Reason.COMPONENT_RULE
_EVICT = Action.EVICT
_FURTHER_STRIKE = Reason.FURTHER_STRIKE
_RESTART = Action.RESTART
_SLOW_RANK = Reason.SLOW_RANK
_SLOW_TOLERATED = Reason.SLOW_TOLERATED
_TOLERATE = Action.TOLERATE

_REASONS = {1: Reason.FIRST_STRIKE, 2: Reason.SECOND_STRIKE}

NodeComponent = Literal[
    "gpu", "memory", "nvlink", "nic", "switch", "host", "power", "storage", "operator", "unknown"
]


@dataclass(slots=True, kw_only=True)
class StrikesSpec:
    """First failure restarts, second on the same node evicts."""

    __pydantic_config__ = SPEC

    strikes_to_evict: CountOrNever = 2
    """Failures of one node within the window that evict it; 0 never evicts."""
    window_days: PositiveFloat = 30.0
    """Days a strike stands."""
    lifetime: bool = False
    """Strikes stand until repair, whatever the window says."""
    evict_components: tuple[NodeComponent, ...] = ()
    """Components whose first failure evicts the node at once."""
    on_slow: Literal["restart", "tolerate", "evict"] = "restart"
    """What a slow rank that was found leads to: a restart like any failure, nothing, or eviction at once."""
    tolerate_below: Factor = 1.0
    """Slow ranks that lengthen the step by less than this multiple are tolerated, whatever `on_slow` says."""


class Strikes:
    """The policy ``strikes``."""

    name = "strikes"
    outlasts_repair = False

    def __init__(self, spec: StrikesSpec) -> None:
        """Nothing is kept but the settings; the node's history comes with each case."""
        self._limit = spec.strikes_to_evict
        self._evict_at_once = frozenset(spec.evict_components)
        self._tolerated = math.inf if spec.on_slow == "tolerate" else spec.tolerate_below - 1.0
        """Slowdowns below this are."""
        self._evict_slow = spec.on_slow == "evict"
        self._window = math.inf if spec.lifetime else spec.window_days * SECONDS_PER_DAY

    @property
    def window_seconds(self) -> float:
        """How long a strike stands."""
        return self._window

    def decide(self, case: Case) -> Decision:
        """Evict by component rule, for being slow or by strike count, restart otherwise."""
        detection = case.detection
        if detection.slowdown:
            if detection.slowdown < self._tolerated:
                return DECISIONS[_TOLERATE, _SLOW_TOLERATED]
            if self._evict_slow and detection.node is not None:
                return DECISIONS[_EVICT, _SLOW_RANK]
        if detection.node is None:
            return without_node(detection)
        if detection.component in self._evict_at_once:
            return DECISIONS[_EVICT, _COMPONENT_RULE]
        reason = _REASONS.get(case.strikes, _FURTHER_STRIKE)
        evict = 0 < self._limit <= case.strikes
        return DECISIONS[_EVICT if evict else _RESTART, reason]
