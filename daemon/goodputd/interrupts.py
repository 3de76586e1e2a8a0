"""Ctrl-C while the program starts ends it at once; while a command runs it is an exception.

A traceback of imports helps nobody, and an exception that cuts one short may come out as another, or
not at all. Imports next to nothing, so that it stands early; knows no command.
"""

import os
import signal
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 130

Handler = Callable[[int, FrameType | None], object]


def end_at_once() -> None:
    """From here on Ctrl-C ends the program, unless it is ignored or another's business already."""
    _exchange(signal.default_int_handler, _end)


def raise_again() -> None:
    """From here on Ctrl-C is ``KeyboardInterrupt``, as everywhere."""
    _exchange(_end, signal.default_int_handler)


def _exchange(before: Handler, after: Handler) -> None:
    if signal.getsignal(signal.SIGINT) is before:
        try:
            signal.signal(signal.SIGINT, after)
        except ValueError:  # only the main thread may; who imports us elsewhere is not starting
            return


def _end(_: int, __: FrameType | None) -> None:
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(INTERRUPTED)
