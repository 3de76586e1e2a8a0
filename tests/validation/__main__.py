"""``python -m tests.validation``: play every published case, print one table, exit with 1 if one differs."""

import argparse
import os
import sys
from typing import Final

from rich.console import Console

from tests.validation import lemons
from tests.validation.comparing import Result, compare, computed
from tests.validation.published import CASES
from tests.validation.tables import for_terminal, is_unmet, write

_FILE_WIDTH: Final = 160
"""Columns of the table where there is no terminal to fit."""


def main() -> int:
    """Play, print, and return the exit code."""
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(
        prog="python -m tests.validation", description="Play published cases and compare."
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of these: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="the seeds of the normal test run")
    parser.add_argument("--write", action="store_true", help="write the tables of the READMEs anew")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.cases) - set(names))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)} (there are {', '.join(names)})")
    if arguments.write and (arguments.quick or arguments.cases):
        parser.error("--write: the READMEs show all cases with all seeds")
    progress = Console(stderr=True)
    results: list[Result] = []
    for case in CASES:
        if arguments.cases and case.name not in arguments.cases:
            continue
        seeds = case.quick_seeds if arguments.quick else case.seeds
        if seeds:
            progress.print(f"playing {case.name}, {seeds} seeds ...", highlight=False)
            results += compare(case, range(seeds), arguments.jobs)
        results += computed(case)
    Console(width=None if sys.stdout.isatty() else _FILE_WIDTH).print(for_terminal(results))
    if arguments.write:
        write(results)
        progress.print(f"playing lemons, {lemons.SEEDS} seeds ...", highlight=False)
        lemons.write(arguments.jobs)
    blurred = [] if arguments.quick else [result for result in results if not result.is_precise]
    for result in blurred:
        progress.print(f"{result.case.name}: {result.figure.name}: too few seeds", highlight=False)
    return 0 if not blurred and all(result.agrees or is_unmet(result.figure) for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
