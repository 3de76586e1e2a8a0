"""Dashboard "Incidents and recovery", which asks: what broke, who saw it, what did we do.

Opens with interruptions a day; ends with a table whose rows lead to the post-mortems of the status page.
"""

from dataclasses import replace
from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from goodputd.sim.taxonomy import Layer
from grafana import headlines, recovery
from grafana.board import Line, Section, board
from grafana.fields import (
    A_DAY,
    COUNT,
    PLAIN_SECONDS,
    SECONDS,
    SECONDS_OR_NONE,
    SHARE,
    Numbers,
)
from grafana.palette import BAD, GOOD, LAYERS, WARNING
from grafana.panels import (
    Column,
    Query,
    bars,
    gauges,
    heat,
    per_scenario,
    sheet,
    single,
    trend,
)
from grafana.queries import (
    DAY,
    SHOWN,
    WINDOW,
    above_zero,
    across,
    by_whom,
    current,
    else_,
    increase,
    nothing_yet,
    over_time,
)

UID: Final = "goodputd-incidents"
_THREE_DAYS: Final = "Over the last three simulated days."
_LATE: Final = f"=~{Layer.WATCHDOG}|{Layer.NONE}"
_OF_LAYER: Final = {"layer": "=~$layer"}


def dashboard() -> model.Dashboard:
    """The whole dashboard."""
    return board(
        UID,
        "What broke, who saw it, what did we do? Causes, detection layers, recovery stages and decisions."
        " Windows are simulated time.",
        [_at_a_glance(), _broke(), _saw(), recovery.did(), recovery.latest()],
        layers=True,
    )


def _at_a_glance() -> Section:
    interruptions = single(
        "Interruptions a day",
        f"Unplanned interruptions per simulated day, false alarms included. {_THREE_DAYS}",
        Query(headlines.a_day(headlines.interruptions(WINDOW), WINDOW)),
        A_DAY,
        spark=True,
    )
    late = single(
        "Seen by the last resort",
        "Share of interruptions that no fast layer saw: the watchdog ran out, or a person noticed. Above a"
        f" few percent the fast layers are blind. {_THREE_DAYS}",
        Query(
            headlines.share(
                increase("interruptions_total", WINDOW, layer=_LATE), headlines.interruptions(WINDOW)
            )
        ),
        Numbers("percentunit", 1, 0.0, 1.0, steps=((None, GOOD), (0.05, WARNING), (0.2, BAD))),
    )
    mttr = single(
        "MTTR",
        f"Mean simulated time that an incident stopped training. {_THREE_DAYS}",
        Query(headlines.mttr(WINDOW)),
        SECONDS_OR_NONE,
    )
    tail = single(
        "MTTR, 95th percentile",
        f"Nineteen of twenty incidents stopped training for less. {_THREE_DAYS} Interpolated in a histogram.",
        Query(else_(headlines.mttr_quantile(0.95, WINDOW), current("mttr_seconds"), nothing_yet())),
        SECONDS_OR_NONE,
    )
    budget = gauges(
        "MTTR against its budget",
        f"Mean time to recovery as a share of [targets] mttr_seconds; above 100 % it is over. {_THREE_DAYS}",
        Query(f"({headlines.mttr(WINDOW)}) / {above_zero(current('target_mttr_seconds'))}"),
        Numbers("percentunit", 0, 0.0, 3.0, steps=((None, GOOD), (0.9, WARNING), (1.0, BAD))),
    )
    return Section(
        "What broke, who saw it, what did we do?",
        [Line(6, [(interruptions, 7), (late, 4), (mttr, 4), (tail, 4), (budget, 5)])],
    )


def _broke() -> Section:
    causes = bars(
        "Interruptions a day by cause",
        "Unplanned interruptions per simulated day by what was blamed first, over the time shown; the eight"
        " most frequent causes. A false alarm is a cause of its own: nothing had broken.",
        headlines.most(
            8, headlines.in_the_time_shown("interruptions_total", "component", component="!=planned")
        ),
        A_DAY,
        row="component",
    )
    kinds = bars(
        "Faults a day by kind (ground truth)",
        "The ten kinds of fault that struck most often per simulated day, detected or not, over the time"
        " shown. Only the simulation knows them.",
        headlines.most(10, headlines.in_the_time_shown("faults_total", "kind")),
        A_DAY,
        row="kind",
    )
    origins = bars(
        "Faults a day by origin (ground truth)",
        "primary: struck by itself. recurrence: a permanent fault came back after a restart, which eviction"
        " would have spared. Per simulated day, over the time shown.",
        headlines.in_the_time_shown("faults_total", "origin"),
        A_DAY,
        row="origin",
    )
    ratio = trend(
        "Observed over expected interruptions",
        "Interruptions by faults, over the last three simulated days, divided by how many the configured"
        " rates let expect. Around 1 the fleet fails as configured; where a line begins there are few to"
        " divide by.",
        [Query(headlines.observed_over_expected(WINDOW))],
        Numbers("short"),
        powers_of=2,
        held_against=[1.0],
    )
    surprise = trend(
        "Interruptions beyond expectation (z-score)",
        "Observed minus expected interruptions over the time shown, in standard deviations. Beyond 4 it is"
        " not luck: the fleet is worse than its rates, and InterruptionsBeyondChance fires.",
        [Query(headlines.surprise(SHOWN))],
        Numbers("short", low=-5.0, high=5.0),
        held_against=[-4.0, 4.0],
    )
    return Section(
        "What broke?",
        [Line(10, [(causes, 8), (kinds, 10), (origins, 6)]), Line(7, [(ratio, 12), (surprise, 12)])],
    )


def _saw() -> Section:
    first = increase("detection_seconds_bucket", DAY, "le", result="first", **_OF_LAYER)
    latency = heat(
        "Detection latency",
        "Claims of the layer that came first, by simulated seconds since the fault; one simulated day each.",
        f"sum by (le) ({first})",
        rows_unit="s",
    )
    return Section(
        "Who saw it?",
        [Line(8, _layers()), Line(9, [(per_scenario(latency), 24)]), Line(7, _found())],
    )


def _layers() -> list[tuple[model.Panel, int]]:
    """Which layer came first, and how good each of them is."""
    shares = bars(
        "Who saw it first",
        "Share of interruptions by the layer that noticed, over the time shown.",
        across(
            by_whom(
                increase("interruptions_total", SHOWN, "layer", **headlines.UNPLANNED, **_OF_LAYER),
                headlines.interruptions(SHOWN),
            ),
            "layer",
        ),
        SHARE,
        row="scenario",
        column="layer",
        colours=LAYERS,
        stacked=True,
    )
    none_yet = replace(SECONDS, missing="none yet")
    timeout = current("detection_timeout_seconds", "layer", **_OF_LAYER)
    quantiles = sheet(
        "How fast is each layer?",
        "Simulated seconds from a fault to the layer's claim, whether it came first or would have come later,"
        " over the time shown; how many faults it missed, and how"
        " many false alarms it gave, per simulated day.",
        {"layer": "Layer", "scenario": "Scenario"},
        [
            Column("Median", across(headlines.detection_quantile(0.5, SHOWN), "layer"), none_yet),
            Column("95th", across(headlines.detection_quantile(0.95, SHOWN), "layer"), none_yet),
            Column("99th", across(headlines.detection_quantile(0.99, SHOWN), "layer"), none_yet),
            Column("Timeout", across(timeout, "layer"), replace(SECONDS, missing="none")),
            Column(
                "Missed/day",
                headlines.in_the_time_shown("detection_misses_total", "layer", **_OF_LAYER),
                A_DAY,
            ),
            Column(
                "False/day",
                headlines.in_the_time_shown("false_alarms_total", "layer", **_OF_LAYER),
                Numbers("short", 2, low=0.0),
            ),
        ],
        first="Layer",
    )
    return [(shares, 8), (quantiles, 16)]


def _found() -> list[tuple[model.Panel, int]]:
    """How long it took until faults were found, and which were not."""
    mttd = trend(
        "Time to detection",
        "Mean simulated time from a fault to its detection, over the last three simulated days; each line"
        " across is ten times the one below.",
        [Query(headlines.mttd_curve(WINDOW))],
        PLAIN_SECONDS,
        powers_of=10,
    )
    symptoms = sheet(
        "Time to detection by symptom",
        "Mean simulated time from a fault to its detection, since start. A mean over symptoms says little: a"
        " crash shows at once, a slow or corrupt rank in no heartbeat.",
        {"symptom": "Symptom", "scenario": "Scenario"},
        [Column("Mean", across(current("mttd_seconds", "symptom"), "symptom"), SECONDS)],
        first="Symptom",
    )
    claims = increase("detection_seconds_count", WINDOW, layer="hardware")
    claimed = trend(
        "Logged faults that were claimed",
        "Of the faults that left a vendor event in a log, the share that the hardware layer claimed, first or"
        " later, over the last three simulated days. Below 80 % the layer is blind.",
        [Query(f"clamp_max({claims} / {above_zero(increase('hardware_events_total', WINDOW))}, 1)")],
        SHARE,
    )
    hidden = trend(
        "Faults nobody has found (ground truth)",
        "Faults at work that no layer has found, the most in a simulated day. Only the simulation knows of"
        " them.",
        [Query(over_time("max", "undetected_faults", DAY))],
        COUNT,
        stepped=True,
    )
    return [(mttd, 6), (symptoms, 6), (claimed, 6), (hidden, 6)]
