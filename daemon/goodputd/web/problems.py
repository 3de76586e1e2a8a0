"""What is wrong with a request to the API, as RFC 9457 has it: application/problem+json.

Every answer under ``/api/`` that is no success is made here, also those of the router.
"""

from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from goodputd.web.answers import Problem
from goodputd.web.encoding import to_json

BAD_REQUEST: Final = 400
NOT_FOUND: Final = 404
NOT_ALLOWED: Final = 405
UNAVAILABLE: Final = 503
UNCACHED: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_WHERE_TO_LOOK: Final = "/api says what there is, /api/v1/openapi.json says it to programs."


class ProblemError(Exception):
    """A request that can not be answered."""

    def __init__(
        self, status: int, title: str, detail: str, *, retry_wall_seconds: int | None = None
    ) -> None:
        """As RFC 9457 has them, and when to ask again if that may help."""
        super().__init__(detail)
        self.problem = Problem(title=title, status=status, detail=detail)
        self.headers = {} if retry_wall_seconds is None else {"Retry-After": str(retry_wall_seconds)}


def answer(problem: Problem, headers: Mapping[str, str]) -> Response:
    """The problem as a response."""
    return Response(
        to_json(problem), problem.status, {**UNCACHED, **headers}, media_type="application/problem+json"
    )


async def told(_: Request, error: Exception) -> Response:
    """The answer to a request that can not be answered."""
    assert isinstance(error, ProblemError)  # noqa: S101 - it is registered for nothing else
    return answer(error.problem, error.headers)


def is_of_api(request: Request) -> bool:
    """Whether whoever asks expects JSON."""
    return request.url.path.startswith("/api/")


def routed(request: Request, error: HTTPException) -> Response:
    """The answer where the router found nothing, or nothing for this method."""
    path = request.url.path
    if error.status_code == NOT_ALLOWED:
        headers = dict(error.headers or {})
        detail = f"{request.method} is not for {path}, which can only be read: use GET or HEAD."
        return answer(Problem(title="Method not allowed", status=NOT_ALLOWED, detail=detail), headers)
    return answer(
        Problem(title="Not found", status=NOT_FOUND, detail=f"There is no {path}. {_WHERE_TO_LOOK}"), {}
    )
