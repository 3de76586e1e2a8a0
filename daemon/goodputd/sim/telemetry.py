"""Telemetry: what a fault shows, and when each layer would claim it.

The bridge from truth to monitoring. ``observe`` turns a fault into an ``Observation``, ``survey``
asks every layer for its claim. Every layer's answer is kept, not only the winner's.
"""

from typing import Final

from goodputd.sim.faults import Fault
from goodputd.sim.job import Position, Run
from goodputd.sim.observation import Claim, CorruptState, Observation
from goodputd.sim.protocols import Detector
from goodputd.sim.taxonomy import Symptom
from goodputd.sim.training import Training

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_CRASH: Final = Symptom.CRASH


def observe(fault: Fault, run: Run, position: Position, training: Training) -> Observation:
    """What a fault shows that strikes the running job at ``fault.at``.

    A hang leaves the processes beating. While a save or a validation blocks training no step beat is
    expected, and the ranks that are left meet in the next collective only after it.
    """
    at = fault.at
    kind = fault.kind
    blocked_until = at
    last_step_at = position.activity_since
    paused_until = position.save_ends_at
    if position.aside is not None:
        paused_until = paused_until or position.aside.validation_ends_at
    if paused_until:
        last_step_at = blocked_until = paused_until
    stops = kind.stops
    return Observation(
        at,
        at if kind.symptom is _CRASH else None,
        at if stops else None,
        last_step_at,
        blocked_until if stops else None,
        at + kind.event_delay_seconds if fault.logged else None,
        training.checks_from,
        # the checks that may find a straggler follow the steps that it slows
        run.step_seconds
        if stops
        else max(run.step_seconds, run.base_step_seconds * training.slowed(kind.slow_factor)),
        kind.step_time_sigmas,
        kind.gradient_sigmas,
        fault.marks.statistic,
    )


def observe_stopped(fault: Fault, *, collective_stalls_at: float | None) -> Observation:
    """What a fault shows that strikes a stopped job: no steps, no statistics (DESIGN rule 3)."""
    at = fault.at
    return Observation(
        at,
        at if fault.kind.symptom is _CRASH else None,
        None,
        at,
        collective_stalls_at,
        at + fault.kind.event_delay_seconds if fault.logged else None,
        at,
        1.0,
        0.0,
        0.0,
        fault.marks.statistic,
    )


def observe_taint(
    now: float, checks_from: float, step_seconds: float, corrupt: CorruptState, uniform: float
) -> Observation:
    """What corrupt state shows from ``now`` on in a run whose checks began at ``checks_from``.

    The fault that corrupted it shows nothing any more; ``uniform`` belongs to the state.
    """
    return Observation(
        now, None, None, now, None, None, checks_from, step_seconds, 0.0, 0.0, uniform, corrupt
    )


def survey(detectors: tuple[Detector, ...], observation: Observation) -> list[Claim]:
    """The claim of every layer that sees it, first claim first; ties go to the first detector."""
    claims = [
        (at, index, detector.layer)
        for index, detector in enumerate(detectors)
        if (at := detector.claims_at(observation)) is not None
    ]
    claims.sort()
    return claims
