"""The pacer, driven by a clock that the test moves."""

import pytest

from goodputd.pacer import Pacer


class Clock:
    """A wall clock that stands still until it is moved."""

    def __init__(self, seconds: float = 5000.0) -> None:
        """Any origin will do."""
        self.seconds = seconds

    def __call__(self) -> float:
        """Wall seconds."""
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    """A wall clock at an odd origin."""
    return Clock()


def test_simulated_time_starts_where_it_is_told(clock: Clock) -> None:
    """At the first instant no simulated time has passed."""
    assert 7200.0 == Pacer(clock, 1440.0, simulated_start_seconds=7200.0).simulated_now()


def test_a_wall_minute_is_a_simulated_day(clock: Clock) -> None:
    """At a speedup of 1440 one wall minute is one simulated day."""
    pacer = Pacer(clock, 1440.0)
    clock.seconds += 60.0

    assert 86400.0 == pacer.simulated_now()


def test_wall_seconds_until_an_instant(clock: Clock) -> None:
    """A simulated hour ahead is 2.5 wall seconds away at 1440, less what has passed."""
    pacer = Pacer(clock, 1440.0)
    clock.seconds += 0.5

    assert 2.0 == pacer.wall_seconds_until(3600.0)


def test_a_past_instant_is_zero_seconds_away(clock: Clock) -> None:
    """What has passed needs no waiting."""
    pacer = Pacer(clock, 10.0)
    clock.seconds += 60.0

    assert 0.0 == pacer.wall_seconds_until(1.0)


def test_lag_is_what_is_missing_in_wall_time(clock: Clock) -> None:
    """Scenarios that are 300 simulated seconds behind at a speedup of 100 lag by 3 wall seconds."""
    pacer = Pacer(clock, 100.0)
    clock.seconds += 10.0

    assert 3.0 == pacer.lag_wall_seconds(700.0)


def test_there_is_no_lag_ahead_of_the_pace(clock: Clock) -> None:
    """Scenarios that are ahead do not lag by less than nothing."""
    assert 0.0 == Pacer(clock, 100.0).lag_wall_seconds(1.0)


@pytest.mark.parametrize("speedup", [0.25, 1.0, 86400.0])
def test_a_change_of_speed_is_no_jump(clock: Clock, speedup: float) -> None:
    """At the instant of the change simulated time is what it was."""
    pacer = Pacer(clock, 1440.0)
    clock.seconds += 3.5
    before = pacer.simulated_now()
    pacer.set_speedup(speedup)

    assert (before, speedup) == (pacer.simulated_now(), pacer.speedup)


def test_time_goes_on_at_the_new_speed(clock: Clock) -> None:
    """After a change the old seconds count at the old speed, the new ones at the new."""
    pacer = Pacer(clock, 10.0)
    clock.seconds += 5.0
    pacer.set_speedup(2.0)
    clock.seconds += 3.0

    assert 5.0 * 10.0 + 3.0 * 2.0 == pacer.simulated_now()


def test_simulated_time_never_goes_back(clock: Clock) -> None:
    """A wall clock that is set back stops simulated time, it does not turn it round."""
    pacer = Pacer(clock, 10.0)
    clock.seconds += 5.0
    before = pacer.simulated_now()
    clock.seconds -= 2.0

    assert before == pacer.simulated_now()


def test_a_change_of_speed_after_a_step_back_does_not_go_back(clock: Clock) -> None:
    """The new speed starts from the furthest point that was reached."""
    pacer = Pacer(clock, 10.0)
    clock.seconds += 5.0
    before = pacer.simulated_now()
    clock.seconds -= 2.0
    pacer.set_speedup(1.0)
    clock.seconds += 4.0

    assert before + 4.0 == pacer.simulated_now()


@pytest.mark.parametrize("speedup", [0.0, -1.0, float("nan")])
def test_time_can_not_stand_still_or_run_back(clock: Clock, speedup: float) -> None:
    """A speedup that is not above 0 is refused, at the start and later."""
    pacer = Pacer(clock, 1.0)

    with pytest.raises(ValueError, match="above 0"):
        Pacer(clock, speedup)
    with pytest.raises(ValueError, match="above 0"):
        pacer.set_speedup(speedup)
