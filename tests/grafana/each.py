"""What the lint tests go through: every committed dashboard, panel and query, with readable ids."""

from typing import Any

import pytest

from tests.grafana.expressions import Values, dashboard_expressions, dashboards, panels

DASHBOARDS = dashboards()
PANELS = [(each["uid"], panel) for each in DASHBOARDS for _, _, panel in panels(each)]
EXPRESSIONS = dashboard_expressions()

AS_CHOSEN = Values(job="$job", instance="$instance", scenario="$scenario", layer="$layer")
"""Leaves in what a reader chooses, and replaces only what an expression could not be parsed with."""

each_dashboard = pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda each: each["uid"])
each_panel = pytest.mark.parametrize(
    "panel", [panel for _, panel in PANELS], ids=[f"{uid}-{panel['title']}" for uid, panel in PANELS]
)
each_expression = pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)


def variable(dashboard: dict[str, Any], name: str) -> dict[str, Any]:
    """One variable of a dashboard."""
    (found,) = (each for each in dashboard["templating"]["list"] if each["name"] == name)
    return dict(found)


def data_links(panel: dict[str, Any]) -> list[dict[str, Any]]:
    """The links in the cells of a panel."""
    return [
        link
        for rule in panel["fieldConfig"]["overrides"]
        for each in rule["properties"]
        if each["id"] == "links"
        for link in each["value"]
    ]
