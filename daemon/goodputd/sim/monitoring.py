"""Monitoring: which layer claims a fault first, and what the others would have done.

Turns faults into scheduled detections. Knows the truth only to ask the layers about it
(``telemetry``); what it passes on is a ``Detection``.
"""

import math
from typing import Final

from goodputd.sim.events import FaultMasked
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind
from goodputd.sim.job import Position, Run
from goodputd.sim.observation import Claim, CorruptState, Detection, Observation, WrongRank
from goodputd.sim.protocols import Detector
from goodputd.sim.state import State
from goodputd.sim.streams import uniforms
from goodputd.sim.taxonomy import DetectionResult, JobState, Layer, Symptom
from goodputd.sim.telemetry import observe, observe_stopped, observe_taint, survey

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_CORRUPT: Final = Symptom.CORRUPT
_FIRST: Final = DetectionResult.FIRST
_GRADIENT: Final = Layer.GRADIENT
_LATE: Final = DetectionResult.LATE
_NODE_TESTS = frozenset({Layer.SCAN, Layer.PROBE})
_NONE: Final = Layer.NONE
_RUNNING: Final = JobState.RUNNING
_VALIDATION: Final = Layer.VALIDATION

BY_A_PERSON: Final = -1
"""Index of the detector that is a person."""


class Monitoring:
    """The layers that are on, and the person behind them."""

    __slots__ = ("_detectors", "_latencies", "_loss_noise", "_operator_seconds", "_state")

    def __init__(
        self, state: State, detectors: tuple[Detector, ...], operator_seconds: float, loss_noise: float
    ) -> None:
        """``operator_seconds`` is how long a stopped job goes unnoticed when every layer is blind.

        ``loss_noise`` is the standard deviation of the loss of one step.
        """
        self._state = state
        self._loss_noise = loss_noise
        self._detectors = detectors
        self._operator_seconds = operator_seconds
        latencies = state.tally.detections
        self._latencies = [(latencies[d.layer, _FIRST], latencies[d.layer, _LATE]) for d in detectors]

    def watch_running(self, fault: Fault, run: Run, position: Position) -> None:
        """The fault struck a running job."""
        self._announce(fault, observe(fault, run, position, self._state.training))

    def watch_corrupt(self, fault: Fault, run: Run, position: Position) -> None:
        """The fault struck a running job and corrupts its state."""
        observation = observe(fault, run, position, self._state.training)
        rank = self._wrong_rank(fault)
        observation.corrupt = self._corrupt_state(fault, run.validates_at(fault.step), rank)
        self._announce(fault, observation)

    def watch_stopped(self, fault: Fault) -> None:
        """The fault struck a stopped job: only the layers that still work may claim it.

        Nothing is scheduled for a fault that they miss; it stalls the next collective or is masked.
        """
        observation = observe_stopped(fault, collective_stalls_at=None)
        fault.claims = [c for c in survey(self._detectors, observation) if self._works_stopped(c)]
        self._schedule_first(fault)

    def watch_stalled_collective(self, fault: Fault) -> None:
        """A fault that struck during recovery holds up a collective from now on."""
        if fault.announced >= 0:
            return
        observation = observe_stopped(fault, collective_stalls_at=self._state.now)
        fault.claims = [c for c in survey(self._detectors, observation) if c[0] >= self._state.now]
        if not self._schedule_first(fault):
            self._schedule_person(fault)

    def watch_taint(self, fault: Fault, run: Run, *, after_step: int, lingers: bool) -> None:
        """The corrupt state of a fault meets the validations of another run, or at other times.

        ``after_step`` is the last step that was not corrupt, or that the run did not execute. A taint
        that lingers shows in statistics as well, from now on.
        """
        if fault.detected:
            return
        self.call_off(fault)
        shown = self._observe_taint(fault, run.validates_at(after_step), run.step_seconds)
        claims = survey(self._detectors, shown)
        if not lingers:
            others = [claim for claim in fault.claims if claim[2] is not _VALIDATION]
            claims = sorted([*others, *(claim for claim in claims if claim[2] is _VALIDATION)])
        fault.claims = claims
        self._schedule_first(fault)

    def sees_taint(self, fault: Fault) -> bool:
        """Whether any layer would find the corrupt state of a fault without the fault."""
        return bool(survey(self._detectors, self._observe_taint(fault, fault.at, 1.0)))

    def validated(self, fault: Fault) -> bool:
        """Whether a validation that is over by now has seen the corrupt state of a fault."""
        return any(at <= self._state.now and layer is _VALIDATION for at, _, layer in fault.claims)

    def silence(self, fault: Fault) -> None:
        """The fault is gone and shows nothing more; its corrupt state may."""
        self.call_off(fault)
        fault.claims = ()

    def call_off(self, fault: Fault) -> None:
        """Nobody needs to report the fault any more."""
        if fault.announced >= 0:
            self._state.schedule.cancel(fault.announced)
            fault.announced = -1

    def _observe_taint(
        self, fault: Fault, validation_ends_at: float | None, step_seconds: float
    ) -> Observation:
        state = self._state
        [uniform] = uniforms(state.seed, f"taint/{fault.identity}/{fault.recurrences}", 1)
        corrupt = self._corrupt_state(fault, validation_ends_at)
        return observe_taint(state.now, state.training.checks_from, step_seconds, corrupt, uniform)

    def _corrupt_state(
        self, fault: Fault, validation_ends_at: float | None, rank: WrongRank | None = None
    ) -> CorruptState:
        name = f"validation/{fault.identity}/{fault.recurrences}"
        jump = fault.kind.loss_jump
        shift = jump / self._loss_noise if self._loss_noise > 0.0 else math.inf if jump else 0.0
        return CorruptState(validation_ends_at, uniforms(self._state.seed, name, 1)[0], shift, rank)

    def _wrong_rank(self, fault: Fault) -> WrongRank:
        """What the rank shows: its luck at each strike, that of the defect, and when its node is tested."""
        seed = self._state.seed
        sentinel, shadow = uniforms(seed, f"wrong_rank/{fault.identity}/{fault.recurrences}", 2)
        scan, probe = uniforms(seed, f"defect/{fault.identity}", 2)
        scanned, probed = uniforms(seed, f"rounds/{fault.node}", 2)
        return WrongRank(not fault.transient, sentinel, shadow, (scan, probe), (scanned, probed))

    def watch_standing(self, fault: Fault) -> None:
        """A permanent fault rests until it strikes again; a test of its node finds it all the same."""
        fault.claims = [c for c in fault.claims if c[2] in _NODE_TESTS and c[0] > self._state.now]
        if fault.claims:
            at, index, _ = fault.claims[0]
            fault.announced = self._state.schedule.push(at, "node_test", (fault, index))

    def mute(self) -> None:
        """The job is being restarted: layers that need it running fall silent.

        A fault that only they would have claimed is left to the next resume (DESIGN rule 4).
        """
        for fault in self._state.present:
            fault.in_recovery = False
            if fault.announced < 0 or fault.detected:
                continue
            self._state.schedule.cancel(fault.announced)
            fault.announced = -1
            now = self._state.now
            left = [c for c in fault.claims if c[0] >= now and self._works_stopped(c)]
            if left:
                fault.announced = self._state.schedule.push(left[0][0], "detection", (fault, left[0][1]))

    def claimed(self, fault: Fault, index: int) -> Detection:
        """The first claim has come: record every layer's latency and say what was claimed."""
        state = self._state
        fault.announced = -1
        fault.detected = True
        self._record(fault, index)
        state.tally.mttd[fault.kind.symptom].add(state.now - fault.at)
        layer = _NONE if index == BY_A_PERSON else self._detectors[index].layer
        node = None if fault.node == JOB_WIDE else fault.node
        slowdown = fault.kind.slow_factor - 1.0 if state.job.state is _RUNNING else 0.0
        if state.taints and fault.kind.symptom is _CORRUPT:
            slowdown = 0.0
            if _names_no_rank(fault.kind, layer):
                node = None
        return Detection(state.now, layer, node, fault.kind.component, slowdown)

    def forget(self, fault: Fault) -> None:
        """A restart or eviction removed a fault that nobody had detected."""
        state = self._state
        self.call_off(fault)
        self._record(fault, None)
        node = None if fault.node == JOB_WIDE else fault.node
        state.facts.append(FaultMasked(state.now, fault.identity, fault.kind.name, node))

    def _announce(self, fault: Fault, observation: Observation) -> None:
        fault.claims = survey(self._detectors, observation)
        if not self._schedule_first(fault) and fault.kind.stops:
            self._schedule_person(fault)

    def _schedule_first(self, fault: Fault) -> bool:
        if not fault.claims:
            return False
        at, index, _ = fault.claims[0]
        state = self._state
        due_at = max(at, state.now)
        fault.announced = state.schedule.push(due_at, "detection", (fault, index))
        return True

    def _schedule_person(self, fault: Fault) -> None:
        at = self._state.now + self._operator_seconds
        fault.announced = self._state.schedule.push(at, "detection", (fault, BY_A_PERSON))

    def _works_stopped(self, claim: Claim) -> bool:
        return self._detectors[claim[1]].sees_during_recovery

    def _record(self, fault: Fault, winner: int | None) -> None:
        """Latency of every layer that claims it: the winner's as first, others' as late."""
        struck_at = fault.at
        latencies = self._latencies
        for at, index, _ in fault.claims:
            latencies[index][index != winner].observe(at - struck_at)
        tally = self._state.tally
        tally.recorded += 1
        tally.logged += fault.logged
        if winner == BY_A_PERSON:
            tally.detections[_NONE, _FIRST].observe(self._state.now - struck_at)


def _names_no_rank(kind: FaultKind, layer: Layer) -> bool:
    """Whether what the layer found of a corruption is the state of the whole job."""
    if layer is _VALIDATION or layer is _NONE:
        return True
    return layer is _GRADIENT and not kind.gradient_sigmas and not kind.step_time_sigmas
