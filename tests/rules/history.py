"""Sixty simulated days in a real Prometheus within seconds, as if a daemon had been scraped for an hour.

The settings are played in this process, a snapshot is taken wherever a scrape would have been, and
`promtool` makes blocks of them. Knows no alert.
"""

import contextlib
import re
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from goodputd.assembly import build
from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.family import MetricSpec, MetricType
from goodputd.metrics.view import InForce, ScenarioView, View
from goodputd.settings import Scenario, load
from goodputd.sim.snapshot import Snapshot
from goodputd.studies.spool import Spool
from tests import snapshots
from tests.prometheus import Curve, Prometheus, Series, series, until

SPEEDUP: Final = 1440.0
STARTED_AT: Final = 1_767_225_600
"""Unix seconds of the start of the daemon; scrapes follow every second."""
SECONDS_PER_DAY: Final = 86400.0

_LABELS: Final = {"job": "goodputd", "instance": "trainer:9642"}
_UP: Final = MetricSpec("up", MetricType.GAUGE, "What a scrape adds.", (), lambda _: [((), 1.0)])
_LISTENING: Final = re.compile(r'msg="Listening on" address=(\S+)')


@dataclass(slots=True)
class History:
    """What is in the server, and the truth at the instants that were asked for."""

    prometheus: Prometheus
    scrapes: int
    truth: dict[int, Snapshot]
    """Snapshots of the scenario that is alerting, by the number of the scrape."""

    @property
    def ended_at(self) -> int:
        """Unix seconds of the last scrape."""
        return STARTED_AT + self.scrapes

    def curves(self, expression: str) -> dict[Series, Curve]:
        """The values of an expression at every scrape."""
        answer = self.prometheus.get(
            "query_range",
            query=expression,
            start=str(STARTED_AT + 1),
            end=str(self.ended_at),
            step="1",
        )
        return {
            series("", dict(each["metric"])): [(float(at), float(value)) for at, value in each["values"]]
            for each in answer["result"]
        }


@contextlib.contextmanager
def played(
    config: Path,
    days: int,
    *,
    names: Collection[str],
    truth_at: Collection[int] = (),
    commands: tuple[Path, Path],
    folder: Path,
) -> Iterator[History]:
    """A Prometheus that holds the families of ``names``; ``commands`` are promtool and prometheus."""
    promtool, prometheus = commands
    scrapes = round(days * SECONDS_PER_DAY / SPEEDUP)
    specs = [spec for spec in CATALOG if any(name.startswith(spec.name) for name in names)]
    truth: dict[int, Snapshot] = {}
    text = folder / "history.om"
    settings = load(config, environ={})
    simulations = build(settings)
    effect = [_in_force(scenario) for scenario in settings.scenarios]
    with tempfile.TemporaryFile() as file, text.open("wb") as out:
        spool = Spool([_UP, *specs], _LABELS, file)
        for scrape in range(1, scrapes + 1):
            for simulation in simulations:
                simulation.advance_to(scrape * SPEEDUP)
            shown = [simulation.snapshot() for simulation in simulations]
            spool.record(View(tuple(map(ScenarioView, shown, effect)), snapshots.daemon()))
            if scrape in truth_at:
                (truth[scrape],) = (
                    each for each, settings_of in zip(shown, effect, strict=True) if settings_of.alerting
                )
        spool.write(out, range(STARTED_AT + 1, STARTED_AT + scrapes + 1), lambda _: None)
    data = folder / "data"
    subprocess.run(
        [promtool, "tsdb", "create-blocks-from", "openmetrics", text, data], check=True, capture_output=True
    )
    with _serving(prometheus, data, folder) as server:
        yield History(server, scrapes, truth)


def _in_force(scenario: Scenario) -> InForce:
    return snapshots.in_force(
        target_goodput_ratio=scenario.targets.goodput,
        target_mttr_seconds=scenario.targets.mttr_seconds,
        alerting=scenario.alerting,
    )


@contextlib.contextmanager
def _serving(command: Path, data: Path, folder: Path) -> Iterator[Prometheus]:
    """A server that scrapes nothing and keeps what it has, however old."""
    config, log = folder / "prometheus.yml", folder / "prometheus.log"
    config.write_text("global: {}\n", encoding="utf-8")
    arguments: list[str | Path] = [
        command,
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        "--storage.tsdb.retention.time=100y",
        "--web.listen-address=127.0.0.1:0",
    ]
    with log.open("wb") as stderr, subprocess.Popen(arguments, stderr=stderr) as process:

        def address() -> str | None:
            assert process.poll() is None, log.read_text(encoding="utf-8")
            found = _LISTENING.search(log.read_text(encoding="utf-8"))
            return found[1] if found else None

        try:
            until(lambda: address() is not None)
            url = f"http://{address()}"
            with httpx.Client(base_url=url, trust_env=False, timeout=60.0) as client:
                until(lambda: client.get("/-/ready").is_success)
                yield Prometheus(client)
        finally:
            process.terminate()
