"""The shipped lemons are those of the trace, and evicting on the second failure is best with 24 spares.

With VALIDATE in the environment over 100 seeds, otherwise over few; the seeds are fixed.
"""

import os
from functools import cache

import pytest

from goodputd.studies.estimates import Estimate
from goodputd.studies.runs import cores
from goodputd.studies.study import Results
from tests.readme import README, section
from tests.validation import lemons

ALL = "VALIDATE" in os.environ
SEEDS, TRACES, WORKERS = (lemons.SEEDS, 100, cores()) if ALL else (6, 10, 1)


@cache
def traces() -> list[lemons.Trace]:
    """The fleet of the trace, over and over."""
    return [lemons.trace(seed) for seed in range(TRACES)]


@cache
def played(spares: int) -> Results:
    """All three policies."""
    return lemons.play(spares, SEEDS, WORKERS)


def lead(spares: int, over: str) -> Estimate:
    """By how much evicting on the second failure is ahead."""
    return lemons.lead(played(spares), over)


def test_as_many_faults_are_repeated_within_a_week_as_in_the_trace() -> None:
    """31 %, within three standard errors."""
    shares = [each.repeated_share for each in traces()]

    assert abs(lemons.in_errors(shares, lemons.PUBLISHED.repeated_share)) < 3.0


def test_there_are_as_many_faults_as_in_the_trace() -> None:
    """584, within three standard errors."""
    assert abs(lemons.in_errors([each.faults for each in traces()], lemons.PUBLISHED.faults)) < 3.0


@pytest.mark.parametrize("other", lemons.POLICIES[1:])
def test_with_24_spares_evicting_on_the_second_failure_is_best(other: str) -> None:
    """On utilization, paired: the 95 % interval of the difference leaves out 0."""
    found = lead(24, other)

    assert found.half_width is not None
    assert found.mean > found.half_width


def test_with_many_spares_evicting_at_once_is_better() -> None:
    """There are always enough, and lemons are out sooner."""
    found = lead(lemons.SPARES[-1], "always-evict")

    assert found.half_width is not None
    assert found.mean < -found.half_width


def test_a_reversal_lies_where_the_line_crosses_zero() -> None:
    """A quarter of the way down from 3 to -1 is left: 7 of 8."""
    assert 8 + 0.75 * 8 == lemons.reversal((0, 8, 16, 24), (9.0, 3.0, -1.0, -2.0))


def test_the_readme_shows_every_number_of_spares() -> None:
    """A row for each, and where the best policy changes; with VALIDATE to the last digit."""
    shown = section(README.read_text(encoding="utf-8"), lemons.SECTION)

    assert [f"| {spares} |" for spares in lemons.SPARES] == [
        row[: row.index("|", 1) + 1] for row in shown.splitlines()[2 : 2 + len(lemons.SPARES)]
    ]
    assert "Always evicting is the better policy from about " in shown
    assert not ALL or shown == lemons.table(SEEDS, WORKERS)
