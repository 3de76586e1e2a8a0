"""The command line: what is made for a Prometheus, rules and history.

What a command needs is imported when it is called, so that ``--help`` is quick.
"""

from typing import Annotated

import typer

from goodputd.cli_frame import DONE, ConfigOption, SeedOption, command, overrides


@command("rules")
def rules(
    speedup: Annotated[
        float, typer.Option("--speedup", metavar="N", help="Simulated seconds per second of what is scraped.")
    ] = 1440.0,
    scrape_interval: Annotated[
        str,
        typer.Option("--scrape-interval", metavar="DURATION", help="How often Prometheus scrapes it."),
    ] = "1s",
    runbooks: Annotated[
        str | None,
        typer.Option("--runbooks", metavar="URL", help="Your copy of grafana/README.md, for runbook_url."),
    ] = None,
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="File or directory to write; - is stdout.")
    ] = "-",
) -> int:
    """Write the recording and alert rules for Prometheus, with windows that fit the speedup."""
    from goodputd.commands.rules import run

    run(speedup=speedup, scrape_interval=scrape_interval, runbooks=runbooks, out=out)
    return DONE


@command("backfill")
def backfill(
    config: ConfigOption = None,
    horizon: Annotated[
        str, typer.Option("--for", metavar="DURATION", help="How long to play, as 54d or 12h.")
    ] = "54d",
    start: Annotated[
        str | None,
        typer.Option(
            "--start",
            metavar="INSTANT",
            help="When it begins, ISO 8601 with a zone. [default: so that it ends now]",
        ),
    ] = None,
    step: Annotated[str, typer.Option("--step", metavar="DURATION", help="Between two samples.")] = "300s",
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", metavar="NAMES", help="Only these metrics: names or globs, with commas."),
    ] = None,
    job: Annotated[
        str, typer.Option("--job", metavar="NAME", help="Label job of every sample.")
    ] = "goodputd",
    instance: Annotated[
        str, typer.Option("--instance", metavar="NAME", help="Label instance of every sample.")
    ] = "backfill",
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="File to write; - is stdout.")
    ] = "goodputd.om",
    seed: SeedOption = None,
    *,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="Also say how to backfill the recording rules.")
    ] = False,
) -> int:
    """Write simulated history as OpenMetrics, for the storage of a Prometheus."""
    from goodputd import settings
    from goodputd.commands import backfill as filling
    from goodputd.studies.backfill import select

    period = filling.period(horizon, start, step)
    selected = select(metrics or ())
    filling.run(
        settings.load(config, overrides=overrides(seed=seed)),
        period,
        selected,
        {"job": job, "instance": instance},
        out=out,
        force=force,
        rules=rules,
    )
    return DONE
