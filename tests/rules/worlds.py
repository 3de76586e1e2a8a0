"""Worlds for the alert rules: what a daemon exports minute after minute, as ``promtool`` writes it.

``HEALTHY`` is a world in which nothing is wrong. A case changes it just enough for one alert to fire,
and just not enough. Counters are given by what they grow in a simulated day, gauges by their value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

World = Mapping[str, float | str]
"""Series without prefix and scenario -> growth a day, value, or samples in promtool's notation."""

DAY: Final = 86400.0
STEP_WALL_SECONDS: Final = 15
STEPS_PER_DAY: Final = 4
"""At a speedup of 1440."""
STEPS: Final = 48
"""Twelve simulated days: the longest window is ten."""
RESET_AT: Final = 46
"""Inside every window that ends with the last step, the shortest of which is four steps long."""
END: Final = f"{STEPS * STEP_WALL_SECONDS}s"

OF_THE_TARGET: Final = {"job": "goodputd", "instance": "trainer:9642"}
OF_THE_SCENARIO: Final = {**OF_THE_TARGET, "scenario": "default"}
_OF_THE_DAEMON: Final = (
    "up",
    "build_info",
    "speedup_ratio",
    "lag_wall_seconds",
    "last_advance_timestamp_seconds",
)
_COUNTERS: Final = ("_total", "_sum", "_count", "_bucket")

HEALTHY: Final[World] = {
    "up": 1,
    "build_info": 1,
    "speedup_ratio": 1440,
    "lag_wall_seconds": 0.01,
    "scenario_alerting": 1,
    "target_goodput_ratio": 0.9,
    "target_mttr_seconds": 390,
    "checkpoint_interval_seconds": 472,
    "nominal_gpus": 1024,
    "spares_configured": 16,
    "provisional_seconds": 200,
    "provisional_gpu_seconds": 204800,
    "elapsed_seconds_total": DAY,
    'time_seconds_total{bucket="productive"}': 0.92 * DAY,
    'time_seconds_total{bucket="waiting_for_capacity"}': 0,
    "retracted_seconds_total": 0,
    'gpu_seconds_total{bucket="productive"}': 0.92 * DAY * 1024,
    'gpu_seconds_total{bucket="idle_capacity"}': 0,
    "retracted_gpu_seconds_total": 0,
    'interruptions_total{component="gpu", layer="hardware"}': 7.8,
    'interruptions_total{component="software", layer="heartbeat"}': 2,
    'interruptions_total{component="gpu", layer="watchdog"}': 0,
    'interruptions_total{component="false_alarm", layer="gradient"}': 0.2,
    'interruptions_total{component="planned", layer="planned"}': 5,
    "expected_interruptions_total": 10,
    'false_alarms_total{layer="gradient"}': 0.2,
    'false_alarms_total{layer="heartbeat"}': 0,
    'detection_seconds_count{layer="hardware", result="first"}': 7.8,
    'detection_seconds_count{layer="hardware", result="late"}': 0.2,
    "hardware_events_total": 8,
    'decisions_total{action="restart", reason="first_strike"}': 8,
    'decisions_total{action="evict", reason="second_strike"}': 2,
    'decisions_total{action="wait_for_capacity", reason="no_capacity"}': 0,
    'decisions_total{action="restart", reason="depletion_guard"}': 0,
    'corruptions_total{outcome="baked"}': 0,
    'nodes{state="spare"}': 14,
    'node_strikes{node="17"}': 2,
    'verifications_total{outcome="continuous"}': 9.9,
    'verifications_total{outcome="jump"}': 0.1,
    'verifications_total{outcome="false_jump"}': 0,
    'verifications_total{outcome="missed"}': 0,
    "recovery_seconds_sum": 3400,
    "recovery_seconds_count": 10,
    'recovery_seconds_bucket{le="300.0"}': 2,
    'recovery_seconds_bucket{le="360.0"}': 7,
    'recovery_seconds_bucket{le="420.0"}': 10,
    'recovery_seconds_bucket{le="480.0"}': 10,
    'recovery_seconds_bucket{le="+Inf"}': 10,
}


@dataclass(frozen=True, slots=True)
class Case:
    """One alert: a world in which it fires, one in which it just does not, and others worth a test."""

    fires: World
    quiet: World
    labels: Mapping[str, str]
    """Of the alert, besides its name."""
    summary: str
    description: str
    also_fires: Mapping[str, World] = field(default_factory=dict)
    also_quiet: Mapping[str, World] = field(default_factory=dict)
    with_it: Sequence[str] = ()
    """Alerts that are bound to fire in the same world."""


def input_series(changes: World, *, reset: bool) -> list[dict[str, str]]:
    """The healthy world with these changes; with ``reset`` the daemon starts anew near the end."""
    return [
        {"series": _series(key), "values": _samples(key, value, reset=reset)}
        for key, value in {**HEALTHY, **changes}.items()
    ]


def promtool_file(rules: str, *tests: dict[str, Any]) -> dict[str, Any]:
    """What ``promtool test rules`` reads."""
    return {
        "rule_files": [rules],
        "evaluation_interval": "1m",
        "tests": [{"interval": f"{STEP_WALL_SECONDS}s", **each} for each in tests],
    }


def _series(key: str) -> str:
    name, _, labels = key.partition("{")
    own = [labels.rstrip("}")] if labels else []
    given = OF_THE_TARGET if name in _OF_THE_DAEMON else OF_THE_SCENARIO
    all_labels = ", ".join([*own, *(f'{label}="{text}"' for label, text in given.items())])
    return f"{'' if name == 'up' else 'goodputd_'}{name}{{{all_labels}}}"


def _samples(key: str, value: float | str, *, reset: bool) -> str:
    if isinstance(value, str):
        return value
    if not key.partition("{")[0].endswith(_COUNTERS):
        return f"{value!r}x{STEPS}"
    growth = value / STEPS_PER_DAY
    if not reset:
        return f"0+{growth!r}x{STEPS}"
    # The new daemon has played one step before it is scraped, so that no growth is lost to sight.
    return f"0+{growth!r}x{RESET_AT - 1} {growth!r}+{growth!r}x{STEPS - RESET_AT}"
