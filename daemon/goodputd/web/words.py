"""Figures as people read them: shares, counts, dates, durations that may be missing, names of closed sets.

Filters of the templates. Knows no page and no simulation.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from goodputd.history import phrases
from goodputd.narration import counted, day_and_time, duration
from goodputd.sim.taxonomy import Action, Layer, Reason

NO_DATA: Final = "no data yet"
_MINUTE: Final = 60.0
_NO_DIFFERENCE_SECONDS: Final = 0.05

_REASONS: Final = {
    Reason.FIRST_STRIKE: "first strike on the node",
    Reason.SECOND_STRIKE: "second strike on the node",
    Reason.FURTHER_STRIKE: "strike {strikes} on the node",
    Reason.COMPONENT_RULE: "the rule for this component evicts at once",
    Reason.SOFTWARE: "software blames no node",
    Reason.NO_NODE: "no node is to blame",
    Reason.SLOW_TOLERATED: "slow ranks are tolerated",
    Reason.SLOW_RANK: "slow ranks are evicted",
    Reason.NO_CAPACITY: "too few healthy nodes",
    Reason.ALWAYS: "the policy always decides so",
    Reason.WITHIN_LIMIT: "the node is within the policy's limit",
    Reason.LIMIT_REACHED: "failure {strikes} of the node reaches the limit",
    Reason.LOW_SCORE: "the node's reliability score is too low",
    Reason.DEPLETION_GUARD: "taking the node out for good would leave too few",
}
_ACTIONS: Final = {
    Action.RESTART: "restart",
    Action.EVICT: "evict",
    Action.RETIRE: "retire",
    Action.WAIT_FOR_CAPACITY: "wait for capacity",
    Action.TOLERATE: "tolerate",
}


def percent(ratio: float | None) -> str:
    """A ratio as a percentage with two decimals."""
    return NO_DATA if ratio is None else f"{100.0 * ratio:.2f} %"


def count(number: float | None) -> str:
    """A whole number with separators."""
    return NO_DATA if number is None else f"{number:,.0f}"


def steps(number: int | None) -> str:
    """How many steps."""
    return NO_DATA if number is None else counted(number, "step")


def lasting(seconds: float | None) -> str:
    """A duration, or that there is none yet."""
    return NO_DATA if seconds is None else duration(seconds)


def over(seconds: float) -> str:
    """A difference: ``3 s over``, ``12 s under``, or that there is none to speak of."""
    if abs(seconds) <= _NO_DIFFERENCE_SECONDS:
        return "none"
    return f"{duration(abs(seconds))} {'over' if seconds > 0.0 else 'under'}"


def spoken(name: str) -> str:
    """A name of a closed set as people write it; the layer ``none`` is a person."""
    return "a person" if name == Layer.NONE else phrases.spoken(name)


def reason(name: Reason, strikes: int) -> str:
    """Why a policy decided so."""
    return _REASONS[name].format(strikes=strikes)


def action(name: Action) -> str:
    """What a policy decided."""
    return _ACTIONS[name]


def date_and_time(timestamp: float) -> str:
    """Simulated Unix seconds as ``5 Jan 2026 04:12 UTC``; empty past the year 9999."""
    try:
        moment = datetime.fromtimestamp(timestamp, UTC)
    except (OverflowError, ValueError):
        return ""
    return f"{moment.day} {moment:%b} {moment.year} {moment:%H:%M} UTC"


def pace(speedup: float) -> str:
    """What a speed means: the simulated time of a real minute, or when it is slow the other way round."""
    if speedup * _MINUTE >= 1.0:
        return f"a real minute is {duration(speedup * _MINUTE)} here"
    return f"a second here takes {duration(1.0 / speedup)}"


def times(number: float) -> str:
    """A factor, without needless digits."""
    return f"{number:,.10g}"


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "a_fault": phrases.a_fault_of,
    "action": action,
    "count": count,
    "date_and_time": date_and_time,
    "day_and_time": day_and_time,
    "duration": duration,
    "lasting": lasting,
    "nature": phrases.nature,
    "over": over,
    "pace": pace,
    "percent": percent,
    "reason": reason,
    "sentence": phrases.sentence,
    "spoken": spoken,
    "steps": steps,
    "time_spent": phrases.time_spent,
    "times": times,
    "where": phrases.where,
}
