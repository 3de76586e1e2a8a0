"""HTTP connections on the terms of a server that strangers can reach.

Whoever sends no request, or does not read the answer, is let go after a while; that there are no files
left for another connection is said, and not at every try. Knows bytes and timers, no request's meaning.
"""

import asyncio
import errno
from collections.abc import Callable
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

TOLD_EVERY_WALL_SECONDS: Final = 60.0
"""How often it is said that no connection can be accepted; asyncio fails to a hundred times a second."""
_OUT_OF_FILES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


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
        """Wait for a request."""
        super().connection_made(transport)
        # What the kernel does not take waits for its reader, be it ever so little.
        transport.set_write_buffer_limits(high=0)
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


class OutOfFiles:
    """What the loop does with an error that nobody awaits: want of files is told now and then."""

    def __init__(self, tell: Callable[[], object], clock: Callable[[], float]) -> None:
        """``tell`` says that no connection can be accepted; ``clock`` gives wall seconds."""
        self._tell = tell
        self._clock = clock
        self._told_at: float | None = None

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle one; all others are the loop's business."""
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _OUT_OF_FILES):
            loop.default_exception_handler(context)
            return
        now = self._clock()
        if self._told_at is None or now - self._told_at >= TOLD_EVERY_WALL_SECONDS:
            self._told_at = now
            self._tell()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
