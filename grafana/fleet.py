"""Dashboard "Fleet and capacity", which asks: are there nodes enough, and which of them are bad.

Opens with the capacity in use, from the ledger; gauges of states are shown as the least or most of a
window, since a scrape steps over short states.
"""

from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from goodputd.sim.taxonomy import (
    Bucket,
    HotResetOutcome,
    Misdiagnosis,
    NodeState,
    Reason,
    RepairOutcome,
)
from grafana import headlines
from grafana.board import Line, Section, board
from grafana.fields import A_DAY, COUNT, PERCENT, SECONDS, Numbers
from grafana.palette import ACTIONS, BAD, BUCKETS, GOOD, NODE_STATES, OUTCOMES, READINESS, SLOWINGS, WARNING
from grafana.panels import Column, Query, bars, sheet, single, stack, trend
from grafana.queries import (
    DAY,
    SHOWN,
    WINDOW,
    above_zero,
    across,
    current,
    increase,
    nothing_yet,
    over_time,
)
from grafana.safety import safety

UID: Final = "goodputd-fleet"
_THREE_DAYS: Final = "Over the last three simulated days."
_NOT_ACTIVE: Final = {name: colour for name, colour in NODE_STATES.items() if name != NodeState.ACTIVE}


def dashboard() -> model.Dashboard:
    """The whole dashboard."""
    return board(
        UID,
        "Are there nodes enough, and which of them are bad? Capacity, spares, evictions and repairs, strikes,"
        " and checkpoints. Windows are simulated time.",
        [_at_a_glance(), _nodes(), _bad_nodes(), _gpu_seconds(), safety()],
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
        f"Decisions to take a node, or a rack at once, out of the job, per simulated day. {_THREE_DAYS}",
        Query(headlines.a_day(increase("decisions_total", WINDOW, **headlines.TAKEN_OUT), WINDOW)),
        A_DAY,
    )
    repairing = single(
        "Nodes in repair",
        "Evicted nodes, and nodes drained for planned maintenance, that are not back yet, on average."
        f" {_THREE_DAYS}",
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
        "Evicted and drained nodes that are not back yet, the most in a simulated day, and (dashed) those of"
        " them that wait for a free crew.",
        [
            Query(over_time("max", "nodes", DAY, state="repairing")),
            Query(over_time("max", "repair_line_nodes", DAY), "{{scenario}} in line"),
        ],
        COUNT,
        second=" in line",
        stepped=True,
    )
    return Section(
        "Where are the nodes?",
        [Line(8, [(states, 24)]), Line(7, [(gpus, 8), (spares, 8), (queue, 8)]), Line(8, _operations())],
    )


def _operations() -> list[tuple[model.Panel, int]]:
    """What is done about nodes that are not in the job."""
    ready = bars(
        "Spares by readiness",
        "Spare nodes as of now: warm ones take a place at once, cold ones after a host selection, preemptible"
        " ones when other work has given them up.",
        across(current("spare_nodes", "readiness"), "readiness"),
        COUNT,
        row="scenario",
        column="readiness",
        colours=READINESS,
        stacked=True,
    )
    outcomes = headlines.a_day(increase("repairs_total", SHOWN, "stage", "outcome"), SHOWN)
    repairs = bars(
        "Repairs a day by stage and outcome",
        "Repairs that ended per simulated day, over the time shown. Failed ones reported success and cured"
        " nothing (ground truth); a false alarm or a wrong diagnosis ends with no fault found.",
        across(f'label_join({outcomes}, "by", " ", "scenario", "stage")', "by", "outcome"),
        A_DAY,
        row="by",
        column="outcome",
        colours={name: OUTCOMES[name] for name in RepairOutcome},
        stacked=True,
    )
    refused = headlines.in_the_time_shown("decisions_total", reason=Reason.DEPLETION_GUARD)
    places = sheet(
        "Who takes a place, and who never will (a day)",
        "Nodes that left the fleet for good, and evictions that were refused because too few would be left"
        " (guard); host selections, healthy nodes that they benched, nodes that other work gave up; planned"
        " stops, and nodes drained for planned maintenance, at these or at any other stop. Per simulated day"
        " over the time shown, retired nodes since start.",
        {"scenario": "Scenario"},
        [
            Column("Retired so far", across(current("nodes", state=NodeState.RETIRED)), COUNT),
            Column("Guarded", refused, A_DAY),
            Column("Selected", headlines.in_the_time_shown("host_selections_total"), A_DAY),
            Column("Benched", headlines.in_the_time_shown("displaced_nodes_total"), A_DAY),
            Column("Preempted", headlines.in_the_time_shown("preemptions_total"), A_DAY),
            Column("Planned", headlines.in_the_time_shown("interruptions_total", **headlines.PLANNED), A_DAY),
            Column("Drained", headlines.in_the_time_shown("drained_nodes_total"), A_DAY),
        ],
        first="Scenario",
    )
    return [(ready, 5), (repairs, 7), (places, 12)]


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
        "Decisions to evict per simulated day, over the last three days; a rack that is evicted at once is"
        " one.",
        [Query(headlines.a_day(increase("decisions_total", WINDOW, **headlines.TAKEN_OUT), WINDOW))],
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
    return Section(
        "Which nodes are bad?",
        [Line(8, [(worst, 6), (decided, 6), (evicted, 6), (broken, 6)]), Line(7, _wrong_nodes())],
    )


def _wrong_nodes() -> list[tuple[model.Panel, int]]:
    """Nodes that are not what they seem."""
    blamed = bars(
        "Wrong diagnoses a day (ground truth)",
        "Detected faults that were not blamed on the node that failed, per simulated day over the time shown:"
        " on an innocent one, or on none.",
        headlines.in_the_time_shown("misdiagnoses_total", "outcome"),
        A_DAY,
        row="scenario",
        column="outcome",
        colours={name: OUTCOMES[name] for name in Misdiagnosis},
        stacked=True,
    )
    resets = bars(
        "Hot resets a day",
        "Devices reset in place at a restart, per simulated day over the time shown, by whether that cured a"
        " permanent fault (ground truth).",
        headlines.in_the_time_shown("hot_resets_total", "outcome"),
        A_DAY,
        row="scenario",
        column="outcome",
        colours={name: OUTCOMES[name] for name in HotResetOutcome},
        stacked=True,
    )
    lemons = sheet(
        "Lemons and bursts (ground truth)",
        "Nodes that fail more often than the others and that no repair has made ordinary yet, and the faults"
        " that they have beyond those of ordinary nodes, per simulated day over the time shown; and the share"
        " of that time within faulty periods.",
        {"scenario": "Scenario"},
        [
            Column("Lemons left", across(current("lemon_nodes")), COUNT),
            Column("Their faults/day", headlines.in_the_time_shown("lemon_faults_total"), A_DAY),
            Column("In a burst", across(over_time("avg", "fault_burst", SHOWN)), PERCENT),
        ],
        first="Scenario",
    )
    return [(blamed, 8), (resets, 8), (lemons, 8)]


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
    return Section("What does it cost?", [Line(8, [(shares, 12), (lost, 12)]), Line(7, _step_time())])


def _step_time() -> list[tuple[model.Panel, int]]:
    """What does not stop the job but slows it."""
    longer = bars(
        "What makes a step longer",
        "By how much each cause lengthens a step, on average over the time shown: the slowest pool of nodes,"
        " placement across racks, cooling, a job that shrank, noise of the ranks, the network, a slow rank.",
        f"{across(over_time('avg', 'step_time_ratio', SHOWN, 'cause'), 'cause')} - 1",
        PERCENT,
        row="scenario",
        column="cause",
        colours=SLOWINGS,
    )
    course = trend(
        "Step time",
        "Mean simulated seconds of a step of the job as it runs; while it is stopped, as it would go on.",
        [Query(current("step_seconds"))],
        SECONDS,
    )
    return [(longer, 12), (course, 12)]
