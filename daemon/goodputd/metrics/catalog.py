"""Every metric, once: its name, type, help, labels, and which part of a view it shows.

The collector, the documentation and the dashboards are made from ``CATALOG``. A ``read`` function
selects and does not compute: whoever wants another number adds it to the snapshot. Seconds are
simulated unless the name says ``wall``; a value of None leaves the sample out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from goodputd.metrics.view import DaemonView, ScenarioView, View
from goodputd.sim.snapshot import Histogram, Total
from goodputd.sim.taxonomy import JobState

PREFIX: Final = "goodputd_"


class MetricType(StrEnum):
    """The types of Prometheus that are used here; a summary has sum and count, no quantiles."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"
    INFO = "info"


Value = float | Histogram | Total | None
Reading = tuple[tuple[str, ...], Value]
"""Label values, in the order of the labels, and the value."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric family."""

    name: str
    type: MetricType
    help: str
    labels: tuple[str, ...]
    read: Callable[[View], Iterable[Reading]]


_COUNTER, _GAUGE = MetricType.COUNTER, MetricType.GAUGE
_Key = TypeVar("_Key", bound=str | tuple[str, ...])


def _one(name: str, kind: MetricType, text: str, select: Callable[[ScenarioView], Value]) -> MetricSpec:
    """A metric with one value per scenario."""

    def read(view: View) -> Iterable[Reading]:
        return [((s.snapshot.scenario,), select(s)) for s in view.scenarios]

    return MetricSpec(PREFIX + name, kind, text, ("scenario",), read)


def _by(
    name: str,
    kind: MetricType,
    labels: tuple[str, ...],
    text: str,
    select: Callable[[ScenarioView], Mapping[_Key, Value]],
) -> MetricSpec:
    """A metric with one value per scenario and key; a key is one label value or a tuple of them."""

    def read(view: View) -> Iterable[Reading]:
        readings: list[Reading] = []
        for scenario in view.scenarios:
            shown = scenario.snapshot.scenario
            for key, value in select(scenario).items():
                keys = (key,) if isinstance(key, str) else key
                readings.append(((shown, *keys), value))
        return readings

    return MetricSpec(PREFIX + name, kind, text, ("scenario", *labels), read)


def _daemon(name: str, text: str, select: Callable[[DaemonView], Value]) -> MetricSpec:
    """A gauge of the daemon itself."""
    return MetricSpec(PREFIX + name, _GAUGE, text, (), lambda view: [((), select(view.daemon))])


def _instant(scenario: ScenarioView, at: float | None) -> float | None:
    """Simulated Unix seconds."""
    return None if at is None else scenario.settings.clock_start_timestamp + at


_WINDOW: Final = " Since start; for a window w: "
"""What follows is PromQL as it stands, up to the full stop; a test evaluates it."""


def _summed(series: str, function: str = "increase", by: str = "scenario") -> str:
    """PromQL: the change of a family over a window w, summed."""
    return f"sum by ({by}) ({function}({PREFIX}{series}[w]))"


_ELAPSED: Final = _summed("elapsed_seconds_total")
_STOPPED: Final = _summed("recovery_seconds_sum")


_COUNTERS: Final = (
    _by(
        "interruptions_total", _COUNTER, ("component", "layer"),
        "Incidents opened, by what was blamed first and the layer that noticed. "
        "planned and false_alarm are components of their own.",
        lambda s: s.snapshot.interruptions,
    ),
    _one(
        "expected_interruptions_total", _COUNTER,
        "Interruptions to expect from the configured rates: the hazard integrated over running time.",
        lambda s: s.snapshot.expected_interruptions,
    ),
    _by(
        "faults_total", _COUNTER, ("kind", "component", "origin"),
        "Faults that struck the job (ground truth), detected or not. A permanent fault that comes back "
        "counts again with origin=recurrence.",
        lambda s: s.snapshot.faults,
    ),
    _by(
        "detection_misses_total", _COUNTER, ("layer",),
        "Faults that an enabled layer is blind to.",
        lambda s: s.snapshot.detection_misses,
    ),
    _by(
        "false_alarms_total", _COUNTER, ("layer",),
        "Interruptions caused by a layer that reported a fault where there was none.",
        lambda s: s.snapshot.false_alarms,
    ),
    _by(
        "decisions_total", _COUNTER, ("action", "reason"),
        "Decisions of the policy, one per detected fault or false alarm.",
        lambda s: s.snapshot.decisions,
    ),
    _by(
        "recoveries_total", _COUNTER, ("action", "outcome"),
        "Recoveries whose outcome is known: success when the same cause stays quiet for 24 simulated hours.",
        lambda s: s.snapshot.recoveries,
    ),
    _by(
        "verifications_total", _COUNTER, ("outcome",),
        "Loss-continuity checks after a restore; jump and false_jump restore again.",
        lambda s: s.snapshot.verifications,
    ),
    _one(
        "lost_steps_total", _COUNTER,
        "Steps executed after the last checkpoint and lost to an interruption.",
        lambda s: s.snapshot.lost_steps,
    ),
    _one("steps_total", _COUNTER, "Steps executed, repeats included.", lambda s: s.snapshot.steps),
    _one(
        "retracted_steps_total", _COUNTER,
        "Steps that a checkpoint covered and that were taken back nevertheless.",
        lambda s: s.snapshot.retracted_steps,
    ),
    _by(
        "time_seconds_total", _COUNTER, ("bucket",),
        "Simulated seconds by where they went. All buckets + goodputd_provisional_seconds "
        "= goodputd_elapsed_seconds_total.",
        lambda s: s.snapshot.seconds,
    ),
    _by(
        "gpu_seconds_total", _COUNTER, ("bucket",),
        "Simulated GPU-seconds by where they went; idle_capacity is capacity given up by shrinking.",
        lambda s: s.snapshot.gpu_seconds,
    ),
    _one(
        "retracted_seconds_total", _COUNTER,
        "Simulated seconds of work counted as productive and taken back later; ratios subtract them.",
        lambda s: s.snapshot.retracted_seconds,
    ),
    _one(
        "retracted_gpu_seconds_total", _COUNTER,
        "Simulated GPU-seconds of work counted as productive and taken back later; ratios subtract them.",
        lambda s: s.snapshot.retracted_gpu_seconds,
    ),
    _one("elapsed_seconds_total", _COUNTER, "Simulated seconds since start.", lambda s: s.snapshot.now),
    _by(
        "checkpoints_total", _COUNTER, ("tier", "outcome"),
        "Checkpoint saves by where they lie and what became of them.",
        lambda s: s.snapshot.checkpoints,
    ),
)  # fmt: skip

_DISTRIBUTIONS: Final = (
    _one(
        "recovery_seconds", MetricType.HISTOGRAM,
        "Simulated seconds that an incident stopped training, from the stop to verified training.",
        lambda s: s.snapshot.recovery_seconds,
    ),
    _by(
        "detection_seconds", MetricType.HISTOGRAM, ("layer", "result"),
        "Simulated seconds from a fault to a layer's claim: result=first won, "
        "late is when the layer would have claimed it.",
        lambda s: s.snapshot.detection_seconds,
    ),
    _by(
        "recovery_stage_seconds", MetricType.SUMMARY, ("stage",),
        "Simulated seconds of each recovery stage, sum and count; stages that a second fault cut short "
        "included.",
        lambda s: s.snapshot.stage_seconds,
    ),
)  # fmt: skip

_GAUGES: Final = (
    _one(
        "effective_training_time_ratio", _GAUGE,
        "Goodput: productive time / elapsed time; work counts once a checkpoint holds it." + _WINDOW
        + "(" + _summed('time_seconds_total{bucket="productive"}') + " - "
        + _summed("retracted_seconds_total") + " + " + _summed("provisional_seconds", "delta")
        + ") / " + _ELAPSED + ".",
        lambda s: s.snapshot.effective_training_time_ratio,
    ),
    _one(
        "effective_utilization_ratio", _GAUGE,
        "Productive GPU-seconds / (GPUs of the full job x elapsed time); unlike goodput it sees a shrunk job."
        + _WINDOW + "(" + _summed('gpu_seconds_total{bucket="productive"}') + " - "
        + _summed("retracted_gpu_seconds_total") + " + " + _summed("provisional_gpu_seconds", "delta")
        + ") / (sum by (scenario) (goodputd_nominal_gpus) * " + _ELAPSED + ").",
        lambda s: s.snapshot.effective_utilization_ratio,
    ),
    _one(
        "effective_compute_ratio", _GAUGE,
        "1 - time stopped by incidents / elapsed time; lost work does not count against it." + _WINDOW
        + "1 - " + _STOPPED + " / " + _ELAPSED + ".",
        lambda s: s.snapshot.effective_compute_ratio,
    ),
    _by(
        "recovery_success_ratio", _GAUGE, ("action",),
        "Share of recoveries that held for 24 simulated hours; absent before the first is known." + _WINDOW
        + _summed('recoveries_total{outcome="success"}', by="scenario, action") + " / "
        + _summed("recoveries_total", by="scenario, action") + ".",
        lambda s: s.snapshot.recovery_success_ratio,
    ),
    _one(
        "mttr_seconds", _GAUGE,
        "Mean simulated seconds of stopped time per incident; absent before the first." + _WINDOW
        + _STOPPED + " / " + _summed("recovery_seconds_count") + ".",
        lambda s: s.snapshot.mttr_seconds,
    ),
    _one(
        "mtbf_seconds", _GAUGE,
        "Elapsed time / interruptions, planned stops not counted; absent before the first." + _WINDOW
        + _ELAPSED + " / " + _summed('interruptions_total{component!="planned"}') + ".",
        lambda s: s.snapshot.mtbf_seconds,
    ),
    _by(
        "mttd_seconds", _GAUGE, ("symptom",),
        "Mean simulated seconds from a fault to its detection; absent before the first." + _WINDOW
        + _summed('detection_seconds_sum{result="first"}') + " / "
        + _summed('detection_seconds_count{result="first"}') + ".",
        lambda s: s.snapshot.mttd_seconds,
    ),
    _one(
        "step", _GAUGE,
        "The step the job is at; it falls when a checkpoint is restored.",
        lambda s: s.snapshot.step,
    ),
    _one(
        "provisional_seconds", _GAUGE,
        "Simulated seconds of step time that no durable checkpoint covers yet.",
        lambda s: s.snapshot.provisional_seconds,
    ),
    _one(
        "provisional_gpu_seconds", _GAUGE,
        "Simulated GPU-seconds of step time that no durable checkpoint covers yet.",
        lambda s: s.snapshot.provisional_gpu_seconds,
    ),
    _by(
        "nodes", _GAUGE, ("state",),
        "Nodes by state, spares included: active and failed ones are in the job, idle ones were left over by "
        "a shrink and are used first, spare ones wait for an eviction, repairing ones come back as spares.",
        lambda s: s.snapshot.nodes,
    ),
    _by("gpus", _GAUGE, ("state",), "GPUs by state of their node.", lambda s: s.snapshot.gpus),
    _one("nominal_gpus", _GAUGE, "GPUs of the full job, without spares.", lambda s: s.snapshot.nominal_gpus),
    _by(
        "job_state", _GAUGE, ("state",),
        "1 for the state the job is in, 0 for the others. Short states fall between scrapes: "
        "alert on goodputd_time_seconds_total instead.",
        lambda s: {state: float(state is s.snapshot.job_state) for state in JobState},
    ),
    _by(
        "node_strikes", _GAUGE, ("node",),
        "Standing strikes of nodes that have two or more, the 20 worst.",
        lambda s: {str(entry.node): entry.strikes for entry in s.snapshot.node_strikes},
    ),
    _one("loss", _GAUGE, "Training loss of the current step, nats per token.", lambda s: s.snapshot.loss),
    _one("gradient_norm", _GAUGE, "Gradient norm of the current step.", lambda s: s.snapshot.gradient_norm),
    _one(
        "undetected_faults", _GAUGE,
        "Faults at work that no layer has found (ground truth).",
        lambda s: s.snapshot.undetected_faults,
    ),
)  # fmt: skip

_INSTANTS: Final = (
    _one(
        "simulated_timestamp_seconds", _GAUGE,
        "The simulated instant this page shows, Unix seconds.",
        lambda s: _instant(s, s.snapshot.now),
    ),
    _one(
        "last_interruption_timestamp_seconds", _GAUGE,
        "When the last interruption was opened, simulated Unix seconds; absent before the first.",
        lambda s: _instant(s, s.snapshot.last_interruption_at),
    ),
    _one(
        "last_step_timestamp_seconds", _GAUGE,
        "When the last step completed, simulated Unix seconds; absent before the first.",
        lambda s: _instant(s, s.snapshot.last_step_at),
    ),
    _by(
        "last_checkpoint_timestamp_seconds", _GAUGE, ("tier",),
        "When the last checkpoint became durable, simulated Unix seconds; absent before the first.",
        lambda s: {tier: _instant(s, at) for tier, at in s.snapshot.last_checkpoint_at.items()},
    ),
)  # fmt: skip

_SETTINGS: Final = (
    _by(
        "scenario_info", MetricType.INFO, ("policy", "catalog", "source", "settings_digest"),
        "What the scenario plays: restart policy, fault catalog, where the faults come from, "
        "and a digest of all its settings.",
        lambda s: {(s.settings.policy, s.settings.catalog, s.settings.source, s.settings.settings_digest): 1},
    ),
    _by(
        "detection_timeout_seconds", _GAUGE, ("layer",),
        "Longest silence that an enabled layer lets pass, simulated seconds; absent for gradient, whose "
        "checks follow steps.",
        lambda s: s.snapshot.detection_timeout_seconds,
    ),
    _one(
        "checkpoint_interval_seconds", _GAUGE,
        "Simulated seconds of training between two checkpoints.",
        lambda s: s.snapshot.checkpoint_interval_seconds,
    ),
    _one("spares_configured", _GAUGE, "Spare nodes at start.", lambda s: s.snapshot.spares_configured),
    _one(
        "target_goodput_ratio", _GAUGE,
        "The goodput that alerts and dashboards compare with.",
        lambda s: s.settings.target_goodput_ratio,
    ),
    _one(
        "target_mttr_seconds", _GAUGE,
        "The mean time to recovery that alerts and dashboards compare with, simulated seconds.",
        lambda s: s.settings.target_mttr_seconds,
    ),
    _one(
        "scenario_alerting", _GAUGE,
        "1 when alerts should fire for this scenario, 0 when it is there for comparison.",
        lambda s: float(s.settings.alerting),
    ),
)  # fmt: skip

_DAEMON: Final = (
    MetricSpec(
        PREFIX + "build_info", MetricType.INFO, "Version of goodputd and of the Python that runs it.",
        ("version", "python"), lambda view: [((view.daemon.version, view.daemon.python), 1)],
    ),
    _daemon("speedup_ratio", "Simulated seconds per wall second, as configured.", lambda d: d.speedup),
    _daemon(
        "lag_wall_seconds",
        "Wall seconds by which the simulations are behind their pace; it stays below 1 unless the speedup "
        "asks for more than this machine can do.",
        lambda d: d.lag_wall_seconds,
    ),
    _daemon(
        "scrape_wall_seconds",
        "Wall seconds that rendering the previous page took; absent before the first.",
        lambda d: d.scrape_wall_seconds,
    ),
    _daemon(
        "last_advance_timestamp_seconds",
        "When the simulations were last advanced, real Unix seconds.",
        lambda d: d.last_advance_timestamp,
    ),
)  # fmt: skip

CATALOG: Final[tuple[MetricSpec, ...]] = (
    *_COUNTERS,
    *_DISTRIBUTIONS,
    *_GAUGES,
    *_INSTANTS,
    *_SETTINGS,
    *_DAEMON,
)
"""In the order of the page."""


def documentation() -> str:
    """The catalog as a Markdown table, one row per metric, with a newline at the end."""
    rows = ["| metric | type | labels | meaning |", "| --- | --- | --- | --- |"]
    for spec in CATALOG:
        labels = ", ".join(f"`{label}`" for label in spec.labels) or "none"
        text = spec.help.replace("|", "\\|")
        rows.append(f"| `{spec.name}` | {spec.type} | {labels} | {text} |")
    return "\n".join(rows) + "\n"
