"""What interrupts the job is what is to be expected, slow ranks and corrupt state included.

Statistical tests have fixed seeds and state the probability alpha with which a right program would
fail them for a seed drawn at random.
"""

from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import pytest

from goodputd.sim.expectation import interrupting_shares
from goodputd.sim.specs.faults import FaultKindSpec
from goodputd.sim.specs.fleet import PoolSpec
from tests.world import DAY, World, parts

SLOW = FaultKindSpec(
    name="slow", component="gpu", symptom="slow", per_node_day=0.05, slow_factor=1.5, step_time_sigmas=20.0
)
SLOW_UNSEEN = replace(SLOW, step_time_sigmas=0.0)
SLOW_LOGGED = replace(SLOW_UNSEEN, event="XID 63", logged_probability=0.4)
CORRUPT = FaultKindSpec(name="corrupt", component="gpu", symptom="corrupt", per_node_day=0.05)
CORRUPT_SEEN = replace(CORRUPT, gradient_sigmas=30.0)
BENIGN = FaultKindSpec(name="benign", component="memory", symptom="benign", per_node_day=0.05, event="XID 92")
CRASH = FaultKindSpec(name="crash", component="gpu", per_node_day=0.05)
ALL = ("heartbeat", "hardware", "watchdog", "gradient", "validation")
FAST = ("heartbeat", "hardware", "watchdog", "gradient")


@pytest.mark.parametrize(
    ("kind", "overrides", "expected"),
    [
        (CRASH, {"detection__layers": ()}, 1.0),
        (BENIGN, {}, 0.0),
        (SLOW, {}, 1.0),
        (SLOW, {"detection__layers": ("heartbeat", "hardware", "watchdog")}, 0.0),
        (SLOW, {"strikes__on_slow": "tolerate"}, 0.0),
        (SLOW, {"strikes__on_slow": "tolerate", "policy__name": "window"}, 1.0),
        (SLOW_UNSEEN, {}, 0.0),
        (SLOW_LOGGED, {}, 0.4),
        (CORRUPT, {"detection__layers": FAST}, 0.0),
        (CORRUPT, {"detection__layers": FAST, "corruption__baked_discovery": "at_checkpoint"}, 1.0),
        (CORRUPT, {"detection__layers": ALL, "validation__coverage": 0.7}, 0.7),
        (CORRUPT_SEEN, {"detection__layers": FAST, "strikes__on_slow": "tolerate"}, 1.0),
        (replace(CORRUPT, event="XID 48", logged_probability=0.5),
         {"detection__layers": ALL, "validation__coverage": 0.6}, 0.8),
    ],
)  # fmt: skip
def test_a_kind_interrupts_as_far_as_it_is_found_and_not_tolerated(
    kind: FaultKindSpec, overrides: dict[str, Any], expected: float
) -> None:
    """What stops the job does without anybody; the rest wants a layer that is on, and a policy that minds."""
    shares = interrupting_shares(parts((), faults__kinds=(kind,), **overrides))

    assert {kind.name: pytest.approx(expected)} == shares


def score(seed: int, kind: FaultKindSpec, overrides: dict[str, Any]) -> float:
    """How far the interruptions of 40 days are from those to expect, in standard deviations of a count."""
    world = World(seed=seed, cluster__nodes=64, cluster__spares=8, faults__kinds=(kind,), **overrides).until(
        40 * DAY
    )
    return world.surprise


@pytest.mark.parametrize(
    ("kind", "overrides"),
    [
        (SLOW, {}),
        (replace(SLOW, transient_probability=0.5), {}),
        (SLOW_LOGGED, {}),
        (CORRUPT, {"detection__layers": ALL, "validation__coverage": 0.5}),
        (
            CORRUPT_SEEN,
            {
                "cluster__pool": (
                    PoolSpec(name="old", nodes=40, fault_multiplier=9.0, corruption_multiplier=2.0),
                    PoolSpec(name="new", nodes=32, corruption_multiplier=0.5),
                )
            },
        ),
        (replace(SLOW_LOGGED, arrival="weibull", shape=0.7), {}),
        (
            replace(SLOW_LOGGED, scope="rack", per_node_day=None, per_domain_day=0.1),
            {"topology__nodes_per_rack": 4},
        ),
    ],
    ids=["slow", "comes back", "sometimes logged", "validated", "pools", "ages", "racks"],
)
def test_observed_minus_expected_is_zero_on_average(kind: FaultKindSpec, overrides: dict[str, Any]) -> None:
    """Over 100 seeds within 3.3 standard errors, alpha 0.1 % each; 12,000 faults would show an error of 3 %.

    No layer cries wolf, so that the whole of it is the kind's.
    """
    quiet = {"heartbeat__jitter_seconds": 0.0, "gradient__z_threshold": 8.0}
    scores = [score(seed, kind, quiet | overrides) for seed in range(100)]

    assert abs(fmean(scores)) < 3.3 * stdev(scores) / 100**0.5


def test_what_nobody_finds_is_not_to_be_expected() -> None:
    """A job that trains on beside slow ranks is not interrupted, and was not expected to be."""
    world = World(faults__kinds=(SLOW,), detection__layers=("heartbeat",)).until(20 * DAY)

    assert (0, 0.0) == (world.snapshot.total_interruptions, world.snapshot.expected_interruptions)
