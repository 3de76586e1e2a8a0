"""Figures: read from a snapshot, and the same as the summary's where both have them."""

import math
from dataclasses import asdict
from typing import Any

import pytest

from goodputd.assembly import build
from goodputd.settings import parse
from goodputd.sim.snapshot import Corruptions
from goodputd.sim.taxonomy import Bucket, CorruptionOutcome
from goodputd.studies.figures import NAMES, Figures, read
from goodputd.summary import summarize
from tests.snapshots import BUCKETS, NOW, snapshot

SUMMARY = summarize([snapshot()], version="1", seed=1)["scenarios"][0]
SHARED = [name for name in NAMES if isinstance(SUMMARY.get(name), int | float)]


def figures(**changes: Any) -> Figures:  # noqa: ANN401 - any field of a snapshot
    """The figures of a snapshot with these changes."""
    return read(snapshot(**changes))


@pytest.mark.parametrize("name", [name for name in SHARED if name != "lost_steps"])
def test_a_figure_of_the_summary_has_its_value(name: str) -> None:
    """Where ``simulate --json`` has the same name, it has the same number."""
    assert SUMMARY[name] == getattr(figures(), name)


def test_most_headline_figures_are_in_the_summary() -> None:
    """The comparison above compares something."""
    assert {"effective_training_time_ratio", "mttr_seconds", "step", "checkpoints"} <= set(SHARED)


def test_lost_steps_and_lost_work_count_what_was_retracted() -> None:
    """Work that was taken back was done in vain like any other."""
    found = figures(lost_steps=100, retracted_steps=20, retracted_seconds=99.5)

    assert 120 == found.lost_steps
    assert found.lost_work_share == pytest.approx((BUCKETS[Bucket.LOST_WORK] + 99.5) / NOW)


def test_shares_are_of_elapsed_time() -> None:
    """A bucket over all time; the stages of recovery and the time until it begins are one."""
    found = figures()

    assert BUCKETS[Bucket.CHECKPOINT_SAVE] / NOW == found.checkpoint_save_share
    assert found.stopped_share == pytest.approx((290.0 + 540.25) / NOW)


def test_shares_and_goodput_are_all_of_the_time() -> None:
    """Nothing is left out and nothing counted twice, retracted work included."""
    settings = parse("[faults]\ntotal_interruptions = 2000", source="", environ={})
    (simulation,) = build(settings)
    simulation.advance_to(20 * 86400.0)
    found = asdict(read(simulation.snapshot()))
    shares = [value for name, value in found.items() if name.endswith("_share")]

    assert 3 <= sum(share > 0.0 for share in shares)
    assert math.fsum([found["effective_training_time_ratio"], *shares]) == pytest.approx(1.0, abs=1e-9)


def test_steps_are_as_long_as_the_job_ran_them() -> None:
    """Nodes of a slower pool, spread over switches, with noise: what the core tells of a step.

    A step that a failure cut short counts as time and not as a step: half a step an interruption.
    """
    text = """
    [cluster]
    pool = [{ name = "old", nodes = 2064, step_time_factor = 1.2 }]
    [cluster.placement]
    communication_share = 0.2
    layout = "spread"
    [job.noise]
    step_sigma = 0.05
    """
    settings = parse(text, source="", environ={})
    (simulation,) = build(settings)
    simulation.advance_to(20 * 86400.0)
    snap = simulation.snapshot()
    found = read(snap).mean_step_seconds

    assert found is not None
    assert snap.step_time.seconds > 1.3 * settings.scenarios[0].job.step_seconds
    assert snap.step_time.seconds == pytest.approx(found, rel=1e-3)


def test_interruptions_a_day_are_those_of_the_snapshot() -> None:
    """Three interruptions in ten days."""
    assert 0.3 == pytest.approx(figures().interruptions_per_day)


def test_decisions_are_counted_by_action() -> None:
    """All reasons together."""
    assert (SUMMARY["decisions"]["restart"], SUMMARY["decisions"]["evict"]) == (
        figures().restarts,
        figures().evictions,
    )


def test_corruptions_are_told_apart_by_outcome() -> None:
    """Struck, found in time, and found too late."""
    counts = Corruptions(9, {CorruptionOutcome.DETECTED: 4, CorruptionOutcome.BAKED: 3})
    found = figures(corruptions=counts)

    assert (9, 4, 3) == (found.corruptions_injected, found.corruptions_detected, found.corruptions_baked)


def test_before_anything_was_played_shares_have_no_data() -> None:
    """Nothing divides by zero."""
    found = asdict(figures(now=0.0))

    assert {None} == {value for name, value in found.items() if name.endswith(("_share", "_per_day"))}
