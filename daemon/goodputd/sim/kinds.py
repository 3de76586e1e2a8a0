"""The kinds of fault of one scenario, from everything that declares or changes them.

Knows which settings those are, and nothing of when a fault strikes.
"""

from goodputd.sim.cooling import thermal_kinds, warmed
from goodputd.sim.corruption import corruption_kinds
from goodputd.sim.faults import FaultKind, resolve_kinds
from goodputd.sim.noise import blurred
from goodputd.sim.specs.cluster import ClusterSpec
from goodputd.sim.specs.corruption import CorruptionSpec
from goodputd.sim.specs.faults import CatalogSpec, FaultsSpec
from goodputd.sim.specs.job import NoiseSpec


def scenario_kinds(
    faults: FaultsSpec,
    catalog: CatalogSpec | None,
    *,
    cluster: ClusterSpec,
    corruption: CorruptionSpec,
    noise: NoiseSpec,
) -> tuple[FaultKind, ...]:
    """Catalog, own kinds, corruption, cooling: rates for this fleet, and what the statistics show of each.

    Errors: ``ValueError`` when a kind has no rate, more than one, or a rate its scope cannot have.
    """
    kinds = (
        *resolve_kinds(
            faults,
            catalog,
            nodes=cluster.nodes,
            gpus_per_node=cluster.gpus_per_node,
            topology=cluster.topology,
        ),
        *corruption_kinds(corruption, gpus_per_node=cluster.gpus_per_node),
        *thermal_kinds(cluster.cooling, cluster.topology),
    )
    for kind in kinds:
        kind.rate_per_second = warmed(kind, cluster.cooling)
        kind.step_time_sigmas = blurred(kind, noise)
    return kinds
