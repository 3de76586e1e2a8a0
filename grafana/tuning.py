"""Dashboard "Tuning", which asks: are the settings the best there are.

Opens with the best scenario; below it goodput against the checkpoint interval, with Daly's optimum, and
time to recovery and false alarms against the heartbeat timeout. A point is a scenario, so it wants many
that differ in one setting: those of config/interval-curve.toml and config/heartbeat-curve.toml.
"""

from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from goodputd.sim.taxonomy import Bucket, Layer
from grafana import headlines
from grafana.board import Line, Section, board
from grafana.fields import A_DAY, MINUTES, PERCENT, PLAIN_SECONDS, SECONDS, SHARE, Numbers
from grafana.palette import BLUE, GREEN, ORANGE, VERMILLION
from grafana.panels import Column, Query, sheet, single
from grafana.queries import SHOWN, across, current, minutes
from grafana.scatter import Axis, Points, against

UID: Final = "goodputd-tuning"
_SAVES_EVERY: Final = Axis("Time between saves", Numbers(MINUTES.unit), powers_of=2)
_SILENCE: Final = Axis("Heartbeat timeout", PLAIN_SECONDS, powers_of=2)
_RATIO: Final = Axis("Goodput", Numbers("percentunit"))
_SINCE_START: Final = "A point is a scenario, since start."


def dashboard() -> model.Dashboard:
    """The whole dashboard."""
    return board(
        UID,
        "Are the settings the best there are? Scenarios that differ in one setting, against that setting: the"
        " checkpoint interval with Daly's optimum, and the heartbeat timeout.",
        [_at_a_glance(), _checkpoints(), _heartbeats(), _compared()],
    )


def _goodput() -> str:
    return across(current("effective_training_time_ratio"))


def _interval() -> str:
    return across(current("checkpoint_interval_seconds"))


def _daly() -> str:
    return across(current("daly_interval_seconds"))


def _timeout() -> str:
    return across(current("detection_timeout_seconds", layer=Layer.HEARTBEAT))


def _false_alarms() -> str:
    return headlines.in_the_time_shown("false_alarms_total", layer=Layer.HEARTBEAT)


def _of_the_best(expression: str) -> str:
    return f"{expression} and on (scenario) topk(1, {_goodput()})"


def _at_a_glance() -> Section:
    best = single(
        "Best goodput",
        "The highest training time ratio of all scenarios shown, and whose it is, since start.",
        Query(f"topk(1, {_goodput()})", "of {{scenario}}"),
        SHARE,
        colours={},
    )
    span = single(
        "Best above worst",
        "Training time ratio of the best scenario minus that of the worst, in percentage points, since start:"
        " what there is to win by tuning.",
        Query(f"100 * (max({_goodput()}) - min({_goodput()}))", "points"),
        Numbers("suffix:points", 2, low=0.0),
        colours={},
        named=False,
    )
    interval = single(
        "The best one saves every",
        "Simulated time between two checkpoints in the scenario with the highest goodput.",
        Query(_of_the_best(_interval()), "of {{scenario}}"),
        SECONDS,
        colours={},
    )
    daly = single(
        "Daly's optimum",
        "Simulated time between two checkpoints that should lose the least, by Daly's formula for the save"
        " time and the training time between interruptions; the median of the scenarios shown. Before the"
        " first interruption: the interval in force.",
        Query(f"quantile(0.5, {_daly()}) or quantile(0.5, {_interval()})", "median"),
        SECONDS,
        colours={},
        named=False,
    )
    return Section(
        "Are the settings the best there are?", [Line(4, [(best, 6), (span, 6), (interval, 6), (daly, 6)])]
    )


def _checkpoints() -> Section:
    goodput = against(
        "Goodput against the checkpoint interval",
        "Training time ratio over the time between two checkpoints; squares stand at Daly's optimum for what"
        f" the scenario met, as high as its point. {_SINCE_START}",
        _SAVES_EVERY,
        _RATIO,
        across=minutes(_interval()),
        points=[Points("Goodput", _goodput(), GREEN)],
        marked=Points("Daly's optimum", f"{_goodput()} and {_daly()}", ORANGE),
        at=minutes(_daly()),
    )
    costs = against(
        "What saving costs, and what not saving costs",
        "Share of time that went into saves, and share that was trained and lost again, over the time between"
        " two checkpoints. Near the optimum they are equal. A point is a scenario, over the time shown.",
        _SAVES_EVERY,
        Axis("Share of time", PERCENT),
        across=minutes(_interval()),
        points=[
            Points("Saving", _share(Bucket.CHECKPOINT_SAVE), BLUE),
            Points("Lost work", _share(Bucket.LOST_WORK), VERMILLION),
        ],
    )
    return Section("How often should it save?", [Line(11, [(goodput, 12), (costs, 12)])])


def _share(bucket: Bucket) -> str:
    return across(headlines.shares_of([bucket], SHOWN))


def _heartbeats() -> Section:
    mttr = against(
        "Time to recovery against the heartbeat timeout",
        "Mean simulated time that an incident stopped training over the silence after which a node counts as"
        f" dead. {_SINCE_START} False alarms are incidents as well, and short ones.",
        _SILENCE,
        Axis("MTTR", MINUTES),
        across=_timeout(),
        points=[Points("MTTR", minutes(f"{across(current('mttr_seconds'))} and {_timeout()}"), ORANGE)],
    )
    alarms = against(
        "False alarms against the heartbeat timeout",
        "Heartbeats that were late and taken for a dead node, per simulated day. A point is a scenario, over"
        " the time shown.",
        _SILENCE,
        Axis("False alarms a day", A_DAY),
        across=_timeout(),
        points=[Points("False alarms a day", _false_alarms(), VERMILLION)],
    )
    goodput = against(
        "Goodput against the heartbeat timeout",
        "Training time ratio over the silence after which a node counts as dead: to the left false alarms"
        f" cost it, to the right stalls that nobody has noticed yet. {_SINCE_START}",
        _SILENCE,
        Axis("Goodput", Numbers("percentunit", high=1.0)),
        across=_timeout(),
        points=[Points("Goodput", f"{_goodput()} and {_timeout()}", GREEN)],
    )
    return Section("How soon is silence an alarm?", [Line(10, [(mttr, 8), (alarms, 8), (goodput, 8)])])


def _compared() -> Section:
    none = Numbers("s", 1, missing="none")
    columns = [
        Column("Goodput", _goodput(), Numbers("percentunit", 2)),
        Column("Utilization", across(current("effective_utilization_ratio")), Numbers("percentunit", 2)),
        Column("Saves every", _interval(), SECONDS),
        Column("Daly's optimum", _daly(), Numbers("s", 1, missing="none yet")),
        Column("A save takes", across(current("checkpoint_save_seconds")), SECONDS),
        Column("MTBF", across(current("mtbf_seconds")), SECONDS),
        Column("Heartbeat timeout", _timeout(), none),
        Column("False alarms/day", _false_alarms(), Numbers("short", 2, missing="none")),
        Column("MTTR", across(current("mttr_seconds")), SECONDS),
    ]
    table = sheet(
        "Scenarios, best first",
        "All scenarios meet the same faults. Figures since start; false alarms over the time shown.",
        {"scenario": "Scenario"},
        columns,
        first="-Goodput",
    )
    return Section("Which settings are they?", [Line(14, [(table, 24)])])
