"""The headline expressions, and what the ledger says they are between two scrapes.

Whoever changes one changes the other. Knows snapshots and PromQL, and no server.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pytest

from goodputd.sim.snapshot import Snapshot
from goodputd.sim.taxonomy import Bucket, Component, Layer

_NOT_CAUSED_BY_FAULTS: Final = {Component.PLANNED, Component.FALSE_ALARM}


@dataclass(slots=True)
class Window:
    """The ledger at the first and the last scrape of a window, and the number of scrapes."""

    first: Snapshot
    last: Snapshot
    scrapes: int

    def increase(self, read: Callable[[Snapshot], float]) -> float:
        """By how much a number grew from the first scrape to the last."""
        return read(self.last) - read(self.first)

    @property
    def stretch(self) -> float:
        """The largest factor by which ``increase()`` may exceed the difference of its samples.

        It extrapolates to the edges of its window, by at most 1.1 times the mean distance of samples.
        Here that is the left edge only, since a sample marks the right one. A counter near 0 is
        extrapolated by less, so that a quotient of two increases is right to within this factor.
        """
        return 1.0 + 1.1 / (self.scrapes - 1)


@dataclass(frozen=True, slots=True)
class Headline:
    """A headline expression, its window, and its value by the ledger with how far it may be off.

    The value is a dictionary by layer, or with one key, the empty string.
    """

    window: str
    expression: str
    by_ledger: Callable[[Window], dict[str, Any]]


def goodput(window: Window) -> dict[str, Any]:
    """Productive and provisional time over elapsed; either term may be stretched without the other."""
    productive = window.increase(lambda s: s.seconds[Bucket.PRODUCTIVE])
    provisional = window.increase(lambda s: s.provisional_seconds)
    elapsed = window.increase(lambda s: s.now)
    doubt = (window.stretch - 1.0) * (productive + 2.0 * abs(provisional)) / elapsed
    return {"": pytest.approx((productive + provisional) / elapsed, abs=doubt, rel=0.0)}


def interruptions_a_day(window: Window) -> dict[str, Any]:
    """Incidents, planned stops and false alarms included, per elapsed day."""
    days = window.increase(lambda s: s.now) / 86400.0
    return {"": quotient(window, window.increase(all_incidents), days)}


def mttr_mean(window: Window) -> dict[str, Any]:
    """Stopped seconds over incidents closed."""
    seconds = window.increase(lambda s: s.recovery_seconds.sum)
    return {"": quotient(window, seconds, window.increase(lambda s: sum(s.recovery_seconds.counts)))}


def mttr_p95(window: Window) -> dict[str, Any]:
    """The quantile; stretched buckets move its rank by no more than the stretch."""
    first, last = window.first.recovery_seconds, window.last.recovery_seconds
    counts = tuple(after - before for before, after in zip(first.counts, last.counts, strict=True))
    low = quantile(0.95 / window.stretch, last.bounds, counts)
    high = quantile(min(1.0, 0.95 * window.stretch), last.bounds, counts)
    return {"": pytest.approx((low + high) / 2.0, abs=(high - low) / 2.0 + 1e-9, rel=0.0)}


def share_by_layer(window: Window) -> dict[str, Any]:
    """Each layer's incidents over all."""
    total = window.increase(all_incidents)
    layers = {layer for _, layer in window.last.interruptions}
    return {
        str(layer): quotient(window, window.increase(partial(incidents_of, layer)), total) for layer in layers
    }


def observed_over_expected(window: Window) -> dict[str, Any]:
    """Incidents caused by faults over those to expect."""
    observed = window.increase(
        lambda s: sum(n for (c, _), n in s.interruptions.items() if c not in _NOT_CAUSED_BY_FAULTS)
    )
    return {"": quotient(window, observed, window.increase(lambda s: s.expected_interruptions))}


def all_incidents(snapshot: Snapshot) -> int:
    """Incidents of every component and layer."""
    return sum(snapshot.interruptions.values())


def incidents_of(layer: Layer, snapshot: Snapshot) -> int:
    """Incidents that one layer noticed."""
    return sum(n for (_, noticed), n in snapshot.interruptions.items() if noticed is layer)


def quotient(window: Window, part: float, whole: float) -> Any:  # noqa: ANN401 - pytest does not name it
    """A quotient of two increases, right to within the factor by which one may be stretched."""
    return pytest.approx(part / whole, rel=window.stretch - 1.0, abs=0.0)


def quantile(rank: float, bounds: tuple[float, ...], counts: tuple[int, ...]) -> float:
    """``histogram_quantile`` of counts per bucket: linear within the bucket that holds the rank."""
    wanted = rank * sum(counts)
    below = 0
    for low, high, count in zip((0.0, *bounds), bounds, counts, strict=False):
        if below + count >= wanted and count:
            return low + (high - low) * (wanted - below) / count
        below += count
    return bounds[-1]


WHO: Final = "by (job, instance, scenario)"
ELAPSED: Final = f"sum {WHO} (increase(goodputd_elapsed_seconds_total[1m]))"
HEADLINES: Final = {
    "goodput": Headline(
        "1m",
        f'(sum {WHO} (increase(goodputd_time_seconds_total{{bucket="productive"}}[1m]))'
        f" + sum {WHO} (delta(goodputd_provisional_seconds[1m]))) / {ELAPSED}"
        f" and {ELAPSED} > 5 * max {WHO} (goodputd_checkpoint_interval_seconds)",
        goodput,
    ),
    "interruptions a day": Headline(
        "1m",
        f"86400 * sum {WHO} (increase(goodputd_interruptions_total[1m])) / {ELAPSED}",
        interruptions_a_day,
    ),
    "MTTR p95": Headline(
        "5m",
        "histogram_quantile(0.95, sum by (job, instance, scenario, le)"
        " (increase(goodputd_recovery_seconds_bucket[5m])))",
        mttr_p95,
    ),
    "MTTR mean": Headline(
        "5m",
        f"sum {WHO} (increase(goodputd_recovery_seconds_sum[5m]))"
        f" / sum {WHO} (increase(goodputd_recovery_seconds_count[5m]))",
        mttr_mean,
    ),
    "share by layer": Headline(
        "1m",
        "sum by (job, instance, scenario, layer) (increase(goodputd_interruptions_total[1m]))"
        " / on (job, instance, scenario) group_left ()"
        f" (sum {WHO} (increase(goodputd_interruptions_total[1m])) > 0)",
        share_by_layer,
    ),
    "observed over expected": Headline(
        "1m",
        f'sum {WHO} (increase(goodputd_interruptions_total{{component!~"planned|false_alarm"}}[1m]))'
        f" / sum {WHO} (increase(goodputd_expected_interruptions_total[1m]))",
        observed_over_expected,
    ),
}
