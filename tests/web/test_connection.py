"""Connections of clients that do not behave, on real sockets, and a daemon that has no files left."""

import asyncio
import errno
import resource
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager, closing
from http.client import HTTPConnection
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from goodputd.web.connection import TOLD_EVERY_WALL_SECONDS, Connection, OutOfFiles
from goodputd.web.live import MOST_LISTENERS, Live, Told
from tests.daemon import serving
from tests.test_pacer import Clock

PATIENCE_WALL_SECONDS = 20.0
FILES = 48
"""Enough for a daemon and some thirty connections."""
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LINES = 50
"""Of a log, which has one a second or so."""
Address = tuple[str, int]


class Hasty(Connection):
    """Waits for nobody."""

    request_wall_seconds = 0.05
    reading_wall_seconds = 0.05


async def brief(_: Scope, __: Receive, send: Send) -> None:
    """An application that says hello."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def much() -> Told:
    """More news than a connection holds that nobody reads."""
    return {"news": "x" * 1_000_000}


@asynccontextmanager
async def served(app: Callable[..., Awaitable[None]]) -> AsyncIterator[Address]:
    """Where the application is served, by connections without patience."""
    config = uvicorn.Config(app, http=Hasty, lifespan="off", log_config=None, ws="none")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as ours:
        serving = asyncio.create_task(server._serve([ours]))  # noqa: SLF001 - serve() takes over signals
        try:
            yield ours.getsockname()
        finally:
            server.should_exit = server.force_exit = True
            await serving


async def answered(reader: asyncio.StreamReader) -> bytes:
    """The next five bytes of a body."""
    await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_WALL_SECONDS)
    return await asyncio.wait_for(reader.readexactly(5), PATIENCE_WALL_SECONDS)


async def left(reader: asyncio.StreamReader) -> bytes:
    """What comes before the other side hangs up."""
    try:
        return await asyncio.wait_for(reader.read(), PATIENCE_WALL_SECONDS)
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("sent", [b"", b"G", REQUEST[:-2]])
def test_who_sends_no_request_is_let_go(sent: bytes) -> None:
    """Neither silence nor the beginning of a request keeps a connection."""

    async def run() -> bytes:
        async with served(brief) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(sent)
            said = await left(reader)
            writer.close()
            return said

    assert b"" == asyncio.run(run())


def test_the_next_request_has_to_be_whole_in_time_as_well() -> None:
    """After an answer the connection waits; from the first byte of a request on it does not."""

    async def run() -> tuple[bytes, bytes]:
        async with served(brief) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(REQUEST)
            first = await answered(reader)
            writer.write(b"GET / HT")
            said = await left(reader)
            writer.close()
            return first, said

    assert (b"hello", b"") == asyncio.run(run())


def test_who_asks_keeps_the_connection() -> None:
    """A scraper that has asked once is still there when a silent client has been let go."""

    async def run() -> tuple[bytes, bytes]:
        async with served(brief) as address:
            scraper, asking = await asyncio.open_connection(*address)
            asking.write(REQUEST)
            first = await answered(scraper)
            silent, writer = await asyncio.open_connection(*address)
            await left(silent)
            asking.write(REQUEST)
            second = await answered(scraper)
            writer.close()
            asking.close()
            return first, second

    assert (b"hello", b"hello") == asyncio.run(run())


async def status_of(address: Address) -> bytes:
    """The status of the answer to one more listener, who leaves at once."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(REQUEST)
    line = await reader.readline()
    writer.close()
    return line.split()[1]


def test_listeners_who_do_not_read_make_room() -> None:
    """When everybody who may listens and reads nothing, others are refused for a while and not for ever."""

    async def run() -> tuple[set[bytes], bytes]:
        live = Live({"status": much}, every_wall_seconds=0.0)
        refused: set[bytes] = set()
        async with served(Starlette(routes=[Route("/", live.serve)])) as address:
            with ExitStack() as stack:
                for _ in range(MOST_LISTENERS):
                    deaf = stack.enter_context(socket.create_connection(address))
                    deaf.setblocking(False)
                    await asyncio.get_running_loop().sock_sendall(deaf, REQUEST)
                async with asyncio.timeout(PATIENCE_WALL_SECONDS):
                    while (status := await status_of(address)) == b"503":
                        refused.add(status)
            live.close()
            return refused, status

    assert ({b"503"}, b"200") == asyncio.run(run())


# --- no files left


def context(error: Exception) -> dict[str, Any]:
    """What asyncio says of a connection that it cannot accept."""
    return {"message": "socket.accept() out of system resource", "exception": error}


def test_want_of_files_is_told_once_a_minute() -> None:
    """However often it is tried meanwhile."""
    told: list[float] = []
    clock = Clock()
    loop = asyncio.new_event_loop()
    handle = OutOfFiles(lambda: told.append(clock.seconds), clock)
    for tenth in range(1300):
        clock.seconds = tenth / 10.0
        handle(loop, context(OSError(errno.EMFILE, "Too many open files")))
    loop.close()

    assert [0.0, TOLD_EVERY_WALL_SECONDS, 2.0 * TOLD_EVERY_WALL_SECONDS] == told


def test_a_daemon_without_files_says_so_once_and_recovers() -> None:
    """Nothing is written to stderr, and when the crowd has left a scraper is answered."""
    with serving() as daemon:
        resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (FILES, FILES))
        with ExitStack() as crowd:
            for _ in range(2 * FILES):
                crowd.enter_context(socket.create_connection(daemon.address))
            events = (daemon.next_event()["event"] for _ in range(LINES))
            assert "out_of_files" in events
        with closing(HTTPConnection(*daemon.address, timeout=PATIENCE_WALL_SECONDS)) as scraper:
            scraper.request("GET", "/metrics")
            status = scraper.getresponse().status
        daemon.process.terminate()
        out, err = daemon.process.communicate(timeout=PATIENCE_WALL_SECONDS)

    assert (200, 0, "") == (status, daemon.process.returncode, err)
    assert "out_of_files" not in out


def test_any_other_error_is_left_to_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged as ever, and nothing is said of files."""
    told: list[None] = []
    loop = asyncio.new_event_loop()
    OutOfFiles(lambda: told.append(None), Clock())(loop, context(ValueError("a defect")))
    loop.close()

    assert [] == told
    assert "a defect" in caplog.text
