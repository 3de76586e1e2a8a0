"""Placement across racks and switches: collectives that leave a rack are slower.

A collective is a ring through all nodes of the job, and takes as long as its hops do on average:

    step time factor = 1 + c (h - 1),   h = 1 + x_rack (f_rack - 1) + x_switch (f_switch - f_rack)

with c the share of a step that such collectives take within one rack, f the time of a hop to another
rack and to one behind another switch, and x the share of hops that leave a rack or a switch. Packed,
the ring goes through domain by domain: D domains of A nodes have D hops out of A that leave one.
Spread, no two neighbours share a domain: all hops leave it. A job within one domain never does.

Evictions make a packed job cross more racks than it did. Knows no run.
"""

from goodputd.sim.fleet import Domains
from goodputd.sim.specs.fleet import PlacementSpec
from goodputd.sim.taxonomy import Slowing


class Placement:
    """The step time factor of the job as it lies."""

    __slots__ = ("_racks", "_spec", "_switches", "cause")

    def __init__(self, spec: PlacementSpec, racks: Domains, switches: Domains) -> None:
        """Whoever moves nodes tells the domains."""
        self._spec = spec
        self._racks = racks
        self._switches = switches
        self.cause = Slowing.PLACEMENT

    def factor(self, nodes: int) -> float:
        """The step time of a job of so many nodes, as a multiple of that within one rack."""
        spec = self._spec
        crossing_racks = self._crossing(self._racks.active, nodes)
        crossing_switches = self._crossing(self._switches.active, nodes)
        longer = crossing_racks * (spec.rack_hop_factor - 1.0)
        longer += crossing_switches * (spec.switch_hop_factor - spec.rack_hop_factor)
        return 1.0 + spec.communication_share * longer

    def _crossing(self, domains: int, nodes: int) -> float:
        """Share of the hops that leave a domain."""
        if domains <= 1:
            return 0.0
        return 1.0 if self._spec.layout == "spread" else domains / nodes
