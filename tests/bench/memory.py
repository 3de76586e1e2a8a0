"""Whether memory grows with simulated time: ``python -m tests.bench.memory YEARS``, a child process.

It plays one scenario month by month, takes a snapshot and renders the page each time as the daemon
does, and reports its resident memory after each half. Linux only: it reads /proc.
"""

import subprocess
import sys
from os import sysconf
from pathlib import Path
from time import perf_counter
from typing import Final

from goodputd.metrics.exposition import Encoding, Exposition, Format
from goodputd.metrics.view import DaemonView, ScenarioView, View
from goodputd.service import in_force
from tests.bench.report import Row
from tests.bench.scenarios import ROOT, YEAR_SECONDS, llama3, simulation

DEFAULT_YEARS: Final = 100
LONG_YEARS: Final = 1000
BUDGET_GROWTH_MEGABYTES: Final = 2.0
_MONTHS: Final = 12


def rows(years: int) -> list[Row]:
    """One row: resident memory after each half of ``years``."""
    command = [sys.executable, "-m", "tests.bench.memory", str(years)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.split()
    half, end = map(float, answer[:2])
    rest = "" if years >= LONG_YEARS else f"; the budget is {LONG_YEARS:,} years, which --long plays"
    return [
        Row(
            what=f"memory over {years:,} simulated years, one scenario",
            budget=f"flat: second half adds < {BUDGET_GROWTH_MEGABYTES:.0f} MB",
            measured=f"{half:.1f} MB after half, {end:.1f} MB at the end "
            f"({int(answer[2]):,} incidents{rest})",
            holds=end - half < BUDGET_GROWTH_MEGABYTES,
            figures={"half_megabytes": half, "end_megabytes": end, "years": years},
        )
    ]


def main(years: int) -> None:
    """Print megabytes after half, megabytes at the end, and the number of incidents."""
    loaded = llama3()
    scenario = loaded.scenarios[0]
    simulated = simulation(loaded, scenario, loaded.seed)
    settings = in_force(scenario, loaded.clock_start_timestamp)
    exposition = Exposition(perf_counter)
    daemon = DaemonView(
        version="bench",
        python="bench",
        core="bench",
        speedup=loaded.clock.speedup,
        lag_wall_seconds=0.0,
        scrape_wall_seconds=None,
        last_advance_timestamp=0.0,
    )
    resident = []
    for month in range(1, years * _MONTHS + 1):
        simulated.advance_to(month * YEAR_SECONDS / _MONTHS)
        exposition.publish(View((ScenarioView(simulated.snapshot(), settings),), daemon))
        exposition.page(Format.OPENMETRICS, Encoding.GZIP)
        if month in {years * _MONTHS // 2, years * _MONTHS}:
            resident.append(_resident_megabytes())
    half, end = resident
    sys.stdout.write(f"{half} {end} {simulated.snapshot().total_interruptions}\n")


def _resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]))
