"""Dashboard "Goodput", which asks: is the cluster earning its keep.

Opens with effective utilization; below it where the rest of the time went, and how scenarios compare.
"""

from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from goodputd.sim.taxonomy import Bucket
from grafana import headlines
from grafana.board import Line, Section, board
from grafana.fields import (
    A_DAY,
    COUNT,
    INSTANT,
    PERCENT,
    SECONDS,
    SECONDS_OR_NONE,
    SHARE,
    Numbers,
)
from grafana.palette import BAD, BUCKETS, GOOD, STOPPED, UPKEEP
from grafana.panels import Column, Query, bars, sheet, single, stack, trend, zoomed
from grafana.queries import DAY, SHOWN, WINDOW, across, current, increase, of_a_daemon, series

UID: Final = "goodputd-goodput"
_LOSS: Final = "Loss"
_DESCRIBED: Final = {"policy": "Policy", "catalog": "Faults", "source": "Source"}
_THREE_DAYS: Final = "Over the last three simulated days."


def dashboard() -> model.Dashboard:
    """The whole dashboard."""
    return board(
        UID,
        "Is the cluster earning its keep? Goodput of each scenario, where the rest of the time went, and how"
        " the scenarios compare. Windows are simulated time.",
        [_at_a_glance(), _where_time_went(), _over_time(), _compared(), _training()],
        marked=[_LOSS],
    )


def _at_a_glance() -> Section:
    since_start = " Until five checkpoint intervals have passed: since start."
    utilization = single(
        "Effective utilization",
        "Productive GPU-seconds over those that the full job would have had. It sees lost work, stops and a"
        f" shrunk job; the number to compare policies by. {_THREE_DAYS}{since_start}",
        Query(headlines.utilization(WINDOW)),
        SHARE,
        spark=True,
    )
    goodput = single(
        "Training time ratio (goodput)",
        "Productive time over elapsed time. Work counts when it is done and is taken back when it is lost."
        f" {_THREE_DAYS}{since_start}",
        Query(headlines.goodput(WINDOW)),
        SHARE,
        spark=True,
    )
    against = single(
        "Goodput above target",
        "Training time ratio minus the scenario's target ([targets] goodput), in percentage points; below"
        f" zero it is missed. {_THREE_DAYS}",
        Query(f"100 * (({headlines.goodput(WINDOW)}) - {current('target_goodput_ratio')})"),
        Numbers("suffix:points", 1, steps=((None, BAD), (0.0, GOOD))),
    )
    mtbf = single(
        "MTBF",
        "Simulated time between interruptions, planned stops not counted."
        f" {_THREE_DAYS} Before the first interruption: the time that has passed without one.",
        Query(headlines.mtbf(WINDOW)),
        SECONDS,
    )
    mttr = single(
        "MTTR",
        "Mean simulated time that an incident stopped training, from the stop to verified training."
        f" {_THREE_DAYS}",
        Query(headlines.mttr(WINDOW)),
        SECONDS_OR_NONE,
    )
    mttd = single(
        "MTTD",
        f"Mean simulated time from a fault to its detection by the first layer. {_THREE_DAYS}",
        Query(headlines.mttd(WINDOW)),
        SECONDS_OR_NONE,
    )
    lost = single(
        "Lost steps per interruption",
        "Steps that were trained and have to be trained again, per interruption; shorter checkpoint intervals"
        f" lose fewer. {_THREE_DAYS}",
        Query(headlines.lost_steps(WINDOW)),
        A_DAY,
    )
    return Section(
        "Is the cluster earning its keep?",
        [
            Line(6, [(utilization, 10), (goodput, 8), (against, 6)]),
            Line(4, [(mtbf, 6), (mttr, 6), (mttd, 6), (lost, 6)]),
        ],
    )


def _where_time_went() -> Section:
    course = stack(
        "Where every second went",
        "Share of simulated time by ledger bucket, over the last simulated day; all buckets add up to 100 %."
        " What is trained but not saved yet is part of productive; retracted was productive once and was"
        " taken back. From the bottom: training, work done in vain, upkeep, and what stopped the job.",
        # Series are stacked in the order of queries, then of labels.
        [
            Query(headlines.productive_share(DAY), "productive"),
            Query(headlines.badput_shares(DAY, Bucket.LOST_WORK), "{{bucket}}"),
            Query(headlines.shares_of(UPKEEP, DAY), "{{bucket}}"),
            Query(headlines.shares_of(STOPPED, DAY), "{{bucket}}"),
        ],
        SHARE,
        colours=BUCKETS,
    )
    badput = bars(
        "What kept it from training",
        "Share of simulated time by ledger bucket without productive, over the time shown. The longest piece"
        " is what to work on.",
        across(headlines.badput_shares(SHOWN), "bucket"),
        PERCENT,
        row="scenario",
        column="bucket",
        colours={name: colour for name, colour in BUCKETS.items() if name != Bucket.PRODUCTIVE},
        stacked=True,
    )
    return Section("Where did every second go?", [Line(9, [(course, 24)]), Line(6, [(badput, 24)])])


def _over_time() -> Section:
    goodput = trend(
        "Goodput over time",
        "Training time ratio over the last three simulated days, and (dashed) each scenario's target."
        " A line begins when its window holds five checkpoint intervals.",
        [
            Query(headlines.goodput_curve(WINDOW)),
            Query(current("target_goodput_ratio"), "{{scenario}} target"),
        ],
        SHARE,
        limits=" target",
    )
    utilization = trend(
        "Utilization over time",
        "Effective utilization over the last three simulated days, and (dashed) the share of time in which no"
        " incident stopped the job. Between the two lies lost work, saving, stragglers and idle capacity.",
        [
            Query(headlines.utilization_curve(WINDOW)),
            Query(headlines.compute(WINDOW), "{{scenario}} not stopped"),
        ],
        SHARE,
        second=" not stopped",
    )
    expected = headlines.a_day(increase("expected_interruptions_total", WINDOW), WINDOW)
    interruptions = trend(
        "Interruptions a day",
        "Unplanned interruptions per simulated day over the last three days, and (dashed) how many the"
        " configured rates let expect while the job runs.",
        [
            Query(headlines.a_day(headlines.interruptions(WINDOW), WINDOW)),
            Query(expected, "{{scenario}} expected"),
        ],
        A_DAY,
        second=" expected",
    )
    repeated = trend(
        "Steps done in vain",
        "Share of the executed steps that were lost or taken back, over the last three simulated days.",
        [Query(headlines.repeated_steps(WINDOW))],
        PERCENT,
    )
    return Section(
        "How does it go?",
        [Line(8, [(goodput, 12), (utilization, 12)]), Line(8, [(interruptions, 12), (repeated, 12)])],
    )


def _compared() -> Section:
    columns = [
        Column("Utilization", across(current("effective_utilization_ratio")), SHARE),
        Column("Goodput", across(current("effective_training_time_ratio")), SHARE),
        Column("Target", across(current("target_goodput_ratio")), SHARE),
        Column("Not stopped", across(current("effective_compute_ratio")), SHARE),
        Column("MTBF", across(current("mtbf_seconds")), SECONDS),
        Column("MTTR", across(current("mttr_seconds")), SECONDS),
        Column("MTTR budget", across(current("target_mttr_seconds")), SECONDS),
        Column("Saves every", across(current("checkpoint_interval_seconds")), SECONDS),
        Column("GPUs", across(current("nominal_gpus")), COUNT),
        Column("Spare nodes", across(current("spares_configured")), COUNT),
        Column("Raises alerts", across(current("scenario_alerting")), Numbers("bool_yes_no", 0)),
        Column("", across(current("scenario_info", *_DESCRIBED), *_DESCRIBED), COUNT),
    ]
    since_start = sheet(
        "Scenarios against each other, since start",
        "Every scenario meets the same faults, so that a difference between rows is a difference of their"
        " settings and not of luck. Figures since the start of the simulation.",
        {"scenario": "Scenario"} | _DESCRIBED,
        columns,
        first="-Utilization",
    )
    return Section("Which scenario does best?", [Line(5, [(since_start, 24)])])


def _training() -> Section:
    loss = trend(
        _LOSS,
        "Training loss of the current step, nats per token, over the last three simulated days. After an"
        " interruption it goes back to the checkpoint's; a jump that stays is a bad restore. Marks are"
        " evictions of the scenarios that raise alerts; interruptions can be switched on above.",
        [Query(current("loss"))],
        Numbers("short"),
    )
    progress = trend(
        "Progress",
        "The step each scenario is at. It falls when a checkpoint is restored; the distance between scenarios"
        " is what better settings have won.",
        [Query(current("step"))],
        COUNT,
        stepped=True,
    )
    gradient = trend(
        "Gradient norm",
        "Gradient norm of the current step; what the gradient layer compares over ranks.",
        [Query(current("gradient_norm"))],
        Numbers("short", low=0.0),
    )
    date = single(
        "Simulated date",
        "Where the simulated calendar stands; Prometheus and this dashboard show wall time.",
        Query(f"1000 * {of_a_daemon(series('simulated_timestamp_seconds'))}", "{{instance}}"),
        INSTANT,
        colours={},
        named=False,
    )
    return Section(
        "Does the model learn?",
        [Line(9, [(zoomed(loss, WINDOW), 24)]), Line(7, [(progress, 10), (gradient, 8), (date, 6)])],
    )
