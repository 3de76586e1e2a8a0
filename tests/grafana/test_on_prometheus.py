"""End to end: every query of every dashboard, on a real Prometheus that scrapes the real daemon.

The daemon plays the default settings at the default speed, as people meet it; the queries are asked as
Grafana asks them, for three instants, the first 30 s after the start.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import PATIENCE_WALL_SECONDS, reading_the_log, serving
from tests.grafana.asking import answer
from tests.grafana.each import DASHBOARDS, EXPRESSIONS, PANELS, each_expression, variable
from tests.grafana.expressions import (
    Expression,
    Values,
    annotation_expressions,
    substituted,
    variable_expressions,
)
from tests.prometheus import Prometheus, scraping, until

# One minute of scrapes serves all tests of this file, and other files measure the same machine.
pytestmark = pytest.mark.xdist_group("prometheus")

DEFAULT = Path(__file__).parent.parent.parent / "config" / "default.toml"
SCENARIOS = {"default", "naive"}
WALL_SECONDS_AFTER_THE_START = (30, 45, 60)

MAY_BE_EMPTY = {
    "goodputd-fleet": "Worst nodes",  # until a node fails twice
    "goodputd-incidents": "Restart against evict",  # its ratio, until a recovery has held for a day
}
"""At most one panel of a dashboard, and never in its first row."""

MARKED = {
    "Evictions": 'sum(goodputd_decisions_total{scenario="default", action="evict"})',
    "Interruptions": 'sum(goodputd_interruptions_total{scenario="default"})',
}
"""What the marks of an annotation stand for."""

each_instant = pytest.mark.parametrize("after", WALL_SECONDS_AFTER_THE_START)


@dataclass
class Watched:
    """A Prometheus that has scraped the daemon for as long as the tests look back."""

    prometheus: Prometheus
    first_scrape_at: float
    instance: str

    def series(self, expression: Expression, after: int, values: Values) -> list[dict[str, Any]]:
        """What a panel gets, so many wall seconds after the first scrape."""
        return answer(self.prometheus, expression, self.first_scrape_at + after, values)


def numbers(series: list[dict[str, Any]]) -> list[float]:
    """Every value of an answer."""
    return [float(value) for each in series for _, value in each.get("values") or [each["value"]]]


@pytest.fixture(scope="session")
def watched(prometheus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A minute of scrapes, one a second."""
    with serving(DEFAULT) as daemon, reading_the_log(daemon):
        host, port = daemon.address
        folder = tmp_path_factory.mktemp("grafana")
        with scraping(prometheus, f"{host}:{port}", folder) as server:
            longest = max(WALL_SECONDS_AFTER_THE_START)
            until(
                lambda: sum(server.vector("count_over_time(up[10m])").values()) > longest,
                patience_wall_seconds=longest + PATIENCE_WALL_SECONDS,
            )
            (scrapes,) = server.get("query", query="up[10m]")["result"]
            yield Watched(server, float(scrapes["values"][0][0]), f"{host}:{port}")


@each_expression
@each_instant
def test_a_query_has_numbers(watched: Watched, expression: Expression, after: int) -> None:
    """Prometheus answers without an error, with at least one series, and none of its values is NaN."""
    series = watched.series(expression, after, Values())
    may_be_empty = MAY_BE_EMPTY.get(expression.uid) == expression.panel and not expression.in_first_row

    assert series or may_be_empty
    assert [] == [value for value in numbers(series) if not math.isfinite(value)]


@each_expression
def test_a_query_has_numbers_for_one_target_alone(watched: Watched, expression: Expression) -> None:
    """The same with one job and instance chosen instead of all."""
    values = Values(job="goodputd", instance=watched.instance, scenario="default")

    series = watched.series(expression, WALL_SECONDS_AFTER_THE_START[-1], values)

    assert series or MAY_BE_EMPTY.get(expression.uid) == expression.panel


@pytest.mark.parametrize(
    "expression",
    [each for each in EXPRESSIONS if each.in_first_row and each.legend == "{{scenario}}"],
    ids=str,
)
@each_instant
def test_the_first_row_has_a_number_for_each_scenario(
    watched: Watched, expression: Expression, after: int
) -> None:
    """Scenarios can be compared from the beginning, in every figure of the first row."""
    series = watched.series(expression, after, Values())

    assert SCENARIOS == {each["metric"]["scenario"] for each in series}


@pytest.mark.parametrize("uid", MAY_BE_EMPTY)
def test_what_may_be_empty_exists(uid: str) -> None:
    """The list names panels that there are."""
    assert MAY_BE_EMPTY[uid] in {panel["title"] for shown, panel in PANELS if shown == uid}


@pytest.mark.parametrize(
    ("uid", "name", "query"), [each for each in variable_expressions() if each[1] in {"day", "window"}]
)
def test_a_day_follows_the_speedup(watched: Watched, uid: str, name: str, query: str) -> None:
    """Read as Grafana reads an answer, the hidden variables are a day and three, in wall seconds."""
    (dashboard,) = (each for each in DASHBOARDS if each["uid"] == uid)
    scraped_each_second = substituted(query, Values(interval_wall_seconds=1))

    (answer,) = watched.prometheus.get("query", query=scraped_each_second)["result"]

    at, value = answer["value"]
    found = re.search(variable(dashboard, name)["regex"].strip("/"), f"{{}} {value} {at * 1000:.0f}")
    assert found
    assert {"day": "60", "window": "180"}[name] == found[1]


@pytest.mark.parametrize(("scrape_wall_seconds", "length"), [(1, 60), (15, 60), (30, 120)])
def test_a_day_is_at_least_four_scrapes(watched: Watched, scrape_wall_seconds: int, length: int) -> None:
    """With a data source that is scraped seldom, windows are longer than a day."""
    (query,) = {query for _, name, query in variable_expressions() if name == "day"}
    values = Values(interval_wall_seconds=scrape_wall_seconds)

    (answer,) = watched.prometheus.get("query", query=substituted(query, values))["result"]

    assert float(length) == float(answer["value"][1])


def test_without_a_daemon_a_day_is_a_minute(watched: Watched) -> None:
    """Before the first scrape, and with no such job, the queries of panels are still well-formed."""
    (query,) = {query for _, name, query in variable_expressions() if name == "day"}

    (answer,) = watched.prometheus.get("query", query=substituted(query, Values(job="nobody")))["result"]

    assert float(answer["value"][1]) == 60.0


@pytest.mark.parametrize(("uid", "name", "text"), annotation_expressions())
def test_an_annotation_marks_each_event_once(watched: Watched, uid: str, name: str, text: str) -> None:
    """Over the whole run the marks add up to what was counted in the scenario that raises alerts."""
    end = watched.first_scrape_at + WALL_SECONDS_AFTER_THE_START[-1]
    query = substituted(text, Values(interval_wall_seconds=1))
    window = {"start": f"{watched.first_scrape_at:.3f}", "end": f"{end:.3f}", "step": "1"}

    marks = numbers(watched.prometheus.get("query_range", query=query, **window)["result"])

    counted = watched.prometheus.vector(MARKED[name], end)
    before = watched.prometheus.vector(MARKED[name], watched.first_scrape_at)
    assert sum(marks) == sum(counted.values()) - sum(before.values()), uid


def test_the_table_of_incidents_numbers_them(watched: Watched) -> None:
    """Its rows have the numbers that incidents have in the log: for each scenario 1, 2, 3 and so on."""
    (expression,) = (each for each in EXPRESSIONS if each.panel == "Incidents" and each.ref_id == "A")
    series = watched.series(expression, WALL_SECONDS_AFTER_THE_START[-1], Values())
    shown = {int(value) for each in series for _, value in each["values"] if _scenario(each) == "default"}

    newest = watched.prometheus.vector(
        'sum(goodputd_interruptions_total{scenario="default"})',
        watched.first_scrape_at + WALL_SECONDS_AFTER_THE_START[-1],
    )
    assert max(shown) == max(newest.values())
    assert min(shown) >= 1


def _scenario(series: dict[str, Any]) -> str:
    return str(series["metric"]["scenario"])


def test_every_dashboard_is_asked() -> None:
    """No dashboard is without queries."""
    assert {each["uid"] for each in DASHBOARDS} == {each.uid for each in EXPRESSIONS}
