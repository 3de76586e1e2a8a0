"""What adds up: counters, and the distributions of how long things took.

Seconds are simulated; ``catalog`` joins these with the other families.
"""

from typing import Final

from goodputd.metrics.family import COUNTER, MetricType, by, one

COUNTERS: Final = (
    by(
        "interruptions_total", COUNTER, ("component", "layer"),
        "Incidents opened, by what was blamed first and the layer that noticed. "
        "planned and false_alarm are components of their own.",
        lambda s: s.snapshot.interruptions,
    ),
    one(
        "expected_interruptions_total", COUNTER,
        "Interruptions to expect from the configured rates: the hazard integrated over running time.",
        lambda s: s.snapshot.expected_interruptions,
    ),
    by(
        "faults_total", COUNTER, ("kind", "component", "origin"),
        "Faults that struck the job (ground truth), detected or not. A permanent fault that comes back "
        "counts again with origin=recurrence.",
        lambda s: s.snapshot.faults,
    ),
    by(
        "detection_misses_total", COUNTER, ("layer",),
        "Faults that an enabled layer is blind to.",
        lambda s: s.snapshot.detection_misses,
    ),
    one(
        "hardware_events_total", COUNTER,
        "Faults that left a vendor event in a log, whether a layer reads it or not; "
        'count goodputd_detection_seconds{layer="hardware"} to see how many the hardware layer claimed.',
        lambda s: s.snapshot.hardware_events,
    ),
    by(
        "false_alarms_total", COUNTER, ("layer",),
        "Interruptions caused by a layer that reported a fault where there was none.",
        lambda s: s.snapshot.false_alarms,
    ),
    by(
        "decisions_total", COUNTER, ("action", "reason"),
        "Decisions of the policy, one per detected fault or false alarm.",
        lambda s: s.snapshot.decisions,
    ),
    by(
        "recoveries_total", COUNTER, ("action", "outcome"),
        "Recoveries whose outcome is known: success when the same cause stays quiet for 24 simulated hours.",
        lambda s: s.snapshot.recoveries,
    ),
    by(
        "repairs_total", COUNTER, ("stage", "outcome"),
        "Repairs of evicted nodes by who did them: cured, failed (reported success, changed nothing), "
        "escalated from automatic to manual, no_fault_found.",
        lambda s: s.snapshot.fleet.repairs,
    ),
    by(
        "hot_resets_total", COUNTER, ("outcome",),
        "Devices reset in place at a restart, by whether that cured a permanent fault.",
        lambda s: s.snapshot.fleet.hot_resets,
    ),
    one(
        "host_selections_total", COUNTER,
        "Times the hosts of the job were selected anew because no warm standby was left.",
        lambda s: s.snapshot.fleet.host_selections,
    ),
    one(
        "displaced_nodes_total", COUNTER,
        "Healthy nodes of the job that a host selection benched for better ones.",
        lambda s: s.snapshot.fleet.displaced_nodes,
    ),
    one(
        "preemptions_total", COUNTER,
        "Nodes that other work had to give up for the job.",
        lambda s: s.snapshot.fleet.preemptions,
    ),
    one(
        "drained_nodes_total", COUNTER,
        "Nodes given up at a checkpoint for planned maintenance.",
        lambda s: s.snapshot.fleet.drained_nodes,
    ),
    by(
        "misdiagnoses_total", COUNTER, ("outcome",),
        "Detected faults that were not blamed on the node that failed (ground truth): unattributed to any "
        "node, or blamed on an innocent one.",
        lambda s: s.snapshot.fleet.misdiagnoses,
    ),
    one(
        "lemon_faults_total", COUNTER,
        "Faults that lemons had beyond those of ordinary nodes (ground truth); a part of faults_total.",
        lambda s: s.snapshot.fleet.lemon_faults,
    ),
    by(
        "verifications_total", COUNTER, ("outcome",),
        "Loss-continuity checks after a restore; jump and false_jump restore again.",
        lambda s: s.snapshot.verifications,
    ),
    one(
        "corruptions_injected_total", COUNTER,
        "Silent corruptions of the running job (ground truth).",
        lambda s: s.snapshot.corruptions.injected,
    ),
    by(
        "corruptions_total", COUNTER, ("outcome",),
        "Silent corruptions by what became of them: detected before a checkpoint held them, baked into a "
        "checkpoint, or harmless because a restore for another reason took them away.",
        lambda s: s.snapshot.corruptions.outcomes,
    ),
    one(
        "lost_steps_total", COUNTER,
        "Steps executed after the last checkpoint and lost to an interruption.",
        lambda s: s.snapshot.lost_steps,
    ),
    one("steps_total", COUNTER, "Steps executed, repeats included.", lambda s: s.snapshot.steps),
    one(
        "retracted_steps_total", COUNTER,
        "Steps that a checkpoint covered and that were taken back nevertheless.",
        lambda s: s.snapshot.retracted_steps,
    ),
    by(
        "time_seconds_total", COUNTER, ("bucket",),
        "Simulated seconds by where they went. All buckets + goodputd_provisional_seconds "
        "= goodputd_elapsed_seconds_total.",
        lambda s: s.snapshot.seconds,
    ),
    by(
        "gpu_seconds_total", COUNTER, ("bucket",),
        "Simulated GPU-seconds by where they went; idle_capacity is capacity given up by shrinking.",
        lambda s: s.snapshot.gpu_seconds,
    ),
    one(
        "retracted_seconds_total", COUNTER,
        "Simulated seconds of work counted as productive and taken back later; ratios subtract them.",
        lambda s: s.snapshot.retracted_seconds,
    ),
    one(
        "retracted_gpu_seconds_total", COUNTER,
        "Simulated GPU-seconds of work counted as productive and taken back later; ratios subtract them.",
        lambda s: s.snapshot.retracted_gpu_seconds,
    ),
    one("elapsed_seconds_total", COUNTER, "Simulated seconds since start.", lambda s: s.snapshot.now),
    by(
        "checkpoints_total", COUNTER, ("tier", "outcome"),
        "Checkpoint saves by where they lie and what became of them; outcome=unreadable was saved before.",
        lambda s: s.snapshot.checkpoints,
    ),
    by(
        "restores_total", COUNTER, ("tier",),
        "Restores that training went on from, by the tier of the checkpoint.",
        lambda s: s.snapshot.restores,
    ),
)  # fmt: skip

DISTRIBUTIONS: Final = (
    one(
        "recovery_seconds", MetricType.HISTOGRAM,
        "Simulated seconds that an incident stopped training, from the stop to verified training.",
        lambda s: s.snapshot.recovery_seconds,
    ),
    by(
        "detection_seconds", MetricType.HISTOGRAM, ("layer", "result"),
        "Simulated seconds from a fault to a layer's claim: result=first won, "
        "late is when the layer would have claimed it.",
        lambda s: s.snapshot.detection_seconds,
    ),
    by(
        "recovery_stage_seconds", MetricType.SUMMARY, ("stage",),
        "Simulated seconds of each recovery stage, sum and count; stages that a second fault cut short "
        "included.",
        lambda s: s.snapshot.stage_seconds,
    ),
)  # fmt: skip
