"""The kinds of panel that the dashboards are made of, each with one look.

A panel says what it shows, asks its queries, and gives every number a unit, decimals and a colour.
The SDK leaves refIds and reducers to its caller; they are set here. Knows no metric.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grafana_foundation_sdk.builders import (
    barchart,
    bargauge,
    common,
    heatmap,
    prometheus,
    stat,
    table,
    timeseries,
)
from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models import common as look
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import heatmap as heatmap_look
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from grafana.fields import COUNT, LIMIT, Numbers, configure, override, properties, words
from grafana.palette import SCENARIOS, WIDTHS

SOURCE: Final = look.DataSourceRef(type_val="prometheus", uid="${datasource}")
POINTS: Final = 300
"""Points of a chart: one each 3 s in the 15 minutes shown at first."""
COLUMNS_OF_HEAT: Final = 60
ROWS_IN_TIME: Final = 900
"""A point a second in the 15 minutes shown at first: a table over time must not step over a row."""

_CLOSED_SETS: Final = frozenset({"action", "component", "kind", "layer", "origin", "reason", "symptom"})
"""Labels whose values are names of the simulation and not of its user."""

Colours = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Query:
    """One expression, and what its series are called."""

    expression: str
    legend: str = "{{scenario}}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, what fills it, and how its numbers look.

    Without a heading the values are left out, and only the labels of the expression are shown.
    """

    heading: str
    expression: str
    numbers: Numbers


def single(
    title: str,
    description: str,
    query: Query,
    numbers: Numbers,
    *,
    colours: Colours = SCENARIOS,
    spark: bool = False,
    named: bool = True,
) -> model.Panel:
    """One big number for each series; with ``spark`` its course as well.

    Unless it is to be ``named``, a number that is the only one has no name.
    """
    graph = look.BigValueGraphMode
    text = look.BigValueTextMode
    panel = (
        stat.Panel()
        .graph_mode(graph.AREA if spark else graph.NONE)
        .color_mode(look.BigValueColorMode.VALUE)
        .text_mode(text.VALUE_AND_NAME if named else text.AUTO)
        .justify_mode(look.BigValueJustifyMode.AUTO)
        .orientation(look.VizOrientation.AUTO)
        .reduce_options(_newest())
        .build()
    )
    say(panel, title, description, numbers, {} if numbers.steps else colours)
    return ask(panel, [query], points=POINTS if spark else 0)


def gauges(
    title: str, description: str, query: Query, numbers: Numbers, *, colours: Colours = SCENARIOS
) -> model.Panel:
    """One bar for each series, from the low to the high limit."""
    panel = (
        bargauge.Panel()
        .display_mode(look.BarGaugeDisplayMode.BASIC)
        .orientation(look.VizOrientation.HORIZONTAL)
        .value_mode(look.BarGaugeValueMode.TEXT)
        .show_unfilled(show_unfilled=True)
        .text(common.VizTextDisplayOptions().title_size(14).value_size(18))
        .reduce_options(_newest())
        .build()
    )
    say(panel, title, description, numbers, {} if numbers.steps else colours)
    return ask(panel, [query])


def trend(
    title: str,
    description: str,
    queries: Sequence[Query],
    numbers: Numbers,
    *,
    colours: Colours = SCENARIOS,
    limits: str = "",
    second: str = "",
    stepped: bool = False,
    powers_of: int = 0,
    held_against: Sequence[float] = (),
) -> model.Panel:
    """Lines over time.

    Series whose name ends in ``limits`` are what others are held against, thin and grey; those that end
    in ``second`` are a second figure, dashed and in the colour of the first. ``held_against`` are limits
    that never change. With ``powers_of`` a base the scale is logarithmic.
    """
    course = look.LineInterpolation
    lines = _lines().line_interpolation(course.STEP_AFTER if stepped else course.LINEAR).fill_opacity(0)
    if powers_of:
        scale = common.ScaleDistributionConfig().type(look.ScaleDistribution.LOG).log(powers_of)
        lines = lines.scale_distribution(scale)
    if held_against:
        marks = [model.Threshold(color="transparent"), *(model.Threshold(at, LIMIT) for at in held_against)]
        lines = lines.thresholds(build.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(marks))
        dashes = common.GraphThresholdsStyleConfig().mode(look.GraphThresholdsStyleMode.DASHED)
        lines = lines.thresholds_style(dashes)
    panel = lines.build()
    also = {f"{name}{second}": colour for name, colour in colours.items()} if second else {}
    say(panel, title, description, on_an_axis(numbers), {**colours, **also})
    for name, width in WIDTHS.items():
        if name in colours:
            override(panel, name, {"custom.lineWidth": width})
    dashed: dict[str, object] = {"custom.lineStyle": {"fill": "dash", "dash": [8, 6]}, "custom.lineWidth": 1}
    if second:
        override(panel, f"/{second}$/", dashed)
    if limits:
        override(panel, f"/{limits}$/", {**dashed, "color": {"mode": "fixed", "fixedColor": LIMIT}})
    return ask(panel, queries, points=POINTS)


def stack(
    title: str,
    description: str,
    queries: Sequence[Query],
    numbers: Numbers,
    *,
    colours: Colours,
    stepped: bool = False,
) -> model.Panel:
    """Areas over time, one upon the other; once for each scenario, two side by side.

    When ``stepped``, a point stands for the time from the point before.
    """
    stacking = common.StackingConfig().mode(look.StackingMode.NORMAL).group("A")
    course = look.LineInterpolation
    lines = _lines().line_interpolation(course.STEP_BEFORE if stepped else course.LINEAR)
    panel = lines.fill_opacity(85).line_width(0).stacking(stacking).build()
    say(panel, title, description, on_an_axis(numbers), colours)
    return per_scenario(ask(panel, queries, points=POINTS))


def per_scenario(panel: model.Panel) -> model.Panel:
    """The same panel once for each scenario, two side by side."""
    panel.title = f"{panel.title}: $scenario"
    panel.repeat, panel.repeat_direction, panel.max_per_row = "scenario", "h", 2
    return panel


def bars(
    title: str,
    description: str,
    expression: str,
    numbers: Numbers,
    *,
    row: str,
    column: str = "scenario",
    colours: Colours = SCENARIOS,
    stacked: bool = False,
) -> model.Panel:
    """Horizontal bars: a place for each value of label ``row``, in it a bar (or a piece) per ``column``."""
    tooltip = common.VizTooltipOptions().mode(look.TooltipDisplayMode.MULTI)
    panel = (
        barchart.Panel()
        .orientation(look.VizOrientation.HORIZONTAL)
        .stacking(look.StackingMode.NORMAL if stacked else look.StackingMode.NONE)
        .show_value(look.VisibilityMode.NEVER)
        .fill_opacity(90)
        .line_width(0)
        .bar_width(0.9)
        .group_width(0.8)
        .legend(legend())
        .tooltip(tooltip)
        .build()
    )
    say(panel, title, description, on_an_axis(numbers), colours)
    ask(panel, [Query(expression, f"{{{{{row}}}}} {{{{{column}}}}}")], PromQueryFormat.TABLE)
    key = f"{row}\\{column}"
    if row in _CLOSED_SETS:
        override(panel, key, {"mappings": words()})
    order = {name: place for place, name in enumerate([key, *colours])}
    panel.transformations = [
        transformed(
            "groupingToMatrix", rowField=row, columnField=column, valueField="Value", emptyValue="null"
        ),
        # Prometheus answers in any order; without these the pieces would change places.
        transformed("organize", indexByName=order, excludeByName={}, renameByName={}),
        transformed("sortBy", fields={}, sort=[{"field": key, "desc": False}]),
    ]
    return panel


def heat(title: str, description: str, expression: str, *, rows_unit: str) -> model.Panel:
    """A histogram over time, brighter where more fell; for series by ``le``, whose unit is ``rows_unit``."""
    colour = (
        heatmap.HeatmapColorOptions()
        .mode(heatmap_look.HeatmapColorMode.SCHEME)
        .scheme("Viridis")  # told apart with any colour vision
        .steps(64)
    )
    tooltip = heatmap.HeatmapTooltip().mode(look.TooltipDisplayMode.SINGLE).y_histogram(y_histogram=True)
    panel = (
        heatmap.Panel()
        .calculate(calculate=False)
        .color(colour)
        .y_axis(heatmap.YAxisConfig().unit(rows_unit).axis_placement(look.AxisPlacement.LEFT))
        .cell_gap(1)
        .filter_values(heatmap.FilterValueRange().le(1e-9))
        .tooltip(tooltip)
        .show_legend()
        .build()
    )
    say(panel, title, description, COUNT, {})
    return ask(panel, [Query(expression, "{{le}}")], PromQueryFormat.HEATMAP, points=COLUMNS_OF_HEAT)


def sheet(
    title: str,
    description: str,
    keys: Mapping[str, str],
    columns: Sequence[Column],
    *,
    first: str,
    in_time: bool = False,
) -> model.Panel:
    """A table: a row for each combination of the labels ``keys`` (label: heading), a column per expression.

    With ``in_time`` there is a row for each point in time as well. ``first`` is the heading to sort by;
    with a minus before it the greatest comes first.
    """
    panel = table.Panel().show_header(show_header=True).cell_height(look.TableCellHeight.SM).build()
    say(panel, title, description, columns[0].numbers, {})
    queries = [Query(column.expression, f"{{{{{next(iter(keys))}}}}}") for column in columns]
    ask(panel, queries, PromQueryFormat.TABLE, points=ROWS_IN_TIME if in_time else 0)
    # A lone query's values have no letter.
    values = ["Value"] if len(columns) == 1 else [f"Value #{letter(n)}" for n in range(len(columns))]
    headings = ({"Time": "Seen at"} if in_time else {}) | dict(keys)
    shown = {value: column.heading for value, column in zip(values, columns, strict=True) if column.heading}
    headings |= shown
    hidden = {"Time", "job", "instance", *values} - headings.keys()
    panel.transformations = [
        transformed("merge"),
        transformed(
            "organize",
            excludeByName=dict.fromkeys(sorted(hidden), True),
            indexByName={name: place for place, name in enumerate(headings)},
            renameByName=headings,
        ),
        transformed("sortBy", fields={}, sort=[{"field": first.removeprefix("-"), "desc": first[0] == "-"}]),
    ]
    for label, heading in keys.items():
        shown_as: dict[str, object] = {"unit": "string"}  # or node 2000 would be 2 K
        override(panel, heading, shown_as | ({"mappings": words()} if label in _CLOSED_SETS else {}))
    for column in columns:
        if column.heading:
            override(panel, column.heading, properties(column.numbers))
    return panel


def linked(panel: model.Panel, heading: str, title: str, url: str) -> model.Panel:
    """The same table, with a link in the cells of a column."""
    override(panel, heading, {"links": [{"title": title, "url": url, "targetBlank": True}]})
    return panel


def zoomed(panel: model.Panel, time_from: str) -> model.Panel:
    """The same panel over the newest part of the time shown."""
    panel.time_from = time_from
    return panel


def say(panel: model.Panel, title: str, description: str, numbers: Numbers, colours: Colours) -> None:
    """Title, description and the look of the numbers."""
    panel.title, panel.description, panel.datasource = title, description, SOURCE
    configure(panel, numbers, colours)


def on_an_axis(numbers: Numbers) -> Numbers:
    """Counts have no decimals; of anything else the ticks know best how many they need."""
    return numbers if numbers.decimals == 0 else replace(numbers, decimals=None)


def ask(
    panel: model.Panel,
    queries: Sequence[Query],
    layout: PromQueryFormat = PromQueryFormat.TIME_SERIES,
    *,
    points: int = 0,
) -> model.Panel:
    """With ``points`` the queries cover the time shown; without, they ask for the newest value."""
    targets: list[Dataquery] = []
    for place, query in enumerate(queries):
        target = prometheus.Dataquery().ref_id(letter(place)).expr(query.expression).datasource(SOURCE)
        target = target.format(layout).legend_format(query.legend)
        targets.append((target.range() if points else target.instant()).build())
    panel.targets = targets
    if points:
        panel.max_data_points = points
    return panel


def letter(place: int) -> str:
    """What Grafana calls the query in this place, from 0."""
    return chr(ord("A") + place)


def _newest() -> common.ReduceDataOptions:
    return common.ReduceDataOptions().calcs(["lastNotNull"]).values(values=False).fields("")


def _lines() -> timeseries.Panel:
    tooltip = common.VizTooltipOptions().mode(look.TooltipDisplayMode.MULTI).sort(look.SortOrder.DESCENDING)
    panel = timeseries.Panel().line_width(2).show_points(look.VisibilityMode.NEVER)
    return panel.legend(legend()).tooltip(tooltip)


def legend() -> common.VizLegendOptions:
    """Names and colours in a line below."""
    shown = common.VizLegendOptions().show_legend(show_legend=True)
    return shown.display_mode(look.LegendDisplayMode.LIST).placement(look.LegendPlacement.BOTTOM)


def transformed(name: str, **options: object) -> model.DataTransformerConfig:
    """A transformation by its id."""
    return model.DataTransformerConfig(id_val=name, options=options)
