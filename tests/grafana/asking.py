"""Asks a Prometheus what panels ask, as Grafana would send it."""

from dataclasses import replace
from typing import Any

from tests.grafana.expressions import Expression, Values, substituted
from tests.prometheus import Prometheus


def answer(prometheus: Prometheus, expression: Expression, at: float, values: Values) -> list[dict[str, Any]]:
    """The series that a panel gets when the time shown ends at ``at``, Unix seconds."""
    if expression.instant:
        text = substituted(expression.text, values)
        return list(prometheus.get("query", query=text, time=f"{at:.3f}")["result"])
    length = values.range_wall_seconds
    step = max(1, length // expression.points)
    text = substituted(expression.text, replace(values, interval_wall_seconds=step))
    window = {"start": f"{at - length:.3f}", "end": f"{at:.3f}", "step": f"{step}"}
    return list(prometheus.get("query_range", query=text, **window)["result"])
