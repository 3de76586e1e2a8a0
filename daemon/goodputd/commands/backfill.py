"""``goodputd backfill``: a period of the simulated clusters for the storage of a Prometheus.

It reads the options, puts the file where the user wants it, whole or not at all, and says which
commands take it from there. What is in the file is the business of ``studies``.
"""

import contextlib
import gc
import io
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final

from goodputd import assembly
from goodputd.commands.console import console
from goodputd.commands.durations import parse_seconds
from goodputd.commands.files import cannot_write, replacing
from goodputd.commands.init import STDOUT
from goodputd.errors import SettingsError
from goodputd.metrics.family import MetricSpec
from goodputd.metrics.view import InForce
from goodputd.service import in_force
from goodputd.settings import Settings
from goodputd.settings.model import start_timestamp
from goodputd.studies.backfill import Period, record
from goodputd.studies.spool import Progress, Spool, Written

BLOCK_HOURS: Final[tuple[int, ...]] = tuple(2 * 3**power for power in range(10))
"""The lengths of block that promtool makes; each starts at a multiple of itself, counted from 1970."""
RETENTION: Final = "10y"
LOOKBACK_SECONDS: Final = 300
"""How old a sample may be for Prometheus to show it, unless it is told otherwise."""
CONFIG_FILE: Final = "config/prometheus/backfill.yml"
"""Scrapes nothing; its place in the project."""
_DATA: Final = "data"
_RULES: Final = "backfill.rules.yml"
_LOOKED_AT_SECONDS: Final = 2 * 86_400
"""At most; by then a busy cluster has nearly all of its series, and its numbers have their digits."""
_MEGABYTE: Final = 1_000_000
_LAST_TIMESTAMP: Final = 253_402_300_799
"""The end of the year 9999, beyond which dates have no usual form."""


def period(
    horizon: str,
    start: str | None,
    step: str,
    wall_clock: Callable[[], float] = time.time,  # noqa: TID251 - this is where it enters
) -> Period:
    """The period of the options ``--for``, ``--start`` and ``--step``; without a start it ends now.

    Errors: ``SettingsError`` with each option that is wrong.
    """
    problems: list[str] = []

    def read(value: Callable[[], int]) -> int:
        try:
            return value()
        except SettingsError as error:
            problems.extend(error.problems)
            return 0

    seconds = read(lambda: _whole_seconds(horizon, "--for"))
    step_seconds = read(lambda: _whole_seconds(step, "--step"))
    started = int(wall_clock()) - seconds if start is None else read(lambda: _instant(start))
    if not problems and not 0 <= started <= started + seconds <= _LAST_TIMESTAMP:
        problems.append("--for, --start: the period must lie between the years 1970 and 9999")
    if problems:
        raise SettingsError(*problems)
    return Period(started, seconds, step_seconds)


def run(
    settings: Settings,
    period: Period,
    metrics: Sequence[MetricSpec],
    labels: dict[str, str],
    *,
    out: str,
    force: bool,
    rules: bool,
) -> None:
    """Write the file and say what to do with it; ``-`` is stdout, and what is said goes to stderr then.

    Errors: ``SettingsError`` when the file exists and ``force`` is not given,
    ``EnvironmentProblemError`` when it cannot be written.
    """
    effects = [in_force(scenario, period.start_timestamp) for scenario in settings.scenarios]
    # The core makes no reference cycles (a test says so), and here is little else.
    gc.disable()
    with _destination(out, force=force) as (file, scratch):
        print(_announcement(settings, period, metrics, labels, effects), file=sys.stderr)
        with _progress_bars() as (playing, writing):
            spool = Spool(metrics, labels, scratch)
            record(assembly.build(settings), effects, period, spool, playing)
            written = spool.write(file, period.timestamps, writing)
    told = sys.stderr if out == STDOUT else sys.stdout
    print("\n".join(_report(settings, out, period, written)), file=told)
    if out != STDOUT:
        print("\n".join(_next_steps(out, period, rules=rules)), file=told)


def block_hours(period: Period) -> int:
    """The shortest block that holds the whole period, or the longest when none does."""
    for hours in BLOCK_HOURS:
        if period.start_timestamp // (hours * 3600) == period.end_timestamp // (hours * 3600):
            return hours
    return BLOCK_HOURS[-1]


def _whole_seconds(text: str, option: str) -> int:
    seconds = parse_seconds(text, option=option)
    if not seconds.is_integer():
        raise SettingsError(f"{option}: {text!r} must come to whole seconds")
    return int(seconds)


def _instant(start: str) -> int:
    try:
        timestamp = start_timestamp(start)
    except (ValueError, OverflowError) as error:
        raise SettingsError(f"--start: {start!r} {error}") from error
    if not timestamp.is_integer():
        raise SettingsError(f"--start: {start!r} must be a whole second")
    return int(timestamp)


@contextlib.contextmanager
def _destination(out: str, *, force: bool) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The file to write and one to scribble in; the first appears as ``out`` when all went well."""
    if out == STDOUT:
        try:
            with tempfile.TemporaryFile() as scratch:
                yield sys.stdout.buffer, scratch
                sys.stdout.buffer.flush()
        except OSError as error:
            raise cannot_write("standard output", error) from error
        return
    if Path(out).is_file() and not force:
        raise SettingsError(f"{out}: exists already; give another --out, or --force to overwrite it")
    with replacing(out) as file, tempfile.TemporaryFile(dir=Path(os.path.realpath(out)).parent) as scratch:
        yield file, scratch


def _announcement(
    settings: Settings,
    period: Period,
    metrics: Sequence[MetricSpec],
    labels: dict[str, str],
    effects: Sequence[InForce],
) -> str:
    """How much it will be, by one point from the middle of the period, from earlier in a long one."""
    seconds = min(period.seconds // 2, _LOOKED_AT_SECONDS)
    one_point = Period(period.start_timestamp, seconds, seconds + 1)
    text, points = io.BytesIO(), len(period.timestamps)
    with tempfile.TemporaryFile() as scratch:
        spool = Spool(metrics, labels, scratch)
        record(assembly.build(settings), effects, one_point, spool, lambda _: None)
        written = spool.write(text, one_point.timestamps, lambda _: None)
    lines = [line for line in text.getvalue().splitlines(keepends=True) if not line.startswith(b"#")]
    samples, megabytes = written.samples * points, sum(map(len, lines)) * points / _MEGABYTE
    size = f"{megabytes:,.0f} MB" if megabytes >= 1.0 else "less than 1 MB"
    rounded = round(samples, 3 - len(str(samples)))
    return f"about {rounded:,} samples, {size}; a longer --step or fewer --metrics make it less"


def _report(settings: Settings, out: str, period: Period, written: Written) -> Iterator[str]:
    where = "standard output" if out == STDOUT else out
    yield f"{settings.source}: {', '.join(scenario.name for scenario in settings.scenarios)}"
    yield (
        f"{where}: {written.samples:,} samples of {written.series:,} series, "
        f"{_date(period.timestamps[0])} to {_date(period.end_timestamp)} every {period.step_seconds} s"
    )


def _next_steps(out: str, period: Period, *, rules: bool) -> Iterator[str]:
    """Commands that take the file into a Prometheus, each with what its flags are for."""
    block = f"--max-block-duration={block_hours(period)}h"
    create = f"promtool tsdb create-blocks-from openmetrics {block}"
    keep = f"--storage.tsdb.path={_DATA} --storage.tsdb.retention.time={RETENTION}"
    yield ""
    yield f"next, where {_DATA} is the storage of the Prometheus that is to show it:"
    yield f"  {create} {shlex.quote(out)} {_DATA}"
    yield f"  prometheus --config.file={CONFIG_FILE} {keep}"
    yield (
        "promtool reads the whole file again for every block: so long a block holds the whole period, and "
        "the default of two hours takes many times as long. Prometheus deletes blocks older than 15 days "
        "at once unless it is told to keep them."
    )
    if period.step_seconds > LOOKBACK_SECONDS:
        yield (
            f"With a step above {LOOKBACK_SECONDS} s lines have gaps, "
            f"unless Prometheus has --query.lookback-delta={period.step_seconds}s too."
        )
    if rules:
        yield from _rules(period)


def _rules(period: Period) -> Iterator[str]:
    """How the recording rules get a past too; a day is a day there, so they are those for real time."""
    yield ""
    yield "then, while that Prometheus runs, the recording rules over the same period:"
    yield f"  goodputd rules --speedup 1 --scrape-interval {period.step_seconds}s --out {_RULES}"
    yield (
        "  promtool tsdb create-blocks-from rules --url=http://127.0.0.1:9090 "
        f"--start={period.start_timestamp} --end={period.end_timestamp} --output-dir={_DATA}-rules {_RULES}"
    )
    yield f"and when it is stopped: mv {_DATA}-rules/* {_DATA}/"
    yield (
        "promtool makes one block per rule and two hours, which takes it about 10 s for each day of the "
        "period. Alert rules have no past. Dashboards show the whole period without any of this."
    )


def _date(timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextlib.contextmanager
def _progress_bars() -> Iterator[tuple[Progress, Progress]]:
    """Two bars on stderr while a person watches; they leave nothing behind."""
    if not sys.stderr.isatty():
        yield (lambda _: None), (lambda _: None)
        return
    from rich.progress import Progress as Bars

    with Bars(
        console=console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False
    ) as bars:
        playing, writing = (bars.add_task(each, total=1.0) for each in ("playing", "writing"))
        yield (
            lambda share: bars.update(playing, completed=share),
            lambda share: bars.update(writing, completed=share),
        )
