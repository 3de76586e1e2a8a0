"""PromQL out of the metric catalog: selectors, windows and sums that cannot name what does not exist.

A name, label or suffix that the catalog does not have fails the build of the dashboard that uses it.
Windows are simulated days in wall seconds (hidden variables of each dashboard), because a simulated
quantity per wall second means nothing: one increase is divided by another. Knows no panel.
"""

from typing import Final

from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.family import PREFIX, MetricSpec, MetricType

SPECS: Final[dict[str, MetricSpec]] = {spec.name: spec for spec in CATALOG}
"""What there is, by full name."""

DAY: Final = "${day}s"
"""A simulated day, at least four scrapes."""
WINDOW: Final = "${window}s"
"""Three simulated days: ten incidents and more at the default rates."""
SHOWN: Final = "$__range"
"""All of the time shown."""
STEP: Final = "$__rate_interval"
"""From one point of a chart to the next, at least four scrapes."""

WHO: Final = ("job", "instance", "scenario")
"""Whose number it is: two daemons may play scenarios of the same name."""

_OF_THE_SCRAPE: Final = {"job": '=~"$job"', "instance": '=~"$instance"'}
_OF_A_SCENARIO: Final = {"scenario": '=~"$scenario"'}
_SUFFIXES: Final = {
    MetricType.HISTOGRAM: ("_bucket", "_sum", "_count"),
    MetricType.SUMMARY: ("_sum", "_count"),
}
_FOREIGN: Final = ("up", "scrape_", "process_")
"""What Prometheus and its client libraries add to a target."""
_OPERATORS: Final = ("=~", "!~", "!=")


class NotInCatalogError(LookupError):
    """A dashboard asks for a metric or a label that the catalog does not have."""


def family(name: str) -> MetricSpec:
    """The family of a series, named without prefix; histograms and summaries by ``_sum`` and so on."""
    full = PREFIX + name
    spec = SPECS.get(full)
    if spec and spec.type not in _SUFFIXES:
        return spec
    for kind, suffixes in _SUFFIXES.items():
        for suffix in suffixes:
            found = SPECS.get(full.removesuffix(suffix))
            if full.endswith(suffix) and found and found.type is kind:
                return found
    raise NotInCatalogError(f"{full} is no series of a metric in goodputd.metrics.catalog")


def series(name: str, **matchers: str) -> str:
    """A selector of a series of the catalog, within the chosen jobs, instances and scenarios.

    A matcher's value may begin with its operator (``layer="!=planned"``); without one it means ``=``.
    """
    spec = family(name)
    _check(spec, matchers)
    common = _OF_THE_SCRAPE | (_OF_A_SCENARIO if "scenario" in spec.labels else {})
    return f"{PREFIX}{name}{{{_rendered(common | _parsed(matchers))}}}"


def whole(name: str) -> str:
    """A gauge that the daemon's client library or the scrape itself adds, for each target."""
    return f"sum by (job, instance) ({_foreign(name)})"


def wall_rate(name: str) -> str:
    """How fast a counter of the process itself grows: it counts wall seconds, so a rate has a meaning."""
    return f"sum by (job, instance) (rate({_foreign(name)}[{STEP}]))"


def increase(name: str, window: str, *by: str, **matchers: str) -> str:
    """By how much a counter grew in a window, summed for each scenario and the labels in ``by``."""
    return _summed(f"increase({series(name, **matchers)}[{window}])", name, by)


def delta(name: str, window: str, *by: str, **matchers: str) -> str:
    """By how much a gauge changed in a window, summed for each scenario and the labels in ``by``."""
    return _summed(f"delta({series(name, **matchers)}[{window}])", name, by)


def newly(name: str, *by: str, **matchers: str) -> str:
    """How much higher a counter is than one point of the chart before, where it is: each event once."""
    selector = series(name, **matchers)
    return f"{_summed(selector, name, by)} - {_summed(f'{selector} offset $__interval', name, by)} > 0"


def so_far(name: str, **matchers: str) -> str:
    """What a counter stands at: how many there have been since start."""
    return _summed(series(name, **matchers), name, ())


def current(name: str, *by: str, **matchers: str) -> str:
    """A gauge as it is, for each scenario and the labels in ``by``."""
    return _summed(series(name, **matchers), name, by, "max")


def of_a_daemon(expression: str) -> str:
    """One number for all scenarios of a daemon, where they agree because they share its clock."""
    return f"max by (job, instance) ({expression})"


def over_time(how: str, name: str, window: str, *by: str, **matchers: str) -> str:
    """``how`` of a gauge (min, max, avg) over a window, for each scenario and the labels in ``by``."""
    return _summed(f"{how}_over_time({series(name, **matchers)}[{window}])", name, by, "max")


def above_zero(expression: str) -> str:
    """A divisor: where there is nothing to divide by there is no result, instead of NaN."""
    return f"({expression} > 0)"


def by_whom(expression: str, divisor: str) -> str:
    """A quotient of something with labels of its own by one number per scenario."""
    return f"{expression} / on ({', '.join(WHO)}) group_left () {above_zero(divisor)}"


def else_(*expressions: str) -> str:
    """The first of these that has a value, for each scenario."""
    return " or ".join(expressions)


def minutes(seconds: str) -> str:
    """For an axis in minutes."""
    return f"({seconds}) / 60"


def hours(seconds: str) -> str:
    """For an axis in hours."""
    return f"({seconds}) / 3600"


def nothing_yet() -> str:
    """Zero for each scenario: what a mean over incidents shows while there are none."""
    return f"0 * {current('nominal_gpus')}"


def across(expression: str, *by: str) -> str:
    """The mean over daemons, for charts that have one place for each scenario and label."""
    return f"avg by ({', '.join(('scenario', *by))}) ({expression})"


def _summed(expression: str, name: str, by: tuple[str, ...], how: str = "sum") -> str:
    spec = family(name)
    _check(spec, by)
    who = WHO if "scenario" in spec.labels else WHO[:2]
    return f"{how} by ({', '.join((*who, *by))}) ({expression})"


def _foreign(name: str) -> str:
    if not name.startswith(_FOREIGN):
        raise NotInCatalogError(f"{name} comes neither from the catalog nor from a scrape")
    return f"{name}{{{_rendered(_OF_THE_SCRAPE)}}}"


def _check(spec: MetricSpec, labels: tuple[str, ...] | dict[str, str]) -> None:
    known = {*spec.labels, *(["le"] if spec.type is MetricType.HISTOGRAM else [])}
    for label in labels:
        if label not in known:
            raise NotInCatalogError(f"{spec.name} has no label {label}; it has {', '.join(sorted(known))}")


def _parsed(matchers: dict[str, str]) -> dict[str, str]:
    """Operator and quoted value of each."""
    parsed: dict[str, str] = {}
    for label, value in matchers.items():
        operator = next((each for each in _OPERATORS if value.startswith(each)), "=")
        parsed[label] = f'{operator}"{value.removeprefix(operator)}"'
    return parsed


def _rendered(matchers: dict[str, str]) -> str:
    return ", ".join(label + condition for label, condition in matchers.items())
