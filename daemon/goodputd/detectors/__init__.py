"""The detection layers by name: one explicit table, no registration.

A new layer is one file, one line in ``DETECTORS``, one field in ``DetectionSpec``, one test file.
Detectors see observations, never the truth: they may not import ``sim.faults`` or
``sim.simulation``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from goodputd.detectors.gradient import Gradient, GradientSpec
from goodputd.detectors.hardware import Hardware, HardwareSpec
from goodputd.detectors.heartbeat import Heartbeat, HeartbeatSpec
from goodputd.detectors.probe import Probe, ProbeSpec
from goodputd.detectors.scan import Scan, ScanSpec
from goodputd.detectors.sentinel import Sentinel, SentinelSpec
from goodputd.detectors.shadow import Shadow
from goodputd.detectors.validation import Validation
from goodputd.detectors.watchdog import Watchdog, WatchdogSpec
from goodputd.sim.protocols import Detector
from goodputd.sim.specs.detection import DiagnosisSpec, ShadowSpec, ValidationSpec
from goodputd.sim.specs.fields import SPEC, PositiveSeconds

LayerName = Literal[
    "heartbeat", "hardware", "watchdog", "gradient", "validation", "shadow", "sentinel", "probe", "scan"
]

DETECTORS: Final[dict[str, Callable[[Any], Detector]]] = {
    "hardware": Hardware,
    "heartbeat": Heartbeat,
    "gradient": Gradient,
    "watchdog": Watchdog,
    "validation": Validation,
    "shadow": Shadow,
    "sentinel": Sentinel,
    "probe": Probe,
    "scan": Scan,
}
"""By name, fastest first: when two layers claim at the same instant, the earlier one wins."""


@dataclass(slots=True, kw_only=True)
class DetectionSpec:
    """Which layers watch the job, and how fast."""

    __pydantic_config__ = SPEC

    layers: tuple[LayerName, ...] = ("heartbeat", "hardware", "watchdog", "gradient")
    """Which layers are on; the first to claim a fault wins."""
    operator_seconds: PositiveSeconds = 14400.0
    """Seconds until a person notices a stopped job that no layer reports."""
    diagnosis: DiagnosisSpec = field(default_factory=DiagnosisSpec)
    """Which node a detected fault is blamed on."""
    heartbeat: HeartbeatSpec = field(default_factory=HeartbeatSpec)
    """A rank or node that stops beating."""
    hardware: HardwareSpec = field(default_factory=HardwareSpec)
    """Vendor events in a node's log."""
    watchdog: WatchdogSpec = field(default_factory=WatchdogSpec)
    """No collective progress."""
    gradient: GradientSpec = field(default_factory=GradientSpec)
    """Per-rank statistics."""
    validation: ValidationSpec = field(default_factory=ValidationSpec)
    """Corrupt state, at validation points."""
    shadow: ShadowSpec = field(default_factory=ShadowSpec)
    """Steps that are computed twice."""
    sentinel: SentinelSpec = field(default_factory=SentinelSpec)
    """Kernel anomalies."""
    probe: ProbeSpec = field(default_factory=ProbeSpec)
    """Short tests of nodes in production."""
    scan: ScanSpec = field(default_factory=ScanSpec)
    """Thorough tests of nodes out of production."""


def validation_of(spec: DetectionSpec) -> ValidationSpec | None:
    """What training pauses for; None while the layer is off."""
    return spec.validation if "validation" in spec.layers else None


def shadow_of(spec: DetectionSpec) -> ShadowSpec | None:
    """What lengthens every step; None while the layer is off."""
    return spec.shadow if "shadow" in spec.layers else None


def build(spec: DetectionSpec) -> tuple[Detector, ...]:
    """The detectors that are on, in the order of ``DETECTORS``."""
    return tuple(make(getattr(spec, name)) for name, make in DETECTORS.items() if name in spec.layers)
