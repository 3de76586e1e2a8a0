"""``python -m tests.validation``: play every published case, print one table, exit with 1 if one differs."""

import argparse
import os
import sys
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.validation.comparing import Result, compare
from tests.validation.published import CASES

_FILE_WIDTH: Final = 150
"""Columns of the table where there is no terminal to fit."""


def main() -> int:
    """Play, print, and return the exit code."""
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(
        prog="python -m tests.validation", description="Play published cases and compare."
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of these: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="the seeds of the normal test run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.cases) - set(names))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)} (there are {', '.join(names)})")
    progress = Console(stderr=True)
    results: list[Result] = []
    for case in CASES:
        seeds = case.quick_seeds if arguments.quick else case.seeds
        if seeds and (not arguments.cases or case.name in arguments.cases):
            progress.print(f"playing {case.name}, {seeds} seeds ...", highlight=False)
            results += compare(case, range(seeds), arguments.jobs)
    Console(width=None if sys.stdout.isatty() else _FILE_WIDTH).print(table(results))
    return 0 if all(result.agrees for result in results) else 1


def table(results: list[Result]) -> Table:
    """Source, published, ours, difference, standard errors."""
    made = Table(title="Published results, and ours")
    for header in ("source", "case", "figure"):
        made.add_column(header, no_wrap=header != "source")
    for header in ("published", "ours", "± error", "difference", "std. errors", "agrees"):
        made.add_column(header, justify="right", no_wrap=True)
    before = None
    for result in results:
        figure, errors = result.figure, result.errors
        is_first = result.case is not before
        before = result.case
        made.add_row(
            result.case.source if is_first else "",
            result.case.name if is_first else "",
            figure.name,
            f"{figure.published:.5g}",
            f"{result.ours:.5g}",
            f"{result.our_error:.2g}",
            f"{result.difference:+.2g}",
            f"{errors:+.2f}" if errors is not None else f"(± {figure.tolerance:g})",
            "yes" if result.agrees else "NO",
        )
    return made


if __name__ == "__main__":
    sys.exit(main())
