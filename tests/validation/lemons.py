"""Lemons: the fleet of a published trace, and when to evict on the second failure.

The trace (InfiniteHBD) is of 400 servers over 349 days: 584 faults, 182 of them within 7 days after the
node came back from the one before, 133 h out of service on average. ``config/lemons.toml`` has nodes like
these; what it says of policies and spares is printed here for the README.
"""

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Final, NamedTuple

import pytest

from goodputd.assembly import simulation
from goodputd.settings import Settings, load
from goodputd.sim.events import FaultOccurred, NodeReturned
from goodputd.studies.comparison import GPU_RATIO
from goodputd.studies.estimates import Estimate, difference, estimate
from goodputd.studies.runs import executor
from goodputd.studies.study import Point, Results, Study, conduct
from tests.readme import README, ROOT, with_section
from tests.validation.playing import DAY

CONFIG: Final = ROOT / "config" / "lemons.toml"
POLICIES: Final = ("evict-on-second", "always-restart", "always-evict")
SPARES: Final = (0, 8, 16, 24, 32, 40, 48, 64)
SEEDS: Final = 100
DAYS: Final = 54
SECTION: Final = "lemons"
COMMAND: Final = "make validate"

# --- the trace


class Trace(NamedTuple):
    """What the trace came to, or ours of the same fleet."""

    faults: float
    repeated_share: float
    """Of the faults, those within 7 days after the node came back."""


PUBLISHED: Final = Trace(584.0, 182 / 584)
_SERVERS: Final = 400
_TRACE_DAYS: Final = 349
_SOON: Final = 7 * DAY
_LIKE_THE_TRACE: Final = {
    "cluster.nodes": _SERVERS,
    "cluster.spares": 0,
    "job.gpus_per_replica": 8,  # so that whoever is back is in the job
}


def trace(seed: int) -> Trace:
    """The servers of the trace with the nodes of the file; each fault takes one out of service."""
    settings = _settings({**_LIKE_THE_TRACE, "seed": seed})
    (always_evict,) = (each for each in settings.scenarios if each.name == "always-evict")
    returned_at: dict[int, float] = {}
    faults = repeated = 0
    for fact in simulation(always_evict, seed).advance_to(_TRACE_DAYS * DAY):
        if isinstance(fact, NodeReturned):
            returned_at[fact.node] = fact.at
        elif isinstance(fact, FaultOccurred):
            faults += 1
            repeated += fact.node in returned_at and fact.at - returned_at[fact.node] <= _SOON
    return Trace(faults, repeated / faults)


def in_errors(values: Sequence[float], published: float) -> float:
    """By how many standard errors their mean differs from what was published."""
    return float((fmean(values) - published) / (stdev(values) / len(values) ** 0.5))


# --- the policies


def play(spares: int, seeds: int, workers: int) -> Results:
    """The three policies on the same faults, with so many spares."""
    settings = _settings({"cluster.spares": spares})
    points = [Point(name=each.name, scenario=each) for each in settings.scenarios]
    study = Study(points=points, seeds=range(1, seeds + 1), horizon_seconds=DAYS * DAY)
    return conduct(study, executor(workers, pytest.fail), progress=lambda _: None)


def lead(results: Results, over: str) -> Estimate:
    """By how much evicting on the second failure is ahead in utilization."""
    found = difference(_utilization(results, POLICIES[0]), _utilization(results, over))
    assert found is not None
    return found


def table(seeds: int, workers: int) -> str:
    """The policies at every number of spares, for the README."""
    lines = [
        "| spares | evict on second | always restart | always evict | minus restart | minus evict |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    leads = []
    for spares in SPARES:
        results = play(spares, seeds, workers)
        means = [estimate(_utilization(results, name)) for name in POLICIES]
        over_restart, over_evict = (lead(results, name) for name in POLICIES[1:])
        leads.append(over_evict.mean)
        cells = [
            *(f"{100 * each.mean:.2f} %" for each in means if each),
            _gap(over_restart),
            _gap(over_evict),
        ]
        lines.append(f"| {spares} | {' | '.join(cells)} |")
    says = f"Always evicting is the better policy from about {reversal(SPARES, leads):.0f} spares on."
    return "\n".join([*lines, "", says, ""])


def reversal(spares: Sequence[int], leads: Sequence[float]) -> float:
    """Where the lead, which falls, is 0: between two numbers of spares, on a straight line."""
    after = next(index for index, each in enumerate(leads) if each < 0.0)
    one, other = leads[after - 1], leads[after]
    return spares[after - 1] + (spares[after] - spares[after - 1]) * one / (one - other)


def write(workers: int) -> None:
    """The table in the README anew."""
    text = with_section(README.read_text(encoding="utf-8"), SECTION, table(SEEDS, workers), COMMAND)
    README.write_text(text, encoding="utf-8")


def _gap(estimated: Estimate) -> str:
    return f"{100 * estimated.mean:+.2f} ± {100 * (estimated.half_width or 0.0):.2f}"


def _utilization(results: Results, name: str) -> list[float | None]:
    index = [point.name for point in results.study.points].index(name)
    return results.values(index, GPU_RATIO)


def _settings(overrides: dict[str, object]) -> Settings:
    return load(CONFIG, overrides=overrides, environ={})
