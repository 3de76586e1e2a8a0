"""End to end: a real Prometheus scrapes the real daemon at its default settings for a minute.

One run is shared by all tests. What Prometheus stored is held against the ledger, that is, against a
simulation that is played to the very instants of its scrapes, and against ``goodputd simulate``.
"""

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from prometheus_client.parser import text_string_to_metric_families

from goodputd.assembly import build
from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.collector import family
from goodputd.metrics.family import MetricSpec, MetricType
from goodputd.metrics.view import ScenarioView, View
from goodputd.service import in_force
from goodputd.settings import load
from goodputd.sim.snapshot import Snapshot
from tests import snapshots
from tests.daemon import PATIENCE_WALL_SECONDS, Daemon, reading_the_log, serving
from tests.headlines import HEADLINES, Window
from tests.page_summary import NOT_ON_THE_PAGE, PageSummary, flat
from tests.prometheus import Curve, Labels, Page, Prometheus, Series, differences, scraping, series, until

# The run takes a minute: all tests of this file belong on one worker.
pytestmark = pytest.mark.xdist_group("prometheus")

DEFAULT: Final = Path(__file__).parent.parent / "config" / "default.toml"
EVENTFUL: Final = Path(__file__).parent / "absent_families.toml"
EVENTFUL_SECONDS: Final = 2 * 86400.0
SCENARIOS: Final = ("naive", "default")
SCRAPES: Final = 61
"""So that the last minute has a sample at both ends."""

ABSENT_AFTER_A_MINUTE: Final = {
    'goodputd_mttd_seconds{symptom="slow"}': "a slow rank is detected; the llama3 catalog has none",
    'goodputd_mttd_seconds{symptom="corrupt"}': "corruption is detected; the llama3 catalog has none",
    'goodputd_recovery_success_ratio{action="evict"}': "24 simulated hours have passed since an eviction",
}
"""What has no sample yet, and the event that makes it appear: whole families by their name, and single
series of families that have others. No family is missing as a whole."""


@dataclass(slots=True)
class Run:
    """The minute: who played, who scraped, and what the page said right after it."""

    daemon: Daemon
    prometheus: Prometheus
    minute_ended_at: float
    """Unix seconds of the last scrape of the minute."""
    page: Page

    def elapsed_seconds(self, scenario: str) -> float:
        """Simulated seconds at which the page was made, to the last bit."""
        seconds = self.page.value("goodputd_elapsed_seconds_total", scenario=scenario)
        assert seconds
        return seconds

    def window(self, scenario: str, length: str) -> Window:
        """The ledger at the first and the last scrape of the last ``length``."""
        elapsed = self.elapsed(scenario, length)
        (_, first), (_, last) = elapsed[0], elapsed[-1]
        return Window(played(scenario, first), played(scenario, last), len(elapsed))

    def elapsed(self, scenario: str, length: str) -> Curve:
        """When each scrape of the last ``length`` was, and how far simulated time had come."""
        selector = f'goodputd_elapsed_seconds_total{{scenario="{scenario}"}}[{length}]'
        (elapsed,) = self.prometheus.matrix(selector, self.minute_ended_at).values()
        return elapsed


def played(scenario: str, seconds: float) -> Snapshot:
    """The scenario of the default settings after so many simulated seconds."""
    (simulation,) = (each for each in build(load(DEFAULT, environ={})) if each.name == scenario)
    simulation.advance_to(seconds)
    return simulation.snapshot()


def view_of(*shown: Snapshot) -> View:
    """What the daemon publishes of them; the figures of the daemon itself are made up."""
    settings = load(DEFAULT, environ={})
    effect = {each.name: in_force(each, settings.clock_start_timestamp) for each in settings.scenarios}
    return View(tuple(ScenarioView(each, effect[each.scenario]) for each in shown), snapshots.daemon())


@pytest.fixture(scope="session")
def run(prometheus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A minute of scrapes at the default settings; both processes go on until the last test."""
    with serving(DEFAULT) as daemon, reading_the_log(daemon):
        host, port = daemon.address
        with scraping(prometheus, f"{host}:{port}", tmp_path_factory.mktemp("prometheus")) as server:
            until(
                lambda: sum(server.vector("count_over_time(up[10m])").values()) >= SCRAPES,
                patience_wall_seconds=SCRAPES + PATIENCE_WALL_SECONDS,
            )
            page = Page(daemon.url)
            (last,) = server.vector("timestamp(up)").values()
            yield Run(daemon, server, last, page)


@pytest.fixture(scope="session")
def said(run: Run) -> dict[str, dict[str, Any]]:
    """What ``goodputd simulate --json`` says of each scenario at the instant of the run's page."""
    seconds = repr(run.elapsed_seconds(SCENARIOS[0]))
    command = [sys.executable, "-m", "goodputd", "simulate", "-c", str(DEFAULT), "--for", seconds, "--json"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {each["name"]: each for each in json.loads(printed)["scenarios"]}


@pytest.fixture(scope="session")
def eventful_page() -> Page:
    """The page of the second scenario, which plays until all of its events have happened."""
    with serving(EVENTFUL) as daemon:
        until(
            lambda: (
                (Page(daemon.url).value("goodputd_elapsed_seconds_total", scenario="default") or 0.0)
                >= EVENTFUL_SECONDS
            )
        )
        return Page(daemon.url)


# --- the scrapes


def test_up_is_one_throughout(run: Run) -> None:
    """In the minute there is a scrape a second, and none of them failed, nor any before."""
    at = run.minute_ended_at
    (lowest,) = run.prometheus.vector("min_over_time(up[10m])", at).values()
    (scrapes,) = run.prometheus.vector("count_over_time(up[60s])", at).values()

    assert 1.0 == lowest
    assert 60.0 == pytest.approx(scrapes, abs=1.0)


def test_the_target_is_healthy(run: Run) -> None:
    """Prometheus has one target, it is up and the last scrape had no error."""
    targets = run.prometheus.get("targets")["activeTargets"]

    assert [("up", "")] == [(target["health"], target["lastError"]) for target in targets]


def test_promtool_has_nothing_to_say(run: Run, promtool: Path) -> None:
    """``promtool check metrics`` on the plain text page exits 0 and prints nothing."""
    checked = subprocess.run(
        [promtool, "check", "metrics"], input=run.page.text, capture_output=True, text=True, check=False
    )

    assert (0, "", "") == (checked.returncode, checked.stdout, checked.stderr)


def test_the_scrapes_are_openmetrics(run: Run) -> None:
    """Prometheus asked for OpenMetrics and got it: only there a counter's family drops ``_total``."""
    families = metadata(run)

    assert "counter" == families["goodputd_steps"]["type"]
    assert "goodputd_steps_total" not in families


def test_there_are_no_created_series(run: Run) -> None:
    """Nothing that Prometheus stored tells when a counter was created."""
    names = run.prometheus.get("label/__name__/values")

    assert [] == [name for name in names if name.endswith("_created")]


def test_everything_stored_has_a_type_and_a_help(run: Run) -> None:
    """Every series that came from the daemon belongs to a family with TYPE and HELP."""
    families = metadata(run)
    names = set(run.prometheus.get("label/__name__/values"))
    own = {name for name in names if name != "up" and not name.startswith("scrape_")}
    explained = {
        name + suffix
        for name, each in families.items()
        if each["help"] and each["type"] not in {"", "unknown"}
        for suffix in ("", "_total", "_bucket", "_sum", "_count", "_info")
    }

    assert set() == own - explained
    assert len(own) > len(CATALOG)


def test_everything_on_the_text_page_has_a_type_and_a_help(run: Run) -> None:
    """The same holds for the plain text format."""
    families = list(text_string_to_metric_families(run.page.text))

    assert [] == [each.name for each in families if each.type == "unknown" or not each.documentation]
    assert len(families) > len(CATALOG)


def metadata(run: Run) -> dict[str, dict[str, str]]:
    """Type and help of each family as the daemon's target told them."""
    return {each["metric"]: each for each in run.prometheus.get("targets/metadata")}


# --- what is absent


def test_few_series_are_absent_after_a_minute(run: Run) -> None:
    """At the end of the minute exactly the series of the list are missing, and it is short."""
    view = view_of(*(played(scenario, run.elapsed_seconds(scenario)) for scenario in SCENARIOS))
    absent = {name for spec in CATALOG for name in missing(run.page, spec, view)}

    assert set(ABSENT_AFTER_A_MINUTE) == absent
    assert len(ABSENT_AFTER_A_MINUTE) <= 5


@pytest.mark.parametrize("name", ABSENT_AFTER_A_MINUTE)
def test_its_event_makes_an_absent_series_appear(eventful_page: Page, name: str) -> None:
    """In a scenario in which the event happens, the series is on the page."""
    present = {spelled(*key) for key in eventful_page.samples}

    assert name in present, f"it should appear when {ABSENT_AFTER_A_MINUTE[name]}"


def missing(page: Page, spec: MetricSpec, view: View) -> set[str]:
    """What of a metric has no sample: its bare name, or those of its known series that have none."""
    name = spec.name + ("_count" if spec.type in {MetricType.HISTOGRAM, MetricType.SUMMARY} else "")
    if all(name != shown for shown, _ in page.samples):
        return {spec.name}
    if "scenario" not in spec.labels:
        return set()
    known = [
        series(name, dict(zip(spec.labels, values, strict=True)))
        for values, _ in spec.read(view)  # those without data included
    ]
    return {spelled(*each) for each in known if each not in page.samples}


def spelled(name: str, labels: Labels) -> str:
    """A series as people write it, without its scenario."""
    kept = [f'{key}="{value}"' for key, value in sorted(labels) if key != "scenario"]
    return f"{name}{{{','.join(kept)}}}" if kept else name


# --- what Prometheus stored is the ledger


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("end", [0, -1], ids=["first", "last"])
def test_a_scrape_is_the_ledger(run: Run, scenario: str, end: int) -> None:
    """Every series of a scenario, at the first and last scrape of the minute, is as simulated; none more."""
    at, seconds = run.elapsed(scenario, "1m")[end]
    stored = run.prometheus.vector(f'{{scenario="{scenario}"}}', at)

    assert {} == differences(simulated(played(scenario, seconds)), stored)


def simulated(snapshot: Snapshot) -> dict[Series, float]:
    """Every sample that should be exported of a scenario."""
    view = view_of(snapshot)
    return {
        series(sample.name, sample.labels): sample.value
        for spec in CATALOG
        if "scenario" in spec.labels
        for sample in family(spec, spec.read(view)).samples
    }


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_page_says_what_simulate_says(run: Run, said: dict[str, dict[str, Any]], scenario: str) -> None:
    """Every number of ``goodputd simulate --json`` at the instant of a page is the page's."""
    expected = {key: value for key, value in flat(said[scenario]).items() if key not in NOT_ON_THE_PAGE}
    # The page has it by layer and the object by symptom: added up in another order, the last bits may differ.
    expected["mttd_seconds"] = pytest.approx(expected["mttd_seconds"], rel=1e-12)

    assert {} == differences(expected, PageSummary(run.page, scenario, said[scenario]).all())


def test_the_simulated_clock_is_start_plus_elapsed(run: Run) -> None:
    """The simulated instant of a page is the start of the clock plus the seconds elapsed."""
    start = load(DEFAULT, environ={}).clock_start_timestamp
    shown = run.page.value("goodputd_simulated_timestamp_seconds", scenario="default")

    assert start + run.elapsed_seconds("default") == shown


# --- the headline expressions


@pytest.mark.parametrize("name", HEADLINES)
def test_a_headline_has_a_number_for_each_scenario(run: Run, name: str) -> None:
    """Prometheus evaluates it without an error, to finite numbers, for every scenario."""
    values = run.prometheus.vector(HEADLINES[name].expression, run.minute_ended_at)

    assert set(SCENARIOS) == {dict(labels)["scenario"] for _, labels in values}
    assert [] == [key for key, value in values.items() if not math.isfinite(value)]


WINDOWED = {
    spec.name: spec.help.partition("for a window w: ")[2].rstrip(".")
    for spec in CATALOG
    if "for a window w: " in spec.help
}
"""What HELP says to take instead of a number since start."""


@pytest.mark.parametrize("name", WINDOWED)
def test_what_help_says_of_a_window_is_promql_that_answers(run: Run, name: str) -> None:
    """Pasted as it stands, with a window for w, it has a number for each scenario."""
    values = run.prometheus.vector(WINDOWED[name].replace("[w]", "[1m]"), run.minute_ended_at)

    assert set(SCENARIOS) == {dict(labels)["scenario"] for _, labels in values}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", HEADLINES)
def test_a_headline_agrees_with_the_ledger(run: Run, name: str, scenario: str) -> None:
    """Its value is the ledger's between the first and last scrape of its window, to within the stretch."""
    headline = HEADLINES[name]
    window = run.window(scenario, headline.window)
    values = run.prometheus.vector(headline.expression, run.minute_ended_at)
    own = {
        dict(labels).get("layer", ""): value
        for (_, labels), value in values.items()
        if ("scenario", scenario) in labels
    }

    assert headline.by_ledger(window) == own
