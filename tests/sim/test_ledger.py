"""The ledger: every second in one bucket, in seconds and in GPU-seconds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goodputd.sim.ledger import Account, Ledger, RunWork
from goodputd.sim.taxonomy import Bucket


def work(
    *, save: float = 0.0, straggler: float = 0.0, committed: float | None = None, provisional: float = 0.0
) -> RunWork:
    """A stretch of training; without ``committed`` no save ended in it."""
    return RunWork(save, straggler, committed is not None, committed or 0.0, provisional)


def spent(account: Account) -> dict[str, float]:
    """Every bucket that is not 0, and what stands beside the buckets."""
    found = {bucket.value: seconds for bucket, seconds in account.buckets.items() if seconds}
    return found | {"provisional": account.provisional, "retracted": account.retracted}


def ledger(nominal: int = 100, active: int = 100) -> Ledger:
    """A ledger of a running job."""
    return Ledger(nominal, active)


# --- seconds


def test_a_ledger_starts_with_every_bucket_at_zero() -> None:
    """A counter whose first sample is its first event loses that event."""
    assert dict.fromkeys(Bucket, 0.0) == ledger().time.buckets


def test_save_and_straggler_seconds_are_entered_at_once() -> None:
    """Whether or not a save ended in the stretch; only step time is provisional (rule 9)."""
    found = ledger()
    found.time.enter_run(work(save=5.0, straggler=7.0, provisional=100.0))

    assert {"checkpoint_save": 5.0, "straggler": 7.0, "provisional": 100.0, "retracted": 0.0} == spent(
        found.time
    )


def test_a_save_commits_the_provisional_time_before_it_too() -> None:
    """The first stretch saved nothing; the save of the second covers both."""
    found = ledger()
    found.time.enter_run(work(provisional=100.0))
    found.time.enter_run(work(committed=40.0, provisional=3.0))

    assert {"productive": 140.0, "provisional": 3.0, "retracted": 0.0} == spent(found.time)


def test_without_a_save_provisional_time_adds_up() -> None:
    """Over stretches of different speed."""
    found = ledger()
    found.time.enter_run(work(provisional=100.0))
    found.time.enter_run(work(provisional=40.0))

    assert {"provisional": 140.0, "retracted": 0.0} == spent(found.time)


def test_a_save_that_commits_nothing_more_still_commits_what_came_before() -> None:
    """A stretch anchored in a save covers only what was provisional at its anchor."""
    found = ledger()
    found.time.enter_run(work(provisional=100.0))
    found.time.enter_run(work(save=2.0, committed=0.0))

    assert {"productive": 100.0, "checkpoint_save": 2.0, "provisional": 0.0, "retracted": 0.0} == spent(
        found.time
    )


def test_rolling_back_loses_what_is_provisional() -> None:
    """What was committed stays productive; a second roll-back finds nothing."""
    found = ledger()
    found.time.enter_run(work(committed=100.0, provisional=30.0))
    found.roll_back()
    found.roll_back()

    assert {"productive": 100.0, "lost_work": 30.0, "provisional": 0.0, "retracted": 0.0} == spent(found.time)


def test_retracted_seconds_stand_outside_the_buckets() -> None:
    """The bucket stays as it is, so that no counter falls (rule 9)."""
    found = ledger()
    found.time.enter_run(work(committed=100.0))
    found.retract(60.0, 6000.0)

    assert {"productive": 100.0, "provisional": 0.0, "retracted": 60.0} == spent(found.time)


def test_a_stopped_job_is_in_one_bucket_at_a_time() -> None:
    """Opening one closes the other at the same instant."""
    found = ledger()
    for bucket, at in (
        (Bucket.UNDETECTED_STALL, 100.0),
        (Bucket.DECISION, 130.0),
        (Bucket.RESTART, 160.0),
        (Bucket.DECISION, 170.0),
        (None, 175.0),
    ):
        found.open(bucket, at)

    assert {
        "undetected_stall": 30.0,
        "decision": 35.0,
        "restart": 10.0,
        "provisional": 0.0,
        "retracted": 0.0,
    } == spent(found.time)


def test_the_open_bucket_runs_up_to_now() -> None:
    """``at`` tells its seconds so far; a closed ledger gains none."""
    found = ledger()
    found.open(Bucket.VERIFY, 100.0)
    open_until_now = found.at(107.5, None)[0]
    found.open(None, 110.0)

    assert 7.5 == open_until_now.buckets[Bucket.VERIFY]
    assert 10.0 == found.at(500.0, None)[0].buckets[Bucket.VERIFY]


def test_looking_changes_nothing() -> None:
    """The run in flight is entered in a copy; the copies are independent of each other."""
    found = ledger()
    found.time.enter_run(work(committed=10.0, provisional=5.0))
    first = found.at(20.0, work(committed=5.0))[0]
    first.buckets[Bucket.PRODUCTIVE] = 1e9
    second = found.at(20.0, work(committed=5.0))[0]

    assert {"productive": 20.0, "provisional": 0.0, "retracted": 0.0} == spent(second)
    assert {"productive": 10.0, "provisional": 5.0, "retracted": 0.0} == spent(found.time)


# --- GPU-seconds


def test_gpu_seconds_are_seconds_times_the_gpus_at_work() -> None:
    """In every bucket and beside them."""
    found = ledger(100, 100)
    found.time.enter_run(work(save=5.0, committed=90.0, provisional=5.0))
    found.retract(2.0, 200.0)
    _, gpus, idle = found.at(100.0, None)

    assert {
        "productive": 9000.0,
        "checkpoint_save": 500.0,
        "provisional": 500.0,
        "retracted": 200.0,
    } == spent(gpus)
    assert 0.0 == idle


def test_seconds_before_a_change_of_size_count_with_the_old_number() -> None:
    """The job shrinks in the middle of its restart, from 100 GPUs to 60, and later goes on with 80."""
    found = ledger(100, 100)
    found.time.enter_run(work(committed=100.0))
    found.open(Bucket.RESTART, 100.0)
    found.set_active_gpus(60, 110.0)
    found.open(None, 130.0)
    found.time.enter_run(work(committed=70.0))
    found.open(Bucket.RESTART, 200.0)
    found.set_active_gpus(80, 210.0)
    found.open(None, 220.0)
    time, gpus, idle = found.at(250.0, work(provisional=30.0))

    assert {"productive": 170.0, "restart": 50.0, "provisional": 30.0, "retracted": 0.0} == spent(time)
    assert {
        "productive": 100.0 * 100 + 70.0 * 60,
        "restart": 10.0 * 100 + 20.0 * 60 + 10.0 * 60 + 10.0 * 80,
        "provisional": 30.0 * 80,
        "retracted": 0.0,
    } == spent(gpus)
    assert 40.0 * 100 + 20.0 * 40 == idle


def test_provisional_work_is_lost_when_the_size_changes() -> None:
    """It was done with the old number of GPUs, and is lost with it."""
    found = ledger(100, 100)
    found.time.enter_run(work(provisional=100.0))
    found.open(Bucket.DECISION, 100.0)
    found.set_active_gpus(50, 100.0)
    _, gpus, _ = found.at(100.0, None)

    assert {"lost_work": 10_000.0, "provisional": 0.0, "retracted": 0.0} == spent(gpus)


def test_a_job_of_no_gpus_is_all_idle_capacity() -> None:
    """It waits: seconds go to their bucket, GPU-seconds to none."""
    found = ledger(100, 100)
    found.open(Bucket.RESTART, 0.0)
    found.set_active_gpus(0, 0.0)
    found.open(Bucket.WAITING_FOR_CAPACITY, 0.0)
    time, gpus, idle = found.at(50.0, None)

    assert (50.0, 0.0, 5000.0) == (
        time.buckets[Bucket.WAITING_FOR_CAPACITY],
        gpus.buckets[Bucket.WAITING_FOR_CAPACITY],
        idle,
    )


def test_nodes_left_over_from_the_start_are_idle_capacity() -> None:
    """A nominal fleet of 100 GPUs that holds 96 in whole replicas gives up 4 of them all the time."""
    assert 400.0 == ledger(100, 96).at(100.0, work(provisional=100.0))[2]


STOPPED = [
    bucket for bucket in Bucket if bucket not in {Bucket.PRODUCTIVE, Bucket.LOST_WORK, Bucket.STRAGGLER}
]
EPISODES = st.lists(
    st.tuples(
        st.floats(0, 1e5),
        st.floats(0, 1),
        st.booleans(),
        st.lists(st.tuples(st.sampled_from(STOPPED), st.floats(0, 1e4), st.integers(0, 128)), max_size=4),
    ),
    max_size=8,
)


@settings(max_examples=80)
@given(EPISODES)
def test_every_second_is_in_one_bucket(
    episodes: list[tuple[float, float, bool, list[tuple[Bucket, float, int]]]],
) -> None:
    """Any alternation of runs and stops of any size: the sums are elapsed, and nominal GPUs times elapsed."""
    found = ledger(128, 128)
    now = 0.0
    for ran, share, commits, stops in episodes:
        found.open(None, now)
        now += ran
        found.time.enter_run(
            work(save=0.1 * ran, committed=0.9 * ran * share, provisional=0.9 * ran * (1.0 - share))
            if commits
            else work(straggler=0.2 * ran, provisional=0.8 * ran)
        )
        for bucket, seconds, gpus in stops:
            found.open(bucket, now)
            now += seconds
            found.set_active_gpus(gpus, now)
        found.open(None, now)
        found.roll_back()
    time, gpu_time, idle = found.at(now, None)

    assert now == pytest.approx(sum(time.buckets.values()) + time.provisional, abs=1e-6)
    assert 128 * now == pytest.approx(sum(gpu_time.buckets.values()) + gpu_time.provisional + idle, abs=1e-4)
