"""``[[cluster.pool]]``, lemons, topology, placement and cooling: what the nodes are like."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval, MinLen

from goodputd.sim.specs.fields import (
    MOST_FACTOR,
    SPEC,
    Factor,
    NonNegativeFloat,
    PositiveCount,
    PositiveFloat,
    Probability,
)


@dataclass(slots=True, kw_only=True)
class LemonsSpec:
    """Nodes that fail more often than the others until a repair cures them."""

    __pydantic_config__ = SPEC

    fraction: Probability = 0.0
    """Share of the nodes, spares included."""
    multiplier: Factor = 5.0
    """Their faults, as a multiple of those of an ordinary node."""
    cure_probability: Probability = 1.0
    """Chance that a repair that succeeded makes an ordinary node of one."""


@dataclass(slots=True, kw_only=True)
class PoolSpec:
    """Nodes of one make; pools take node numbers in the order in which they stand."""

    __pydantic_config__ = SPEC

    name: Annotated[str, MinLen(1)]
    """Unique name."""
    nodes: PositiveCount
    """Nodes; all pools together have the nodes and spares of the cluster, spares the highest numbers."""
    fault_multiplier: NonNegativeFloat = 1.0
    """Multiple of the rates of all faults of nodes but those that corrupt."""
    corruption_multiplier: NonNegativeFloat = 1.0
    """Multiple of the rates of faults that corrupt."""
    gpus_per_node: PositiveCount | None = None
    """GPUs of one node, to be checked: as in `cluster.gpus_per_node`, since any node may take any place."""
    step_time_factor: Annotated[float, Interval(gt=0, le=MOST_FACTOR)] = 1.0
    """Step time of a job of such nodes, as a multiple; the slowest pool in the job sets its pace."""


@dataclass(slots=True, kw_only=True)
class TopologySpec:
    """Which nodes hang on one rack and on one switch: stretches of node numbers."""

    __pydantic_config__ = SPEC

    nodes_per_rack: PositiveCount = 8
    """Nodes that share a rack and its power; faults of scope "rack" hit all of them."""
    racks_per_switch: PositiveCount = 4
    """Racks behind one switch; faults of scope "switch" hit all of their nodes."""


@dataclass(slots=True, kw_only=True)
class PlacementSpec:
    """How the ranks of the job lie on racks and switches, and what hops between these cost."""

    __pydantic_config__ = SPEC

    layout: Literal["packed", "spread"] = "packed"
    """"packed": neighbours share a rack and a switch where they can; "spread": they never do."""
    communication_share: Probability = 0.0
    """Share of a step spent in collectives between nodes that computing does not hide, within one rack."""
    rack_hop_factor: Factor = 1.0
    """Time of a hop to another rack, as a multiple of one within a rack."""
    switch_hop_factor: Factor = 1.0
    """Time of a hop to a rack behind another switch, as a multiple of one within a rack."""

    @property
    def matters(self) -> bool:
        """Whether it changes any step."""
        return self.communication_share > 0.0 and max(self.rack_hop_factor, self.switch_hop_factor) > 1.0


Celsius = Annotated[float, Interval(ge=-40, le=100)]


@dataclass(slots=True, kw_only=True)
class CoolingSpec:
    """Temperature of the nodes, what the cooling of a rack can do, and how often it fails."""

    __pydantic_config__ = SPEC

    inlet_celsius: Celsius = 25.0
    """Temperature of the air or water that comes in; rates of hardware faults grow with it."""
    reference_celsius: Celsius = 25.0
    """Inlet temperature at which the rates are those of the catalog."""
    rise_celsius: Annotated[float, Interval(ge=0, le=100)] = 40.0
    """How much warmer the chips are than the inlet."""
    activation_energy_ev: Annotated[float, Interval(ge=0, le=2)] = 0.7
    """Of the Arrhenius law, electron volts; 0.7 about doubles the rates with every 10 degrees, 0 never."""
    watts_per_node: PositiveFloat = 10200.0
    """Heat of a node at work (10.2 kW is the most that a DGX H100 takes)."""
    watts_per_rack: PositiveFloat | None = None
    """Heat that the cooling of a rack removes; nodes of a fuller rack are throttled. Left out: any."""
    failures_per_rack_day: NonNegativeFloat = 0.0
    """Cooling failures of a rack in a day, at the reference temperature."""
    shutdown_share: Probability = 0.5
    """Share of them that shut the rack down; the others throttle its nodes."""
    throttle_factor: Factor = 1.5
    """Step time of a job with a rack that is throttled so, as a multiple."""
    transient_probability: Probability = 0.5
    """Chance that the cooling works again after a restart; else the rack fails until it is evicted."""
