"""History depends on settings and seed only: the tests that matter most."""

import os
import subprocess
import sys
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from goodputd.detectors import DETECTORS
from goodputd.sim.events import FaultOccurred, NodeDrained, NodeEvicted
from goodputd.sim.simulation import Simulation
from goodputd.sim.specs.corruption import TriageSpec
from goodputd.sim.specs.faults import FaultKindSpec
from goodputd.sim.specs.fleet import PoolSpec
from goodputd.sim.taxonomy import Origin
from tests.world import DAY, World, history, parts

BUSY = (
    FaultKindSpec(
        name="gpu", component="gpu", per_node_day=0.15, transient_probability=0.6, event="XID 79",
        logged_probability=0.7,
    ),
    FaultKindSpec(name="link", component="switch", symptom="hang", per_node_day=0.05),
    FaultKindSpec(name="throttle", component="gpu", symptom="slow", per_node_day=0.05, slow_factor=1.4,
                  step_time_sigmas=7.0, transient_probability=0.5),
    FaultKindSpec(name="flip", component="memory", symptom="corrupt", per_node_day=0.02, gradient_sigmas=8.0),
    FaultKindSpec(name="bug", component="software", scope="job", per_job_day=0.5, transient_probability=0.8),
)  # fmt: skip
"""Every symptom, often: some hundred incidents in a month."""


FLEET: dict[str, Any] = {
    "faults__kinds": (
        *BUSY,
        FaultKindSpec(
            name="wear",
            component="gpu",
            per_node_day=0.05,
            transient_probability=0.5,
            event="XID 48",
            arrival="weibull",
            shape=2.0,
        ),
        FaultKindSpec(
            name="leaf",
            component="switch",
            symptom="hang",
            scope="rack",
            per_domain_day=0.05,
            transient_probability=0.7,
        ),
        FaultKindSpec(
            name="tired",
            component="nic",
            symptom="slow",
            per_node_day=0.05,
            slow_factor=1.2,
            step_time_sigmas=9.0,
            arrival="lognormal",
            shape=1.5,
        ),
    ),
    "cluster__spares": 6,
    "policy__name": "score",
    "score__penalty": 45.0,
    "score__credit_per_day": 10.0,
    "score__retire_at": -200.0,
    "capacity__warm_standbys": 1,
    "capacity__preemptible": 2,
    "capacity__host_selection": "longest_in_service",
    "capacity__host_selection_seconds": 180.0,
    "repair__stages": "automatic_then_manual",
    "repair__crews": 1,
    "repair__hot_reset_probability": 0.3,
    "diagnosis__found_probability": 0.9,
    "diagnosis__innocent_probability": 0.1,
    "maintenance__per_day": 0.7,
    "placement__communication_share": 0.3,
    "placement__rack_hop_factor": 1.5,
    "placement__switch_hop_factor": 2.0,
    "cooling__inlet_celsius": 30.0,
    "cooling__watts_per_rack": 20_000.0,
    "cooling__failures_per_rack_day": 0.02,
    "bursts__multiplier": 5.0,
    "bursts__quiet_hours": 100.0,
    "lemons__fraction": 0.2,
    "lemons__cure_probability": 0.5,
    "cluster__pool": (
        PoolSpec(name="old", nodes=10, fault_multiplier=1.5, step_time_factor=1.2),
        PoolSpec(name="new", nodes=12, corruption_multiplier=3.0),
    ),
}
"""Everything that can be done about nodes, at once."""


def busy(seed: int = 7, **overrides: Any) -> Simulation:  # noqa: ANN401 - see parts
    """A small job to which everything happens."""
    settings: dict[str, Any] = {
        "faults__kinds": BUSY,
        "heartbeat__jitter_seconds": 1.5,
        "recovery__spread": 0.3,
        "recovery__wrong_restore_probability": 0.1,
        "cluster__spares": 1,
        "job__rejoin": "checkpoint",
    }
    return Simulation(parts((), seed=seed, **(settings | overrides)))


EVERYTHING: dict[str, Any] = {
    "detection__layers": tuple(DETECTORS),
    "scan__period_days": 5.0,
    "probe__period_days": 2.0,
    "validation__every_steps": 15,
    "validation__coverage": 0.7,
    "corruption__per_gpu_hour": 1e-4,
    "corruption__nan_share": 0.1,
    "corruption__loss_jump_share": 0.2,
    "corruption__variance_share": 0.2,
    "corruption__hyper_factor": 4.0,
    "corruption__triage": TriageSpec(method="replay", name_probability=0.5),
    "checkpoint__interval_steps": 20,
    "checkpoint__write_seconds": 60.0,
    "checkpoint__unreadable_probability": 0.1,
    "checkpoint__last_gasp_probability": 0.2,
    "memory__interval_steps": 3,
    "local__interval_steps": 7,
}
"""Everything that can be done about checkpoints and corruption, at once."""
NOISE: dict[str, Any] = {
    "noise__step_sigma": 0.02,
    "noise__delays_per_node_step": 0.01,
    "noise__delay_seconds": 3.0,
    "job__on_shrink": "same_batch",
    "strikes__on_slow": "evict",
    "strikes__tolerate_below": 1.3,
}
"""Steps that take as long as their slowest rank."""
OPTIMAL: dict[str, Any] = {"checkpoint__interval_steps": None, "checkpoint__interval": "optimal"}
PLAYED: tuple[dict[str, Any], ...] = (
    {},
    FLEET,
    EVERYTHING,
    EVERYTHING | OPTIMAL | {"corruption__baked_discovery": "at_checkpoint"},
    FLEET | EVERYTHING,
    FLEET | EVERYTHING | {"job__target_steps": 100_000},
    NOISE,
    NOISE | FLEET | EVERYTHING | OPTIMAL,
)


def test_the_same_seed_gives_the_same_history() -> None:
    """Two runs of the same settings are equal, fact by fact."""
    assert history(busy().advance_to(60 * DAY)) == history(busy().advance_to(60 * DAY))


def test_another_seed_gives_another_history() -> None:
    """The seed matters, so the test above can fail."""
    assert history(busy(seed=7).advance_to(60 * DAY)) != history(busy(seed=8).advance_to(60 * DAY))


@pytest.mark.parametrize("played", PLAYED)
@pytest.mark.parametrize("cut_seed", range(3))
def test_five_hundred_random_cuts_do_not_change_history(cut_seed: int, played: dict[str, Any]) -> None:
    """Pacing is no input: cut anywhere, also twice at one instant and exactly on events."""
    whole = busy(**played)
    facts = whole.advance_to(60 * DAY)
    random = Random(cut_seed)  # noqa: S311 - a test
    cuts = [random.uniform(0.0, 60 * DAY) for _ in range(400)] + [random.choice(facts).at for _ in range(100)]
    pieces = busy(**played)
    collected = []
    for cut in sorted(cuts):
        collected += pieces.advance_to(cut)
    collected += pieces.advance_to(60 * DAY)

    assert history(facts) == history(collected)
    assert whole.snapshot() == pieces.snapshot()


@pytest.mark.parametrize("played", PLAYED)
def test_looking_changes_nothing(played: dict[str, Any]) -> None:
    """A snapshot at every event and in between leaves history and totals as they are."""
    unseen, seen = busy(**played), busy(**played)
    facts = unseen.advance_to(20 * DAY)
    collected = []
    at = 0.0
    while at < 20 * DAY:
        due = seen.next_event_at()
        at = min(20 * DAY, due if due is not None else 20 * DAY)
        collected += seen.advance_to(at)
        seen.snapshot()
        assert seen.snapshot() == seen.snapshot()

    assert history(facts) == history(collected)
    assert unseen.snapshot() == seen.snapshot()


def test_history_does_not_depend_on_the_hash_seed() -> None:
    """Two processes with different PYTHONHASHSEED play the same."""
    script = (
        "import hashlib; from tests.sim.test_history import FLEET, busy; from tests.world import history;"
        "facts = [history(busy(**each).advance_to(60 * 86400.0)) for each in ({}, FLEET)];"
        "print(hashlib.sha256(repr(facts).encode()).hexdigest())"
    )
    digests = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        digests.add(run.stdout.strip())

    assert len(digests) == 1


def primaries(simulation: Simulation) -> list[tuple[float, str]]:
    """(instant, identity) of the primary faults of a month."""
    facts = simulation.advance_to(30 * DAY)
    return [(f.at, f.fault) for f in facts if isinstance(f, FaultOccurred) and f.origin is Origin.PRIMARY]


@pytest.mark.parametrize(
    "change",
    [
        {"detection__layers": ("watchdog",)},
        {"heartbeat__timeout_seconds": 12.0},
        {"strikes__strikes_to_evict": 0},
        {"checkpoint__interval_steps": 500},
        {"recovery__decide_seconds": 600.0},
        {"policy__name": "always_evict"},
        {"repair__stages": "automatic_then_manual", "repair__crews": 1},
        {"capacity__warm_standbys": 2, "capacity__host_selection": "fewest_failures"},
        {"diagnosis__innocent_probability": 0.5},
        EVERYTHING | {"corruption__per_gpu_hour": 0.0},
        OPTIMAL,
        {"maintenance__per_day": 0.3},
    ],
)
def test_a_change_of_policy_or_detector_does_not_move_the_faults(change: dict[str, Any]) -> None:
    """On every node that neither world evicted, the same faults strike at the same instants."""
    seen = []
    evicted: set[int | None] = set(range(16, 76))
    for overrides in ({}, change):
        facts = busy(cluster__spares=60, **overrides).advance_to(30 * DAY)
        evicted |= {fact.node for fact in facts if isinstance(fact, NodeEvicted | NodeDrained)}
        seen.append([f for f in facts if isinstance(f, FaultOccurred) and f.origin is Origin.PRIMARY])
    before, after = ([(f.at, f.fault, f.transient) for f in facts if f.node not in evicted] for facts in seen)

    assert len(before) > 5
    assert before == after


def test_a_larger_cluster_meets_the_faults_of_a_smaller_one_plus_its_own() -> None:
    """Candidates are drawn per doubling block of node numbers (rule 14)."""
    quiet = tuple(replace(kind, per_node_day=0.002) for kind in BUSY[:2])
    common: dict[str, Any] = {
        "faults__kinds": quiet, "cluster__spares": 0, "strikes__strikes_to_evict": 0,
        "heartbeat__jitter_seconds": 0.0, "detection__layers": ("heartbeat", "hardware"),
    }  # fmt: skip
    small = primaries(busy(cluster__nodes=1024, **common))
    large = primaries(busy(cluster__nodes=1600, **common))

    assert len(small) > 50
    assert set(small) < set(large)
    assert len(large) / len(small) == pytest.approx(1600 / 1024, rel=0.25)


def test_now_is_where_one_advanced_to() -> None:
    """advance_to is inclusive, and past the last event it changes only ``now``."""
    world = World()
    world.until(123.25)

    assert world.simulation.now == 123.25
    with pytest.raises(ValueError, match="cannot go back"):
        world.simulation.advance_to(123.0)
