"""The site: which address is answered by what, and the headers that every page carries.

Every answer is made from the published view and the kept history. A request neither advances a
simulation nor waits for one, and all handlers run on the event loop, since none of them blocks.
"""

from collections.abc import Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from goodputd.history.keeping import Chronicle, History
from goodputd.metrics.exposition import Encoding, Exposition, choose_encoding, choose_format
from goodputd.web.api import Api, ProblemError, incident_number, no_scenario, not_kept, problem
from goodputd.web.assets import Assets
from goodputd.web.encoding import plain
from goodputd.web.hosts import HostGuard
from goodputd.web.incidents import listing, telling
from goodputd.web.live import Live, Told
from goodputd.web.pages import StatusPage
from goodputd.web.templates import Templates

_NOT_FOUND: Final = 404
_NOT_READY: Final = 503
_UNCACHED: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
_PAGE_HEADERS: Final = {
    **_UNCACHED,
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


class Site:
    """The ASGI application, and the way to let its listeners go."""

    def __init__(self, exposition: Exposition, history: History, *, names: Sequence[str]) -> None:
        """Serves what ``exposition`` publishes and ``history`` keeps, under these host names."""
        pages = _Pages(exposition, history)
        api = Api(exposition, history)

        async def status() -> Told | None:
            current = api.current_status()
            return None if current is None else plain(current)

        self._live = Live({"status": status, "fragments": pages.fragments})
        self.app = Starlette(
            routes=[
                Route("/", pages.index),
                Route("/incidents", pages.incidents),
                Route("/incidents/{scenario}/{number}", pages.incident),
                Route("/metrics", pages.metrics),
                Route("/-/healthy", pages.healthy),
                Route("/-/ready", pages.ready),
                Route("/static/{name}", Assets().serve),
                Route("/api/v1/events", self._live.serve),
                *api.routes(),
            ],
            middleware=[Middleware(HostGuard, names)],
            exception_handlers={_NOT_FOUND: _not_found, ProblemError: problem},
        )

    def close(self) -> None:
        """End every stream of events, so that their connections can be closed."""
        self._live.close()


class _Pages:
    """The handlers."""

    def __init__(self, exposition: Exposition, history: History) -> None:
        self._exposition = exposition
        self._history = history
        self._templates = Templates()
        self._status_page = StatusPage(self._templates, history)

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

    async def fragments(self) -> Told | None:
        """The parts of the status page that change; None before the first view."""
        view = self._exposition.published
        return None if view is None else await self._status_page.fragments(view)

    async def index(self, _: Request) -> Response:
        """The status page."""
        fragments = await self.fragments() or {}
        return await self._page(
            "index.html",
            {
                "here": "status",
                "root": "",
                "fragments": fragments,
                "figures": [name for name in fragments if name.startswith("figures-")],
                "incidents": [name for name in fragments if name.startswith("incidents-")],
                "stages": self._status_page.stages,
            },
        )

    async def incidents(self, request: Request) -> Response:
        """The list of incidents, of one scenario or of all."""
        view = self._exposition.published
        if view is None:
            return _unready()
        name = request.query_params.get("scenario")
        chosen = None if name is None else self._history.of(name)
        if name is not None and chosen is None:
            return await self._missing(no_scenario(self._history, name), "")
        return await self._page(
            "incidents.html", await listing(view, self._history, chosen, _before(request))
        )

    async def incident(self, request: Request) -> Response:
        """The post-mortem of one incident."""
        view = self._exposition.published
        if view is None:
            return _unready()
        name = request.path_params["scenario"]
        chronicle: Chronicle | None = self._history.of(name)
        if chronicle is None:
            return await self._missing(no_scenario(self._history, name), "../../")
        number = incident_number(request)
        context = telling(view, self._history, chronicle, number)
        if context is None:
            return await self._missing(not_kept(chronicle, number), "../../")
        return await self._page("incident.html", context)

    async def _page(self, template: str, context: dict[str, Any], status: int = 200) -> Response:
        text = await self._templates.render(template, context)
        return HTMLResponse(text, status, headers=_PAGE_HEADERS)

    async def _missing(self, detail: str, root: str) -> Response:
        return await self._page("missing.html", {"here": "", "root": root, "detail": detail}, _NOT_FOUND)


def _before(request: Request) -> float:
    """The simulated second in the query before which incidents are listed; all of them when in doubt."""
    try:
        return float(request.query_params.get("before", "inf"))
    except ValueError:
        return float("inf")


def _unready() -> Response:
    return PlainTextResponse(
        "starting: nothing has been published yet\n", _NOT_READY, headers={**_UNCACHED, "Retry-After": "1"}
    )


async def _not_found(_: Request, __: Exception) -> Response:
    return PlainTextResponse(
        "Not found. There are /, /incidents, /metrics, /api/v1/openapi.json, /-/healthy and /-/ready.\n",
        _NOT_FOUND,
        headers=_UNCACHED,
    )
