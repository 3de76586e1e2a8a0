"""``[cluster]``: the nodes, who takes an evicted one's place, repair and maintenance."""

from dataclasses import dataclass, field
from typing import Literal

from goodputd.sim.specs.fields import (
    SPEC,
    Count,
    CountOrNever,
    CountOrNoLimit,
    NonNegativeFloat,
    PositiveCount,
    PositiveFloat,
    Probability,
    Seconds,
)
from goodputd.sim.specs.fleet import CoolingSpec, PlacementSpec, PoolSpec, TopologySpec

HostSelection = Literal["lowest_number", "random", "fewest_failures", "longest_in_service"]


@dataclass(slots=True, kw_only=True)
class CapacitySpec:
    """Who takes an evicted node's place, and how long that takes."""

    __pydantic_config__ = SPEC

    warm_standbys: Count | None = None
    """Spares kept ready to take a place at once, the others wait for a host selection; left out: all."""
    host_selection: HostSelection = "lowest_number"
    """Who is chosen first; the last two also bench nodes of the job that rank behind a waiting one."""
    host_selection_seconds: Seconds = 0.0
    """Seconds of a host selection, which follows when a place is free and no warm standby is left."""
    preemptible: Count = 0
    """Of `cluster.spares`, the nodes that run other work until this job cannot go on without them."""
    preemption_seconds: Seconds = 1200.0
    """Seconds until such a node is free; they are asked for one after the other."""


@dataclass(slots=True, kw_only=True)
class MaintenanceSpec:
    """Planned work on nodes of the job: each is drained at a checkpoint first."""

    __pydantic_config__ = SPEC

    per_day: NonNegativeFloat = 0.0
    """Nodes of the job that are due in a day (Llama 3: 47 planned interruptions in 54 days are 0.87)."""
    hours: PositiveFloat = 4.0
    """Hours until such a node is back as a spare."""


Distribution = Literal["fixed", "exponential"]
DeviceComponent = Literal["gpu", "memory", "nvlink", "nic"]


@dataclass(slots=True, kw_only=True)
class RepairSpec:
    """What happens to an evicted node; the default is one repair of `cluster.repair_hours`, by people."""

    __pydantic_config__ = SPEC

    stages: Literal["one", "automatic_then_manual"] = "one"
    """"one": `cluster.repair_hours`, and cured; "automatic_then_manual": the keys below."""
    automatic_hours: PositiveFloat = 2.0
    """Mean hours of the automatic repair that comes first."""
    automatic_distribution: Distribution = "exponential"
    """How the automatic repair time is spread."""
    escalation_probability: Probability = 0.8
    """Chance that people have to go on after it."""
    automatic_failure_probability: Probability = 0.4
    """Chance that an automatic repair that did not escalate cured nothing."""
    manual_hours: PositiveFloat = 48.0
    """Mean hours of the repair by people."""
    manual_distribution: Distribution = "exponential"
    """How the manual repair time is spread."""
    manual_failure_probability: Probability = 0.2
    """Chance that a repair by people cured nothing."""
    crews: CountOrNoLimit = 0
    """Crews of people; with all of them busy a node waits in line. 0: there is always one."""
    retire_after_evictions: CountOrNever = 0
    """Evictions of one node after which it leaves the fleet when its repair is over; 0: never."""
    hot_reset_probability: Probability = 0.0
    """Chance that resetting the device in place cures a permanent fault at a restart; 0: not tried."""
    hot_reset_seconds: Seconds = 150.0
    """Seconds that a hot reset adds to the restart."""
    hot_reset_components: tuple[DeviceComponent, ...] = ("gpu", "memory", "nvlink")
    """Components that are reset."""


@dataclass(slots=True, kw_only=True)
class ClusterSpec:
    """The fleet."""

    __pydantic_config__ = SPEC

    nodes: PositiveCount = 2048
    """Nodes of the full job, spares not counted."""
    gpus_per_node: PositiveCount = 8
    """GPUs of one node."""
    spares: Count = 16
    """Spare nodes that wait to take the place of evicted ones."""
    repair_hours: PositiveFloat = 24.0
    """Hours until an evicted node comes back as a spare."""
    repair_distribution: Literal["fixed", "exponential"] = "fixed"
    """"fixed": always `repair_hours`; "exponential": that is the mean."""
    pool: tuple[PoolSpec, ...] = ()
    """Nodes of different makes; none: all are alike."""
    topology: TopologySpec = field(default_factory=TopologySpec)
    """Failure domains."""
    placement: PlacementSpec = field(default_factory=PlacementSpec)
    """What it costs that collectives cross racks and switches."""
    cooling: CoolingSpec = field(default_factory=CoolingSpec)
    """What temperature does to rates, and cooling to racks."""
    capacity: CapacitySpec = field(default_factory=CapacitySpec)
    """Who takes an evicted node's place."""
    repair: RepairSpec = field(default_factory=RepairSpec)
    """What happens to an evicted node."""
    maintenance: MaintenanceSpec = field(default_factory=MaintenanceSpec)
    """Planned work on nodes."""
