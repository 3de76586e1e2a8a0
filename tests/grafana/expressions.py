"""What the committed dashboards ask Prometheus, and the questions as Grafana would send them.

Reads the JSON files and nothing else: no test here depends on how they were built.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent.parent.parent / "grafana" / "dashboards"
_VARIABLE: Final = re.compile(r"\$(?:\{([a-z_]\w*)\}|([a-z_]\w*))")


@dataclass(frozen=True, slots=True)
class Expression:
    """One query of a panel; ``row`` is the heading above the panel."""

    uid: str
    row: str
    panel: str
    ref_id: str
    text: str
    """With variables."""
    instant: bool
    points: int
    """How many points Grafana asks for when it is not instant."""
    in_first_row: bool
    legend: str

    def __str__(self) -> str:
        """Where it stands."""
        return f"{self.uid}: {self.panel} ({self.ref_id})"


@dataclass(frozen=True, slots=True)
class Values:
    """What the variables of a dashboard stand for."""

    job: str = ".+"
    instance: str = ".+"
    scenario: str = ".+"
    layer: str = ".+"
    day_wall_seconds: int = 60
    range_wall_seconds: int = 900
    interval_wall_seconds: int = 3
    scrape_wall_seconds: int = 1
    more: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The value of one variable; a KeyError when no dashboard may use it."""
        step = self.interval_wall_seconds
        # Grafana's rule for $__rate_interval.
        rate = max(step + self.scrape_wall_seconds, 4 * self.scrape_wall_seconds)
        known = {
            "job": self.job,
            "instance": self.instance,
            "scenario": self.scenario,
            "layer": self.layer,
            "day": f"{self.day_wall_seconds}",
            "window": f"{3 * self.day_wall_seconds}",
            "__range": f"{self.range_wall_seconds}s",
            "__interval": f"{step}s",
            "__interval_ms": f"{1000 * step}",
            "__rate_interval": f"{rate}s",
        }
        return {**known, **self.more}[name]


def substituted(text: str, values: Values) -> str:
    """A text with every variable replaced by its value."""
    return _VARIABLE.sub(lambda found: values.of(found[1] or found[2]), text)


def dashboards() -> list[dict[str, Any]]:
    """The committed dashboards, by file name."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))]


def panels(dashboard: Mapping[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Heading of the row, its number from 0, and the panel, for every panel that is no heading."""
    heading, number = "", -1
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            heading, number = panel["title"], number + 1
        else:
            yield heading, number, panel


def dashboard_expressions() -> list[Expression]:
    """Every query of every panel of every dashboard, in the order in which they are read."""
    return [
        Expression(
            uid=dashboard["uid"],
            row=heading,
            panel=panel["title"],
            ref_id=target["refId"],
            text=target["expr"],
            instant=bool(target.get("instant")),
            points=int(panel.get("maxDataPoints", 0)),
            in_first_row=number == 0,
            legend=target.get("legendFormat", ""),
        )
        for dashboard in dashboards()
        for heading, number, panel in panels(dashboard)
        for target in panel["targets"]
    ]


def annotation_expressions() -> list[tuple[str, str, str]]:
    """Dashboard, name and query of every annotation."""
    return [
        (dashboard["uid"], annotation["name"], annotation["expr"])
        for dashboard in dashboards()
        for annotation in dashboard.get("annotations", {}).get("list", [])
    ]


def variable_expressions() -> list[tuple[str, str, str]]:
    """Dashboard, variable, and the PromQL in its query (the selector of ``label_values``)."""
    return [
        (dashboard["uid"], variable["name"], _inner(variable["query"]))
        for dashboard in dashboards()
        for variable in dashboard["templating"]["list"]
        if variable["type"] == "query"
    ]


def _inner(query: str) -> str:
    called = re.fullmatch(r"(label_values|query_result)\((.*)\)", query)
    assert called, query
    return called[2].rpartition(",")[0] if called[1] == "label_values" else called[2]
