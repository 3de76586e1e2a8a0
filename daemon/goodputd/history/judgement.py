"""Was it right? Every decision judged by the truth, which the policy could not see.

A restart is right for what a restart cures, an eviction for what it does not. The reasons are
sentences for people. Knows records and settings, no facts and no page.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from goodputd.history.premises import Premises
from goodputd.history.records import DESCRIBED, DecisionRecord, FaultRecord, IncidentRecord
from goodputd.narration import duration
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.taxonomy import Action, Component, Reason


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
_RESET: Final = "The fault was permanent, and the reset of the device took it away: no spare is spent."
_NEVER_EVICTS: Final = "The settings never evict."
_GUARDED: Final = (
    "Taking the node out for good would have left fewer nodes than the smallest job needs, so the policy was "
    "overruled."
)


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


def is_misdiagnosed(node: int | None, fault: FaultRecord) -> bool:
    """Whether a node is blamed that is not the one which failed."""
    return node is not None and fault.node is not None and node != fault.node


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
        case Action.EVICT | Action.RETIRE:
            return _eviction(decision, fault, older)
        case Action.RESTART:
            return _restart(premises, decision, fault, older)


# --- evictions


def _eviction(
    decision: DecisionRecord, fault: FaultRecord | None, older: Sequence[str]
) -> tuple[Verdict, str]:
    innocent = fault is not None and is_misdiagnosed(decision.node, fault)
    if fault is not None and not fault.transient and not innocent:
        return Verdict.RIGHT, _PERMANENT_LEFT
    if older:
        carried = f"the node still carried a permanent fault ({', '.join(older)}) that an earlier restart had"
        where = " it" if innocent else ""
        return (
            Verdict.RIGHT,
            f"This time nothing lasting struck{where}, but {carried} left in the job. It left with the node.",
        )
    if decision.repair_seconds is None:
        return Verdict.NO_CHOICE, "An earlier decision of this incident had evicted the node already."
    spare = "the job shrank for it"
    if decision.replacement is not None:
        spare = f"spare node {decision.replacement} was spent on it"
    away = f"The node is away for {duration(decision.repair_seconds)}."
    if decision.action is Action.RETIRE:
        away = f"{away[:-1]} and leaves the fleet then."
    if fault is None:
        healthy = (
            f"A false alarm: node {decision.node} is healthy, {spare}, and the repair will find no fault."
        )
        return Verdict.WASTED, f"{healthy} {away}"
    if innocent:
        left = "which a restart cured" if fault.transient else "which is permanent and stays in the job"
        wrong = f"The diagnosis was wrong: the fault, {left}, is on node {fault.node}."
        return Verdict.WASTED, f"{wrong} Node {decision.node} is healthy, yet {spare}. {away}"
    cured = f"The fault is transient: a restart would have cured it, yet {spare}."
    return Verdict.WASTED, f"{cured} {_why_evicted(decision)} {away}"


def _why_evicted(decision: DecisionRecord) -> str:
    match decision.reason:
        case Reason.COMPONENT_RULE:
            return "One strike was enough for the rule that evicts this component at once."
        case Reason.ALWAYS:
            return "The policy evicts at every failure."
        case Reason.LOW_SCORE:
            return "Earlier failures, of independent causes, had cost the node its score."
        case Reason.FIRST_STRIKE:
            return "The policy evicts at the first strike."
        case _:
            return f"The {decision.strikes} strikes on the node have independent causes."


# --- restarts


def _restart(
    premises: Premises, decision: DecisionRecord, fault: FaultRecord | None, older: Sequence[str]
) -> tuple[Verdict, str]:
    average = duration(premises.recurrence_seconds)
    again = f"will strike again, on average after {average} of training, until the node is replaced."
    if fault is not None and not fault.transient:
        if fault.id in (decision.cured or ()):
            return Verdict.RIGHT, _RESET
        return Verdict.WILL_RECUR, _left(premises, decision, fault, again)
    if older:
        kinds = ", ".join(older)
        return (
            Verdict.WILL_RECUR,
            f"The restart cured this strike, but the node carries a permanent fault ({kinds}) that {again}",
        )
    if fault is None:
        return Verdict.NEEDLESS, _CRIED_WOLF
    cured = _SOFTWARE_CURED if decision.component is Component.SOFTWARE else _CURED
    if is_misdiagnosed(decision.node, fault):
        blamed = f"The fault is on node {fault.node}, and node {decision.node} got the strike."
        return Verdict.RIGHT, f"{cured} {blamed}"
    return Verdict.RIGHT, cured


def _left(premises: Premises, decision: DecisionRecord, fault: FaultRecord, again: str) -> str:
    """What a restart does not cure, and why the policy chose it nevertheless."""
    if fault.node is None:
        return _CRASHES_AGAIN
    left = f"The fault is permanent: a restart leaves it in the job and it {again}"
    if decision.node is None:
        return f"{left} The policy could not evict: nobody could say which node failed."
    if is_misdiagnosed(decision.node, fault):
        wrong = f"the diagnosis was wrong, and node {decision.node} got the strike"
        return f"{left} It is on node {fault.node}; {wrong}."
    if decision.cured is not None:
        left = f"{left} Resetting the device did not help."
    return f"{left} {_why_not_evicted(premises, decision)}".rstrip()


def _why_not_evicted(premises: Premises, decision: DecisionRecord) -> str:
    policy = premises.policy
    match decision.reason:
        case Reason.DEPLETION_GUARD:
            return _GUARDED
        case Reason.WITHIN_LIMIT if policy.name == "score":
            limit = policy.score.evict_at
            return f"The policy could not know: the node's score was still above {limit:g}, where it evicts."
        case Reason.WITHIN_LIMIT:
            window_seconds = policy.window.days * SECONDS_PER_DAY
            return _below_limit(decision.strikes, "failure", window_seconds, policy.window.failures)
        case Reason.ALWAYS:
            return _NEVER_EVICTS
        case _:
            strikes = policy.strikes
            window_seconds = math.inf if strikes.lifetime else strikes.window_days * SECONDS_PER_DAY
            return _below_limit(decision.strikes, "strike", window_seconds, strikes.strikes_to_evict)


def _below_limit(seen: int, what: str, window_seconds: float, limit: int) -> str:
    if limit == 0:
        return _NEVER_EVICTS
    if seen >= limit:
        return ""
    counted = f"the first {what}" if seen == 1 else f"{seen} {what}s"
    within = "" if math.isinf(window_seconds) else f" within {duration(window_seconds)}"
    return f"The policy could not know: it saw {counted}{within} and evicts at {limit}."
