"""A period of the simulated clusters as OpenMetrics, every sample at its simulated instant.

It plays the simulations from sample to sample and records what a scrape would have seen. It is told
when the period starts, where to write and who watches; it knows no clock, no settings and no promtool.
"""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Final

from goodputd import __version__, core_build
from goodputd.errors import SettingsError
from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.family import PREFIX, MetricSpec
from goodputd.metrics.view import DaemonView, InForce, ScenarioView, View
from goodputd.sim.simulation import Simulation
from goodputd.studies.spool import Progress, Spool

_OF_NO_SCENARIO: Final = frozenset({PREFIX + "build_info", PREFIX + "speedup_ratio"})
"""What holds where no daemon runs: who made the samples, and that a simulated second takes a second."""
AVAILABLE: Final = tuple(
    spec for spec in CATALOG if "scenario" in spec.labels or spec.name in _OF_NO_SCENARIO
)
"""The metrics that a backfill has; the others are about a running daemon."""
_SUFFIXES: Final = ("_bucket", "_count", "_sum")
"""Of the series of one family; a family is selected as a whole."""


@dataclass(frozen=True, slots=True)
class Period:
    """Which instants have samples: the end, and every step back from it as far as the start."""

    start_timestamp: int
    """Unix seconds."""
    seconds: int
    step_seconds: int

    @property
    def end_timestamp(self) -> int:
        """Unix seconds."""
        return self.start_timestamp + self.seconds

    @property
    def timestamps(self) -> range:
        """Unix seconds of each sample, in order."""
        first = self.start_timestamp + self.seconds % self.step_seconds
        return range(first, self.end_timestamp + 1, self.step_seconds)


def select(wanted: Sequence[str]) -> tuple[MetricSpec, ...]:
    """The available metrics that a name or a glob fits, of lists with commas; all when nothing is wanted.

    Errors: ``SettingsError`` with each name that fits nothing.
    """
    patterns = [pattern.strip() for names in wanted for pattern in names.split(",")]
    problems = [
        _unknown(pattern) for pattern in patterns if not any(_fits(spec.name, pattern) for spec in AVAILABLE)
    ]
    if problems:
        raise SettingsError(*problems)
    return tuple(
        spec for spec in AVAILABLE if not patterns or any(_fits(spec.name, pattern) for pattern in patterns)
    )


def record(
    simulations: Sequence[Simulation],
    in_force: Sequence[InForce],
    period: Period,
    spool: Spool,
    progress: Progress,
) -> None:
    """Play the simulations, which stand at 0, through the period and put every sample into the spool."""
    daemon = DaemonView(
        version=__version__,
        python=platform.python_version(),
        core=core_build(),
        speedup=1.0,
        lag_wall_seconds=0.0,
        scrape_wall_seconds=None,
        last_advance_timestamp=period.end_timestamp,
    )
    for timestamp in period.timestamps:
        seconds = float(timestamp - period.start_timestamp)
        for simulation in simulations:
            simulation.advance_to(seconds)
        snapshots = [simulation.snapshot() for simulation in simulations]
        spool.record(View(tuple(map(ScenarioView, snapshots, in_force)), daemon))
        progress(seconds / period.seconds)


def _fits(name: str, pattern: str) -> bool:
    """A pattern may leave the prefix away."""
    return fnmatchcase(name, pattern) or fnmatchcase(name.removeprefix(PREFIX), pattern)


def _unknown(pattern: str) -> str:
    if any(_fits(spec.name, pattern) for spec in CATALOG):
        return f"--metrics: {pattern!r} is about a running daemon; a backfill has none"
    names = [spec.name.removeprefix(PREFIX) for spec in AVAILABLE]
    meant = pattern.removeprefix(PREFIX)
    meant = next((meant.removesuffix(each) for each in _SUFFIXES if meant.endswith(each)), meant)
    close = [*get_close_matches(meant, names, n=1), *(name for name in names if name.startswith(meant))]
    hint = (
        f"did you mean {PREFIX + close[0]!r}?"
        if close
        else "names are those of /metrics, globs like 'mtt*' fit several"
    )
    return f"--metrics: no metric fits {pattern!r}; {hint}"
