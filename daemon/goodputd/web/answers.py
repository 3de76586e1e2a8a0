"""What /api/v1 answers with, as data: the classes are the contract, the OpenAPI document is made of them.

Keys are added and never renamed. Figures have the names of ``goodputd simulate --json``. Seconds are
simulated unless a name says ``wall``; what has no data yet is null.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from goodputd.history.records import DESCRIBED, DecisionRecord, FaultRecord, IncidentRecord
from goodputd.metrics.view import ScenarioView, View
from goodputd.narration import simulated_time
from goodputd.sim.taxonomy import Action, Component, Layer, Reason
from goodputd.summary import summarize

_ANSWER = {**DESCRIBED, "extra": "forbid"}


@dataclass(slots=True, kw_only=True)
class Interruptions:
    """Incidents opened, planned stops not counted."""

    __pydantic_config__ = _ANSWER

    total: int
    by_component: dict[str, int]
    by_layer: dict[str, int]


@dataclass(slots=True, kw_only=True)
class FaultCounts:
    """Faults that struck, the truth."""

    __pydantic_config__ = _ANSWER

    by_kind: dict[str, int]
    by_origin: dict[str, int]


@dataclass(slots=True, kw_only=True)
class FleetStatus:
    """What was done about nodes."""

    __pydantic_config__ = _ANSWER

    spares: dict[str, int]
    """Healthy nodes outside the job, by how soon one can take a place."""
    repairs: dict[str, dict[str, int]]
    """Finished ones, by who repaired and what came of it."""
    repair_line: int
    """Evicted nodes that wait for a crew."""
    hot_resets: dict[str, int]
    """Resets of a device in place, by what came of them."""
    misdiagnoses: dict[str, int]
    """Faults of a node for which nobody was blamed, or an innocent node (the truth)."""
    host_selections: int
    """Choices of hosts when a place was free and no warm standby was left."""
    displaced_nodes: int
    """Healthy nodes of the job that a host selection benched for better ones."""
    preemptions: int
    """Nodes that other work gave up for the job."""
    drained_nodes: int
    """Nodes drained for planned maintenance."""
    lemons: int
    """Nodes that fail more often than others (the truth)."""
    lemon_faults: int
    """Faults that ordinary nodes in their places would not have had (the truth)."""
    in_burst: bool
    """A faulty period is going on (the truth)."""


@dataclass(slots=True, kw_only=True)
class ScenarioStatus:
    """One scenario as of now."""

    __pydantic_config__ = _ANSWER

    name: str
    simulated_seconds: float
    """Since start; every simulated second is in one bucket of ``time_seconds`` or provisional."""
    simulated_time: str | None
    """The simulated instant, ISO 8601."""
    job_state: str
    steps: int
    step: int
    lost_steps: int
    retracted_steps: int
    step_seconds: float
    """How long a step takes now."""
    step_time_ratio: float
    """That over the step time of the settings."""
    loss: float | None
    """Of the last step; null where corruption made it NaN."""
    checkpoints: int
    checkpoints_interrupted: int
    checkpoint_interval_seconds: float
    interruptions: Interruptions
    expected_interruptions: float
    planned_stops: int
    faults: FaultCounts
    undetected_faults: int
    corruptions: dict[str, int]
    """Silent ones: injected, the truth, what became of them, and those of which that is pending."""
    false_alarms: dict[str, int]
    mttr_seconds: float | None
    mtbf_seconds: float | None
    mttd_seconds: float | None
    mttd_seconds_by_symptom: dict[str, float | None]
    recovery_stage_seconds: dict[str, float | None]
    time_seconds: dict[str, float]
    """Where every second went, by ledger bucket."""
    provisional_seconds: float
    """Running time that no durable checkpoint covers yet."""
    retracted_seconds: float
    effective_training_time_ratio: float | None
    """Goodput: productive time over elapsed time."""
    effective_utilization_ratio: float | None
    effective_compute_ratio: float | None
    idle_capacity_ratio: float | None
    """Share of all GPU-seconds that was given up by shrinking."""
    decisions: dict[str, int]
    decisions_by_reason: dict[str, int]
    recovery_success_ratio: dict[str, float | None]
    detections: dict[str, dict[str, int]]
    """By layer that is on: how often it claimed a fault first, too late, and missed one."""
    checkpoint_tiers: dict[str, dict[str, int]]
    """By tier in use: saves by what became of them, and restores."""
    fleet: FleetStatus
    nodes: dict[str, int]
    paired: bool
    """Meets the same faults as the first scenario."""
    alerting: bool
    policy: str
    catalog: str
    settings_digest: str
    target_goodput_ratio: float
    target_mttr_seconds: float


@dataclass(slots=True, kw_only=True)
class Status:
    """The daemon and all its scenarios."""

    __pydantic_config__ = _ANSWER

    version: str
    speedup: float
    """Simulated seconds per real second."""
    lag_wall_seconds: float
    """By how much the simulations are behind their pace."""
    scenarios: tuple[ScenarioStatus, ...]


@dataclass(slots=True, kw_only=True)
class ScenarioEntry:
    """One scenario and where to read on."""

    __pydantic_config__ = _ANSWER

    name: str
    paired: bool
    alerting: bool
    policy: str
    catalog: str
    settings_digest: str
    target_goodput_ratio: float
    target_mttr_seconds: float
    incidents: str
    """The path of its incidents."""


@dataclass(slots=True, kw_only=True)
class Scenarios:
    """All scenarios."""

    __pydantic_config__ = _ANSWER

    scenarios: tuple[ScenarioEntry, ...]


@dataclass(slots=True, kw_only=True)
class IncidentEntry:
    """One incident in a line."""

    __pydantic_config__ = _ANSWER

    scenario: str
    number: int
    began_at: float
    resumed_at: float | None
    """None while it is open."""
    component: Component
    layer: Layer
    node: int | None
    kind: str | None
    """The kind of the fault that opened it; None for a false alarm or a planned stop."""
    action: Action | None
    """The newest decision."""
    reason: Reason | None
    stopped_seconds: float
    lost_steps: int | None
    """Lost and retracted."""
    lost_work_seconds: float | None
    path: str
    """Of the post-mortem in this API."""


@dataclass(slots=True, kw_only=True)
class Incidents:
    """Incidents, the newest first."""

    __pydantic_config__ = _ANSWER

    incidents: tuple[IncidentEntry, ...]
    next: str | None
    """The path of older ones; None when nothing older is kept."""


@dataclass(slots=True, kw_only=True)
class DecisionEntry:
    """One decision and its scenario."""

    __pydantic_config__ = _ANSWER

    scenario: str
    decision: DecisionRecord


@dataclass(slots=True, kw_only=True)
class Decisions:
    """Decisions, the newest first."""

    __pydantic_config__ = _ANSWER

    decisions: tuple[DecisionEntry, ...]


@dataclass(slots=True, kw_only=True)
class Problem:
    """What is wrong with a request (RFC 9457)."""

    __pydantic_config__ = _ANSWER

    title: str
    status: int
    detail: str


def status(view: View, unpaired: Sequence[str]) -> Status:
    """The view as an answer; ``unpaired`` names scenarios that do not share the first one's faults."""
    snapshots = [scenario.snapshot for scenario in view.scenarios]
    figures = summarize(snapshots, version=view.daemon.version, seed=0, unpaired=unpaired)["scenarios"]
    return Status(
        version=view.daemon.version,
        speedup=view.daemon.speedup,
        lag_wall_seconds=view.daemon.lag_wall_seconds,
        scenarios=tuple(
            _scenario(scenario, each) for scenario, each in zip(view.scenarios, figures, strict=True)
        ),
    )


def _scenario(scenario: ScenarioView, figures: dict[str, object]) -> ScenarioStatus:
    nested = {
        "interruptions": Interruptions(**figures.pop("interruptions")),  # type: ignore[arg-type]
        "faults": FaultCounts(**figures.pop("faults")),  # type: ignore[arg-type]
        "fleet": FleetStatus(**figures.pop("fleet")),  # type: ignore[arg-type]
    }
    return ScenarioStatus(
        **figures,  # type: ignore[arg-type]
        **nested,  # type: ignore[arg-type]
        simulated_time=simulated_time(scenario.settings.clock_start_timestamp + scenario.snapshot.now),
        **_in_force(scenario),  # type: ignore[arg-type]
    )


def scenarios(view: View, unpaired: Sequence[str]) -> Scenarios:
    """The scenarios and their settings."""
    return Scenarios(
        scenarios=tuple(
            ScenarioEntry(
                name=scenario.snapshot.scenario,
                paired=scenario.snapshot.scenario not in unpaired,
                incidents=f"/api/v1/incidents?scenario={scenario.snapshot.scenario}",
                **_in_force(scenario),  # type: ignore[arg-type]
            )
            for scenario in view.scenarios
        )
    )


def entry(incident: IncidentRecord) -> IncidentEntry:
    """An incident in a line."""
    fault: FaultRecord | None = incident.first_fault
    decision = incident.decision
    return IncidentEntry(
        scenario=incident.scenario,
        number=incident.number,
        began_at=incident.began_at,
        resumed_at=incident.resumed_at,
        component=incident.component,
        layer=incident.layer,
        node=incident.node,
        kind=None if fault is None else fault.kind,
        action=None if decision is None else decision.action,
        reason=None if decision is None else decision.reason,
        stopped_seconds=incident.stopped_seconds,
        lost_steps=incident.all_lost_steps,
        lost_work_seconds=incident.lost_work_seconds,
        path=f"/api/v1/incidents/{incident.scenario}/{incident.number}",
    )


def _in_force(scenario: ScenarioView) -> dict[str, object]:
    settings = scenario.settings
    return {
        "alerting": settings.alerting,
        "policy": settings.policy,
        "catalog": settings.catalog,
        "settings_digest": settings.settings_digest,
        "target_goodput_ratio": settings.target_goodput_ratio,
        "target_mttr_seconds": settings.target_mttr_seconds,
    }
