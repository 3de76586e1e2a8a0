"""The reliability model and the studies: a large fleet with repairs, its growth, and a sweep.

The fleet is the published case ``airesim-default``: 4,096 servers for 411 days, of which some fail
more often, with repairs in two stages, standbys and a host selection. CPU time after start-up.
"""

from dataclasses import replace
from functools import partial
from statistics import median
from typing import Final

from goodputd.settings import Scenario, Settings
from tests.bench.core import BUDGET_GROWTH, cpu_seconds
from tests.bench.process import run_wall_seconds
from tests.bench.report import Row
from tests.bench.scenarios import DAY_SECONDS, LLAMA3, simulation
from tests.validation.playing import settings

NODES: Final = 4096
DAYS: Final = 411.0
REPEATS: Final = 5
BUDGET_SECONDS: Final = 0.5
SMALL_NODES: Final = 1024
LARGE_NODES: Final = 16_384
SWEPT: Final = "checkpoint.interval_seconds=60:7200:log20"
SWEEP_SEEDS: Final = 50
BUDGET_SWEEP_WALL_SECONDS: Final = 20.0


def rows() -> list[Row]:
    """The fleet, what its size does to the cost of a failure, and the sweep."""
    loaded = settings("airesim-default")
    return [*_fleet(loaded), _sweep()]


def _play(loaded: Settings, scenario: Scenario, days: float) -> tuple[float, int]:
    """CPU seconds and failures."""
    simulated = simulation(loaded, scenario, loaded.seed)
    seconds = cpu_seconds(partial(simulated.advance_to, days * DAY_SECONDS))
    return seconds, simulated.snapshot().total_interruptions


def _fleet(loaded: Settings) -> list[Row]:
    scenario = loaded.scenarios[0]
    played = [_play(loaded, scenario, DAYS) for _ in range(REPEATS)]
    seconds, failures = min(played)
    ratios = []
    for _ in range(REPEATS):
        small, large = (_cost(loaded, scenario, nodes) for nodes in (SMALL_NODES, LARGE_NODES))
        ratios.append(large / small)
    return [
        Row(
            what=f"{NODES:,} servers with repairs, {DAYS:.0f} days (airesim-default)",
            budget=f"< {BUDGET_SECONDS} s of CPU",
            measured=f"{seconds:.2f} s for {failures:,} failures (best of {REPEATS})",
            holds=seconds < BUDGET_SECONDS,
            figures={"seconds": seconds, "failures": failures},
        ),
        Row(
            what=f"  {LARGE_NODES:,} servers against {SMALL_NODES:,}, as many failures",
            budget=f"<= {BUDGET_GROWTH} x",
            measured=f"{median(ratios):.2f} x the CPU per failure (median of {REPEATS} pairs)",
            holds=median(ratios) <= BUDGET_GROWTH,
            figures={"ratio": median(ratios)},
        ),
    ]


def _cost(loaded: Settings, scenario: Scenario, nodes: int) -> float:
    """CPU seconds of one failure in a fleet of so many servers, with as many failures as in the case.

    Spares and standbys are in proportion.
    """
    cluster, factor = scenario.cluster, nodes / NODES
    standbys = cluster.capacity.warm_standbys or 0
    capacity = replace(
        cluster.capacity,
        warm_standbys=round(standbys * factor),
        preemptible=round(cluster.capacity.preemptible * factor),
    )
    [kind] = scenario.faults.kinds
    rarer = replace(kind, per_node_day=(kind.per_node_day or 0.0) / factor)
    resized = replace(
        scenario,
        faults=replace(scenario.faults, kinds=(rarer,)),
        cluster=replace(cluster, nodes=nodes, spares=round(cluster.spares * factor), capacity=capacity),
        job=replace(scenario.job, min_replicas=nodes),
    )
    seconds, failures = _play(loaded, resized, DAYS)
    return seconds / failures


def _sweep() -> Row:
    """The whole command, from start to table, on all cores."""
    seconds = run_wall_seconds(["sweep", str(LLAMA3), "--vary", SWEPT, "--seeds", str(SWEEP_SEEDS)])
    return Row(
        what=f"goodputd sweep: 20 intervals x {SWEEP_SEEDS} seeds of config/llama3-16k.toml",
        budget=f"< {BUDGET_SWEEP_WALL_SECONDS:.0f} s on two cores",
        measured=f"{seconds:.1f} s",
        holds=seconds < BUDGET_SWEEP_WALL_SECONDS,
        figures={"wall_seconds": seconds},
    )
