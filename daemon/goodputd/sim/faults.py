"""Ground truth: what breaks, how often, and what one broken thing is like.

Detectors and policies may not import this module. A synchronous job stops when any of its N GPUs
fails within a step, so with a failure probability p per GPU and step the cluster's hazard per step
is 1 - (1 - p)^N. Faults are drawn in continuous time at the rate for which that is exact at every
step boundary: lambda = -N ln(1 - p) / step_seconds, for then 1 - e^(-lambda step) = 1 - (1 - p)^N.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from goodputd.sim.observation import Claim
from goodputd.sim.specs.faults import Arrival, CatalogSpec, FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fields import (
    SECONDS_PER_DAY,
    SECONDS_PER_HOUR,
)
from goodputd.sim.specs.fleet import TopologySpec
from goodputd.sim.taxonomy import STOPPING, Component, Origin, Symptom

JOB_WIDE = -1
"""The block and node number of faults that strike the job as a whole."""


def step_hazard(failure_probability: float, gpus: int) -> float:
    """Probability that a synchronous job of ``gpus`` is stopped within one step: 1 - (1 - p)^N.

    ``failure_probability`` is per GPU and step. Accurate for p far below 1e-16 / N.
    """
    if failure_probability >= 1.0:
        return 1.0 if gpus else 0.0
    return -math.expm1(gpus * math.log1p(-failure_probability))


def cluster_rate_per_second(failure_probability: float, gpus: int, step_seconds: float) -> float:
    """The continuous-time equivalent of ``step_hazard``: faults per second, infinite if failure is sure."""
    if failure_probability >= 1.0:
        return math.inf if gpus else 0.0
    return -gpus * math.log1p(-failure_probability) / step_seconds


@dataclass(slots=True)
class FaultKind:
    """A kind with its rate worked out for one fleet; built once, never changed."""

    name: str
    component: Component
    symptom: Symptom
    job_wide: bool
    rate_per_second: float
    """Per node, or of the job when ``job_wide``."""
    transient_probability: float
    event: str | None
    logged_probability: float
    event_delay_seconds: float
    slow_factor: float
    step_time_sigmas: float
    gradient_sigmas: float
    stops: bool
    """Whether a fault of this kind stops the job at once: a crash or a hang."""
    loss_jump: float
    """Infinite where the loss is not a number."""
    arrival: Arrival
    shape: float
    domain_nodes: int = 1
    """Nodes of the rack or switch that it strikes; then the rate is per domain."""

    def struck_by(self, nodes: int) -> float:
        """What a fleet of ``nodes`` has of what the rate is per: nodes, domains, or one job."""
        return 1.0 if self.job_wide else nodes / self.domain_nodes

    @property
    def ages(self) -> bool:
        """Whether it comes with the age of a node, not at a constant rate."""
        return self.arrival != "exponential"


class Marks(NamedTuple):
    """The random marks of a fault, uniforms in [0, 1), drawn with it whoever looks at them."""

    logged: float
    statistic: float
    pace: float
    wrong_restore: float
    verify_noise: float
    repair: float


@dataclass(slots=True)
class Fault:
    """One fault. ``identity`` is the same in every scenario of a seed (DESIGN rule 14)."""

    identity: str
    at: float
    kind: FaultKind
    node: int
    """JOB_WIDE for a fault of the whole job."""
    transient: bool
    origin: Origin
    marks: Marks
    recurrences: int
    logged: bool
    others: tuple[int, ...] = ()
    """The other nodes of the job that it struck, where it struck a whole domain."""
    step: int = 0
    """The last whole step before it, for faults that corrupt."""
    claims: Sequence[Claim] = ()
    """Of every layer that is not blind to it, first claim first."""
    announced: int = -1
    """Sequence number of the scheduled detection, -1 for none."""
    detected: bool = False
    in_recovery: bool = False
    """Struck while the job was being restarted, so that it stalls the next collective."""


def declared(spec: FaultsSpec, catalog: CatalogSpec | None) -> tuple[FaultKindSpec, ...]:
    """The kinds as they are declared: those of the catalog, then own ones."""
    return (*(catalog.kinds if catalog else ()), *spec.kinds)


def resolve_kinds(
    spec: FaultsSpec,
    catalog: CatalogSpec | None,
    *,
    nodes: int,
    gpus_per_node: int,
    topology: TopologySpec | None = None,
) -> tuple[FaultKind, ...]:
    """The kinds of a scenario, with rates for a job of ``nodes``: catalog first, then own kinds.

    Errors: ``ValueError`` when a kind has no rate, more than one, or a rate its scope cannot have.
    """
    kinds = tuple(
        _resolve(kind, catalog, gpus_per_node, topology or TopologySpec()) for kind in declared(spec, catalog)
    )
    # fsum: what sum() gives in the last digit depends on the version of Python
    stopping = math.fsum(k.rate_per_second * k.struck_by(nodes) for k in kinds if k.stops)
    scale = spec.scale
    if spec.total_interruptions is not None and stopping > 0.0:
        scale = spec.total_interruptions / (stopping * spec.period_days * SECONDS_PER_DAY)
    for kind in kinds:
        kind.rate_per_second *= scale
    return kinds


def _resolve(
    kind: FaultKindSpec, catalog: CatalogSpec | None, gpus_per_node: int, topology: TopologySpec
) -> FaultKind:
    job_wide = kind.scope == "job" or kind.component == "software"
    domain_nodes = 1
    if kind.scope in {"rack", "switch"}:
        domain_nodes = topology.nodes_per_rack * (topology.racks_per_switch if kind.scope == "switch" else 1)
    rate = _rate_per_second(kind, catalog, gpus_per_node * domain_nodes, job_wide=job_wide)
    return FaultKind(
        name=kind.name,
        component=Component(kind.component),
        symptom=Symptom(kind.symptom),
        job_wide=job_wide,
        rate_per_second=rate,
        transient_probability=kind.transient_probability,
        event=kind.event,
        logged_probability=kind.logged_probability,
        event_delay_seconds=kind.event_delay_seconds,
        slow_factor=kind.slow_factor,
        step_time_sigmas=kind.step_time_sigmas,
        gradient_sigmas=kind.gradient_sigmas,
        stops=Symptom(kind.symptom) in STOPPING,
        loss_jump=math.inf if kind.makes_nan else kind.loss_jump,
        arrival=kind.arrival,
        shape=kind.shape,
        domain_nodes=domain_nodes,
    )


def _rate_per_second(
    kind: FaultKindSpec, catalog: CatalogSpec | None, gpus_per_node: int, *, job_wide: bool
) -> float:
    """Per second and node, domain or job; ``gpus_per_node`` is that of a domain where one is struck."""
    rates = ("count", "per_gpu_hour", "per_node_day", "per_job_day", "per_domain_day")
    if sum(getattr(kind, rate) is not None for rate in rates) != 1:
        message = f"kind {kind.name!r} needs exactly one of {', '.join(rates)}"
        raise ValueError(message)
    if kind.scope in {"rack", "switch"} and not job_wide:
        return _rate_of_domain(kind, catalog, gpus_per_node)
    if job_wide:
        if kind.arrival != "exponential":
            message = f"kind {kind.name!r} strikes the whole job, which has no age: arrival is exponential"
            raise ValueError(message)
        if kind.per_job_day is not None:
            return kind.per_job_day / SECONDS_PER_DAY
        if kind.count is not None and catalog is not None:
            return kind.count / (catalog.reference_days * SECONDS_PER_DAY)
        message = f"kind {kind.name!r} strikes the whole job, so its rate is per_job_day"
        raise ValueError(message)
    if kind.per_gpu_hour is not None:
        return kind.per_gpu_hour * gpus_per_node / SECONDS_PER_HOUR
    if kind.per_node_day is not None:
        return kind.per_node_day / SECONDS_PER_DAY
    if kind.count is not None and catalog is not None:
        return _rate_of_count(kind.count, catalog, gpus_per_node)
    message = f"kind {kind.name!r} strikes a node, so its rate is per_gpu_hour or per_node_day"
    raise ValueError(message)


def _rate_of_count(count: float, catalog: CatalogSpec, gpus: int) -> float:
    """Per second of so many GPUs, when the catalog's counted so many faults."""
    return count * gpus / (catalog.reference_gpus * catalog.reference_days * SECONDS_PER_DAY)


def _rate_of_domain(kind: FaultKindSpec, catalog: CatalogSpec | None, gpus_per_domain: int) -> float:
    """Per domain and second."""
    if kind.arrival != "exponential":
        message = f"kind {kind.name!r} strikes a {kind.scope}, which has no age: arrival is exponential"
        raise ValueError(message)
    if kind.per_domain_day is not None:
        return kind.per_domain_day / SECONDS_PER_DAY
    if kind.count is not None and catalog is not None:
        return _rate_of_count(kind.count, catalog, gpus_per_domain)
    message = f"kind {kind.name!r} strikes a {kind.scope}, so its rate is per_domain_day"
    raise ValueError(message)
