"""The command line: which commands and options there are, and what each way of ending exits with.

Exit codes: 0 done, 1 our bug (with a traceback), 2 the user's mistake (one message with all of them),
130 interrupted; ``health`` answers with 0 or 1. What a command needs is imported when it is called,
so that ``--help`` and ``health`` are quick. Knows no rule of the model and no HTTP.
"""

import functools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final, ParamSpec

import typer

from goodputd import __version__
from goodputd.errors import EnvironmentProblemError, SettingsError

DONE: Final = 0
USER_MISTAKE: Final = 2
INTERRUPTED: Final = 130

_DEFAULT_COMMAND: Final = "serve"
_HORIZON: Final = "54d"
_TARGET_HORIZON: Final = "3650d"
"""How long ``--until-step`` tries."""
_STRIKES_KEY: Final = "policy.strikes.strikes_to_evict"
_OWN_OPTIONS: Final = frozenset({"-h", "--help", "--version", "--install-completion", "--show-completion"})

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
LogFormatOption = Annotated[
    str | None,
    typer.Option("--log-format", metavar="auto|json|console", help="Look of the log [log.format]."),
]
LogLevelOption = Annotated[
    str | None, typer.Option("--log-level", metavar="LEVEL", help="Least level to log [log.level].")
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, that of the process unless given; ends in ``SystemExit`` with the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and _is_bare_file(given[0]):
        _complain(f"{given[0]!r} is a file, not a command; did you mean: goodputd serve -c {given[0]}")
        sys.exit(USER_MISTAKE)
    app(args=with_default_command(given), prog_name="goodputd")


def with_default_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``serve`` put in front when they name no command."""
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in _OWN_OPTIONS):
        return [_DEFAULT_COMMAND, *arguments]
    return list(arguments)


def _is_bare_file(argument: str) -> bool:
    if argument in {command.name for command in app.registered_commands} or argument.startswith("-"):
        return False
    return argument.endswith(".toml") or Path(argument).is_file()


def _command(name: str) -> Callable[[Callable[P, int]], Callable[P, int]]:
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
        status = call()
        sys.stdout.flush()
    except (SettingsError, EnvironmentProblemError) as error:
        _complain(str(error))
        return USER_MISTAKE
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. What is still buffered must not be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    return status


def _complain(message: str) -> None:
    print(message, file=sys.stderr)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        print(f"goodputd {__version__}")
        raise typer.Exit


@app.callback()
def _goodputd(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Play the failure economics of large synchronous training in accelerated time, for Prometheus.

    Without a command: serve.
    """


@_command("serve")
def serve(
    config: ConfigOption = None,
    listen: ListenOption = None,
    speedup: SpeedupOption = None,
    seed: SeedOption = None,
    log_format: LogFormatOption = None,
    log_level: LogLevelOption = None,
) -> int:
    """Play in accelerated time and serve /metrics (the main job)."""
    from goodputd import service, settings

    return service.run(
        settings.load(config, overrides=_overrides(listen, speedup, seed, log_format, log_level))
    )


@_command("simulate")
def simulate(
    config: ConfigOption = None,
    horizon: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="DURATION",
            help="How long to play, as 12h, 1d12h or plain seconds. "
            f"[default: {_HORIZON}; with --until-step {_TARGET_HORIZON}]",
        ),
    ] = None,
    until_step: Annotated[
        int | None,
        typer.Option("--until-step", min=1, metavar="N", help="Play to this step, or as long as --for."),
    ] = None,
    seed: SeedOption = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_trace: Annotated[
        bool,
        typer.Option(
            "--trace", help="Print every fact as a line of JSON; with --json the object comes last."
        ),
    ] = False,
) -> int:
    """Play at full speed and print what it cost."""
    from goodputd import settings
    from goodputd.commands import simulate as command
    from goodputd.commands.durations import parse_seconds

    if horizon is None:
        horizon = _HORIZON if until_step is None else _TARGET_HORIZON
    horizon_seconds = parse_seconds(horizon, option="--for")
    loaded = settings.load(config, overrides=_overrides(seed=seed))
    command.run(
        loaded, horizon_seconds=horizon_seconds, until_step=until_step, as_json=as_json, as_trace=as_trace
    )
    return DONE


@_command("compare")
def compare(
    config: ConfigArgument = None,
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
    """Put scenarios side by side on the same faults, and say which is best."""
    from goodputd import settings
    from goodputd.commands import compare as command
    from goodputd.commands.durations import parse_seconds
    from goodputd.commands.studying import whole_numbers, words
    from goodputd.studies.runs import cores

    finished = command.run(
        functools.partial(settings.variations, config, overrides=_overrides(seed=seed)),
        names=words(scenarios),
        strikes=whole_numbers(strikes, option="--strikes"),
        count=seeds,
        horizon_seconds=parse_seconds(horizon, option="--for"),
        workers=workers or cores(),
        as_json=as_json,
        as_csv=as_csv,
    )
    return DONE if finished else INTERRUPTED


@_command("check-config")
def check_config(
    config: ConfigArgument = None,
    listen: ListenOption = None,
    speedup: SpeedupOption = None,
    seed: SeedOption = None,
    log_format: LogFormatOption = None,
    log_level: LogLevelOption = None,
    *,
    print_effective: Annotated[
        bool, typer.Option("--print-effective", help="Print every value with where it comes from.")
    ] = False,
) -> int:
    """Name every mistake in the settings at once."""
    from goodputd import settings

    loaded = settings.load(config, overrides=_overrides(listen, speedup, seed, log_format, log_level))
    for warning in settings.warnings(loaded):
        _complain(f"warning: {warning}")
    if print_effective:
        print(settings.describe(loaded))
    else:
        names = ", ".join(scenario.name for scenario in loaded.scenarios)
        print(f"{loaded.source}: valid; scenarios: {names}")
    return DONE


@_command("init")
def init(
    template: Annotated[
        str,
        typer.Option("--from", metavar="NAME", help="Shipped settings to start from, for instance llama3."),
    ] = "default",
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="File to write; - is stdout.")
    ] = "goodputd.toml",
    *,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> int:
    """Write a commented settings file."""
    from goodputd import settings
    from goodputd.commands.init import write

    write(settings.initial_toml(template), out, force=force)
    return DONE


@_command("schema")
def schema() -> int:
    """Print the JSON Schema of the settings file."""
    import json

    from goodputd import settings

    print(json.dumps(settings.schema(), indent=2))
    return DONE


@_command("catalog")
def catalog(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which catalog; without: list them.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """List the fault catalogs, or the kinds of one."""
    from goodputd.commands import catalog as command

    if name is None:
        command.print_list(as_json=as_json)
    else:
        command.print_kinds(name, as_json=as_json)
    return DONE


@_command("health")
def health(
    url: Annotated[
        str | None,
        typer.Option("--url", metavar="URL", help="Address of the daemon [default: where it listens]."),
    ] = None,
    config: ConfigOption = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, metavar="SECONDS", help="How long to wait.")
    ] = 3.0,
) -> int:
    """Exit with 0 when the daemon is ready, else with 1."""
    from goodputd.commands import health as command

    return command.check(url, config=config, timeout_wall_seconds=timeout)


def _overrides(
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
