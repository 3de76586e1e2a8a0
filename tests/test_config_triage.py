"""The shipped triage: by how much checkpoints in quick succession shorten it, as config/README.md shows.

Five seeds of 540 days, a hundred finds each.
"""

from collections.abc import Callable
from functools import cache
from statistics import fmean
from typing import Final, NamedTuple

import pytest

from goodputd.assembly import build
from goodputd.narration import duration
from goodputd.settings import load
from goodputd.sim.events import Fact, StageFinished, TrainingResumed
from goodputd.sim.taxonomy import StageName
from tests.readme import ROOT, with_section

CONFIG: Final = ROOT / "config" / "triage.toml"
README: Final = ROOT / "config" / "README.md"
FACTORS: Final = (1.0, 2.0, 4.0, 8.0)
SEEDS: Final = range(1, 6)
DAYS: Final = 540
SHORTLY_SECONDS: Final = 4 * 3600.0 + 80 * 5.9 + 15.0
"""What `hyper_hours` says, and the way to the next validation after that, with its save."""


class Decided(NamedTuple):
    """Seconds from a find to the decision, triage included."""

    first: list[float]
    """Of finds that came out of the blue."""
    again: list[float]
    """Of those within four hours after another, or at the next validation."""


@cache
def played(factor: float) -> tuple[Decided, float]:
    """All finds of all seeds, and the mean goodput."""
    decided, ratios = Decided([], []), []
    for seed in SEEDS:
        overrides = {"seed": seed, "corruption.hyper_factor": factor}
        simulation = build(load(CONFIG, overrides=overrides, environ={}))[0]
        _collect(simulation.advance_to(DAYS * 86400.0), decided)
        ratios.append(simulation.snapshot().effective_training_time_ratio or 0.0)
    return decided, fmean(ratios)


def _collect(facts: list[Fact], decided: Decided) -> None:
    resumed_at = -SHORTLY_SECONDS
    for fact in facts:
        if isinstance(fact, TrainingResumed):
            resumed_at = fact.at
        elif isinstance(fact, StageFinished) and fact.stage is StageName.DECIDE:
            soon = fact.at - fact.seconds - resumed_at <= SHORTLY_SECONDS
            (decided.again if soon else decided.first).append(fact.seconds)


def table() -> str:
    """A row for each factor."""
    lines = [
        "| checkpoints come | a find out of the blue | one within four hours after it | goodput |",
        "| --- | ---: | ---: | ---: |",
    ]
    for factor in FACTORS:
        decided, goodput = played(factor)
        often = f"{factor:g} times as often" if factor > 1.0 else "as usual"
        cells = (duration(fmean(decided.first)), duration(fmean(decided.again)), f"{goodput:.2%}")
        lines.append(f"| {often} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def test_the_readme_shows_by_how_much_triage_is_shorter(golden: Callable[[str, str], None]) -> None:
    """Means over all finds."""
    golden("../../config/README.md", with_section(README.read_text(encoding="utf-8"), "triage", table()))


@pytest.mark.parametrize("factor", FACTORS[1:])
def test_reruns_are_shorter_by_the_factor(factor: float) -> None:
    """Eleven of them for 2,048 nodes, of 80 steps as usual and so many fewer after a find."""
    usual, quick = played(1.0)[0], played(factor)[0]
    saved = 11 * 80 * 5.9 * (1.0 - 1.0 / factor)

    assert saved == pytest.approx(fmean(usual.again) - fmean(quick.again), rel=0.05)


@pytest.mark.parametrize("factor", FACTORS[1:])
def test_the_first_find_is_not_helped(factor: float) -> None:
    """Nobody knew of it."""
    assert fmean(played(1.0)[0].first) == pytest.approx(fmean(played(factor)[0].first), rel=0.01)
