"""Facts to a record: everything between two resumes is one incident.

When training resumes, every fault is settled: what is transient is gone, what is permanent waits to
strike anew. So the facts from one resume to the next tell the whole incident, and each such stretch
is folded alone, when somebody asks for it. Only corrupt state may outlive a resume, so the
corruptions of earlier stretches are told to the fold.
"""

from collections.abc import Sequence
from typing import Final

from goodputd.history.corruptions import Corruption, Corruptions, forgotten, is_strike
from goodputd.history.premises import IN_PROGRESS, LEFT_OUT, STALL, WAIT, Premises
from goodputd.history.records import (
    ClaimResult,
    DecisionRecord,
    FalseAlarmRecord,
    FaultOutcome,
    FaultRecord,
    IncidentRecord,
    LayerClaim,
    StageRecord,
    VerificationRecord,
)
from goodputd.history.stretches import Entry, FactsLeftOut
from goodputd.sim.events import (
    CapacityAwaited,
    CorruptionBaked,
    DecisionMade,
    DetectionRaised,
    DeviceReset,
    FalseAlarmRaised,
    FaultMasked,
    FaultOccurred,
    JobResized,
    NodeDrained,
    NodeEvicted,
    RestoreVerified,
    StageFinished,
    TrainingResumed,
)
from goodputd.sim.taxonomy import STOPPING, Action, Component, Layer, StageName, Symptom

_SAME_INSTANT_SECONDS: Final = 1e-6
"""Stages follow each other to within rounding; a longer gap is a stall or a wait."""


def fold(
    premises: Premises, facts: Sequence[Entry], now: float, corruptions: Corruptions
) -> IncidentRecord | None:
    """The incident in the facts since a resume, closed or not; None when none was opened.

    ``now`` is where an open incident has come to.
    """
    folding = _Folding(premises, corruptions)
    for fact in facts:
        folding.take(fact)
    return folding.record(now)


def fold_faults(
    premises: Premises, facts: Sequence[Entry], corruptions: Corruptions
) -> tuple[FaultRecord, ...]:
    """The faults of such a stretch, whether or not one of them opened an incident."""
    folding = _Folding(premises, corruptions)
    for fact in facts:
        folding.take(fact)
    return tuple(folding.faults.values())


class _Folding:
    """What is known so far."""

    def __init__(self, premises: Premises, corruptions: Corruptions) -> None:
        self._premises = premises
        self._corruptions = corruptions
        self.faults: dict[str, FaultRecord] = {}
        self._alarms: list[FalseAlarmRecord] = []
        self._decisions: list[DecisionRecord] = []
        self._undecided: list[tuple[DetectionRaised | FalseAlarmRaised, FaultRecord | None]] = []
        self._tolerated: DecisionMade | None = None
        self._opening: DetectionRaised | FalseAlarmRaised | None = None
        self._opening_fault: FaultRecord | None = None
        self._stages: list[StageFinished] = []
        self._waits: list[float] = []
        self._drained: list[int] = []
        self._verifications: list[VerificationRecord] = []
        self._number: int | None = None
        self._left_out: FactsLeftOut | None = None
        self._resized: JobResized | None = None
        self._resumed: TrainingResumed | None = None

    def take(self, fact: Entry) -> None:
        """One more fact; those that tell nothing of an incident are passed over.

        What comes after facts that were left out may be about one of them.
        """
        match fact:
            case FaultOccurred():
                self.faults[fact.fault] = _fault(fact)
            case DetectionRaised():
                self._detected(fact)
            case FalseAlarmRaised():
                self._alarms.append(FalseAlarmRecord(at=fact.at, layer=fact.layer, node=fact.node))
                self._noticed(fact, None)
            case FaultMasked() | CorruptionBaked():
                if fact.fault in self.faults:
                    _settle(self.faults[fact.fault], fact)
            case DecisionMade():
                self._decided(fact)
            case DeviceReset():
                if self._decisions:
                    self._decisions[-1].cured = fact.cured
            case NodeEvicted():
                last = self._decisions[-1] if self._decisions else None
                if last is not None and last.node == fact.node:
                    last.replacement, last.repair_seconds = fact.replacement, fact.repair_seconds
            case FactsLeftOut():
                self._left_out = fact
                self._undecided.clear()
                self._tolerated = None
            case _:
                self._carried_out(fact)

    def _carried_out(self, fact: Entry) -> None:
        """A fact on the way back to training."""
        match fact:
            case StageFinished():
                self._number = fact.incident
                self._stages.append(fact)
            case NodeDrained():
                self._drained.append(fact.node)
            case CapacityAwaited():
                self._waits.append(fact.at)
            case RestoreVerified():
                self._verifications.append(
                    VerificationRecord(
                        at=fact.at, outcome=fact.outcome, difference=fact.difference, step=fact.step
                    )
                )
            case JobResized():
                self._resized = fact
            case TrainingResumed():
                self._number = fact.incident
                self._resumed = fact
            case _:
                pass

    def record(self, now: float) -> IncidentRecord | None:
        """The incident as far as it is told."""
        number = self._number
        if number is None:
            return None
        resumed = self._resumed
        until = now if resumed is None else resumed.at
        stopped_at = self._stopped_at(resumed)
        opening, fault = self._opening, self._opening_fault
        lost = None if resumed is None else resumed.lost_steps
        retracted = None if resumed is None else resumed.retracted_steps
        return IncidentRecord(
            scenario=self._premises.name,
            number=number,
            began_at=stopped_at if fault is None else min(stopped_at, fault.at),
            stopped_at=stopped_at,
            resumed_at=None if resumed is None else resumed.at,
            stopped_seconds=max(0.0, until - stopped_at),
            component=self._component(fault),
            layer=Layer.PLANNED if opening is None else opening.layer,
            node=None if opening is None else opening.node,
            faults=tuple(self.faults.values()),
            false_alarms=tuple(self._alarms),
            decisions=tuple(self._decisions),
            stages=tuple(self._covered(stopped_at, until)),
            verifications=tuple(self._verifications),
            lost_steps=lost,
            retracted_steps=retracted,
            lost_work_seconds=(
                None
                if lost is None or retracted is None
                else (lost + retracted) * self._premises.step_seconds
            ),
            restored_step=None if resumed is None else resumed.step,
            active_gpus=None if resumed is None else resumed.active_gpus,
            facts_left_out=0 if self._left_out is None else self._left_out.facts,
            drained=tuple(self._drained),
        )

    # --- faults and detections

    def _fault_of(self, detection: DetectionRaised) -> FaultRecord | None:
        """What was detected, which may have struck before the last resume and left corrupt state behind.

        None when it is among the facts that were left out.
        """
        fault = self.faults.get(detection.fault)
        if fault is not None and is_strike(fault.at, detection):
            return fault
        struck = self._corruptions.get(detection.fault, ())
        earlier = next((each for each in struck if is_strike(each.fact.at, detection)), None)
        if earlier is None:
            if self._left_out is not None:
                return None
            earlier = Corruption(forgotten(detection))  # so far back that nothing is kept of it
        found = _fault(earlier.fact)
        found.baked_step = earlier.baked_step
        self.faults[detection.fault if fault is None else f"{detection.fault} at {found.at!r}"] = found
        return found

    def _detected(self, fact: DetectionRaised) -> None:
        fault = self._fault_of(fact)
        if fault is None:
            self._tolerated = None
            return
        tolerated = fact.incident is None
        fault.outcome = FaultOutcome.TOLERATED if tolerated else FaultOutcome.DETECTED
        fault.detected_by, fault.detected_at = fact.layer, fact.at
        fault.claims = tuple(_claims(fact, fault.at, self._premises.layers))
        if tolerated:
            if self._tolerated is not None:
                self._decisions.append(_decision(self._tolerated, fact, fault.component))
                self._tolerated = None
        else:
            self._noticed(fact, fault)

    def _noticed(self, fact: DetectionRaised | FalseAlarmRaised, fault: FaultRecord | None) -> None:
        self._number = fact.incident
        if self._opening is None:
            self._opening, self._opening_fault = fact, fault
        self._undecided.append((fact, fault))

    # --- decisions

    def _decided(self, fact: DecisionMade) -> None:
        """Decisions come in the order of what they are about, oldest first."""
        if fact.action is Action.TOLERATE:
            self._tolerated = fact  # the detection follows
        elif fact.action is Action.WAIT_FOR_CAPACITY:
            self._decisions.append(_decision(fact, None, None))
        else:
            about, fault = self._about(fact)
            component = Component.FALSE_ALARM if about is not None else None
            if fault is not None:
                component = fault.component
            self._decisions.append(_decision(fact, about, component))

    def _about(
        self, decision: DecisionMade
    ) -> tuple[DetectionRaised | FalseAlarmRaised | None, FaultRecord | None]:
        """What was decided on, and its fault; None when that is left out."""
        if self._left_out is None:
            return self._undecided.pop(0)
        about = next((each for each in self._undecided if each[0].node == decision.node), None)
        if about is None:
            return None, None
        self._undecided.remove(about)
        return about

    def _component(self, fault: FaultRecord | None) -> Component:
        if fault is not None:
            return fault.component
        return Component.PLANNED if self._opening is None else Component.FALSE_ALARM

    # --- stages

    def _stopped_at(self, resumed: TrainingResumed | None) -> float:
        if self._opening is None:
            return self._stages[0].at - self._stages[0].seconds if self._stages else 0.0
        if resumed is not None and not self._began_planned():
            return resumed.at - resumed.stopped_seconds
        if self._began_planned():
            return self._stages[0].at - self._stages[0].seconds
        opening, fault = self._opening, self._opening_fault
        if isinstance(opening, DetectionRaised) and fault is not None and fault.symptom in STOPPING:
            return opening.at - opening.latency_seconds
        return opening.at

    def _began_planned(self) -> bool:
        """The first stage is not the decision on a detection: a planned stop that a fault joined."""
        return bool(self._stages) and self._stages[0].stage is not StageName.DECIDE

    def _covered(self, since: float, until: float) -> list[StageRecord]:
        """Stages and the gaps between them, from the stop to ``until``, without a hole."""
        covered: list[StageRecord] = []
        at = since
        if self._opening is not None and not self._began_planned() and self._opening.at > at:
            covered.append(self._stretch(StageName.DETECT, at, self._opening.at))
            at = self._opening.at
        for stage in self._stages:
            begins_at = stage.at - stage.seconds
            if begins_at - at > _SAME_INSTANT_SECONDS:
                covered.append(self._stretch(self._gap(at, begins_at), at, begins_at))
            covered.append(self._stretch(stage.stage, begins_at, stage.at, cut=stage.cut))
            at = stage.at
        if until - at > _SAME_INSTANT_SECONDS:
            waiting = bool(self._waits) and self._waits[-1] >= at - _SAME_INSTANT_SECONDS
            covered.append(self._stretch(WAIT if waiting else IN_PROGRESS, at, until))
        return covered

    def _gap(self, since: float, until: float) -> str:
        left_out = self._left_out
        if left_out is not None and left_out.at <= until and left_out.until >= since:
            return LEFT_OUT
        waits = (at for at in self._waits if since - _SAME_INSTANT_SECONDS <= at <= until)
        return STALL if next(waits, None) is None else WAIT

    def _stretch(self, name: str, begins_at: float, ends_at: float, *, cut: bool = False) -> StageRecord:
        return StageRecord(
            name=str(name),
            bucket=self._premises.buckets.get(name),
            begins_at=begins_at,
            seconds=ends_at - begins_at,
            settings_seconds=self._settings_seconds(name),
            cut=cut,
        )

    def _settings_seconds(self, name: str) -> float | None:
        if name != StageName.RESTORE:
            return self._premises.stage_seconds.get(name)
        if self._resumed is not None:
            gpus = self._resumed.active_gpus
        elif self._resized is not None:
            gpus = self._resized.active_gpus
        else:
            return None
        return self._premises.restore_seconds(gpus, resharded=self._resized is not None)


def _fault(fact: FaultOccurred) -> FaultRecord:
    benign = fact.symptom is Symptom.BENIGN
    return FaultRecord(
        id=fact.fault,
        at=fact.at,
        kind=fact.kind,
        component=fact.component,
        symptom=fact.symptom,
        origin=fact.origin,
        node=fact.node,
        transient=fact.transient,
        outcome=FaultOutcome.BENIGN if benign else FaultOutcome.UNDETECTED,
        detected_by=None,
        detected_at=None,
        claims=(),
    )


def _settle(fault: FaultRecord, fact: FaultMasked | CorruptionBaked) -> None:
    """What became of the fault."""
    if isinstance(fact, FaultMasked):
        fault.outcome = FaultOutcome.MASKED
    else:
        fault.baked_step = fact.step


def _claims(fact: DetectionRaised, struck_at: float, layers: Sequence[Layer]) -> list[LayerClaim]:
    """Winner first, then the others by their latency, then the layers that are blind to the fault."""
    claims = [LayerClaim(layer=fact.layer, result=ClaimResult.FIRST, latency_seconds=fact.latency_seconds)]
    claims += [
        LayerClaim(layer=layer, result=ClaimResult.LATE, latency_seconds=at - struck_at)
        for at, _, layer in fact.claims
        if layer is not fact.layer
    ]
    seen = {claim.layer for claim in claims}
    claims += [
        LayerClaim(layer=layer, result=ClaimResult.BLIND, latency_seconds=None)
        for layer in layers
        if layer not in seen
    ]
    return claims


def _decision(
    fact: DecisionMade, about: DetectionRaised | FalseAlarmRaised | None, component: Component | None
) -> DecisionRecord:
    return DecisionRecord(
        at=fact.at,
        incident=fact.incident,
        action=fact.action,
        reason=fact.reason,
        node=fact.node,
        component=component,
        strikes=fact.strikes,
        fault=about.fault if isinstance(about, DetectionRaised) else None,
    )
