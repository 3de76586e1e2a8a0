"""What a fault shows, and when each layer would claim it: the bridge from truth to monitoring."""

from dataclasses import replace

import pytest

from goodputd import detectors
from goodputd.detectors.hardware import HardwareSpec
from goodputd.detectors.heartbeat import HeartbeatSpec
from goodputd.detectors.watchdog import WatchdogSpec
from goodputd.sim.faults import Fault, FaultKind, Marks, resolve_kinds
from goodputd.sim.job import Run
from goodputd.sim.ledger import Ledger
from goodputd.sim.observation import Observation
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.job import JobSpec
from goodputd.sim.taxonomy import Layer, Origin
from goodputd.sim.telemetry import observe, observe_stopped, survey
from goodputd.sim.training import Training

CRASH, HANG, SLOW, CORRUPT, BENIGN = resolve_kinds(
    FaultsSpec(
        kinds=(
            FaultKindSpec(
                name="crash", component="gpu", per_node_day=1.0, event="XID 79", event_delay_seconds=3.0
            ),
            FaultKindSpec(name="hang", component="switch", symptom="hang", per_node_day=1.0),
            FaultKindSpec(
                name="slow", component="gpu", symptom="slow", per_node_day=1.0, step_time_sigmas=9.0
            ),
            FaultKindSpec(
                name="corrupt", component="gpu", symptom="corrupt", per_node_day=1.0, gradient_sigmas=8.0
            ),
            FaultKindSpec(name="benign", component="gpu", symptom="benign", per_node_day=1.0, event="XID 92"),
        )
    ),
    None,
    nodes=1,
    gpus_per_node=8,
)
RUN = Run(1000.0, 0.0, 0.0, 10.0, 1.0, 10, 10, 5.0)
"""From 1000 s: ten steps of ten seconds, a save of five, and so on."""
MID_STEP, MID_SAVE = 1037.0, 1103.0


def fault(kind: FaultKind, at: float, *, logged: bool = False) -> Fault:
    """A fault on node 3 whose statistical luck is 0.25."""
    marks = Marks(logged=0.5, statistic=0.25, pace=0.5, wrong_restore=0.5, verify_noise=0.5, repair=0.5)
    return Fault("id", at, kind, 3, True, Origin.PRIMARY, marks, 0, logged)


def seen(kind: FaultKind, at: float, *, run: Run = RUN, logged: bool = False) -> Observation:
    """What the fault shows to the running job."""
    training = Training(JobSpec(step_seconds=10.0), CheckpointSpec(interval_steps=10), Ledger(8, 8), 1)
    training.start(1000.0)
    return observe(fault(kind, at, logged=logged), run, run.position(at), training)


@pytest.mark.parametrize(
    ("kind", "beats", "steps", "stalls"),
    [
        (CRASH, True, True, True),
        (HANG, False, True, True),
        (SLOW, False, False, False),
        (CORRUPT, False, False, False),
        (BENIGN, False, False, False),
    ],
)
def test_each_symptom_stops_what_it_stops(kind: FaultKind, beats: bool, steps: bool, stalls: bool) -> None:
    """A crash ends heartbeats, step beats and collectives, a hang all but the first, the rest nothing."""
    observation = seen(kind, MID_STEP)
    stopped = (observation.beats_stop_at, observation.steps_stop_at, observation.collective_stalls_at)

    assert [MID_STEP if stops else None for stops in (beats, steps, stalls)] == list(stopped)


def test_in_a_step_the_last_beat_is_that_of_the_step_before() -> None:
    """37 s into the run three steps are done."""
    assert 1030.0 == seen(HANG, MID_STEP).last_step_at


def test_after_a_save_the_clock_of_step_beats_starts_anew() -> None:
    """Three seconds into the first step after a save, the save's end is the last sign of progress."""
    assert 1105.0 == seen(HANG, 1108.0).last_step_at


def test_in_a_save_no_step_beat_is_expected_before_it_ends() -> None:
    """And the ranks that are left meet in the next collective only then."""
    observation = seen(CRASH, MID_SAVE)

    assert (1105.0, 1105.0) == (observation.last_step_at, observation.collective_stalls_at)
    assert (MID_SAVE, MID_SAVE) == (observation.beats_stop_at, observation.steps_stop_at)


def test_the_rest_of_a_save_that_was_in_flight_counts_as_one() -> None:
    """A run anchored two seconds before the end of a save: a hang one second later shows after it."""
    run = Run(MID_SAVE, 10.0, 2.0, 10.0, 3.0, 20, 10, 5.0)
    observation = seen(HANG, MID_SAVE + 1.0, run=run)

    assert (1105.0, 1105.0) == (observation.last_step_at, observation.collective_stalls_at)


@pytest.mark.parametrize(("kind", "expected"), [(CRASH, MID_STEP + 3.0), (BENIGN, MID_STEP)])
def test_a_logged_event_comes_after_its_delay(kind: FaultKind, expected: float) -> None:
    """Three seconds for a crash of this kind, at once for a benign one; None when it was not logged."""
    assert expected == seen(kind, MID_STEP, logged=True).event_logged_at
    assert seen(kind, MID_STEP, logged=False).event_logged_at is None


@pytest.mark.parametrize(("slow_factor", "expected"), [(1.0, 20.0), (1.5, 20.0), (3.0, 30.0)])
def test_a_straggler_is_looked_for_at_its_own_pace(slow_factor: float, expected: float) -> None:
    """Checks follow steps, and steps take as long as the slowest rank: another one doubles them here."""
    run = replace(RUN, slow_factor=2.0)

    assert expected == seen(replace(SLOW, slow_factor=slow_factor), MID_STEP, run=run).step_seconds


def test_statistics_are_shown_as_the_kind_shifts_them() -> None:
    """With the fault's own luck, the job's step time and the phase of the checks."""
    slow, corrupt = seen(SLOW, MID_STEP), seen(CORRUPT, MID_STEP)

    assert (9.0, 0.0) == (slow.step_time_shift_sigmas, slow.gradient_shift_sigmas)
    assert (0.0, 8.0) == (corrupt.step_time_shift_sigmas, corrupt.gradient_shift_sigmas)
    assert (0.25, 10.0, 1000.0) == (slow.uniform, slow.step_seconds, slow.checks_from)


@pytest.mark.parametrize("kind", [CRASH, HANG, SLOW, CORRUPT])
def test_a_stopped_job_shows_no_steps_and_no_statistics(kind: FaultKind) -> None:
    """Only heartbeats, vendor events and, once it is told, a collective that waits (rule 3)."""
    observation = observe_stopped(fault(kind, 50.0, logged=True), collective_stalls_at=None)

    assert (None, 0.0, 0.0, None) == (
        observation.steps_stop_at,
        observation.step_time_shift_sigmas,
        observation.gradient_shift_sigmas,
        observation.collective_stalls_at,
    )
    assert (50.0 if kind is CRASH else None) == observation.beats_stop_at
    assert 50.0 + kind.event_delay_seconds == observation.event_logged_at


def test_a_collective_of_the_restart_stalls_when_it_is_told() -> None:
    """Not at the fault, which came long before."""
    assert 90.0 == observe_stopped(fault(HANG, 50.0), collective_stalls_at=90.0).collective_stalls_at


def layers(observation: Observation, *names: str) -> list[tuple[float, Layer]]:
    """The claims of the default layers, or of some, in the order of the survey."""
    spec = detectors.DetectionSpec(layers=names or detectors.DetectionSpec().layers)  # type: ignore[arg-type]
    built = detectors.build(spec)
    return [(at, layer) for at, _, layer in survey(built, observation)]


def test_every_layer_that_sees_a_fault_claims_it_in_order_of_time() -> None:
    """A logged crash: vendor event, last beat, last collective."""
    assert [
        (MID_STEP + 3.0 + 2.0, Layer.HARDWARE),
        (1030.0 + 30.0, Layer.HEARTBEAT),
        (MID_STEP + 600.0, Layer.WATCHDOG),
    ] == layers(seen(CRASH, MID_STEP, logged=True))


def test_the_slowest_layer_of_the_table_may_be_the_first_to_claim() -> None:
    """Events polled every ten minutes come after the last beat, and a watchdog of five seconds before it."""
    spec = detectors.DetectionSpec(
        hardware=HardwareSpec(mode="poll", poll_seconds=600.0), watchdog=WatchdogSpec(timeout_seconds=5.0)
    )
    built = detectors.build(spec)
    claims = survey(built, seen(CRASH, MID_STEP, logged=True))

    assert [(MID_STEP + 5.0, Layer.WATCHDOG), (1060.0, Layer.HEARTBEAT), (1202.0, Layer.HARDWARE)] == [
        (at, layer) for at, _, layer in claims
    ]


def test_layers_that_are_blind_claim_nothing() -> None:
    """Nobody sees a benign fault that logs nothing, whatever is on."""
    assert [] == layers(seen(BENIGN, MID_STEP))


def test_of_two_claims_at_one_instant_the_faster_layer_comes_first() -> None:
    """The order of the table decides, not the order in the settings."""
    observation = seen(HANG, 1030.0)
    built = detectors.build(
        detectors.DetectionSpec(
            layers=("watchdog", "heartbeat"),
            heartbeat=HeartbeatSpec(timeout_seconds=60.0),
            watchdog=WatchdogSpec(timeout_seconds=60.0),
        )
    )
    claims = survey(built, observation)

    assert [(1090.0, Layer.HEARTBEAT), (1090.0, Layer.WATCHDOG)] == [(at, layer) for at, _, layer in claims]
