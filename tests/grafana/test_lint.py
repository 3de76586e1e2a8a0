"""The rules of Grafana's public dashboard linter, by their names, on the committed dashboards.

They are written anew because that linter is a Go program; rules of our own are in ``test_conventions``.
"""

from datetime import timedelta
from typing import Any

import pytest

from tests.grafana.each import AS_CHOSEN, each_dashboard, each_expression, each_panel, variable
from tests.grafana.expressions import Expression, Values, substituted, variable_expressions
from tests.grafana.promql import nodes, selected

RATE_INTERVAL = timedelta(seconds=11)
VALUES = Values(interval_wall_seconds=10, scrape_wall_seconds=1)
"""With these, $__rate_interval is a length that nothing else has."""

ON_AXES = {"timeseries", "barchart", "xychart"}
"""Kinds of panel whose numbers are ticks: fixed decimals would mark 0.25 as 0.3."""

IN_TIME_ORDER = {"Incidents"}
"""Tables whose rows are the points at which a counter is higher than one point before: there is no
window to take an increase over, each event is to be counted once."""


@each_dashboard
def test_template_datasource_rule(dashboard: dict[str, Any]) -> None:
    """The data source is a variable called datasource."""
    shown = variable(dashboard, "datasource")

    assert ("datasource", "prometheus", "Data source") == (shown["type"], shown["query"], shown["label"])


@each_dashboard
@pytest.mark.parametrize("name", ["job", "instance", "scenario"])
def test_template_job_and_instance_rules(dashboard: dict[str, Any], name: str) -> None:
    """Job and instance, and scenario like them, are labelled choices of several, with All as .+."""
    shown = variable(dashboard, name)

    expected = {
        "type": "query",
        "label": name.capitalize(),
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "multi": True,
        "includeAll": True,
        "allValue": ".+",
    }
    assert expected == {key: shown[key] for key in expected}


@each_dashboard
def test_template_on_time_change_reload_rule(dashboard: dict[str, Any]) -> None:
    """Variables that come from queries follow the time shown."""
    shown = [each for each in dashboard["templating"]["list"] if each["type"] == "query"]

    assert [2] * len(shown) == [each["refresh"] for each in shown]


@pytest.mark.parametrize(("uid", "name", "query"), variable_expressions())
def test_template_label_promql_rule(uid: str, name: str, query: str) -> None:
    """The query of a variable is PromQL."""
    assert nodes(substituted(query, VALUES)), f"{uid}: {name}"


@each_dashboard
def test_uneditable_dashboard(dashboard: dict[str, Any]) -> None:
    """A change belongs into the code, not into a browser."""
    assert dashboard["editable"] is False


@each_panel
def test_panel_datasource_rule(panel: dict[str, Any]) -> None:
    """A panel and each of its queries use the data source that was chosen."""
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    used = [panel["datasource"], *(target["datasource"] for target in panel["targets"])]

    assert [chosen] * len(used) == used


@each_panel
def test_panel_title_description_rule(panel: dict[str, Any]) -> None:
    """A panel has a title, and says in sentences what it shows."""
    assert panel["title"]
    assert panel["description"].endswith(".")


@each_panel
def test_panel_units_rule(panel: dict[str, Any]) -> None:
    """A panel says the unit of its numbers, and how many decimals make sense; ticks choose their own."""
    defaults = panel["fieldConfig"]["defaults"]
    decimals = defaults.get("decimals")

    assert defaults["unit"]
    assert (decimals in {None, 0}) if panel["type"] in ON_AXES else (0 <= decimals <= 3)


@each_panel
def test_panel_no_targets_rule(panel: dict[str, Any]) -> None:
    """A panel asks at least one query, and each has a letter of its own, from A on."""
    letters = [target["refId"] for target in panel["targets"]]

    assert letters == [chr(ord("A") + place) for place in range(max(1, len(letters)))]


@each_expression
def test_target_promql_rule(expression: Expression) -> None:
    """Every query is PromQL that type-checks."""
    assert nodes(substituted(expression.text, VALUES))


@each_expression
def test_target_rate_interval_rule(expression: Expression) -> None:
    """A rate is taken over $__rate_interval."""
    windows = {
        each.window
        for each in selected(substituted(expression.text, VALUES))
        if each.function in {"rate", "irate"}
    }

    assert windows <= {RATE_INTERVAL}


@each_expression
def test_target_job_and_instance_rules(expression: Expression) -> None:
    """Every selector stays within the chosen jobs and instances."""
    pinned = [
        each.name for each in selected(substituted(expression.text, AS_CHOSEN)) if not _chosen(each.matchers)
    ]

    assert [] == pinned


def _chosen(matchers: frozenset[tuple[str, str]]) -> bool:
    return {("job", "$job"), ("instance", "$instance")} <= matchers


@each_expression
def test_target_counter_agg_rule(expression: Expression) -> None:
    """A counter is shown by its increase; where every event is a row of its own, by the step it makes."""
    raw = {
        each.name
        for each in selected(substituted(expression.text, VALUES))
        if each.name.endswith("_total") and each.function not in {"rate", "irate", "increase"}
    }

    assert raw == set() or expression.panel in IN_TIME_ORDER
