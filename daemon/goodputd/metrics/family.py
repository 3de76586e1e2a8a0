"""What a metric family is, and the few ways to declare one.

A ``read`` function selects from a view and does not compute: whoever wants another number adds it
to the snapshot. A value of None leaves the sample out.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeVar

from goodputd.metrics.view import DaemonView, ScenarioView, View
from goodputd.sim.snapshot import Histogram, Total

PREFIX: Final = "goodputd_"


class MetricType(StrEnum):
    """The types of Prometheus that are used here; a summary has sum and count, no quantiles."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"
    INFO = "info"


Value = float | Histogram | Total | None
Reading = tuple[tuple[str, ...], Value]
"""Label values, in the order of the labels, and the value."""


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric family."""

    name: str
    type: MetricType
    help: str
    labels: tuple[str, ...]
    read: Callable[[View], Iterable[Reading]]


COUNTER: Final = MetricType.COUNTER
GAUGE: Final = MetricType.GAUGE
_Key = TypeVar("_Key", bound=str | tuple[str, ...])


def one(name: str, kind: MetricType, text: str, select: Callable[[ScenarioView], Value]) -> MetricSpec:
    """A metric with one value per scenario."""

    def read(view: View) -> Iterable[Reading]:
        return [((s.snapshot.scenario,), select(s)) for s in view.scenarios]

    return MetricSpec(PREFIX + name, kind, text, ("scenario",), read)


def by(
    name: str,
    kind: MetricType,
    labels: tuple[str, ...],
    text: str,
    select: Callable[[ScenarioView], Mapping[_Key, Value]],
) -> MetricSpec:
    """A metric with one value per scenario and key; a key is one label value or a tuple of them."""

    def read(view: View) -> Iterable[Reading]:
        readings: list[Reading] = []
        for scenario in view.scenarios:
            shown = scenario.snapshot.scenario
            for key, value in select(scenario).items():
                keys = (key,) if isinstance(key, str) else key
                readings.append(((shown, *keys), value))
        return readings

    return MetricSpec(PREFIX + name, kind, text, ("scenario", *labels), read)


def of_daemon(name: str, text: str, select: Callable[[DaemonView], Value]) -> MetricSpec:
    """A gauge of the daemon itself."""
    return MetricSpec(PREFIX + name, GAUGE, text, (), lambda view: [((), select(view.daemon))])


def instant(scenario: ScenarioView, at: float | None) -> float | None:
    """Simulated Unix seconds."""
    return None if at is None else scenario.settings.clock_start_timestamp + at
