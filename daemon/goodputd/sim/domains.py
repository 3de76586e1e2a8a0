"""Failure domains: racks and switches, whose faults hit every node of the job that hangs on them.

Domains are stretches of node numbers. Like those of nodes, candidates are drawn for the whole fleet
and dropped where no node of the domain is in the job.
"""

from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import log
from random import Random

from goodputd.sim.arrivals import BITS_OF_THE_MARKS
from goodputd.sim.blocks import blocks
from goodputd.sim.faults import Fault, FaultKind, Marks
from goodputd.sim.streams import stream
from goodputd.sim.taxonomy import Origin


@dataclass(slots=True)
class _Stream:
    """One kind in one block of domains."""

    kind: FaultKind
    first: int
    size: int
    """Domains."""
    end: int
    """The number after that of the fleet's last domain."""
    random: Random
    at: float = 0.0
    ordinal: int = 0


class DomainSource:
    """The pending candidate of every kind and block, earliest first."""

    __slots__ = ("_pending", "_streams")

    def __init__(self, seed: int, kinds: tuple[FaultKind, ...], nodes: int) -> None:
        """``kinds`` are those of domains; ``nodes`` counts the whole fleet, spares included."""
        self._streams = [
            _Stream(kind, first, size, end, stream(seed, f"faults/{kind.name}/domains/{first}"))
            for kind in kinds
            if kind.rate_per_second > 0.0
            for end in [-(-nodes // kind.domain_nodes)]
            for first, size in blocks(end)
        ]
        self._pending = [self._draw(index) for index in range(len(self._streams))]
        heapify(self._pending)

    @property
    def next_at(self) -> float | None:
        """When the earliest candidate strikes, seconds; None when nothing ever does."""
        return self._pending[0][0] if self._pending else None

    def take(self) -> Fault:
        """The earliest candidate, on the first node of its domain; its stream draws its next one."""
        _, index, fault = self._pending[0]
        heapreplace(self._pending, self._draw(index))
        return fault

    def _draw(self, index: int) -> tuple[float, int, Fault]:
        """The stream's next candidate on a domain that exists; those beyond use up as much of it."""
        source = self._streams[index]
        kind, uniform = source.kind, source.random.random
        rate = kind.rate_per_second * source.size
        while True:
            source.at -= log(1.0 - uniform()) / rate
            domain = source.first + int(uniform() * source.size)
            if domain < source.end:
                break
            source.random.getrandbits(BITS_OF_THE_MARKS)
            source.ordinal += 1
        transient = uniform()
        marks = Marks(uniform(), uniform(), uniform(), uniform(), uniform(), uniform())
        identity = f"{kind.name}/domains/{source.first}/{source.ordinal}"
        source.ordinal += 1
        fault = Fault(
            identity,
            source.at,
            kind,
            domain * kind.domain_nodes,
            transient < kind.transient_probability,
            Origin.PRIMARY,
            marks,
            0,
            kind.event is not None and marks.logged < kind.logged_probability,
        )
        return source.at, index, fault
