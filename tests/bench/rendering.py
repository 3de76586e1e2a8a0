"""What a page costs, against prometheus_client's own rendering and against plain string formatting.

All three write the same samples: the daemon's exposition as it does after each publication,
``generate_latest`` of prometheus_client over the same view, and one f-string per line whose names
and labels are ready-made. CPU time, in turns, best of several.
"""

from collections.abc import Callable, Iterator
from math import inf
from time import perf_counter
from typing import Final

from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from goodputd import assembly
from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.collector import family
from goodputd.metrics.exposition import Encoding, Exposition, Format
from goodputd.metrics.view import DaemonView, ScenarioView, View
from goodputd.service import in_force
from tests.bench.core import cpu_seconds
from tests.bench.report import Row
from tests.bench.scenarios import HORIZON_SECONDS, three

REPEATS: Final = 50


def rows() -> list[Row]:
    """One row: three ways to write one page."""
    view = _view()
    exposition = Exposition(perf_counter)
    families = _Families(view)
    text = generate_latest(families).decode()
    pieces = _pieces(text)
    _check_same_samples(text, _format(pieces).decode())

    def page() -> object:
        exposition.publish(view)
        return exposition.page(Format.TEXT, Encoding.IDENTITY)

    page()
    ways: tuple[Callable[[], object], ...] = (
        page,
        lambda: generate_latest(families),
        lambda: _format(pieces),
    )
    best = [inf] * len(ways)
    for _ in range(REPEATS):
        best = [min(fastest, cpu_seconds(way)) for fastest, way in zip(best, ways, strict=True)]
    ours, client, plain = best
    return [
        Row(
            what=f"rendering {sum(value is not None for _, value in pieces):,} series: "
            "the daemon, prometheus_client, plain strings",
            budget="-",
            measured=f"{1e3 * ours:.1f}, {1e3 * client:.1f} and {1e3 * plain:.2f} ms: the daemon needs "
            f"{ours / client:.2f} x prometheus_client's and {ours / plain:.0f} x the strings' "
            f"(best of {REPEATS})",
            holds=None,
            figures={
                "daemon_milliseconds": 1e3 * ours,
                "prometheus_client_milliseconds": 1e3 * client,
                "plain_milliseconds": 1e3 * plain,
            },
        )
    ]


class _Families(Collector):
    """All that is on the page, as prometheus_client wants it."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._process = ProcessCollector(registry=None)

    def collect(self) -> Iterator[Metric]:
        for spec in CATALOG:
            yield family(spec, spec.read(self._view))
        yield from self._process.collect()


def _view() -> View:
    """Three scenarios after 54 days."""
    settings = three()
    simulations = assembly.build(settings)
    for simulation in simulations:
        simulation.advance_to(HORIZON_SECONDS)
    scenarios = tuple(
        ScenarioView(simulation.snapshot(), in_force(scenario, settings.clock_start_timestamp))
        for simulation, scenario in zip(simulations, settings.scenarios, strict=True)
    )
    daemon = DaemonView(
        version="bench",
        python="bench",
        core="bench",
        speedup=settings.clock.speedup,
        lag_wall_seconds=0.01,
        scrape_wall_seconds=0.01,
        last_advance_timestamp=settings.clock_start_timestamp,
    )
    return View(scenarios, daemon)


def _pieces(text: str) -> list[tuple[str, float | None]]:
    """Every line as what stands before its value, and the value; None for comments."""
    pieces: list[tuple[str, float | None]] = []
    for line in text.splitlines():
        if line.startswith("#"):
            pieces.append((line, None))
        else:
            name, _, value = line.rpartition(" ")
            pieces.append((name, float(value)))
    return pieces


def _format(pieces: list[tuple[str, float | None]]) -> bytes:
    return "".join(
        [f"{name}\n" if value is None else f"{name} {value!r}\n" for name, value in pieces]
    ).encode()


def _check_same_samples(expected: str, actual: str) -> None:
    """Errors: ``ValueError`` when the two pages differ in more than how a number is written."""
    if list(text_string_to_metric_families(expected)) != list(text_string_to_metric_families(actual)):
        message = "the pages that are compared do not have the same samples"
        raise ValueError(message)
