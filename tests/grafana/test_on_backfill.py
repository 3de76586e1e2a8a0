"""The dashboards over a backfill: simulated history in true time, where a day is a day.

Six days of the default settings, imported by the real promtool and shown by the real Prometheus. The
dashboard of the daemon is left out: a backfill has none.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goodputd.settings.model import start_timestamp
from tests.grafana.asking import answer
from tests.grafana.each import DASHBOARDS, EXPRESSIONS, variable
from tests.grafana.expressions import Expression, Values, substituted
from tests.prometheus import Prometheus
from tests.studies.storage import imported, showing

pytestmark = pytest.mark.xdist_group("backfill")

DEFAULT = Path(__file__).parent.parent.parent / "config" / "default.toml"
DAY = 86400
DAYS = 6
BEGAN = "2026-03-01T00:00:00Z"
END = start_timestamp(BEGAN) + DAYS * DAY
SHOWN = Values(day_wall_seconds=DAY, range_wall_seconds=DAYS * DAY)
CHOICES = {"job": ["goodputd"], "instance": ["backfill"], "scenario": ["default", "naive"]}


@pytest.fixture(scope="module")
def backfilled(
    prometheus: Path, promtool: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Prometheus]:
    """A Prometheus that shows the six days."""
    folder = tmp_path_factory.mktemp("backfill")
    command = [sys.executable, "-m", "goodputd", "backfill", "--config", str(DEFAULT), "--start", BEGAN]
    done = subprocess.run(
        [*command, "--for", f"{DAYS}d"], cwd=folder, check=True, capture_output=True, text=True
    )
    with showing(prometheus, imported(promtool, done.stdout, folder)) as server:
        yield server


@pytest.mark.parametrize(
    "expression", [each for each in EXPRESSIONS if each.uid != "goodputd-daemon"], ids=str
)
def test_a_query_has_series(backfilled: Prometheus, expression: Expression) -> None:
    """With the period of the backfill chosen as the time shown, no panel is empty."""
    assert answer(backfilled, expression, END, SHOWN)


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda each: each["uid"])
def test_there_is_something_to_choose(backfilled: Prometheus, dashboard: dict[str, Any], name: str) -> None:
    """Job, instance and scenario are found as in scrapes."""
    query = substituted(variable(dashboard, name)["query"], SHOWN)
    found = re.fullmatch(r"label_values\((.+), (\w+)\)", query)
    assert found

    labels = backfilled.get(f"label/{found[2]}/values", **{"match[]": found[1]})

    assert CHOICES[name] == labels


@pytest.mark.parametrize(("name", "days"), [("day", 1), ("window", 3)])
def test_a_day_is_a_day(backfilled: Prometheus, name: str, days: int) -> None:
    """The hidden variables are true days, because a backfill says that its speedup is 1."""
    query = variable(DASHBOARDS[0], name)["query"].removeprefix("query_result(").removesuffix(")")
    scraped_each_second = substituted(query, Values(interval_wall_seconds=1))

    (seconds,) = backfilled.vector(scraped_each_second, END).values()

    assert float(days * DAY) == seconds
