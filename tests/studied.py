"""Results of studies made by hand, for tests of whatever reads them.

``results()`` has a point per keyword, a value per seed; everything else is a snapshot's.
"""

from collections.abc import Sequence
from dataclasses import replace

from goodputd import settings
from goodputd.settings import Scenario
from goodputd.studies.figures import Figures, read
from goodputd.studies.study import Point, Results, Study
from tests.snapshots import snapshot

FIGURES = read(snapshot())
TIME = "effective_training_time_ratio"
GPUS = "effective_utilization_ratio"


def scenario(name: str = "a", text: str = "") -> Scenario:
    """One scenario with these settings."""
    (found,) = settings.parse(text, source="test.toml", environ={}).scenarios
    return replace(found, name=name)


def figures(**values: float | None) -> Figures:
    """Figures with these values; the two ratios are the same unless told otherwise."""
    if TIME in values:
        values = {GPUS: values[TIME], **values}
    return replace(FIGURES, **values)  # type: ignore[arg-type] # counts are given where counts are


def results(*points: Point, seeds: int, **columns: Sequence[Sequence[float | None]]) -> Results:
    """Every point at every seed; ``columns`` has a list per point with a value per seed."""
    study = Study(points=points, seeds=range(1, seeds + 1), horizon_seconds=86400.0)
    found = Results(study)
    for index in range(len(points)):
        for seed in study.seeds:
            values = {name: column[index][seed - 1] for name, column in columns.items()}
            found.add(seed, index, figures(**values))
    return found


def named(*names: str) -> tuple[Point, ...]:
    """Points that differ in name alone."""
    return tuple(Point(name=name, scenario=scenario(name)) for name in names)
