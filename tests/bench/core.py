"""The core on one CPU: how long 54 days take, and against what.

Time is CPU time after start-up, each run the best of several. Peers are measured in the same run,
in turns with the core: a bare heap, the loop over every step, a larger fleet, a shorter step. Where the
core is compiled, the same files interpreted are a peer as well, in a process of its own that prints
its milliseconds: ``python -m tests.bench.core``.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from math import expm1, inf, log1p, sqrt
from statistics import mean, median, variance
from time import process_time
from typing import Final

from goodputd import core_build
from goodputd.settings import Scenario, Settings
from goodputd.sim.simulation import Simulation
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from tests.bench.reference import Inputs, PerStepLoop
from tests.bench.report import Row
from tests.bench.scenarios import FAULTS, HORIZON_SECONDS, ROOT, llama3, simulation, sized

SEEDS: Final = range(1, 6)
REPEATS: Final = 5
AGREEMENT_SEEDS: Final = range(1, 21)
AGREEMENT_ERRORS: Final = 3.0
BUDGET_MS: Final = 30.0
BUDGET_INCIDENTS: Final = 15_000.0
BUDGET_GROWTH: Final = 1.2
LARGE_NODES: Final = 16_384
_PENDING: Final = 32
"""Entries that the bare heap holds at any time, about as many as the schedule of a simulation."""


def rows() -> list[Row]:
    """Everything about the core."""
    loaded = llama3()
    return [*_speed(loaded), *_interpreted(), *_agreement(loaded)]


@dataclass(slots=True)
class _Played:
    """One scenario played once."""

    seconds: float
    """CPU seconds."""
    incidents: int


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call, without the garbage collector, as ``goodputd simulate`` plays."""
    gc.collect()
    gc.disable()
    try:
        started = process_time()
        work()
        return process_time() - started
    finally:
        gc.enable()


def _play(loaded: Settings, scenario: Scenario, seed: int) -> _Played:
    simulated = simulation(loaded, scenario, seed)
    seconds = cpu_seconds(lambda: simulated.advance_to(HORIZON_SECONDS))
    return _Played(seconds, simulated.snapshot().total_interruptions)


@dataclass(slots=True)
class _Totals:
    """Sums over the seeds; CPU seconds are those of each seed's fastest run."""

    seconds: float = 0.0
    heap_seconds: float = 0.0
    incidents: int = 0
    events: int = 0
    large: list[float] = field(default_factory=list)
    """What an incident costs on a larger fleet, as a multiple; one for every pair of runs."""
    fine: list[float] = field(default_factory=list)
    """The same for a shorter step."""


def _measure(loaded: Settings) -> _Totals:
    """The core, the heap, a larger fleet and a shorter step, in turns."""
    base = sized(loaded.scenarios[0])
    large = sized(base, nodes=LARGE_NODES)
    fine = sized(base, step_seconds=base.job.step_seconds / 10.0)
    totals = _Totals()
    for seed in SEEDS:
        events = _events(simulation(loaded, base, seed))
        runs: list[_Played] = []
        heaps: list[float] = []
        for _ in range(REPEATS):
            run = _play(loaded, base, seed)
            totals.large.append(_growth(run, _play(loaded, large, seed)))
            totals.fine.append(_growth(run, _play(loaded, fine, seed)))
            heaps.append(cpu_seconds(partial(_bare_heap, events)))
            runs.append(run)
        totals.seconds += min(run.seconds for run in runs)
        totals.heap_seconds += min(heaps)
        totals.incidents += runs[0].incidents
        totals.events += events
    return totals


def _speed(loaded: Settings) -> list[Row]:
    """Two rows for the core itself, one for the heap, one each for a larger fleet and a shorter step."""
    totals = _measure(loaded)
    count = len(SEEDS)
    milliseconds = 1e3 * totals.seconds / count
    rate = totals.incidents / totals.seconds
    heap_milliseconds = 1e3 * totals.heap_seconds / count
    return [
        Row(
            what="core: 54 days, 16,384 GPUs, all layers on, one scenario",
            budget=f"<= {BUDGET_MS:.0f} ms of CPU",
            measured=f"{milliseconds:.1f} ms (mean of {count} seeds, each best of {REPEATS} runs)",
            holds=milliseconds <= BUDGET_MS,
            figures={"milliseconds": milliseconds, "events": totals.events / count},
        ),
        Row(
            what="  incidents a second on one CPU",
            budget=f">= {BUDGET_INCIDENTS:,.0f}",
            measured=f"{rate:,.0f} ({totals.incidents / count:.0f} incidents a run)",
            holds=rate >= BUDGET_INCIDENTS,
            figures={"incidents_per_second": rate, "incidents": totals.incidents / count},
        ),
        Row(
            what="  against a bare heap of as many entries",
            budget="-",
            measured=f"{milliseconds / heap_milliseconds:.0f} x the heap's {heap_milliseconds:.2f} ms "
            f"({totals.events / count:,.0f} events a run)",
            holds=None,
            figures={"ratio": milliseconds / heap_milliseconds, "heap_milliseconds": heap_milliseconds},
        ),
        _growth_row("  131,072 GPUs, as many faults", totals.large),
        _growth_row("  a step ten times shorter", totals.fine),
    ]


def _interpreted() -> list[Row]:
    """The same core, interpreted, where this process has it compiled."""
    if core_build() == "interpreted":
        return []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "tests.bench.core"]
    printed = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment
    ).stdout
    milliseconds = float(printed)
    return [
        Row(
            what="  the same, interpreted",
            budget="-",
            measured=f"{milliseconds:.1f} ms",
            holds=None,
            figures={"milliseconds": milliseconds},
        )
    ]


def _interpreted_milliseconds() -> float:
    """CPU milliseconds as in the first row, in this process."""
    if core_build() != "interpreted":
        message = "the core that this process finds is compiled"
        raise RuntimeError(message)
    loaded = llama3()
    base = sized(loaded.scenarios[0])
    best = [min(_play(loaded, base, seed).seconds for _ in range(REPEATS)) for seed in SEEDS]
    return 1e3 * mean(best)


def _growth(base: _Played, other: _Played) -> float:
    """How much more an incident costs; per incident, because luck gives each fleet its own number."""
    return (other.seconds / other.incidents) / (base.seconds / base.incidents)


def _growth_row(what: str, ratios: list[float]) -> Row:
    ratio = median(ratios)
    return Row(
        what=what,
        budget=f"<= {BUDGET_GROWTH} x",
        measured=f"{ratio:.2f} x the CPU per incident (median of {len(ratios)} pairs)",
        holds=ratio <= BUDGET_GROWTH,
        figures={"ratio": ratio},
    )


def _events(simulated: Simulation) -> int:
    """How many instants have events up to the horizon."""
    count = 0
    while (at := simulated.next_event_at()) is not None and at <= HORIZON_SECONDS:
        simulated.advance_to(at)
        count += 1
    return count


def _bare_heap(count: int) -> None:
    """Push and pop ``count`` entries like those of the schedule, and do nothing else."""
    heap = [(float(index), index, "event", None) for index in range(_PENDING)]
    for sequence in range(_PENDING, _PENDING + count):
        at = heappop(heap)[0]
        heappush(heap, (at + _PENDING, sequence, "event", None))


def _agreement(loaded: Settings) -> list[Row]:
    """The core configured down to what the loop over every step does, with the same inputs."""
    base = loaded.scenarios[0]
    inputs = _inputs(base)
    bare = _bare(base, inputs.failure_probability)
    core: list[float] = []
    loop: list[float] = []
    core_seconds = loop_seconds = inf
    for seed in AGREEMENT_SEEDS:
        simulated = simulation(loaded, bare, seed)
        core_seconds = min(core_seconds, cpu_seconds(partial(simulated.advance_to, HORIZON_SECONDS)))
        snapshot = simulated.snapshot()
        assert snapshot.effective_training_time_ratio is not None
        core.append(snapshot.effective_training_time_ratio)
        stepped = PerStepLoop(inputs, seed)
        loop_seconds = min(loop_seconds, cpu_seconds(stepped.run))
        loop.append(stepped.effective_training_time_ratio)
    error = sqrt(variance(core) / len(core) + variance(loop) / len(loop))
    apart = abs(mean(core) - mean(loop)) / error
    return [
        Row(
            what="core and a loop over every step, same inputs: effective training time",
            budget=f"<= {AGREEMENT_ERRORS:.0f} standard errors apart",
            measured=f"{mean(core):.4f} and {mean(loop):.4f}: {apart:.1f} ({len(core)} seeds each)",
            holds=apart <= AGREEMENT_ERRORS,
            figures={"core": mean(core), "loop": mean(loop), "standard_errors": apart},
        ),
        Row(
            what="  their speed",
            budget="-",
            measured=f"core {loop_seconds / core_seconds:.1f} x as fast: {1e3 * core_seconds:.1f} ms against "
            f"{1e3 * loop_seconds:.0f} ms for {snapshot.steps:,} steps (best of {len(core)})",
            holds=None,
            figures={
                "ratio": loop_seconds / core_seconds,
                "core_milliseconds": 1e3 * core_seconds,
                "loop_milliseconds": 1e3 * loop_seconds,
            },
        ),
    ]


def _inputs(base: Scenario) -> Inputs:
    """What both are given; the hazard of a step is that of 419 faults in 54 days."""
    gpus = base.cluster.nodes * base.cluster.gpus_per_node
    step_seconds = base.job.step_seconds
    recovery = base.recovery
    return Inputs(
        gpus=gpus,
        failure_probability=-expm1(-FAULTS / HORIZON_SECONDS * step_seconds / gpus),
        step_seconds=step_seconds,
        interval_steps=base.checkpoint.steps(step_seconds),
        save_seconds=base.checkpoint.save_seconds,
        recovery_seconds=base.detection.hardware.delay_seconds
        + recovery.decide_seconds
        + recovery.reschedule_seconds
        + recovery.collective_init_seconds
        + base.checkpoint.restore_seconds(base.cluster.nodes, resharded=False)
        + recovery.compile_seconds
        + recovery.verify_seconds,
        horizon_seconds=HORIZON_SECONDS,
    )


def _bare(base: Scenario, probability: float) -> Scenario:
    """One kind of fault, found at once, cured by a restart of fixed length, and none during it."""
    per_gpu_hour = -log1p(-probability) / base.job.step_seconds * 3600.0
    kind = FaultKindSpec(name="failure", component="gpu", per_gpu_hour=per_gpu_hour, event="event")
    return replace(
        base,
        faults=FaultsSpec(catalog="none", kinds=(kind,), during_recovery=False),
        detection=replace(base.detection, layers=("hardware",)),
        policy=replace(base.policy, strikes=replace(base.policy.strikes, strikes_to_evict=0)),
        recovery=replace(base.recovery, spread=0.0, wrong_restore_probability=0.0),
    )


if __name__ == "__main__":
    sys.stdout.write(f"{_interpreted_milliseconds()}\n")
