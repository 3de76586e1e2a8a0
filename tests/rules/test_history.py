"""The rules over weeks in a real Prometheus: a healthy hour, an eventful one, and a broken one.

Each alert is evaluated at every scrape, as the server would, and what it takes for it to fire is
counted. What is recorded is held against the ledger.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import promql_parser as promql
import pytest

from goodputd.sim.snapshot import Snapshot
from goodputd.sim.taxonomy import Bucket, Component
from tests.headlines import HEADLINES, Window, quotient
from tests.prometheus import Curve
from tests.rules.history import STARTED_AT, History, played
from tests.rules.reading import ALERTS, RECORDED, ROOT, RULES, Rule, in_place, nodes

# Each world is played once: all tests of this file belong on one worker.
pytestmark = pytest.mark.xdist_group("rules")

DEFAULT: Final = ROOT / "config" / "default.toml"
BROKEN: Final = Path(__file__).parent / "broken.toml"
EVENTFUL: Final = Path(__file__).parent / "eventful.toml"
DAYS: Final = 60
BROKEN_DAYS: Final = 20
EVENTFUL_DAYS: Final = 30
READ: Final = {
    str(node.name)
    for rule in RULES
    for node, _ in nodes(rule.parsed())
    if isinstance(node, promql.VectorSelector)
}
SCRAPES_A_DAY: Final = 60
LOOKED_AT: Final = (10 * SCRAPES_A_DAY, 37 * SCRAPES_A_DAY, DAYS * SCRAPES_A_DAY)
"""Numbers of scrapes at which recorded series are held against the ledger."""

FIRES_WHEN_BROKEN: Final = {
    "GoodputBelowTarget": "ten more minutes of stall in each incident cost a twentieth of the time",
    "MttrOverBudget": "the watchdog alone takes 600 s of the 390 that there are",
    "WatchdogDoingTheDetecting": "no other layer is on",
    "SparesExhausted": "nodes are evicted, and there is no spare to take their place",
}
"""And no other: the interruptions are those to expect, one eviction costs one replica of 128 and not the
job, restores are as good as ever, a watchdog raises no false alarms, and a layer that is off is not blind."""


@pytest.fixture(scope="module")
def healthy(promtool: Path, prometheus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """The default settings for an hour."""
    lengths = [SCRAPES_A_DAY, 5 * SCRAPES_A_DAY]
    truth_at = {*LOOKED_AT, *(last - length + 1 for last in LOOKED_AT for length in lengths)}
    folder = tmp_path_factory.mktemp("healthy")
    with played(
        DEFAULT, DAYS, names=READ, truth_at=truth_at, commands=(promtool, prometheus), folder=folder
    ) as history:
        yield history


@pytest.fixture(scope="module")
def broken(promtool: Path, prometheus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """Spares 0, watchdog only, for twenty minutes."""
    folder = tmp_path_factory.mktemp("broken")
    with played(BROKEN, BROKEN_DAYS, names=READ, commands=(promtool, prometheus), folder=folder) as history:
        yield history


@pytest.fixture(scope="module")
def eventful(promtool: Path, prometheus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    """Maintenance, racks, wear, lemons and bursts, for half an hour."""
    folder = tmp_path_factory.mktemp("eventful")
    with played(
        EVENTFUL,
        EVENTFUL_DAYS,
        names={
            *READ,
            "goodputd_faults_total",
            "goodputd_drained_nodes_total",
            "goodputd_fault_burst",
            "goodputd_lemon_faults_total",
        },
        commands=(promtool, prometheus),
        folder=folder,
    ) as history:
        yield history


def fires(curve: Curve, hold_seconds: float) -> bool:
    """Whether the expression had a value at every scrape for as long as the alert waits."""
    since = before = None
    for at, _ in curve:
        since = at if since is None or before is None or at - before > 1.0 else since
        before = at
        if at - since >= hold_seconds:
            return True
    return False


def firing(history: History) -> dict[str, list[str]]:
    """The alerts that would have fired at any time, and for which scenarios."""
    found: dict[str, list[str]] = {}
    for alert in ALERTS:
        hold_seconds = promql.parse_duration(alert.hold).total_seconds()
        for (_, labels), curve in history.curves(in_place(alert.expression)).items():
            if fires(curve, hold_seconds):
                found.setdefault(alert.alert, []).append(dict(labels).get("scenario", ""))
    return found


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [([1, 2], False), ([1, 2, 3], True), ([1, 2, 4, 5], False), ([], False), ([7, 1003, 1004, 1005], True)],
)
def test_an_alert_fires_when_it_held_without_a_gap(seconds: list[int], expected: bool) -> None:
    """Two seconds are three scrapes in a row."""
    assert expected == fires([(float(second), 1.0) for second in seconds], 2.0)


def test_a_healthy_hour_fires_nothing(healthy: History) -> None:
    """In sixty simulated days of the default settings no alert fires."""
    assert {} == firing(healthy)


def test_the_scenario_for_comparison_would_have_fired(healthy: History) -> None:
    """It is the join on `alerting`, and not lack of data, that keeps the naive scenario silent."""
    (alert,) = (alert for alert in ALERTS if alert.alert == "WatchdogDoingTheDetecting")
    (_, join) = alert.expression.rsplit("\n", 1)
    curves = healthy.curves(in_place(alert.expression.removesuffix(join)))

    assert "goodputd_scenario_alerting == 1" in join
    assert ["naive"] == [dict(labels)["scenario"] for _, labels in curves]


def test_a_broken_world_fires_what_it_should(broken: History) -> None:
    """With no spares and the watchdog alone, exactly the alerts that are about these two fire."""
    assert {alert: ["default"] for alert in FIRES_WHEN_BROKEN} == firing(broken)


def test_an_eventful_world_fires_nothing(eventful: History) -> None:
    """Planned stops are no interruptions, and what racks, wear, lemons and bursts break is expected."""
    assert {} == firing(eventful)


@pytest.mark.parametrize(
    "happened",
    [
        'interruptions_total{component="planned"}',
        'interruptions_total{component="power"}',
        'faults_total{kind="worn_fan"}',
        "drained_nodes_total",
        "lemon_faults_total",
        "fault_burst",
    ],
)
def test_an_eventful_world_is_eventful(eventful: History, happened: str) -> None:
    """The silence of the alerts is not for want of events."""
    peaks = [max(value for _, value in curve) for curve in eventful.curves(f"goodputd_{happened}").values()]

    assert sum(peaks) > 0.0


# --- what is recorded


@pytest.mark.parametrize("rule", RECORDED.values(), ids=list(RECORDED))
def test_a_recorded_series_is_a_number_for_each_scenario(healthy: History, rule: Rule) -> None:
    """Once its window is full, it has a finite value at every scrape."""
    curves = healthy.curves(in_place(rule.expression))
    first = STARTED_AT + 10 * SCRAPES_A_DAY

    assert {"naive", "default"} == {dict(labels)["scenario"] for _, labels in curves}
    for curve in curves.values():
        late = [value for at, value in curve if at >= first]
        assert [] == [value for value in late if not abs(value) < 1e12]
        assert late


def utilization(window: Window) -> dict[str, Any]:
    """Productive and provisional GPU-seconds over nominal ones; as for goodput, terms may be stretched."""
    productive = window.increase(lambda s: s.gpu_seconds[Bucket.PRODUCTIVE] - s.retracted_gpu_seconds)
    provisional = window.increase(lambda s: s.provisional_gpu_seconds)
    nominal = window.last.nominal_gpus * window.increase(lambda s: s.now)
    doubt = (window.stretch - 1.0) * (productive + 2.0 * abs(provisional)) / nominal
    return {"": pytest.approx((productive + provisional) / nominal, abs=doubt, rel=0.0)}


def observed_over_expected(window: Window) -> dict[str, Any]:
    """Incidents but planned ones over those to expect, which include false alarms."""
    observed = window.increase(unplanned)
    return {"": quotient(window, observed, window.increase(lambda s: s.expected_interruptions))}


def unplanned(snapshot: Snapshot) -> int:
    """Incidents of every component but planned."""
    return sum(n for (c, _), n in snapshot.interruptions.items() if c is not Component.PLANNED)


HEADLINE_RULES: Final[dict[str, Callable[[Window], dict[str, Any]]]] = {
    "scenario:goodputd_goodput:ratio1d": HEADLINES["goodput"].by_ledger,
    "scenario:goodputd_utilization:ratio1d": utilization,
    "scenario:goodputd_interruptions:per_day1d": HEADLINES["interruptions a day"].by_ledger,
    "scenario_layer:goodputd_interruptions:share1d": HEADLINES["share by layer"].by_ledger,
    "scenario:goodputd_interruptions:observed_over_expected1d": observed_over_expected,
    "scenario:goodputd_recovery_seconds:mean5d": HEADLINES["MTTR mean"].by_ledger,
    "scenario:goodputd_recovery_seconds:p95_5d": HEADLINES["MTTR p95"].by_ledger,
}


@pytest.mark.parametrize("scrape", LOOKED_AT)
@pytest.mark.parametrize("name", HEADLINE_RULES)
def test_a_headline_is_the_ledgers(healthy: History, name: str, scrape: int) -> None:
    """What is recorded at a scrape is what the ledger says of its window, to within the stretch."""
    length = 5 * SCRAPES_A_DAY if name.endswith("5d") else SCRAPES_A_DAY
    window = Window(healthy.truth[scrape - length + 1], healthy.truth[scrape], length)
    values = healthy.prometheus.vector(in_place(name), STARTED_AT + scrape)
    own = {
        dict(labels).get("layer", ""): value
        for (_, labels), value in values.items()
        if ("scenario", "default") in labels
    }

    assert HEADLINE_RULES[name](window) == own
