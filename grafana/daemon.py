"""Dashboard "Daemon", which asks: does the simulation keep its pace.

Opens with the lag; everything here is wall time.
"""

from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from grafana.board import Line, Section, board
from grafana.fields import COUNT, INSTANT, PERCENT, Numbers
from grafana.palette import BAD, GOOD, SKY, WARNING
from grafana.panels import Column, Query, sheet, single, trend
from grafana.queries import (
    DAY,
    above_zero,
    current,
    delta,
    of_a_daemon,
    over_time,
    series,
    wall_rate,
    whole,
)

UID: Final = "goodputd-daemon"
_WALL: Final = Numbers("s", low=0.0)
_SPEED: Final = Numbers("locale", low=0.0)
_INSTANCE: Final = "{{instance}}"


def dashboard() -> model.Dashboard:
    """The whole dashboard."""
    return board(
        UID,
        "Does the simulation keep its pace, and is the daemon well? Times are wall time unless a title says"
        " simulated.",
        [_at_a_glance(), _pace(), _scrapes(), _process()],
    )


def _at_a_glance() -> Section:
    lag = single(
        "Lag",
        "Wall seconds by which the simulations are behind their pace, the most in a simulated day; above 1"
        " the speedup asks for more than this machine can do.",
        Query(over_time("max", "lag_wall_seconds", DAY), _INSTANCE),
        Numbers("s", 1, low=0.0, steps=((None, GOOD), (0.5, WARNING), (1.0, BAD))),
        spark=True,
    )
    reached = single(
        "Speed",
        "Simulated seconds per wall second that were reached, over the last simulated day, as a share of the"
        " configured speedup.",
        Query(f"{_reached()} / {above_zero(current('speedup_ratio'))}", _INSTANCE),
        Numbers("percentunit", 1, low=0.0, steps=((None, BAD), (0.9, WARNING), (0.99, GOOD))),
    )
    date = single(
        "Simulated date",
        "Where the simulated calendar stands.",
        Query(f"1000 * {of_a_daemon(series('simulated_timestamp_seconds'))}", _INSTANCE),
        INSTANT,
        colours={},
        named=False,
    )
    up = single(
        "Scraped",
        "Whether Prometheus reached the daemon at the last scrape.",
        Query(whole("up"), _INSTANCE),
        Numbers("none", 0, steps=((None, BAD), (1.0, GOOD)), meanings={1: ("up", GOOD), 0: ("down", BAD)}),
    )
    age = single(
        "Running for",
        "Wall time since the daemon started.",
        Query(f"time() - {whole('process_start_time_seconds')}", _INSTANCE),
        Numbers("dtdurations", 0, low=0.0),
        colours={},
    )
    return Section(
        "Does the simulation keep its pace?",
        [Line(6, [(lag, 6), (reached, 6), (date, 6), (up, 3), (age, 3)])],
    )


def _reached() -> str:
    """Simulated seconds per wall second: both clocks are gauges of the same scrapes."""
    simulated = of_a_daemon(delta("simulated_timestamp_seconds", DAY))
    return f"{simulated} / {above_zero(delta('last_advance_timestamp_seconds', DAY))}"


def _pace() -> Section:
    lag = trend(
        "Lag over time",
        "Wall seconds by which the simulations are behind their pace; 1 is too much.",
        [Query(current("lag_wall_seconds"), _INSTANCE)],
        _WALL,
        colours={},
    )
    speed = trend(
        "Speed over time",
        "Simulated seconds per wall second: configured (grey) and reached over the last simulated day.",
        [Query(_reached(), _INSTANCE), Query(current("speedup_ratio"), "configured")],
        _SPEED,
        colours={},
        limits="configured",
    )
    last = series("last_advance_timestamp_seconds")
    still = trend(
        "Since the last advance",
        "Age of the newest simulated instant when it was scraped; it grows when the loop is stuck.",
        [Query(of_a_daemon(f"clamp_min(timestamp({last}) - {last}, 0)"), _INSTANCE)],
        _WALL,
        colours={},
    )
    return Section("How fast?", [Line(8, [(lag, 8), (speed, 8), (still, 8)])])


def _scrapes() -> Section:
    cost = trend(
        "Time of a scrape",
        "Wall time that rendering a page took in the daemon, and (dashed) that the whole scrape took as seen"
        " by Prometheus.",
        [
            Query(current("scrape_wall_seconds"), "rendering"),
            Query(whole("scrape_duration_seconds"), "rendering and transport"),
        ],
        _WALL,
        colours={"rendering": SKY},
        second=" and transport",
    )
    size = trend(
        "Series",
        "Samples in a scrape. It grows with scenarios and fault kinds, never with nodes or time.",
        [Query(whole("scrape_samples_scraped"), _INSTANCE)],
        COUNT,
        colours={},
    )
    return Section("What does watching cost?", [Line(8, [(cost, 12), (size, 12)])])


def _process() -> Section:
    memory = trend(
        "Memory",
        "Resident memory of the daemon; flat, however long it plays.",
        [Query(whole("process_resident_memory_bytes"), _INSTANCE)],
        Numbers("bytes", low=0.0),
        colours={},
    )
    cpu = trend(
        "CPU",
        "Share of one core that the daemon uses.",
        [Query(wall_rate("process_cpu_seconds_total"), _INSTANCE)],
        PERCENT,
        colours={},
    )
    files = trend(
        "Open files",
        "File descriptors in use; flat, however many have asked.",
        [Query(whole("process_open_fds"), _INSTANCE)],
        COUNT,
        colours={},
    )
    build = sheet(
        "Builds",
        "What runs: the version of goodputd and of its Python, and whether the core is compiled.",
        {"instance": "Instance", "version": "goodputd", "python": "Python", "core": "Core"},
        [Column("", current("build_info", "version", "python", "core"), COUNT)],
        first="Instance",
    )
    return Section("Is the daemon well?", [Line(8, [(memory, 6), (cpu, 6), (files, 6), (build, 6)])])
