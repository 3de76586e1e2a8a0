"""The schedule: a heap of (instant, sequence, name, payload), and nothing that knows what they mean.

The sequence number makes ties run in scheduling order, so payloads never need comparing and the
order of a run is a function of its history alone. A cancelled entry stays in the heap until its
turn comes or until such entries are the majority.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any, Final

_SWEEP_AT_LEAST: Final = 64

Entry = tuple[float, int, str, Any]


@dataclass(slots=True)
class Schedule:
    """What is going to happen, earliest first."""

    _heap: list[Entry] = field(default_factory=list)
    _cancelled: set[int] = field(default_factory=set)
    _sequence: int = 0

    def push(self, at: float, name: str, payload: Any = None) -> int:  # noqa: ANN401 - the caller's
        """Schedule an entry; returns the number that cancels it."""
        self._sequence = sequence = self._sequence + 1
        heappush(self._heap, (at, sequence, name, payload))
        return sequence

    def cancel(self, sequence: int) -> None:
        """Drop a pending entry; it must not have had its turn yet."""
        cancelled = self._cancelled
        cancelled.add(sequence)
        if len(cancelled) > _SWEEP_AT_LEAST and 2 * len(cancelled) > len(self._heap):
            # in place: `due` may be iterating over this very list
            self._heap[:] = [entry for entry in self._heap if entry[1] not in cancelled]
            heapify(self._heap)
            cancelled.clear()

    @property
    def next_at(self) -> float | None:
        """When the next entry is due; None when nothing is going to happen."""
        heap = self._heap
        while heap and heap[0][1] in self._cancelled:
            self._cancelled.remove(heappop(heap)[1])
        return heap[0][0] if heap else None

    def due(self, at: float) -> Iterator[Entry]:
        """The entries due at or before ``at``, each removed before it is handed out.

        Entries that are pushed or cancelled on the way count.
        """
        heap, cancelled = self._heap, self._cancelled
        while heap and heap[0][0] <= at:
            entry = heappop(heap)
            if entry[1] in cancelled:
                cancelled.remove(entry[1])
            else:
                yield entry
