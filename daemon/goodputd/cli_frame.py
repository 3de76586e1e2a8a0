"""The frame of the command line: the application, the options that commands share, the exit codes.

Exit codes: 0 done, 1 our bug (with a traceback), 2 the user's mistake (one message with all of them),
130 interrupted. Knows no command.
"""

import errno
import functools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, ParamSpec

import typer

from goodputd import interrupts
from goodputd.errors import EnvironmentProblemError, SettingsError

DONE: Final = 0
USER_MISTAKE: Final = 2
INTERRUPTED: Final = interrupts.INTERRUPTED
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What is no bug of ours when output cannot be written."""

P = ParamSpec("P")

# Plain help and errors: a mistake stays on one line in a log, and --help takes half the time.
app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

ConfigOption = Annotated[
    Path | None,
    typer.Option("-c", "--config", envvar="GOODPUTD_CONFIG", metavar="FILE", help="Settings (TOML)."),
]
ConfigArgument = Annotated[
    Path | None, typer.Argument(envvar="GOODPUTD_CONFIG", metavar="FILE", help="Settings (TOML).")
]
ListenOption = Annotated[
    str | None, typer.Option("--listen", metavar="HOST:PORT", help="Address to serve on [http.listen].")
]
SpeedupOption = Annotated[
    float | None,
    typer.Option("--speedup", metavar="N", help="Simulated seconds per second [clock.speedup]."),
]
SeedOption = Annotated[int | None, typer.Option("--seed", metavar="N", help="Which luck to play [seed].")]
LogFormatOption = Annotated[
    str | None,
    typer.Option("--log-format", metavar="auto|json|console", help="Look of the log [log.format]."),
]
LogLevelOption = Annotated[
    str | None, typer.Option("--log-level", metavar="LEVEL", help="Least level to log [log.level].")
]


def command(name: str) -> Callable[[Callable[P, int]], Callable[P, int]]:
    """Register a command; the one place where an ending becomes an exit code."""

    def register(function: Callable[P, int]) -> Callable[P, int]:
        @functools.wraps(function)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
            raise typer.Exit(_exit_code(functools.partial(function, *args, **kwargs)))

        app.command(name)(guarded)
        return function

    return register


def _exit_code(call: Callable[[], int]) -> int:
    try:
        interrupts.raise_again()
        status = call()
        if sys.stdout is not None:  # started with it closed
            sys.stdout.flush()
    except (SettingsError, EnvironmentProblemError) as error:
        _flush_or_drop_output()  # what was found comes before what went wrong with it
        complain(str(error))
        return USER_MISTAKE
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
        return DONE
    except OSError as error:
        if error.errno not in _FULL:
            raise
        _drop_output()
        complain(f"standard output: cannot be written: {(error.strerror or str(error)).lower()}")
        return USER_MISTAKE
    return status


def _flush_or_drop_output() -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _drop_output()


def _drop_output() -> None:
    """What is still buffered for stdout must not be flushed at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    """Print one message on stderr."""
    print(message, file=sys.stderr)


def overrides(
    listen: str | None = None,
    speedup: float | None = None,
    seed: int | None = None,
    log_format: str | None = None,
    log_level: str | None = None,
) -> dict[str, object]:
    """The options that were given, under the keys that they override."""
    given = {
        "http.listen": listen,
        "clock.speedup": speedup,
        "seed": seed,
        "log.format": log_format,
        "log.level": log_level,
    }
    return {key: value for key, value in given.items() if value is not None}
