"""The collector: families and samples of one view."""

from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.collector import FamilyCollector
from goodputd.metrics.view import View
from goodputd.sim.taxonomy import Action, CheckpointTier, Symptom
from tests import snapshots


class Whole(Collector):
    """All families of a view."""

    def __init__(self, view: View) -> None:
        """Nothing is read yet."""
        self._view = view

    def collect(self) -> Iterator[Metric]:
        """The families in the order of the catalog."""
        for spec in CATALOG:
            yield from FamilyCollector(spec, spec.read(self._view)).collect()


def family(name: str, view: View) -> Metric:
    """One family of the view; counters are named without _total."""
    (found,) = (metric for metric in Whole(view).collect() if metric.name == name)
    return found


def value(view: View, name: str, **labels: str) -> float | None:
    """One sample, None when it is absent."""
    registry = CollectorRegistry(auto_describe=True)
    registry.register(Whole(view))
    return registry.get_sample_value(f"goodputd_{name}", {"scenario": "default", **labels})


def test_families_do_not_clash() -> None:
    """prometheus_client registers all families together: no name or suffix of one is that of another."""
    CollectorRegistry(auto_describe=True).register(Whole(snapshots.view()))


@pytest.mark.parametrize(
    ("le", "expected"), [("300.0", 0), ("360.0", 2), ("420.0", 3), ("86400.0", 3), ("+Inf", 3)]
)
def test_buckets_are_cumulative(le: str, expected: int) -> None:
    """A bucket counts every observation up to its bound; recoveries took 341, 355.5 and 362 s."""
    assert expected == value(snapshots.view(), "recovery_seconds_bucket", le=le)


def test_a_histogram_has_sum_and_count() -> None:
    """_sum adds the seconds, _count counts them."""
    view = snapshots.view()

    assert (1058.5, 3) == (value(view, "recovery_seconds_sum"), value(view, "recovery_seconds_count"))


def test_stages_have_sum_and_count() -> None:
    """A recovery stage is exported as sum and count."""
    view = snapshots.view()
    shown = [value(view, f"recovery_stage_seconds_{part}", stage="restore") for part in ("sum", "count")]

    assert [120.5, 3] == shown


@pytest.mark.parametrize(
    ("name", "labels", "changes"),
    [
        ("effective_training_time_ratio", {}, {"effective_training_time_ratio": None}),
        ("effective_utilization_ratio", {}, {"effective_utilization_ratio": None}),
        ("effective_compute_ratio", {}, {"effective_compute_ratio": None}),
        ("mttr_seconds", {}, {"mttr_seconds": None}),
        ("mtbf_seconds", {}, {"mtbf_seconds": None}),
        ("mttd_seconds", {"symptom": "crash"}, {"mttd_seconds": dict.fromkeys(Symptom)}),
        ("recovery_success_ratio", {"action": "restart"}, {"recovery_success_ratio": dict.fromkeys(Action)}),
        ("last_interruption_timestamp_seconds", {}, {"last_interruption_at": None}),
        ("last_step_timestamp_seconds", {}, {"last_step_at": None}),
        (
            "last_checkpoint_timestamp_seconds",
            {"tier": "remote"},
            {"last_checkpoint_at": dict.fromkeys(CheckpointTier)},
        ),
        ("node_strikes", {"node": "17"}, {"node_strikes": ()}),
    ],
)
def test_a_gauge_without_data_is_absent(name: str, labels: dict[str, str], changes: dict[str, Any]) -> None:
    """The sample is there with data, and absent, not 0 or NaN, without."""
    with_data = value(snapshots.view(), name, **labels)
    without = value(snapshots.view(snapshots.snapshot(**changes)), name, **labels)

    assert (True, None) == (with_data is not None, without)


def test_the_first_rendering_time_is_absent() -> None:
    """scrape_wall_seconds is absent until a page was rendered."""
    assert [] == family("goodputd_scrape_wall_seconds", snapshots.view(scrape_wall_seconds=None)).samples


def test_events_that_did_not_happen_are_zero() -> None:
    """A member of a closed label set is exported at 0 before its first event, or increase() loses it."""
    assert 0 == value(snapshots.view(), "interruptions_total", component="switch", layer="watchdog")


def test_info_metrics_are_one() -> None:
    """What a scenario plays is in the labels of a sample of 1."""
    labels = {"policy": "strikes", "catalog": "llama3", "source": "simulated", "settings_digest": "0a1b2c3d"}

    assert 1 == value(snapshots.view(), "scenario_info", **labels)


def test_scenarios_share_a_family() -> None:
    """Two scenarios give one family with the samples of both."""
    view = snapshots.view(snapshots.snapshot("naive", step=7), snapshots.snapshot("default", step=9))

    shown = [(sample.labels["scenario"], sample.value) for sample in family("goodputd_step", view).samples]

    assert [("naive", 7), ("default", 9)] == shown
