"""The fleet: which node holds which slot of the job, who waits as a spare, who is in repair.

Nodes are numbered from 0; the job starts on the first ``nodes``, spares take the highest numbers.
A job needs whole replicas: replica r is the slots [r k, (r + 1) k). A node that leaves without a
replacement dissolves its replica, whose other nodes become idle and are used before the next
shrink (DESIGN rule 11). Only what changed is kept, so a fleet costs nothing until it breaks;
counts are kept, never scanned.
"""

from bisect import insort
from math import inf
from typing import Final

from goodputd.errors import InvariantError, TransitionError
from goodputd.sim.capacity import Reserve
from goodputd.sim.fleet import Fleet
from goodputd.sim.specs.cluster import ClusterSpec
from goodputd.sim.taxonomy import NodeState

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_ACTIVE: Final = NodeState.ACTIVE
_FAILED: Final = NodeState.FAILED
_IDLE: Final = NodeState.IDLE
_REPAIRING: Final = NodeState.REPAIRING
_RETIRED: Final = NodeState.RETIRED
_SPARE: Final = NodeState.SPARE


_MOVES: Final[dict[NodeState, frozenset[NodeState]]] = {
    NodeState.ACTIVE: frozenset({NodeState.FAILED, NodeState.REPAIRING, NodeState.IDLE, NodeState.SPARE}),
    NodeState.FAILED: frozenset({NodeState.ACTIVE, NodeState.REPAIRING, NodeState.IDLE}),
    NodeState.IDLE: frozenset({NodeState.ACTIVE, NodeState.REPAIRING}),
    NodeState.SPARE: frozenset({NodeState.ACTIVE}),
    NodeState.REPAIRING: frozenset({NodeState.SPARE, NodeState.RETIRED}),
    NodeState.RETIRED: frozenset(),
}
"""The legal moves of a node; every state has its row."""


def _illegal(node: int, before: NodeState, to: NodeState) -> TransitionError:
    return TransitionError(f"node {node} cannot go from {before} to {to}")


class Cluster:
    """States and slots of every node, and their strikes."""

    def __init__(
        self, spec: ClusterSpec, gpus_per_replica: int, *, seed: int = 0, outlasts_repair: bool = False
    ) -> None:
        """All nodes healthy; a replica must be whole nodes, which ``settings`` checks.

        ``outlasts_repair``: strikes stay with a node when it comes back from repair.
        """
        self._outlasts_repair = outlasts_repair
        self.gpus_per_node = spec.gpus_per_node
        self.nominal_nodes = spec.nodes
        self.total_nodes = spec.nodes + spec.spares
        self.nodes_per_replica = max(1, gpus_per_replica // spec.gpus_per_node)
        self.nominal_replicas = spec.nodes // self.nodes_per_replica
        self.counts: dict[NodeState, int] = dict.fromkeys(NodeState, 0)
        self._states: dict[int, NodeState] = {}
        self._slots: dict[int, int] = {}
        """Node -> slot, for nodes whose slot is not their number."""
        self._holders: dict[int, int] = {}
        """Slot -> node, for the same nodes."""
        self._dissolved: list[int] = []
        """Replicas without nodes, lowest first."""
        self._spares: list[int] = list(range(spec.nodes, self.total_nodes))
        """Who takes a place at once, in this order."""
        self.reserve: Reserve | None = None
        """Those who do not, where there are any."""
        if spec.capacity.warm_standbys is not None or spec.capacity.preemptible:
            self.reserve = Reserve(spec.capacity, seed, self._spares)
            self._spares = self.reserve.warm
        self._idle: list[int] = []
        job_nodes = self.nominal_replicas * self.nodes_per_replica
        for node in range(job_nodes, spec.nodes):
            self._states[node] = _IDLE
            self._idle.append(node)
        self.counts[_ACTIVE] = job_nodes
        self.counts[_IDLE] = len(self._idle)
        self.counts[_SPARE] = spec.spares
        self._strikes: dict[int, list[float]] = {}
        self.fleet: Fleet | None = None
        """How the nodes differ, where they do."""
        self.reshapes = 0
        """How often replicas were dissolved or filled: the same size may be other nodes."""
        self._count()

    def _count(self) -> None:
        """Work out the job's size; called when it changes."""
        self.reshapes += 1
        self.active_replicas = self.nominal_replicas - len(self._dissolved)
        """Replicas that have all their nodes."""
        self.active_nodes = self.active_replicas * self.nodes_per_replica
        self.active_gpus = self.active_nodes * self.gpus_per_node

    @property
    def nominal_gpus(self) -> int:
        """GPUs of the full job, without spares."""
        return self.nominal_nodes * self.gpus_per_node

    @property
    def waiting_nodes(self) -> int:
        """Healthy nodes outside the job that are free: spare and idle."""
        waiting = len(self._spares) + len(self._idle)
        return waiting if self.reserve is None else waiting + len(self.reserve.cold)

    @property
    def vacant_nodes(self) -> int:
        """Nodes that the dissolved replicas are short of."""
        return len(self._dissolved) * self.nodes_per_replica

    def state_of(self, node: int) -> NodeState:
        """The node's state."""
        state = self._states.get(node)
        if state is not None:
            return state
        return _ACTIVE if node < self.nominal_nodes else _SPARE

    def is_in_job(self, node: int) -> bool:
        """Whether the node holds a slot of the job, failed or not."""
        state = self._states.get(node)
        if state is None:
            return node < self.nominal_nodes
        return state is _ACTIVE or state is _FAILED

    def nth_active(self, fraction: float) -> int:
        """The node at this fraction, in [0, 1), of the slots in use; for a uniform choice."""
        index = int(fraction * self.active_nodes)
        for replica in self._dissolved:
            if replica * self.nodes_per_replica <= index:
                index += self.nodes_per_replica
        return self._holders.get(index, index)

    def fail(self, node: int) -> bool:
        """The node stopped working; returns False if it already had."""
        before = self.state_of(node)
        if before is _FAILED:
            return False
        self._move(node, before, _FAILED)
        return True

    def revive(self, node: int) -> None:
        """A restart brought a failed node of the job back; anything else is left alone."""
        if self._states.get(node) is _FAILED:
            self._move(node, _FAILED, _ACTIVE)

    def evict(self, node: int) -> int | None:
        """Send the node to repair; returns its replacement, None when its replica is dissolved.

        Idle nodes are taken before spares, since they cost nothing to keep.
        Errors: ``TransitionError`` when the node is not in the job.
        """
        before = self.state_of(node)
        if before is _IDLE:
            raise _illegal(node, before, _REPAIRING)
        slot = self._slots.pop(node, node)
        self._move(node, before, _REPAIRING)
        if self.fleet is not None:
            self.fleet.moved(node, -1)
        self._holders.pop(slot, None)
        pool = self._idle or self._spares
        if pool:
            replacement = pool.pop(0)
            self._seat(replacement, slot)
            return replacement
        self._dissolve(slot // self.nodes_per_replica, slot)
        return None

    def withdraw(self, node: int) -> None:
        """Send an idle node to repair: it broke together with one that was evicted.

        Errors: ``ValueError`` when the node is not idle.
        """
        self._idle.remove(node)
        self._move(node, _IDLE, _REPAIRING)

    def return_repaired(self, node: int, *, clears: bool = True) -> None:
        """The node comes back as a spare; repair clears its strikes, unless they outlast it."""
        before = self.state_of(node)
        if before is not _REPAIRING:
            raise _illegal(node, before, _SPARE)
        self._move(node, before, _SPARE)
        if self.reserve is None:
            insort(self._spares, node)
        else:
            self.reserve.admit(node)
        if clears and not self._outlasts_repair:
            self._strikes.pop(node, None)

    def retire(self, node: int) -> None:
        """The node never comes back from repair."""
        self._move(node, self.state_of(node), _RETIRED)
        self._strikes.pop(node, None)

    def can_grow(self) -> bool:
        """Whether a dissolved replica could be filled from idle and spare nodes.

        Not while a preempted node is on its way: hosts are selected when those called are there.
        """
        if not self._dissolved or self.waiting_nodes < self.nodes_per_replica:
            return False
        return self.reserve is None or not self.reserve.is_preempting

    def lacks_nodes(self) -> bool:
        """Whether the free nodes are too few for the full job and its warm standbys."""
        reserve = self.reserve
        assert reserve is not None  # noqa: S101 - only those who keep one ask
        standbys = reserve.warm_standbys
        wanted = self.vacant_nodes + (0 if standbys == inf else standbys)
        return self.waiting_nodes < wanted

    def grow(self) -> int:
        """Fill as many dissolved replicas as there are nodes for; returns how many.

        With a reserve that is a host selection, and the whole job is placed anew by rank.
        """
        if self.reserve is not None and self.can_grow():
            self._select_hosts(self.reserve)
        grown = 0
        while self.can_grow():
            replica = self._dissolved.pop(0)
            for slot in range(replica * self.nodes_per_replica, (replica + 1) * self.nodes_per_replica):
                pool = self._idle or self._spares
                self._seat(pool.pop(0), slot)
            grown += 1
        if grown:
            self._count()
        return grown

    def _select_hosts(self, reserve: Reserve) -> None:
        """Make room for as many as there are places, then let better nodes take those of worse ones."""
        fillable = min(len(self._dissolved), self.waiting_nodes // self.nodes_per_replica)
        places = fillable * self.nodes_per_replica - len(self._idle)
        reserve.warm_up(max(0, places) + (0 if reserve.warm_standbys == inf else int(reserve.warm_standbys)))
        reserve.counts.host_selections += 1
        unsettled = sorted(reserve.unsettled, key=reserve.rank)
        reserve.unsettled.clear()
        while unsettled and reserve.cold:
            node = unsettled.pop()
            rank, better = reserve.cold[0]
            if reserve.rank(node) <= rank:
                break
            state = self.state_of(node)
            if state is _SPARE:
                if node in reserve.warm:
                    reserve.cold.pop(0)
                    reserve.warm[reserve.warm.index(node)] = better
                    reserve.bench(node)
            elif state is _ACTIVE:
                reserve.cold.pop(0)
                slot = self._slots.pop(node, node)
                self._holders.pop(slot, None)
                self._move(node, state, _SPARE)
                if self.fleet is not None:
                    self.fleet.moved(node, -1)
                self._seat(better, slot)
                reserve.bench(node)
                reserve.counts.displaced += 1

    def strike(self, node: int, at: float, window_seconds: float) -> int:
        """Note a strike; returns how many stand on the node, this one included."""
        if self.reserve is not None:
            self.reserve.failed(node)
        standing = [earlier for earlier in self._strikes.get(node, ()) if at - earlier <= window_seconds]
        standing.append(at)
        self._strikes[node] = standing
        return len(standing)

    def standing_strikes(self, at: float, window_seconds: float, least: int) -> list[tuple[int, int]]:
        """(node, strikes) of every node with at least ``least`` standing, worst first."""
        found = []
        for node, strikes in self._strikes.items():
            if len(strikes) >= least:
                standing = sum(1 for earlier in strikes if at - earlier <= window_seconds)
                if standing >= least:
                    found.append((node, standing))
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def _dissolve(self, replica: int, lost_slot: int) -> None:
        for slot in range(replica * self.nodes_per_replica, (replica + 1) * self.nodes_per_replica):
            if slot == lost_slot:
                continue
            node = self._holders.pop(slot, slot)
            self._slots.pop(node, None)
            self._move(node, self.state_of(node), _IDLE)
            if self.fleet is not None:
                self.fleet.moved(node, -1)
            insort(self._idle, node)
        insort(self._dissolved, replica)
        self._count()

    def _seat(self, node: int, slot: int) -> None:
        self._move(node, self.state_of(node), _ACTIVE)
        if self.fleet is not None:
            self.fleet.moved(node, 1)
        if node != slot:
            self._slots[node] = slot
            self._holders[slot] = node

    def _move(self, node: int, before: NodeState, to: NodeState) -> None:
        if to not in _MOVES[before]:
            raise _illegal(node, before, to)
        self._states[node] = to
        self.counts[before] -= 1
        self.counts[to] += 1

    def check(self) -> None:
        """Every node is in exactly one state. Errors: ``InvariantError``."""
        if sum(self.counts.values()) != self.total_nodes or min(self.counts.values()) < 0:
            message = f"{self.counts} do not add up to {self.total_nodes} nodes"
            raise InvariantError(message)
