"""The tally: counters and histograms of what happened, kept as it happens.

Counts only; it decides nothing. Counters never fall. Closed label sets are complete from the start,
since a counter whose first sample is its first event loses that event.
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import product
from typing import Final

from goodputd.sim.faults import FaultKind
from goodputd.sim.protocols import Detector
from goodputd.sim.snapshot import Histogram, Total
from goodputd.sim.taxonomy import (
    Action,
    Component,
    CorruptionOutcome,
    DetectionResult,
    Layer,
    Origin,
    Reason,
    RecoveryOutcome,
    StageName,
    Symptom,
    VerificationOutcome,
)

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_EVICT: Final = Action.EVICT
_FAILURE: Final = RecoveryOutcome.FAILURE
_FIRST: Final = DetectionResult.FIRST
_LATE: Final = DetectionResult.LATE
_LAYER_PLANNED: Final = Layer.PLANNED
_NONE: Final = Layer.NONE
_PLANNED: Final = Component.PLANNED
_PRIMARY: Final = Origin.PRIMARY
_RECURRENCE: Final = Origin.RECURRENCE
_RESTART: Final = Action.RESTART
_SUCCESS: Final = RecoveryOutcome.SUCCESS

RECOVERY_BOUNDS: Final[tuple[float, ...]] = (
    60.0, 120.0, 180.0, 240.0, 300.0, 360.0, 420.0, 480.0, 540.0, 600.0,
    720.0, 840.0, 960.0, 1200.0, 1800.0, 3600.0, 7200.0, 14400.0, 86400.0,
)  # fmt: skip
"""Seconds; DESIGN §5."""
DETECTION_BOUNDS: Final[tuple[float, ...]] = (
    1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 45.0, 60.0,
    120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 14400.0,
)  # fmt: skip
"""Seconds; from a vendor event to a person."""
SETTLING_SECONDS: Final = 86400.0
"""How long a recovery must hold to count as a success (DESIGN rule 13)."""

DECISIONS: Final[tuple[tuple[Action, Reason], ...]] = (
    (Action.RESTART, Reason.FIRST_STRIKE),
    (Action.RESTART, Reason.SECOND_STRIKE),
    (Action.RESTART, Reason.FURTHER_STRIKE),
    (Action.RESTART, Reason.SOFTWARE),
    (Action.RESTART, Reason.NO_NODE),
    (Action.EVICT, Reason.FIRST_STRIKE),
    (Action.EVICT, Reason.SECOND_STRIKE),
    (Action.EVICT, Reason.FURTHER_STRIKE),
    (Action.EVICT, Reason.COMPONENT_RULE),
    (Action.EVICT, Reason.SLOW_RANK),
    (Action.RESTART, Reason.ALWAYS),
    (Action.RESTART, Reason.WITHIN_LIMIT),
    (Action.RESTART, Reason.DEPLETION_GUARD),
    (Action.EVICT, Reason.ALWAYS),
    (Action.EVICT, Reason.LIMIT_REACHED),
    (Action.EVICT, Reason.LOW_SCORE),
    (Action.RETIRE, Reason.LOW_SCORE),
    (Action.WAIT_FOR_CAPACITY, Reason.NO_CAPACITY),
    (Action.TOLERATE, Reason.SLOW_TOLERATED),
)
"""The pairs that can occur; all are counted from 0."""


class Counting:
    """A histogram being filled."""

    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        """Upper bounds, inclusive, ascending."""
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    @property
    def total(self) -> Total:
        """Sum and number of observations."""
        return Total(self._sum, sum(self._counts))

    def observe(self, value: float) -> None:
        """Count one value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def frozen(self) -> Histogram:
        """A copy for the snapshot."""
        return Histogram(self._bounds, tuple(self._counts), self._sum)


@dataclass(slots=True)
class Tally:
    """Everything that is counted."""

    interruptions: dict[tuple[Component, Layer], int]
    faults: dict[tuple[str, Component, Origin], int]
    false_alarms: dict[Layer, int]
    detections: dict[tuple[Layer, DetectionResult], Counting]
    recorded: int = 0
    """Faults whose latencies are in ``detections``: each layer claimed each of them first, late or never."""
    logged: int = 0
    """Those of them that left a hardware event."""
    expected_interruptions: float = 0.0
    decisions: dict[tuple[Action, Reason], int] = field(default_factory=lambda: dict.fromkeys(DECISIONS, 0))
    verifications: dict[VerificationOutcome, int] = field(
        default_factory=lambda: dict.fromkeys(VerificationOutcome, 0)
    )
    recovery: Counting = field(default_factory=lambda: Counting(RECOVERY_BOUNDS))
    stages: dict[StageName, Total] = field(default_factory=lambda: {s: Total(0.0, 0) for s in StageName})
    mttd: dict[Symptom, Total] = field(
        default_factory=lambda: {s: Total(0.0, 0) for s in Symptom if s is not Symptom.BENIGN}
    )
    last_interruption_at: float | None = None
    unreadable: int = 0
    """Checkpoints that could not be read back."""
    corruptions_injected: int = 0
    corruptions: dict[CorruptionOutcome, int] = field(
        default_factory=lambda: dict.fromkeys(CorruptionOutcome, 0)
    )

    def misses(self) -> dict[Layer, int]:
        """How many of the recorded faults each layer never claimed."""
        counts = {key: counting.total.count for key, counting in self.detections.items()}
        return {
            layer: self.recorded - counts[layer, _FIRST] - counts[layer, _LATE] for layer in self.false_alarms
        }

    def interruption(self, component: Component, layer: Layer, at: float) -> None:
        """An incident was opened."""
        self.interruptions[component, layer] += 1
        if component is not _PLANNED:
            self.last_interruption_at = at

    def fault(self, kind: FaultKind, origin: Origin) -> None:
        """A fault struck the job."""
        key = (kind.name, kind.component, origin)
        self.faults[key] = self.faults.get(key, 0) + 1


def new_tally(kinds: tuple[FaultKind, ...], detectors: tuple[Detector, ...]) -> Tally:
    """A tally at zero, complete for these kinds and layers."""
    layers = [detector.layer for detector in detectors]
    causes = [component for component in Component if component is not _PLANNED]
    sources = [*layers, _NONE]
    interruptions: dict[tuple[Component, Layer], int] = dict.fromkeys(product(causes, sources), 0)
    interruptions[_PLANNED, _LAYER_PLANNED] = 0
    origins = (_PRIMARY, _RECURRENCE)
    faults = {(kind.name, kind.component, origin): 0 for kind in kinds for origin in origins}
    results = {
        (layer, result): Counting(DETECTION_BOUNDS) for layer, result in product(layers, DetectionResult)
    }
    results[_NONE, _FIRST] = Counting(DETECTION_BOUNDS)
    return Tally(interruptions, faults, dict.fromkeys(layers, 0), results)


class Outcomes:
    """Which recoveries held for a day (DESIGN rule 13).

    The cause of a recovery is the node or software that must stay healthy: the restarted node, or
    the one that took an evicted node's slot.
    """

    __slots__ = ("_counts", "_pending")

    def __init__(self) -> None:
        """Nothing is pending."""
        self._pending: dict[str, tuple[float, Action]] = {}
        self._counts = dict.fromkeys(product((_RESTART, _EVICT), RecoveryOutcome), 0)

    def failed_again(self, cause: str, at: float) -> None:
        """The cause failed: its pending recovery, if young enough, was in vain."""
        pending = self._pending.pop(cause, None)
        if pending is not None:
            since, action = pending
            young = at - since < SETTLING_SECONDS
            self._counts[action, _FAILURE if young else _SUCCESS] += 1

    def in_vain(self, action: Action) -> None:
        """A recovery whose cause failed before training was even verified."""
        self._counts[action, _FAILURE] += 1

    def verified(self, recoveries: dict[str, Action], at: float) -> None:
        """Training was verified at ``at`` after these recoveries, by cause."""
        pending = self._pending
        while pending:
            cause = next(iter(pending))
            since, action = pending[cause]
            if at - since < SETTLING_SECONDS:
                break
            del pending[cause]
            self._counts[action, _SUCCESS] += 1
        for cause, action in recoveries.items():
            pending.pop(cause, None)  # to the end of the line: the loop above relies on the order
            pending[cause] = (at, action)

    def at(self, now: float) -> dict[tuple[Action, RecoveryOutcome], int]:
        """The counts as of ``now``; changes nothing."""
        counts = dict(self._counts)
        for since, action in self._pending.values():
            if now - since >= SETTLING_SECONDS:
                counts[action, _SUCCESS] += 1
        return counts
