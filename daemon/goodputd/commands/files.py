"""Files that a command writes: whole or not at all, whatever ends it.

Knows paths and signals, and nothing of what is written.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

from goodputd.commands.endings import ending
from goodputd.errors import EnvironmentProblemError, SettingsError


@contextlib.contextmanager
def replacing(out: str) -> Iterator[BinaryIO]:
    """A file that takes the place of ``out`` at the end, or is gone when anything is raised before.

    It is beside ``out``, so that the exchange is one step; a link is followed. SIGTERM and SIGHUP end
    the program in the usual way meanwhile. Errors: ``SettingsError`` when ``out`` is something that
    can not be replaced, ``EnvironmentProblemError`` when it can not be written.
    """
    path = Path(os.path.realpath(out))
    try:
        if not is_replaceable(path):
            raise SettingsError(f"{out}: is not a file that can be replaced; --out - writes to stdout")
        with ending(_end), _beside(path) as file:
            yield file
    except OSError as error:
        raise cannot_write(out, error) from error


def is_replaceable(path: Path) -> bool:
    """Whether a file can take this place: there is one, or nothing."""
    return path.is_file() or not path.exists()


def cannot_write(out: str, error: OSError) -> EnvironmentProblemError:
    """One line that says what is in the way; a reader who has seen enough is not."""
    if isinstance(error, BrokenPipeError):
        raise error
    return EnvironmentProblemError(f"{out}: cannot be written: {(error.strerror or str(error)).lower()}")


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".partial")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(path)
    except BaseException:  # an interruption as well
        Path(name).unlink(missing_ok=True)
        raise


def _end(number: int, _: FrameType | None) -> NoReturn:
    """The program ends in the usual way, so that what it leaves is cleaned up."""
    raise SystemExit(128 + number)
