"""The dashboards are what the code builds, and the code builds nothing that the catalog does not have."""

import json
from typing import Any

import pytest
from grafana_foundation_sdk.models.dashboard import Dashboard

from goodputd.metrics.catalog import CATALOG
from grafana import queries
from grafana.build import DASHBOARDS, FOLDER, text
from tests.grafana.expressions import Values, dashboard_expressions, dashboards, substituted
from tests.grafana.promql import family, selected

USED = sorted(
    {
        (each.uid, spec.name)
        for each in dashboard_expressions()
        for selector in selected(substituted(each.text, Values()))
        if (spec := family(selector.name))
    }
)
"""Dashboard and metric, for every metric that a panel asks for."""


@pytest.mark.parametrize("name", DASHBOARDS)
def test_the_committed_dashboard_is_the_built_one(name: str) -> None:
    """Building again gives the committed file, byte for byte; `make dashboards` writes it anew."""
    committed = (FOLDER / f"{name}.json").read_text(encoding="utf-8")

    assert committed == text(DASHBOARDS[name]())


def test_nothing_else_is_in_the_folder() -> None:
    """Every file in the folder of dashboards is built."""
    assert {f"{name}.json" for name in DASHBOARDS} == {path.name for path in FOLDER.iterdir()}


@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda each: each["uid"])
def test_a_dashboard_is_in_the_schema(dashboard: dict[str, Any]) -> None:
    """Read into the SDK's model and written again, nothing is lost: there is no key that it does not know."""
    again = json.loads(text(Dashboard.from_json(dashboard)))

    assert dashboard == again


@pytest.mark.parametrize(("uid", "metric"), USED)
def test_a_dashboard_cannot_be_built_without_a_metric_that_it_uses(
    monkeypatch: pytest.MonkeyPatch, uid: str, metric: str
) -> None:
    """With the metric deleted from the catalog its build fails and names it."""
    (build,) = (build for build in DASHBOARDS.values() if build().uid == uid)
    monkeypatch.delitem(queries.SPECS, metric)

    with pytest.raises(queries.NotInCatalogError, match=metric):
        build()


def test_the_builder_knows_the_whole_catalog() -> None:
    """What the expressions are checked against is the catalog."""
    assert {spec.name: spec for spec in CATALOG} == queries.SPECS


@pytest.mark.parametrize(
    "name",
    ["time_seconds", "goodputd_time_seconds_total", "recovery_seconds", "recovery_stage_seconds_bucket"],
)
def test_a_name_that_is_no_series_is_refused(name: str) -> None:
    """Half a name, a name with its prefix, a histogram without suffix, a summary's buckets."""
    with pytest.raises(queries.NotInCatalogError, match=name):
        queries.series(name)


def test_a_matcher_needs_a_label_of_its_metric() -> None:
    """A selector cannot match a label that the metric does not have."""
    with pytest.raises(queries.NotInCatalogError, match="goodputd_loss has no label bucket"):
        queries.series("loss", bucket="productive")


def test_a_sum_needs_labels_of_its_metric() -> None:
    """A sum cannot be taken by a label that the metric does not have."""
    with pytest.raises(queries.NotInCatalogError, match="goodputd_steps_total has no label bucket"):
        queries.increase("steps_total", queries.DAY, "bucket")


def test_only_a_target_has_series_beyond_the_catalog() -> None:
    """Whatever comes neither from the catalog nor from a scrape is refused."""
    with pytest.raises(queries.NotInCatalogError, match="node_load1"):
        queries.whole("node_load1")


def test_a_selector_stays_within_the_choice() -> None:
    """A selector matches the chosen jobs, instances and scenarios, and what was asked for."""
    expected = (
        'goodputd_time_seconds_total{job=~"$job", instance=~"$instance", scenario=~"$scenario",'
        ' bucket!="productive"}'
    )

    assert expected == queries.series("time_seconds_total", bucket="!=productive")


def test_a_metric_of_the_daemon_has_no_scenario() -> None:
    """Its selector does not ask for one."""
    assert 'goodputd_lag_wall_seconds{job=~"$job", instance=~"$instance"}' == queries.series(
        "lag_wall_seconds"
    )
