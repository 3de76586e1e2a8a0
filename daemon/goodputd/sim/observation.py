"""The only bridge from truth to telemetry.

A detector is handed an ``Observation``: what the monitoring could see of one fault, when, and
nothing else. It never learns the kind of fault, whether it is transient, or which fault it was.
"""

from dataclasses import dataclass

from goodputd.sim.taxonomy import Component, Layer


@dataclass(slots=True)
class Observation:
    """What one fault shows, as instants in simulated seconds; None where it shows nothing.

    ``uniform`` is a number in [0, 1) that belongs to the fault, for detectors whose success is a
    matter of chance: drawn with the fault, so that all scenarios meet the same luck.
    """

    at: float
    beats_stop_at: float | None
    """When the heartbeats of a rank or its node stop."""
    steps_stop_at: float | None
    """When the per-step beats of the ranks stop: training only, a save counts as training."""
    last_step_at: float
    """When the last step before the fault completed, or the last save ended."""
    collective_stalls_at: float | None
    """When the ranks that are left start to wait in a collective."""
    event_logged_at: float | None
    """When the node logs a vendor event."""
    checks_from: float
    """When the per-rank statistics of the job were last started: the phase of every-N-steps checks."""
    step_seconds: float
    """The job's step time, simulated seconds."""
    step_time_shift_sigmas: float
    """How far the rank's step time moves from the other ranks', in standard deviations."""
    gradient_shift_sigmas: float
    """How far the rank's gradient norm moves from the other ranks', in standard deviations."""
    uniform: float
    corrupt: "CorruptState | None" = None
    """What corrupt training state shows; None where nothing is corrupt."""


@dataclass(slots=True)
class WrongRank:
    """What a rank that computes wrongly shows; uniforms in [0, 1) belong to the fault or the node."""

    is_defect: bool
    """It does it again when it is tested or trains on."""
    sentinel_uniform: float
    shadow_uniform: float
    chances: tuple[float, float]
    """Of a scan and of a probe, by fault: decide whether its patterns provoke the defect."""
    phases: tuple[float, float]
    """Of the node in the rounds of scans and probes."""


@dataclass(slots=True)
class CorruptState:
    """What corrupt training state shows by itself, whatever became of the fault that corrupted it."""

    validation_ends_at: float | None
    """When the first validation ends that runs on it; None when none ever does."""
    uniform: float
    """In [0, 1), belongs to the fault: decides whether a validation can see it."""
    loss_shift_sigmas: float
    """How far the loss is off, in standard deviations of one step; infinite for NaN."""
    rank: WrongRank | None
    """None when the fault is gone and the state is all that is left."""


Claim = tuple[float, int, Layer]
"""When a layer claims a fault, simulated seconds; the detector's index; the layer."""


@dataclass(slots=True)
class JobView:
    """What a detector may know of the healthy job, to say how often it cries wolf."""

    active_nodes: int
    active_ranks: int
    step_seconds: float
    training_share: float
    """Share of running time spent in steps rather than saves, 0 to 1."""


@dataclass(slots=True)
class Detection:
    """A layer's claim, as the policy sees it; it may be false."""

    at: float
    layer: Layer
    node: int | None
    component: Component
    """What the claim names as broken."""
    slowdown: float
    """By how much longer steps take, as a share, in a job that goes on; else 0."""
