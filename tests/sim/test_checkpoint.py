"""Checkpoints: how often, how long a restore takes, and what can be restored."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goodputd.sim.checkpoint import CheckpointStore
from goodputd.sim.specs.checkpoint import CheckpointSpec


@pytest.mark.parametrize(
    ("interval_seconds", "step_seconds", "expected"),
    [
        (472.0, 5.9, 80),
        (470.0, 5.9, 80),
        (100.0, 10.0, 10),
        (104.9, 10.0, 10),
        (105.1, 10.0, 11),
        (1.0, 10.0, 1),
    ],
)
def test_an_interval_in_seconds_is_rounded_to_whole_steps(
    interval_seconds: float, step_seconds: float, expected: int
) -> None:
    """The nearest whole number of steps, and at least one."""
    assert expected == CheckpointSpec(interval_seconds=interval_seconds).steps(step_seconds)


@pytest.mark.parametrize("step_seconds", [0.1, 5.9, 600.0])
def test_an_interval_in_steps_does_not_depend_on_the_step_time(step_seconds: float) -> None:
    """It is what was asked for."""
    assert 80 == CheckpointSpec(interval_steps=80).steps(step_seconds)


def spec(**rest: float) -> CheckpointSpec:
    """A terabyte, read at 1 GB/s per node and 10 GB/s in all."""
    settings_of_test: dict[str, float] = {
        "size_bytes": 1e12,
        "node_bandwidth_bytes_per_second": 1e9,
        "total_bandwidth_bytes_per_second": 1e10,
        "reshard_factor": 2.5,
    }
    return CheckpointSpec(interval_steps=1, **(settings_of_test | rest))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("nodes", "expected"), [(1, 1000.0), (5, 200.0), (10, 100.0), (11, 100.0), (5000, 100.0)]
)
def test_a_restore_is_as_fast_as_the_narrower_bandwidth(nodes: int, expected: float) -> None:
    """Up to ten nodes their own bandwidth is the narrower one, then the storage's."""
    assert expected == pytest.approx(spec().restore_seconds(nodes, resharded=False))


def test_a_resharded_restore_takes_the_factor() -> None:
    """Whichever bandwidth is the narrower one."""
    ratios = [
        spec().restore_seconds(n, resharded=True) / spec().restore_seconds(n, resharded=False)
        for n in (1, 99)
    ]

    assert [2.5, 2.5] == pytest.approx(ratios)


def test_the_defaults_restore_the_checkpoint_of_llama3_in_three_minutes() -> None:
    """405 B parameters x 14 bytes at 31.5 GB/s are 180 s."""
    assert 180.0 == pytest.approx(CheckpointSpec().restore_seconds(2048, resharded=False))


@given(st.integers(1, 20_000), st.integers(1, 20_000))
def test_more_nodes_never_restore_slower(few: int, more: int) -> None:
    """And never faster than the storage."""
    few, more = sorted((few, more))
    slow, fast = (spec().restore_seconds(n, resharded=False) for n in (few, more))

    assert slow >= fast >= 100.0


# --- the store


def store(keep: int, count: int = 0) -> CheckpointStore:
    """A store that saw ``count`` saves, ten steps apart."""
    found = CheckpointStore(keep)
    if count:
        found.saved(10 * count, count, 10, 1000.0)
    return found


def kept(found: CheckpointStore) -> list[int]:
    """The steps that can be restored, newest first: the newest, then the one before, and so on."""
    steps = [found.last]
    while (before := found.before(steps[-1])) != steps[-1]:
        steps.append(before)
    return steps


def test_at_first_there_is_the_initial_state_only() -> None:
    """Step 0, never saved."""
    found = store(5)

    assert ([0], 0, None) == (kept(found), found.last, found.last_saved_at)


def test_saves_become_durable_together() -> None:
    """Three saves ten steps apart, of which the newest ended at 1000 s."""
    found = store(5, 3)

    assert ([30, 20, 10, 0], 30, 1000.0) == (kept(found), found.last, found.last_saved_at)


@pytest.mark.parametrize(
    ("keep", "count", "expected"),
    [
        (1, 1, [10]),
        (1, 7, [70]),
        (2, 1, [10, 0]),
        (3, 3, [30, 20, 10]),
        (3, 1_000_000, [10_000_000, 9_999_990, 9_999_980]),
    ],
)
def test_the_newest_are_kept(keep: int, count: int, expected: list[int]) -> None:
    """The initial state gives way like any other; a million saves cost no more than a few."""
    assert expected == kept(store(keep, count))


@pytest.mark.parametrize(
    ("step", "expected"), [(25, 20), (20, 20), (19, 10), (10, 10), (99, 30), (9, 0), (0, 0)]
)
def test_the_newest_that_is_not_after_a_step(step: int, expected: int) -> None:
    """For a corruption at that step; when all kept are younger, the initial state is left."""
    assert expected == store(3, 3).at_or_before(step)


@pytest.mark.parametrize(("step", "expected"), [(31, 30), (30, 20), (25, 20), (20, 10)])
def test_the_newest_before_a_step(step: int, expected: int) -> None:
    """For a crash that comes back at the same step: strictly before."""
    assert expected == store(3, 3).before(step)


@pytest.mark.parametrize("step", [0, 5, 10])
def test_going_further_back_never_goes_forward(step: int) -> None:
    """With 10, 20 and 30 kept there is nothing before step 10 or less; a younger checkpoint is no way out.

    Otherwise a second restore after a corruption that is older than every checkpoint would bring
    the corruption back.
    """
    assert step == store(3, 3).before(step)


@pytest.mark.parametrize(("step", "expected"), [(30, [30, 20, 10]), (20, [20, 10]), (10, [10]), (0, [0])])
def test_checkpoints_after_retracted_work_are_forgotten(step: int, expected: list[int]) -> None:
    """They hold what was taken back; the initial state can always be had."""
    found = store(3, 3)
    found.drop_after(step)

    assert expected == kept(found)


BATCHES = st.lists(
    st.one_of(
        st.tuples(st.just("save"), st.integers(1, 12)), st.tuples(st.just("back"), st.integers(0, 200))
    ),
    max_size=30,
)


@settings(max_examples=100)
@given(st.integers(1, 6), st.integers(1, 9), BATCHES)
def test_the_store_is_the_tail_of_a_list(keep: int, interval: int, batches: list[tuple[str, int]]) -> None:
    """Any mix of saves and retractions leaves what a plain list cut to ``keep`` leaves."""
    found, expected = CheckpointStore(keep), [0]
    for kind, number in batches:
        if kind == "save":
            expected = [*expected, *(expected[-1] + interval * (n + 1) for n in range(number))][-keep:]
            found.saved(expected[-1], number, interval, 1.0)
        else:
            to = found.at_or_before(number)
            assert max([step for step in expected if step <= number], default=0) == to
            found.drop_after(to)
            expected = [step for step in expected if step <= to] or [0]
        assert expected[::-1] == kept(found)
