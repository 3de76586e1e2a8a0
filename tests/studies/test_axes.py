"""Axes: what people type, the values that come of it, and what they are told when nothing does."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from goodputd import settings
from goodputd.errors import SettingsError
from goodputd.studies.axes import Axis, Load, limits, parse_axis, points, zero_means
from goodputd.studies.optimum import Limits

FILE = """
[cluster]
nodes = 32
[[scenario]]
name = "naive"
checkpoint.interval_seconds = 14400
[[scenario]]
name = "default"
"""
INTERVAL = "checkpoint.interval_seconds"
UNKNOWN = "file.toml: no scenario is named 'defualt'; did you mean default? (there are naive, default)"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """The file above under each change."""
    monkeypatch.chdir(tmp_path)
    Path("file.toml").write_text(FILE)
    return partial(settings.variations, Path("file.toml"), environ={})


def complaint(text: str) -> str:
    """What is said of an axis."""
    with pytest.raises(SettingsError) as caught:
        parse_axis(text)
    (line,) = caught.value.problems
    return line


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("policy.strikes.strikes_to_evict", "never"),
        ("cluster.repair.retire_after_evictions", "never"),
        ("cluster.repair.crews", "no limit"),
        ("checkpoint.memory.interval_steps", "none"),
        ("checkpoint.local.interval_steps", "none"),
        ("cluster.spares", None),
        ("faults.scale", None),
    ],
)
def test_a_zero_may_be_no_number(key: str, word: str | None) -> None:
    """Where the settings say that it means the contrary of a little."""
    assert word == zero_means(key)


def test_a_logarithmic_range_has_equal_ratios_and_both_ends() -> None:
    """To the six digits that are printed."""
    axis = parse_axis(f"{INTERVAL}=60:7200:log20")
    ratios = [high / low for low, high in zip(axis.values, axis.values[1:], strict=False)]  # type: ignore[operator]

    assert (INTERVAL, 20, 60.0, 7200.0, True) == (
        axis.key,
        len(axis.values),
        axis.values[0],
        axis.values[-1],
        axis.is_log,
    )
    assert [120.0 ** (1 / 19)] * 19 == pytest.approx(ratios, rel=1e-5)


def test_a_linear_range_has_equal_differences() -> None:
    """Both ends included."""
    assert Axis("faults.scale", (0.5, 1.0, 1.5, 2.0)) == parse_axis("faults.scale=0.5:2:lin4")


def test_a_whole_number_stays_whole_and_is_played_once() -> None:
    """Where the settings ask for whole numbers, the values are rounded and no value comes twice."""
    assert (0, 1, 2, 3) == parse_axis("cluster.spares=0:3:lin9").values
    assert (1, 2, 4, 8) == parse_axis("checkpoint.interval_steps=1:8:log4").values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("policy.strikes.strikes_to_evict=1,2,3,0", (1, 2, 3, 0)),
        ("checkpoint.interval_seconds=60, 120.5", (60, 120.5)),
        ("policy.strikes.on_slow=restart,tolerate", ("restart", "tolerate")),
        ('detection.layers=["watchdog"],["heartbeat","watchdog"]', (["watchdog"], ["heartbeat", "watchdog"])),
        ("policy.strikes.lifetime=true,false", (True, False)),
    ],
)
def test_a_list_has_the_values_of_toml(text: str, values: tuple[object, ...]) -> None:
    """Numbers, words without quotes, arrays."""
    assert values == parse_axis(text).values


@pytest.mark.parametrize(
    ("values", "is_log"),
    [
        ("60,120,240,480", True),
        ("1920,60,300,900", True),
        ("60,120,180,240", False),
        ("60,90,120", False),
        ("60,120", False),
        ("0,1,2,4,8", False),
        ("5e-324,1,1e308", True),
    ],
)
def test_a_list_that_grows_by_ratios_is_logarithmic(values: str, is_log: bool) -> None:
    """In whichever order it is typed; two values say nothing."""
    assert is_log == parse_axis(f"faults.scale={values}").is_log


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("60:7200:log20", "is no key with values; allowed is KEY=LOW:HIGH:logN"),
        ("checkpoint.interval_secs=1,2", "unknown key 'checkpoint.interval_secs'; did you mean checkpoint"),
        ("interval_seconds=1,2", "did you mean"),
        ("spares=1,2", "unknown key 'spares'; did you mean cluster.spares?"),
        ("seed=1,2", "seed is the same for all scenarios and cannot be varied"),
        ("http.listen=a,b", "cannot be varied"),
        (f"{INTERVAL}=60:7200:20", "'60:7200:20' is no range"),
        (f"{INTERVAL}=7200:60:log20", "needs 0 < LOW < HIGH and two values or more"),
        (f"{INTERVAL}=0:60:log20", "needs 0 < LOW < HIGH"),
        (f"{INTERVAL}=5:5:lin3", "needs LOW < HIGH"),
        (f"{INTERVAL}=1:5:lin1", "two values or more"),
        (f"{INTERVAL}=1:1e999:log5", "is no range"),
        (f"{INTERVAL}=1:5:lin999999", "at most 10,000 are played"),
        (f"{INTERVAL}=", "is no key with values"),
        (f"{INTERVAL}={{a=1}}", "is no list of values"),
        ("cluster.spares=4,4", "cluster.spares: values must all be different (got 4 and 4)"),
        ("faults.scale=0.0,1,-0.0", "faults.scale: values must all be different (got 0.0 and -0.0)"),
        ("faults.scale=1,1.0", "faults.scale: values must all be different (got 1 and 1.0)"),
    ],
)  # fmt: skip
def test_what_is_no_axis_is_told_in_one_line(text: str, said: str) -> None:
    """The line begins with the option and says what is allowed."""
    line = complaint(text)

    assert line.startswith("--vary: ")
    assert said in line


def test_points_are_every_combination_for_every_scenario(load: Load) -> None:
    """Scenarios outermost, then the first key; each point plays its values."""
    axes = [Axis("cluster.spares", (1, 2)), Axis(INTERVAL, (60.0, 120.0))]
    found = points(axes, [], load)

    assert ["naive"] * 4 + ["default"] * 4 == [point.name for point in found]
    assert [{"cluster.spares": 1, INTERVAL: 60.0}, {"cluster.spares": 1, INTERVAL: 120.0}] == [
        point.varied for point in found[4:6]
    ]
    assert [(1, 60.0), (1, 120.0), (2, 60.0), (2, 120.0)] == [
        (point.scenario.cluster.spares, point.scenario.checkpoint.interval_seconds) for point in found[:4]
    ]


def test_a_varied_key_wins_over_the_scenario(load: Load) -> None:
    """Or the scenario that sets it would not vary."""
    (point,) = points([Axis(INTERVAL, (60.0,))], ["naive"], load)

    assert 60.0 == point.scenario.checkpoint.interval_seconds


def test_scenarios_come_in_the_order_asked_for(load: Load) -> None:
    """The first is what the others are compared with."""
    assert ["default", "naive"] == [point.name for point in points([], ["default", "naive"], load)]


@pytest.mark.parametrize(
    ("axes", "names", "lines"),
    [
        ([], ["defualt"], [UNKNOWN]),
        ([], ["naive", "naive"], ["scenario naive is named twice"]),
        ([Axis(INTERVAL, (1.0,)), Axis(INTERVAL, (2.0,))], [], [f"--vary: {INTERVAL} is varied twice"]),
        (
            [Axis(INTERVAL, (-5.0, 60.0, -6.0))],
            [],
            [
                f"--vary: {INTERVAL}: must be greater than 0 (got -5.0)",
                f"--vary: {INTERVAL}: must be greater than 0 (got -6.0)",
            ],
        ),
        (
            [Axis("cluster.spares", tuple(range(101))), Axis(INTERVAL, tuple(range(1, 101)))],
            [],
            ["--vary: 10,100 combinations are too many; at most 10,000 are played"],
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_told_at_once(
    load: Load, axes: list[Axis], names: list[str], lines: list[str]
) -> None:
    """Scenarios by name, values in the words of the settings, every mistake of them."""
    with pytest.raises(SettingsError) as caught:
        points(axes, names, load)

    assert lines == list(caught.value.problems)


def test_variations_read_the_file_once(tmp_path: Path) -> None:
    """A file that changes while a study begins, or a pipe, is the same for every point."""
    path = tmp_path / "file.toml"
    path.write_text(FILE)

    def changes() -> Iterator[dict[str, object]]:
        path.unlink()
        yield {INTERVAL: 60.0}
        yield {INTERVAL: 120.0}

    found = settings.variations(path, changes(), environ={})

    assert [60.0, 120.0] == [each.scenarios[0].checkpoint.interval_seconds for each in found]


def test_mistakes_of_the_file_are_not_blamed_on_an_axis(load: Load) -> None:
    """What is wrong without any variation is told as ever."""
    Path("file.toml").write_text("[cluster]\nnodes = 0")
    with pytest.raises(SettingsError) as caught:
        points([Axis(INTERVAL, (60.0,))], [], load)

    assert str(caught.value).startswith("file.toml: cluster.nodes: must be")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("cluster.spares", Limits(lowest=0)),
        ("checkpoint.interval_seconds", Limits()),
        ("checkpoint.interval_steps", Limits(lowest=1)),
        ("recovery.wrong_restore_probability", Limits(lowest=0.0, highest=0.9)),
    ],
)
def test_limits_are_those_of_the_settings(key: str, expected: Limits) -> None:
    """Inclusive ones; an interval may be as short as one likes."""
    assert expected == limits(key)


def test_an_axis_is_numeric_when_all_of_it_is() -> None:
    """Words and switches have no place on a scale."""
    assert Axis("a", (1, 2.5)).is_numeric
    assert not Axis("a", (1, "x")).is_numeric
    assert not Axis("a", (True, False)).is_numeric
