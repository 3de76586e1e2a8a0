"""Bursts: faulty periods, what they add, and what they leave alone."""

from itertools import pairwise
from statistics import fmean, stdev
from typing import Any

import pytest

from goodputd.sim.bursts import BurstTime
from goodputd.sim.events import FaultOccurred
from goodputd.sim.specs.faults import BurstsSpec, FaultKindSpec
from tests.world import DAY, World

HOUR = 3600.0
CRASH = FaultKindSpec(name="crash", component="gpu", per_node_day=0.5, event="XID 79")
REAL: dict[str, Any] = {"bursts__multiplier": 10.0, "bursts__quiet_hours": 60.0, "bursts__burst_hours": 12.0}
QUICK: dict[str, Any] = {
    "faults__kinds": (CRASH,),
    "policy__name": "always_restart",
    "detection__layers": ("hardware",),
    "checkpoint__size_bytes": 1.0,
    "recovery__decide_seconds": 0.0,
}
"""Sixteen nodes, a fault each three hours."""


def periods(count: int) -> list[tuple[float, float]]:
    """(quiet, burst) seconds of so many bursts."""
    time = BurstTime(BurstsSpec(multiplier=2.0, quiet_hours=60.0, burst_hours=12.0), 1)
    turns = [0.0]
    for _ in range(2 * count):
        turns.append(time.turns_at)
        time.turn()
    lengths = [after - before for before, after in pairwise(turns)]
    return list(zip(lengths[::2], lengths[1::2], strict=True))


def test_periods_have_their_means() -> None:
    """Exponential: 4,000 of each, within five standard errors."""
    quiet, burst = zip(*periods(4000), strict=True)

    assert pytest.approx(60 * HOUR, rel=0.08) == fmean(quiet)
    assert pytest.approx(12 * HOUR, rel=0.08) == fmean(burst)


def test_time_within_bursts_is_a_sum_of_periods() -> None:
    """In the middle of one, too."""
    time = BurstTime(BurstsSpec(multiplier=2.0), 3)
    before = time.until(time.turns_at)
    time.turn()
    begun, ends = time.turns_at, time.until(time.turns_at)
    time.turn()

    assert (0.0, ends) == (before, time.until(time.turns_at))
    assert ends < begun


def test_gaps_are_as_irregular_as_real_ones() -> None:
    """Ten times the rate for 12 of 72 h makes the gaps of a 3 h MTBF vary by 1.76 of their mean.

    Over 40 seeds of 60 days; within 3.3 standard errors, 0.1 % of tries. Without bursts it is 1.
    """
    variations = []
    for seed in range(40):
        facts = World(seed=seed, **QUICK, **REAL).until(60 * DAY).of(FaultOccurred)
        gaps = [after.at - before.at for before, after in pairwise(facts)]
        variations.append(stdev(gaps) / fmean(gaps))

    assert abs(fmean(variations) - 1.76) < 3.3 * stdev(variations) / 40**0.5


def test_bursts_move_no_other_fault() -> None:
    """What strikes without them strikes with them; the rest is theirs."""
    seen = []
    for overrides in ({}, REAL):
        facts = World(**QUICK, **overrides).until(60 * DAY).of(FaultOccurred)
        seen.append([(fact.at, fact.fault) for fact in facts])
    plain, all_of_them = seen

    assert len(plain) > 100
    assert plain == [fact for fact in all_of_them if "bursts" not in fact[1]]
    assert len(all_of_them) > 1.5 * len(plain)


def test_what_bursts_add_falls_into_bursts() -> None:
    """Each of its faults, and the snapshot says when."""
    world = World(**QUICK, **REAL)
    outside = 0
    while (due := world.simulation.next_event_at()) is not None and due < 30 * DAY:
        facts = world.simulation.advance_to(due)
        if any(isinstance(fact, FaultOccurred) and "bursts" in fact.fault for fact in facts):
            outside += not world.snapshot.fleet.in_burst

    assert 0 == outside


def test_expected_interruptions_know_of_bursts() -> None:
    """Observed minus expected over 100 seeds is 0 within 3.3 standard errors."""
    scores = []
    for seed in range(100):
        world = World(seed=seed, **QUICK, **REAL, faults__during_recovery=False).until(30 * DAY)
        scores.append(world.surprise)

    assert abs(fmean(scores)) < 3.3 * stdev(scores) / 100**0.5
