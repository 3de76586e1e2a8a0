"""Playing a published case: one seed of its settings, to its end, as snapshots.

Knows settings and snapshots; what was published is in a module for each source.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from goodputd.assembly import build
from goodputd.settings import Settings, load
from goodputd.sim.simulation import Simulation
from goodputd.sim.snapshot import Snapshot

HERE = Path(__file__).parent
DAY = 86400.0
_A_WHILE = 30 * DAY

Reading = Callable[[Snapshot], float]
"""One figure of a run that is over."""


@dataclass(frozen=True, slots=True)
class Ending:
    """When a run is over: after so many steps, or so many days."""

    steps: int | None = None
    days: float | None = None


@cache
def settings(case: str) -> Settings:
    """The settings of a case, with the seed of its file."""
    return load(HERE / f"{case}.toml", environ={})


def play(case: str, seed: int, ending: Ending) -> dict[str, Snapshot]:
    """Every scenario of a case with one seed, at its end."""
    return {each.name: finish(each, ending) for each in _built(case, seed, ending)}


def lemons(case: str, seed: int) -> int:
    """How many of them the fleet of a seed has at the start."""
    return _built(case, seed, Ending())[0].snapshot().fleet.lemons


def _built(case: str, seed: int, ending: Ending) -> tuple[Simulation, ...]:
    return build(replace(settings(case), seed=seed), until_step=ending.steps)


def finish(simulation: Simulation, ending: Ending) -> Snapshot:
    """Play to the end; the core makes no cycles, so nobody has to look for them."""
    gc.disable()
    try:
        if ending.days is not None:
            simulation.advance_to(ending.days * DAY)
        while ending.days is None and not simulation.completed:
            simulation.advance_to(simulation.now + _A_WHILE)
    finally:
        gc.enable()
    return simulation.snapshot()
