"""How long people wait: for a daemon to be ready, for help to appear. Wall time, best of several."""

from typing import Final

from tests.bench.process import run_wall_seconds, serving
from tests.bench.report import Row
from tests.bench.scenarios import DEFAULT

REPEATS: Final = 5
BUDGET_READY_SECONDS: Final = 1.0
BUDGET_HELP_SECONDS: Final = 0.3


def rows() -> list[Row]:
    """Start to ready, and ``--help``."""
    waits = []
    for _ in range(REPEATS):
        with serving(DEFAULT) as daemon:
            waits.append(daemon.ready_after_wall_seconds)
    helps = [run_wall_seconds(["--help"]) for _ in range(REPEATS)]
    return [
        _row("goodputd serve, config/default.toml: start to ready", waits, BUDGET_READY_SECONDS),
        _row("goodputd --help", helps, BUDGET_HELP_SECONDS),
    ]


def _row(what: str, seconds: list[float], budget_seconds: float) -> Row:
    return Row(
        what=what,
        budget=f"< {budget_seconds:g} s",
        measured=f"{min(seconds):.2f} s (best of {len(seconds)})",
        holds=min(seconds) < budget_seconds,
        figures={"wall_seconds": min(seconds)},
    )
