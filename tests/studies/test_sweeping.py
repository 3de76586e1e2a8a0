"""Sweeps: curves of points, what was measured on them, and what formulas say beside it."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from goodputd import settings
from goodputd.sim.daly import daly, young
from goodputd.studies.axes import Axis, points
from goodputd.studies.figures import NAMES
from goodputd.studies.runs import cores, executor
from goodputd.studies.study import Point, Results, Study, conduct
from goodputd.studies.sweeping import INTERVAL_SECONDS, INTERVAL_STEPS, sweep
from tests.studied import TIME, results, scenario

INTERVALS = (100.0, 200.0, 400.0, 800.0, 1600.0)
SPARES = "cluster.spares"
STRIKES = "policy.strikes.strikes_to_evict"


def varied(*values: Mapping[str, object], text: str = "") -> tuple[Point, ...]:
    """Points that vary keys of one scenario."""
    return tuple(Point(name="a", scenario=scenario(text=text), varied=dict(each)) for each in values)


def swept(found: Results, *axes: Axis, figure: str = TIME, precision: float | None = None) -> dict[str, Any]:
    """The object, as JSON would have it."""
    made = sweep(found, axes, figure=figure, precision=precision, version="1.2.3", source="here.toml")
    copied: dict[str, Any] = json.loads(json.dumps(made, allow_nan=False))
    return copied


def interval_results(key: str = INTERVAL_SECONDS, text: str = "", **columns: Any) -> Results:  # noqa: ANN401 - as results
    """Five intervals at two seeds, a parabola around 400."""
    curve = [0.9 - 0.01 * math.log(value / 400.0) ** 2 for value in INTERVALS]
    rows = {TIME: [[value, value + 0.01] for value in curve], **columns}
    return results(*varied(*({key: value} for value in INTERVALS), text=text), seeds=2, **rows)


def test_the_object_says_what_was_played() -> None:
    """Version, source, seeds, length and axes stand at the top, every run at the end."""
    found = swept(interval_results(), Axis(INTERVAL_SECONDS, INTERVALS, is_log=True), precision=0.5)
    runs = found.pop("runs")
    del found["curves"], found["precision"]["widest"]

    assert {
        "version": "1.2.3",
        "source": "here.toml",
        "figure": TIME,
        "first_seed": 1,
        "seeds": 2,
        "simulated_seconds": 86400.0,
        "interrupted": False,
        "precision": {"wanted": 0.5},
        "axes": [{"key": INTERVAL_SECONDS, "values": list(INTERVALS), "log": True, "zero": None}],
    } == found
    assert [(1, 100.0), (1, 200.0)] == [(run["seed"], run[INTERVAL_SECONDS]) for run in runs[:2]]
    assert ["seed", "scenario", INTERVAL_SECONDS, *NAMES] == list(runs[0])


def test_a_curve_has_its_optimum_with_its_interval() -> None:
    """The parabola's vertex, known exactly, for the seeds differ in level alone."""
    (curve,) = swept(interval_results(), Axis(INTERVAL_SECONDS, INTERVALS, is_log=True))["curves"]

    assert 400.0 == pytest.approx(curve["optimum"]["value"])
    assert 400.0 == pytest.approx(curve["optimum"]["low"])
    assert curve["no_optimum"] is None


def test_each_value_of_the_other_keys_has_a_curve() -> None:
    """In the order of the points, sorted along the first key."""
    found = results(*varied(*({SPARES: x, "faults.scale": y} for x in (4, 2) for y in (1.0, 2.0))), seeds=1)
    curves = swept(found, Axis(SPARES, (4, 2)), Axis("faults.scale", (1.0, 2.0)))["curves"]

    assert [{"faults.scale": 1.0}, {"faults.scale": 2.0}] == [curve["held"] for curve in curves]
    assert [[2, 4], [2, 4]] == [[point["value"] for point in curve["points"]] for curve in curves]


def test_young_and_daly_follow_from_the_save_time_and_the_training_time_between_interruptions() -> None:
    """10 interruptions in a day of which three quarters were training; 20 s a save."""
    found = interval_results(
        text="[checkpoint]\nsave_seconds = 20",
        interruptions=[[10, 10]] * 5,
        effective_compute_ratio=[[0.75, 0.75]] * 5,
    )
    (curve,) = swept(found, Axis(INTERVAL_SECONDS, INTERVALS, is_log=True))["curves"]
    formulas, mtbf = curve["formulas"], 0.75 * 86400.0 / 10

    assert (20.0, mtbf) == (formulas["save_seconds"], pytest.approx(formulas["mtbf_seconds"]))
    assert young(20.0, mtbf) == pytest.approx(formulas["young"]["value"])
    assert daly(20.0, mtbf) == pytest.approx(formulas["daly"]["value"])
    assert 0.01 * math.log(daly(20.0, mtbf) / 400.0) ** 2 == pytest.approx(formulas["daly"]["loss"])


def test_the_mtbf_of_a_job_that_is_completed_ends_with_it() -> None:
    """10 interruptions in six hours until the target, of which three quarters were training."""
    found = interval_results(
        interruptions=[[10, 10]] * 5,
        effective_compute_ratio=[[0.75, 0.75]] * 5,
        completion_seconds=[[6 * 3600.0] * 2] * 5,
    )
    (curve,) = swept(found, Axis(INTERVAL_SECONDS, INTERVALS, is_log=True))["curves"]

    assert 0.75 * 6 * 3600.0 / 10 == pytest.approx(curve["formulas"]["mtbf_seconds"])


def test_formulas_speak_in_the_unit_of_the_key() -> None:
    """An interval in steps is one in seconds over the time of a step, as long as steps were."""
    columns: dict[str, Any] = {
        "interruptions": [[10, 10]] * 5,
        "effective_compute_ratio": [[1.0, 1.0]] * 5,
        "mean_step_seconds": [[4.9, 5.1]] * 5,
    }
    text = "[job]\nstep_seconds = 4"
    (seconds,) = swept(interval_results(text=text, **columns), Axis(INTERVAL_SECONDS, INTERVALS))["curves"]
    (steps,) = swept(interval_results(INTERVAL_STEPS, text, **columns), Axis(INTERVAL_STEPS, INTERVALS))[
        "curves"
    ]

    assert 5.0 == pytest.approx(steps["formulas"]["step_seconds"])
    assert seconds["formulas"]["daly"]["value"] / 5.0 == pytest.approx(steps["formulas"]["daly"]["value"])


def test_formulas_are_for_intervals_and_need_interruptions() -> None:
    """Nothing is said where nothing can be known."""
    quiet = interval_results(interruptions=[[0, 0]] * 5)
    spares = results(*varied(*({SPARES: value} for value in range(5))), seeds=1)

    assert [None] == [
        curve["formulas"] for curve in swept(quiet, Axis(INTERVAL_SECONDS, INTERVALS))["curves"]
    ]
    assert [None] == [curve["formulas"] for curve in swept(spares, Axis(SPARES, tuple(range(5))))["curves"]]


def spares_results(*goodput: float, values: Sequence[int]) -> Results:
    """These spares at two seeds, each with its goodput."""
    columns = [[each - 0.001, each + 0.001] for each in goodput]
    return results(*varied(*({SPARES: value} for value in values)), seeds=2, **{TIME: columns})


def test_the_optimum_of_a_whole_number_is_one() -> None:
    """The vertex of 0.9 - 0.0002 (x - 18.4)², and the ends of its interval."""
    values = (10, 14, 18, 22, 26)
    found = spares_results(*(0.9 - 2e-4 * (x - 18.4) ** 2 for x in values), values=values)
    (curve,) = swept(found, Axis(SPARES, values))["curves"]

    assert (18, 18, 18) == tuple(curve["optimum"][end] for end in ("value", "low", "high"))


def test_nothing_lies_beyond_what_a_key_may_have() -> None:
    """No spares are best; fewer there are not."""
    values = (0, 1, 2, 3, 4)
    found = spares_results(0.9, 0.8, 0.7, 0.6, 0.5, values=values)
    (curve,) = swept(found, Axis(SPARES, values))["curves"]

    assert "the best value is 0, the least that the key may have" == curve["no_optimum"]


def strikes_results(**goodput: float) -> dict[str, Any]:
    """The sweep over numbers of strikes, ``s0`` for none, each with its goodput."""
    values = tuple(int(name[1:]) for name in goodput)
    columns = [[each - 0.001, each + 0.001] for each in goodput.values()]
    found = results(*varied(*({STRIKES: value} for value in values)), seeds=2, **{TIME: columns})
    return swept(found, Axis(STRIKES, values))


def test_a_zero_that_is_no_number_comes_last_and_is_not_fitted() -> None:
    """Never to evict is what many strikes lead to; 0.9 - 0.0025 (x - 5)² is the curve of the others."""
    found = strikes_results(s0=0.7, s1=0.86, s3=0.89, s5=0.9, s7=0.89, s9=0.86)
    (curve,) = found["curves"]

    assert "never" == found["axes"][0]["zero"]
    assert [1, 3, 5, 7, 9, 0] == [point["value"] for point in curve["points"]]
    assert (5, 5) == (curve["optimum"]["value"], curve["optimum"]["fitted"])


def test_between_whole_numbers_there_is_nothing_to_fit() -> None:
    """Two strikes are best by measure; the parabola through five numbers has its top near three."""
    (curve,) = strikes_results(s1=0.910, s2=0.919, s3=0.916, s4=0.913, s5=0.909)["curves"]

    assert (2, 2, 2) == tuple(curve["optimum"][end] for end in ("value", "low", "high"))
    assert (0.919, 0) == (pytest.approx(curve["optimum"]["figure"]), curve["optimum"]["fitted"])


def test_a_zero_that_is_no_number_may_be_best() -> None:
    """Then no number is."""
    (curve,) = strikes_results(s0=0.91, s1=0.86, s2=0.89, s3=0.9, s4=0.89, s5=0.86)["curves"]

    assert "the best value is 0, which means never" == curve["no_optimum"]


def test_the_least_strike_is_the_first() -> None:
    """There is nothing below it."""
    (curve,) = strikes_results(s0=0.7, s1=0.9, s2=0.88, s3=0.86, s4=0.84, s5=0.82)["curves"]

    assert "the best value is 1, the least that the key may have" == curve["no_optimum"]


def test_a_key_that_changes_no_figure_is_known() -> None:
    """Another goodput, or another count of anything, is a change."""
    points = varied(*({SPARES: value} for value in (0, 1, 2)))
    axis = Axis(SPARES, (0, 1, 2))
    (same,) = swept(results(*points, seeds=2), axis)["curves"]
    (other,) = swept(results(*points, seeds=2, false_alarms=[[1, 1], [1, 1], [1, 2]]), axis)["curves"]

    assert (True, False) == (same["changes_nothing"], other["changes_nothing"])


@pytest.mark.parametrize(
    ("key", "values", "figure", "reason"),
    [
        (SPARES, (1, 2, 3, 4, 5), "mttr_seconds", "mttr_seconds is no goal, as goodput"),
        ("policy.strikes.on_slow", ("restart", "tolerate"), TIME, "policy.strikes.on_slow has no scale"),
        (SPARES, (1, 2, 3), TIME, "an optimum takes 5 values or more"),
    ],
)  # fmt: skip
def test_where_no_optimum_is_told_the_reason_is(
    key: str, values: tuple[object, ...], figure: str, reason: str
) -> None:
    """In the same object."""
    goodput = [[0.1 * index] for index in range(len(values))]
    found = results(*varied(*({key: value} for value in values)), seeds=1, **{TIME: goodput})
    (curve,) = swept(found, Axis(key, values), figure=figure)["curves"]

    assert curve["optimum"] is None
    assert curve["no_optimum"].startswith(reason)


def test_the_widest_interval_is_told() -> None:
    """The one that an early end waits for: half of it is 12.706 standard errors of 0.005."""
    found = swept(interval_results(), Axis(INTERVAL_SECONDS, INTERVALS))

    assert 12.706 * 0.005 == pytest.approx(found["precision"]["widest"], rel=1e-4)


# --- where Daly's assumptions hold

ASSUMED = """
[cluster]
nodes = 128
[job]
step_seconds = 1.0
[faults]
catalog = "none"
[[faults.kinds]]
name = "crash"
component = "gpu"
event = "XID 79"
per_node_day = 0.06
[detection]
layers = ["hardware"]
[recovery]
spread = 0.0
wrong_restore_probability = 0.0
"""
"""Transient crashes at a constant rate, one in 3.1 h; each is seen and costs the same; a save takes 10 s."""
SEEDS = 40


def test_the_measured_optimum_is_dalys_where_his_assumptions_hold() -> None:
    """The vertex is within 5 % of his interval, and goodput there within 5e-4 of the best measured.

    Lost work scatters by 136 s an interruption, 6e-4 of a run of 54 days, so one standard error of the
    vertex is 0.3 % and that of a difference in goodput 1.3e-4: a right program fails with p < 0.001.
    """
    mtbf = 86400.0 / (128 * 0.06)
    best = daly(10.0, mtbf)
    axis = Axis(INTERVAL_SECONDS, tuple(best * factor for factor in (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.9)))

    def load(changes: Any) -> list[settings.Settings]:  # noqa: ANN401 - as settings.variations
        return [settings.parse(ASSUMED, source="", environ={}, overrides=each) for each in changes]

    study = Study(points=points([axis], [], load), seeds=range(SEEDS), horizon_seconds=54 * 86400.0)
    found = conduct(study, executor(cores(), pytest.fail), progress=lambda _: None)
    (curve,) = swept(found, replace(axis, is_log=True))["curves"]
    means = {point["value"]: point["figures"][TIME]["mean"] for point in curve["points"]}

    assert best == pytest.approx(curve["formulas"]["daly"]["value"], rel=0.02)
    assert best == pytest.approx(curve["optimum"]["value"], rel=0.05)
    assert max(means.values()) - means[best] < 5e-4
