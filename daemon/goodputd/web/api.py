"""/api/v1: all that the pages show, as JSON.

Reads the published view and the history; every answer is of a class in ``answers`` or
``postmortem``. Knows no template.
"""

import asyncio
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
from goodputd.web.incidents import newest, now_of

_PER_PAGE: Final = 20
_MOST_PER_PAGE: Final = 100
_MOST_DIGITS: Final = 15
_HEADERS: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_BAD_REQUEST: Final = 400
_NOT_FOUND: Final = 404
_NOT_READY: Final = 503


class ProblemError(Exception):
    """A request that can not be answered."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        """As RFC 9457 has them."""
        super().__init__(detail)
        self.problem = answers.Problem(title=title, status=status, detail=detail)


class Api:
    """The handlers."""

    def __init__(self, exposition: Exposition, history: History) -> None:
        """Answers are made from what ``exposition`` has published and ``history`` has kept."""
        self._exposition = exposition
        self._history = history
        self._openapi: bytes | None = None

    def routes(self) -> list[Route]:
        """Where the answers are."""
        return [
            Route("/api/v1/status", self.status),
            Route("/api/v1/scenarios", self.scenarios),
            Route("/api/v1/incidents", self.incidents),
            Route("/api/v1/incidents/{scenario}/{number}", self.incident),
            Route("/api/v1/decisions", self.decisions),
            Route("/api/v1/openapi.json", self.openapi),
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
        limit = _limit(request)
        before = _number(request, "before", float("inf"))
        shown, older = await newest(self._view(), self._asked_for(request), limit=limit, before=before)
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
        found = post_mortem(self._history, chronicle, number, self._now(chronicle))
        if found is None:
            raise ProblemError(_NOT_FOUND, "No such incident", not_kept(chronicle, number))
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
        if self._openapi is None:
            self._openapi = await asyncio.to_thread(_described)
        return Response(self._openapi, media_type="application/json", headers=_HEADERS)

    def _view(self) -> View:
        view = self._exposition.published
        if view is None:
            raise ProblemError(_NOT_READY, "Starting", "Nothing has been published yet.")
        return view

    def _now(self, chronicle: Chronicle) -> float:
        return now_of(self._view(), chronicle.premises.name)

    def _unpaired(self) -> list[str]:
        return [each.premises.name for each in self._history.chronicles if not each.premises.paired]

    def _chronicle(self, name: str) -> Chronicle:
        chronicle = self._history.of(name)
        if chronicle is None:
            raise ProblemError(_NOT_FOUND, "No such scenario", no_scenario(self._history, name))
        return chronicle

    def _asked_for(self, request: Request) -> tuple[Chronicle, ...]:
        name = request.query_params.get("scenario")
        return self._history.chronicles if name is None else (self._chronicle(name),)


async def problem(_: Request, error: Exception) -> Response:
    """The answer to a request that can not be answered."""
    assert isinstance(error, ProblemError)  # noqa: S101 - it is registered for nothing else
    headers = {**_HEADERS, **({"Retry-After": "1"} if error.problem.status == _NOT_READY else {})}
    return Response(
        to_json(error.problem), error.problem.status, headers, media_type="application/problem+json"
    )


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


def _answer(value: object) -> Response:
    return Response(to_json(value), media_type="application/json", headers=_HEADERS)


def _described() -> bytes:
    # Building the schemas takes pydantic a tenth of a second, so not before somebody asks.
    from goodputd.web.openapi import document  # noqa: PLC0415

    return to_json(document())


def _limit(request: Request) -> int:
    limit = _number(request, "limit", _PER_PAGE)
    if not 1 <= limit <= _MOST_PER_PAGE or limit != int(limit):
        raise ProblemError(_BAD_REQUEST, "Bad request", f"limit is a whole number from 1 to {_MOST_PER_PAGE}")
    return int(limit)


def _number(request: Request, name: str, default: float) -> float:
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number != number:  # noqa: PLR0124 - NaN, given or from a text that is no number
        raise ProblemError(_BAD_REQUEST, "Bad request", f"{name} is a number")
    return number


def _next(request: Request, before: float) -> str:
    query: dict[str, Any] = {**request.query_params, "before": repr(before)}
    return f"{request.url.path}?{urlencode(query)}"
