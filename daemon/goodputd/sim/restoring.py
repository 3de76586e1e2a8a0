"""Restoring: which checkpoint a job goes back to, from which tier, and how long that takes.

The newest checkpoint that survived what happened and that no known corruption has reached. Nobody
knows that a checkpoint cannot be read before trying; then it is the one before.
"""

from typing import Final

from goodputd.sim.incident import Incident
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.state import State
from goodputd.sim.streams import uniforms
from goodputd.sim.tainting import Tainting
from goodputd.sim.taxonomy import CheckpointTier
from goodputd.sim.tiers import lost_with, restore_seconds

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_REMOTE: Final = CheckpointTier.REMOTE


class Restoring:
    """Chooses checkpoints."""

    __slots__ = (
        "_may_differ",
        "_replicas",
        "_saved_replicas",
        "_seconds",
        "_spec",
        "_state",
        "_tainting",
    )

    def __init__(self, state: State, tainting: Tainting, spec: CheckpointSpec) -> None:
        """What is chosen is noted in the incident."""
        self._state = state
        self._tainting = tainting
        self._spec = spec
        self._may_differ = spec.unreadable_probability > 0.0 or bool(spec.weaker_tiers())
        """It is not always the remote checkpoint at hand that is read, at the first try."""
        self._replicas = self._saved_replicas = -1
        self._seconds = 0.0
        """Of reading a remote checkpoint, for these replicas of the job now and at the save."""

    def choose(self, incident: Incident) -> float:
        """Note step and tier of the checkpoint to go back to; returns the seconds of reading it."""
        state = self._state
        store = state.training.store
        step = newest = store.last
        if state.taints:
            step = self._tainting.clean_step(step)
        if incident.repeats_crash:
            step = store.before(step)
        incident.restore_step = step
        if self._may_differ:
            incident.restore_tier = _REMOTE
            incident.unreadable = 0
            if state.training.held and self._choose_weaker(incident, is_newest=step == newest):
                tier = self._spec.tier(incident.restore_tier)
                return restore_seconds(tier, self._spec.size_bytes, state.cluster.active_nodes)
            self._skip_unreadable(incident)
            return self.remote_seconds() * (1 + incident.unreadable)
        return self.remote_seconds()

    def remote_seconds(self) -> float:
        """Seconds to read one checkpoint from remote storage, resharded if the job was resized since."""
        replicas, saved = self._state.cluster.active_replicas, self._state.training.saved_replicas
        if replicas != self._replicas or saved != self._saved_replicas:
            self._replicas, self._saved_replicas = replicas, saved
            nodes = self._state.cluster.active_nodes
            self._seconds = self._spec.restore_seconds(nodes, resharded=replicas != saved)
        return self._seconds

    def further_back(self, incident: Incident) -> None:
        """The restore made the loss jump: take the remote checkpoint before it."""
        incident.restore_step = self._state.training.store.before(incident.restore_step)
        incident.restore_tier = _REMOTE

    def _choose_weaker(self, incident: Incident, *, is_newest: bool) -> bool:
        """Take a weaker tier where that loses less, or no more and is faster; returns whether it did."""
        state = self._state
        held = state.training.held
        for tier in lost_with(state.present):
            held.pop(tier, None)
        if not is_newest:
            return False
        found = [taint.step for taint in state.taints if taint.is_found]
        for tier, checkpoint in held.items():
            newer = checkpoint.step > incident.restore_step
            as_new = checkpoint.step == incident.restore_step and incident.restore_tier is _REMOTE
            if (newer or as_new) and all(checkpoint.step <= step for step in found):
                incident.restore_step, incident.restore_tier = checkpoint.step, tier
        return incident.restore_tier is not _REMOTE

    def _skip_unreadable(self, incident: Incident) -> None:
        """Try checkpoint after checkpoint; the initial state can always be made again."""
        store = self._state.training.store
        step = incident.restore_step
        while step > 0:
            name = f"unreadable/{incident.number}/{step}"
            if uniforms(self._state.seed, name, 1)[0] >= self._spec.unreadable_probability:
                break
            incident.unreadable += 1
            before = store.before(step)
            step = before if before < step else 0
        incident.restore_step = step
