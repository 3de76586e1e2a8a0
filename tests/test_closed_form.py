"""A closed form: exponential failures in compute and save, fixed recovery, none during it.

With rate lambda, interval tau, save w and recovery u0 the renewal argument gives
ratio = tau / [(e^(lambda (tau + w)) - 1) (1/lambda + u0)], exactly. The six points are RSC-1 rates
(arXiv 2410.21680) at Young's interval; none is tuned. Twenty seeds of 500 failures each put the
ratio within about 0.1 %; the allowed 3 standard errors (Student's t, 19 degrees of freedom) fail a
right program in 0.7 % of tries a point, and the seeds are fixed.
"""

from math import expm1
from statistics import mean, stdev
from typing import NamedTuple

import pytest

from goodputd.sim.faults import FaultKindSpec
from tests.world import DAY, World

RATE_PER_NODE_DAY = 0.0065
SEEDS = 20
FAILURES_PER_SEED = 500
STEPS_PER_INTERVAL = 100


class Point(NamedTuple):
    """One published case."""

    case: str
    nodes: int
    save_seconds: float
    recovery_minutes: float
    interval_minutes: float
    published: float


POINTS = [
    Point("ettr-rsc1-2048gpu-w10s-u5m", 256, 10, 5, 16.9842, 0.9749),
    Point("ettr-rsc1-2048gpu-w60s-u10m", 256, 60, 10, 41.6025, 0.9418),
    Point("ettr-rsc1-2048gpu-w300s-u5m", 256, 300, 5, 93.0261, 0.8911),
    Point("ettr-rsc1-8192gpu-w10s-u5m", 1024, 10, 5, 8.4921, 0.9395),
    Point("ettr-rsc1-8192gpu-w60s-u10m", 1024, 60, 10, 20.8013, 0.8668),
    Point("ettr-rsc1-16384gpu-w10s-u5m", 2048, 10, 5, 6.0048, 0.9037),
]


def closed_form(point: Point) -> float:
    """The ratio by renewal."""
    rate = point.nodes * RATE_PER_NODE_DAY / DAY
    tau, recovery = point.interval_minutes * 60.0, point.recovery_minutes * 60.0
    return tau / (expm1(rate * (tau + point.save_seconds)) * (1.0 / rate + recovery))


def simulated(point: Point, seed: int) -> tuple[float, int]:
    """Ratio and number of failures of one seed."""
    kind = FaultKindSpec(name="failure", component="host", per_node_day=RATE_PER_NODE_DAY, event="event")
    detect_seconds = 2.0
    world = World(
        seed=seed,
        cluster__nodes=point.nodes,
        cluster__spares=0,
        faults__kinds=(kind,),
        faults__during_recovery=False,
        detection__layers=("hardware",),
        hardware__delay_seconds=detect_seconds,
        strikes__strikes_to_evict=0,
        job__step_seconds=point.interval_minutes * 60.0 / STEPS_PER_INTERVAL,
        checkpoint__interval_steps=STEPS_PER_INTERVAL,
        checkpoint__save_seconds=float(point.save_seconds),
        checkpoint__size_bytes=(point.recovery_minutes * 60.0 - detect_seconds - 150.0) * 1e7,
        checkpoint__total_bandwidth_bytes_per_second=1e7,
        recovery__spread=0.2,
    )
    mean_gap_seconds = DAY / (point.nodes * RATE_PER_NODE_DAY) + point.recovery_minutes * 60.0
    world.until(FAILURES_PER_SEED * mean_gap_seconds)
    ratio = world.snapshot.effective_training_time_ratio
    assert ratio is not None
    return ratio, world.snapshot.total_interruptions


@pytest.mark.parametrize("point", POINTS, ids=[point.case for point in POINTS])
def test_the_ratio_equals_the_renewal_formula(point: Point) -> None:
    """Within 3 standard errors over at least 2,000 failures."""
    ratios, failures = zip(*(simulated(point, seed) for seed in range(SEEDS)), strict=True)

    assert closed_form(point) == pytest.approx(point.published, abs=1e-4)
    assert sum(failures) >= 2000
    assert abs(mean(ratios) - closed_form(point)) < 3 * stdev(ratios) / SEEDS**0.5
