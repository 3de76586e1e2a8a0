"""Server-sent events: what a browser that listens is told, about once a second.

Every listener is sent the newest view when it is ready for it; nothing is queued, so that one who
does not read costs nothing. Knows nothing of what is told.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from goodputd.web.answers import Problem
from goodputd.web.problems import BAD_REQUEST, UNAVAILABLE, answer

EVERY_WALL_SECONDS: Final = 1.0
MOST_LISTENERS: Final = 64
_RETRY_MILLISECONDS: Final = 2000
_RETRY_WALL_SECONDS: Final = 5

Told = Mapping[str, object]
"""What an event carries, by key."""
Teller = Callable[[], Awaitable[Told | None]]
"""Gives what is to be told of the newest view; None while there is none."""


class Live:
    """Everybody who listens."""

    def __init__(
        self, tellers: Mapping[str, Teller], *, every_wall_seconds: float = EVERY_WALL_SECONDS
    ) -> None:
        """``tellers`` by the name of their event; each listener is told at most so often."""
        self._tellers = tellers
        self._every_wall_seconds = every_wall_seconds
        self._listeners = 0
        self._closing = asyncio.Event()

    def close(self) -> None:
        """Let every listener go; whoever comes later is refused."""
        self._closing.set()

    async def serve(self, request: Request) -> Response:
        """A stream of events: ``status``, or with ``?events=fragments`` what changed on the page."""
        kind = request.query_params.get("events", "status")
        teller = self._tellers.get(kind)
        if teller is None:
            detail = f"events is one of {', '.join(self._tellers)}."
            return answer(Problem(title="Bad request", status=BAD_REQUEST, detail=detail), {})
        if self._closing.is_set() or self._listeners >= MOST_LISTENERS:
            detail = "The daemon ends." if self._closing.is_set() else f"{MOST_LISTENERS} listen already."
            busy = Problem(title="No room", status=UNAVAILABLE, detail=detail)
            return answer(busy, {"Retry-After": str(_RETRY_WALL_SECONDS)})
        return _Stream(self, kind, teller)

    async def feed(self, kind: str, teller: Teller, receive: Receive, send: Send) -> None:
        """Tell one listener until it leaves or everybody is let go."""
        self._listeners += 1
        gone = asyncio.create_task(_gone(receive))
        closing = asyncio.create_task(self._closing.wait())
        told: dict[str, object] = {}
        try:
            while not (gone.done() or closing.done()):
                news = await teller()
                if news is not None and not self._closing.is_set():
                    # A figure that did not change need not be told again; the page still has it.
                    changed = {k: v for k, v in news.items() if kind == "status" or told.get(k) != v}
                    told = dict(news)
                    await send(_body(_event(kind, changed)))
                await asyncio.wait(
                    {gone, closing}, timeout=self._every_wall_seconds, return_when=asyncio.FIRST_COMPLETED
                )
            if not gone.done():
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._listeners -= 1
            gone.cancel()
            closing.cancel()


class _Stream(Response):
    """The response to one listener."""

    media_type = "text/event-stream"
    charset = "utf-8"

    def __init__(self, live: Live, kind: str, teller: Teller) -> None:
        super().__init__(
            headers={
                "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",
                "X-Content-Type-Options": "nosniff",
            }
        )
        del self.headers["content-length"]
        self._live = live
        self._kind = kind
        self._teller = teller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        await send(_body(f"retry: {_RETRY_MILLISECONDS}\n\n"))
        await self._live.feed(self._kind, self._teller, receive, send)


def _event(kind: str, told: Told) -> str:
    return f"event: {kind}\ndata: {json.dumps(told, allow_nan=False)}\n\n"


def _body(text: str) -> dict[str, object]:
    return {"type": "http.response.body", "body": text.encode(), "more_body": True}


async def _gone(receive: Receive) -> None:
    """Until the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
