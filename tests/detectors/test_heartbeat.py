"""Heartbeats: when a silence is claimed, what shows none, and how often a late beat looks like one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodputd.detectors.heartbeat import Heartbeat, HeartbeatSpec
from goodputd.sim.observation import JobView, Observation


def observation(
    at: float,
    *,
    beats_stop: bool = False,
    steps_stop: bool = False,
    last_step_at: float = 0.0,
    step: float = 5.0,
) -> Observation:
    """What a fault at ``at`` shows to this layer."""
    return Observation(
        at=at,
        beats_stop_at=at if beats_stop else None,
        steps_stop_at=at if steps_stop else None,
        last_step_at=last_step_at,
        collective_stalls_at=at,
        event_logged_at=at,
        checks_from=0.0,
        step_seconds=step,
        step_time_shift_sigmas=50.0,
        gradient_shift_sigmas=50.0,
        uniform=0.5,
    )


def view(nodes: int) -> JobView:
    """A job of so many nodes."""
    return JobView(nodes, 8 * nodes, 5.0, 0.98)


@pytest.mark.parametrize(
    ("at", "expected"), [(1000.0, 1030.0), (1000.1, 1030.0), (1009.9, 1030.0), (1010.0, 1040.0)]
)
def test_a_crash_is_claimed_one_timeout_after_the_last_beat(at: float, expected: float) -> None:
    """Beats are sent at multiples of ten seconds; a beat at the instant of the crash still goes out."""
    assert expected == Heartbeat(HeartbeatSpec()).claims_at(observation(at, beats_stop=True))


@given(st.floats(0, 1e8), st.floats(0.1, 120), st.floats(1.0, 20))
def test_a_crash_is_claimed_between_timeout_minus_interval_and_timeout(
    at: float, interval: float, times: float
) -> None:
    """Whenever it comes."""
    detector = Heartbeat(HeartbeatSpec(interval_seconds=interval, timeout_seconds=interval * times))
    claim = detector.claims_at(observation(at, beats_stop=True))

    assert claim is not None
    assert interval * (times - 1.0) - 1e-6 <= claim - at <= interval * times + 1e-6


def test_a_crash_is_claimed_half_an_interval_before_the_timeout_on_average() -> None:
    """Over instants spread evenly in the interval: 25 s with the defaults."""
    detector = Heartbeat(HeartbeatSpec())
    at = np.linspace(10_000.0, 10_010.0, 1000, endpoint=False)
    claims = [detector.claims_at(observation(float(x), beats_stop=True)) or 0.0 for x in at]

    assert 25.0 == pytest.approx(float(np.mean(np.array(claims) - at)), abs=0.01)


@pytest.mark.parametrize(
    ("step_seconds", "patience"), [(0.5, 30.0), (5.0, 30.0), (10.0, 30.0), (20.0, 60.0), (60.0, 180.0)]
)
def test_a_hang_is_claimed_one_timeout_or_three_steps_after_the_last_step(
    step_seconds: float, patience: float
) -> None:
    """The longer of the two: a step that takes its time is no hang."""
    hang = observation(1004.0, steps_stop=True, last_step_at=1001.0, step=step_seconds)

    assert 1001.0 + patience == Heartbeat(HeartbeatSpec()).claims_at(hang)


def test_a_crash_is_not_claimed_by_its_missing_steps() -> None:
    """The node's own beats say more, even where step beats would be faster."""
    crash = observation(1004.0, beats_stop=True, steps_stop=True, last_step_at=900.0)

    assert 1030.0 == Heartbeat(HeartbeatSpec()).claims_at(crash)


def test_without_step_beats_a_hang_is_not_seen() -> None:
    """The processes go on beating."""
    detector = Heartbeat(HeartbeatSpec(step_beats=False))

    assert detector.claims_at(observation(1004.0, steps_stop=True)) is None


def test_slow_and_corrupt_ranks_are_its_blind_spot() -> None:
    """They beat and step, however far their statistics shift and whatever they log."""
    assert Heartbeat(HeartbeatSpec()).claims_at(observation(1004.0)) is None


def test_heartbeats_are_watched_while_the_job_restarts() -> None:
    """Agents beat without the job (rule 3); the timeout is what the settings say."""
    detector = Heartbeat(HeartbeatSpec(timeout_seconds=45.0))

    assert (True, 45.0) == (detector.sees_during_recovery, detector.timeout_seconds)


# --- false alarms


def late_beats(interval: float, timeout: float, jitter: float, beats: int) -> int:
    """Alarms of a monitor that watches one healthy node send so many beats, each late by an exponential.

    Beats come over one connection, so none overtakes another, and those held up behind a late one come
    with it. The monitor knows the newest beat that has arrived and when it was sent, and raises an
    alarm when that is ``timeout`` ago.
    """
    sent = np.arange(beats) * interval
    arrived = np.maximum.accumulate(sent + np.random.default_rng(1).exponential(jitter, beats))
    too_late = arrived[1:] - sent[:-1] > timeout
    return int(np.sum(too_late & (arrived[1:] > arrived[:-1])))


@pytest.mark.parametrize(
    ("timeout", "jitter"), [(13.0, 1.0), (14.0, 1.5), (19.0, 2.0), (25.0, 3.0), (30.0, 4.5)]
)
def test_false_alarms_are_as_frequent_as_beats_that_come_too_late(timeout: float, jitter: float) -> None:
    """A monitor watching 400,000 beats with a loose timeout agrees with the formula to 4 standard errors.

    A right program fails with probability 6e-5 per case for a seed drawn at random.
    """
    beats = 400_000
    detector = Heartbeat(HeartbeatSpec(interval_seconds=10.0, timeout_seconds=timeout, jitter_seconds=jitter))
    expected = detector.false_alarms_per_second(view(1)) * beats * 10.0
    observed = late_beats(10.0, timeout, jitter, beats)

    assert expected > 2500
    assert expected == pytest.approx(observed, abs=4 * expected**0.5)


@pytest.mark.parametrize("timeout", [10.0, 15.0, 30.0, 60.0])
def test_a_beat_is_too_late_with_the_tail_of_the_jitter(timeout: float) -> None:
    """exp(-(timeout - interval) / jitter) per beat, and nodes / interval beats a second (rule 5)."""
    detector = Heartbeat(HeartbeatSpec(timeout_seconds=timeout, jitter_seconds=2.0))

    assert 204.8 * math.exp(-(timeout - 10.0) / 2.0) == pytest.approx(
        detector.false_alarms_per_second(view(2048))
    )


def test_shorter_timeouts_cry_wolf_more_often() -> None:
    """Fast and quiet trade off."""
    rates = [
        Heartbeat(HeartbeatSpec(timeout_seconds=timeout)).false_alarms_per_second(view(2048))
        for timeout in (12.0, 15.0, 20.0, 30.0, 60.0)
    ]

    assert sorted(rates, reverse=True) == rates
    assert all(rate > 0.0 for rate in rates)


def test_false_alarms_grow_with_the_number_of_nodes() -> None:
    """In proportion, whatever the ranks per node."""
    detector = Heartbeat(HeartbeatSpec(timeout_seconds=15.0))

    assert 10 * detector.false_alarms_per_second(view(100)) == pytest.approx(
        detector.false_alarms_per_second(view(1000))
    )


def test_beats_without_jitter_are_never_late() -> None:
    """Zero, and no division by it."""
    assert 0.0 == Heartbeat(HeartbeatSpec(jitter_seconds=0.0)).false_alarms_per_second(view(2048))


def test_the_defaults_raise_about_two_false_alarms_in_54_days_of_2048_nodes() -> None:
    """Its share of the ten that all layers together may raise (rule 5)."""
    rate = Heartbeat(HeartbeatSpec()).false_alarms_per_second(view(2048))

    assert 1.97 == pytest.approx(rate * 54 * 86400, abs=0.01)
