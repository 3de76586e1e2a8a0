"""``goodputd simulate``: play the scenarios as fast as the machine can and say what it cost.

It drives simulations through their public calls and prints; it knows no rule of the model. Facts go
to stdout as they happen, merged over scenarios in the order of simulated time.
"""

import dataclasses
import gc
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from heapq import merge
from operator import itemgetter
from typing import Any, Final

from goodputd import __version__, assembly
from goodputd.commands.doubts import tell_doubts
from goodputd.narration import event_name
from goodputd.settings import Settings
from goodputd.sim.events import Fact, TargetReached
from goodputd.sim.simulation import Simulation
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.summary import Summary, Target, summarize

_LEAST_SLICES: Final = 200
_LONGEST_SLICE_SECONDS: Final = 30 * SECONDS_PER_DAY
"""A run is advanced in slices, so that the bar moves and the facts come while it goes on."""

Progress = Callable[[float], None]
"""Is told the share of the run that is done."""


def run(
    settings: Settings, *, horizon_seconds: float, until_step: int | None, as_json: bool, as_trace: bool
) -> None:
    """Simulate and print to stdout: a table, one JSON object, the facts, or the facts and then the object."""
    simulations = assembly.build(settings, until_step=until_step)
    tell_doubts(settings)
    # The core makes no reference cycles (a test says so): looking for them costs 8 % and finds nothing.
    gc.disable()
    reached_at: dict[str, float] = {}
    with _progress_bar(hidden=as_trace and sys.stdout.isatty()) as progress:
        for scenario, fact in play(simulations, horizon_seconds, progress=progress):
            if isinstance(fact, TargetReached):
                reached_at[scenario] = fact.at
            if as_trace:
                print(json.dumps(fact_object(scenario, fact), allow_nan=False))
    summary = summarize(
        [simulation.snapshot() for simulation in simulations],
        version=__version__,
        seed=settings.seed,
        unpaired=[scenario.name for scenario in settings.scenarios if not scenario.paired],
        targets=_targets(simulations, reached_at),
    )
    _print_summary(summary, settings.source, as_json=as_json, as_trace=as_trace)


def play(
    simulations: Sequence[Simulation], horizon_seconds: float, *, progress: Progress
) -> Iterator[tuple[str, Fact]]:
    """Every fact up to the horizon with its scenario, ordered by instant and then by scenario.

    A scenario that reaches its target step stops at that instant.
    """
    slices = max(_LEAST_SLICES, math.ceil(horizon_seconds / _LONGEST_SLICE_SECONDS))
    for played in range(1, slices + 1):
        until = horizon_seconds * (played / slices)
        streams = [_advance(simulation, until) for simulation in simulations]
        for _, scenario, fact in merge(*streams, key=itemgetter(0)):
            yield scenario, fact
        if all(simulation.completed for simulation in simulations):
            return
        progress(played / slices)


def fact_object(scenario: str, fact: Fact) -> dict[str, Any]:
    """A fact as a JSON object: ``at``, ``scenario``, ``event`` (``fault_occurred``), then its own fields."""
    fields = {field.name: getattr(fact, field.name) for field in dataclasses.fields(fact)}
    return {"at": fields.pop("at"), "scenario": scenario, "event": event_name(fact), **fields}


def _advance(simulation: Simulation, until: float) -> list[tuple[float, str, Fact]]:
    """The facts up to ``until``; from event to event, so that none comes after the completion."""
    facts: list[Fact] = []
    while not simulation.completed and simulation.now < until:
        next_at = simulation.next_event_at()
        facts += simulation.advance_to(until if next_at is None else min(next_at, until))
    return [(fact.at, simulation.name, fact) for fact in facts]


def _targets(simulations: Sequence[Simulation], reached_at: dict[str, float]) -> dict[str, Target]:
    return {
        simulation.name: Target(simulation.target_step, simulation.completed, reached_at.get(simulation.name))
        for simulation in simulations
        if simulation.target_step is not None
    }


def _print_summary(summary: Summary, source: str, *, as_json: bool, as_trace: bool) -> None:
    if as_json:
        print(json.dumps(summary, allow_nan=False, indent=None if as_trace else 2))
    elif not as_trace:
        from goodputd.commands.console import console
        from goodputd.commands.table import print_summary

        print_summary(summary, console(), source=source)


@contextmanager
def _progress_bar(*, hidden: bool) -> Iterator[Progress]:
    """A bar on stderr while a person watches; it leaves nothing behind."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress as Bar

    from goodputd.commands.console import console

    # Left to itself the bar would send what is printed to a redirected stdout to the terminal instead.
    with Bar(
        console=console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    ) as bar:
        task = bar.add_task("simulating", total=1.0)
        yield lambda share: bar.update(task, completed=share)
