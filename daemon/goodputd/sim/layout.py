"""How the job lies at second 0: its racks and switches, and how long a step of the full job takes.

Knows specs and arithmetic; nothing has happened yet.
"""

from goodputd.sim.cluster import Cluster
from goodputd.sim.cooling import Racks, Throttling
from goodputd.sim.fleet import Domains, Fleet, Pacing
from goodputd.sim.noise import noise_of
from goodputd.sim.pace import Pace
from goodputd.sim.placement import Placement
from goodputd.sim.specs.cluster import ClusterSpec
from goodputd.sim.specs.fleet import LemonsSpec
from goodputd.sim.specs.job import JobSpec


def has_pacings(spec: ClusterSpec) -> bool:
    """Whether it makes steps longer where the job lies."""
    return spec.placement.matters or spec.cooling.watts_per_rack is not None


def divide(fleet: Fleet, spec: ClusterSpec, sizes: set[int], job_nodes: int) -> None:
    """Racks and switches, for faults of these ``sizes`` and for what paces the job by where it lies."""
    rack = spec.topology.nodes_per_rack
    switch = rack * spec.topology.racks_per_switch
    by_size: dict[int, Domains] = {size: Domains(size, job_nodes) for size in sizes}
    pacings: list[Pacing] = []
    if spec.cooling.watts_per_rack is not None:
        by_size[rack] = racks = Racks(rack, job_nodes)
        pacings.append(Throttling(spec.cooling, racks))
    if spec.placement.matters:
        for size in (rack, switch):
            by_size.setdefault(size, Domains(size, job_nodes))
        pacings.append(Placement(spec.placement, by_size[rack], by_size[switch]))
    fleet.domains = [by_size[size] for size in sorted(by_size)]
    fleet.pace_by(tuple(pacings))


def full_step_seconds(cluster: ClusterSpec, job: JobSpec) -> float:
    """Mean step time of the full job at second 0: pools, placement, cooling and noise, nobody slow."""
    whole = Cluster(cluster, job.gpus_per_replica)
    noise = noise_of(job.noise, gpus_per_replica=job.gpus_per_replica, gpus_per_node=cluster.gpus_per_node)
    pace = Pace(job, whole.active_replicas, noise)
    if cluster.pool or has_pacings(cluster):
        nodes, job_nodes = whole.total_nodes, whole.active_nodes
        fleet = Fleet(LemonsSpec(), cluster.pool, nodes=nodes, job_nodes=job_nodes, seed=0)
        divide(fleet, cluster, set(), job_nodes)
        pace.factor = fleet.pace
    seconds = pace.step_seconds
    return seconds * pace.noisy(seconds)
