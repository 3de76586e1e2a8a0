"""XY charts: what Grafana takes their points from is there, and in the form of this Grafana."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.grafana.each import PANELS

COMPOSE = Path(__file__).parent.parent.parent / "compose.yaml"
CHARTS = [panel for _, panel in PANELS if panel["type"] == "xychart"]

each_chart = pytest.mark.parametrize("panel", CHARTS, ids=lambda panel: panel["title"])


def columns(panel: dict[str, Any]) -> dict[str, str]:
    """The name of a column by that of the field of its query."""
    (organized,) = (each for each in panel["transformations"] if each["id"] == "organize")
    return dict(organized["options"]["renameByName"])


@each_chart
def test_its_version_is_that_of_grafana(panel: dict[str, Any]) -> None:
    """Without a version Grafana takes the options for those of before 11.1 and draws nothing."""
    image: str = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]["grafana"]["image"]

    assert image.rpartition(":")[2] == panel["pluginVersion"]


@each_chart
def test_every_query_is_a_column(panel: dict[str, Any]) -> None:
    """Queries become one table with a row for each scenario: several, so that their fields have letters."""
    asked = {f"Value #{target['refId']}" for target in panel["targets"]}

    assert len(asked) > 1
    assert {"scenario", *asked} == columns(panel).keys()
    assert ["merge", "organize", "sortBy"] == [each["id"] for each in panel["transformations"]]


@each_chart
def test_every_column_is_drawn(panel: dict[str, Any]) -> None:
    """Series take their x and y from columns that there are, and leave none aside."""
    drawn = {
        series[axis]["matcher"]["options"] for series in panel["options"]["series"] for axis in ("x", "y")
    }

    assert set(columns(panel).values()) - {"Scenario"} == drawn


@each_chart
def test_every_series_has_a_colour_of_its_own(panel: dict[str, Any]) -> None:
    """Grafana gives the points of a series no colour by their name."""
    fixed = {
        rule["matcher"]["options"]: each["value"]["fixedColor"]
        for rule in panel["fieldConfig"]["overrides"]
        for each in rule["properties"]
        if each["id"] == "color" and each["value"]["mode"] == "fixed"
    }
    drawn = [series["y"]["matcher"]["options"] for series in panel["options"]["series"]]

    assert sorted(fixed) == sorted(drawn)
    assert len(set(fixed.values())) == len(fixed)


@each_chart
def test_a_limit_is_of_one_axis(panel: dict[str, Any]) -> None:
    """A least value for all fields would be that of a logarithmic axis too, where 0 has no place."""
    assert set() == {"min", "max"} & panel["fieldConfig"]["defaults"].keys()


def test_there_are_charts() -> None:
    """Goodput against the interval, and recovery and false alarms against the heartbeat timeout, at least."""
    assert {
        "Goodput against the checkpoint interval",
        "Time to recovery against the heartbeat timeout",
        "False alarms against the heartbeat timeout",
    } <= {panel["title"] for panel in CHARTS}
