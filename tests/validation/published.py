"""What was published of each case: figures, their spread, and how to read ours from a snapshot.

AIReSim starts with a host selection and our job is placed already: one selection and its three
minutes are added to our figures. It takes a place at the end of its recovery time, and so do we,
where the repair begins 20 minutes (the recovery time) later than there, of 40 hours. Its "uniform
random" host selection keeps the pool in the order in which servers came back.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from goodputd.sim.snapshot import Snapshot
from goodputd.sim.taxonomy import Bucket, NodeState, RepairOutcome, RepairStage, StageName
from tests.validation.playing import Ending, Reading

HOUR: Final = 3600.0
MINUTE: Final = 60.0
FIRST_SELECTION_HOURS: Final = 3.0 / 60.0


@dataclass(frozen=True, slots=True)
class Figure:
    """One published mean.

    It comes with its standard error; or with the number of runs, whose spread is then taken to be
    that of ours; or with nothing but a tolerance.
    """

    name: str
    published: float
    read: Reading
    error: float | None = None
    runs: int | None = None
    tolerance: float | None = None
    scenario: str = "default"


@dataclass(frozen=True, slots=True)
class Case:
    """A published case: its settings are ``<name>.toml``."""

    name: str
    source: str
    ending: Ending
    seeds: int
    """So many that our standard errors are at most half of those published."""
    quick_seeds: int
    """Of the normal test run; 0 leaves it to ``make validate``."""
    figures: tuple[Figure, ...] = field(default=())


def _sd(deviation: float, runs: int) -> float:
    """The standard error of a mean over so many runs."""
    return float(deviation / runs**0.5)


# --- what a run came to


def hours(snapshot: Snapshot) -> float:
    """From the first host selection to the end."""
    return snapshot.now / HOUR + FIRST_SELECTION_HOURS


def failures(snapshot: Snapshot) -> float:
    """Interruptions."""
    return snapshot.total_interruptions


def lemon_failures(snapshot: Snapshot) -> float:
    """Those that a lemon had beyond an ordinary server."""
    return snapshot.fleet.lemon_faults


def other_failures(snapshot: Snapshot) -> float:
    """The rest."""
    return snapshot.total_interruptions - snapshot.fleet.lemon_faults


def manual_repairs(snapshot: Snapshot) -> float:
    """By people."""
    return sum(count for (stage, _), count in snapshot.fleet.repairs.items() if stage is RepairStage.MANUAL)


def _repairs(outcome: RepairOutcome) -> Reading:
    return lambda snapshot: sum(
        count for (_, each), count in snapshot.fleet.repairs.items() if each is outcome
    )


def selections(snapshot: Snapshot) -> float:
    """The first one included."""
    return snapshot.fleet.host_selections + 1


def selection_hours(snapshot: Snapshot) -> float:
    """The first one included."""
    return snapshot.stage_seconds[StageName.HOST_SELECTION].seconds / HOUR + FIRST_SELECTION_HOURS


def preemptions(snapshot: Snapshot) -> float:
    """Servers taken from the spare pool."""
    return snapshot.fleet.preemptions


def waiting_hours(snapshot: Snapshot) -> float:
    """For them."""
    return snapshot.seconds[Bucket.WAITING_FOR_CAPACITY] / HOUR


def recovery_hours(snapshot: Snapshot) -> float:
    """All that is fixed per failure."""
    return snapshot.stage_seconds[StageName.DECIDE].seconds / HOUR


def retired(snapshot: Snapshot) -> float:
    """Servers that left the fleet."""
    return snapshot.nodes[NodeState.RETIRED]


def _effective(compute_hours: float) -> Reading:
    return lambda snapshot: compute_hours / hours(snapshot)


def _run_minutes(compute_hours: float) -> Reading:
    return lambda snapshot: compute_hours * MINUTE / snapshot.total_interruptions


def goodput_percent(snapshot: Snapshot) -> float:
    """Work in flight at the end counts."""
    return 100.0 * (snapshot.seconds[Bucket.PRODUCTIVE] + snapshot.provisional_seconds) / snapshot.now


def _percent(*buckets: Bucket) -> Reading:
    return lambda snapshot: 100.0 * sum(snapshot.seconds[each] for each in buckets) / snapshot.now


def _running_hours(snapshot: Snapshot) -> float:
    buckets = (Bucket.PRODUCTIVE, Bucket.LOST_WORK, Bucket.CHECKPOINT_SAVE)
    return (sum(snapshot.seconds[each] for each in buckets) + snapshot.provisional_seconds) / HOUR


def between_interruptions_hours(snapshot: Snapshot) -> float:
    """Running time, saves included."""
    return _running_hours(snapshot) / snapshot.total_interruptions


def gone(snapshot: Snapshot) -> float:
    """The share of nodes that left the job."""
    return snapshot.nodes[NodeState.REPAIRING] / snapshot.nominal_gpus


_ROUNDING: Final = 0.00005
"""Of a figure with four decimals."""

# --- AIReSim

_STEPS_PER_HOUR: Final = 36_000
AIRESIM: Final = "AIReSim, arXiv 2603.07041"


def _airesim(name: str, compute_hours: int, seeds: int, quick_seeds: int, *figures: Figure) -> Case:
    return Case(name, AIRESIM, Ending(steps=compute_hours * _STEPS_PER_HOUR), seeds, quick_seeds, figures)


def _of_runs(runs: int) -> Callable[..., Figure]:
    def figure(name: str, mean: float, deviation: float, read: Reading, scenario: str = "default") -> Figure:
        return Figure(name, mean, read, error=_sd(deviation, runs), scenario=scenario)

    return figure


_thirty, _fifteen, _eight, _many = _of_runs(30), _of_runs(15), _of_runs(8), _of_runs(200)

_DEFAULT: Final = _airesim(
    "airesim-default",
    6144,
    130,
    0,
    _thirty("training h", 9865.97, 33.6, hours),
    _thirty("effective ratio", 0.6228, 0.0021, _effective(6144.0)),
    _thirty("failures", 11145.6, 100.3, failures),
    _thirty("random failures", 10457.0, 96.1, other_failures),
    _thirty("systematic failures", 688.6, 15.4, lemon_failures),
    _thirty("run min", 33.07, 0.3, _run_minutes(6144.0)),
    _thirty("manual repairs", 8922.9, 91.4, manual_repairs),
    _thirty("successful repairs", 8469.4, 74.8, _repairs(RepairOutcome.CURED)),
    _thirty("failed repairs", 2676.2, 54.9, _repairs(RepairOutcome.FAILED)),
    _thirty("host selections", 42.9, 3.4, selections),
    _thirty("preemptions", 13.9, 4.5, preemptions),
)
_NEVER: Final = _airesim(
    "airesim-payoff-never",
    336,
    130,
    0,
    _fifteen("training h", 2208.7, 35.8, hours),
    _fifteen("failures", 1872.3, 35.9, failures),
    Figure("retired", 0.0, retired, tolerance=0.0),
)
_LIFETIME: Final = _airesim(
    "airesim-payoff-lifetime2",
    336,
    130,
    0,
    _fifteen("training h", 2050.4, 28.7, hours),
    _fifteen("failures", 1713.1, 28.7, failures),
    _fifteen("retired", 337.4, 10.9, retired),
)
_RECOVERY_TIMES: Final = _airesim(
    "airesim-recovery-time-sweep",
    336,
    60,
    0,
    *(
        _eight(f"training h at {minutes} min", mean, deviation, hours, f"{minutes}min")
        for minutes, mean, deviation in (
            (5, 486.6, 1.6),
            (10, 640.7, 6.1),
            (20, 948.6, 10.3),
            (40, 1579.8, 48.3),
            (60, 2215.4, 35.4),
            (90, 3101.3, 55.3),
        )
    ),
)
_GOOD_ONLY: Final = _airesim(
    "airesim-fast-good-only-512",
    720,
    1000,
    40,
    _many("training h", 774.6, 4.59, hours),
    _many("failures", 152.55, 12.54, failures),
    Figure("failures, exactly", 153.6, failures, error=0.0),
    _many("selection h", 1.297, 0.158, selection_hours),
    _many("waiting h", 2.457, 0.684, waiting_hours),
    _many("preemptions", 7.37, 2.05, preemptions),
    _many("effective ratio", 0.9295, 0.0055, _effective(720.0)),
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
    _many("failed repairs", 51.37, 7.51, _repairs(RepairOutcome.FAILED)),
    _many("host selections", 35.64, 3.23, selections),
    _many("preemptions", 11.66, 2.13, preemptions),
    _many("waiting h", 3.887, 0.712, waiting_hours),
    _many("effective ratio", 0.9025, 0.0054, _effective(720.0)),
)

# --- 12-gpu-goodput-mtbi

GOODPUTLAB: Final = "12-gpu-goodput-mtbi, docs/results.md"
_FOUR_WEEKS: Final = Ending(days=28.0)
_RESTARTING: Final = (Bucket.RESTART, Bucket.CHECKPOINT_RESTORE, Bucket.DECISION, Bucket.VERIFY)
_SHARES: Final = {
    "checkpoint %": _percent(Bucket.CHECKPOINT_SAVE),
    "lost %": _percent(Bucket.LOST_WORK),
    "detection %": _percent(Bucket.UNDETECTED_STALL),
    "waiting %": _percent(Bucket.WAITING_FOR_CAPACITY),
    "restart %": _percent(*_RESTARTING),
}


def _goodputlab(
    name: str,
    seeds: int,
    quick_seeds: int,
    *,
    published: tuple[float, float],
    goodput: tuple[float, float],
    shares: tuple[float, ...],
    interruptions: float,
) -> Case:
    """``published`` is a mean over 20 runs and its tolerance; the rest is of 400 runs by another program."""
    return Case(
        name,
        GOODPUTLAB,
        _FOUR_WEEKS,
        seeds,
        quick_seeds,
        (
            Figure("goodput % (20 runs)", published[0], goodput_percent, tolerance=published[1]),
            Figure("goodput %", goodput[0], goodput_percent, error=_sd(goodput[1], 400)),
            *(
                Figure(label, share, read, runs=400)
                for (label, read), share in zip(_SHARES.items(), shares, strict=True)
            ),
            Figure("interruptions", interruptions, failures, runs=400),
        ),
    )


_BASELINE: Final = _goodputlab(
    "goodputlab-baseline",
    1600,
    40,
    published=(79.6, 1.2),
    goodput=(80.19, 1.79),
    shares=(13.40, 1.82, 1.53, 0.92, 2.14),
    interruptions=43.2,
)
_DALY: Final = _goodputlab(
    "goodputlab-daly-interval",
    1600,
    40,
    published=(85.1, 1.5),
    goodput=(85.67, 2.23),
    shares=(4.72, 5.02, 1.53, 0.92, 2.14),
    interruptions=43.2,
)
_NO_SPARES: Final = _goodputlab(
    "goodputlab-no-spares",
    1600,
    100,
    published=(36.1, 6.7),
    goodput=(35.32, 9.97),
    shares=(5.90, 0.81, 0.69, 56.35, 0.92),
    interruptions=19.2,
)
_MINUTES: Final = (10, 15, 20, 30, 45, 60, 75, 90, 120, 150, 180, 240, 300)
_PUBLISHED: Final = (62.7, 70.4, 74.8, 79.6, 82.9, 84.4, 84.9, 84.9, 84.5, 83.8, 82.8, 80.3, 77.6)
_AGAIN: Final = (63.09, 70.77, 75.28, 80.21, 83.49, 84.88, 85.47, 85.65, 85.3, 84.47, 83.48, 81.11, 78.46)
_INTERVALS: Final = Case(
    "goodputlab-interval-sweep",
    GOODPUTLAB,
    _FOUR_WEEKS,
    400,
    0,
    (
        *(
            Figure(f"goodput % at {minutes} min", mean, goodput_percent, runs=300, scenario=f"{minutes}min")
            for minutes, mean in zip(_MINUTES, _AGAIN, strict=True)
        ),
        *(
            Figure(
                f"at {minutes} min (20 runs)", mean, goodput_percent, tolerance=1.5, scenario=f"{minutes}min"
            )
            for minutes, mean in zip(_MINUTES, _PUBLISHED, strict=True)
        ),
    ),
)

# --- ages

_AGES: Final = Case(
    "age-preserving-weibull-contrast",
    "closed form: 1 - e^-H(14 days)",
    Ending(days=14.0),
    100,
    15,
    tuple(
        Figure(f"share, {name}", share, gone, error=_ROUNDING, scenario=name)
        for name, share in (("exponential", 0.1306), ("weibull", 0.2577), ("lognormal", 0.0713))
    ),
)

CASES: Final = (
    _DEFAULT,
    _NEVER,
    _LIFETIME,
    _RECOVERY_TIMES,
    _GOOD_ONLY,
    _MIXED,
    _BASELINE,
    _DALY,
    _NO_SPARES,
    _INTERVALS,
    _AGES,
)
"""Every case that is played here."""
