"""The cases of AIReSim (karthikp-ubc/airesim, arXiv 2603.07041), a program that plays clusters.

It takes a place at the end of its recovery time, and so do we, where the repair begins 20 minutes (the
recovery time) later than there, of 40 hours. Its "uniform random" host selection keeps the pool in the
order in which servers came back.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from goodputd.sim.taxonomy import RepairOutcome
from tests.validation.cases import Case, Figure, half_a_digit, standard_error
from tests.validation.playing import Ending, Reading
from tests.validation.readings import (
    effective,
    failures,
    hours,
    lemon_failures,
    manual_repairs,
    other_failures,
    preemptions,
    recovery_hours,
    repairs,
    retired,
    run_minutes,
    selection_hours,
    selections,
    waiting_hours,
)

_STEPS_PER_HOUR: Final = 36_000
AIRESIM: Final = "AIReSim, arXiv 2603.07041"


def _airesim(
    name: str,
    compute_hours: int,
    seeds: int,
    quick_seeds: int,
    *figures: Figure,
    bad_servers: int | None = None,
) -> Case:
    ending = Ending(steps=compute_hours * _STEPS_PER_HOUR)
    return Case(name, AIRESIM, ending, seeds, quick_seeds, figures, bad_servers=bad_servers)


def _of_runs(runs: int) -> Callable[..., Figure]:
    def figure(name: str, mean: float, deviation: float, read: Reading, scenario: str = "default") -> Figure:
        return Figure(name, mean, read, error=standard_error(deviation, runs), scenario=scenario)

    return figure


_thirty, _fifteen, _eight, _many = _of_runs(30), _of_runs(15), _of_runs(8), _of_runs(200)

_DEFAULT: Final = _airesim(
    "airesim-default",
    6144,
    240,
    0,
    _thirty("training h", 9865.97, 33.6, hours),
    _thirty("effective ratio", 0.6228, 0.0021, effective(6144.0)),
    _thirty("failures", 11145.6, 100.3, failures),
    _thirty("random failures", 10457.0, 96.1, other_failures),
    _thirty("systematic failures", 688.6, 15.4, lemon_failures),
    _thirty("run min", 33.07, 0.3, run_minutes(6144.0)),
    _thirty("manual repairs", 8922.9, 91.4, manual_repairs),
    _thirty("successful repairs", 8469.4, 74.8, repairs(RepairOutcome.CURED)),
    _thirty("failed repairs", 2676.2, 54.9, repairs(RepairOutcome.FAILED)),
    _thirty("host selections", 42.9, 3.4, selections),
    _thirty("preemptions", 13.9, 4.5, preemptions),
    Figure("recovery h", 3715.2, recovery_hours, runs=30),
    Figure("selection h", 2.15, selection_hours, runs=30),
    Figure("waiting h", 4.62, waiting_hours, runs=30),
    bad_servers=654,
)
_NEVER: Final = _airesim(
    "airesim-payoff-never",
    336,
    170,
    0,
    _fifteen("training h", 2208.7, 35.8, hours),
    _fifteen("failures", 1872.3, 35.9, failures),
    Figure("effective ratio", 0.1522, effective(336.0), runs=15, rounding=half_a_digit(4)),
    Figure("retired", 0.0, retired, tolerance=0.0),
    bad_servers=384,
)
_LIFETIME: Final = _airesim(
    "airesim-payoff-lifetime2",
    336,
    170,
    0,
    _fifteen("training h", 2050.4, 28.7, hours),
    _fifteen("failures", 1713.1, 28.7, failures),
    Figure("effective ratio", 0.1639, effective(336.0), runs=15, rounding=half_a_digit(4)),
    _fifteen("retired", 337.4, 10.9, retired),
    bad_servers=384,
)
_RECOVERY_TIMES: Final = _airesim(
    "airesim-recovery-time-sweep",
    336,
    180,
    0,
    replace(_eight("training h at 5 min", 486.6, 1.6, hours, "5min"), is_unmet=True),
    *(
        _eight(f"training h at {minutes} min", mean, deviation, hours, f"{minutes}min")
        for minutes, mean, deviation in (
            (10, 640.7, 6.1),
            (20, 948.6, 10.3),
            (40, 1579.8, 48.3),
            (60, 2215.4, 35.4),
            (90, 3101.3, 55.3),
        )
    ),
    bad_servers=384,
)
_GOOD_ONLY: Final = _airesim(
    "airesim-fast-good-only-512",
    720,
    1000,
    40,
    _many("training h", 774.6, 4.59, hours),
    _many("failures", 152.55, 12.54, failures),
    Figure("failures, exactly", 153.6, failures, error=0.0),
    _many("recovery h", 50.85, 12.54 / 3.0, recovery_hours),
    Figure("recovery h, exactly", 51.2, recovery_hours, error=0.0),
    _many("selection h", 1.297, 0.158, selection_hours),
    _many("waiting h", 2.457, 0.684, waiting_hours),
    _many("preemptions", 7.37, 2.05, preemptions),
    _many("effective ratio", 0.9295, 0.0055, effective(720.0)),
)
_MIXED: Final = _airesim(
    "airesim-fast-mixed-512",
    720,
    1000,
    40,
    _many("training h", 797.79, 4.83, hours),
    _many("failures", 216.38, 13.45, failures),
    _many("systematic failures", 63.59, 5.55, lemon_failures),
    _many("manual repairs", 173.28, 12.33, manual_repairs),
    _many("failed repairs", 51.37, 7.51, repairs(RepairOutcome.FAILED)),
    _many("host selections", 35.64, 3.23, selections),
    _many("preemptions", 11.66, 2.13, preemptions),
    _many("waiting h", 3.887, 0.712, waiting_hours),
    _many("effective ratio", 0.9025, 0.0054, effective(720.0)),
    bad_servers=81,
)

CASES: Final = (_DEFAULT, _NEVER, _LIFETIME, _RECOVERY_TIMES, _GOOD_ONLY, _MIXED)
