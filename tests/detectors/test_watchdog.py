"""The collective watchdog: slow, sees every stop, and nothing else."""

import pytest

from goodputd.detectors.watchdog import Watchdog, WatchdogSpec
from goodputd.sim.observation import JobView, Observation


def observation(collective_stalls_at: float | None) -> Observation:
    """A fault that shows everything there is to the other layers."""
    return Observation(
        at=990.0,
        beats_stop_at=990.0,
        steps_stop_at=990.0,
        last_step_at=985.0,
        collective_stalls_at=collective_stalls_at,
        event_logged_at=991.0,
        checks_from=0.0,
        step_seconds=5.0,
        step_time_shift_sigmas=50.0,
        gradient_shift_sigmas=50.0,
        uniform=0.5,
    )


@pytest.mark.parametrize("timeout", [60.0, 600.0, 1800.0])
def test_a_stall_is_claimed_after_the_timeout(timeout: float) -> None:
    """From the instant at which the ranks that are left began to wait, which a save puts off."""
    detector = Watchdog(WatchdogSpec(timeout_seconds=timeout))

    assert 1000.0 + timeout == detector.claims_at(observation(1000.0))
    assert timeout == detector.timeout_seconds


def test_slow_and_corrupt_ranks_are_its_blind_spot() -> None:
    """Collectives go on, however wrong or late."""
    assert Watchdog(WatchdogSpec()).claims_at(observation(None)) is None


def test_it_never_cries_wolf() -> None:
    """A healthy collective does not wait for ten minutes, on any number of ranks."""
    assert 0.0 == Watchdog(WatchdogSpec()).false_alarms_per_second(JobView(100_000, 800_000, 60.0, 1.0))


def test_it_needs_a_running_job() -> None:
    """Without collectives there is nothing to watch (rule 3)."""
    assert not Watchdog(WatchdogSpec()).sees_during_recovery
