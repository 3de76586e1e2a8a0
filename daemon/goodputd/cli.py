"""The command line: the entry, and the commands that play, serve and say what is what.

What a command needs is imported when it is called, so that ``--help`` and ``health`` are quick.
Knows no rule of the model and no HTTP; ``health`` exits with 0 or 1, all others as ``cli_frame``
says.
"""

from goodputd import interrupts

interrupts.end_at_once()  # to the end of this file, which takes longer to load than all before it

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from goodputd import __version__, core_build
from goodputd.cli_frame import (
    DONE,
    USER_MISTAKE,
    ConfigArgument,
    ConfigOption,
    ListenOption,
    LogFormatOption,
    LogLevelOption,
    SeedOption,
    SpeedupOption,
    app,
    command,
    complain,
    overrides,
)

_DEFAULT_COMMAND: Final = "serve"
_HORIZON: Final = "54d"
_TARGET_HORIZON: Final = "3650d"
"""How long ``--until-step`` tries."""
_OWN_OPTIONS: Final = frozenset({"-h", "--help", "--version", "--install-completion", "--show-completion"})


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command line, that of the process unless given; ends in ``SystemExit`` with the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and _is_bare_file(given[0]):
        complain(f"{given[0]!r} is a file, not a command; did you mean: goodputd serve -c {given[0]}")
        sys.exit(USER_MISTAKE)
    interrupts.end_at_once()  # until a command begins
    try:
        app(args=with_default_command(given), prog_name="goodputd")
    finally:
        interrupts.raise_again()


def with_default_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with ``serve`` put in front when they name no command."""
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in _OWN_OPTIONS):
        return [_DEFAULT_COMMAND, *arguments]
    return list(arguments)


def _is_bare_file(argument: str) -> bool:
    if argument in {command.name for command in app.registered_commands} or argument.startswith("-"):
        return False
    return argument.endswith(".toml") or Path(argument).is_file()


def _print_version(*, wanted: bool) -> None:
    if wanted:
        print(f"goodputd {__version__} (core {core_build()})")
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


@command("serve")
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
        settings.load(config, overrides=overrides(listen, speedup, seed, log_format, log_level))
    )


@command("simulate")
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
    from goodputd.commands import simulate as playing
    from goodputd.commands.durations import parse_seconds

    if horizon is None:
        horizon = _HORIZON if until_step is None else _TARGET_HORIZON
    horizon_seconds = parse_seconds(horizon, option="--for")
    loaded = settings.load(config, overrides=overrides(seed=seed))
    playing.run(
        loaded, horizon_seconds=horizon_seconds, until_step=until_step, as_json=as_json, as_trace=as_trace
    )
    return DONE


@command("check-config")
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

    loaded = settings.load(config, overrides=overrides(listen, speedup, seed, log_format, log_level))
    for warning in settings.warnings(loaded):
        complain(f"warning: {warning}")
    if print_effective:
        print(settings.describe(loaded))
    else:
        names = ", ".join(scenario.name for scenario in loaded.scenarios)
        print(f"{loaded.source}: valid; scenarios: {names}")
    return DONE


@command("init")
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


@command("schema")
def schema() -> int:
    """Print the JSON Schema of the settings file."""
    import json

    from goodputd import settings

    print(json.dumps(settings.schema(), indent=2))
    return DONE


@command("catalog")
def catalog(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which catalog; without: list them.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """List the fault catalogs, or the kinds of one."""
    from goodputd.commands import catalog as catalogs

    if name is None:
        catalogs.print_list(as_json=as_json)
    else:
        catalogs.print_kinds(name, as_json=as_json)
    return DONE


@command("health")
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
    from goodputd.commands.health import check

    return check(url, config=config, timeout_wall_seconds=timeout)


# They register their commands, which --help lists after those above.
import goodputd.cli_prometheus
import goodputd.cli_runs  # noqa: F401

interrupts.raise_again()
