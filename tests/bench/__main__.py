"""``python -m tests.bench``: measure every budget, print one table, exit with 1 if one does not hold."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rich.console import Console

from tests.bench import core, daemon, economics, memory, rendering, report, starting, teaching
from tests.bench.report import Row

_FILE_WIDTH: Final = 150
"""Columns of the table where there is no terminal to fit."""


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure the budgets.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument(
        "--long",
        action="store_true",
        help=f"play {memory.LONG_YEARS:,} years for the memory, not {memory.DEFAULT_YEARS}",
    )
    arguments = parser.parse_args()
    years = memory.LONG_YEARS if arguments.long else memory.DEFAULT_YEARS
    sections: dict[str, Callable[[], list[Row]]] = {
        "the core": core.rows,
        "the teaching case": teaching.rows,
        "a fleet with repairs, and a sweep": economics.rows,
        "the start": starting.rows,
        "rendering": rendering.rows,
        "the daemon under load": daemon.rows,
        f"memory over {years:,} years": lambda: memory.rows(years),
    }
    load_before = os.getloadavg()[0]
    progress = Console(stderr=True)
    rows: list[Row] = []
    for name, measure in sections.items():
        # a line and no spinner: CPU time is that of all threads
        progress.print(f"measuring {name} ...", highlight=False)
        rows += measure()
    report.show(rows, Console(width=None if sys.stdout.isatty() else _FILE_WIDTH), load_before=load_before)
    if arguments.json is not None:
        report.save(rows, arguments.json, load_before=load_before)
    return 0 if report.holds(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
