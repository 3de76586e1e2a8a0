"""The catalog: names, labels, and that nothing of a snapshot is forgotten."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import pytest

from goodputd.metrics.catalog import CATALOG, documentation
from goodputd.metrics.family import MetricSpec, MetricType, Value
from goodputd.metrics.view import ScenarioView, View
from goodputd.sim.snapshot import Histogram, NodeStrikes, Snapshot, Total
from goodputd.sim.taxonomy import JobState
from tests import snapshots

_NOT_EXPORTED = {
    "mttd_overall_seconds"  # the sum and count of detection_seconds{result="first"} say it
}


def readings(name: str, view: View) -> dict[tuple[str, ...], Value]:
    """What the metric shows of a view, by label values."""
    (spec,) = (spec for spec in CATALOG if spec.name == name)
    return dict(spec.read(view))


def all_readings(snapshot: Snapshot) -> list[object]:
    """What all metrics show of one scenario."""
    view = snapshots.view(snapshot)
    return [(spec.name, list(spec.read(view))) for spec in CATALOG]


def changed(value: Any) -> Any:  # noqa: ANN401 - a field of any type
    """A value of the same type that differs."""
    if isinstance(value, dict):
        first, *_ = value
        return {**value, first: changed(value[first])}
    if isinstance(value, tuple):
        return (*value, NodeStrikes(99, 3))
    if isinstance(value, Histogram):
        return replace(value, sum=value.sum + 1.0)
    if isinstance(value, Total):
        return replace(value, count=value.count + 1)
    if isinstance(value, JobState):
        return JobState.STALLED
    return not value if isinstance(value, bool) else value + ("x" if isinstance(value, str) else 1)


def test_names_are_unique() -> None:
    """No two metrics have the same name."""
    repeated = [name for name, count in Counter(spec.name for spec in CATALOG).items() if count > 1]

    assert [] == repeated


@pytest.mark.parametrize("spec", CATALOG, ids=lambda spec: spec.name)
def test_a_name_tells_its_type(spec: MetricSpec) -> None:
    """Counters and only counters end in _total, infos and only infos in _info."""
    suffixes = (spec.name.endswith("_total"), spec.name.endswith("_info"))

    assert (spec.type is MetricType.COUNTER, spec.type is MetricType.INFO) == suffixes


@pytest.mark.parametrize("spec", CATALOG, ids=lambda spec: spec.name)
def test_a_metric_is_of_a_scenario_or_of_the_daemon(spec: MetricSpec) -> None:
    """With no scenario playing, exactly the metrics of the daemon are left, and they have no such label."""
    without = list(spec.read(View((), snapshots.daemon())))

    assert ("scenario" in spec.labels) == (without == [])


@pytest.mark.parametrize("spec", CATALOG, ids=lambda spec: spec.name)
def test_readings_fill_every_label(spec: MetricSpec) -> None:
    """Each reading has as many label values as the metric has labels."""
    lengths = {len(values) for values, _ in spec.read(snapshots.view())}

    assert {len(spec.labels)} == lengths


def snapshot_fields() -> Iterator[str]:
    """Every field of a snapshot, and ``group.field`` for those of a group of fields."""
    made = snapshots.snapshot()
    for each in fields(Snapshot):
        value = getattr(made, each.name)
        if is_dataclass(value) and not isinstance(value, Histogram | Total):
            yield from (f"{each.name}.{inner.name}" for inner in fields(value))
        else:
            yield each.name


@pytest.mark.parametrize("field", sorted(set(snapshot_fields()) - _NOT_EXPORTED))
def test_every_field_of_a_snapshot_is_exported(field: str) -> None:
    """A change of any field of a snapshot changes what is exported."""
    before = snapshots.snapshot()
    name, _, inner = field.partition(".")
    value = getattr(before, name)
    other = replace(value, **{inner: changed(getattr(value, inner))}) if inner else changed(value)
    after = snapshots.snapshot(**{name: other})

    assert all_readings(before) != all_readings(after)


@pytest.mark.parametrize(
    "field", ["target_goodput_ratio", "target_mttr_seconds", "settings_digest", "policy"]
)
def test_settings_in_force_are_exported(field: str) -> None:
    """A change of a target or of what is played changes what is exported."""
    view = snapshots.view()
    (scenario,) = view.scenarios
    settings = snapshots.in_force(**{field: changed(getattr(scenario.settings, field))})
    other = View((ScenarioView(scenario.snapshot, settings),), view.daemon)

    assert [list(s.read(view)) for s in CATALOG] != [list(s.read(other)) for s in CATALOG]


def test_the_job_is_in_one_state() -> None:
    """job_state is 1 for the state the job is in and 0 for every other."""
    view = snapshots.view(snapshots.snapshot(job_state=JobState.RECOVERING))

    shown = readings("goodputd_job_state", view)

    expected = {("default", state): float(state == "recovering") for state in map(str, JobState)}
    assert expected == shown


@pytest.mark.parametrize(
    ("name", "labels", "seconds"),
    [
        ("simulated_timestamp_seconds", (), snapshots.NOW),
        ("last_interruption_timestamp_seconds", (), 860_000.5),
        ("last_step_timestamp_seconds", (), 863_998.0),
        ("last_checkpoint_timestamp_seconds", ("remote",), 863_700.0),
    ],
)
def test_instants_are_simulated_unix_time(name: str, labels: tuple[str, ...], seconds: float) -> None:
    """An instant is the start of the simulated clock plus simulated seconds."""
    shown = readings(f"goodputd_{name}", snapshots.view())

    assert {("default", *labels): snapshots.CLOCK_START + seconds} == shown


def test_label_values_are_plain_text() -> None:
    """A member of a closed set is exported as its value, not as the name of an enum."""
    view = snapshots.view()
    values = {value for spec in CATALOG for labels, _ in spec.read(view) for value in labels}

    assert [] == [value for value in values if isinstance(value, Enum) and str(value) != value.value]


def test_gauges_since_start_say_how_to_take_a_window() -> None:
    """Every gauge that covers the time since start says so, and gives the expression for a window."""
    since_start = {spec.name for spec in CATALOG if "Since start; for a window w: " in spec.help}

    ratios = {
        "goodputd_effective_training_time_ratio",
        "goodputd_effective_utilization_ratio",
        "goodputd_effective_compute_ratio",
        "goodputd_recovery_success_ratio",
    }
    means = {"goodputd_mttr_seconds", "goodputd_mtbf_seconds", "goodputd_mttd_seconds"}
    assert ratios | means == since_start


def test_the_documentation_has_a_row_per_metric() -> None:
    """The Markdown table has one row for each metric, in order, and four cells in each."""
    rows = [line.split(" | ") for line in documentation().splitlines()[2:]]

    assert [(f"| `{spec.name}`", 4) for spec in CATALOG] == [(row[0], len(row)) for row in rows]
