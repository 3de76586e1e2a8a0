"""Cooling: rates of faults follow the temperature, a full rack may be throttled, cooling may fail.

Rates of hardware are those of the catalog times, by Arrhenius (JEDEC JEP122, 0.7 eV for silicon),

    exp(E / k (1 / T_ref - 1 / T)),   T = inlet + rise + 273.15 K,   k = 8.617333e-5 eV/K

Heat beyond what the cooling of a rack removes is not given off: clocks fall until it is. Dynamic power
goes with frequency times voltage squared, and voltage with frequency, so that power goes with the cube:

    step time factor = max(1, n watts_per_node / watts_per_rack)^(1/3)

for the n nodes of the job on its fullest rack, since all wait for the slowest. A cooling failure
throttles its rack, or shuts it down: two kinds of fault of the domain. Knows no run.
"""

import math
from typing import Final

from goodputd.sim.faults import FaultKind, resolve_kinds
from goodputd.sim.fleet import Domains
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fleet import CoolingSpec, TopologySpec
from goodputd.sim.taxonomy import HARDWARE, Slowing

THERMAL_KINDS: Final = ("thermal_throttle", "thermal_shutdown")

_BOLTZMANN_EV_PER_KELVIN: Final = 8.617333e-5
_KELVIN_AT_0_CELSIUS: Final = 273.15
_THROTTLED_SIGMAS: Final = 20.0
"""A throttled rank is far from the others: what the shipped catalogs give a slow GPU."""


def heat(spec: CoolingSpec) -> float:
    """Rates of hardware faults, as a multiple of those at the reference temperature."""
    warm, reference = (
        celsius + spec.rise_celsius + _KELVIN_AT_0_CELSIUS
        for celsius in (spec.inlet_celsius, spec.reference_celsius)
    )
    return math.exp(spec.activation_energy_ev / _BOLTZMANN_EV_PER_KELVIN * (1.0 / reference - 1.0 / warm))


def warmed(kind: FaultKind, spec: CoolingSpec) -> float:
    """The rate of a kind at the temperature of the nodes; software and operators stay cool."""
    return kind.rate_per_second * heat(spec) if kind.component in HARDWARE else kind.rate_per_second


def throttled(spec: CoolingSpec, nodes: int) -> float:
    """Step time of a job with so many nodes on its fullest rack, as a multiple."""
    if spec.watts_per_rack is None:
        return 1.0
    return math.cbrt(max(1.0, nodes * spec.watts_per_node / spec.watts_per_rack))


def declared_thermal_kinds(spec: CoolingSpec) -> tuple[FaultKindSpec, ...]:
    """The kinds of fault of a rack that the settings ask for; none without a rate."""
    throttle, shutdown = (
        FaultKindSpec(
            name=name,
            component="power",
            scope="rack",
            per_domain_day=spec.failures_per_rack_day * share,
            transient_probability=spec.transient_probability,
            event=name.replace("_", " "),
        )
        for name, share in zip(THERMAL_KINDS, (1.0 - spec.shutdown_share, spec.shutdown_share), strict=True)
    )
    throttle.symptom = "slow"
    throttle.slow_factor = spec.throttle_factor
    throttle.step_time_sigmas = _THROTTLED_SIGMAS
    return tuple(kind for kind in (throttle, shutdown) if kind.per_domain_day)


def thermal_kinds(spec: CoolingSpec, topology: TopologySpec) -> tuple[FaultKind, ...]:
    """The same with its rate; `faults.scale` leaves it alone."""
    declared = FaultsSpec(kinds=declared_thermal_kinds(spec))
    return resolve_kinds(declared, None, nodes=1, gpus_per_node=1, topology=topology)


class Racks(Domains):
    """The racks of the job, and how full the fullest is."""

    __slots__ = ("_by_nodes",)

    def __init__(self, size: int, job_nodes: int) -> None:
        """The job has the first ``job_nodes``."""
        super().__init__(size, job_nodes)
        self._by_nodes = [0] * (size + 1)
        """How many racks have so many nodes in the job; those that never had any are not counted."""
        for nodes in self._members.values():
            self._by_nodes[nodes] += 1

    def moved(self, node: int, change: int) -> None:
        """A node came into the job (1) or left it (-1)."""
        before = self._members.get(node // self.size)
        super().moved(node, change)
        if before is not None:
            self._by_nodes[before] -= 1
        self._by_nodes[self._members[node // self.size]] += 1

    @property
    def fullest(self) -> int:
        """Nodes of the job on the rack that has most of them."""
        return max((nodes for nodes in range(self.size, 0, -1) if self._by_nodes[nodes]), default=0)


class Throttling:
    """The step time factor of the job as its fullest rack is cooled."""

    __slots__ = ("_racks", "_spec", "cause")

    def __init__(self, spec: CoolingSpec, racks: Racks) -> None:
        """Whoever moves nodes tells the racks."""
        self._spec = spec
        self._racks = racks
        self.cause = Slowing.COOLING

    def factor(self, nodes: int) -> float:
        """The step time as a multiple of that of well cooled nodes; how many there are does not matter."""
        del nodes
        return throttled(self._spec, self._racks.fullest)
