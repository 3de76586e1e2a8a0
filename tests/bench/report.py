"""What a measurement says: one row per budget, as a table for people and as JSON.

A row with ``holds`` None has no budget and is there to compare with. Nothing here measures.
"""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from goodputd import core_build


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; ``figures`` are the numbers behind ``measured``."""

    what: str
    budget: str
    measured: str
    holds: bool | None
    figures: Mapping[str, float] = field(default_factory=dict)


def show(rows: Sequence[Row], console: Console, *, load_before: float) -> None:
    """Print the table, and below it how busy the machine was."""
    console.print(f"Measured on {machine()}", highlight=False)
    table = Table()
    table.add_column("what")
    table.add_column("budget")
    table.add_column("measured here")
    table.add_column("ok?", justify="center", no_wrap=True)
    for row in rows:
        table.add_row(Text(row.what), Text(row.budget), Text(row.measured), _verdict(row.holds))
    console.print(table)
    console.print(
        f"Load average {load_before:.1f} before, {os.getloadavg()[0]:.1f} after, on {os.cpu_count()} CPUs: "
        "above 1 before, others were at work and times are too long; ratios suffer less.",
        highlight=False,
    )


def save(rows: Sequence[Row], path: Path, *, load_before: float) -> None:
    """Write the same as one JSON object."""
    document = {
        "machine": machine(),
        "load_average": {"before": load_before, "after": os.getloadavg()[0]},
        "holds": holds(rows),
        "rows": [asdict(row) for row in rows],
    }
    path.write_text(json.dumps(document, indent=2, allow_nan=False) + "\n")


def holds(rows: Sequence[Row]) -> bool:
    """Whether every budget holds."""
    return all(row.holds is not False for row in rows)


def machine() -> str:
    """The machine, the interpreter and how the core was built, in a few words."""
    python = f"Python {platform.python_version()}, core {core_build()}"
    return f"{_processor()}, {os.cpu_count()} CPUs, {platform.system()}, {python}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def _verdict(verdict: bool | None) -> Text:
    if verdict is None:
        return Text("-", style="dim")
    return Text("yes", style="green") if verdict else Text("NO", style="bold red")
