"""What a scrape may see: one immutable view of all scenarios and of the daemon at one instant.

The service builds a view, publishes it and never touches it again, so that every number on one
page belongs to the same instant. This module holds data and computes nothing.
"""

from dataclasses import dataclass

from goodputd.sim.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class InForce:
    """Settings of one scenario that dashboards and alerts compare its figures with."""

    policy: str
    catalog: str
    source: str
    """Where the faults come from."""
    settings_digest: str
    target_goodput_ratio: float
    target_mttr_seconds: float
    alerting: bool
    clock_start_timestamp: float
    """Unix seconds of simulated second 0."""


@dataclass(frozen=True, slots=True)
class ScenarioView:
    """One scenario: its snapshot and its settings."""

    snapshot: Snapshot
    settings: InForce


@dataclass(frozen=True, slots=True)
class DaemonView:
    """Figures of the daemon itself, in wall time."""

    version: str
    python: str
    core: str
    """"compiled" or "interpreted"."""
    speedup: float
    lag_wall_seconds: float
    scrape_wall_seconds: float | None
    """How long the last page took to render; None before the first."""
    last_advance_timestamp: float
    """Unix seconds, real, of the last time the simulations were advanced."""


@dataclass(frozen=True, slots=True)
class View:
    """Everything that is exported at one instant."""

    scenarios: tuple[ScenarioView, ...]
    daemon: DaemonView
