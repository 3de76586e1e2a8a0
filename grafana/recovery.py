"""Dashboard "Incidents and recovery", second half: what was done about it, and what happened lately.

Draws recoveries from the ledger, never from the state of the job at a scrape: that steps over them.
"""

from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from grafana import headlines
from grafana.board import Line, Section
from grafana.fields import (
    A_DAY,
    INSTANT,
    LIMIT,
    MINUTES,
    PERCENT,
    Numbers,
)
from grafana.palette import BAD, BUCKETS, GOOD, OUTCOMES, STAGES, STOPPED, WARNING
from grafana.panels import (
    Column,
    Query,
    bars,
    linked,
    sheet,
    stack,
    trend,
)
from grafana.queries import (
    SHOWN,
    STEP,
    WINDOW,
    above_zero,
    across,
    by_whom,
    current,
    else_,
    increase,
    minutes,
    newly,
    so_far,
)

_INCIDENT: Final = "${goodputd_url}/incidents/${__data.fields.Scenario}/${__data.fields.Number.numeric}"


def did() -> Section:
    """Stages, decisions, and whether they helped."""
    return Section("What did we do about it?", [Line(9, _recoveries()), Line(8, _outcomes())])


def _recoveries() -> list[tuple[model.Panel, int]]:
    """How long recoveries take, and where."""
    waterfall = bars(
        "Where the time of a recovery goes",
        "Mean simulated time per stop by stage, in order, over the time shown; the grey bar is [targets]"
        " mttr_seconds. Stages that a second fault cut short are included, and planned stops, which nobody"
        " detects or decides.",
        minutes(_waterfall()),
        MINUTES,
        row="scenario",
        column="stage",
        colours={**STAGES, "budget": LIMIT},
        stacked=True,
    )
    tail = trend(
        "Time to recovery",
        "Mean and (dashed) 95th percentile of stopped time per incident over the last three simulated days,"
        " and in grey each scenario's budget.",
        [
            Query(minutes(headlines.mttr_curve(WINDOW))),
            Query(minutes(headlines.mttr_quantile(0.95, WINDOW)), "{{scenario}} p95"),
            Query(minutes(current("target_mttr_seconds")), "{{scenario}} budget"),
        ],
        MINUTES,
        second=" p95",
        limits=" budget",
    )
    return [(waterfall, 12), (tail, 12)]


def _outcomes() -> list[tuple[model.Panel, int]]:
    """What was decided, and whether it helped."""
    decisions = bars(
        "Why restart, why evict (decisions a day)",
        "Decisions per simulated day by their reason, over the time shown; the six most frequent reasons.",
        headlines.most(6, headlines.in_the_time_shown("decisions_total", "reason")),
        A_DAY,
        row="reason",
    )
    held = sheet(
        "Restart against evict",
        "A recovery succeeded when the same cause stayed quiet for 24 simulated hours; those still waiting"
        " are in neither number. The ratio is since start, the rest per simulated day over the time shown.",
        {"scenario": "Scenario", "action": "Action"},
        [
            Column("Decided/day", f"{headlines.in_the_time_shown('decisions_total', 'action')} > 0", A_DAY),
            Column(
                "Held/day",
                headlines.in_the_time_shown("recoveries_total", "action", outcome="success"),
                A_DAY,
            ),
            Column(
                "Failed/day",
                headlines.in_the_time_shown("recoveries_total", "action", outcome="failure"),
                A_DAY,
            ),
            Column(
                "Success",
                across(current("recovery_success_ratio", "action"), "action"),
                Numbers("percentunit", 1, 0.0, 1.0, steps=((None, BAD), (0.5, WARNING), (0.8, GOOD))),
            ),
        ],
        first="Scenario",
    )
    verified = bars(
        "Was the restored state right? (checks a day)",
        "Loss-continuity checks after a restore per simulated day, over the time shown. A jump restores"
        " again; missed means that a wrong restore went unnoticed (ground truth).",
        headlines.in_the_time_shown("verifications_total", "outcome"),
        A_DAY,
        row="scenario",
        column="outcome",
        colours={name: OUTCOMES[name] for name in ("continuous", "jump", "false_jump", "missed")},
        stacked=True,
    )
    return [(held, 10), (decisions, 7), (verified, 7)]


def _waterfall() -> str:
    # not every restart resets a device or selects hosts; a stage that never was has no piece
    stages = above_zero(increase("recovery_stage_seconds_sum", SHOWN, "stage"))
    mean = across(by_whom(stages, headlines.stops(SHOWN)), "stage")
    named = f'label_replace({across(current("target_mttr_seconds"))}, "stage", "budget", "", "")'
    budget = f'label_replace({named}, "scenario", "$1 budget", "scenario", "(.*)")'
    return else_(mean, budget)


def latest() -> Section:
    """The job and its incidents, one by one."""
    timeline = stack(
        "When the job stood still",
        "Share of the simulated time between two points in which the job stood still, and for what; nothing"
        " is drawn while it runs. Taken from the ledger, which no scrape can miss. Points of a longer time"
        " shown are further apart, and the same stop takes a smaller share of one.",
        [Query(headlines.shares_of(STOPPED, STEP), "{{bucket}}")],
        PERCENT,
        colours={bucket: BUCKETS[bucket] for bucket in STOPPED},
        stepped=True,
    )
    since = trend(
        "Time since the last step",
        "Simulated time since a training step was completed. Short stops fall between scrapes; one that"
        " stays is a job that does not come back.",
        [
            Query(
                minutes(
                    f"{current('simulated_timestamp_seconds')} - {current('last_step_timestamp_seconds')}"
                )
            )
        ],
        MINUTES,
        stepped=True,
    )
    incidents = sheet(
        "Incidents",
        "Each row is an incident that was opened between two scrapes, newest first; its number leads to the"
        " post-mortem on the status page (variable goodputd_url). Of several that one scrape found, each has"
        " the number and the time of the newest.",
        {"scenario": "Scenario", "component": "Blamed first", "layer": "Seen by"},
        [
            Column("Number", _numbered("interruptions_total"), Numbers("none", 0)),
            Column("Simulated time", _stamped("last_interruption_timestamp_seconds"), INSTANT),
        ],
        first="-Seen at",
        in_time=True,
    )
    table = linked(incidents, "Number", "Post-mortem of this incident", _INCIDENT)
    return Section("What happened lately?", [Line(7, [(timeline, 24)]), Line(12, [(table, 17), (since, 7)])])


def _opened() -> str:
    return f"({newly('interruptions_total', 'component', 'layer')}) * 0"


def _numbered(counter: str) -> str:
    """At each opening, how many have been opened: the newest incident's number."""
    return f"{_opened()} + on (job, instance, scenario) group_left () {so_far(counter)}"


def _stamped(gauge: str) -> str:
    """At each opening, the simulated instant in milliseconds."""
    return f"{_opened()} + on (job, instance, scenario) group_left () 1000 * {current(gauge)}"
