"""Tainting: follows what corruptions left in the training state, from the fault to its outcome.

A taint is found, baked into a checkpoint, or washed out by a restore of a clean one, whichever comes
first; validation and saves race for it by arithmetic on the run. Every taint is counted once:
``detected`` when it is found before a checkpoint holds it, ``baked`` when one does, ``harmless`` when a
restore for another reason took it away. Knows nothing of recoveries.
"""

from dataclasses import replace
from typing import Final

from goodputd.sim.corruption import Taint
from goodputd.sim.events import CorruptionBaked, WorkVoided
from goodputd.sim.faults import JOB_WIDE, Fault
from goodputd.sim.job import Run
from goodputd.sim.monitoring import Monitoring
from goodputd.sim.observation import Detection
from goodputd.sim.specs.corruption import CorruptionSpec
from goodputd.sim.specs.fields import SECONDS_PER_HOUR
from goodputd.sim.state import State
from goodputd.sim.taxonomy import CorruptionOutcome, Layer

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_BAKED: Final = CorruptionOutcome.BAKED
_DETECTED: Final = CorruptionOutcome.DETECTED
_HARMLESS: Final = CorruptionOutcome.HARMLESS
_VALIDATION: Final = Layer.VALIDATION


class Tainting:
    """What becomes of corruptions."""

    __slots__ = ("_hyper_seconds", "_monitoring", "_state", "discovers_at_checkpoint")

    def __init__(self, state: State, monitoring: Monitoring, spec: CorruptionSpec) -> None:
        """The taints themselves are the scenario's."""
        self._state = state
        self._monitoring = monitoring
        self._hyper_seconds = spec.hyper_hours * SECONDS_PER_HOUR if spec.hyper_factor > 1.0 else 0.0
        self.discovers_at_checkpoint = spec.baked_discovery == "at_checkpoint"

    # --- while the job runs

    def struck(self, fault: Fault, run: Run) -> None:
        """A corrupt fault struck the running job; validation and the next save race for it."""
        state = self._state
        state.tally.corruptions_injected += 1
        taint = Taint(fault, fault.step)
        state.taints.append(taint)
        self._schedule(taint, run)

    def run_began(self, run: Run) -> None:
        """A run goes on with the taints that the restored checkpoint holds."""
        for taint in self._state.taints:
            self._schedule(taint, run)
            if taint.lingers:
                after_step = self._state.training.step
                self._monitoring.watch_taint(taint.fault, run, after_step=after_step, lingers=True)

    def speed_changed(self, run: Run) -> None:
        """Saves and validations come at other times now."""
        for taint in self._state.taints:
            self._schedule(taint, run)
            after_step = max(taint.step, self._state.training.step) if taint.lingers else taint.step
            self._monitoring.watch_taint(taint.fault, run, after_step=after_step, lingers=taint.lingers)

    def _schedule(self, taint: Taint, run: Run) -> None:
        if not taint.is_baked:
            taint.entry = self._state.schedule.push(run.covers_at(taint.step), "bake", taint)

    def baked(self, taint: Taint) -> None:
        """A save of the run in flight that holds the taint became durable."""
        state = self._state
        taint.entry = -1
        run = state.training.run
        assert run is not None  # noqa: S101 - it is the run's save
        self.saved(run.last_saved_step(run.position(state.now).saves_finished))

    def saved(self, step: int) -> None:
        """The checkpoint of ``step`` is durable, with every taint before it."""
        state = self._state
        for each in state.taints:
            if not each.is_baked and each.step < step:
                if each.entry >= 0:
                    state.schedule.cancel(each.entry)
                    each.entry = -1
                each.is_found = each.is_found or self.discovers_at_checkpoint
                self._bake(each, step)

    def _bake(self, taint: Taint, step: int) -> None:
        state = self._state
        taint.is_baked = True
        state.tally.corruptions[_BAKED] += 1
        fault = taint.fault
        node = None if fault.node == JOB_WIDE else fault.node
        state.facts.append(CorruptionBaked(state.now, fault.identity, fault.kind.name, node, step))

    def found(self, fault: Fault, detection: Detection) -> Fault | None:
        """A layer claimed the fault; a validation finds every taint that it can see.

        Returns the fault if it corrupted the state and nobody knows which node that was.
        """
        layer = detection.layer
        suspect = None
        for taint in self._state.taints:
            if taint.fault is fault or (layer is _VALIDATION and self._monitoring.validated(taint.fault)):
                if not taint.is_found and not taint.is_baked:
                    self._state.tally.corruptions[_DETECTED] += 1
                taint.is_found = True
                if taint.fault is fault and detection.node is None:
                    suspect = fault
        return suspect

    @property
    def any_found(self) -> bool:
        """Whether the training state is known to be corrupt."""
        return any(taint.is_found for taint in self._state.taints)

    # --- restore and end

    def clean_step(self, step: int) -> int:
        """The newest checkpoint that is not after ``step`` and that no known taint has reached."""
        store = self._state.training.store
        for taint in self._state.taints:
            if taint.is_found and taint.step < step:
                step = min(step, store.at_or_before(taint.step))
        return step

    def restored(self, step: int) -> None:
        """The checkpoint of ``step`` was restored: taints after it are gone."""
        state = self._state
        if self._hyper_seconds > 0.0 and self.any_found:
            state.training.hyper_until = state.now + self._hyper_seconds
            state.schedule.push(state.training.hyper_until, "hyper_ends")
        kept, hopeless = [], False
        for taint in state.taints:
            if taint.step >= step:
                if not taint.is_found and not taint.is_baked:
                    state.tally.corruptions[_HARMLESS] += 1
                if taint.lingers and not taint.fault.detected:
                    self._monitoring.forget(taint.fault)
                continue
            # the oldest one that nothing will find stands for all of them: it is the last to be washed out
            if taint.is_baked and not self._monitoring.sees_taint(taint.fault):
                if hopeless:
                    continue
                hopeless = True
            kept.append(taint)
        state.taints = kept

    def outlives(self, fault: Fault) -> bool:
        """Whether the fault's taint stays when the fault goes, and can still be found; then it lingers."""
        for taint in self._state.taints:
            if taint.fault is fault and self._monitoring.sees_taint(fault):
                taint.lingers = True
                self._monitoring.silence(fault)
                return True
        return False

    def stands(self, fault: Fault) -> Fault:
        """The fault as its node keeps it, which is another one where its taint lingers."""
        if not self._state.taints:
            return fault
        copy = replace(fault)
        return copy if self.outlives(fault) else fault

    def end_reached(self) -> None:
        """The job is completed: work after the last clean checkpoint is void, found or not."""
        state = self._state
        if not state.taints:
            return
        training = state.training
        last = training.step
        for taint in state.taints:
            if not taint.is_found and not taint.is_baked:
                self._bake(taint, last)
        step = min(training.store.at_or_before(taint.step) for taint in state.taints)
        lost, retracted = training.restore(step)
        state.facts.append(WorkVoided(state.now, step, lost, retracted))
