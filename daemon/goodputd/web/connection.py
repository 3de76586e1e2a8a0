"""One HTTP connection, on the terms of a server that strangers can reach.

Whoever sends no request, or does not read the answer, is let go after a while; whoever comes when
there are too many is told so. Knows bytes and timers, no request's meaning.
"""

import asyncio
import resource
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

BACKLOG: Final = 16
"""Connections that are accepted at once, before the first of them can be counted."""
_MOST_CONNECTIONS: Final = 1000
_LEAST_CONNECTIONS: Final = 8
_OTHER_FILES: Final = 24
"""What the daemon holds open besides connections: log, sockets that listen, files being read."""
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 5\r\n"
    b"Connection: close\r\nContent-Length: 22\r\n\r\ntoo many connections.\n"
)


def most_connections() -> int:
    """How many connections there may be, given how many files this process may have open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(_LEAST_CONNECTIONS, min(_MOST_CONNECTIONS, files - BACKLOG - _OTHER_FILES))


class Connection(H11Protocol):
    """uvicorn's, with an end to patience."""

    request_wall_seconds: ClassVar[float] = 20.0
    """From the connection, and from the first byte of a later request, to the end of its headers."""
    reading_wall_seconds: ClassVar[float] = 30.0
    """How long an answer may wait for its reader."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - whatever uvicorn passes
        """Nobody is connected yet."""
        super().__init__(*arguments, **named)
        self._asking: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, unless there are too many who do."""
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) > self.limit_concurrency:
            transport.write(_FULL)
            transport.close()
        else:
            self._asking = self.loop.call_later(self.request_wall_seconds, transport.abort)

    def data_received(self, data: bytes) -> None:
        """A piece of a request; its headers have to be whole in time."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            _cancel(self._asking)
            self._asking = None
        elif self._asking is None:
            self._asking = self.loop.call_later(self.request_wall_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """The client does not read as fast as it is told."""
        super().pause_writing()
        self._reading = self.loop.call_later(self.reading_wall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read."""
        _cancel(self._reading)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        _cancel(self._asking)
        _cancel(self._reading)
        super().connection_lost(exc)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
