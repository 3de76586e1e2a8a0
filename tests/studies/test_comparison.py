"""Comparisons: what stands beside what, and the conclusion that the numbers allow."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import pytest

from goodputd.studies.comparison import compare
from goodputd.studies.conclusion import conclude
from goodputd.studies.figures import NAMES
from goodputd.studies.rows import write_csv
from goodputd.studies.study import Point, Results
from tests.studied import GPUS, TIME, named, results, scenario


def compared(found: Results) -> dict[str, Any]:
    """The object, as JSON would have it."""
    comparison: dict[str, Any] = compare(found, version="1.2.3", source="here.toml")
    return json.loads(json.dumps(comparison, allow_nan=False))  # type: ignore[no-any-return]


def concluded(*points: Point, seeds: int, **columns: Sequence[Sequence[float | None]]) -> str:
    """The conclusion."""
    found = results(*(points or named("naive", "ours")), seeds=seeds, **columns)
    return conclude(found, compare(found, version="1", source="x"))


def test_the_object_says_what_was_played() -> None:
    """Version, source, seeds and length stand at the top, the scenarios in their order."""
    found = compared(results(*named("a", "b"), seeds=3))
    scenarios = found.pop("scenarios")

    assert {
        "version": "1.2.3",
        "source": "here.toml",
        "first_seed": 1,
        "seeds": 3,
        "simulated_seconds": 86400.0,
        "compared_with": "a",
        "compared_on": TIME,
        "ranking": ["a", "b"],
    } == found
    assert ["a", "b"] == [each["name"] for each in scenarios]
    assert [list(NAMES)] * 2 == [list(each["figures"]) for each in scenarios]


def test_means_have_the_interval_of_their_seeds() -> None:
    """0.7, 0.8, 0.9: mean 0.8, and 4.303 standard errors of 0.0577 to each side."""
    figure = compared(results(*named("a"), seeds=3, **{TIME: [[0.7, 0.8, 0.9]]}))["scenarios"][0]["figures"][
        TIME
    ]

    assert figure == pytest.approx(
        {"mean": 0.8, "low": 0.8 - 0.24841, "high": 1.0, "half_width": 0.24841, "seeds": 3}, abs=1e-5
    )


@pytest.mark.parametrize(
    ("name", "values", "ends"),
    [
        (TIME, [0.99, 0.95], (0.97 - 12.7062 * 0.02, 1.0)),
        ("lost_work_share", [0.01, 0.05], (0.0, 0.03 + 12.7062 * 0.02)),
        ("restart_success_ratio", [0.0, 1.0], (0.0, 1.0)),
        ("interruptions", [1.0, 3.0], (0.0, 2.0 + 12.7062)),
        ("mttd_seconds", [1.0, 3.0], (0.0, 2.0 + 12.7062)),
    ],
)
def test_an_interval_ends_where_its_figure_does(
    name: str, values: list[float], ends: tuple[float, float]
) -> None:
    """No share is beyond all, and nothing below none; half its width is what it was."""
    found = compared(results(*named("a"), seeds=2, **{name: [values]}))["scenarios"][0]["figures"][name]
    half = 12.7062 * abs(values[0] - values[1]) / 2.0

    assert (*ends, half) == pytest.approx((found["low"], found["high"], found["half_width"]), abs=1e-5)


def test_one_seed_has_no_interval() -> None:
    """Null, and no library that would know better."""
    figure = compared(results(*named("a"), seeds=1, **{TIME: [[0.7]]}))["scenarios"][0]["figures"][TIME]

    assert {"mean": 0.7, "low": None, "high": None, "half_width": None, "seeds": 1} == figure


def test_differences_are_taken_seed_by_seed_from_the_first() -> None:
    """The luck that both share is gone; the first has none."""
    found = compared(results(*named("a", "b"), seeds=3, **{TIME: [[0.5, 0.7, 0.9], [0.6, 0.8, 1.0]]}))
    first, second = found["scenarios"]

    assert "differences" not in first
    assert second["differences"][TIME] == pytest.approx(
        {"mean": 0.1, "low": 0.1, "high": 0.1, "half_width": 0.0, "seeds": 3}, abs=1e-9
    )


def test_the_best_comes_first_and_the_others_are_behind_it() -> None:
    """By the difference seed by seed; the scenarios themselves stay in their order."""
    goodput = [[0.5, 0.6], [0.8, 0.9], [0.7, 0.8]]
    found = compared(results(*named("a", "b", "c"), seeds=2, **{TIME: goodput}))
    behind = [each.get("behind_best") for each in found["scenarios"]]

    assert ["b", "c", "a"] == found["ranking"]
    assert [-0.3, None, -0.1] == [None if each is None else pytest.approx(each["mean"]) for each in behind]


def test_what_nobody_has_data_for_is_null() -> None:
    """No incident, no MTTR."""
    found = compared(results(*named("a", "b"), seeds=2, mttr_seconds=[[None, None], [3.0, 5.0]]))

    assert [None, 4.0] == [
        None if each["figures"]["mttr_seconds"] is None else each["figures"]["mttr_seconds"]["mean"]
        for each in found["scenarios"]
    ]
    assert found["scenarios"][1]["differences"]["mttr_seconds"] is None


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("[checkpoint]\ninterval_seconds = 60", "same"),
        ("[cluster]\nspares = 3", "same"),
        ("[faults]\nscale = 2", "other"),
        ("[cluster]\nnodes = 64", "other"),
        ("[faults]\nscale = 0", "none"),
    ],
)
def test_pairing_is_told(text: str, faults: str) -> None:
    """Whether a scenario met the same faults as the first, others, or none."""
    points = (Point(name="a", scenario=scenario()), Point(name="b", scenario=scenario("b", text)))

    assert faults == compared(results(*points, seeds=1))["scenarios"][1]["faults"]


def test_the_best_is_told_with_its_lead_and_the_reason() -> None:
    """20 points better, 15 of them because less work is lost."""
    assert (
        "ours trains 90.00% of the time, 20.00 ± 0.00 points more than naive (70.00%), mostly because it "
        "loses less work (15.00 points) [95 % interval over 3 seeds]"
    ) == concluded(
        seeds=3,
        effective_training_time_ratio=[[0.7] * 3, [0.9] * 3],
        lost_work_share=[[0.2] * 3, [0.05] * 3],
        stopped_share=[[0.07] * 3, [0.03] * 3],
    )


def test_the_best_may_be_the_first() -> None:
    """The order of the scenarios says nothing of their worth."""
    line = concluded(seeds=1, effective_training_time_ratio=[[0.9], [0.7]])

    assert line.startswith("naive trains 90.00% of the time, 20.00 points more than ours (70.00%)")


def test_a_small_reason_is_only_a_part() -> None:
    """Less than half of the difference is not "mostly"."""
    line = concluded(
        seeds=1, effective_training_time_ratio=[[0.7], [0.9]], checkpoint_save_share=[[0.12], [0.04]]
    )

    assert "in part because it spends less time on saving (8.00 points)" in line


def test_without_a_reason_none_is_given() -> None:
    """When no share of the time is smaller."""
    assert "because" not in concluded(seeds=1, effective_training_time_ratio=[[0.7], [0.9]])


def test_a_difference_within_its_interval_is_none() -> None:
    """What may be luck is not called better."""
    line = concluded(seeds=3, effective_training_time_ratio=[[0.80, 0.81, 0.82], [0.81, 0.80, 0.83]])

    assert line == (
        "ours and naive cannot be told apart: 0.33 ± 2.87 points between best and worst "
        "[95 % interval over 3 seeds]"
    )


def test_scenarios_that_come_to_the_same_are_called_so() -> None:
    """Exactly the same in every run."""
    line = concluded(seeds=2, effective_training_time_ratio=[[0.8, 0.9]] * 2)

    assert line.startswith("naive and ours come to the same [95 %")


def test_one_seed_is_told_as_one() -> None:
    """A single run has luck in it, and the line says so."""
    line = concluded(seeds=1, effective_training_time_ratio=[[0.7], [0.9]])

    assert line.endswith("[one seed: luck is part of it]")


def test_between_best_and_worst_the_second_is_told() -> None:
    """How much of the way it gets, or that it cannot be told from the best."""
    three = named("naive", "optimized", "ideal")
    ratios = [[0.6] * 2, [0.9] * 2, [1.0] * 2]

    assert "; optimized gets 75% of the way" in concluded(
        *three, seeds=2, effective_training_time_ratio=ratios
    )
    ratios[1] = [0.95, 1.04]
    assert "; optimized cannot be told from it" in concluded(
        *three, seeds=2, effective_training_time_ratio=ratios
    )


def corrupted(injected: list[list[float]], baked: list[list[float]]) -> str:
    """The conclusion about as many scenarios with these corruptions, two seeds each."""
    ratios = [[0.5 + 0.1 * index] * 2 for index in range(len(injected))]
    return concluded(
        *named("naive", "optimized", "ideal")[: len(injected)],
        seeds=2,
        effective_training_time_ratio=ratios,
        corruptions_injected=injected,
        corruptions_baked=baked,
    )


def test_what_was_baked_in_is_told_of_the_scenarios_that_met_corruption() -> None:
    """A scenario without any does not count as the one that keeps it out."""
    line = corrupted([[8, 9], [5, 6], [0, 0]], [[3, 3], [1, 1], [0, 0]])

    assert "; naive bakes in 3.0 of 8.5 corruptions, optimized 1.0 [95 %" in line


def test_a_scenario_that_bakes_in_nothing_is_told_so() -> None:
    """None is a word."""
    assert "; naive bakes in 3.0 of 8.5 corruptions, optimized none [" in corrupted(
        [[8, 9], [5, 6]], [[3, 3], [0, 0]]
    )


@pytest.mark.parametrize("baked", [[[3, 4], [4, 3]], [[0, 0], [0, 0]]])
def test_a_difference_in_what_was_baked_in_that_may_be_luck_is_not_told(baked: list[list[float]]) -> None:
    """Nor one that there is not."""
    assert "bakes" not in corrupted([[8, 9], [8, 9]], baked)


def test_a_job_that_shrank_is_judged_by_its_gpu_time() -> None:
    """Time alone cannot see that fewer GPUs trained (the one with more goodput is the worse one)."""
    columns = {TIME: [[0.9], [0.85]], GPUS: [[0.5], [0.85]]}
    found = results(*named("shrunk", "whole"), seeds=1, **columns)

    assert GPUS == compare(found, version="1", source="x")["compared_on"]
    assert concluded(*named("shrunk", "whole"), seeds=1, **columns) == (
        "whole trains 85.00% of the GPU time, 35.00 points more than shrunk (50.00%), mostly because it "
        "keeps more of its GPUs at work (40.00 points) [one seed: luck is part of it]"
    )


BEHIND = {TIME: [[0.90, 0.91], [0.93, 0.94]], "provisional_share": [[0.0] * 2] * 2}
"""The second scenario spends its time better."""


def test_who_gets_further_with_shorter_steps_is_told() -> None:
    """More goodput and a fifth fewer steps are no recommendation."""
    line = concluded(*named("packed", "spread"), seeds=2, step=[[100.0, 101.0], [80.0, 80.8]], **BEHIND)

    assert line.startswith("spread trains 93.50% of the time")
    assert (
        "; but packed keeps 25.0 ± 0.0 % more steps in the same time, since its steps are shorter, which "
        "shares of the time do not show: by steps, it is ahead of spread [95 %"
    ) in line


def test_who_gets_further_in_a_tie_is_told() -> None:
    """The same goodput, and one has shorter steps."""
    line = concluded(
        *named("packed", "spread"), seeds=1, step=[[100.0], [80.0]], effective_training_time_ratio=[[0.9]] * 2
    )

    assert "packed and spread come to the same; but packed keeps 25.0 % more steps in the same time" in line


@pytest.mark.parametrize(
    "columns",
    [
        {"step": [[90.0, 91.0], [93.0, 94.0]]},
        {"step": [[100.0, 101.0], [93.0, 107.0]]},
        {"step": [[100.0, 101.0], [93.0, 94.0]], "provisional_share": [[0.1, 0.1], [0.0, 0.0]]},
        {"step": [[100.0] * 2] * 2, "completion_seconds": [[110.0] * 2, [100.0] * 2]},
        {
            "step": [[100.0, 101.0], [93.0, 94.0]],
            GPUS: [[0.80, 0.81], [0.93, 0.94]],
        },
    ],
    ids=["more steps", "luck", "steps not saved", "completed earlier", "smaller batches"],
)
def test_a_lead_in_steps_that_is_none_is_not_told(columns: dict[str, list[list[float]]]) -> None:
    """Steps that no checkpoint holds, of a smaller batch, or in more time are no lead."""
    assert "steps" not in concluded(*named("packed", "spread"), seeds=2, **{**BEHIND, **columns})


def test_a_target_reached_earlier_is_a_lead() -> None:
    """All have the same steps in the end."""
    line = concluded(
        *named("packed", "spread"),
        seeds=1,
        step=[[100.0], [100.0]],
        completion_seconds=[[80.0], [100.0]],
        effective_training_time_ratio=[[0.90], [0.93]],
    )

    assert "but packed keeps 25.0 % more steps in the same time" in line


def test_csv_has_a_row_for_every_run() -> None:
    """In order of seeds, unfinished seeds included; what has no data is an empty cell."""
    points = tuple(
        Point(name="a", scenario=scenario(), varied={"detection.layers": layers, "cluster.spares": spares})
        for layers, spares in ((["watchdog"], 1), ([], 2))
    )
    found = results(*points, seeds=2, mttr_seconds=[[1.5, None], [2.5, 3.5]])
    del found.figures[2, 1]
    out = io.StringIO()
    write_csv(found, out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))

    assert ["scenario", "seed", "detection.layers", "cluster.spares", *NAMES] == list(rows[0])
    assert [("1", '["watchdog"]', "1", "1.5"), ("1", "[]", "2", "2.5"), ("2", '["watchdog"]', "1", "")] == [
        (row["seed"], row["detection.layers"], row["cluster.spares"], row["mttr_seconds"]) for row in rows
    ]
