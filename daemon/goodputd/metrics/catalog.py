"""Every metric, once: its name, type, help, labels, and which part of a view it shows.

The collector, the documentation and the dashboards are made from ``CATALOG``. Seconds are simulated
unless the name says ``wall``.
"""

from typing import Final

from goodputd.metrics.family import MetricSpec
from goodputd.metrics.in_force import DAEMON, SETTINGS
from goodputd.metrics.levels import GAUGES, INSTANTS
from goodputd.metrics.totals import COUNTERS, DISTRIBUTIONS

CATALOG: Final[tuple[MetricSpec, ...]] = (
    *COUNTERS,
    *DISTRIBUTIONS,
    *GAUGES,
    *INSTANTS,
    *SETTINGS,
    *DAEMON,
)
"""In the order of the page."""


def documentation() -> str:
    """The catalog as a Markdown table, one row per metric, with a newline at the end."""
    rows = ["| metric | type | labels | meaning |", "| --- | --- | --- | --- |"]
    for spec in CATALOG:
        labels = ", ".join(f"`{label}`" for label in spec.labels) or "none"
        text = spec.help.replace("|", "\\|")
        rows.append(f"| `{spec.name}` | {spec.type} | {labels} | {text} |")
    return "\n".join(rows) + "\n"
