"""Streams of events, driven by hand: no server, no browser."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from goodputd.web.app import Site
from goodputd.web.live import MOST_LISTENERS, Live, Told
from tests.history.past import BUSY, DAY, Past
from tests.web.asking import TWO, Client, site_of

Message = MutableMapping[str, Any]


class Listener:
    """A client of the stream; it reads when it is told to."""

    def __init__(self, live: Live | None = None, query: str = "", *, app: ASGIApp | None = None) -> None:
        """Connects when it is first awaited, to a stream or to that of a whole site."""
        routes = [] if live is None else [Route("/api/v1/events", live.serve)]
        self._app = app or Starlette(routes=routes)
        self._query = query
        self._leave = asyncio.Event()
        self._reads = asyncio.Semaphore(0)
        self.messages: asyncio.Queue[Message] = asyncio.Queue()

    async def connect(self) -> None:
        """Until the stream ends."""
        scope = {
            "type": "http", "method": "GET", "path": "/api/v1/events", "raw_path": b"/api/v1/events",
            "root_path": "", "scheme": "http",
            "query_string": self._query.encode(), "headers": [], "http_version": "1.1",
            "server": ("localhost", 80), "client": ("localhost", 1),
        }  # fmt: skip
        await self._app(scope, self._receive, self._send)

    async def read(self) -> dict[str, Any]:
        """The next event's data, or the start of the response."""
        while True:
            self._reads.release()
            message = await asyncio.wait_for(self.messages.get(), 10.0)
            if message["type"] == "http.response.start":
                return {"status": message["status"]}
            lines = message["body"].decode().splitlines()
            data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
            if data:
                event: dict[str, Any] = json.loads(data[0])
                return event
            if not message.get("more_body", False):
                return {}

    async def read_to_the_end(self) -> None:
        """Until the response is complete."""
        while await self.read():
            pass

    def leave(self) -> None:
        """Close the connection."""
        self._leave.set()

    async def _receive(self) -> Message:
        await self._leave.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        await self._reads.acquire()
        self.messages.put_nowait(message)


class News:
    """What is told: a number that goes up each time it is asked for, and one that stays."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked = 0

    async def __call__(self) -> Told | None:
        """The next news."""
        self.asked += 1
        return {"changes": self.asked, "stays": "same"}


def play(drive: Callable[[Live, News], Awaitable[None]], every: float = 0.0) -> None:
    """Run a script with a stream that tells news as fast as it is read."""

    async def run() -> None:
        news = News()
        await drive(Live({"status": news, "fragments": news}, every_wall_seconds=every), news)

    asyncio.run(run())


def test_a_status_is_told_whole() -> None:
    """Every event of the status has everything."""

    async def drive(live: Live, _: News) -> None:
        listener = Listener(live)
        connected = asyncio.create_task(listener.connect())

        assert [{"status": 200}, {"changes": 1, "stays": "same"}, {"changes": 2, "stays": "same"}] == [
            await listener.read() for _ in range(3)
        ]
        live.close()
        await listener.read_to_the_end()
        await connected

    play(drive)


def test_fragments_are_told_when_they_change() -> None:
    """The first event has all of them, the next ones what is new."""

    async def drive(live: Live, _: News) -> None:
        listener = Listener(live, "events=fragments")
        connected = asyncio.create_task(listener.connect())

        assert [{"status": 200}, {"changes": 1, "stays": "same"}, {"changes": 2}] == [
            await listener.read() for _ in range(3)
        ]
        live.close()
        await listener.read_to_the_end()
        await connected

    play(drive)


def test_who_does_not_read_is_told_nothing_new() -> None:
    """While a listener does not read, no news is even asked for: nothing piles up."""

    async def drive(live: Live, news: News) -> None:
        listener = Listener(live)
        connected = asyncio.create_task(listener.connect())
        await listener.read()
        await listener.read()
        for _ in range(1000):
            await asyncio.sleep(0)

        assert news.asked <= 2
        assert 0 == listener.messages.qsize()
        connected.cancel()

    play(drive)


def test_closing_ends_every_stream() -> None:
    """Listeners that read are let go properly: the response ends."""

    async def drive(live: Live, _: News) -> None:
        listeners = [Listener(live) for _ in range(5)]
        connected = [asyncio.create_task(listener.connect()) for listener in listeners]
        for listener in listeners:
            await listener.read()
        live.close()
        for listener in listeners:
            await listener.read_to_the_end()
        await asyncio.wait_for(asyncio.gather(*connected), 10.0)

    play(drive, every=3600.0)


def test_who_leaves_makes_room() -> None:
    """Only so many may listen at once; one who comes too many is refused until another leaves."""

    async def drive(live: Live, _: News) -> None:
        crowd = [Listener(live) for _ in range(MOST_LISTENERS)]
        connected = [asyncio.create_task(listener.connect()) for listener in crowd]
        for listener in crowd:
            await listener.read()
            await listener.read()
        late = Listener(live)
        refused = asyncio.create_task(late.connect())

        assert {"status": 503} == await late.read()
        await late.read()
        await refused
        crowd[0].leave()
        await asyncio.wait_for(connected[0], 10.0)
        again = Listener(live)
        accepted = asyncio.create_task(again.connect())

        assert {"status": 200} == await again.read()
        for task in (accepted, *connected):
            task.cancel()

    play(drive, every=3600.0)


def test_an_unknown_kind_of_event_is_refused() -> None:
    """The answer names those there are."""

    async def drive(live: Live, _: News) -> None:
        listener = Listener(live, "events=other")
        connected = asyncio.create_task(listener.connect())

        assert {"status": 400} == await listener.read()
        await listener.read()
        await connected

    play(drive)


def test_head_ends_at_once() -> None:
    """Asked for the headers alone, the stream does not begin."""
    client = Client(site_of(Past(scenarios=TWO, **BUSY).until(DAY)))
    response = client.request("HEAD", "/api/v1/events")

    assert (200, "text/event-stream; charset=utf-8", b"") == (
        response.status_code, response.headers["content-type"], response.content,
    )  # fmt: skip


def test_a_page_that_takes_long_is_given_up_at_the_end() -> None:
    """Closed while its fragments are made, the site makes no more of them and says that it ends."""
    names = [f'name = "s{number}"' for number in range(8)]
    site = site_of(Past(scenarios=names, **BUSY).until(DAY))
    client = Client(site)

    async def asked() -> int:
        async def close() -> None:
            site.close()

        closing = asyncio.get_running_loop().create_task(close())
        response = await client.ask("GET", "/")
        await closing
        return response.status_code

    assert 503 == asyncio.run(asked())


def test_a_request_that_is_cancelled_at_the_end_is_no_mistake() -> None:
    """Cancelled, a stream ends without an error when the daemon ends, and with one when it does not."""
    outcomes = []
    for ends in (True, False):
        site = site_of(Past(scenarios=TWO).until(DAY))
        listener = Listener(app=site.app)

        async def cancelled(site: Site = site, listener: Listener = listener, ends: bool = ends) -> bool:
            connected = asyncio.create_task(listener.connect())
            await listener.read()
            await listener.read()
            site.is_closing = ends
            connected.cancel()
            await asyncio.wait({connected})
            return connected.cancelled()

        outcomes.append(asyncio.run(cancelled()))

    assert [False, True] == outcomes
