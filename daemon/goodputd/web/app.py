"""The site: which address is answered by what, and the headers that every page carries.

Every answer is made from the published view and the kept history. A request neither advances a
simulation nor waits for one, and all handlers run on the event loop, since none of them blocks.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from goodputd.history.keeping import Chronicle, History
from goodputd.metrics.exposition import Encoding, Exposition, choose_encoding, choose_format
from goodputd.web import problems
from goodputd.web.api import Api, incident_number, no_scenario, not_kept
from goodputd.web.assets import Assets
from goodputd.web.encoding import plain
from goodputd.web.endpoints import DOCUMENT_PATH
from goodputd.web.hosts import HostGuard
from goodputd.web.incidents import listing, telling
from goodputd.web.live import Live, Told
from goodputd.web.pages import StatusPage
from goodputd.web.problems import NOT_ALLOWED, NOT_FOUND, UNAVAILABLE, UNCACHED
from goodputd.web.templates import Templates

_PAGE_HEADERS: Final = {
    **UNCACHED,
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
        self.is_closing = False
        api = Api(exposition, history)
        pages = _Pages(exposition, history, api)

        async def status() -> Told | None:
            current = api.current_status()
            return None if current is None else plain(current)

        self._pages = pages
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
                Route("/api", pages.api),
                *api.routes(events=self._live.serve),
            ],
            middleware=[Middleware(_Farewell, self), Middleware(HostGuard, names)],
            exception_handlers={
                NOT_FOUND: _refused,
                NOT_ALLOWED: _refused,
                problems.ProblemError: problems.told,
            },
        )

    def close(self) -> None:
        """End every stream of events and whatever takes long, so that connections can be closed."""
        self.is_closing = True
        self._live.close()
        self._pages.close()


class _Farewell:
    """ASGI middleware: a request that is cancelled because the daemon ends is nobody's mistake."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            if not self._site.is_closing:
                raise


class _Pages:
    """The handlers."""

    def __init__(self, exposition: Exposition, history: History, api: Api) -> None:
        self._exposition = exposition
        self._history = history
        self._api = api
        self._templates = Templates()
        self._status_page = StatusPage(self._templates, history)

    def close(self) -> None:
        """Begin nothing that takes long."""
        self._status_page.close()

    async def metrics(self, request: Request) -> Response:
        """The page in the format and encoding that the client prefers."""
        if self._exposition.published is None:
            return _unready()
        page = self._exposition.page(
            choose_format(request.headers.get("accept", "")),
            choose_encoding(request.headers.get("accept-encoding", "")),
        )
        headers = {**UNCACHED, "Content-Type": page.format.value, "Vary": "Accept, Accept-Encoding"}
        if page.encoding is not Encoding.IDENTITY:
            headers["Content-Encoding"] = page.encoding.value
        return Response(page.body, headers=headers)

    async def healthy(self, _: Request) -> Response:
        """The event loop is alive, or nobody would answer."""
        return PlainTextResponse("healthy\n", headers=UNCACHED)

    async def ready(self, _: Request) -> Response:
        """There is a view to scrape."""
        if self._exposition.published is None:
            return _unready()
        return PlainTextResponse("ready\n", headers=UNCACHED)

    async def fragments(self) -> Told | None:
        """The parts of the status page that change; None before the first view and when closed."""
        view = self._exposition.published
        return None if view is None else await self._status_page.fragments(view)

    async def index(self, _: Request) -> Response:
        """The status page."""
        fragments = await self.fragments()
        if fragments is None and self._exposition.published is not None:
            return PlainTextResponse("The daemon ends.\n", UNAVAILABLE, headers=UNCACHED)
        fragments = fragments or {}
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
        cursor = request.query_params.get("cursor")
        return await self._page("incidents.html", await listing(view, self._history, chosen, cursor))

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
        context = await telling(view, self._history, chronicle, number)
        if context is None:
            return await self._missing(not_kept(chronicle, number), "../../")
        return await self._page("incident.html", context)

    async def api(self, _: Request) -> Response:
        """What the API has, for people."""
        context = {"here": "api", "root": "", "document": await self._api.document(), "path": DOCUMENT_PATH}
        return await self._page("api.html", context)

    async def _page(self, template: str, context: dict[str, Any], status: int = 200) -> Response:
        text = await self._templates.render(template, context)
        return HTMLResponse(text, status, headers=_PAGE_HEADERS)

    async def _missing(self, detail: str, root: str) -> Response:
        return await self._page("missing.html", {"here": "", "root": root, "detail": detail}, NOT_FOUND)


def _unready() -> Response:
    return PlainTextResponse(
        "starting: nothing has been published yet\n", UNAVAILABLE, headers={**UNCACHED, "Retry-After": "1"}
    )


async def _refused(request: Request, error: Exception) -> Response:
    """No such path, or not to be asked like this; programs are told as programs."""
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for nothing else
    if problems.is_of_api(request):
        return problems.routed(request, error)
    if error.status_code == NOT_ALLOWED:
        return PlainTextResponse(
            "Pages can only be read: use GET or HEAD.\n",
            NOT_ALLOWED,
            headers={**UNCACHED, **(error.headers or {})},
        )
    return PlainTextResponse(
        "Not found. There are /, /incidents, /api, /metrics, /-/healthy and /-/ready.\n",
        NOT_FOUND,
        headers=UNCACHED,
    )
