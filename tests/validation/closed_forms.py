"""The cases that are formulas, and what is played where their assumptions hold.

Functions of the program are called where it has one; the others are the published formulas themselves.
A played figure is compared with the exact value, and with first-order ones within what was published.
"""

from math import exp, expm1, sqrt
from typing import Final

from goodputd.sim.daly import daly, young
from tests.validation.cases import Case, Figure, Formula, half_a_digit
from tests.validation.playing import DAY, Ending
from tests.validation.readings import (
    HOUR,
    MINUTE,
    between_expected_hours,
    between_interruptions_hours,
    gone,
    goodput,
    slowdown,
    wasted_seconds,
)

_RSC: Final = "RSC-1, arXiv 2410.21680"
_RSC_RATE: Final = 0.0065
"""Failures per node and day."""
_LLAMA3_RATE: Final = 0.0037887008101851853
_FIRST_ORDER: Final = 0.04
"""By how much first-order ratios were said to miss."""

# --- intervals


def _young_daly() -> Case:
    published = (
        (5.0, 886.6995, 94.165, 90.861),
        (0.5, 886.6995, 29.777, 29.445),
        (5.0, 1440.0, 120.0, 116.69),
        (1.0, 185.6, 19.267, 18.606),
        (20.0, 300.0, 109.545, 96.617),
        (11.0, 60.0, 36.332, 29.369),
    )
    return Case(
        "young-daly-intervals",
        "Young 1974; Daly 2006",
        formulas=tuple(
            Formula(f"{formula.__name__}({save:g}, {mtbf:g})", value, formula(save, mtbf), 1e-4 * value)
            for save, mtbf, first, higher in published
            for formula, value in ((young, first), (daly, higher))
        ),
    )


def _complete(interval: float, save: float, mtbf: float, restart: float) -> float:
    """Elapsed over productive time in Daly's complete model."""
    return mtbf * exp(restart / mtbf) * expm1((interval + save) / mtbf) / interval


def _daly_model() -> Case:
    """MTBF, restart, save, Daly's interval, the slowdown there, and the scenario that plays it."""
    published = (
        (1440.0, 10.0, 5.0, 116.69, 1.09576, "1440min"),
        (185.6, 10.0, 1.0, 18.606, 1.17294, "186min"),
        (60.0, 5.0, 5.0, 21.275, 1.68431, "60min"),
    )
    formulas, figures = [], []
    for mtbf, restart, save, interval, value, scenario in published:
        ours = daly(save, mtbf)
        formulas += [
            Formula(f"interval, MTBF {mtbf:g}", interval, ours, 1e-4 * interval),
            Formula(f"slowdown, MTBF {mtbf:g}", value, _complete(ours, save, mtbf, restart), half_a_digit(5)),
        ]
        name = f"slowdown, MTBF {mtbf:g}, played"
        figures.append(Figure(name, value, slowdown, rounding=half_a_digit(5), scenario=scenario))
    return Case(
        "daly-complete-model",
        "Daly 2006, complete model",
        Ending(days=100.0),
        200,
        6,
        tuple(figures),
        tuple(formulas),
    )


# --- effective ratios


def _first_order(rate: float, save: float, restart: float) -> float:
    """Effective ratio at Young's interval, to first order; ``rate`` is that of the job. All in seconds."""
    interval = sqrt(2.0 * save / rate)
    return (1.0 - rate * (restart + interval / 2.0)) / (1.0 + save / interval)


def _renewal(rate: float, save: float, restart: float, interval: float) -> float:
    """The same exactly: failures strike while computing or saving, a restart is fixed and never fails."""
    return interval / (expm1(rate * (interval + save)) * (1.0 / rate + restart))


def _ratios() -> tuple[Case, ...]:
    """GPUs, seconds of a save, minutes of a restart and of the interval; first-order and exact ratio."""
    published = (
        (2048, 10, 5, 16.9842, 0.9748, 0.9749),
        (2048, 60, 10, 41.6025, 0.9418, 0.9418),
        (2048, 300, 5, 93.0261, 0.8925, 0.8911),
        (8192, 10, 5, 8.4921, 0.9388, 0.9395),
        (8192, 60, 10, 20.8013, 0.8642, 0.8668),
        (16384, 10, 5, 6.0048, 0.9010, 0.9037),
    )
    cases = []
    for gpus, save, restart, minutes, first, exact in published:
        rate, interval = gpus / 8 * _RSC_RATE / DAY, minutes * MINUTE
        last = half_a_digit(4)
        cases.append(
            Case(
                f"ettr-rsc1-{gpus}gpu-w{save}s-u{restart}m",
                f"{_RSC}; closed form",
                Ending(days=500 * (1.0 / rate + restart * MINUTE) / DAY),
                80,
                20,
                (
                    Figure("effective ratio, exact", exact, goodput, rounding=last),
                    Figure("effective ratio, first order", first, goodput, tolerance=_FIRST_ORDER),
                ),
                (
                    Formula("interval min", minutes, young(save, 1.0 / rate) / MINUTE, half_a_digit(4)),
                    Formula("first order", first, _first_order(rate, save, restart * MINUTE), last),
                    Formula("exact", exact, _renewal(rate, save, restart * MINUTE, interval), last),
                ),
            )
        )
    return tuple(cases)


def _reachability() -> Case:
    """At the rate of Llama 3 on 2,048 nodes."""
    published = {
        (10, 5): 0.9321, (10, 10): 0.9057, (10, 20): 0.8530,
        (30, 5): 0.9032, (30, 10): 0.8772, (30, 20): 0.8252,
        (60, 5): 0.8757, (60, 10): 0.8501, (60, 20): 0.7989,
    }  # fmt: skip
    rate = 2048 * _LLAMA3_RATE / DAY
    formulas, figures = [], []
    for (save, restart), value in published.items():
        name = f"w{save}s_u{restart}m"
        seconds = restart * MINUTE
        exact = _renewal(rate, save, seconds, young(save, 1.0 / rate))
        formulas.append(Formula(name, value, _first_order(rate, save, seconds), half_a_digit(4)))
        figures += [
            Figure(f"{name}, exact", exact, goodput, error=0.0, scenario=name),
            Figure(f"{name}, first order", value, goodput, tolerance=_FIRST_ORDER, scenario=name),
        ]
    return Case(
        "llama3-ettr-reachability",
        "Llama 3's rate, RSC's formula",
        Ending(days=54.0),
        100,
        0,
        tuple(figures),
        tuple(formulas),
    )


# --- failure rates


def _rates() -> tuple[Case, ...]:
    """GPUs, and hours between failures as printed and exactly."""
    return tuple(
        Case(
            f"rsc-mttf-{gpus}",
            _RSC,
            Ending(days=days),
            60,
            6,
            (
                Figure("MTTF h", exact, between_interruptions_hours, rounding=half_a_digit(4)),
                Figure(
                    "MTTF h, as printed", printed, between_interruptions_hours, tolerance=0.03 * printed
                ),
                Figure(
                    "MTTF h, by expected failures", exact, between_expected_hours, tolerance=half_a_digit(4)
                ),
            ),
            (
                Formula("MTTF h, 1/(N r)", exact, DAY / (gpus / 8 * _RSC_RATE) / HOUR, half_a_digit(4)),
            ),
        )
        for gpus, printed, exact, days in ((16384, 1.8, 1.8029, 100.0), (131072, 0.23, 0.2254, 15.0))
    )  # fmt: skip


def _fault_tolerant() -> Case:
    """The published text gives stalls and ratios, neither how often failures come nor what a save costs.

    They come every 17.7 minutes, as on 12,500 nodes at the rate of RSC-1. Stalls alone, which failures
    strike as well, give exp(-10/17.7) = 0.57; the rest is work since the last checkpoint. Saves are taken
    to cost 30 s, the middle of ``llama3-ettr-reachability``; with 10 s it would be 0.51.
    """
    mtbf = DAY / (12500 * _RSC_RATE)
    synchronous = 1.0 / _complete(253.0, 30.0, mtbf, 600.0)
    tolerant = 1.0 / _complete(1.0, 0.0, mtbf, 180.0)
    return Case(
        "fthsdp-100k",
        "FT-HSDP, arXiv 2602.00277",
        Ending(days=10.0),
        40,
        0,
        (
            Figure("10 min stall", 0.44, goodput, tolerance=0.06, scenario="synchronous"),
            Figure("10 min stall, exact", synchronous, goodput, error=0.0, scenario="synchronous"),
            Figure("3 min stall", 0.80, goodput, tolerance=0.06, scenario="fault-tolerant"),
            Figure("3 min stall, exact", tolerant, goodput, error=0.0, scenario="fault-tolerant"),
        ),
        (
            Formula("10 min stall, 1 - stall/interval", 0.44, 1.0 - 600.0 / mtbf, 0.06),
            Formula("3 min stall, 1 - stall/interval", 0.80, 1.0 - 180.0 / mtbf, 0.06),
        ),
    )


# --- checkpoints that are written while training goes on


def _wasted(until_usable: float, interval: float, retrieval: float) -> float:
    """Seconds that a failure wastes on average: T = t_ckpt + 1/(2f) + t_rtvl."""
    return until_usable + interval / 2.0 + retrieval


def _gemini() -> Case:
    """A save usable after 10 minutes; corruption that is seen after 4,000 s."""
    published = {
        "half-hourly": _wasted(600.0, 1800.0, 300.0),
        "back-to-back": _wasted(600.0, 600.0, 300.0),
        "corruption": _wasted(4000.0, 1800.0, 300.0),
    }
    figures = []
    for scenario, value in published.items():
        figures += [
            Figure(f"wasted s, {scenario}", value, wasted_seconds, error=0.0, scenario=scenario),
            Figure(
                f"within 2 %, {scenario}", value, wasted_seconds, tolerance=0.02 * value, scenario=scenario
            ),
        ]
    return Case("gemini-wasted-time", "Gemini, SOSP 2023", Ending(days=5000.0), 200, 10, tuple(figures))


# --- ages


def _ages() -> Case:
    """The share of nodes that fail within 14 days of age, 1 - e^-H(14 days)."""
    published = (("exponential", 0.1306), ("weibull", 0.2577), ("lognormal", 0.0713))
    last = half_a_digit(4)
    return Case(
        "age-preserving-weibull-contrast",
        "closed form",
        Ending(days=14.0),
        100,
        10,
        tuple(
            Figure(f"share, {name}", share, gone, rounding=last, scenario=name) for name, share in published
        ),
    )


CASES: Final = (
    _young_daly(),
    _daly_model(),
    *_ratios(),
    _reachability(),
    *_rates(),
    _fault_tolerant(),
    _gemini(),
    _ages(),
)
