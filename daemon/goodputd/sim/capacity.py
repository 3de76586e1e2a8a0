"""Capacity: the healthy nodes outside the job, and how soon each can take a place in it.

Warm standbys take a free place at once. Cold nodes belong to the job's pool but wait for a host
selection, which places the whole job anew by rank. Preemptible nodes run other work until they are
asked for. Knows ranks, nothing of slots, repairs or time.
"""

from bisect import insort
from dataclasses import dataclass
from math import inf

from goodputd.sim.specs.cluster import CapacitySpec
from goodputd.sim.streams import uniforms


@dataclass(slots=True)
class CapacityCounts:
    """Counters; none of them ever falls."""

    host_selections: int = 0
    displaced: int = 0
    preemptions: int = 0


Rank = tuple[float, int]
"""Lower is chosen first; the node number decides ties."""


class Reserve:
    """Who waits, by readiness.

    ``warm`` is ordered: its first is the next to take a place. ``cold`` is ordered by rank.
    """

    __slots__ = (
        "_failures",
        "_in_service_since",
        "_returns",
        "_seed",
        "_selection",
        "_visits",
        "cold",
        "counts",
        "displaces",
        "is_preempting",
        "preemptible",
        "unsettled",
        "warm",
        "warm_standbys",
    )

    def __init__(self, spec: CapacitySpec, seed: int, spares: list[int]) -> None:
        """``spares`` are the numbers of all nodes beyond the job, lowest first."""
        self._seed = seed
        self._selection = spec.host_selection
        self.displaces = spec.host_selection in {"fewest_failures", "longest_in_service"}
        """Whether a host selection benches nodes of the job for better ones."""
        self.warm_standbys = inf if spec.warm_standbys is None else spec.warm_standbys
        self._failures: dict[int, int] = {}
        self._in_service_since: dict[int, int] = {}
        """Ordinal of the node's last return; nodes that were never away have none."""
        self._visits: dict[int, int] = {}
        self._returns = 0
        self.counts = CapacityCounts()
        self.is_preempting = False
        """A node was asked for and is on its way."""
        own = len(spares) - spec.preemptible
        self.preemptible = spares[own:]
        ranked = sorted((self.rank(node), node) for node in spares[:own])
        ready = min(len(ranked), self.warm_standbys)
        self.warm = [node for _, node in ranked[: int(ready)]]
        self.cold = ranked[int(ready) :]
        self.unsettled: set[int] = set()
        """Nodes, in the job or warm, whose rank was not compared with those of the cold ones yet."""

    def rank(self, node: int) -> Rank:
        """The node's rank as of now."""
        if self._selection == "fewest_failures":
            return self._failures.get(node, 0), node
        if self._selection == "longest_in_service":
            return self._in_service_since.get(node, 0), node
        if self._selection == "random":
            return uniforms(self._seed, f"placement/{node}/{self._visits.get(node, 0)}", 1)[0], node
        return 0, node

    def failed(self, node: int) -> None:
        """The node was blamed for a failure."""
        if self._selection == "fewest_failures":
            self._failures[node] = self._failures.get(node, 0) + 1
            self.unsettled.add(node)

    def admit(self, node: int) -> None:
        """A node came back from repair, or was freed by other work."""
        if self._selection == "longest_in_service":
            self._returns += 1
            self._in_service_since[node] = self._returns
        elif self._selection == "random":
            self._visits[node] = self._visits.get(node, 0) + 1
        if len(self.warm) < self.warm_standbys:
            self.warm.append(node)
            if self.displaces:
                self.unsettled.add(node)
            else:
                self.warm.sort(key=self.rank)
        else:
            insort(self.cold, (self.rank(node), node))

    def bench(self, node: int) -> None:
        """A node of the job, or a warm one, has to wait for its turn."""
        insort(self.cold, (self.rank(node), node))

    def warm_up(self, wanted: int) -> None:
        """Make up to ``wanted`` nodes warm, best rank first, whatever the number of standbys."""
        while self.cold and len(self.warm) < wanted:
            self.warm.append(self.cold.pop(0)[1])

    def preempt(self) -> int:
        """The other work gave up a node, which now waits here; returns its number."""
        node = self.preemptible.pop(0)
        self.counts.preemptions += 1
        self.admit(node)
        return node
