"""Conventions of our own for dashboards: what accelerated time, the catalog and readers ask for.

They look at the committed JSON and know nothing of how it was built.
"""

import re
from collections import Counter
from enum import StrEnum
from itertools import combinations
from typing import Any

import pytest

from goodputd.metrics.family import PREFIX
from goodputd.sim import taxonomy
from tests.grafana.each import (
    AS_CHOSEN,
    DASHBOARDS,
    PANELS,
    data_links,
    each_dashboard,
    each_expression,
    each_panel,
    variable,
)
from tests.grafana.expressions import (
    Expression,
    Values,
    annotation_expressions,
    panels,
    substituted,
)
from tests.grafana.promql import added_labels, family, kept_labels, labels_of, selected

VALUES = Values()
NAMED_BY_COLUMNS = {"table", "barchart", "xychart"}
"""Kinds of panel that show labels as columns; their queries need no legend of their own."""
NOT_OURS = re.compile(r"up|ALERTS|scrape_\w+|process_\w+|python_\w+")
BUILT_IN = {"__range", "__interval", "__interval_ms", "__rate_interval", "__data"}
VARIABLE = re.compile(r"\$\{?([a-z_]\w*)")
WORDS = {taxonomy.IDLE_CAPACITY}.union(
    *(each for each in vars(taxonomy).values() if isinstance(each, type) and issubclass(each, StrEnum))
)
"""Every value that a label with a closed set can have."""


# --- what accelerated time and the catalog ask for


@each_expression
def test_nothing_simulated_is_rated_against_wall_time(expression: Expression) -> None:
    """No rate of a simulated quantity, and no derivative or prediction: they divide by wall seconds."""
    divided = {
        each.name
        for each in selected(substituted(expression.text, VALUES))
        if each.name.startswith(PREFIX)
        and each.function in {"rate", "irate", "deriv", "predict_linear", "idelta"}
    }

    assert set() == divided


@each_expression
def test_everything_selected_is_in_the_catalog(expression: Expression) -> None:
    """A query asks for metrics of the catalog, or of the scrape and the process."""
    unknown = [
        each.name
        for each in selected(substituted(expression.text, VALUES))
        if not family(each.name) and not NOT_OURS.fullmatch(each.name)
    ]

    assert [] == unknown


@each_expression
def test_every_label_is_in_the_catalog(expression: Expression) -> None:
    """A query matches, keeps and joins by labels that its metrics have."""
    text = substituted(expression.text, VALUES)
    wrong = {
        f"{each.name}{{{label}}}"
        for each in selected(text)
        for label, _ in each.matchers
        if label not in labels_of(each.name)
    }
    known = added_labels(text).union(*(labels_of(each.name) for each in selected(text)))

    assert (set(), set()) == (wrong, kept_labels(text) - known)


@each_expression
def test_matched_values_exist(expression: Expression) -> None:
    """A value that a query matches literally is one of the vocabulary; else it would be empty for ever."""
    asked = {
        value
        for each in selected(substituted(expression.text, AS_CHOSEN))
        for label, pattern in each.matchers
        if label not in {"job", "instance", "scenario"}
        for value in pattern.split("|")
        if not value.startswith("$")
    }

    assert set() == asked - WORDS


@each_panel
def test_series_have_names(panel: dict[str, Any]) -> None:
    """A legend names its series by labels or words, never as Prometheus writes them; two queries differ."""
    legends = [target["legendFormat"] for target in panel["targets"]]
    kept = [set(re.findall(r"{{(\w+)}}", legend)) for legend in legends]
    texts = [substituted(target["expr"], AS_CHOSEN) for target in panel["targets"]]

    assert all(legends)
    assert "__auto" not in legends
    named = Counter(zip(legends, map(_pinned, texts, kept), strict=True))
    assert panel["type"] in NAMED_BY_COLUMNS or set(named.values()) == {1}
    for text, labels in zip(texts, kept, strict=True):
        names = added_labels(text).union(*(labels_of(each.name) for each in selected(text)))
        assert labels <= names


def _pinned(text: str, labels: set[str]) -> frozenset[tuple[str, str]]:
    """What a query pins these labels to: two with the same legend are told apart by it."""
    return frozenset(
        (label, value) for each in selected(text) for label, value in each.matchers if label in labels
    )


@each_dashboard
def test_every_variable_of_a_query_exists(dashboard: dict[str, Any]) -> None:
    """A query, title, link or time of a panel uses variables that the dashboard has or Grafana gives."""
    known = {each["name"] for each in dashboard["templating"]["list"]} | BUILT_IN
    texts = [
        text
        for _, _, panel in panels(dashboard)
        for text in [
            panel["title"],
            panel.get("timeFrom", ""),
            panel.get("repeat", ""),
            *(target["expr"] for target in panel["targets"]),
            *(link["url"] for link in data_links(panel)),
        ]
    ]

    assert set() == {name for text in texts for name in VARIABLE.findall(text)} - known


@each_dashboard
def test_every_shown_variable_is_used(dashboard: dict[str, Any]) -> None:
    """Whatever a reader can choose changes something."""
    asked = " ".join(target["expr"] for _, _, panel in panels(dashboard) for target in panel["targets"])
    offered = {each["name"] for each in dashboard["templating"]["list"] if not each.get("hide")}

    assert {"datasource"} == offered - set(VARIABLE.findall(asked))


@pytest.mark.parametrize(("uid", "name", "text"), annotation_expressions())
def test_annotations_obey_the_same_rules(uid: str, name: str, text: str) -> None:
    """The query of an annotation parses, stays in the catalog and takes no rate."""
    found = selected(substituted(text, VALUES))

    assert found, f"{uid}: {name}"
    assert [] == [each.name for each in found if not family(each.name) or each.function == "rate"]


def test_few_marks_are_shown_at_first() -> None:
    """The dashboard on goodput marks evictions; interruptions, many times more, wait to be switched on."""
    shown = {
        (dashboard["uid"], marks["name"]): marks["enable"]
        for dashboard in DASHBOARDS
        for marks in dashboard.get("annotations", {}).get("list", [])
    }

    assert {
        ("goodputd-goodput", "Evictions"): True,
        ("goodputd-goodput", "Interruptions"): False,
    } == shown


# --- identity, place and looks


def test_uids_are_unique_and_stable() -> None:
    """The uid of a dashboard is in links and bookmarks."""
    uids = [dashboard["uid"] for dashboard in DASHBOARDS]

    names = ["daemon", "fleet", "goodput", "incidents", "tuning"]
    assert [f"goodputd-{name}" for name in names] == uids


@each_dashboard
def test_ids_and_titles_of_panels_are_unique(dashboard: dict[str, Any]) -> None:
    """A panel can be linked to and talked about."""
    ids = Counter(panel["id"] for panel in dashboard["panels"])
    titles = Counter(panel["title"] for panel in dashboard["panels"])

    assert [] == [key for key, count in [*ids.items(), *titles.items()] if count > 1]


@each_dashboard
def test_panels_do_not_overlap(dashboard: dict[str, Any]) -> None:
    """Panels lie side by side within the width of the grid."""
    places = [panel["gridPos"] for panel in dashboard["panels"]]

    assert [] == [(one, two) for one, two in combinations(places, 2) if _overlap(one, two)]
    assert [] == [each for each in places if each["x"] + each["w"] > 24]


@each_dashboard
def test_rows_are_full(dashboard: dict[str, Any]) -> None:
    """Panels that begin at the same height fill the width and end at the same height: no holes."""
    tops = {panel["gridPos"]["y"] for panel in dashboard["panels"]}
    lines = [[p["gridPos"] for p in dashboard["panels"] if p["gridPos"]["y"] == top] for top in sorted(tops)]

    assert [24] * len(lines) == [sum(place["w"] for place in line) for line in lines]
    assert [1] * len(lines) == [len({place["h"] for place in line}) for line in lines]


def _overlap(one: dict[str, int], two: dict[str, int]) -> bool:
    beside = one["x"] + one["w"] <= two["x"] or two["x"] + two["w"] <= one["x"]
    apart = one["y"] + one["h"] <= two["y"] or two["y"] + two["h"] <= one["y"]
    return not (beside or apart)


@each_dashboard
def test_it_opens_on_the_last_quarter_of_an_hour(dashboard: dict[str, Any]) -> None:
    """Fifteen minutes, that is days at the default speed, anew every 5 s, and a tag to be found by."""
    opened = (dashboard["time"], dashboard["refresh"], dashboard["tags"])

    assert ({"from": "now-15m", "to": "now"}, "5s", ["goodputd"]) == opened


@each_dashboard
def test_links_lead_to_the_other_dashboards(dashboard: dict[str, Any]) -> None:
    """There is a link to each other dashboard, which keeps the time shown and what was chosen."""
    kept = {link["url"]: (link["keepTime"], link["includeVars"]) for link in dashboard["links"]}
    others = {f"/d/{each['uid']}" for each in DASHBOARDS if each["uid"] != dashboard["uid"]}

    assert dict.fromkeys(others, (True, True)) == {
        url: how for url, how in kept.items() if url.startswith("/d/")
    }


@each_dashboard
def test_links_lead_to_the_status_page(dashboard: dict[str, Any]) -> None:
    """Its address is a variable, for those who serve it elsewhere."""
    assert "${goodputd_url}/" in {link["url"] for link in dashboard["links"]}
    assert "http://localhost:9642" == variable(dashboard, "goodputd_url")["query"]


def test_an_incident_leads_to_its_post_mortem() -> None:
    """The numbers in the table of incidents are links to the page of that incident."""
    (table,) = (panel for _, panel in PANELS if panel["title"] == "Incidents")

    (link,) = data_links(table)

    assert (
        "${goodputd_url}/incidents/${__data.fields.Scenario}/${__data.fields.Number.numeric}" == link["url"]
    )


@each_panel
def test_thresholds_rise(panel: dict[str, Any]) -> None:
    """The first step of thresholds has no value, and the others rise from there."""
    steps = panel["fieldConfig"]["defaults"].get("thresholds", {"steps": []})["steps"]
    values = [step["value"] for step in steps]

    assert values[:1] in ([], [None])
    assert sorted(values[1:]) == values[1:]


@each_panel
def test_a_missing_bar_is_no_text(panel: dict[str, Any]) -> None:
    """Where a row has no piece there is no value, instead of an empty text that is added up as one."""
    empty = {
        each["options"].get("emptyValue")
        for each in panel.get("transformations", [])
        if each["id"] == "groupingToMatrix"
    }

    assert ({"null"} if panel["type"] == "barchart" else set()) == empty


@each_panel
def test_a_number_is_the_newest(panel: dict[str, Any]) -> None:
    """Stats and gauges reduce their series to the last value that there is."""
    reduced = panel["options"].get("reduceOptions")

    assert reduced is None or ["lastNotNull"] == reduced["calcs"]
    assert (panel["type"] in {"stat", "bargauge"}) == (reduced is not None)
