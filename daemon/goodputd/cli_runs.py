"""The command line: many runs at once, compared and varied.

What a command needs is imported when it is called, so that ``--help`` is quick.
"""

import functools
from pathlib import Path
from typing import Annotated, Final

import typer

from goodputd.cli_frame import DONE, INTERRUPTED, ConfigOption, SeedOption, command, overrides

_HORIZON: Final = "54d"
_FIGURE: Final = "effective_training_time_ratio"
_STRIKES_KEY: Final = "policy.strikes.strikes_to_evict"

FileArgument = Annotated[Path | None, typer.Argument(metavar="FILE", help="Settings (TOML).")]
HorizonOption = Annotated[
    str, typer.Option("--for", metavar="DURATION", help="How long to play, as 12h, 1d12h or plain seconds.")
]
SeedsOption = Annotated[
    int, typer.Option("--seeds", min=1, max=100_000, metavar="N", help="How many seeds to play.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=1024, metavar="N", help="Processes that play. [default: all cores]"),
]

VaryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="KEY=LOW:HIGH:log20",
        help="What to vary: a range with log or lin and how many values, or a list KEY=1,2,3. The first "
        "is drawn and has its optimum told, once for each value of the others.",
    ),
]
PrecisionOption = Annotated[
    float | None,
    typer.Option(
        "--precision",
        min=0.0,
        metavar="P",
        help="Stop when half of every 95 % interval is at most this, 0.001 for a tenth of a point.",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Play on a Dask cluster, tcp://host:8786."),
]


@command("compare")
def compare(
    file: FileArgument = None,
    config: ConfigOption = None,
    scenarios: Annotated[
        str | None,
        typer.Option("--scenarios", metavar="NAME,NAME", help="Which, in this order; without: all."),
    ] = None,
    strikes: Annotated[
        str | None,
        typer.Option(
            "--strikes",
            metavar="N,N",
            help=f"Compare numbers of strikes that evict, 0 for never [{_STRIKES_KEY}].",
        ),
    ] = None,
    horizon: HorizonOption = _HORIZON,
    seeds: SeedsOption = 1,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a row for every run.")] = False,
) -> int:
    """Put scenarios side by side, on the same faults."""
    from goodputd import settings
    from goodputd.commands import compare as comparing
    from goodputd.commands.durations import parse_seconds
    from goodputd.commands.studying import whole_numbers, words
    from goodputd.studies.runs import cores

    finished = comparing.run(
        functools.partial(settings.variations, file or config, overrides=overrides(seed=seed)),
        names=words(scenarios),
        strikes=whole_numbers(strikes, option="--strikes"),
        count=seeds,
        horizon_seconds=parse_seconds(horizon, option="--for"),
        workers=workers or cores(),
        as_json=as_json,
        as_csv=as_csv,
    )
    return DONE if finished else INTERRUPTED


@command("sweep")
def sweep(
    file: FileArgument = None,
    config: ConfigOption = None,
    vary: VaryOption = None,
    scenarios: Annotated[
        str | None,
        typer.Option("--scenarios", metavar="NAME,NAME", help="Which to vary; without: the first."),
    ] = None,
    figure: Annotated[
        str,
        typer.Option(
            "--figure", metavar="NAME", help="What to look at, as the tables or the CSV's columns call it."
        ),
    ] = _FIGURE,
    horizon: HorizonOption = _HORIZON,
    seeds: SeedsOption = 10,
    precision: PrecisionOption = None,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write every run, as .csv or .json.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the curves, as .png or .svg.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Vary keys and say where the optimum is."""
    from goodputd import settings
    from goodputd.commands import sweep as sweeping
    from goodputd.commands.durations import parse_seconds
    from goodputd.commands.studying import words

    finished = sweeping.run(
        functools.partial(settings.variations, file or config, overrides=overrides(seed=seed)),
        vary=vary or [],
        names=words(scenarios),
        count=seeds,
        precision=precision,
        horizon_seconds=parse_seconds(horizon, option="--for"),
        figure=figure,
        executor_with=sweeping.executor_with(workers, scheduler),
        targets=sweeping.Targets(out=out, plot=plot, as_json=as_json),
    )
    return DONE if finished else INTERRUPTED
