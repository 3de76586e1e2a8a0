"""What the commands that play studies share: a bar while they play, and a look at files beforehand.

They say on stderr what went wrong and was put right. Knows nothing of what a study is about.
"""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NoReturn

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from goodputd.commands.console import console
from goodputd.commands.endings import ending
from goodputd.commands.files import is_replaceable
from goodputd.errors import EnvironmentProblemError, SettingsError
from goodputd.settings import Settings
from goodputd.studies.estimates import t_quantile
from goodputd.studies.runs import Report
from goodputd.studies.study import Progress as Finished
from goodputd.studies.study import Results, Study

LARGEST_SEED: Final = 2**63 - 1
_LONGEST_NAME: Final = 200
"""Characters of the name of a file: 255 bytes, with room for that of the file that becomes it."""


def words(typed: str | None) -> list[str]:
    """The words of a list with commas; none for nothing."""
    return [] if typed is None else [word.strip() for word in typed.split(",")]


def whole_numbers(typed: str | None, *, option: str) -> list[int]:
    """The numbers of a list with commas. Errors: ``SettingsError`` that names the option."""
    try:
        return [int(word) for word in words(typed)]
    except ValueError:
        raise SettingsError(f"{option}: {typed!r} is no list of whole numbers, such as 1,2,3,0") from None


def seeds(first: int, count: int) -> range:
    """``count`` seeds from the first on.

    Errors: ``SettingsError`` when that is beyond the largest seed, ``EnvironmentProblemError`` when the
    intervals that several seeds have cannot be computed here.
    """
    if first + count - 1 > LARGEST_SEED:
        raise SettingsError(f"--seeds: {count} seeds from {first} on go beyond {LARGEST_SEED}")
    if count > 1:
        t_quantile(1)
    return range(first, first + count)


def unasked(there: Settings, names: Sequence[str]) -> list[str]:
    """The scenarios that are not played because only the first is, for nobody named any."""
    return [] if names else [scenario.name for scenario in there.scenarios[1:]]


def who(scenario: str, others: Sequence[str]) -> str:
    """Which scenario is varied, and which others could be."""
    told = f"; there are others for --scenarios: {', '.join(others)}" if others else ""
    return f"Scenario {scenario}{told}."


def complain(message: str) -> None:
    """Say it on stderr."""
    print(f"warning: {message}", file=sys.stderr)


@contextlib.contextmanager
def bar(study: Study) -> Iterator[tuple[Finished, Report]]:
    """A bar on stderr while a person watches, which leaves nothing behind; and whom to tell of trouble.

    Whoever ends the program meanwhile, batch scheduler or container, gets what Ctrl-C gives.
    """
    if not sys.stderr.isatty():
        with ending(_interrupt):
            yield lambda _: None, complain
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    out = console(stderr=True)
    shown = Progress(*columns, console=out, transient=True, redirect_stdout=False, redirect_stderr=False)
    with ending(_interrupt), shown:
        task = shown.add_task("runs", total=study.runs)

        def finished(count: int) -> None:
            shown.update(task, completed=count)

        def report(message: str) -> None:
            out.print(f"warning: {message}")

        yield finished, report


def _interrupt(*_: object) -> NoReturn:
    """The signal means what SIGINT means, so that what is finished is kept."""
    raise KeyboardInterrupt


def tell_interrupted(results: Results) -> None:
    """Say what there is of a study that was interrupted."""
    seeds_played = len(results.seeds)
    whole = f"{seeds_played} of {len(results.study.seeds)} seeds are finished in every scenario"
    print(f"interrupted after {len(results.figures)} runs; {whole}", file=sys.stderr)


def tell_written(path: Path) -> None:
    """Say which file is there now."""
    print(f"wrote {path}", file=sys.stderr)


def check_target(path: Path, suffixes: tuple[str, ...], option: str) -> None:
    """Make sure that a file can be written before an hour is spent on what comes into it.

    Errors: ``SettingsError`` for a name that does not end like a kind of file that there is,
    ``EnvironmentProblemError`` for a folder in which nothing can be written.
    """
    if path.suffix.lower() not in suffixes:
        raise SettingsError(f"{option}: {path}: must end in {' or '.join(suffixes)}")
    if len(path.name) > _LONGEST_NAME:
        raise SettingsError(f"{option}: the name of a file has at most {_LONGEST_NAME} characters")
    folder = path.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise EnvironmentProblemError(f"{option}: {path}: there is no folder {folder} that can be written to")
    if path.is_dir():
        raise EnvironmentProblemError(f"{option}: {path}: is a folder")
    if not is_replaceable(path):
        raise EnvironmentProblemError(f"{option}: {path}: is no file that can be replaced")
