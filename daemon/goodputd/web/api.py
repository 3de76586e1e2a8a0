"""/api/v1: all that the pages show, as JSON.

Reads the published view and the history; every answer is of a class in ``answers`` or
``postmortem``, every path and parameter of the table in ``endpoints``. Knows no template.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from goodputd.history.keeping import Chronicle, History
from goodputd.history.postmortem import post_mortem
from goodputd.metrics.exposition import Exposition
from goodputd.metrics.view import View
from goodputd.web import answers
from goodputd.web.encoding import to_json
from goodputd.web.endpoints import DOCUMENT_PATH, ENDPOINTS, MOST_PER_PAGE, PER_PAGE
from goodputd.web.incidents import newest, now_of, read_cursor, written_cursor
from goodputd.web.problems import BAD_REQUEST, NOT_FOUND, UNAVAILABLE, UNCACHED, ProblemError

_MOST_DIGITS: Final = 15

Handler = Callable[[Request], Awaitable[Response]]


class Api:
    """The handlers."""

    def __init__(self, exposition: Exposition, history: History) -> None:
        """Answers are made from what ``exposition`` has published and ``history`` has kept."""
        self._exposition = exposition
        self._history = history
        self._document: dict[str, Any] | None = None

    def routes(self, events: Handler) -> list[Route]:
        """Where the answers are; ``events`` serves the stream."""
        handlers: dict[str, Handler] = {
            "status": self.status,
            "scenarios": self.scenarios,
            "incidents": self.incidents,
            "incident": self.incident,
            "decisions": self.decisions,
            "events": events,
        }
        return [
            *(Route(each.path, _checked(handlers[each.name], each.query)) for each in ENDPOINTS),
            Route(DOCUMENT_PATH, _checked(self.openapi, frozenset())),
        ]

    def current_status(self) -> answers.Status | None:
        """The status of the published view; None before the first."""
        view = self._exposition.published
        return None if view is None else answers.status(view, self._unpaired())

    async def status(self, _: Request) -> Response:
        """The daemon and every scenario."""
        return _answer(answers.status(self._view(), self._unpaired()))

    async def scenarios(self, _: Request) -> Response:
        """The scenarios and their settings."""
        return _answer(answers.scenarios(self._view(), self._unpaired()))

    async def incidents(self, request: Request) -> Response:
        """Incidents of one scenario or of all, newest first."""
        limit, chronicles = _limit(request), self._asked_for(request)
        cursor = _cursor(request, len(chronicles))
        shown, older = await newest(self._view(), chronicles, limit=limit, cursor=cursor)
        return _answer(
            answers.Incidents(
                incidents=tuple(map(answers.entry, shown)),
                next=None if older is None else _next(request, older),
            )
        )

    async def incident(self, request: Request) -> Response:
        """The post-mortem of one incident."""
        chronicle = self._chronicle(request.path_params["scenario"])
        number = incident_number(request)
        found = await post_mortem(self._history, chronicle, number, self._now(chronicle))
        if found is None:
            raise ProblemError(NOT_FOUND, "No such incident", not_kept(chronicle, number))
        return _answer(found)

    async def decisions(self, request: Request) -> Response:
        """Decisions of one scenario or of all, newest first."""
        limit = _limit(request)
        told = [
            answers.DecisionEntry(scenario=chronicle.premises.name, decision=decision)
            for chronicle in self._asked_for(request)
            for decision in islice(chronicle.decisions(self._now(chronicle)), limit)
        ]
        told.sort(key=lambda each: each.decision.at, reverse=True)
        return _answer(answers.Decisions(decisions=tuple(told[:limit])))

    async def openapi(self, _: Request) -> Response:
        """The description of all this."""
        return _answer(await self.document())

    async def document(self) -> dict[str, Any]:
        """The OpenAPI document."""
        if self._document is None:
            self._document = await asyncio.to_thread(_described)
        return self._document

    def _view(self) -> View:
        view = self._exposition.published
        if view is None:
            detail = "Nothing has been published yet."
            raise ProblemError(UNAVAILABLE, "Starting", detail, retry_wall_seconds=1)
        return view

    def _now(self, chronicle: Chronicle) -> float:
        return now_of(self._view(), chronicle.premises.name)

    def _unpaired(self) -> list[str]:
        return [each.premises.name for each in self._history.chronicles if not each.premises.paired]

    def _chronicle(self, name: str) -> Chronicle:
        chronicle = self._history.of(name)
        if chronicle is None:
            raise ProblemError(NOT_FOUND, "No such scenario", no_scenario(self._history, name))
        return chronicle

    def _asked_for(self, request: Request) -> tuple[Chronicle, ...]:
        name = request.query_params.get("scenario")
        return self._history.chronicles if name is None else (self._chronicle(name),)


def incident_number(request: Request) -> int:
    """The number in the path; 0, which no incident has, for what is no number."""
    text: str = request.path_params["number"]
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0


def not_kept(chronicle: Chronicle, number: int) -> str:
    """Why there is no incident of this number."""
    name, first = chronicle.premises.name, chronicle.first_number
    if first is not None and 0 < number < first:
        return f"Incident {number} of {name} is forgotten: memory holds the newest only, from {first} on."
    return f"There has been no such incident of {name}."


def no_scenario(history: History, name: str) -> str:
    """What scenarios there are instead of this one."""
    known = ", ".join(chronicle.premises.name for chronicle in history.chronicles)
    return f"There is no scenario {name!r}, but {known}."


def _checked(handler: Handler, allowed: frozenset[str]) -> Handler:
    """The handler, but a query with a name that is not allowed, or twice, is refused."""

    async def checked(request: Request) -> Response:
        given = Counter(name for name, _ in request.query_params.multi_items())
        unknown = sorted(given.keys() - allowed)
        if unknown:
            known = f"there are {', '.join(sorted(allowed))}" if allowed else "there are none here"
            detail = f"There is no parameter {', '.join(map(repr, unknown))}: {known}."
            raise ProblemError(BAD_REQUEST, "Unknown parameter", detail)
        twice = [name for name, times in given.items() if times > 1]
        if twice:
            raise ProblemError(BAD_REQUEST, "Bad request", f"{twice[0]} is given more than once.")
        return await handler(request)

    return checked


def _answer(value: object) -> Response:
    return Response(to_json(value), media_type="application/json", headers=UNCACHED)


def _described() -> dict[str, Any]:
    # Building the schemas takes pydantic a tenth of a second, so not before somebody asks.
    from goodputd.web.openapi import document  # noqa: PLC0415

    return document()


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(PER_PAGE))
    limit = int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
    if not 1 <= limit <= MOST_PER_PAGE:
        raise ProblemError(BAD_REQUEST, "Bad request", f"limit is a whole number from 1 to {MOST_PER_PAGE}.")
    return limit


def _cursor(request: Request, scenarios: int) -> tuple[int, ...] | None:
    text = request.query_params.get("cursor")
    if text is None:
        return None
    cursor = read_cursor(text, scenarios)
    if cursor is None:
        detail = "cursor is what the next of the page before has, for the same scenario."
        raise ProblemError(BAD_REQUEST, "Bad request", detail)
    return cursor


def _next(request: Request, older: tuple[int, ...]) -> str:
    query = {**request.query_params, "cursor": written_cursor(older)}
    return f"{request.url.path}?{urlencode(query)}"
