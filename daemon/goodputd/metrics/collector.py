"""The catalog as a prometheus_client collector over the published view.

Each ``collect`` reads one view from beginning to end, so that all families on a page belong to the
same instant. It knows families and samples, not bytes: formats are ``exposition``'s.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate

from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from goodputd.metrics.catalog import CATALOG, MetricSpec, MetricType, Reading
from goodputd.metrics.view import View
from goodputd.sim.snapshot import Histogram, Total


class ViewCollector(Collector):
    """Yields every family of the catalog, filled from ``view``; none while there is no view."""

    def __init__(self) -> None:
        """There is no view yet."""
        self.view: View | None = None

    def describe(self) -> Iterator[Metric]:
        """The families without samples: what a registry checks names with."""
        return (family(spec, ()) for spec in CATALOG)

    def collect(self) -> Iterator[Metric]:
        """The families with their samples; one whose readings are all None has none."""
        view = self.view
        if view is None:
            return iter(())
        return (family(spec, spec.read(view)) for spec in CATALOG)


def family(spec: MetricSpec, readings: Iterable[Reading]) -> Metric:
    """One family with a sample per reading that is not None; buckets become cumulative."""
    if spec.type is MetricType.COUNTER or spec.type is MetricType.GAUGE:
        make = CounterMetricFamily if spec.type is MetricType.COUNTER else GaugeMetricFamily
        plain = make(spec.name, spec.help, labels=spec.labels)
        for values, value in readings:
            if isinstance(value, float | int):
                plain.add_metric(values, value)
        return plain
    if spec.type is MetricType.INFO:
        info = InfoMetricFamily(spec.name.removesuffix("_info"), spec.help, labels=spec.labels)
        for values, _ in readings:
            info.add_metric(values, {})
        return info
    if spec.type is MetricType.SUMMARY:
        summary = SummaryMetricFamily(spec.name, spec.help, labels=spec.labels)
        for values, value in readings:
            if isinstance(value, Total):
                summary.add_metric(values, count_value=value.count, sum_value=value.seconds)
        return summary
    histogram = HistogramMetricFamily(spec.name, spec.help, labels=spec.labels)
    for values, value in readings:
        if isinstance(value, Histogram):
            histogram.add_metric(values, _cumulative(value), value.sum)
    return histogram


def _cumulative(histogram: Histogram) -> list[tuple[str, float]]:
    """(upper bound as text, observations up to it), ending with +Inf."""
    return list(zip(_edges(histogram.bounds), accumulate(histogram.counts), strict=True))


@cache
def _edges(bounds: tuple[float, ...]) -> tuple[str, ...]:
    """Upper bounds as prometheus_client writes them; there are as many tuples as histograms."""
    return (*map(floatToGoString, bounds), "+Inf")
