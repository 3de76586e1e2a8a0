"""One quantity of each scenario against another: a point per scenario, where other charts have time.

Knows Grafana's XY chart, which takes its points from the columns of a table, and no metric.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grafana_foundation_sdk.builders import common, xychart
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.models import common as look
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import xychart as chart
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from grafana.fields import Numbers, override
from grafana.palette import SKY
from grafana.panels import Query, ask, legend, letter, say, transformed

GRAFANA: Final = "12.1.1"
"""Of compose.yaml. A panel without a version is taken for one of before 11.1 and misread."""
_POINT: Final = 9
_MARK: Final = 7


@dataclass(frozen=True, slots=True)
class Points:
    """A value for each scenario: its name, PromQL with the label ``scenario`` alone, and its colour."""

    heading: str
    expression: str
    colour: str = SKY


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its label, and its numbers; with ``powers_of`` a base it is logarithmic."""

    label: str
    numbers: Numbers
    powers_of: int = 0


def against(
    title: str,
    description: str,
    x: Axis,
    y: Axis,
    *,
    across: str,
    points: Sequence[Points],
    marked: Points | None = None,
    at: str = "",
) -> model.Panel:
    """Each of ``points`` over ``across``, PromQL like theirs; every scenario of one is in the other.

    ``marked`` are square and lie over ``at`` instead.
    """
    columns = [Points(x.label, across), *points]
    series = [_series(x.label, each) for each in points]
    if marked is not None:
        where = Points(f"{marked.heading}: {x.label}", at)
        columns += [where, marked]
        series.append(_series(where.heading, marked))
    panel = _chart(series)
    # Limits belong to one axis; what all fields have in common would be those of the other as well.
    say(panel, title, description, Numbers(y.numbers.unit), {each.heading: each.colour for each in points})
    ask(panel, [Query(each.expression) for each in columns], PromQueryFormat.TABLE)
    _tabulate(panel, columns)
    override(panel, x.label, _along(x))
    for each in points:
        override(panel, each.heading, _along(y))
    if marked is not None:
        override(panel, f"{marked.heading}: {x.label}", _along(x))
        shape = {"custom.pointShape": chart.PointShape.SQUARE, "custom.pointSize.fixed": _MARK}
        colour = {"color": {"mode": "fixed", "fixedColor": marked.colour}}
        override(panel, marked.heading, {**_along(y), **colour, **shape})
    return panel


def _chart(series: list[Builder[chart.XYSeriesConfig]]) -> model.Panel:
    size = xychart.XychartFieldConfigPointSize().fixed(_POINT)
    tooltip = common.VizTooltipOptions().mode(look.TooltipDisplayMode.SINGLE)
    builder = xychart.Panel().mapping(chart.SeriesMapping.MANUAL).series(series).point_size(size)
    builder = builder.show(chart.XYShowMode.POINTS).fill_opacity(70).point_stroke_width(1)
    panel = builder.legend(legend()).tooltip(tooltip).build()
    panel.plugin_version = GRAFANA
    return panel


def _tabulate(panel: model.Panel, columns: Sequence[Points]) -> None:
    """The answers side by side, a row for each scenario, in the order of the first."""
    headings = {f"Value #{letter(place)}": each.heading for place, each in enumerate(columns)}
    panel.transformations = [
        transformed("merge"),
        transformed(
            "organize",
            excludeByName={"Time": True},
            indexByName={name: place for place, name in enumerate(["scenario", *headings])},
            renameByName={"scenario": "Scenario", **headings},
        ),
        transformed("sortBy", fields={}, sort=[{"field": columns[0].heading, "desc": False}]),
    ]


def _series(across: str, points: Points) -> Builder[chart.XYSeriesConfig]:
    frame = xychart.MatcherConfig().id("byIndex").options(0)
    x, y = (xychart.MatcherConfig().id("byName").options(name) for name in (across, points.heading))
    return (
        xychart.XYSeriesConfig()
        .frame(xychart.XychartXYSeriesConfigFrame().matcher(frame))
        .x(xychart.XychartXYSeriesConfigX().matcher(x))
        .y(xychart.XychartXYSeriesConfigY().matcher(y))
        .name(xychart.XychartXYSeriesConfigName().fixed(points.heading))
    )


def _along(axis: Axis) -> dict[str, object]:
    """How the fields look that are drawn along an axis."""
    shown: dict[str, object] = {"unit": axis.numbers.unit, "custom.axisLabel": axis.label}
    if axis.numbers.low is not None:
        shown["min"] = axis.numbers.low
    if axis.numbers.high is not None:
        shown["max"] = axis.numbers.high
    if axis.powers_of:
        shown["custom.scaleDistribution"] = {"type": "log", "log": axis.powers_of}
    return shown
