"""Connections of clients that do not behave, on a real socket."""

import asyncio
import resource
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from goodputd.web.connection import BACKLOG, Connection, most_connections

PATIENCE_WALL_SECONDS = 20.0
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
Address = tuple[str, int]


class Hasty(Connection):
    """Waits for nobody."""

    request_wall_seconds = 0.05
    reading_wall_seconds = 0.05


class Endless:
    """An application that answers without end, until its client is gone."""

    def __init__(self) -> None:
        """Nobody has asked yet."""
        self.gone = asyncio.Event()

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Tell, and notice when nobody is there any more."""
        await send({"type": "http.response.start", "status": 200, "headers": []})
        leaving = asyncio.create_task(self._leaves(receive))
        while not leaving.done():
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            await asyncio.sleep(0)
        self.gone.set()

    @staticmethod
    async def _leaves(receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass


async def brief(_: Scope, __: Receive, send: Send) -> None:
    """An application that says hello."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


@asynccontextmanager
async def served(
    app: Callable[..., Awaitable[None]], protocol: type[Connection], most: int | None = None
) -> AsyncIterator[Address]:
    """Where the application is served."""
    config = uvicorn.Config(
        app, http=protocol, lifespan="off", log_config=None, ws="none", limit_concurrency=most
    )
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
        async with served(brief, Hasty) as address:
            reader, writer = await asyncio.open_connection(*address)
            writer.write(sent)
            said = await left(reader)
            writer.close()
            return said

    assert b"" == asyncio.run(run())


def test_the_next_request_has_to_be_whole_in_time_as_well() -> None:
    """After an answer the connection waits; from the first byte of a request on it does not."""

    async def run() -> tuple[bytes, bytes]:
        async with served(brief, Hasty) as address:
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
        async with served(brief, Hasty) as address:
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


def test_who_does_not_read_is_let_go() -> None:
    """An answer without end ends when nobody reads it."""

    async def run() -> bool:
        app = Endless()
        async with served(app, Hasty) as address:
            loop = asyncio.get_running_loop()
            with socket.create_connection(address) as never:
                never.setblocking(False)
                await loop.sock_sendall(never, REQUEST)
                return await asyncio.wait_for(app.gone.wait(), PATIENCE_WALL_SECONDS)

    assert asyncio.run(run())


def test_too_many_are_told_so() -> None:
    """One more connection than there may be gets an answer at once, and those before it stay."""

    async def run() -> tuple[bytes, bytes]:
        async with served(brief, Connection, most=2) as address:
            first, asking = await asyncio.open_connection(*address)
            asking.write(REQUEST)
            answer = await answered(first)
            others = [await asyncio.open_connection(*address) for _ in range(2)]
            said = await left(others[-1][0])
            for _, writer in (*others, (first, asking)):
                writer.close()
            return answer, said

    answer, said = asyncio.run(run())

    assert b"hello" == answer
    assert said.startswith(b"HTTP/1.1 503 ")
    assert said.endswith(b"\r\n\r\ntoo many connections.\n")


@pytest.mark.parametrize(("files", "expected"), [(48, 8), (128, 88), (1024, 984), (1_000_000, 1000)])
def test_connections_leave_files_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, files: int, expected: int
) -> None:
    """There may be as many as the limit of open files allows, and a thousand at most."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))

    assert expected == most_connections()
    assert expected + BACKLOG < files
