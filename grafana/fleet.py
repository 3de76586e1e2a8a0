"""Dashboard "Fleet and capacity", which asks: are there nodes enough, and which of them are bad.

Opens with the capacity in use, from the ledger; gauges of states are shown as the least or most of a
window, since a scrape steps over short states.
"""

from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from goodputd.sim.taxonomy import Action, Bucket, NodeState
from grafana import headlines
from grafana.board import Line, Section, board
from grafana.fields import A_DAY, COUNT, HOURS, MINUTES, PERCENT, Numbers
from grafana.palette import ACTIONS, BAD, BUCKETS, GOOD, NODE_STATES, OUTCOMES, WARNING
from grafana.panels import Column, Query, bars, sheet, single, stack, trend
from grafana.queries import (
    DAY,
    SHOWN,
    WINDOW,
    above_zero,
    across,
    current,
    hours,
    increase,
    minutes,
    nothing_yet,
    over_time,
)

UID: Final = "goodputd-fleet"
_THREE_DAYS: Final = "Over the last three simulated days."
_NOT_ACTIVE: Final = {name: colour for name, colour in NODE_STATES.items() if name != NodeState.ACTIVE}


def dashboard() -> model.Dashboard:
    """The whole dashboard."""
    return board(
        UID,
        "Are there nodes enough, and which of them are bad? Capacity, spares, evictions and repairs, strikes,"
        " and checkpoints. Windows are simulated time.",
        [_at_a_glance(), _nodes(), _bad_nodes(), _gpu_seconds(), _checkpoints()],
    )


def _at_a_glance() -> Section:
    idle = increase("gpu_seconds_total", WINDOW, bucket="idle_capacity")
    capacity = single(
        "Capacity in use",
        "GPU-seconds of the full job that were not given up by shrinking; below 100 % the job runs with fewer"
        f" replicas than it was built for. {_THREE_DAYS}",
        Query(f"clamp(1 - {idle} / {above_zero(headlines.nominal_gpu_seconds(WINDOW))}, 0, 1)"),
        Numbers("percentunit", 1, 0.0, 1.0, steps=((None, BAD), (0.98, WARNING), (0.999, GOOD))),
    )
    spares = single(
        "Fewest spares left",
        "Spare nodes at the worst moment, as a share of those configured; at zero the next eviction shrinks"
        f" the job. {_THREE_DAYS}",
        Query(
            f"{over_time('min', 'nodes', WINDOW, state='spare')} / {above_zero(current('spares_configured'))}"
            f" or {nothing_yet()}"
        ),
        Numbers("percentunit", 0, 0.0, 1.0, steps=((None, BAD), (0.001, WARNING), (0.25, GOOD))),
    )
    waiting = single(
        "Waiting for capacity",
        f"Share of time in which the job stood still for want of nodes. {_THREE_DAYS}",
        Query(
            f"{increase('time_seconds_total', WINDOW, bucket='waiting_for_capacity')}"
            f" / {above_zero(headlines.elapsed(WINDOW))}"
        ),
        Numbers("percentunit", 1, 0.0, 1.0, steps=((None, GOOD), (0.001, WARNING), (0.05, BAD))),
    )
    evictions = single(
        "Evictions a day",
        f"Nodes taken out of the job per simulated day. {_THREE_DAYS}",
        Query(headlines.a_day(increase("decisions_total", WINDOW, action="evict"), WINDOW)),
        A_DAY,
    )
    repairing = single(
        "Nodes in repair",
        f"Evicted nodes that are not back yet, on average. {_THREE_DAYS}",
        Query(over_time("avg", "nodes", WINDOW, state="repairing")),
        A_DAY,
    )
    return Section(
        "Are there nodes enough?",
        [Line(6, [(capacity, 8), (spares, 4), (waiting, 4), (evictions, 4), (repairing, 4)])],
    )


def _nodes() -> Section:
    states = stack(
        "Nodes that are not in the job",
        "Nodes by state, without the active ones: failed ones wait for a decision, idle ones were left over"
        " by a shrink, spare ones wait for an eviction, repairing ones come back as spares.",
        [Query(current("nodes", "state", state="!=active"), "{{state}}")],
        COUNT,
        colours=_NOT_ACTIVE,
    )
    gpus = trend(
        "GPUs missing from the job",
        "GPUs of the full job that are not in an active node, the most in a simulated day. A node is missing"
        " for minutes when it fails, for longer when no spare takes its place.",
        [Query(f"{current('nominal_gpus')} - {over_time('min', 'gpus', DAY, state='active')}")],
        COUNT,
        stepped=True,
    )
    spares = trend(
        "Spares left",
        "Spare nodes, the fewest in a simulated day, and in grey those configured.",
        [
            Query(over_time("min", "nodes", DAY, state="spare")),
            Query(current("spares_configured"), "{{scenario}} configured"),
        ],
        COUNT,
        limits=" configured",
        stepped=True,
    )
    queue = trend(
        "Repair queue",
        "Evicted nodes that are not back yet, the most in a simulated day.",
        [Query(over_time("max", "nodes", DAY, state="repairing"))],
        COUNT,
        stepped=True,
    )
    return Section(
        "Where are the nodes?", [Line(8, [(states, 24)]), Line(7, [(gpus, 8), (spares, 8), (queue, 8)])]
    )


def _bad_nodes() -> Section:
    worst = sheet(
        "Worst nodes",
        "Nodes with two standing strikes or more, at most 20 for each scenario. A node that stays here with"
        " an evicting policy waits for capacity; empty while no node has failed twice.",
        {"node": "Node", "scenario": "Scenario"},
        [Column("Strikes", across(current("node_strikes", "node"), "node"), COUNT)],
        first="-Strikes",
    )
    decided = bars(
        "Restarts and evictions a day",
        "Decisions per simulated day, over the time shown.",
        headlines.in_the_time_shown("decisions_total", "action"),
        A_DAY,
        row="scenario",
        column="action",
        colours=ACTIONS,
        stacked=True,
    )
    evicted = trend(
        "Evictions a day over time",
        "Evictions per simulated day, over the last three days; as many nodes come back from repair in the"
        " long run.",
        [Query(headlines.a_day(increase("decisions_total", WINDOW, action=Action.EVICT), WINDOW))],
        A_DAY,
    )
    broken = trend(
        "Faults a day (ground truth)",
        "Faults that struck per simulated day over the last three days, and (dashed) those of them that a"
        " permanent fault repeated after a restart.",
        [
            Query(headlines.a_day(increase("faults_total", WINDOW), WINDOW)),
            Query(
                headlines.a_day(increase("faults_total", WINDOW, origin="recurrence"), WINDOW),
                "{{scenario}} recurrences",
            ),
        ],
        A_DAY,
        second=" recurrences",
    )
    return Section("Which nodes are bad?", [Line(8, [(worst, 6), (decided, 6), (evicted, 6), (broken, 6)])])


def _gpu_seconds() -> Section:
    shares = bars(
        "What kept GPUs from training",
        "Share of the full job's GPU-seconds by ledger bucket without productive, over the time shown."
        " Idle capacity is what shrinking gave up.",
        across(headlines.badput_gpu_shares(SHOWN), "bucket"),
        PERCENT,
        row="scenario",
        column="bucket",
        colours={name: colour for name, colour in BUCKETS.items() if name != Bucket.PRODUCTIVE},
        stacked=True,
    )
    lost = trend(
        "GPUs that earned nothing",
        "How many GPUs of the full job were not productive, on average over the last three simulated days:"
        " stopped, idle, or busy with work that was lost. A line begins when its window holds five checkpoint"
        " intervals.",
        [Query(f"{current('nominal_gpus')} * (1 - ({headlines.utilization_curve(WINDOW)}))")],
        COUNT,
    )
    return Section("What does it cost?", [Line(8, [(shares, 12), (lost, 12)])])


def _checkpoints() -> Section:
    outcomes = headlines.a_day(increase("checkpoints_total", SHOWN, "tier", "outcome"), SHOWN)
    saves = bars(
        "Saves a day by tier and outcome",
        "Checkpoint saves per simulated day by what became of them, over the time shown; one that an incident"
        " interrupted cost time and saved nothing.",
        across(f'label_join({outcomes}, "saved_to", " to ", "scenario", "tier")', "saved_to", "outcome"),
        A_DAY,
        row="saved_to",
        column="outcome",
        colours={name: OUTCOMES[name] for name in ("saved", "interrupted")},
        stacked=True,
    )
    newest = current("last_checkpoint_timestamp_seconds", "tier")
    now = f"on (job, instance, scenario) group_left () {current('simulated_timestamp_seconds')}"
    age = trend(
        "Age of the newest checkpoint",
        "Simulated time since the last checkpoint became durable, and in grey the time between two saves."
        " It grows while the job stands still, and to many intervals where interruptions are more frequent"
        " than saves: each one starts the interval anew.",
        [
            Query(hours(f"-1 * ({newest} - {now})"), "{{scenario}}"),
            Query(hours(current("checkpoint_interval_seconds")), "{{scenario}} interval"),
        ],
        HOURS,
        limits=" interval",
    )
    at_risk = trend(
        "Work at risk",
        "Trained time that no durable checkpoint covers, the most in a simulated day: what an interruption"
        " would have cost.",
        [Query(hours(over_time("max", "provisional_seconds", DAY)))],
        HOURS,
    )
    retracted = trend(
        "Work taken back a day",
        "Trained time per simulated day that a checkpoint covered and that was taken back nevertheless,"
        " because the restore went further back; over the last three days.",
        [Query(minutes(headlines.a_day(increase("retracted_seconds_total", WINDOW), WINDOW)))],
        MINUTES,
    )
    return Section("Is the work safe?", [Line(8, [(saves, 6), (age, 6), (at_risk, 6), (retracted, 6)])])
