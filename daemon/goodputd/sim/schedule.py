"""The schedule: a heap of (instant, sequence, entry), and nothing that knows what an entry means.

The sequence number makes ties run in scheduling order, so entries never need comparing and the
order of a run is a function of its history alone. A cancelled entry stays in the heap until it is
popped or until such entries are the majority.
"""

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any, Final

_SWEEP_AT_LEAST: Final = 64



@dataclass(slots=True)
class Schedule:
    """What is going to happen, earliest first."""

    _heap: list[tuple[float, int, str, Any]] = field(default_factory=list)
    _cancelled: set[int] = field(default_factory=set)
    _sequence: int = 0

    def push(self, at: float, name: str, payload: Any = None) -> int:  # noqa: ANN401 - the caller's
        """Schedule an entry; returns the number that cancels it."""
        self._sequence += 1
        heappush(self._heap, (at, self._sequence, name, payload))
        return self._sequence

    def cancel(self, sequence: int) -> None:
        """Drop a pending entry; the number must not have been popped yet."""
        self._cancelled.add(sequence)
        if len(self._cancelled) > _SWEEP_AT_LEAST and 2 * len(self._cancelled) > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[1] not in self._cancelled]
            heapify(self._heap)
            self._cancelled.clear()

    @property
    def next_at(self) -> float | None:
        """When the next entry is due; None when nothing is going to happen."""
        heap = self._heap
        while heap and heap[0][1] in self._cancelled:
            self._cancelled.remove(heappop(heap)[1])
        return heap[0][0] if heap else None

    def pop_due(self, at: float) -> tuple[float, int, str, Any] | None:
        """The next entry that is due at or before ``at``, removed; None when there is none."""
        heap = self._heap
        while heap and heap[0][0] <= at:
            entry = heappop(heap)
            if entry[1] in self._cancelled:
                self._cancelled.remove(entry[1])
                continue
            return entry
        return None
