"""The rules files as they are shipped: made by the command, sound, and about metrics that exist.

Conventions that people would check by hand are checked on the syntax trees. Evaluates nothing.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import promql_parser as promql
import pytest

from goodputd.assembly import build
from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.family import MetricSpec, MetricType
from goodputd.metrics.view import ScenarioView, View
from goodputd.rules.rendering import RUNBOOKS, render
from goodputd.settings import load
from tests import snapshots
from tests.rules.reading import (
    ACCELERATED,
    ALERTS,
    CONFIG,
    REALTIME,
    RECORDED,
    ROOT,
    RULES,
    SHIPPED,
    Rule,
    nodes,
    read,
)

RUNBOOK_PAGE: Final = ROOT / "grafana" / "README.md"
SIMULATED: Final = [alert for alert in ALERTS if alert.is_simulated]
OF_THE_TARGET: Final = {"job", "instance"}
BY_SCENARIO: Final = {*OF_THE_TARGET, "scenario"}
OF_PROMETHEUS: Final = "up"

every_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.name for rule in RULES])
every_alert = pytest.mark.parametrize("alert", ALERTS, ids=[alert.alert for alert in ALERTS])
every_simulated_alert = pytest.mark.parametrize("alert", SIMULATED, ids=[alert.alert for alert in SIMULATED])
every_file = pytest.mark.parametrize("path", SHIPPED, ids=[path.name for path in SHIPPED])


def sample_names(spec: MetricSpec) -> set[str]:
    """The names under which Prometheus stores a family."""
    suffixes = {MetricType.HISTOGRAM: ("_bucket", "_sum", "_count"), MetricType.SUMMARY: ("_sum", "_count")}
    return {spec.name + suffix for suffix in suffixes.get(spec.type, ("",))}


SPECS: Final = {name: spec for spec in CATALOG for name in sample_names(spec)}
COUNTERS: Final = {
    name for name, spec in SPECS.items() if name.endswith(("_total", "_sum", "_count", "_bucket"))
}


@pytest.fixture(scope="module")
def label_values() -> dict[str, set[tuple[str, str]]]:
    """(label, value) pairs that each family of the default settings has from the first scrape on."""
    settings = load(CONFIG.parent / "default.toml", environ={})
    scenarios = tuple(ScenarioView(each.snapshot(), snapshots.in_force()) for each in build(settings))
    view = View(scenarios, snapshots.daemon())
    return {
        spec.name: {pair for values, _ in spec.read(view) for pair in zip(spec.labels, values, strict=True)}
        for spec in CATALOG
    }


def selectors(rule: Rule) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every selector of series in a rule, with the nodes around it."""
    return (
        (node, around) for node, around in nodes(rule.parsed()) if isinstance(node, promql.VectorSelector)
    )


def calls(around: tuple[Any, ...]) -> set[str]:
    """The functions around a node."""
    return {node.func.name for node in around if isinstance(node, promql.Call)}


def matchers(selector: Any) -> list[Any]:  # noqa: ANN401 - a node
    """The conditions on labels."""
    return list(selector.matchers.matchers)


def labels_of(name: str) -> set[str]:
    """The labels of a stored or a recorded series."""
    if name == OF_PROMETHEUS:
        return OF_THE_TARGET
    if name in RECORDED:
        return {*BY_SCENARIO, *({"layer"} if name.startswith("scenario_layer:") else ())}
    return {*SPECS[name].labels, *OF_THE_TARGET, *({"le"} if name.endswith("_bucket") else ())}


# --- the files


@every_file
def test_a_shipped_file_is_what_the_command_makes(path: Path) -> None:
    """`goodputd rules` with the options of the file's first line gives the file."""
    speedup, scrape_interval = SHIPPED[path]

    assert render(speedup=speedup, scrape_interval_wall_seconds=scrape_interval) == path.read_text("utf-8")


@every_file
def test_promtool_finds_nothing(promtool: Path, path: Path) -> None:
    """`promtool check rules` accepts the file and has no lint finding."""
    checked = subprocess.run(
        [promtool, "check", "rules", "--lint-fatal", path], capture_output=True, text=True, check=False
    )

    assert (0, "") == (checked.returncode, checked.stderr)


def test_the_scrape_configuration_finds_the_rules(promtool: Path) -> None:
    """`promtool check config` accepts the configuration and reads the accelerated rules with it."""
    checked = subprocess.run(
        [promtool, "check", "config", CONFIG / "prometheus.yml"], capture_output=True, text=True, check=False
    )

    assert (0, "") == (checked.returncode, checked.stderr)
    assert f"{len(RULES)} rules found" in checked.stdout


def test_both_files_have_the_same_rules() -> None:
    """Series and alerts have the same names whatever the speedup, so that dashboards fit both."""
    first, second = ([rule.name for rule in read(path)] for path in SHIPPED)

    assert first == second


def test_no_name_is_recorded_twice() -> None:
    """Every rule has a name of its own."""
    assert len({rule.name for rule in RULES}) == len(RULES)


# --- every expression


@every_rule
def test_it_is_promql(rule: Rule) -> None:
    """The expression parses, and reads at least one series."""
    assert list(selectors(rule))


@every_rule
def test_it_reads_metrics_of_the_catalog(rule: Rule) -> None:
    """Every series is in the catalog or was recorded above; of Prometheus' own, only `up`."""
    above = {other.record for other in RULES[: RULES.index(rule)] if other.record}
    known = {*SPECS, *above, OF_PROMETHEUS}

    assert set() == {selector.name for selector, _ in selectors(rule)} - known


@every_rule
def test_its_labels_exist(rule: Rule) -> None:
    """A condition on a label, a grouping and a join name labels that the series have."""
    unknown = {
        (selector.name, matcher.name)
        for selector, _ in selectors(rule)
        for matcher in matchers(selector)
        if matcher.name not in labels_of(selector.name)
    }
    available = {label for selector, _ in selectors(rule) for label in labels_of(selector.name)}
    grouped = {
        label
        for node, _ in nodes(rule.parsed())
        for label in (
            node.modifier.labels
            if isinstance(node, promql.AggregateExpr) and node.modifier
            else node.modifier.matching.labels
            if isinstance(node, promql.BinaryExpr) and node.modifier and node.modifier.matching
            else ()
        )
    }

    assert set() == unknown
    assert set() == grouped - available


@every_rule
def test_its_label_values_exist(rule: Rule, label_values: dict[str, set[tuple[str, str]]]) -> None:
    """A condition asks for values that the default settings export; a misspelt one would never hold."""
    unknown = {
        (selector.name, matcher.name, value)
        for selector, _ in selectors(rule)
        if selector.name in SPECS
        for matcher in matchers(selector)
        for value in matcher.value.split("|")
        if (matcher.name, value) not in label_values[SPECS[selector.name].name]
    }

    assert set() == unknown


@every_rule
def test_counters_are_read_by_their_increase(rule: Rule) -> None:
    """A counter stands in `increase()`, which survives a restart, and `rate()` is not used."""
    wrong = {
        selector.name
        for selector, around in selectors(rule)
        if (selector.name in COUNTERS) != ("increase" in calls(around))
    }

    assert set() == wrong
    assert not re.search(r"\bi?rate\(", rule.expression)


@every_rule
def test_gauges_that_slip_between_scrapes_are_not_read(rule: Rule) -> None:
    """No rule reads `job_state`, and `nodes` is averaged over a window."""
    read_here = [(selector.name, calls(around)) for selector, around in selectors(rule)]

    assert "goodputd_job_state" not in {name for name, _ in read_here}
    assert all("avg_over_time" in around for name, around in read_here if name == "goodputd_nodes")


@every_rule
def test_series_are_joined_on_what_they_share(rule: Rule) -> None:
    """A gauge is joined on job, instance and scenario, since a target may have more labels than these."""
    loose = [
        node.op
        for node, _ in nodes(rule.parsed())
        if isinstance(node, promql.BinaryExpr)
        and not (node.modifier and node.modifier.matching)
        and not any(isinstance(side, promql.NumberLiteral) for side in (bare(node.lhs), bare(node.rhs)))
        and not (is_closed(node.lhs) and is_closed(node.rhs))
    ]

    assert [] == loose


def bare(node: Any) -> Any:  # noqa: ANN401 - a node
    """The node without parentheses."""
    return bare(node.expr) if isinstance(node, promql.ParenExpr) else node


def is_closed(node: Any) -> bool:  # noqa: ANN401 - a node
    """Whether the labels of the result are given by an aggregation or a recording."""
    return all(
        selector.name in RECORDED or any(isinstance(each, promql.AggregateExpr) for each in around)
        for selector, around in nodes(node)
        if isinstance(selector, promql.VectorSelector)
    )


# --- alerts


@every_simulated_alert
def test_a_simulated_alert_is_joined_on_alerting(alert: Rule) -> None:
    """It ends in a join that leaves scenarios out that are there for comparison."""
    last = alert.parsed()

    assert "and" == str(last.op)
    assert BY_SCENARIO == set(last.modifier.matching.labels)
    assert "goodputd_scenario_alerting == 1" == last.rhs.prettify()


@every_simulated_alert
def test_a_simulated_alert_looks_at_three_days_or_more(alert: Rule) -> None:
    """Every window is of at least three simulated days, 3m here; targets and settings have none."""
    windows = [node.range for node, _ in nodes(alert.parsed()) if isinstance(node, promql.MatrixSelector)]
    recorded = [selector.name for selector, _ in selectors(alert) if selector.name in RECORDED]

    assert windows or recorded
    assert all(window >= promql.parse_duration("3m") for window in windows)
    assert all(re.search(r"(\d+)d$", name)[1] in {"3", "5", "10"} for name in recorded)  # type: ignore[index]


@every_simulated_alert
def test_a_simulated_alert_needs_ten_interruptions(alert: Rule) -> None:
    """But for a job that stands still and so has none."""
    needs_ten = re.search(r"scenario:goodputd_interruptions:increase\d+d >= 10\b", alert.expression)

    assert (alert.alert != "WaitingForCapacity") == bool(needs_ten)


@pytest.mark.parametrize(("path", "two_scrapes"), [(ACCELERATED, "2s"), (REALTIME, "2m")])
def test_a_simulated_alert_holds_for_two_scrapes(path: Path, two_scrapes: str) -> None:
    """`for` is two scrape intervals."""
    assert {two_scrapes} == {rule.hold for rule in read(path) if rule.alert and rule.is_simulated}


@every_file
def test_alerts_of_the_daemon_hold_for_a_minute(path: Path) -> None:
    """They live in wall time, so `for` does not follow the speedup."""
    assert {"1m"} == {rule.hold for rule in read(path) if rule.alert and not rule.is_simulated}


@every_alert
def test_an_alert_is_labelled_and_explained(alert: Rule) -> None:
    """It has a severity, a summary, a description, and the anchor of its runbook."""
    assert {"severity"} == set(alert.labels)
    assert alert.labels["severity"] in {"critical", "warning"}
    assert {"summary", "description", "runbook_url"} == set(alert.annotations)
    assert f"{RUNBOOKS}#{alert.alert.lower()}" == alert.annotations["runbook_url"]


# --- runbooks


def test_every_alert_has_its_runbook() -> None:
    """The page has one section for each alert, in the order of the rules, and none for other alerts."""
    runbooks = RUNBOOK_PAGE.read_text("utf-8").partition("\n## Runbooks\n")[2].partition("\n## ")[0]

    assert [alert.alert for alert in ALERTS] == re.findall(r"^### (\w+)$", runbooks, re.MULTILINE)


@every_alert
def test_a_runbook_says_what_how_and_where(alert: Rule) -> None:
    """It has what the alert means, PromQL to check it, and what to change in the TOML."""
    section = runbook(alert.alert)

    assert ["Meaning", "Check", "Change"] == re.findall(r"^\*\*(\w+)\.\*\*", section, re.MULTILINE)


@every_alert
def test_a_runbook_asks_about_metrics_that_exist(alert: Rule) -> None:
    """Its PromQL parses and reads series of the catalog or of the rules."""
    queries = re.findall(r"^```promql\n(.+?)\n```$", runbook(alert.alert), re.MULTILINE | re.DOTALL)
    names = {
        node.name
        for query in queries
        for node, _ in nodes(promql.parse(query))
        if isinstance(node, promql.VectorSelector)
    }

    assert queries
    assert set() == names - {*SPECS, *RECORDED, OF_PROMETHEUS}


@every_alert
def test_a_runbook_names_settings_that_exist(alert: Rule) -> None:
    """What it says to change is in `config/default.toml`."""
    change = runbook(alert.alert).partition("**Change.**")[2]
    named = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", change))

    assert set() == named - known_keys()


def known_keys() -> set[str]:
    """Every key of the default settings in dotted form; commented ones count."""
    keys, table = set(), ""
    for line in (ROOT / "config" / "default.toml").read_text("utf-8").splitlines():
        if header := re.fullmatch(r"\[([a-z_.]+)\]", line):
            table = f"{header[1]}."
        elif key := re.match(r"(?:# )?([a-z_]+) = ", line):
            keys.add(f"{table}{key[1]}")
    return keys


def runbook(alert: str) -> str:
    """The text of one section."""
    return RUNBOOK_PAGE.read_text("utf-8").partition(f"\n### {alert}\n")[2].partition("\n##")[0]
