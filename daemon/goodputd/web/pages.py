"""Views to pages: what the status page and its fragments are filled with, rendered once per view.

A fragment is a part of the page that changes; a browser that listens is sent those that did. Each
is rendered at most once per published view, a few at a time, so that the event loop is never kept
for long. Knows views, history and templates, no request.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from markupsafe import Markup

from goodputd.history.keeping import Chronicle, History
from goodputd.history.records import DecisionRecord, IncidentRecord
from goodputd.metrics.view import ScenarioView, View
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.taxonomy import IDLE_CAPACITY, Bucket, NodeState, StageName
from goodputd.web.drawing import (
    PROVISIONAL,
    RETRACTED,
    Axis,
    Bar,
    Line,
    day_axis,
    day_line,
    incident_axis,
    incident_line,
    shares,
    target_tick,
    whole_bar,
)
from goodputd.web.templates import Templates

SHOWN_INCIDENTS: Final = 5
"""Per scenario, on the status page."""
SHOWN_DECISIONS: Final = 10
_SECONDS_TO_JUDGE: Final = 3.0 * SECONDS_PER_DAY
_INTERVALS_TO_JUDGE: Final = 5.0
_MOST_IN_A_DAY: Final = 60
"""Of a worse day the newest are drawn, and what was before is left blank."""

BADPUT: Final[tuple[str, ...]] = (
    RETRACTED,
    *(str(bucket) for bucket in Bucket if bucket is not Bucket.PRODUCTIVE),
)


@dataclass(slots=True)
class ShareCell:
    """One bucket in one scenario."""

    share: float
    seconds: float
    bar: Bar


@dataclass(slots=True)
class ShareRow:
    """One bucket in all scenarios."""

    bucket: str
    cells: tuple[ShareCell, ...]


@dataclass(slots=True)
class ToldDecision:
    """A decision and whose it was."""

    scenario: str
    decision: DecisionRecord


class StatusPage:
    """The status page of the newest view that somebody asked for."""

    def __init__(self, templates: Templates, history: History) -> None:
        """Incidents come from ``history``."""
        self._templates = templates
        self._history = history
        self._lock = asyncio.Lock()
        self._view: View | None = None
        self._fragments: dict[str, Markup] = {}
        self._closing = False

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that incidents may have by the settings of any scenario, in order."""
        planned = [chronicle.premises.buckets for chronicle in self._history.chronicles]
        return tuple(stage for stage in StageName if any(stage in buckets for buckets in planned))

    def close(self) -> None:
        """Make no more fragments, also those that are asked for already."""
        self._closing = True

    async def fragments(self, view: View) -> dict[str, Markup] | None:
        """Every fragment of the page for this view, by the id of its element; None when closed meanwhile."""
        async with self._lock:
            if self._view is not view:
                made: dict[str, Markup] = {}
                async for name, template, context in self._parts(view):
                    if self._closing:
                        return None
                    rendered = await self._templates.render(f"fragments/{template}.html", context)
                    made[name] = Markup(rendered)  # noqa: S704 - the template escaped what it was given
                    await asyncio.sleep(0)
                self._view, self._fragments = view, made
            return self._fragments

    async def _parts(self, view: View) -> AsyncIterator[tuple[str, str, dict[str, Any]]]:
        """(id, template, what it is filled with) of each fragment, top to bottom."""
        yield "clock", "clock", {"daemon": view.daemon, "scenario": view.scenarios[0]}
        for number, scenario in enumerate(view.scenarios):
            yield f"figures-{number}", "figures", _figures(scenario)
        yield "time", "time", _time(view)
        day = day_axis(max(scenario.snapshot.now for scenario in view.scenarios))
        rows = []
        for scenario in view.scenarios:
            rows.append(self._day(scenario, day))
            await asyncio.sleep(0)
        yield "day", "day", {"rows": rows, "axis": day}
        for part in self._incidents(view):
            yield part
        yield "decisions", "decisions", {"told": self._decisions(view), "view": view}
        yield "nodes", "nodes", {"scenarios": view.scenarios, "states": tuple(NodeState)}

    def _chronicle(self, scenario: ScenarioView) -> Chronicle:
        chronicle = self._history.of(scenario.snapshot.scenario)
        assert chronicle is not None  # noqa: S101 - views and history come from the same settings
        return chronicle

    def _day(self, scenario: ScenarioView, axis: Axis) -> dict[str, Any]:
        """The last hours of one scenario."""
        chronicle, now = self._chronicle(scenario), scenario.snapshot.now
        begins = now - axis.seconds
        incidents = _since(chronicle, begins, now)
        known_since = chronicle.since
        if len(incidents) == _MOST_IN_A_DAY:
            known_since = max(known_since, incidents[-1].stopped_at)
        return {
            "scenario": scenario.snapshot.scenario,
            "incidents": len(incidents),
            "or_more": known_since > max(0.0, begins),
            "stopped_seconds": sum(incident.stopped_seconds for incident in incidents),
            "lost_seconds": sum(incident.lost_work_seconds or 0.0 for incident in incidents),
            "bars": day_line(incidents, chronicle.unsettled(now), now, axis, known_since=known_since),
        }

    def _incidents(self, view: View) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """The last incidents of each scenario, all on one scale."""
        last = [
            list(islice(self._chronicle(scenario).newest_first(scenario.snapshot.now), SHOWN_INCIDENTS))
            for scenario in view.scenarios
        ]
        lengths = [incident.stopped_seconds for incidents in last for incident in incidents]
        axis = incident_axis(lengths, [scenario.settings.target_mttr_seconds for scenario in view.scenarios])
        for number, (scenario, incidents) in enumerate(zip(view.scenarios, last, strict=True)):
            lines: list[tuple[IncidentRecord, Line]] = [
                (incident, incident_line(incident, axis)) for incident in incidents
            ]
            context = {
                "scenario": scenario.snapshot.scenario,
                "lines": lines,
                "axis": axis,
                "target_seconds": scenario.settings.target_mttr_seconds,
                "target": target_tick(axis, scenario.settings.target_mttr_seconds),
            }
            yield f"incidents-{number}", "incidents", context

    def _decisions(self, view: View) -> list[ToldDecision]:
        told = [
            ToldDecision(scenario.snapshot.scenario, decision)
            for scenario in view.scenarios
            for decision in islice(
                self._chronicle(scenario).decisions(scenario.snapshot.now), SHOWN_DECISIONS
            )
        ]
        return sorted(told, key=lambda each: each.decision.at, reverse=True)[:SHOWN_DECISIONS]


def _since(chronicle: Chronicle, begins: float, now: float) -> list[IncidentRecord]:
    """Incidents that reach into the time from ``begins`` on, newest first."""
    found: list[IncidentRecord] = []
    for incident in islice(chronicle.newest_first(now), _MOST_IN_A_DAY):
        if incident.resumed_at is not None and incident.resumed_at <= begins:
            break
        found.append(incident)
    return found


def _figures(scenario: ScenarioView) -> dict[str, Any]:
    ratio = scenario.snapshot.effective_training_time_ratio
    target = scenario.settings.target_goodput_ratio
    judged = _can_be_judged(scenario.snapshot)
    return {
        "snapshot": scenario.snapshot,
        "settings": scenario.settings,
        "planned_stops": scenario.snapshot.planned_stops,
        "meets_target": None if ratio is None or not judged else ratio >= target,
        "bars": whole_bar(scenario.snapshot),
        "provisional": shares(scenario.snapshot)[PROVISIONAL],
    }


def _can_be_judged(snapshot: Snapshot) -> bool:
    """Whether enough was played to compare goodput with its target.

    Until a few checkpoints are durable hardly any work counts, and what a day brings is luck: the
    alerts wait as well.
    """
    intervals = _INTERVALS_TO_JUDGE * snapshot.checkpoint_interval_seconds
    return snapshot.now >= max(_SECONDS_TO_JUDGE, intervals)


def _time(view: View) -> dict[str, Any]:
    """Where the time went: one row per bucket that has any, badput drawn on a scale of its own."""
    by_scenario = [shares(scenario.snapshot) for scenario in view.scenarios]
    largest = max((each[bucket] for each in by_scenario for bucket in BADPUT), default=0.0)
    rows = []
    for bucket in (Bucket.PRODUCTIVE.value, PROVISIONAL, *BADPUT):
        if not any(each[bucket] for each in by_scenario):
            continue
        scale = 100.0 / largest if bucket in BADPUT and largest > 0.0 else 0.0
        cells = tuple(
            ShareCell(
                share=each[bucket],
                seconds=each[bucket] * scenario.snapshot.now,
                bar=Bar(f"bucket-{bucket}", 0.0, each[bucket] * scale, ""),
            )
            for scenario, each in zip(view.scenarios, by_scenario, strict=True)
        )
        rows.append(ShareRow(bucket, cells))
    idle = [_idle_share(scenario) if scenario.snapshot.now > 0.0 else 0.0 for scenario in view.scenarios]
    return {"scenarios": view.scenarios, "rows": rows, "idle": idle if any(idle) else []}


def _idle_share(scenario: ScenarioView) -> float:
    """Share of all GPU-seconds that were given up by shrinking."""
    snapshot = scenario.snapshot
    return snapshot.gpu_seconds[IDLE_CAPACITY] / (snapshot.nominal_gpus * snapshot.now)
