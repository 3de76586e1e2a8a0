"""The pages of the past: the list of incidents, and the post-mortem of one.

Joins view and history into what the templates show. Knows requests only as their parameters.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode

from goodputd.detectors import DETECTORS
from goodputd.history.keeping import Chronicle, History
from goodputd.history.postmortem import post_mortem
from goodputd.history.records import IncidentRecord
from goodputd.metrics.view import View
from goodputd.web.drawing import incident_axis, incident_line, target_tick

PER_PAGE: Final = 50
SHOWN_STAGES: Final = 40
SHOWN_FAULTS: Final = 8
SHOWN_OBSERVATIONS: Final = 40
SHOWN_JUDGEMENTS: Final = 8
_T = TypeVar("_T")
Cursor = tuple[int, ...]
"""Per scenario, in the order of the settings, the number of the incident to go on with; 0 for none."""
_BETWEEN_NUMBERS: Final = "-"
_NUMBER: Final = re.compile(r"[0-9]{1,15}", re.ASCII)
_BETWEEN_TURNS: Final = 10
"""Incidents that are folded before others get a turn of the loop."""


def now_of(view: View, scenario: str) -> float:
    """The simulated second that the view shows of this scenario."""
    return next(each.snapshot.now for each in view.scenarios if each.snapshot.scenario == scenario)


async def newest(
    view: View, chronicles: Sequence[Chronicle], *, limit: int, cursor: Cursor | None
) -> tuple[list[IncidentRecord], Cursor | None]:
    """The newest incidents of these scenarios, by when they stopped the job, from the cursor on.

    Returns them with the cursor of what is older: None when nothing older is kept. Scenarios meet the
    same faults and often stop at the same instant, so a cursor is no instant.
    """
    starts = (None,) * len(chronicles) if cursor is None else cursor
    lines = [
        chronicle.newest_first(now_of(view, chronicle.premises.name), start)
        for chronicle, start in zip(chronicles, starts, strict=True)
    ]
    heads = [next(line, None) for line in lines]
    found: list[IncidentRecord] = []
    while len(found) < limit:
        waiting = [(head.stopped_at, -place) for place, head in enumerate(heads) if head is not None]
        if not waiting:
            return found, None
        place = -max(waiting)[1]
        head = heads[place]
        assert head is not None  # noqa: S101 - it was waiting
        found.append(head)
        heads[place] = next(lines[place], None)
        if len(found) % _BETWEEN_TURNS == 0:
            await asyncio.sleep(0)
    if all(head is None for head in heads):
        return found, None
    return found, tuple(0 if head is None else head.number for head in heads)


def written_cursor(cursor: Cursor) -> str:
    """A cursor as it stands in a query."""
    return _BETWEEN_NUMBERS.join(map(str, cursor))


def read_cursor(text: str, scenarios: int) -> Cursor | None:
    """A cursor from a query; None when it is none of so many scenarios."""
    parts = text.split(_BETWEEN_NUMBERS)
    if len(parts) != scenarios or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    return tuple(map(int, parts))


async def listing(
    view: View, history: History, chosen: Chronicle | None, cursor: str | None
) -> dict[str, Any]:
    """What the list of incidents shows; ``chosen`` is one scenario, None for all.

    A cursor that makes no sense is met with the newest incidents.
    """
    chronicles = history.chronicles if chosen is None else (chosen,)
    start = None if cursor is None else read_cursor(cursor, len(chronicles))
    found, older = await newest(view, chronicles, limit=PER_PAGE, cursor=start)
    query = {} if chosen is None else {"scenario": chosen.premises.name}
    return {
        "here": "incidents",
        "root": "",
        "chosen": None if chosen is None else chosen.premises.name,
        "scenarios": [chronicle.premises.name for chronicle in history.chronicles],
        "incidents": found,
        "paged": start is not None,
        "older": None if older is None else urlencode({**query, "cursor": written_cursor(older)}),
    }


async def telling(view: View, history: History, chronicle: Chronicle, number: int) -> dict[str, Any] | None:
    """What the post-mortem shows; None when the incident is not kept.

    Of what a long incident has many of, the first are shown; the API has all that is kept.
    """
    now = now_of(view, chronicle.premises.name)
    told = await post_mortem(history, chronicle, number, now)
    if told is None:
        return None
    incident = told.incident
    axis = incident_axis([incident.stopped_seconds], [told.target_mttr_seconds])
    first = chronicle.first_number
    return {
        "here": "incident",
        "root": "../../",
        "told": told,
        "start": view.scenarios[0].settings.clock_start_timestamp,
        "axis": axis,
        "target": target_tick(axis, told.target_mttr_seconds),
        "line": incident_line(incident, axis),
        "stages": Some.of(incident.stages, SHOWN_STAGES),
        "faults": Some.of([fault for fault in incident.faults if fault.claims], SHOWN_FAULTS),
        "observations": Some.of(told.observations, SHOWN_OBSERVATIONS),
        "judgements": Some.of(told.judgements, SHOWN_JUDGEMENTS),
        "layers": chronicle.premises.layers,
        "every_layer": tuple(DETECTORS),
        "before": number - 1 if first is not None and number > first else None,
        "after": number + 1 if chronicle.has(number + 1) else None,
    }


@dataclass(frozen=True, slots=True)
class Some(Generic[_T]):
    """The first of many, and how many more there are."""

    shown: Sequence[_T]
    rest: Sequence[_T]

    @classmethod
    def of(cls, each: Sequence[_T], most: int) -> "Some[_T]":
        """At most so many."""
        return cls(each[:most], each[most:])
