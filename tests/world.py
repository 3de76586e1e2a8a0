"""A small simulation to drive by hand, so that a test reads like a script.

``World`` takes the settings that matter to a test as keywords, ``table__key=value``; everything
else is as shipped. Node faults are scripted or come from ``kinds``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from goodputd import detectors, policies
from goodputd.detectors.gradient import GradientSpec
from goodputd.detectors.hardware import HardwareSpec
from goodputd.detectors.heartbeat import HeartbeatSpec
from goodputd.detectors.probe import ProbeSpec
from goodputd.detectors.scan import ScanSpec
from goodputd.detectors.sentinel import SentinelSpec
from goodputd.detectors.watchdog import WatchdogSpec
from goodputd.policies.score import ScoreSpec
from goodputd.policies.strikes import StrikesSpec
from goodputd.policies.window import WindowSpec
from goodputd.sim.events import Fact
from goodputd.sim.kinds import scenario_kinds
from goodputd.sim.parts import Parts
from goodputd.sim.simulation import Simulation
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.specs.checkpoint import CheckpointSpec, LocalTierSpec, MemoryTierSpec
from goodputd.sim.specs.cluster import CapacitySpec, ClusterSpec, MaintenanceSpec, RepairSpec
from goodputd.sim.specs.corruption import CorruptionSpec
from goodputd.sim.specs.detection import DiagnosisSpec, ShadowSpec, ValidationSpec
from goodputd.sim.specs.faults import BurstsSpec, CatalogSpec, FaultKindSpec, FaultsSpec, ScriptedFaultSpec
from goodputd.sim.specs.fleet import CoolingSpec, LemonsSpec, PlacementSpec, TopologySpec
from goodputd.sim.specs.job import JobSpec, LossSpec, NoiseSpec
from goodputd.sim.specs.recovery import RecoverySpec
from goodputd.sim.taxonomy import Bucket

FactT = TypeVar("FactT")
DAY = 86400.0

CRASH = FaultKindSpec(name="crash", component="gpu", per_node_day=0.0, event="XID 79")
SILENT_CRASH = FaultKindSpec(name="silent_crash", component="host", per_node_day=0.0)
HANG = FaultKindSpec(name="hang", component="switch", symptom="hang", per_node_day=0.0)
SLOW = FaultKindSpec(
    name="slow", component="gpu", symptom="slow", per_node_day=0.0, slow_factor=1.5, step_time_sigmas=20.0
)
BLIND_SLOW = FaultKindSpec(
    name="blind_slow", component="nic", symptom="slow", per_node_day=0.0, slow_factor=1.25
)
CORRUPT = FaultKindSpec(
    name="corrupt", component="gpu", symptom="corrupt", per_node_day=0.0, gradient_sigmas=30.0
)
SILENT = FaultKindSpec(name="silent", component="gpu", symptom="corrupt", per_node_day=0.0)
BENIGN = FaultKindSpec(name="benign", component="memory", symptom="benign", per_node_day=0.0, event="XID 92")
SOFTWARE = FaultKindSpec(name="bug", component="software", scope="job", per_job_day=0.0)
KINDS = (CRASH, SILENT_CRASH, HANG, SLOW, BLIND_SLOW, CORRUPT, SILENT, BENIGN, SOFTWARE)
"""One kind of each symptom, none of which strikes unless it is scripted."""

TABLES: dict[str, Any] = {
    "cluster": ClusterSpec(nodes=16, gpus_per_node=8, spares=2),
    "job": JobSpec(step_seconds=10.0, gpus_per_replica=64),
    "noise": NoiseSpec(),
    "loss": LossSpec(),
    "faults": FaultsSpec(kinds=KINDS),
    "detection": detectors.DetectionSpec(),
    "heartbeat": HeartbeatSpec(jitter_seconds=0.0),
    "hardware": HardwareSpec(),
    "watchdog": WatchdogSpec(),
    "gradient": GradientSpec(),
    "validation": ValidationSpec(every_steps=10, seconds=3.0),
    "shadow": ShadowSpec(),
    "sentinel": SentinelSpec(),
    "probe": ProbeSpec(),
    "scan": ScanSpec(),
    "corruption": CorruptionSpec(),
    "memory": MemoryTierSpec(),
    "local": LocalTierSpec(),
    "diagnosis": DiagnosisSpec(),
    "policy": policies.PolicySpec(),
    "strikes": StrikesSpec(),
    "window": WindowSpec(),
    "score": ScoreSpec(),
    "lemons": LemonsSpec(),
    "bursts": BurstsSpec(),
    "topology": TopologySpec(),
    "placement": PlacementSpec(),
    "cooling": CoolingSpec(),
    "maintenance": MaintenanceSpec(),
    "capacity": CapacitySpec(),
    "repair": RepairSpec(),
    "recovery": RecoverySpec(spread=0.0, wrong_restore_probability=0.0),
    "checkpoint": CheckpointSpec(
        interval_steps=10, save_seconds=5.0, size_bytes=1e9, total_bandwidth_bytes_per_second=1e7
    ),
}
"""Sixteen nodes in two replicas, steps of 10 s, a save of 5 s every 10 steps, a restore of 100 s."""


def strike(at_seconds: float, kind: str, node: int | None = 0, **rest: bool) -> ScriptedFaultSpec:
    """A scripted fault."""
    return ScriptedFaultSpec(at_seconds=at_seconds, kind=kind, node=node, **rest)


def parts(
    script: Sequence[ScriptedFaultSpec] = (),
    *,
    seed: int = 1,
    name: str = "world",
    catalog: CatalogSpec | None = None,
    until_step: int | None = None,
    **overrides: Any,  # noqa: ANN401 - a field of any table
) -> Parts:
    """What ``World`` is made of; ``overrides`` are ``table__key=value``."""
    tables = dict(TABLES)
    for key, value in overrides.items():
        table, _, field = key.partition("__")
        tables[table] = replace(tables[table], **{field: value})
    tables["checkpoint"] = replace(
        tables["checkpoint"], **{name: tables[name] for name in ("memory", "local")}
    )
    faults = replace(tables["faults"], script=tuple(script))
    faults = replace(faults, lemons=tables["lemons"], bursts=tables["bursts"])
    cluster = replace(
        tables["cluster"],
        **{n: tables[n] for n in ("capacity", "repair", "maintenance", "topology", "placement", "cooling")},
    )
    layers = detectors.DETECTORS
    detection = replace(tables["detection"], **{name: tables[name] for name in layers})
    job = replace(tables["job"], noise=tables["noise"])
    kinds = scenario_kinds(faults, catalog, cluster=cluster, corruption=tables["corruption"], noise=job.noise)
    return Parts(
        name=name,
        seed=seed,
        cluster=cluster,
        job=job,
        loss=tables["loss"],
        faults=faults,
        kinds=kinds,
        detectors=detectors.build(detection),
        operator_seconds=detection.operator_seconds,
        diagnosis=tables["diagnosis"],
        policy=policies.build(
            replace(tables["policy"], **{n: tables[n] for n in ("strikes", "window", "score")})
        ),
        recovery=tables["recovery"],
        checkpoint=tables["checkpoint"],
        corruption=tables["corruption"],
        validation=detectors.validation_of(detection),
        shadow=detectors.shadow_of(detection),
        until_step=until_step,
    )


class World:
    """A simulation, its history, and short ways to ask about both."""

    def __init__(self, *script: ScriptedFaultSpec, **overrides: Any) -> None:  # noqa: ANN401 - see parts
        """See ``parts``."""
        self.simulation = Simulation(parts(script, **overrides))
        self.facts: list[Fact] = []

    def until(self, at: float) -> "World":
        """Play to ``at`` seconds, inclusive."""
        self.facts += self.simulation.advance_to(at)
        return self

    def of(self, fact_type: type[FactT]) -> list[FactT]:
        """The facts of one type, in order."""
        return [fact for fact in self.facts if isinstance(fact, fact_type)]

    @property
    def snapshot(self) -> Snapshot:
        """The scenario as of now."""
        return self.simulation.snapshot()

    @property
    def surprise(self) -> float:
        """Interruptions beyond those expected, in Poisson standard deviations; 0 in the mean of seeds."""
        snapshot = self.snapshot
        expected = snapshot.expected_interruptions
        return float((snapshot.total_interruptions - expected) / expected**0.5)

    def spent(self, bucket: Bucket) -> float:
        """Seconds in one bucket."""
        return self.snapshot.seconds[bucket]

    @property
    def story(self) -> list[tuple[float, str]]:
        """(instant, name of fact) of the whole history."""
        return [(fact.at, type(fact).__name__) for fact in self.facts]


def history(facts: Iterable[Fact]) -> list[tuple[Any, ...]]:
    """Facts as plain tuples, for exact comparison."""
    return [(type(fact).__name__, *(getattr(fact, f.name) for f in fields(fact))) for fact in facts]


def ledger_error(snapshot: Snapshot) -> float:
    """By how many seconds buckets and provisional miss elapsed."""
    return abs(sum(snapshot.seconds.values()) + snapshot.provisional_seconds - snapshot.now)


def gpu_ledger_error(snapshot: Snapshot) -> float:
    """The same in GPU-seconds, per GPU."""
    total = sum(snapshot.gpu_seconds.values()) + snapshot.provisional_gpu_seconds
    return abs(total - snapshot.nominal_gpus * snapshot.now) / snapshot.nominal_gpus
