"""What all dashboards have in common: variables, links, annotations, and panels laid out in rows.

Ids of panels follow from their place in a section (section 3, fourth panel: 304), so that a link to a
panel survives when another section grows. Knows no metric but those that fill the variables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from grafana_foundation_sdk.builders import dashboard as build
from grafana_foundation_sdk.models import dashboard as model

from grafana.fields import LIMIT
from grafana.headlines import TAKEN_OUT
from grafana.panels import SOURCE
from grafana.queries import WHO, current, family, newly, series

WIDTH: Final = 24
_IDS_OF_A_SECTION: Final = 100
_EVERY_DAEMON: Final = "build_info"
_EVERY_SCENARIO: Final = "elapsed_seconds_total"
STATUS_PAGE: Final = "http://localhost:9642"

TITLES: Final = {
    "goodputd-goodput": "Goodput",
    "goodputd-incidents": "Incidents and recovery",
    "goodputd-fleet": "Fleet and capacity",
    "goodputd-tuning": "Tuning",
    "goodputd-daemon": "Daemon",
}
"""Title of each dashboard by uid, in the order in which they are read."""


@dataclass(frozen=True, slots=True)
class Line:
    """Panels side by side, each with its width; together at most 24."""

    height: int
    panels: Sequence[tuple[model.Panel, int]]


@dataclass(frozen=True, slots=True)
class Section:
    """A question of the dashboard, and the panels that answer it."""

    question: str
    lines: Sequence[Line]


def board(
    uid: str,
    description: str,
    sections: Sequence[Section],
    *,
    layers: bool = False,
    marked: Sequence[str] = (),
) -> model.Dashboard:
    """A dashboard; ``marked`` are the titles of the panels that show evictions and interruptions as marks.

    With ``layers`` there is a variable to choose detection layers.
    """
    panels = _laid_out(sections)
    shown = build.Dashboard(f"goodputd / {TITLES[uid]}").uid(uid).description(description).tags(["goodputd"])
    shown = shown.readonly().time("now-15m", "now").refresh("5s").timezone("browser")
    shown = shown.tooltip(model.DashboardCursorSync.CROSSHAIR)
    for variable in _variables(layers=layers):
        shown = shown.with_variable(variable)
    for other, title in TITLES.items():
        if other != uid:
            shown = shown.link(
                _link(title, f"/d/{other}").keep_time(keep_time=True).include_vars(include_vars=True)
            )
    shown = shown.link(
        _link("Status page", "${goodputd_url}/").icon("external link").target_blank(target_blank=True)
    )
    if marked:
        ids = [panel.id_val for panel in panels if isinstance(panel, model.Panel) and panel.title in marked]
        for marks in _marks():
            among = build.AnnotationPanelFilter().exclude(exclude=False)
            shown = shown.annotation(marks.filter(among.ids([each for each in ids if each is not None])))
    built = shown.build()
    built.panels = panels
    return built


def _laid_out(sections: Sequence[Section]) -> list[model.Panel | model.RowPanel]:
    placed: list[model.Panel | model.RowPanel] = []
    top = 0
    for number, section in enumerate(sections, 1):
        ids = count(number * _IDS_OF_A_SECTION)
        at = model.GridPos(h=1, w=WIDTH, x=0, y=top)
        placed.append(build.Row(section.question).id(next(ids)).grid_pos(at).build())
        top += 1
        for line in section.lines:
            left = 0
            for panel, width in line.panels:
                panel.id_val = next(ids)
                panel.grid_pos = model.GridPos(h=line.height, w=width, x=left, y=top)
                placed.append(panel)
                left += width
            top += line.height
    return placed


def _variables(
    *, layers: bool
) -> list[build.DatasourceVariable | build.QueryVariable | build.TextBoxVariable]:
    scenario = f"label_values({series(_EVERY_SCENARIO)}, scenario)".replace(', scenario=~"$scenario"', "")
    variables: list[build.DatasourceVariable | build.QueryVariable | build.TextBoxVariable] = [
        build.DatasourceVariable("datasource").label("Data source").type("prometheus"),
        _choice("job", f"label_values({family(_EVERY_DAEMON).name}, job)"),
        _choice("instance", f'label_values({family(_EVERY_DAEMON).name}{{job=~"$job"}}, instance)'),
        _choice("scenario", scenario),
    ]
    if layers:
        values = f"label_values({series('interruptions_total')}, layer)"
        variables.append(_choice("layer", values))
    address = build.TextBoxVariable("goodputd_url").label("Status page").default_value(STATUS_PAGE)
    address = address.description("Where this browser reaches goodputd; links lead there.")
    address = address.hide(model.VariableHide.HIDE_VARIABLE)
    return [*variables, _length("day", 1), _length("window", 3), address]


def _choice(name: str, query: str) -> build.QueryVariable:
    """A variable whose values come from a label; any number of them can be chosen."""
    everything = model.VariableOption(selected=True, text=["All"], value=["$__all"])
    variable = build.QueryVariable(name).label(name.capitalize()).datasource(SOURCE).query(query)
    variable = variable.multi(multi=True).include_all(include_all=True).all_value(".+").current(everything)
    variable = variable.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED).definition(query)
    return variable.sort(model.VariableSort.ALPHABETICAL_ASC)


def _length(name: str, days: int) -> build.QueryVariable:
    """A hidden variable: wall seconds of so many simulated days, at least four scrapes for each.

    In the query of a variable ``$__interval_ms`` is the data source's own scrape interval.
    """
    speedup = f"({series('speedup_ratio')} > 0)"
    scrapes = f"{4 * days} * $__interval_ms / 1000"
    seconds = f"max(clamp_min(ceil({86400 * days} / {speedup}), {scrapes})) or vector({60 * days})"
    query = f"query_result({seconds})"
    variable = build.QueryVariable(name).label(f"Wall seconds of {days} simulated days").datasource(SOURCE)
    variable = variable.query(query).definition(query).regex(r"/ (\d+) /")
    shipped = model.VariableOption(selected=True, text=str(60 * days), value=str(60 * days))
    variable = variable.current(shipped).hide(model.VariableHide.HIDE_VARIABLE)
    return variable.refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)


def _link(title: str, url: str) -> build.DashboardLink:
    return build.DashboardLink(title).type(model.DashboardLinkType.LINK).url(url).icon("dashboard")


def _marks() -> tuple[build.AnnotationQuery, build.AnnotationQuery]:
    """Where one was counted between one point and the next, in scenarios that are not there to compare with.

    Interruptions are a dozen a day and would hide what they explain, so they are off until wanted.
    """
    evicted = _mark("Evictions", newly("decisions_total", "reason", **TAKEN_OUT))
    evicted = evicted.title_format("{{scenario}}: evicted").text_format("{{reason}}")
    interrupted = _mark("Interruptions", newly("interruptions_total", "component", "layer"))
    interrupted = interrupted.title_format("{{scenario}}: {{component}}").text_format("seen by {{layer}}")
    return evicted.enable(enable=True), interrupted.enable(enable=False)


def _mark(name: str, counted: str) -> build.AnnotationQuery:
    alerting = f"and on ({', '.join(WHO)}) {current('scenario_alerting')} == 1"
    marks = build.AnnotationQuery().name(name).datasource(SOURCE).icon_color(LIMIT).step("1s")
    return marks.expr(f"{counted} {alerting}")
