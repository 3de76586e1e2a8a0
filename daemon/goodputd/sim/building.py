"""A scenario at second 0: the state and the parts that own it, built from specs.

Knows how the parts are put together and nothing of what happens to them.
"""

from goodputd.sim.aging import Aging
from goodputd.sim.bursts import BurstTime
from goodputd.sim.cluster import Cluster
from goodputd.sim.diagnosis import Diagnosis
from goodputd.sim.expectation import interrupting_shares
from goodputd.sim.fleet import Fleet
from goodputd.sim.hazards import Hazards
from goodputd.sim.job import Job
from goodputd.sim.layout import divide, has_pacings
from goodputd.sim.ledger import Ledger
from goodputd.sim.maintenance import Maintenance
from goodputd.sim.noise import noise_of
from goodputd.sim.parts import Parts
from goodputd.sim.repair import RepairShop
from goodputd.sim.schedule import Schedule
from goodputd.sim.specs.detection import DiagnosisSpec
from goodputd.sim.specs.fields import SECONDS_PER_HOUR
from goodputd.sim.state import State
from goodputd.sim.tally import Outcomes, new_tally
from goodputd.sim.training import Training


def new_state(parts: Parts) -> State:
    """The job is initialised, and nothing is scheduled."""
    spec = parts.cluster
    cluster = Cluster(
        spec, parts.job.gpus_per_replica, seed=parts.seed, outlasts_repair=parts.policy.outlasts_repair
    )
    aged = tuple(kind for kind in parts.kinds if kind.ages and kind.rate_per_second > 0.0)
    domains = {kind.domain_nodes for kind in parts.kinds if kind.domain_nodes > 1}
    if parts.faults.lemons.fraction > 0.0 or spec.pool or aged or domains or has_pacings(spec):
        cluster.fleet = Fleet(
            parts.faults.lemons,
            spec.pool,
            nodes=cluster.total_nodes,
            job_nodes=cluster.active_nodes,
            seed=parts.seed,
        )
        divide(cluster.fleet, spec, domains, cluster.active_nodes)
    ledger = Ledger(cluster.nominal_gpus, cluster.active_gpus)
    training = Training(
        parts.job,
        parts.checkpoint,
        ledger,
        cluster.active_replicas,
        parts.validation,
        shadow=parts.shadow,
        noise=noise_of(
            parts.job.noise, gpus_per_replica=parts.job.gpus_per_replica, gpus_per_node=spec.gpus_per_node
        ),
        hyper_factor=parts.corruption.hyper_factor,
    )
    if cluster.fleet is not None:
        training.set_pace(cluster.fleet.pace)
    recurrence_seconds = parts.faults.recurrence_hours * SECONDS_PER_HOUR
    blames_truly = parts.diagnosis == DiagnosisSpec()
    shares = interrupting_shares(parts)
    hazards = Hazards(parts.seed, parts.kinds, parts.detectors, recurrence_seconds, shares)
    if aged and cluster.fleet is not None:
        cluster.fleet.ages = True
        hazards.aging = Aging(parts.seed, aged, cluster.fleet, cluster.active_nodes, shares)
    if parts.faults.bursts.multiplier > 1.0:
        hazards.expect_bursts(parts.faults.bursts, BurstTime(parts.faults.bursts, parts.seed))
    hazards.is_special = cluster.fleet is not None or hazards.bursts is not None
    return State(
        seed=parts.seed,
        schedule=Schedule(),
        cluster=cluster,
        job=Job(),
        ledger=ledger,
        training=training,
        hazards=hazards,
        tally=new_tally(parts.kinds, parts.detectors),
        outcomes=Outcomes(),
        shop=RepairShop(spec.repair, spec.repair_hours, spec.repair_distribution, parts.seed),
        maintenance=Maintenance(spec.maintenance, parts.seed) if spec.maintenance.per_day > 0.0 else None,
        diagnosis=None if blames_truly else Diagnosis(parts.diagnosis, cluster, parts.seed),
        target_step=_target_step(parts),
        final_step=parts.job.target_steps,
    )


def _target_step(parts: Parts) -> int | None:
    """The step that is played to: the job's own target, or the one asked for if that comes first."""
    steps = [step for step in (parts.until_step, parts.job.target_steps) if step is not None]
    return min(steps, default=None)
