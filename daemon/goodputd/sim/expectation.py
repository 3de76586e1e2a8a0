"""Expectation: which kinds of fault interrupt the job, so that its interruptions can be expected.

A crash or hang does at once. A slow rank or corrupt state does when somebody finds it and the policy
stops the job for it. Asks the layers and the policy before anything has happened; knows no run.
"""

from goodputd.sim.faults import FaultKind
from goodputd.sim.observation import Detection, Observation
from goodputd.sim.parts import Parts
from goodputd.sim.protocols import Case, Detector, Policy
from goodputd.sim.taxonomy import Action, Layer, Symptom
from goodputd.sim.telemetry import survey


def interrupting_shares(parts: Parts) -> dict[str, float]:
    """Share of the faults of each kind, 0 to 1, that interrupt a running job sooner or later.

    Found late, a fault may be cured unseen by the restart for another one; that is not subtracted.
    """
    return {kind.name: _share(kind, parts) for kind in parts.kinds}


def _share(kind: FaultKind, parts: Parts) -> float:
    if kind.stops:
        return 1.0
    if kind.symptom is Symptom.BENIGN or _is_tolerated(kind, parts.policy):
        return 0.0
    validated = 0.0
    if kind.symptom is Symptom.CORRUPT:
        if parts.corruption.baked_discovery == "at_checkpoint":
            return 1.0
        if parts.validation is not None:
            validated = parts.validation.coverage
    logged = kind.logged_probability if kind.event is not None else 0.0
    by_event = 1.0 if _is_seen(kind, parts.detectors, is_logged=True) else validated
    otherwise = 1.0 if _is_seen(kind, parts.detectors, is_logged=False) else validated
    return logged * by_event + (1.0 - logged) * otherwise


def _is_tolerated(kind: FaultKind, policy: Policy) -> bool:
    """Whether the policy lets the job go on, slow, when it is told."""
    slowdown = 0.0 if kind.symptom is Symptom.CORRUPT else kind.slow_factor - 1.0
    detection = Detection(0.0, Layer.NONE, None if kind.job_wide else 0, kind.component, slowdown)
    return policy.decide(Case(0.0, detection, strikes=1)).action is Action.TOLERATE


def _is_seen(kind: FaultKind, detectors: tuple[Detector, ...], *, is_logged: bool) -> bool:
    """Whether a layer claims such a fault of a running job by its event or by what it does to statistics."""
    shown = Observation(
        at=0.0,
        beats_stop_at=None,
        steps_stop_at=None,
        last_step_at=0.0,
        collective_stalls_at=None,
        event_logged_at=0.0 if is_logged else None,
        checks_from=0.0,
        step_seconds=1.0,
        step_time_shift_sigmas=kind.step_time_sigmas,
        gradient_shift_sigmas=kind.gradient_sigmas,
        uniform=0.5,
    )
    return bool(survey(detectors, shown))
