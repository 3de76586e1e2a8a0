"""What a run is exposed to: recurrences and false alarms, which only running time brings nearer.

Statistical tests have fixed seeds and state the probability alpha with which a right program would
fail them for a seed drawn at random.
"""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from goodputd.detectors.gradient import Gradient, GradientSpec
from goodputd.detectors.hardware import Hardware, HardwareSpec
from goodputd.detectors.heartbeat import Heartbeat, HeartbeatSpec
from goodputd.sim.arrivals import FaultSource
from goodputd.sim.cluster import Cluster
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind, Marks, resolve_kinds
from goodputd.sim.hazards import Hazards
from goodputd.sim.ledger import Ledger
from goodputd.sim.observation import JobView
from goodputd.sim.protocols import Detector
from goodputd.sim.schedule import Schedule
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.specs.cluster import ClusterSpec
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.specs.job import JobSpec
from goodputd.sim.streams import exponential, stream
from goodputd.sim.taxonomy import Layer, Origin
from goodputd.sim.training import Training

NOISY = (
    Heartbeat(HeartbeatSpec(interval_seconds=10.0, timeout_seconds=15.0, jitter_seconds=2.0)),
    Hardware(HardwareSpec()),
    Gradient(GradientSpec(every_steps=1, z_threshold=3.0)),
)
"""Two layers that cry wolf every few seconds, and one that never does."""
RECURRENCE_SECONDS = 7200.0

GPU, HANG, SLOW, BUG = resolve_kinds(
    FaultsSpec(
        kinds=(
            FaultKindSpec(
                name="gpu", component="gpu", per_node_day=0.5, event="XID 79", logged_probability=0.5
            ),
            FaultKindSpec(name="hang", component="switch", symptom="hang", per_node_day=0.25),
            FaultKindSpec(name="slow", component="gpu", symptom="slow", per_node_day=2.0),
            FaultKindSpec(name="bug", component="software", scope="job", per_job_day=3.0),
        )
    ),
    None,
    nodes=16,
    gpus_per_node=8,
)


class Rig:
    """A job of 16 nodes in two replicas, and its hazards, started and stopped by hand."""

    def __init__(self, *detectors: Detector, kinds: tuple[FaultKind, ...] = (), seed: int = 1) -> None:
        """Stopped, at 0 s."""
        self.schedule = Schedule()
        self.cluster = Cluster(ClusterSpec(nodes=16, spares=0), 64)
        ledger = Ledger(128, 128)
        self.training = Training(
            JobSpec(step_seconds=10.0), CheckpointSpec(interval_steps=10, save_seconds=5.0), ledger, 2
        )
        self.hazards = Hazards(seed, kinds, detectors, RECURRENCE_SECONDS)

    def start(self, at: float) -> None:
        """A run begins."""
        run = self.training.start(at)
        self.hazards.start(self.schedule, at, self.cluster, self.training, run)

    def stop(self, at: float) -> float:
        """The run ends; returns what was to be expected of it."""
        self.training.stop(at, self.training.position(at))
        self.training.restore(self.training.store.last)
        return self.hazards.stop(self.schedule, at)

    def take(self) -> tuple[float, str]:
        """The next entry has its turn: its instant and name."""
        at = self.schedule.next_at
        assert at is not None
        [(_, _, name, payload), *_] = self.schedule.due(at)
        if name == "recurrence":
            self.hazards.struck(payload, self.schedule)
        return at, name

    def alarm(self) -> tuple[float, tuple[Detector, float, Marks]]:
        """The next false alarm of the running job, and its instant."""
        while True:
            at, name = self.take()
            assert "false_alarm" == name
            alarm = self.hazards.alarm(self.schedule, at, running=True)
            if alarm is not None:
                return at, alarm

    def stand_still(self, until: float) -> None:
        """The stopped job lets every alarm pass that was scheduled for earlier."""
        while (at := self.schedule.next_at) is not None and at <= until:
            self.take()
            assert self.hazards.alarm(self.schedule, at, running=False) is None


def view(nodes: int = 16) -> JobView:
    """What the detectors know of the rig's job."""
    return JobView(nodes, 8 * nodes, 10.0, 100.0 / 105.0)


def alarm_rate(nodes: int = 16) -> float:
    """False alarms per second of the noisy layers together."""
    return sum(detector.false_alarms_per_second(view(nodes)) for detector in NOISY)


def permanent(kind: FaultKind, node: int, ordinal: int = 0) -> Fault:
    """A fault that a restart does not cure."""
    identity = f"{kind.name}/{node}/{ordinal}"
    return Fault(identity, 0.0, kind, node, False, Origin.PRIMARY, Marks(*[0.5] * 6), 0, logged=True)


# --- false alarms


def test_quiet_layers_schedule_no_alarm() -> None:
    """Without a rate there is nothing to wait for."""
    rig = Rig(Hardware(HardwareSpec()))
    rig.start(0.0)

    assert rig.schedule.next_at is None


@settings(max_examples=100)
@given(st.lists(st.tuples(st.floats(0, 0.2), st.floats(0, 1e6)), max_size=8))
def test_stops_put_a_false_alarm_off_by_their_length_and_no_more(pieces: list[tuple[float, float]]) -> None:
    """The alarm comes after the same running time, however the job was stopped in between."""
    unbroken, broken = Rig(*NOISY), Rig(*NOISY)
    unbroken.start(0.0)
    due_at, _ = unbroken.alarm()
    at = stopped = 0.0
    for share, pause in pieces:
        ran = share * (due_at - (at - stopped))
        broken.start(at)
        at += ran
        broken.stop(at)
        at += pause
        stopped += pause
        broken.stand_still(at)
    broken.start(at)

    assert due_at == pytest.approx(broken.alarm()[0] - stopped, abs=1e-7)


def alarms(count: int, *, nodes_lost: bool = False) -> list[tuple[float, Layer, float]]:
    """(gap, layer, place) of so many false alarms; the job restarts at once after each."""
    rig = Rig(*NOISY)
    if nodes_lost:
        rig.cluster.evict(0)
    found, before = [], 0.0
    for _ in range(count):
        rig.start(before)
        at, (detector, where, _) = rig.alarm()
        rig.stop(at)
        found.append((at - before, detector.layer, where))
        before = at
    return found


@pytest.mark.parametrize("nodes_lost", [False, True])
def test_false_alarms_come_at_the_rate_of_the_layers(nodes_lost: bool) -> None:
    """KS of 3,000 gaps against the exponential of the summed rates of the sized job; alpha = 0.001."""
    gaps = [gap for gap, _, _ in alarms(3000, nodes_lost=nodes_lost)]

    assert kstest(gaps, "expon", args=(0.0, 1.0 / alarm_rate(8 if nodes_lost else 16))).pvalue > 0.001


def test_each_layer_raises_its_share() -> None:
    """In proportion to the rates; chi-square of 3,000, alpha = 0.001. The quiet layer raises none."""
    found = Counter(layer for _, layer, _ in alarms(3000))
    rates = {detector.layer: detector.false_alarms_per_second(view()) / alarm_rate() for detector in NOISY}
    loud = [layer for layer in rates if rates[layer]]

    assert set(loud) == set(found)
    assert min(rates[layer] for layer in loud) > 0.1
    assert chisquare([found[layer] for layer in loud], [3000 * rates[layer] for layer in loud]).pvalue > 0.001


def test_false_alarms_point_anywhere_in_the_job() -> None:
    """KS of 3,000 places against the uniform; alpha = 0.001."""
    assert kstest([where for _, _, where in alarms(3000)], "uniform").pvalue > 0.001


# --- recurrences


def test_a_permanent_fault_comes_back_after_exponential_training_time() -> None:
    """KS of 3,000 faults against the mean of ``recurrence_hours``; alpha = 0.001."""
    rig = Rig()
    for ordinal in range(3000):
        rig.hazards.keep(permanent(GPU, ordinal % 16, ordinal), 0)
    waits = [standing.left_seconds for standing in rig.hazards.standing]

    assert kstest(waits, "expon", args=(0.0, RECURRENCE_SECONDS)).pvalue > 0.001


def test_only_training_brings_a_recurrence_nearer() -> None:
    """A stop of a day in the middle puts it off by a day."""
    rig = Rig()
    rig.hazards.keep(permanent(GPU, 3), 0)
    wait = rig.hazards.standing[0].left_seconds
    rig.start(0.0)
    rig.stop(0.25 * wait)
    assert rig.schedule.next_at is None
    rig.start(0.25 * wait + SECONDS_PER_DAY)

    assert (pytest.approx(wait + SECONDS_PER_DAY), "recurrence") == rig.take()


def test_what_strikes_again_is_the_same_fault_with_marks_of_its_own() -> None:
    """Identity, kind and node stay; it is a recurrence, permanent, and logged or not anew."""
    logged = []
    for ordinal in range(400):
        rig = Rig()
        before = permanent(GPU, 3, ordinal)
        marks = before.marks
        rig.hazards.keep(before, 7)
        rig.start(0.0)
        again = rig.hazards.struck(rig.hazards.standing[0], rig.schedule)
        assert (before.identity, GPU, 3, Origin.RECURRENCE, 1, False) == (
            again.identity,
            again.kind,
            again.node,
            again.origin,
            again.recurrences,
            again.transient,
        )
        assert marks != again.marks
        assert [] == rig.hazards.standing
        logged.append(again.logged)

    assert 200 == pytest.approx(sum(logged), abs=33)  # half of 400; alpha = 0.001


def test_a_straggler_that_comes_back_does_not_hold_up_the_next() -> None:
    """The job runs on, so both strike in one run, each after its own training time."""
    rig = Rig()
    for node in (3, 4):
        rig.hazards.keep(permanent(SLOW, node), 0)
    waits = sorted(standing.left_seconds for standing in rig.hazards.standing)
    rig.start(0.0)

    assert [(pytest.approx(wait), "recurrence") for wait in waits] == [rig.take(), rig.take()]


def test_a_node_that_a_shrink_left_idle_keeps_its_fault_for_later() -> None:
    """It rests while the node waits, and runs on when the node is used again."""
    rig = Rig()
    rig.hazards.keep(permanent(GPU, 3), 0)
    wait = rig.hazards.standing[0].left_seconds
    rig.cluster.evict(5)
    rig.start(0.0)
    assert rig.schedule.next_at is None
    rig.stop(10 * wait)
    rig.cluster.evict(9)  # node 0 takes its place
    rig.cluster.evict(10)  # node 1
    rig.cluster.evict(11)  # node 2
    rig.cluster.evict(12)  # node 3
    rig.start(20 * wait)

    assert (pytest.approx(21 * wait), "recurrence") == rig.take()


def test_a_job_of_the_same_size_may_be_other_nodes() -> None:
    """Between two runs one replica comes back and the other goes: the fault went idle with its node."""
    rig = Rig()
    rig.hazards.keep(permanent(GPU, 3), 0)
    rig.cluster.evict(9)
    rig.start(0.0)
    assert rig.schedule.next_at is not None
    rig.stop(1.0)
    rig.cluster.return_repaired(9)
    rig.cluster.grow()
    rig.cluster.evict(5)
    rig.start(1000.0)

    assert 8 == rig.cluster.active_nodes
    assert rig.schedule.next_at is None


def test_a_fault_leaves_with_its_node() -> None:
    """Eviction ends the faults of that node and of no other."""
    rig = Rig()
    for node in (3, 4, 3):
        rig.hazards.keep(permanent(GPU, node), 0)
    rig.hazards.node_left(3)

    assert [4] == [standing.fault.node for standing in rig.hazards.standing]


def test_a_software_fault_comes_back_at_its_step() -> None:
    """Half a step into the step it crashed in: 95 steps, nine saves, half a step."""
    rig = Rig()
    rig.hazards.keep(permanent(BUG, JOB_WIDE), 95)
    rig.start(1000.0)
    at, name = rig.take()

    assert (1000.0 + 950.0 + 45.0 + 5.0, "recurrence") == (at, name)
    assert 95 == rig.training.position(at).whole_steps


# --- what is to be expected


def test_stopping_faults_of_nodes_and_job_are_to_be_expected() -> None:
    """16 nodes x (0.5 + 0.25) + 3 a day; slow faults stop nothing."""
    rig = Rig(kinds=(GPU, HANG, SLOW, BUG))
    rig.start(0.0)

    assert 7.5 == pytest.approx(rig.hazards.expected_so_far(SECONDS_PER_DAY / 2))
    assert 15.0 == pytest.approx(rig.stop(SECONDS_PER_DAY))


def test_a_smaller_job_is_to_expect_less() -> None:
    """Half the nodes, the same software."""
    rig = Rig(kinds=(GPU, HANG, SLOW, BUG))
    rig.cluster.evict(0)
    rig.start(0.0)

    assert 9.0 == pytest.approx(rig.stop(SECONDS_PER_DAY))


def test_false_alarms_and_recurrences_are_to_be_expected_too() -> None:
    """Stopping recurrences at one in ``recurrence_hours``; a fault of an idle node or a slow one is not."""
    rig = Rig(*NOISY)
    rig.cluster.evict(0)
    for kind, node in ((GPU, 9), (GPU, 10), (SLOW, 11), (GPU, 3)):
        rig.hazards.keep(permanent(kind, node), 0)
    rig.start(0.0)

    assert 10.0 * (alarm_rate(8) + 2.0 / RECURRENCE_SECONDS) == pytest.approx(rig.stop(10.0))


def test_what_left_with_its_node_is_not_to_be_expected() -> None:
    """Of two stopping faults that waited, one went to repair."""
    rig = Rig()
    for node in (3, 4):
        rig.hazards.keep(permanent(GPU, node), 0)
    rig.start(0.0)
    assert 20.0 / RECURRENCE_SECONDS == pytest.approx(rig.stop(10.0))
    rig.hazards.node_left(3)
    rig.start(20.0)

    assert 10.0 / RECURRENCE_SECONDS == pytest.approx(rig.stop(30.0))


def test_a_stopped_job_expects_nothing() -> None:
    """A second run counts from its own start."""
    rig = Rig(kinds=(GPU,))
    rig.start(0.0)
    first = rig.stop(1000.0)
    rig.start(501_000.0)

    assert first == pytest.approx(rig.stop(502_000.0))


def test_observed_and_expected_recurrences_agree() -> None:
    """A fault kept 4,000 times: strikes minus expected has mean 0 within 3.3 standard errors (alpha = 0.001).

    The job is stopped at random instants as well, which must cost the process nothing.
    """
    random = stream(5, "test")
    expected = 0.0
    strikes = 0
    at = 0.0
    rig = Rig()
    fault = permanent(GPU, 3)
    rig.hazards.keep(fault, 0)
    while strikes < 4000:
        rig.start(at)
        cut_at = at + 5000.0 * exponential(random.random())
        due_at = rig.schedule.next_at or 0.0
        if due_at <= cut_at:
            at, _ = rig.take()
            strikes += 1
            expected += rig.stop(at)
            rig.hazards.keep(replace(fault, identity=f"gpu/3/{strikes}"), 0)
        else:
            at = cut_at
            expected += rig.stop(at)

    assert abs(strikes - expected) < 3.3 * 4000**0.5


def test_drawn_faults_and_expected_faults_agree() -> None:
    """The source's faults over a time come to what the hazard says of that time; alpha = 0.001."""
    rig = Rig(kinds=(GPU, HANG, BUG))
    rig.start(0.0)
    expected = rig.stop(300 * SECONDS_PER_DAY)
    source = FaultSource(1, (GPU, HANG, BUG), 16)
    drawn = 0
    while (source.next_at or 0.0) <= 300 * SECONDS_PER_DAY:
        source.take()
        drawn += 1

    assert 4500.0 == pytest.approx(expected)
    assert expected == pytest.approx(drawn, abs=3.3 * expected**0.5)
