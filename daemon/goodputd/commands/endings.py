"""The signals that end a program from outside, and what a command makes of them meanwhile."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

_ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def ending(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """SIGTERM and SIGHUP, which would kill the program, call ``handler``; afterwards they are as before.

    One that is ignored would not, and stays so: nohup keeps a program running when its terminal is gone.
    """
    deadly = [number for number in _ENDINGS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in deadly}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
