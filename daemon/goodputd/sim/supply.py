"""Supply: nodes that come back, from repair or from other work, and when the job takes them in.

Routes what the schedule hands out about nodes outside the job. Knows nothing of faults.
"""

from typing import Final

from goodputd.sim.capacity import Reserve
from goodputd.sim.events import NodeRetired, NodeReturned
from goodputd.sim.maintenance import Maintenance
from goodputd.sim.repair import Visit
from goodputd.sim.response import Response
from goodputd.sim.state import State
from goodputd.sim.taxonomy import JobState

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_COMPLETED: Final = JobState.COMPLETED
_WAITING_FOR_CAPACITY: Final = JobState.WAITING_FOR_CAPACITY

_ASK_AGAIN_SECONDS: Final = 600.0


class Supply:
    """Nodes on their way to the job."""

    __slots__ = ("_rejoins_at_checkpoint", "_response", "_state")

    def __init__(self, state: State, response: Response, *, rejoins_at_checkpoint: bool) -> None:
        """``rejoins_at_checkpoint``: a shrunk job stops at a checkpoint to take nodes back."""
        self._state = state
        self._response = response
        self._rejoins_at_checkpoint = rejoins_at_checkpoint

    def crew_wanted(self, visit: Visit) -> None:
        """The automatic repair is over, and people have to go on."""
        state = self._state
        state.shop.want_crew(visit, state.schedule, state.now)

    def node_returns(self, visit: Visit) -> None:
        """A repair is over: the node is a spare again, or leaves the fleet."""
        state = self._state
        node = visit.node
        state.shop.finish(visit, state.schedule, state.now)
        if visit.retires:
            state.hazards.unpark(node)
            state.hazards.node_left(node)
            state.cluster.retire(node)
            state.facts.append(NodeRetired(state.now, node))
            return
        if not visit.cured:
            state.hazards.unpark(node)
        elif state.cluster.fleet is not None:
            state.hazards.renew(node)  # first: what it went through was that of a lemon
            state.cluster.fleet.repaired(node)
        state.cluster.return_repaired(node)
        if node in state.scores:
            state.scores[node] = (state.scores[node][0], state.now)
        state.facts.append(NodeReturned(state.now, node, visit.no_fault_found, visit.cured))
        self._arrived()

    def maintenance_due(self, where: float) -> None:
        """A node of the job is due for planned work: stop at the next checkpoint and give it up."""
        state = self._state
        maintenance = self._maintenance()
        if state.job.state is _COMPLETED:
            return
        if state.cluster.active_nodes:
            maintenance.due_nodes.append(state.cluster.nth_active(where))
        self.schedule_maintenance()
        self.drain_soon(None)

    def drain_soon(self, _: None) -> None:
        """Stop for who is due; a job that is being restarted is asked again when it may be running."""
        state = self._state
        if not self._maintenance().due_nodes or state.job.state is _COMPLETED:
            return
        if state.training.run is None:
            state.schedule.push(state.now + _ASK_AGAIN_SECONDS, "drain")
        self.schedule_planned_stop()

    def schedule_maintenance(self) -> None:
        """Note when the next node is due."""
        state = self._state
        at, where = self._maintenance().next_after(state.now)
        state.schedule.push(at, "maintenance", where)

    def _maintenance(self) -> Maintenance:
        maintenance = self._state.maintenance
        assert maintenance is not None  # noqa: S101 - nothing is due without it
        return maintenance

    def maintained(self, node: int) -> None:
        """The planned work is done: the node is a spare again, as it was."""
        state = self._state
        state.hazards.unpark(node)
        state.cluster.return_repaired(node, clears=False)
        state.facts.append(NodeReturned(state.now, node, cured=False))
        self._arrived()

    def preempted(self, reserve: Reserve) -> None:
        """Other work gave up a node."""
        if self._response.preempted(reserve):
            self._arrived()

    def _arrived(self) -> None:
        """Go on if the job waited for capacity, or think of taking it in."""
        state = self._state
        if state.job.state is _WAITING_FOR_CAPACITY and state.incident is not None:
            self._response.restart(state.incident)
        else:
            self.schedule_planned_stop()

    def schedule_planned_stop(self) -> None:
        """Stop at the next checkpoint for who is due, or to take nodes back where that is the rule."""
        state = self._state
        run = state.training.run
        if run is None or state.planned_entry >= 0:
            return
        due = state.maintenance is not None and state.maintenance.due_nodes
        if due or (self._rejoins_at_checkpoint and state.cluster.can_grow()):
            stop_at = run.next_save_ends_at(state.now)
            state.planned_entry = state.schedule.push(stop_at, "planned_stop")
