"""The cases of 12-gpu-goodput-mtbi: 128 nodes for four weeks, published as means over 20 seeds.

Those figures share their seeds and are jointly off by about half a point; beside them stand those of
an independent program over 400 seeds (300 for the sweep), which are sharper.
"""

from typing import Final

from goodputd.sim.taxonomy import Bucket
from tests.validation.cases import Case, Figure, standard_error
from tests.validation.playing import Ending
from tests.validation.readings import between_interruptions_hours, failures, goodput_percent, percent

GOODPUTLAB: Final = "12-gpu-goodput-mtbi, docs/results.md"
_FOUR_WEEKS: Final = Ending(days=28.0)
_RESTARTING: Final = (Bucket.RESTART, Bucket.CHECKPOINT_RESTORE, Bucket.DECISION, Bucket.VERIFY)
_SHARES: Final = {
    "checkpoint %": percent(Bucket.CHECKPOINT_SAVE),
    "lost %": percent(Bucket.LOST_WORK),
    "detection %": percent(Bucket.UNDETECTED_STALL),
    "waiting %": percent(Bucket.WAITING_FOR_CAPACITY),
    "restart %": percent(*_RESTARTING),
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
    between: float,
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
            Figure("goodput %", goodput[0], goodput_percent, error=standard_error(goodput[1], 400)),
            *(
                Figure(label, share, read, runs=400)
                for (label, read), share in zip(_SHARES.items(), shares, strict=True)
            ),
            Figure("interruptions", interruptions, failures, runs=400),
            Figure("MTBI h", between, between_interruptions_hours, runs=400),
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
    between=15.16,
)
_DALY: Final = _goodputlab(
    "goodputlab-daly-interval",
    1600,
    40,
    published=(85.1, 1.5),
    goodput=(85.67, 2.23),
    shares=(4.72, 5.02, 1.53, 0.92, 2.14),
    interruptions=43.2,
    between=15.16,
)
_NO_SPARES: Final = _goodputlab(
    "goodputlab-no-spares",
    1600,
    100,
    published=(36.1, 6.7),
    goodput=(35.32, 9.97),
    shares=(5.90, 0.81, 0.69, 56.35, 0.92),
    interruptions=19.2,
    between=15.02,
)
_MINUTES: Final = (10, 15, 20, 30, 45, 60, 75, 90, 120, 150, 180, 240, 300)
_PUBLISHED: Final = (62.7, 70.4, 74.8, 79.6, 82.9, 84.4, 84.9, 84.9, 84.5, 83.8, 82.8, 80.3, 77.6)
_AGAIN: Final = (63.09, 70.77, 75.28, 80.21, 83.49, 84.88, 85.47, 85.65, 85.3, 84.47, 83.48, 81.11, 78.46)
_INTERVALS: Final = Case(
    "goodputlab-interval-sweep",
    GOODPUTLAB,
    _FOUR_WEEKS,
    1200,
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

CASES: Final = (_BASELINE, _DALY, _NO_SPARES, _INTERVALS)
