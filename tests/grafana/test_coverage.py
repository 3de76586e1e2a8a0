"""Dashboards grow with the catalog: a new metric is shown somewhere, or left out for a reason."""

import pytest

from goodputd.metrics.catalog import CATALOG
from tests.grafana.expressions import Values, dashboard_expressions, dashboards, substituted
from tests.grafana.promql import family, selected

LEFT_OUT = {
    "goodputd_job_state": "a scrape steps over short states; the job's timeline is drawn from the ledger",
}
"""Metrics that are on no dashboard, and why."""

SHOWN = {
    spec.name
    for each in dashboard_expressions()
    for selector in selected(substituted(each.text, Values()))
    if (spec := family(selector.name))
}


@pytest.mark.parametrize("name", [spec.name for spec in CATALOG if spec.name not in LEFT_OUT])
def test_a_metric_is_on_a_dashboard(name: str) -> None:
    """Every metric of the catalog is in the query of a panel, unless it is on the list with its reason."""
    assert name in SHOWN


def test_what_is_left_out_exists() -> None:
    """The list names metrics of the catalog only."""
    assert set() == set(LEFT_OUT) - {spec.name for spec in CATALOG}


def test_what_is_left_out_is_on_no_dashboard() -> None:
    """A metric that got its panel has left the list."""
    assert set() == set(LEFT_OUT) & SHOWN


def test_there_are_five_dashboards() -> None:
    """One for each question people come with."""
    uids = {dashboard["uid"] for dashboard in dashboards()}

    names = {"goodput", "incidents", "fleet", "tuning", "daemon"}
    assert {f"goodputd-{name}" for name in names} == uids


@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda each: each["uid"])
def test_it_opens_with_one_number(dashboard: dict[str, object]) -> None:
    """The first panel of a dashboard is a number, not a chart to be read."""
    panels = dashboard["panels"]
    assert isinstance(panels, list)

    assert ["row", "stat"] == [panel["type"] for panel in panels[:2]]
