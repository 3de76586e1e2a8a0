"""What the monitoring could see: symptoms as sentences, in the order in which they showed.

Told backwards from the truth and from the claims of the layers. Knows records and settings, and
says nothing about what should have been done.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from goodputd.history.phrases import place
from goodputd.history.premises import Premises
from goodputd.history.records import (
    DESCRIBED,
    ClaimResult,
    FalseAlarmRecord,
    FaultOutcome,
    FaultRecord,
    IncidentRecord,
)
from goodputd.sim.taxonomy import Layer, Symptom, VerificationOutcome

_SHOWS = {
    Symptom.CRASH: "the rank crashes; {where} stops beating and the other ranks wait in a collective",
    Symptom.HANG: "the rank hangs; the processes still beat, but no step completes",
    Symptom.SLOW: "{where} becomes slow; every step of the job takes longer",
    Symptom.CORRUPT: "{where} computes wrong numbers; nothing stops",
    Symptom.BENIGN: "{where} corrects an error by itself; training goes on",
}
_LAYER_SAYS = {
    Layer.HEARTBEAT: "heartbeat: no beat of {where} within the timeout",
    Layer.HARDWARE: "hardware: the agent of {where} reports {event}",
    Layer.WATCHDOG: "watchdog: no collective has made progress within the timeout",
    Layer.GRADIENT: "gradient: the statistics of a rank on {where} leave those of the other ranks",
    Layer.VALIDATION: "validation: the state is found corrupt",
    Layer.NONE: "a person notices that the job stands still; every layer stayed silent",
}
_FOUND_BAKED = "the checkpoint that was just saved turns out to be corrupt; every layer stayed silent"


@dataclass(slots=True, kw_only=True)
class Observation:
    """Something that the monitoring could see, or did not see."""

    __pydantic_config__ = DESCRIBED

    at: float
    text: str


def observe(premises: Premises, incident: IncidentRecord) -> tuple[Observation, ...]:
    """All of one incident, in order of time."""
    found = [each for fault in incident.faults for each in _of_fault(premises, fault)]
    found += [each for alarm in incident.false_alarms for each in _of_alarm(alarm)]
    found += [
        Observation(at=check.at, text=_checked(check.outcome, check.difference))
        for check in incident.verifications
    ]
    return tuple(sorted(found, key=lambda each: each.at))


def _of_fault(premises: Premises, fault: FaultRecord) -> Iterator[Observation]:
    where = place(fault.node)
    event = premises.events.get(fault.kind)
    yield Observation(at=fault.at, text=_SHOWS[fault.symptom].format(where=where))
    if fault.outcome is FaultOutcome.MASKED:
        yield Observation(at=fault.at, text=f"no layer reports {where}: the restart cures it unseen")
        return
    logged = any(
        claim.layer is Layer.HARDWARE and claim.latency_seconds is not None for claim in fault.claims
    )
    watched = Layer.HARDWARE in premises.layers and fault.detected_at is not None
    if event is None:
        yield Observation(at=fault.at, text=f"{where} logs nothing: this kind of fault has no vendor event")
    elif watched and not logged:
        yield Observation(at=fault.at, text=f"{where} does not log {event} this time")
    if fault.detected_at is not None and fault.detected_by is not None:
        text = _LAYER_SAYS.get(fault.detected_by, "").format(where=where, event=event or "a vendor event")
        if fault.symptom is Symptom.CORRUPT and fault.detected_by is Layer.NONE:
            text = _FOUND_BAKED
        yield Observation(at=fault.detected_at, text=text)
    for claim in fault.claims:
        if claim.result is ClaimResult.LATE and claim.latency_seconds is not None:
            says = _LAYER_SAYS[claim.layer].format(where=where, event=event or "a vendor event")
            text = f"too late to matter: {says}"
            yield Observation(at=fault.at + claim.latency_seconds, text=text)


def _of_alarm(alarm: FalseAlarmRecord) -> Iterator[Observation]:
    where = place(alarm.node)
    says = _LAYER_SAYS[alarm.layer].format(where=where, event="an error")
    yield Observation(at=alarm.at, text=f"{says}, although nothing is broken")


def _checked(outcome: VerificationOutcome, difference: float) -> str:
    """What the loss-continuity check saw."""
    off = f"{difference:+.4f}"
    return {
        VerificationOutcome.CONTINUOUS: f"verify: the loss goes on where it was ({off})",
        VerificationOutcome.JUMP: f"verify: the loss is {off} off, a wrong restore: one further back",
        VerificationOutcome.FALSE_JUMP: f"verify: the loss is {off} off by chance: one further back",
        VerificationOutcome.MISSED: f"verify: the loss looks continuous ({off}), but the restore was wrong",
    }[outcome]
