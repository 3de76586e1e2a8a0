"""Counters: complete from the start, never falling, and settled at exactly a day."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goodputd import detectors
from goodputd.sim.faults import resolve_kinds
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.tally import (
    DECISIONS,
    DETECTION_BOUNDS,
    RECOVERY_BOUNDS,
    SETTLING_SECONDS,
    Counting,
    Outcomes,
    new_tally,
)
from goodputd.sim.taxonomy import (
    Action,
    Component,
    DetectionResult,
    Layer,
    Origin,
    RecoveryOutcome,
    StageName,
    Symptom,
    VerificationOutcome,
)

RESTART, EVICT = Action.RESTART, Action.EVICT
SUCCESS, FAILURE = RecoveryOutcome.SUCCESS, RecoveryOutcome.FAILURE
KINDS = resolve_kinds(
    FaultsSpec(
        kinds=(
            FaultKindSpec(name="gpu", component="gpu", per_node_day=1.0),
            FaultKindSpec(name="bug", component="software", per_job_day=1.0),
        )
    ),
    None,
    nodes=1,
    gpus_per_node=8,
)
GPU = KINDS[0]


# --- histograms


@pytest.mark.parametrize(
    ("value", "bucket"),
    [(0.0, 0), (9.99, 0), (10.0, 0), (10.001, 1), (20.0, 1), (29.0, 2), (30.0, 2), (31.0, 3), (1e9, 3)],
)
def test_an_upper_bound_is_inclusive(value: float, bucket: int) -> None:
    """As Prometheus has it: le; what exceeds every bound is counted in +Inf."""
    counting = Counting((10.0, 20.0, 30.0))
    counting.observe(value)

    assert [int(index == bucket) for index in range(4)] == list(counting.frozen().counts)


def test_a_histogram_keeps_sum_and_number() -> None:
    """Of all values, those in +Inf too."""
    counting = Counting((10.0,))
    for value in (1.0, 2.5, 100.0):
        counting.observe(value)

    assert (103.5, 3, (2, 1)) == (counting.total.seconds, counting.total.count, counting.frozen().counts)


def test_a_frozen_histogram_does_not_change() -> None:
    """A snapshot stays as it was when more is counted."""
    counting = Counting((10.0,))
    frozen = counting.frozen()
    counting.observe(1.0)

    assert ((0, 0), 0.0) == (frozen.counts, frozen.sum)


@pytest.mark.parametrize("bounds", [RECOVERY_BOUNDS, DETECTION_BOUNDS])
def test_bounds_ascend(bounds: tuple[float, ...]) -> None:
    """Strictly, from above 0 to below infinity."""
    assert sorted(set(bounds)) == list(bounds)
    assert 0.0 < bounds[0] < bounds[-1] < float("inf")


def test_recovery_bounds_are_those_of_the_contract() -> None:
    """Every minute up to ten, then wider, up to a day."""
    assert (*range(60, 601, 60), 720, 840, 960, 1200, 1800, 3600, 7200, 14400, 86400) == RECOVERY_BOUNDS


def test_detection_bounds_hold_the_default_latencies() -> None:
    """2 s, 30 s, 600 s and a person's four hours are bounds, so a quantile tells the layers apart."""
    assert {2.0, 30.0, 600.0, 14400.0} <= set(DETECTION_BOUNDS)


# --- complete from the start


def test_every_closed_label_set_is_complete_at_zero() -> None:
    """A counter whose first sample is its first event loses that event."""
    tally = new_tally(KINDS, detectors.build(detectors.DetectionSpec()))
    layers = {Layer.HEARTBEAT, Layer.HARDWARE, Layer.WATCHDOG, Layer.GRADIENT}
    causes = set(Component) - {Component.PLANNED}

    assert set(product(causes, layers | {Layer.NONE})) | {(Component.PLANNED, Layer.PLANNED)} == set(
        tally.interruptions
    )
    assert {
        (kind.name, kind.component, origin)
        for kind in KINDS
        for origin in (Origin.PRIMARY, Origin.RECURRENCE)
    } == set(tally.faults)
    assert (layers, layers) == (set(tally.misses()), set(tally.false_alarms))
    assert set(product(layers, DetectionResult)) | {(Layer.NONE, DetectionResult.FIRST)} == set(
        tally.detections
    )
    assert set(DECISIONS) == set(tally.decisions)
    assert (set(VerificationOutcome), set(StageName)) == (set(tally.verifications), set(tally.stages))
    assert set(Symptom) - {Symptom.BENIGN} == set(tally.mttd)
    for table in (
        tally.interruptions,
        tally.faults,
        tally.misses(),
        tally.false_alarms,
        tally.decisions,
        tally.verifications,
    ):
        assert {0} == set(table.values())


def test_layers_that_are_off_have_no_series() -> None:
    """Only the watchdog, and a person behind it."""
    tally = new_tally(KINDS, detectors.build(detectors.DetectionSpec(layers=("watchdog",))))

    assert {Layer.WATCHDOG} == set(tally.misses())
    assert {Layer.WATCHDOG, Layer.NONE} == {layer for layer, _ in tally.detections}


def test_two_tallies_share_nothing() -> None:
    """Scenarios side by side count for themselves."""
    one, other = (new_tally(KINDS, ()) for _ in range(2))
    one.interruption(Component.GPU, Layer.NONE, 1.0)
    one.recovery.observe(1.0)
    one.decisions[DECISIONS[0]] += 1
    one.fault(GPU, Origin.PRIMARY)

    assert new_tally(KINDS, ()).recovery.frozen() == other.recovery.frozen()
    assert (0, 0, 0) == (
        sum(other.interruptions.values()),
        sum(other.decisions.values()),
        sum(other.faults.values()),
    )


def test_a_planned_stop_is_not_the_last_interruption() -> None:
    """It is counted, and stays out of what an alert on interruptions reads."""
    tally = new_tally(KINDS, ())
    tally.interruption(Component.GPU, Layer.NONE, 100.0)
    tally.interruption(Component.PLANNED, Layer.PLANNED, 200.0)

    assert 100.0 == tally.last_interruption_at
    assert 1 == tally.interruptions[Component.PLANNED, Layer.PLANNED]


def test_injected_faults_are_counted_when_they_come() -> None:
    """Their series is the only one that starts late."""
    tally = new_tally(KINDS, ())
    for origin in (Origin.INJECTED, Origin.INJECTED, Origin.PRIMARY):
        tally.fault(GPU, origin)

    assert (2, 1) == (
        tally.faults["gpu", Component.GPU, Origin.INJECTED],
        tally.faults["gpu", Component.GPU, Origin.PRIMARY],
    )


def test_decisions_are_counted_once_each() -> None:
    """No pair is listed twice."""
    assert len(DECISIONS) == len(set(DECISIONS))


# --- outcomes


def test_a_recovery_is_in_neither_count_before_it_settled() -> None:
    """A day is a day: pending just before, a success exactly then, and for good."""
    outcomes = Outcomes()
    outcomes.verified({"node 5": RESTART}, 1000.0)

    settled_at = 1000.0 + SETTLING_SECONDS
    assert [0, 1, 1] == [outcomes.at(at)[RESTART, SUCCESS] for at in (settled_at - 1e-3, settled_at, 1e9)]


@pytest.mark.parametrize(
    ("after", "expected"),
    [(0.0, FAILURE), (SETTLING_SECONDS - 1e-3, FAILURE), (SETTLING_SECONDS, SUCCESS), (1e9, SUCCESS)],
)
def test_a_cause_that_fails_again_within_a_day_was_recovered_in_vain(
    after: float, expected: RecoveryOutcome
) -> None:
    """Exactly a day later the recovery has held."""
    outcomes = Outcomes()
    outcomes.verified({"node 5": EVICT}, 1000.0)
    outcomes.failed_again("node 5", 1000.0 + after)
    counts = outcomes.at(1000.0 + after)

    assert {key: int(key == (EVICT, expected)) for key in counts} == counts


def test_another_cause_fails_for_itself() -> None:
    """Node 6 says nothing about the restart of node 5."""
    outcomes = Outcomes()
    outcomes.verified({"node 5": RESTART}, 0.0)
    outcomes.failed_again("node 6", 100.0)

    assert 1 == outcomes.at(SETTLING_SECONDS)[RESTART, SUCCESS]


def test_a_recovery_fails_once() -> None:
    """A second failure of the same node is the failure of the next recovery, if there was one."""
    outcomes = Outcomes()
    outcomes.verified({"node 5": RESTART}, 0.0)
    outcomes.failed_again("node 5", 100.0)
    outcomes.failed_again("node 5", 200.0)

    assert 1 == sum(outcomes.at(1e9).values())


def test_a_recovery_whose_cause_failed_before_it_was_verified_was_in_vain() -> None:
    """It never was pending."""
    outcomes = Outcomes()
    outcomes.in_vain(RESTART)

    assert 1 == outcomes.at(0.0)[RESTART, FAILURE] == sum(outcomes.at(1e9).values())


def test_looking_ahead_settles_nothing() -> None:
    """``at`` a later instant does not make a failure before it a success."""
    outcomes = Outcomes()
    outcomes.verified({"node 5": RESTART}, 0.0)
    outcomes.at(1e9)
    outcomes.failed_again("node 5", 100.0)

    assert (1, 0) == (outcomes.at(100.0)[RESTART, FAILURE], outcomes.at(100.0)[RESTART, SUCCESS])


def test_a_recovery_that_takes_over_a_pending_one_hides_no_success() -> None:
    """Node a is recovered anew while pending; node b, which came after it, still settles before b is too.

    The count of an hour ago must not fall when a third recovery is verified.
    """
    outcomes = Outcomes()
    outcomes.verified({"a": RESTART}, 0.0)
    outcomes.verified({"b": RESTART}, 3600.0)
    outcomes.verified({"a": EVICT}, 7200.0)
    assert 1 == outcomes.at(3600.0 + SETTLING_SECONDS)[RESTART, SUCCESS]
    outcomes.verified({"b": EVICT}, 3700.0 + SETTLING_SECONDS)

    assert 1 == outcomes.at(3700.0 + SETTLING_SECONDS)[RESTART, SUCCESS]


STORY = st.lists(
    st.tuples(
        st.one_of(st.floats(0, 0.5), st.floats(0, 1.2)).map(SETTLING_SECONDS.__mul__),
        st.sampled_from(["verified", "verified", "failed", "look"]),
        st.dictionaries(st.sampled_from("abc"), st.sampled_from([RESTART, EVICT]), min_size=1, max_size=2),
    ),
    max_size=40,
)


@settings(max_examples=100)
@given(STORY)
def test_outcomes_never_fall_and_are_what_became_of_each_recovery(
    story: list[tuple[float, str, dict[str, Action]]],
) -> None:
    """Any order of recoveries and failures, a cause recovered anew while pending included.

    The reference keeps every recovery and looks at what happened to its cause within a day. A
    recovery that another of the same cause took over before it settled is in neither count.
    """
    outcomes = Outcomes()
    settled: list[tuple[Action, RecoveryOutcome]] = []
    pending: dict[str, tuple[float, Action]] = {}
    before = outcomes.at(0.0)
    now = 0.0
    for gap, what, causes in story:
        now += gap
        held = [cause for cause, (since, _) in pending.items() if now - since >= SETTLING_SECONDS]
        settled += [(pending.pop(cause)[1], SUCCESS) for cause in held]
        if what == "verified":
            outcomes.verified(causes, now)
            pending |= {cause: (now, action) for cause, action in causes.items()}
        elif what == "failed":
            for cause in causes:
                outcomes.failed_again(cause, now)
                if cause in pending:
                    settled.append((pending.pop(cause)[1], FAILURE))
        counts = outcomes.at(now)
        assert {key: settled.count(key) for key in counts} == counts
        assert all(counts[key] >= before[key] for key in counts)
        before = counts
