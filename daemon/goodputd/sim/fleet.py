"""What the nodes are like: which pool of hardware each belongs to, and which of them are lemons.

Ground truth that detectors and policies never see. Who of which sort is in the job is counted as
nodes come and go, never by a scan.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from math import fsum, prod
from typing import Final, Protocol

from goodputd.sim.blocks import blocks
from goodputd.sim.specs.fleet import LemonsSpec, PoolSpec
from goodputd.sim.streams import stream, uniforms
from goodputd.sim.taxonomy import Slowing


class Domains:
    """How many domains of one size have a node in the job."""

    __slots__ = ("_members", "active", "size")

    def __init__(self, size: int, job_nodes: int) -> None:
        """The job has the first ``job_nodes``."""
        self.size = size
        self._members = {
            domain: min(size, job_nodes - domain * size) for domain in range(-(-job_nodes // size))
        }
        self.active = len(self._members)
        """Domains with a node in the job."""

    def moved(self, node: int, change: int) -> None:
        """A node came into the job (1) or left it (-1)."""
        domain = node // self.size
        before = self._members.get(domain, 0)
        self._members[domain] = after = before + change
        self.active += (after > 0) - (before > 0)


class Pacing(Protocol):
    """What makes steps longer by who is in the job."""

    cause: Slowing

    def factor(self, nodes: int) -> float:
        """The step time of the job, of so many nodes, as a multiple."""
        ...


@dataclass(slots=True)
class Pool:
    """A stretch of node numbers of one make."""

    prefix: str
    """Of the names of its streams; empty where the whole fleet is one pool."""
    first: int
    nodes: int
    fault_multiplier: float = 1.0
    corruption_multiplier: float = 1.0
    step_time_factor: float = 1.0
    lemons: tuple[int, ...] = ()
    """Those born in its blocks, also beyond the fleet, in ascending order."""


_ALL: Final = ""


def pools_of(specs: tuple[PoolSpec, ...], nodes: int) -> list[Pool]:
    """The pools of a fleet of ``nodes``, spares included; the fleet itself when there are none."""
    if not specs:
        return [Pool(_ALL, 0, nodes)]
    firsts = accumulate((spec.nodes for spec in specs), initial=0)
    return [
        Pool(
            f"{spec.name}/",
            first,
            spec.nodes,
            spec.fault_multiplier,
            spec.corruption_multiplier,
            spec.step_time_factor,
        )
        for spec, first in zip(specs, firsts, strict=False)
    ]


class Fleet:
    """Every node's pool, the lemons that are left, and how many of each are in the job."""

    __slots__ = (
        "_active",
        "_active_lemons",
        "_cure_probability",
        "_firsts",
        "_is_one_pool",
        "_repairs",
        "_seed",
        "ages",
        "changed",
        "domains",
        "has_paces",
        "lemon_excess",
        "lemon_faults",
        "lemons",
        "pacings",
        "pools",
    )

    def __init__(
        self, lemons: LemonsSpec, specs: tuple[PoolSpec, ...], *, nodes: int, job_nodes: int, seed: int
    ) -> None:
        """``nodes`` counts spares; the job starts on the first ``job_nodes``."""
        self.pools = pools_of(specs, nodes)
        self.lemon_excess = lemons.multiplier - 1.0
        """Faults of a lemon beyond those of an ordinary node, as a multiple of these."""
        self.lemon_faults = 0
        """How many of them struck; never falls."""
        self._cure_probability = lemons.cure_probability
        self._seed = seed
        self._repairs: dict[int, int] = {}
        self.domains: list[Domains] = []
        """One for each size that anybody asks for."""
        self.pacings: tuple[Pacing, ...] = ()
        """What makes steps longer besides slow pools; see ``pace_by``."""
        self.ages = False
        """Whether anybody asks who ``changed``."""
        self.changed: list[int] = []
        """Nodes that came or left since the job last ran, in that order; whoever starts it clears it."""
        self.lemons: set[int] = set()
        """Lemons that no repair has cured yet."""
        if lemons.fraction > 0.0 and lemons.multiplier > 1.0:
            for pool in self.pools:
                pool.lemons = _born(pool, lemons.fraction, seed)
                self.lemons.update(node for node in pool.lemons if node < pool.first + pool.nodes)
        self._is_one_pool = not specs
        self.has_paces = any(pool.step_time_factor != 1.0 for pool in self.pools)
        """Whether the pace of the job depends on who is in it."""
        self._firsts = [pool.first for pool in self.pools]
        self._active = [max(0, min(job_nodes - pool.first, pool.nodes)) for pool in self.pools]
        self._active_lemons = [0] * len(self.pools)
        for node in self.lemons:
            if node < job_nodes:
                self._active_lemons[self.pool_of(node)] += 1

    def pace_by(self, pacings: tuple[Pacing, ...]) -> None:
        """These make steps longer, too."""
        self.pacings = pacings
        self.has_paces = self.has_paces or bool(pacings)

    def pool_of(self, node: int) -> int:
        """Index of the node's pool."""
        return bisect_right(self._firsts, node) - 1

    def multiplier(self, node: int, *, corrupts: bool) -> float:
        """Faults of the node as it is, as a multiple of those of an ordinary one."""
        pool = self.pools[self.pool_of(node)]
        of_pool = pool.corruption_multiplier if corrupts else pool.fault_multiplier
        return of_pool * (1.0 + self.lemon_excess) if node in self.lemons else of_pool

    def moved(self, node: int, change: int) -> None:
        """A node came into the job (1) or left it (-1)."""
        index = bisect_right(self._firsts, node) - 1
        self._active[index] += change
        if self.ages:
            self.changed.append(node)
        for domains in self.domains:
            domains.moved(node, change)
        if node in self.lemons:
            self._active_lemons[index] += change

    def repaired(self, node: int) -> None:
        """A repair succeeded, which may have made an ordinary node of a lemon; it is outside the job.

        The luck is that of the node's j-th repair, in every scenario.
        """
        if node not in self.lemons:
            return
        before = self._repairs.get(node, 0)
        self._repairs[node] = before + 1
        if uniforms(self._seed, f"lemons/cure/{node}/{before}", 1)[0] < self._cure_probability:
            self.lemons.discard(node)

    @property
    def weight(self) -> float:
        """Faults of the job but those that corrupt, as a multiple of those of one ordinary node."""
        if self._is_one_pool:
            return self._active[0] + self.lemon_excess * self._active_lemons[0]
        return fsum(
            pool.fault_multiplier * (active + self.lemon_excess * lemons)
            for pool, active, lemons in zip(self.pools, self._active, self._active_lemons, strict=True)
        )

    @property
    def corruption_weight(self) -> float:
        """The same for faults that corrupt."""
        return fsum(
            pool.corruption_multiplier * (active + self.lemon_excess * lemons)
            for pool, active, lemons in zip(self.pools, self._active, self._active_lemons, strict=True)
        )

    @property
    def pace(self) -> float:
        """The step time of the job by who is in it, as a multiple; 1 for a job without nodes."""
        return prod(self.slowings.values())

    @property
    def slowings(self) -> dict[Slowing, float]:
        """The same by cause: the slowest pool in the job, how it lies, how it is cooled."""
        nodes = sum(self._active)
        if nodes == 0:
            return {}
        pools = zip(self.pools, self._active, strict=True)
        found = {Slowing.POOL: max(pool.step_time_factor for pool, active in pools if active)}
        return found | {each.cause: each.factor(nodes) for each in self.pacings}


def _born(pool: Pool, fraction: float, seed: int) -> tuple[int, ...]:
    """The lemons of a pool: whoever is one of few is one of more, in a larger pool, too."""
    found: list[int] = []
    for first, size in blocks(pool.nodes):
        uniform = stream(seed, f"lemons/{pool.prefix}{first}").random
        found += [pool.first + first + index for index in range(size) if uniform() < fraction]
    return tuple(found)
