"""What holds whatever the settings: found by hypothesis over random valid ones."""

from collections import Counter
from itertools import pairwise
from math import fsum, sqrt
from typing import Any, Literal, get_args

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from goodputd import policies
from goodputd.detectors import DETECTORS
from goodputd.sim.events import CorruptionBaked, FaultOccurred, TrainingResumed, WorkVoided
from goodputd.sim.simulation import Simulation
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.specs.cluster import HostSelection
from goodputd.sim.specs.corruption import TriageSpec
from goodputd.sim.specs.faults import Arrival, FaultKindSpec
from goodputd.sim.specs.fleet import PoolSpec
from goodputd.sim.taxonomy import Component, CorruptionOutcome, JobState, NodeState, Origin, Symptom
from tests.world import DAY, gpu_ledger_error, ledger_error, parts

LAYERS = tuple(DETECTORS)


Scope = Literal["node", "rack", "switch", "job"]
SCOPES: tuple[Scope, ...] = ("node", "node", "node", "rack", "switch")
ARRIVALS: tuple[Arrival, ...] = ("exponential", "exponential", "weibull", "lognormal")


@st.composite
def kinds(draw: st.DrawFn) -> tuple[FaultKindSpec, ...]:
    """One to four kinds, from rare to several a day."""
    found = []
    for index in range(draw(st.integers(1, 4))):
        symptom = draw(st.sampled_from(["crash", "hang", "slow", "corrupt", "benign"]))
        job_wide = draw(st.booleans()) and symptom in {"crash", "hang"}
        scope: Scope = "job" if job_wide else draw(st.sampled_from(SCOPES))
        rate = draw(st.floats(0.001, 0.2))
        found.append(
            FaultKindSpec(
                name=f"kind{index}",
                component="software"
                if job_wide
                else draw(st.sampled_from(["gpu", "host", "switch", "memory"])),
                symptom=symptom,  # type: ignore[arg-type]
                scope=scope,
                per_job_day=8 * rate if job_wide else None,
                per_node_day=rate if scope == "node" else None,
                per_domain_day=rate if scope in {"rack", "switch"} else None,
                transient_probability=draw(st.floats(0, 1)),
                event=draw(st.sampled_from([None, "XID 79"])),
                logged_probability=draw(st.floats(0, 1)),
                event_delay_seconds=draw(st.floats(0, 100)),
                slow_factor=draw(st.floats(1, 3)) if symptom == "slow" else 1.0,
                step_time_sigmas=draw(st.floats(0, 20)) if symptom == "slow" else 0.0,
                gradient_sigmas=draw(st.floats(0, 20)) if symptom == "corrupt" else 0.0,
                loss_jump=draw(st.sampled_from([0.0, 0.05, 1.0])) if symptom == "corrupt" else 0.0,
                makes_nan=draw(st.booleans()) if symptom == "corrupt" else False,
                arrival="exponential" if scope != "node" else draw(st.sampled_from(ARRIVALS)),
                shape=draw(st.floats(0.4, 3)),
            )
        )
    return tuple(found)


@st.composite
def pools(draw: st.DrawFn, nodes: int) -> tuple[PoolSpec, ...]:
    """One to three makes of hardware that have all the nodes."""
    cuts = sorted(draw(st.sets(st.integers(1, max(1, nodes - 1)), max_size=2)) - {nodes})
    sizes = [second - first for first, second in pairwise([0, *cuts, nodes])]
    return tuple(
        PoolSpec(
            name=f"pool{index}",
            nodes=size,
            fault_multiplier=draw(st.floats(0, 3)),
            corruption_multiplier=draw(st.floats(0, 3)),
            step_time_factor=draw(st.floats(0.5, 2)),
        )
        for index, size in enumerate(sizes)
    )


@st.composite
def fleet_operations(draw: st.DrawFn, spares: int) -> dict[str, Any]:
    """Every way to choose, place, diagnose, repair and retire nodes, switched on at random."""
    return {
        "policy__name": draw(st.sampled_from(get_args(policies.PolicyName))),
        "window__failures": draw(st.integers(1, 3)),
        "score__penalty": draw(st.floats(10, 100)),
        "score__credit_per_day": draw(st.floats(0, 50)),
        "score__retire_at": draw(st.sampled_from([None, 0.0, 20.0])),
        "capacity__warm_standbys": draw(st.sampled_from([None, 0, 1, 3])),
        "capacity__host_selection": draw(st.sampled_from(get_args(HostSelection))),
        "capacity__host_selection_seconds": draw(st.floats(0, 600)),
        "capacity__preemptible": draw(st.integers(0, spares)),
        "capacity__preemption_seconds": draw(st.floats(0, 7200)),
        "topology__nodes_per_rack": draw(st.integers(1, 8)),
        "topology__racks_per_switch": draw(st.integers(1, 3)),
        "placement__layout": draw(st.sampled_from(["packed", "spread"])),
        "placement__communication_share": draw(st.sampled_from([0.0, 0.3, 1.0])),
        "placement__rack_hop_factor": draw(st.floats(1, 4)),
        "placement__switch_hop_factor": draw(st.floats(1, 4)),
        "cooling__inlet_celsius": draw(st.floats(0, 50)),
        "cooling__watts_per_rack": draw(st.one_of(st.none(), st.floats(1e3, 1e5))),
        "cooling__failures_per_rack_day": draw(st.sampled_from([0.0, 0.01, 0.2])),
        "cooling__shutdown_share": draw(st.floats(0, 1)),
        "cooling__throttle_factor": draw(st.floats(1, 3)),
        "cooling__transient_probability": draw(st.floats(0, 1)),
        "maintenance__per_day": draw(st.sampled_from([0.0, 0.5, 5.0])),
        "maintenance__hours": draw(st.floats(0.1, 30)),
        "bursts__multiplier": draw(st.sampled_from([1.0, 3.0, 20.0])),
        "bursts__quiet_hours": draw(st.floats(1, 100)),
        "bursts__burst_hours": draw(st.floats(1, 20)),
        "lemons__fraction": draw(st.sampled_from([0.0, 0.2, 1.0])),
        "lemons__multiplier": draw(st.floats(1, 20)),
        "lemons__cure_probability": draw(st.floats(0, 1)),
        "repair__stages": draw(st.sampled_from(["one", "automatic_then_manual"])),
        "repair__automatic_hours": draw(st.floats(0.1, 5)),
        "repair__automatic_distribution": draw(st.sampled_from(["fixed", "exponential"])),
        "repair__escalation_probability": draw(st.floats(0, 1)),
        "repair__automatic_failure_probability": draw(st.floats(0, 1)),
        "repair__manual_hours": draw(st.floats(0.1, 50)),
        "repair__manual_distribution": draw(st.sampled_from(["fixed", "exponential"])),
        "repair__manual_failure_probability": draw(st.floats(0, 1)),
        "repair__crews": draw(st.integers(0, 2)),
        "repair__retire_after_evictions": draw(st.integers(0, 3)),
        "repair__hot_reset_probability": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "diagnosis__found_probability": draw(st.sampled_from([1.0, 0.7])),
        "diagnosis__innocent_probability": draw(st.sampled_from([0.0, 0.3])),
    }


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Any]:
    """Random valid settings of a small job."""
    per_replica = draw(st.sampled_from([1, 2, 4]))
    heartbeat_interval = draw(st.floats(1, 30))
    spares = draw(st.integers(0, 4))
    operations: dict[str, Any] = draw(
        st.one_of(st.just({}), fleet_operations(spares), fleet_operations(spares))
    )
    nodes = draw(st.integers(per_replica, 20))
    return operations | {
        "seed": draw(st.integers(0, 2**32)),
        "cluster__nodes": nodes,
        "cluster__pool": draw(st.one_of(st.just(()), pools(nodes + spares))),
        "cluster__spares": spares,
        "cluster__repair_hours": draw(st.floats(0.1, 100)),
        "cluster__repair_distribution": draw(st.sampled_from(["fixed", "exponential"])),
        "job__gpus_per_replica": 8 * per_replica,
        "job__step_seconds": draw(st.floats(0.5, 60)),
        "job__target_steps": draw(st.one_of(st.none(), st.none(), st.integers(1, 300_000))),
        "job__on_shrink": draw(st.sampled_from(["smaller_batch", "same_batch"])),
        "job__rejoin": draw(st.sampled_from(["next_restart", "checkpoint"])),
        "noise__step_sigma": draw(st.one_of(st.just(0.0), st.floats(0, 0.5))),
        "noise__delays_per_node_step": draw(st.one_of(st.just(0.0), st.floats(0, 3))),
        "noise__delay_seconds": draw(st.floats(0.01, 100)),
        "faults__kinds": draw(kinds()),
        "faults__recurrence_hours": draw(st.floats(0.05, 10)),
        "faults__during_recovery": draw(st.booleans()),
        "detection__layers": tuple(draw(st.sets(st.sampled_from(LAYERS)).map(sorted))),
        "detection__operator_seconds": draw(st.floats(60, 7200)),
        "heartbeat__interval_seconds": heartbeat_interval,
        "heartbeat__timeout_seconds": heartbeat_interval * draw(st.floats(1.5, 5)),
        "heartbeat__jitter_seconds": draw(st.floats(0, 2)),
        "heartbeat__step_beats": draw(st.booleans()),
        "hardware__mode": draw(st.sampled_from(["event", "poll"])),
        "watchdog__timeout_seconds": draw(st.floats(60, 3600)),
        "gradient__every_steps": draw(st.integers(1, 100)),
        "gradient__z_threshold": draw(st.floats(4, 8)),
        "validation__every_steps": draw(st.integers(1, 500)),
        "validation__seconds": draw(st.floats(0, 60)),
        "shadow__share": draw(st.floats(0, 1)),
        "shadow__seconds_per_step": draw(st.floats(0, 1)),
        "sentinel__delay_seconds": draw(st.floats(0, 600)),
        "probe__period_days": draw(st.floats(0.1, 10)),
        "scan__period_days": draw(st.floats(0.1, 60)),
        "validation__coverage": draw(st.sampled_from([0.0, 0.5, 1.0])),
        "corruption__per_gpu_hour": draw(st.one_of(st.just(0.0), st.floats(0, 0.001))),
        "corruption__transient_probability": draw(st.floats(0, 1)),
        "corruption__nan_share": draw(st.floats(0, 0.3)),
        "corruption__loss_jump_share": draw(st.floats(0, 0.3)),
        "corruption__variance_share": draw(st.floats(0, 0.3)),
        "corruption__hyper_factor": draw(st.sampled_from([1.0, 2.5, 10.0])),
        "corruption__hyper_hours": draw(st.floats(0.1, 48)),
        "corruption__triage": TriageSpec(
            method=draw(st.sampled_from(["none", "reductive", "replay"])),
            overhead_seconds=draw(st.floats(0, 600)),
            name_probability=draw(st.floats(0, 1)),
        ),
        "corruption__baked_discovery": draw(st.sampled_from(["at_checkpoint", "later"])),
        "strikes__strikes_to_evict": draw(st.integers(0, 3)),
        "strikes__window_days": draw(st.floats(0.1, 60)),
        "strikes__on_slow": draw(st.sampled_from(["restart", "tolerate", "evict"])),
        "strikes__tolerate_below": draw(st.sampled_from([1.0, 1.5])),
        "recovery__spread": draw(st.floats(0, 1)),
        "recovery__decide_seconds": draw(st.floats(0, 600)),
        "recovery__wrong_restore_probability": draw(st.floats(0, 0.5)),
        **draw(
            st.one_of(
                st.fixed_dictionaries({"checkpoint__interval_steps": st.integers(1, 2000)}),
                st.just({"checkpoint__interval_steps": None, "checkpoint__interval": "optimal"}),
            )
        ),
        "checkpoint__save_seconds": draw(st.floats(0, 300)),
        "checkpoint__write_seconds": draw(st.one_of(st.just(0.0), st.floats(0, 1000))),
        "checkpoint__keep": draw(st.integers(1, 6)),
        "checkpoint__unreadable_probability": draw(st.sampled_from([0.0, 0.0, 0.3])),
        "checkpoint__last_gasp_probability": draw(st.sampled_from([0.0, 0.0, 0.5])),
        "memory__interval_steps": draw(st.one_of(st.just(0), st.integers(1, 50))),
        "memory__save_seconds": draw(st.floats(0, 5)),
        "memory__write_seconds": draw(st.floats(0, 60)),
        "local__interval_steps": draw(st.one_of(st.just(0), st.integers(1, 500))),
        "local__save_seconds": draw(st.floats(0, 30)),
    }


def counters(snapshot: Snapshot) -> dict[Any, float]:
    """Every number that may never fall."""
    found: dict[Any, float] = {
        "retracted": snapshot.retracted_seconds,
        "expected": snapshot.expected_interruptions,
        "steps": snapshot.steps,
        "lost": snapshot.lost_steps,
        "retracted_steps": snapshot.retracted_steps,
        "recovered": sum(snapshot.recovery_seconds.counts),
        "hardware_events": snapshot.hardware_events,
        "corruptions_injected": snapshot.corruptions.injected,
    }
    fleet = snapshot.fleet
    found |= {
        "retired": snapshot.nodes[NodeState.RETIRED],
        "host_selections": fleet.host_selections,
        "displaced": fleet.displaced_nodes,
        "preemptions": fleet.preemptions,
        "lemon_faults": fleet.lemon_faults,
        "drained": fleet.drained_nodes,
    }
    tables: dict[str, dict[Any, Any]] = {
        "repairs": fleet.repairs,
        "hot_resets": dict(fleet.hot_resets),
        "misdiagnoses": dict(fleet.misdiagnoses),
        "seconds": dict(snapshot.seconds),
        "gpu_seconds": dict(snapshot.gpu_seconds),
        "interruptions": snapshot.interruptions,
        "faults": snapshot.faults,
        "misses": dict(snapshot.detection_misses),
        "false_alarms": dict(snapshot.false_alarms),
        "decisions": snapshot.decisions,
        "recoveries": snapshot.recoveries,
        "verifications": dict(snapshot.verifications),
        "checkpoints": snapshot.checkpoints,
        "corruptions": dict(snapshot.corruptions.outcomes),
        "restores": dict(snapshot.restores),
        "stages": {name: total.seconds for name, total in snapshot.stage_seconds.items()},
    }
    for name, table in tables.items():
        found |= {(name, key): value for key, value in table.items()}
    return found


PROFILE = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    # a world does not shrink in useful time; the example as found says enough
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target],
)


@PROFILE
@given(worlds(), st.lists(st.floats(0, 12 * DAY), min_size=5, max_size=25))
def test_buckets_sum_counters_never_fall_and_nodes_are_conserved(
    world: dict[str, Any], looks: list[float]
) -> None:
    """At any instant: buckets + provisional = elapsed, in seconds and GPU-seconds; nodes add up."""
    simulation = Simulation(parts((), **world))
    total_nodes = world["cluster__nodes"] + world["cluster__spares"]
    before: dict[Any, float] = {}
    events = 0
    for at in sorted(looks):
        events += len(simulation.advance_to(at))
        snapshot = simulation.snapshot()
        allowed = max(1e-6, 1e-12 * at * sqrt(max(events, 1)))
        assert ledger_error(snapshot) <= allowed
        assert gpu_ledger_error(snapshot) <= allowed
        now = counters(snapshot)
        fallen = {key: (before[key], now[key]) for key in before if now[key] < before[key] - 1e-6}
        assert fallen == {}
        before = now
        assert sum(snapshot.nodes.values()) == total_nodes
        assert min(snapshot.nodes.values()) >= 0
        assert sum(snapshot.fleet.spares.values()) == snapshot.nodes[NodeState.SPARE]
        assert min(snapshot.seconds.values()) >= 0.0
        assert snapshot.provisional_seconds >= -1e-9


@PROFILE
@given(worlds())
def test_no_training_on_a_failed_node_and_steps_add_up(world: dict[str, Any]) -> None:
    """After every event: a running job has no failed node, and step = steps - lost - retracted."""
    simulation = Simulation(parts((), **world))
    limit = 400
    while limit and (due := simulation.next_event_at()) is not None and due < 12 * DAY:
        simulation.advance_to(due)
        snapshot = simulation.snapshot()
        limit -= 1
        if snapshot.job_state is JobState.COMPLETED:
            assert snapshot.step == snapshot.steps - snapshot.lost_steps - snapshot.retracted_steps
        if snapshot.job_state is JobState.RUNNING:
            assert snapshot.nodes[NodeState.FAILED] == 0
            assert snapshot.step == snapshot.steps - snapshot.lost_steps - snapshot.retracted_steps
            per_replica = world["job__gpus_per_replica"] // 8
            assert snapshot.nodes[NodeState.ACTIVE] % per_replica == 0
            assert snapshot.nodes[NodeState.ACTIVE] >= per_replica


@PROFILE
@given(worlds())
def test_what_the_snapshot_counts_is_what_the_history_tells(world: dict[str, Any]) -> None:
    """Faults, closed incidents and lost steps are the same numbers in facts and counters."""
    simulation = Simulation(parts((), **world))
    facts = simulation.advance_to(12 * DAY)
    snapshot = simulation.snapshot()
    resumed = [fact for fact in facts if isinstance(fact, TrainingResumed)]
    went_back = [fact for fact in facts if isinstance(fact, TrainingResumed | WorkVoided)]
    faults = Counter((f.kind, f.component, f.origin) for f in facts if isinstance(f, FaultOccurred))

    assert {key: n for key, n in snapshot.faults.items() if n} == dict(faults)
    corruptions = snapshot.corruptions
    assert corruptions.outcomes[CorruptionOutcome.BAKED] == sum(isinstance(f, CorruptionBaked) for f in facts)
    assert (
        sum(corruptions.outcomes.values())
        <= corruptions.injected
        <= sum(isinstance(f, FaultOccurred) and f.symptom is Symptom.CORRUPT for f in facts)
    )
    assert snapshot.lost_steps == sum(fact.lost_steps for fact in went_back)
    assert snapshot.retracted_steps == sum(fact.retracted_steps for fact in went_back)
    assert sum(snapshot.recovery_seconds.counts) == sum(
        1 for f in resumed if f.component is not Component.PLANNED
    )
    assert snapshot.recovery_seconds.sum == pytest.approx(fsum(fact.stopped_seconds for fact in resumed))
    if not world["faults__during_recovery"]:
        assert all(
            f.origin in {Origin.PRIMARY, Origin.RECURRENCE} for f in facts if isinstance(f, FaultOccurred)
        )
