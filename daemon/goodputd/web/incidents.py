"""The pages of the past: the list of incidents, and the post-mortem of one.

Joins view and history into what the templates show. Knows requests only as their parameters.
"""

import asyncio
import heapq
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode

from goodputd.detectors import DETECTORS
from goodputd.history.keeping import Chronicle, History
from goodputd.history.postmortem import RECOVERY_BUDGET_SECONDS, post_mortem
from goodputd.history.records import IncidentRecord
from goodputd.metrics.view import View
from goodputd.web.drawing import incident_axis, incident_line

PER_PAGE: Final = 50
_BETWEEN_TURNS: Final = 10
"""Incidents that are folded before others get a turn of the loop."""


def now_of(view: View, scenario: str) -> float:
    """The simulated second that the view shows of this scenario."""
    return next(each.snapshot.now for each in view.scenarios if each.snapshot.scenario == scenario)


async def newest(
    view: View, chronicles: Sequence[Chronicle], *, limit: int, before: float
) -> tuple[list[IncidentRecord], float | None]:
    """The newest incidents of these scenarios that stopped the job before ``before``.

    Returns them with what to ask for next: None when nothing older is kept.
    """
    merged = heapq.merge(
        *(each.newest_first(now_of(view, each.premises.name), before) for each in chronicles),
        key=lambda incident: incident.stopped_at,
        reverse=True,
    )
    found: list[IncidentRecord] = []
    for incident in merged:
        if len(found) == limit:
            return found, found[-1].stopped_at
        found.append(incident)
        if len(found) % _BETWEEN_TURNS == 0:
            await asyncio.sleep(0)
    return found, None


async def listing(view: View, history: History, chosen: Chronicle | None, before: float) -> dict[str, Any]:
    """What the list of incidents shows; ``chosen`` is one scenario, None for all."""
    chronicles = history.chronicles if chosen is None else (chosen,)
    found, older = await newest(view, chronicles, limit=PER_PAGE, before=before)
    query: dict[str, Any] = {} if chosen is None else {"scenario": chosen.premises.name}
    return {
        "here": "incidents",
        "root": "",
        "chosen": None if chosen is None else chosen.premises.name,
        "scenarios": [chronicle.premises.name for chronicle in history.chronicles],
        "incidents": found,
        "paged": before != float("inf"),
        "older": None if older is None else urlencode({**query, "before": repr(older)}),
    }


def telling(view: View, history: History, chronicle: Chronicle, number: int) -> dict[str, Any] | None:
    """What the post-mortem shows; None when the incident is not kept."""
    now = now_of(view, chronicle.premises.name)
    told = post_mortem(history, chronicle, number, now)
    if told is None:
        return None
    incident = told.incident
    axis = incident_axis([incident.stopped_seconds], RECOVERY_BUDGET_SECONDS)
    first = chronicle.first_number
    return {
        "here": "incident",
        "root": "../../",
        "told": told,
        "start": view.scenarios[0].settings.clock_start_timestamp,
        "axis": axis,
        "line": incident_line(incident, axis),
        "layers": chronicle.premises.layers,
        "every_layer": tuple(DETECTORS),
        "before": number - 1 if first is not None and number > first else None,
        "after": number + 1 if chronicle.has(number + 1) else None,
    }
