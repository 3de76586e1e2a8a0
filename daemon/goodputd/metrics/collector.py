"""One family of the catalog as a prometheus_client collector.

Turns readings into the samples that prometheus_client knows how to write: cumulative buckets, sums
and counts, infos. It knows families and samples, not bytes: formats are ``exposition``'s.
"""

from collections.abc import Iterable, Iterator
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

from goodputd.metrics.family import MetricSpec, MetricType, Reading
from goodputd.sim.snapshot import Histogram, Total


class FamilyCollector(Collector):
    """Yields one family, filled with the readings that are not None."""

    def __init__(self, spec: MetricSpec, readings: Iterable[Reading]) -> None:
        """``readings`` are those of one view."""
        self._spec = spec
        self._readings = readings

    def collect(self) -> Iterator[Metric]:
        """The family; it has no samples when all readings are None."""
        yield family(self._spec, self._readings)


def cumulative(histogram: Histogram) -> list[int]:
    """Observations up to each bound, and at last all of them."""
    return list(accumulate(histogram.counts))


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
            buckets = list(zip(_edges(value), cumulative(value), strict=True))
            histogram.add_metric(values, buckets, value.sum)
    return histogram


def _edges(histogram: Histogram) -> list[str]:
    """Upper bounds as prometheus_client writes them."""
    return [*map(floatToGoString, histogram.bounds), "+Inf"]
