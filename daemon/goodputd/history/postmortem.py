"""The post-mortem of one incident: all that is kept of it, joined, judged and compared.

Asks the chronicles of all scenarios; knows no page. A post-mortem of an open incident tells what is
known so far. However much has happened it takes bounded time, with turns for others.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from goodputd.history.judgement import Judgement, is_misdiagnosed, judge
from goodputd.history.keeping import Chronicle, History, Strike
from goodputd.history.observations import Observation, observe
from goodputd.history.phrases import a_fault_of, nature, place, sentence, spoken, where
from goodputd.history.records import DESCRIBED, FaultOutcome, FaultRecord, IncidentRecord
from goodputd.narration import counted
from goodputd.sim.taxonomy import Action, Component, Layer, Origin

COMPARED_FAULTS: Final = 8
"""Of one incident; the first that struck."""
COMPARED_STRIKES: Final = 12
"""Of one fault in one scenario; the nearest to the incident."""


@dataclass(slots=True, kw_only=True)
class StrikeCost:
    """One strike of a fault in one scenario, and what it cost there."""

    __pydantic_config__ = DESCRIBED

    at: float
    origin: Origin
    outcome: FaultOutcome
    incident: int | None
    """The incident that it opened or joined; None when it was never found."""
    detected_by: Layer | None
    latency_seconds: float | None
    action: Action | None
    stopped_seconds: float | None
    lost_work_seconds: float | None
    lost_steps: int | None
    """Of the whole incident, lost and retracted."""


@dataclass(slots=True, kw_only=True)
class FaultElsewhere:
    """The same fault in one scenario."""

    __pydantic_config__ = DESCRIBED

    scenario: str
    paired: bool
    """Whether that scenario meets the same faults at all."""
    is_here: bool
    """The scenario of the post-mortem itself."""
    strikes: tuple[StrikeCost, ...]
    """Those nearest to the incident, oldest first."""
    more_strikes: int
    """Further ones that are kept."""
    stopped_seconds: float
    """Of the strikes that are told."""
    lost_work_seconds: float
    note: str
    """Why there are no strikes; empty when there are some."""


@dataclass(slots=True, kw_only=True)
class SameFault:
    """One fault of the incident, in every scenario."""

    fault: str
    kind: str
    scenarios: tuple[FaultElsewhere, ...]


@dataclass(slots=True, kw_only=True)
class PostMortem:
    """An incident with everything that hindsight adds."""

    __pydantic_config__ = DESCRIBED

    incident: IncidentRecord
    concluded: str
    """What the monitoring took for the cause."""
    root_cause: str
    """The truth."""
    conclusion_is_right: bool
    judgements: tuple[Judgement, ...]
    observations: tuple[Observation, ...]
    settings_seconds: float
    """The sum over the stages of what the settings say."""
    target_mttr_seconds: float
    """``targets.mttr_seconds``: what the mean incident of the scenario may stop training for."""
    target_met: bool | None
    """Whether this one was within that; None as long as that is open, and for a planned stop, which the
    mean leaves out."""
    same_faults: tuple[SameFault, ...]
    """The first faults of the incident that are not benign."""
    more_faults: int
    """Further ones, which are not compared."""


async def post_mortem(history: History, chronicle: Chronicle, number: int, now: float) -> PostMortem | None:
    """The post-mortem; None when the incident is not kept."""
    incident = chronicle.incident(number, now)
    if incident is None:
        return None
    nodes = {decision.node for decision in incident.decisions if decision.node is not None}
    standing = {
        node: sorted({fault.kind for fault in carried})
        for node, carried in chronicle.standing_faults(nodes, incident.began_at).items()
    }
    faults = [fault for fault in incident.faults if fault.outcome is not FaultOutcome.BENIGN]
    return PostMortem(
        incident=incident,
        concluded=_concluded(incident),
        root_cause=_root_cause(incident),
        conclusion_is_right=_is_right(incident),
        judgements=judge(chronicle.premises, incident, standing),
        observations=observe(chronicle.premises, incident),
        settings_seconds=sum(stage.settings_seconds or 0.0 for stage in incident.stages),
        target_mttr_seconds=chronicle.premises.target_mttr_seconds,
        target_met=_target_met(incident, chronicle.premises.target_mttr_seconds),
        same_faults=tuple(
            [
                SameFault(
                    fault=fault.id,
                    kind=fault.kind,
                    scenarios=await _everywhere(history, chronicle, fault, now),
                )
                for fault in faults[:COMPARED_FAULTS]
            ]
        ),
        more_faults=max(0, len(faults) - COMPARED_FAULTS),
    )


def _target_met(incident: IncidentRecord, target_seconds: float) -> bool | None:
    if incident.component is Component.PLANNED:
        return None
    if incident.stopped_seconds > target_seconds:
        return False
    return None if incident.is_open else True


def _concluded(incident: IncidentRecord) -> str:
    if incident.layer is Layer.PLANNED and incident.drained:
        nodes = ", ".join(str(node) for node in incident.drained)
        which = f"node {nodes}" if len(incident.drained) == 1 else f"nodes {nodes}"
        return f"A planned stop at a checkpoint, to give up {which} for maintenance."
    if incident.layer is Layer.PLANNED:
        return "A planned stop at a checkpoint, to take repaired nodes back."
    if incident.component is Component.FALSE_ALARM:
        return f"The {incident.layer} layer: a failure {where(incident.node)}."
    who = "A person" if incident.layer is Layer.NONE else f"The {incident.layer} layer"
    if incident.layer is Layer.VALIDATION:
        return f"{who}: the training state is corrupt, and nobody knows since when or by whom."
    fault = incident.first_fault
    if incident.node is None and fault is not None and fault.node is not None:
        return f"{who}: {a_fault_of(incident.component)}, of a node that nobody could name."
    return f"{who}: {a_fault_of(incident.component)} {where(incident.node)}."


def _is_right(incident: IncidentRecord) -> bool:
    fault = incident.first_fault
    if fault is not None and is_misdiagnosed(incident.node, fault):
        return False
    return incident.component is not Component.FALSE_ALARM


def _root_cause(incident: IncidentRecord) -> str:
    fault = incident.first_fault
    if fault is None:
        if incident.component is Component.FALSE_ALARM:
            return f"Nothing was broken: {incident.layer} cried wolf."
        return "Nothing was broken; the stop was planned."
    lasting = "transient: a restart cures it"
    if not fault.transient:
        lasting = "permanent: only replacing the node cures it" if fault.node is not None else "permanent"
    again = "; the same fault as before" if fault.origin is Origin.RECURRENCE else ""
    others = sum(each.outcome is not FaultOutcome.BENIGN for each in incident.faults) - 1
    least = "At least " if incident.facts_left_out else ""
    more = f" {least}{counted(others, 'more fault')} struck before training was verified." if others else ""
    what = f"{nature(fault.component, fault.symptom)}{again}; {lasting}"
    baked = ""
    if fault.baked_step is not None:
        baked = f" The checkpoint of step {fault.baked_step:,} was saved with what it corrupted."
    return f"{sentence(spoken(fault.kind))} {where(fault.node)} ({what}).{baked}{more}"


async def _everywhere(
    history: History, here: Chronicle, fault: FaultRecord, now: float
) -> tuple[FaultElsewhere, ...]:
    """The scenario of the post-mortem first, then the others; between two of them others get a turn."""
    told = [_here(here, fault, now)]
    for other in history.chronicles:
        await asyncio.sleep(0)
        if other is not here:
            told.append(_elsewhere(here, other, fault, now))
    return tuple(told)


def _here(here: Chronicle, fault: FaultRecord, now: float) -> FaultElsewhere:
    return _strikes(here, fault, now, is_here=True, note="")


def _elsewhere(here: Chronicle, other: Chronicle, fault: FaultRecord, now: float) -> FaultElsewhere:
    if here.premises.paired and other.premises.paired:
        return _strikes(other, fault, now, is_here=False, note=_why_not(other, fault))
    return FaultElsewhere(
        scenario=other.premises.name,
        paired=other.premises.paired,
        is_here=False,
        strikes=(),
        more_strikes=0,
        stopped_seconds=0.0,
        lost_work_seconds=0.0,
        note="The two scenarios meet different faults, so nothing can be compared.",
    )


def _strikes(
    chronicle: Chronicle, fault: FaultRecord, now: float, *, is_here: bool, note: str
) -> FaultElsewhere:
    """The kept strikes; ``note`` says why there may be none."""
    kept, more = chronicle.strikes(fault.id, now, near=fault.at, most=COMPARED_STRIKES)
    strikes = tuple(map(_cost, kept))
    # Two strikes may belong to one incident, which is paid for once.
    incidents = {strike.incident: strike for strike in strikes if strike.incident is not None}.values()
    return FaultElsewhere(
        scenario=chronicle.premises.name,
        paired=chronicle.premises.paired,
        is_here=is_here,
        strikes=strikes,
        more_strikes=more,
        stopped_seconds=sum(strike.stopped_seconds or 0.0 for strike in incidents),
        lost_work_seconds=sum(strike.lost_work_seconds or 0.0 for strike in incidents),
        note="" if strikes else note,
    )


def _why_not(chronicle: Chronicle, fault: FaultRecord) -> str:
    if not chronicle.keeps(fault.at):
        return "What happened here at that moment is not kept."
    if fault.origin is Origin.INJECTED:
        return "The fault was injected by hand; it is not part of the history that scenarios share."
    cured = " or an ordinary node by then" if chronicle.premises.has_lemons else ""
    return f"It did not strike here: {place(fault.node)} was not in the job at that moment{cured}."


def _cost(strike: Strike) -> StrikeCost:
    fault, incident = strike.fault, strike.incident
    if fault.outcome not in (FaultOutcome.DETECTED, FaultOutcome.MASKED):
        incident = None
    decisions = () if incident is None else incident.decisions
    own = next((each for each in decisions if each.fault == fault.id), None)
    return StrikeCost(
        at=fault.at,
        origin=fault.origin,
        outcome=fault.outcome,
        incident=None if incident is None else incident.number,
        detected_by=fault.detected_by,
        latency_seconds=None if fault.detected_at is None else fault.detected_at - fault.at,
        action=None if own is None else own.action,
        stopped_seconds=None if incident is None else incident.stopped_seconds,
        lost_work_seconds=None if incident is None else incident.lost_work_seconds,
        lost_steps=None if incident is None else incident.all_lost_steps,
    )
