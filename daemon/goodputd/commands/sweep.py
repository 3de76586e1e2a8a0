"""``goodputd sweep``: vary keys of the settings, measure, and say where the optimum is.

It chooses what is played, has it played, and puts the result where it was asked for; the numbers are
the business of ``studies``.
"""

import functools
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import IO, BinaryIO, Final

from goodputd import __version__
from goodputd.commands.console import console
from goodputd.commands.doubts import tell_doubts
from goodputd.commands.files import replacing
from goodputd.commands.studying import bar, check_target, seeds, tell_interrupted, tell_written, unasked
from goodputd.errors import EnvironmentProblemError, SettingsError
from goodputd.studies import plot
from goodputd.studies.axes import Axis, Load, parse_axis, points
from goodputd.studies.cluster import Cluster
from goodputd.studies.figures import NAMES
from goodputd.studies.rows import write_csv
from goodputd.studies.runs import Executor, Report, cores, executor
from goodputd.studies.study import Results, Study, conduct
from goodputd.studies.sweeping import Sweep, sweep, widest

OUT_SUFFIXES: Final = (".csv", ".json")


@dataclass(slots=True, kw_only=True)
class Targets:
    """Where the result goes besides the table."""

    out: Path | None
    plot: Path | None
    as_json: bool

    def check(self, axes: Sequence[Axis]) -> None:
        """Refuse what could not be written, before anything is played.

        Errors: ``SettingsError``, ``EnvironmentProblemError``.
        """
        if self.out is not None:
            check_target(self.out, OUT_SUFFIXES, "--out")
        if self.plot is not None:
            check_target(self.plot, plot.SUFFIXES, "--plot")
            if not axes[0].is_numeric:
                raise SettingsError(f"--plot: the values of {axes[0].key} are no numbers, there is no curve")
            plot.require()


def run(
    load: Load,
    *,
    vary: Sequence[str],
    names: Sequence[str],
    count: int,
    precision: float | None,
    horizon_seconds: float,
    figure: str,
    executor_with: Callable[[Report], Executor],
    targets: Targets,
) -> bool:
    """Play, print and write; False when somebody stopped it, after what was finished.

    Errors: ``SettingsError``, ``EnvironmentProblemError`` for what cannot be played, fitted or written.
    """
    if not vary:
        raise SettingsError(
            "--vary: say what to vary, for instance checkpoint.interval_seconds=60:7200:log20"
        )
    axes = [parse_axis(each) for each in vary]
    figure = figure_named(figure)
    targets.check(axes)
    (settings,) = load([{}])
    chosen = points(axes, names or [settings.scenarios[0].name], load)
    if precision is not None and count == 1:
        raise SettingsError(
            "--precision: one seed has no interval; give --seeds, the most that may be played"
        )
    study = Study(points=chosen, seeds=seeds(settings.seed, count), horizon_seconds=horizon_seconds)

    def is_precise(results: Results) -> bool:
        half = widest(results, figure)
        return precision is not None and half is not None and half <= precision

    tell_doubts(settings)
    with bar(study) as (progress, report):
        results = conduct(
            study,
            executor_with(report),
            progress=progress,
            is_enough=None if precision is None else is_precise,
        )
    if results.interrupted:
        tell_interrupted(results)
    found = None
    if results.seeds:
        found = sweep(
            results, axes, figure=figure, precision=precision, version=__version__, source=settings.source
        )
        found["other_scenarios"] = unasked(settings, names)
    _deliver(results, found, targets)
    return not results.interrupted


def executor_with(workers: int | None, scheduler: str | None) -> Callable[[Report], Executor]:
    """Who plays: so many processes, all cores, or a cluster. Errors: ``SettingsError`` for two of them."""
    if scheduler is None:
        return functools.partial(executor, workers or cores())
    if workers is not None:
        raise SettingsError("--workers and --scheduler: give one of them; a cluster has workers of its own")
    return lambda _: Cluster(scheduler)


def figure_named(typed: str) -> str:
    """The figure of this name, that of the CSV's column or that of the tables.

    Errors: ``SettingsError`` that names those that are close.
    """
    from goodputd.commands.compare_table import labels

    words = labels()
    name = words.get(typed.strip().lower(), typed.strip())
    if name in NAMES:
        return name
    close = get_close_matches(typed.lower(), [*words, *NAMES], n=3)
    close = close or [each for each in (*words, *NAMES) if typed.lower() in each][:3]
    hint = f"; did you mean {' or '.join(close)}?" if close else ""
    raise SettingsError(f"--figure: unknown figure {typed!r}{hint} (there are {', '.join(NAMES)})")


def _deliver(results: Results, found: Sweep | None, targets: Targets) -> None:
    """Write the files and print, also where a file cannot be written; without a whole seed only rows.

    Errors: ``EnvironmentProblemError`` at the end, with every file that cannot be written.
    """
    problems: list[str] = []
    for path, write in _files(results, found, targets):
        try:
            with replacing(str(path)) as file:
                write(file)
            tell_written(path)
        except EnvironmentProblemError as error:  # what took an hour is on the screen at least
            problems.append(str(error))
    try:
        if found is not None:
            _print(found, as_json=targets.as_json)
    except OSError:  # full as well, or nobody reads it
        if not problems:
            raise
    if problems:
        raise EnvironmentProblemError("\n".join(problems))


def _files(
    results: Results, found: Sweep | None, targets: Targets
) -> Iterator[tuple[Path, Callable[[BinaryIO], None]]]:
    """The files to write, and what writes each."""
    out, drawing = targets.out, targets.plot
    if out is not None and out.suffix.lower() == ".csv":
        yield out, functools.partial(_write_csv, results)
    if found is None:
        return
    if out is not None and out.suffix.lower() == ".json":
        yield out, functools.partial(_write_json, found)
    if drawing is not None:
        yield drawing, functools.partial(plot.draw, found, drawing.suffix.lower().removeprefix("."))


def _print(found: Sweep, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(found, allow_nan=False, indent=2))
        return
    from goodputd.commands.sweep_table import print_sweep

    print_sweep(found, console())


def _write_json(found: Sweep, file: IO[bytes]) -> None:
    file.write(json.dumps(found, allow_nan=False, indent=2).encode() + b"\n")


def _write_csv(results: Results, file: IO[bytes]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    write_csv(results, text)
    text.detach()
