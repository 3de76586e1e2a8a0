"""What is so at this instant: ratios and states of the scenarios, and the last time of things.

Help texts of ratios that run since start say how to take a window, as PromQL that a test evaluates.
"""

from typing import Final

from goodputd.metrics.family import GAUGE, PREFIX, by, instant, one
from goodputd.sim.taxonomy import JobState

_WINDOW: Final = " Since start; for a window w: "
"""What follows is PromQL as it stands, up to the full stop; a test evaluates it."""


def _summed(series: str, function: str = "increase", by: str = "scenario") -> str:
    """PromQL: the change of a family over a window w, summed."""
    return f"sum by ({by}) ({function}({PREFIX}{series}[w]))"


_ELAPSED: Final = _summed("elapsed_seconds_total")
_STOPPED: Final = _summed("recovery_seconds_sum")


GAUGES: Final = (
    one(
        "effective_training_time_ratio", GAUGE,
        "Goodput: productive time / elapsed time; work counts once a checkpoint holds it." + _WINDOW
        + "(" + _summed('time_seconds_total{bucket="productive"}') + " - "
        + _summed("retracted_seconds_total") + " + " + _summed("provisional_seconds", "delta")
        + ") / " + _ELAPSED + ".",
        lambda s: s.snapshot.effective_training_time_ratio,
    ),
    one(
        "effective_utilization_ratio", GAUGE,
        "Productive GPU-seconds / (GPUs of the full job x elapsed time); unlike goodput it sees a shrunk job."
        + _WINDOW + "(" + _summed('gpu_seconds_total{bucket="productive"}') + " - "
        + _summed("retracted_gpu_seconds_total") + " + " + _summed("provisional_gpu_seconds", "delta")
        + ") / (sum by (scenario) (goodputd_nominal_gpus) * " + _ELAPSED + ").",
        lambda s: s.snapshot.effective_utilization_ratio,
    ),
    one(
        "effective_compute_ratio", GAUGE,
        "1 - time stopped by incidents / elapsed time; lost work does not count against it." + _WINDOW
        + "1 - " + _STOPPED + " / " + _ELAPSED + ".",
        lambda s: s.snapshot.effective_compute_ratio,
    ),
    by(
        "recovery_success_ratio", GAUGE, ("action",),
        "Share of recoveries that held for 24 simulated hours; absent before the first is known." + _WINDOW
        + _summed('recoveries_total{outcome="success"}', by="scenario, action") + " / "
        + _summed("recoveries_total", by="scenario, action") + ".",
        lambda s: s.snapshot.recovery_success_ratio,
    ),
    one(
        "mttr_seconds", GAUGE,
        "Mean simulated seconds of stopped time per incident; absent before the first." + _WINDOW
        + _STOPPED + " / " + _summed("recovery_seconds_count") + ".",
        lambda s: s.snapshot.mttr_seconds,
    ),
    one(
        "mtbf_seconds", GAUGE,
        "Elapsed time / interruptions, planned stops not counted; absent before the first." + _WINDOW
        + _ELAPSED + " / " + _summed('interruptions_total{component!="planned"}') + ".",
        lambda s: s.snapshot.mtbf_seconds,
    ),
    by(
        "mttd_seconds", GAUGE, ("symptom",),
        "Mean simulated seconds from a fault to its detection; absent before the first." + _WINDOW
        + _summed('detection_seconds_sum{result="first"}') + " / "
        + _summed('detection_seconds_count{result="first"}') + ".",
        lambda s: s.snapshot.mttd_seconds,
    ),
    one(
        "step", GAUGE,
        "The step the job is at; it falls when a checkpoint is restored.",
        lambda s: s.snapshot.step,
    ),
    one(
        "step_seconds", GAUGE,
        "Mean simulated seconds of a step of the job as it runs now; stopped, as it would go on.",
        lambda s: s.snapshot.step_time.seconds,
    ),
    by(
        "step_time_ratio", GAUGE, ("cause",),
        "Step time as a multiple of job.step_seconds, by cause: the slowest pool of hardware, placement "
        "across racks, cooling, a job that shrank, noise of the ranks, the network, a slow rank; "
        "goodputd_step_seconds is the product.",
        lambda s: s.snapshot.step_time.ratios,
    ),
    one(
        "provisional_seconds", GAUGE,
        "Simulated seconds of step time that no durable checkpoint covers yet.",
        lambda s: s.snapshot.provisional_seconds,
    ),
    one(
        "provisional_gpu_seconds", GAUGE,
        "Simulated GPU-seconds of step time that no durable checkpoint covers yet.",
        lambda s: s.snapshot.provisional_gpu_seconds,
    ),
    by(
        "nodes", GAUGE, ("state",),
        "Nodes by state, spares included: active and failed ones are in the job, idle ones were left over by "
        "a shrink and are used first, spare ones wait for an eviction, repairing ones come back as spares, "
        "retired ones do not.",
        lambda s: s.snapshot.nodes,
    ),
    by(
        "spare_nodes", GAUGE, ("readiness",),
        "Healthy nodes outside the job by how soon they can take a place: warm at once, cold after a host "
        "selection, preemptible when other work has given them up.",
        lambda s: s.snapshot.fleet.spares,
    ),
    one(
        "repair_line_nodes", GAUGE,
        "Nodes in repair that wait for a free crew.",
        lambda s: s.snapshot.fleet.repair_line,
    ),
    one(
        "fault_burst", GAUGE,
        "1 while a faulty period multiplies the rates of faults (ground truth), else 0.",
        lambda s: float(s.snapshot.fleet.in_burst),
    ),
    one(
        "lemon_nodes", GAUGE,
        "Nodes that fail more often than the others and that no repair made ordinary yet (ground truth).",
        lambda s: s.snapshot.fleet.lemons,
    ),
    by("gpus", GAUGE, ("state",), "GPUs by state of their node.", lambda s: s.snapshot.gpus),
    one("nominal_gpus", GAUGE, "GPUs of the full job, without spares.", lambda s: s.snapshot.nominal_gpus),
    by(
        "job_state", GAUGE, ("state",),
        "1 for the state the job is in, 0 for the others. Short states fall between scrapes: "
        "alert on goodputd_time_seconds_total instead.",
        lambda s: {state: float(state is s.snapshot.job_state) for state in JobState},
    ),
    by(
        "node_strikes", GAUGE, ("node",),
        "Standing strikes of nodes that have two or more, the 20 worst.",
        lambda s: {str(entry.node): entry.strikes for entry in s.snapshot.node_strikes},
    ),
    one(
        "loss", GAUGE,
        "Training loss of the current step, nats per token; absent while it is NaN.",
        lambda s: s.snapshot.loss,
    ),
    one(
        "gradient_norm", GAUGE,
        "Gradient norm of the current step; absent while it is NaN.",
        lambda s: s.snapshot.gradient_norm,
    ),
    one(
        "undetected_faults", GAUGE,
        "Faults at work that no layer has found (ground truth).",
        lambda s: s.snapshot.undetected_faults,
    ),
)  # fmt: skip

INSTANTS: Final = (
    one(
        "simulated_timestamp_seconds", GAUGE,
        "The simulated instant this page shows, Unix seconds.",
        lambda s: instant(s, s.snapshot.now),
    ),
    one(
        "last_interruption_timestamp_seconds", GAUGE,
        "When the last interruption was opened, simulated Unix seconds; absent before the first.",
        lambda s: instant(s, s.snapshot.last_interruption_at),
    ),
    one(
        "last_step_timestamp_seconds", GAUGE,
        "When the last step completed, simulated Unix seconds; absent before the first.",
        lambda s: instant(s, s.snapshot.last_step_at),
    ),
    by(
        "last_checkpoint_timestamp_seconds", GAUGE, ("tier",),
        "When the last checkpoint became durable, simulated Unix seconds; absent before the first.",
        lambda s: {tier: instant(s, at) for tier, at in s.snapshot.last_checkpoint_at.items()},
    ),
)  # fmt: skip
