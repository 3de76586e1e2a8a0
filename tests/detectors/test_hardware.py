"""Vendor events: pushed or polled, and silent about whatever logs nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodputd.detectors.hardware import Hardware, HardwareSpec
from goodputd.sim.observation import JobView, Observation


def observation(event_logged_at: float | None) -> Observation:
    """A fault that shows everything there is to the other layers."""
    return Observation(
        at=990.0,
        beats_stop_at=990.0,
        steps_stop_at=990.0,
        last_step_at=985.0,
        collective_stalls_at=990.0,
        event_logged_at=event_logged_at,
        checks_from=0.0,
        step_seconds=5.0,
        step_time_shift_sigmas=50.0,
        gradient_shift_sigmas=50.0,
        uniform=0.5,
    )


@pytest.mark.parametrize(("delay", "expected"), [(2.0, 1002.0), (0.0, 1000.0), (10.5, 1010.5)])
def test_a_pushed_event_is_claimed_after_the_delay(delay: float, expected: float) -> None:
    """From the event, not from the fault."""
    assert expected == Hardware(HardwareSpec(delay_seconds=delay)).claims_at(observation(1000.0))


@pytest.mark.parametrize(
    ("logged_at", "expected"), [(961.0, 1022.0), (1019.9, 1022.0), (1020.0, 1022.0), (1020.1, 1082.0)]
)
def test_a_polled_event_is_claimed_after_the_next_poll(logged_at: float, expected: float) -> None:
    """Polls come at multiples of 60 s and find what was logged up to then; the delay of 2 s follows."""
    assert expected == Hardware(HardwareSpec(mode="poll")).claims_at(observation(logged_at))


@given(st.floats(0, 1e8), st.floats(0.5, 3600), st.floats(0, 60), st.sampled_from(["event", "poll"]))
def test_no_event_waits_longer_than_the_timeout(
    logged_at: float, poll: float, delay: float, mode: str
) -> None:
    """``timeout_seconds`` is the longest time from event to claim, and no claim comes before the delay."""
    detector = Hardware(HardwareSpec(mode=mode, poll_seconds=poll, delay_seconds=delay))  # type: ignore[arg-type]
    claim = detector.claims_at(observation(logged_at))

    assert claim is not None
    assert delay - 1e-6 <= claim - logged_at <= (detector.timeout_seconds or 0.0) + 1e-6


@pytest.mark.parametrize(("mode", "expected"), [("event", 2.0), ("poll", 62.0)])
def test_the_poll_counts_only_where_it_is_used(mode: str, expected: float) -> None:
    """``poll_seconds`` has a value in either mode."""
    assert expected == Hardware(HardwareSpec(mode=mode)).timeout_seconds  # type: ignore[arg-type]


def test_faults_that_log_nothing_are_its_blind_spot() -> None:
    """A crash that stops beats, steps and collectives is no event."""
    assert Hardware(HardwareSpec()).claims_at(observation(None)) is None


def test_it_never_cries_wolf() -> None:
    """A healthy job logs nothing that it would claim."""
    assert 0.0 == Hardware(HardwareSpec()).false_alarms_per_second(JobView(100_000, 800_000, 1.0, 1.0))


def test_events_are_seen_while_the_job_restarts() -> None:
    """The node's agent runs without the job (rule 3)."""
    assert Hardware(HardwareSpec()).sees_during_recovery
