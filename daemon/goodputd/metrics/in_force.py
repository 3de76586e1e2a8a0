"""The settings in force, and the daemon itself, whose seconds are wall time."""

from typing import Final

from goodputd.metrics.family import GAUGE, PREFIX, MetricSpec, MetricType, by, of_daemon, one

SETTINGS: Final = (
    by(
        "scenario_info", MetricType.INFO, ("policy", "catalog", "source", "settings_digest"),
        "What the scenario plays: restart policy, fault catalog, where the faults come from, "
        "and a digest of all its settings.",
        lambda s: {(s.settings.policy, s.settings.catalog, s.settings.source, s.settings.settings_digest): 1},
    ),
    by(
        "detection_timeout_seconds", GAUGE, ("layer",),
        "Longest silence that an enabled layer lets pass, simulated seconds; absent for gradient, whose "
        "checks follow steps.",
        lambda s: s.snapshot.tuning.detection_timeout_seconds,
    ),
    one(
        "checkpoint_interval_seconds", GAUGE,
        "Simulated seconds of training between two checkpoints.",
        lambda s: s.snapshot.checkpoint_interval_seconds,
    ),
    one(
        "checkpoint_save_seconds", GAUGE,
        "Simulated seconds for which a checkpoint blocks training.",
        lambda s: s.snapshot.tuning.save_seconds,
    ),
    one(
        "daly_interval_seconds", GAUGE,
        "Simulated seconds of training between two checkpoints that lose the least by Daly's formula, for "
        "the save time and the training time between interruptions since start; absent before the first.",
        lambda s: s.snapshot.tuning.daly_interval_seconds,
    ),
    one("spares_configured", GAUGE, "Spare nodes at start.", lambda s: s.snapshot.spares_configured),
    one(
        "target_goodput_ratio", GAUGE,
        "The goodput that alerts and dashboards compare with.",
        lambda s: s.settings.target_goodput_ratio,
    ),
    one(
        "target_mttr_seconds", GAUGE,
        "The mean time to recovery that alerts and dashboards compare with, simulated seconds.",
        lambda s: s.settings.target_mttr_seconds,
    ),
    one(
        "scenario_alerting", GAUGE,
        "1 when alerts should fire for this scenario, 0 when it is there for comparison.",
        lambda s: float(s.settings.alerting),
    ),
)  # fmt: skip

DAEMON: Final = (
    MetricSpec(
        PREFIX + "build_info", MetricType.INFO,
        "Version of goodputd and of the Python that runs it; whether its core is compiled or interpreted.",
        ("version", "python", "core"),
        lambda view: [((view.daemon.version, view.daemon.python, view.daemon.core), 1)],
    ),
    of_daemon("speedup_ratio", "Simulated seconds per wall second, as configured.", lambda d: d.speedup),
    of_daemon(
        "lag_wall_seconds",
        "Wall seconds by which the simulations are behind their pace; it stays below 1 unless the speedup "
        "asks for more than this machine can do.",
        lambda d: d.lag_wall_seconds,
    ),
    of_daemon(
        "scrape_wall_seconds",
        "Wall seconds that rendering the previous page took; absent before the first.",
        lambda d: d.scrape_wall_seconds,
    ),
    of_daemon(
        "last_advance_timestamp_seconds",
        "When the simulations were last advanced, real Unix seconds.",
        lambda d: d.last_advance_timestamp,
    ),
)  # fmt: skip
