"""Was it right? Every decision judged by the truth, which the policy could not see.

A restart is right for what a restart cures, an eviction for what it does not. The reasons are
sentences for people. Knows records and settings, no facts and no page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from goodputd.history.premises import Premises
from goodputd.history.records import DESCRIBED, DecisionRecord, FaultRecord, IncidentRecord
from goodputd.narration import duration
from goodputd.sim.taxonomy import Action, Component


class Verdict(StrEnum):
    """What the truth says of a decision."""

    RIGHT = "right"
    WILL_RECUR = "will_recur"
    WASTED = "wasted"
    NEEDLESS = "needless"
    NO_CHOICE = "no_choice"
    UNKNOWN = "unknown"


@dataclass(slots=True, kw_only=True)
class Judgement:
    """One decision, judged."""

    __pydantic_config__ = DESCRIBED

    decision: DecisionRecord
    verdict: Verdict
    """``will_recur``: the cause is still in the job; ``wasted``: an eviction that cured nothing a restart
    would not have; ``needless``: nothing was broken; ``no_choice``: nothing else could be done;
    ``unknown``: what was decided on is among the facts that were left out of a long incident."""
    reason: str


_WAITED: Final = (
    "Fewer healthy nodes were left than the smallest job the settings allow, so the job waits for repairs."
)
_LEFT_OUT: Final = "What was decided on is not kept, since the incident has too many facts."
_TOLERATED: Final = "The settings tolerate a slow rank: training goes on at its pace until the next restart."
_PERMANENT_LEFT: Final = (
    "The fault is permanent: no restart cures it, and it would have come back until the node was replaced."
)
_CRASHES_AGAIN: Final = (
    "The fault is permanent and blames no node: the job will crash at the same step again."
)
_CRIED_WOLF: Final = (
    "A false alarm: nothing was broken. The job stopped, lost its steps since the last checkpoint and paid "
    "for a whole recovery plan; the blamed node got a strike."
)
_SOFTWARE_CURED: Final = "The software fault is transient and blames no node: a restart cures it."
_CURED: Final = "The fault is transient: a restart cures it, and no spare is spent."


def judge(
    premises: Premises, incident: IncidentRecord, standing: Mapping[int, Sequence[str]]
) -> tuple[Judgement, ...]:
    """Every decision of the incident; ``standing`` has the kinds of older permanent faults by node."""
    faults = {fault.id: fault for fault in incident.faults}
    judged = []
    for decision in incident.decisions:
        fault = None if decision.fault is None else faults[decision.fault]
        older = () if decision.node is None else standing.get(decision.node, ())
        verdict, reason = _judge(premises, decision, fault, older)
        judged.append(Judgement(decision=decision, verdict=verdict, reason=reason))
    return tuple(judged)


def _judge(
    premises: Premises, decision: DecisionRecord, fault: FaultRecord | None, older: Sequence[str]
) -> tuple[Verdict, str]:
    match decision.action:
        case Action.WAIT_FOR_CAPACITY:
            return Verdict.NO_CHOICE, _WAITED
        case Action.TOLERATE:
            return Verdict.NO_CHOICE, _TOLERATED
        case _ if decision.component is None:
            return Verdict.UNKNOWN, _LEFT_OUT
        case Action.EVICT:
            return _eviction(decision, fault, older)
        case Action.RESTART:
            return _restart(premises, decision, fault, older)


def _eviction(
    decision: DecisionRecord, fault: FaultRecord | None, older: Sequence[str]
) -> tuple[Verdict, str]:
    if fault is not None and not fault.transient:
        return Verdict.RIGHT, _PERMANENT_LEFT
    if older:
        carried = f"the node still carried a permanent fault ({', '.join(older)}) that an earlier restart had"
        return (
            Verdict.RIGHT,
            f"This time nothing lasting struck, but {carried} left in the job. It left with the node.",
        )
    if decision.repair_seconds is None:
        return Verdict.NO_CHOICE, "An earlier decision of this incident had evicted the node already."
    spare = "the job shrank for it"
    if decision.replacement is not None:
        spare = f"spare node {decision.replacement} was spent on it"
    away = f"The node is away for {duration(decision.repair_seconds)}."
    if fault is None:
        healthy = (
            f"A false alarm: node {decision.node} is healthy, {spare}, and the repair will find no fault."
        )
        return Verdict.WASTED, f"{healthy} {away}"
    strikes = "One strike was enough for the rule that evicts this component at once."
    if decision.strikes > 1:
        strikes = f"The {decision.strikes} strikes on the node have independent causes."
    cured = f"The fault is transient: a restart would have cured it, yet {spare}."
    return Verdict.WASTED, f"{cured} {strikes} {away}"


def _restart(
    premises: Premises, decision: DecisionRecord, fault: FaultRecord | None, older: Sequence[str]
) -> tuple[Verdict, str]:
    average = duration(premises.recurrence_seconds)
    again = f"will strike again, on average after {average} of training, until the node is replaced."
    if fault is not None and not fault.transient:
        if decision.node is None:
            return Verdict.WILL_RECUR, _CRASHES_AGAIN
        left = f"The fault is permanent: a restart leaves it in the job and it {again}"
        return Verdict.WILL_RECUR, f"{left} {_why_not_evicted(premises, decision)}".rstrip()
    if older:
        kinds = ", ".join(older)
        return (
            Verdict.WILL_RECUR,
            f"The restart cured this strike, but the node carries a permanent fault ({kinds}) that {again}",
        )
    if fault is None:
        return Verdict.NEEDLESS, _CRIED_WOLF
    return Verdict.RIGHT, _SOFTWARE_CURED if decision.component is Component.SOFTWARE else _CURED


def _why_not_evicted(premises: Premises, decision: DecisionRecord) -> str:
    limit = premises.strikes_to_evict
    if limit == 0:
        return "The settings never evict."
    if decision.strikes >= limit:
        return ""
    seen = "the first strike" if decision.strikes == 1 else f"{decision.strikes} strikes"
    within = "" if premises.window_seconds is None else f" within {duration(premises.window_seconds)}"
    return f"The policy could not know: it saw {seen}{within} and evicts at {limit}."
