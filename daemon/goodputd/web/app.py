"""The pages: /metrics, /-/healthy, /-/ready and a plain / that links them.

Every answer is made from the published view. A request neither advances a simulation nor waits for
one, and all handlers run on the event loop, since none of them blocks.
"""

from collections.abc import Sequence
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from goodputd.metrics.exposition import Encoding, Exposition, choose_encoding, choose_format
from goodputd.metrics.view import ScenarioView, View
from goodputd.narration import day_and_time, duration
from goodputd.web.hosts import HostGuard

_NOT_FOUND: Final = 404
_NOT_READY: Final = 503
_UNCACHED: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_PAGE_HEADERS: Final = {
    **_UNCACHED,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}


def create_app(exposition: Exposition, *, names: Sequence[str]) -> Starlette:
    """The ASGI application that serves what ``exposition`` publishes, under these host names."""
    environment = Environment(
        loader=PackageLoader("goodputd.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters.update(duration=duration, day_and_time=day_and_time, percent=_percent)
    pages = _Pages(exposition, environment)
    return Starlette(
        routes=[
            Route("/", pages.index),
            Route("/metrics", pages.metrics),
            Route("/-/healthy", pages.healthy),
            Route("/-/ready", pages.ready),
        ],
        middleware=[Middleware(HostGuard, names)],
        exception_handlers={_NOT_FOUND: _not_found},
    )


class _Pages:
    """The handlers."""

    def __init__(self, exposition: Exposition, environment: Environment) -> None:
        self._exposition = exposition
        self._index = environment.get_template("index.html")

    async def metrics(self, request: Request) -> Response:
        """The page in the format and encoding that the client prefers."""
        if self._exposition.published is None:
            return _unready()
        page = self._exposition.page(
            choose_format(request.headers.get("accept", "")),
            choose_encoding(request.headers.get("accept-encoding", "")),
        )
        headers = {**_UNCACHED, "Content-Type": page.format.value, "Vary": "Accept, Accept-Encoding"}
        if page.encoding is not Encoding.IDENTITY:
            headers["Content-Encoding"] = page.encoding.value
        return Response(page.body, headers=headers)

    async def healthy(self, _: Request) -> Response:
        """The event loop is alive, or nobody would answer."""
        return PlainTextResponse("healthy\n", headers=_UNCACHED)

    async def ready(self, _: Request) -> Response:
        """There is a view to scrape."""
        if self._exposition.published is None:
            return _unready()
        return PlainTextResponse("ready\n", headers=_UNCACHED)

    async def index(self, _: Request) -> Response:
        """The status page."""
        view = self._exposition.published
        return HTMLResponse(self._index.render(_facts(view)), headers=_PAGE_HEADERS)


def _facts(view: View | None) -> dict[str, Any]:
    """What the status page shows."""
    scenarios: tuple[ScenarioView, ...] = () if view is None else view.scenarios
    return {
        "daemon": None if view is None else view.daemon,
        "scenarios": [(scenario.snapshot, scenario.settings) for scenario in scenarios],
    }


def _percent(ratio: float | None) -> str:
    return "no data yet" if ratio is None else f"{100.0 * ratio:.2f} %"


def _unready() -> Response:
    return PlainTextResponse(
        "starting: nothing has been published yet\n", _NOT_READY, headers={**_UNCACHED, "Retry-After": "1"}
    )


async def _not_found(_: Request, __: Exception) -> Response:
    return PlainTextResponse(
        "Not found. There are /metrics, /-/healthy, /-/ready and /.\n", _NOT_FOUND, headers=_UNCACHED
    )
