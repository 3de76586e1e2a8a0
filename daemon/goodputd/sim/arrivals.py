"""When and where faults arrive: candidates for the whole fleet in calendar time, to be thinned.

Every kind has one Poisson stream per doubling block of node numbers, [0, 1024), [1024, 2048),
[2048, 4096) and so on, and one for the job as a whole. A candidate is drawn with all its random
marks, whether it hits anything or not; whoever asks drops those that hit a node outside the job.
So scenarios with the same seed and rates meet the same faults, and a larger cluster meets the
faults of a smaller one plus its own (DESIGN rule 14).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import inf, log
from random import Random
from typing import Final

from goodputd.sim.blocks import blocks
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind, Marks
from goodputd.sim.fleet import Fleet, Pool
from goodputd.sim.streams import exponential, stream, uniforms
from goodputd.sim.taxonomy import Origin, Symptom

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_PRIMARY: Final = Origin.PRIMARY


@dataclass(slots=True)
class _Stream:
    """One kind in one block: plain numbers and a generator."""

    kind: FaultKind
    name: str
    """Of the block, in the ids of its faults."""
    first: int
    size: int
    end: int
    """The number after that of its last node that exists."""
    rate_per_second: float
    random: Random
    lemons: Sequence[int] | None = None
    """The lemons of the block, where it holds what they suffer beyond ordinary nodes."""
    of_bursts: bool = False
    """Whether it holds what strikes in bursts beyond the ordinary."""
    at: float = 0.0
    ordinal: int = 0


_Candidate = tuple[float, int, int, int, float, Marks]
"""Instant, index of stream, node, ordinal, the uniform that says transient or not, and the marks."""

BITS_OF_THE_MARKS = 7 * 64
"""Of the generator, for the seven uniforms that follow a candidate's node: 64 each."""


class FaultSource:
    """The pending candidate of every stream, earliest first."""

    def __init__(
        self,
        seed: int,
        kinds: tuple[FaultKind, ...],
        nodes: int,
        fleet: Fleet | None = None,
        burst_multiplier: float = 1.0,
    ) -> None:
        """``nodes`` counts the whole fleet, spares included; ``fleet`` says how its nodes differ.

        ``burst_multiplier`` is that of bursts, when they are on.
        """
        self._seed = seed
        self._fleet = fleet
        pools = [Pool("", 0, nodes)] if fleet is None else fleet.pools
        self._streams: list[_Stream] = []
        for kind in kinds:
            if kind.rate_per_second <= 0.0 or kind.ages or kind.domain_nodes > 1:
                continue
            if kind.job_wide:
                self._add(kind, str(JOB_WIDE), JOB_WIDE, size=1, end=nodes, rate=kind.rate_per_second)
                continue
            for pool in pools:
                self._add_pool(kind, pool)
        if burst_multiplier > 1.0:
            self._add_bursts(burst_multiplier - 1.0)
        self._draws: list[Callable[[int], _Candidate]] = [
            self._draw if each.lemons is None else self._draw_lemon for each in self._streams
        ]
        """How each stream draws its next candidate."""
        self.pending = [draw(index) for index, draw in enumerate(self._draws)]
        """The next candidate of every stream: a heap; only this class changes it."""
        heapify(self.pending)

    def _add(
        self,
        kind: FaultKind,
        name: str,
        first: int,
        *,
        size: int,
        end: int,
        rate: float,
        lemons: Sequence[int] | None = None,
        of_bursts: bool = False,
    ) -> None:
        if rate <= 0.0:  # small factors may multiply to nothing
            return
        source = stream(self._seed, f"faults/{kind.name}/{name}")
        self._streams.append(_Stream(kind, name, first, size, end, rate, source, lemons, of_bursts))

    def _add_pool(self, kind: FaultKind, pool: Pool) -> None:
        """The streams of one kind in one pool: its blocks, and what the lemons of each have on top."""
        corrupts = kind.symptom is Symptom.CORRUPT
        rate = kind.rate_per_second * (pool.corruption_multiplier if corrupts else pool.fault_multiplier)
        if rate <= 0.0:
            return
        end = pool.first + pool.nodes
        for first, size in blocks(pool.nodes):
            name = f"{pool.prefix}{first}"
            at = pool.first + first
            self._add(kind, name, at, size=size, end=end, rate=rate * size)
            lemons = pool.lemons[bisect_left(pool.lemons, at) : bisect_left(pool.lemons, at + size)]
            if lemons and self._fleet is not None:
                excess = rate * self._fleet.lemon_excess * len(lemons)
                self._add(kind, f"{name}/lemons", at, size=size, end=end, rate=excess, lemons=lemons)

    def _add_bursts(self, excess: float) -> None:
        """For every stream one that holds what bursts add to it, as if there was one all the time."""
        for each in tuple(self._streams):
            self._add(
                each.kind,
                f"{each.name}/bursts",
                each.first,
                size=each.size,
                end=each.end,
                rate=each.rate_per_second * excess,
                lemons=each.lemons,
                of_bursts=True,
            )

    @property
    def next_is_of_bursts(self) -> bool:
        """Whether the earliest candidate strikes in a burst only."""
        return self._streams[self.pending[0][1]].of_bursts

    @property
    def next_is_of_lemons(self) -> bool:
        """Whether the earliest candidate strikes a lemon only."""
        return self._streams[self.pending[0][1]].lemons is not None

    @property
    def next_at(self) -> float | None:
        """When the earliest candidate strikes, seconds; None when nothing ever does."""
        return self.pending[0][0] if self.pending else None

    def skip(self) -> None:
        """The earliest candidate strikes nobody; its stream draws its next one."""
        index = self.pending[0][1]
        heapreplace(self.pending, self._draws[index](index))

    def take(self) -> Fault:
        """The earliest candidate; its stream draws its next one."""
        at, index, node, ordinal, transient, marks = self.pending[0]
        heapreplace(self.pending, self._draws[index](index))
        source = self._streams[index]
        kind = source.kind
        return Fault(
            f"{kind.name}/{source.name}/{ordinal}",
            at,
            kind,
            node,
            transient < kind.transient_probability,
            _PRIMARY,
            marks,
            0,
            kind.event is not None and marks.logged < kind.logged_probability,
        )

    def _draw(self, index: int) -> _Candidate:
        """The stream's next candidate on a node that exists.

        A candidate beyond the fleet uses up as much of the stream: a larger fleet, where it is
        inside, must find the stream in the same place.
        """
        source = self._streams[index]
        uniform = source.random.random
        skip = source.random.getrandbits
        rate, first, size, end = source.rate_per_second, source.first, source.size, source.end
        at = source.at
        ordinal = source.ordinal
        while True:
            at -= log(1.0 - uniform()) / rate
            node = first + int(uniform() * size) if first >= 0 else JOB_WIDE
            if node < end:
                break
            skip(BITS_OF_THE_MARKS)
            ordinal += 1
        source.at = at
        source.ordinal = ordinal + 1
        transient = uniform()
        marks = Marks(uniform(), uniform(), uniform(), uniform(), uniform(), uniform())
        return at, index, node, ordinal, transient, marks

    def _draw_lemon(self, index: int) -> _Candidate:
        """The next candidate on a lemon that is still one; never, once all of the block are cured."""
        source = self._streams[index]
        lemons, fleet = source.lemons, self._fleet
        assert lemons is not None  # noqa: S101 - such is the stream
        assert fleet is not None  # noqa: S101 - it is where the lemons come from
        left = fleet.lemons
        if left.isdisjoint(lemons):
            return inf, index, JOB_WIDE, source.ordinal, 0.0, Marks(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        uniform = source.random.random
        rate, count = source.rate_per_second, len(lemons)
        while True:
            source.at -= log(1.0 - uniform()) / rate
            node = lemons[int(uniform() * count)]
            ordinal = source.ordinal
            source.ordinal = ordinal + 1
            if node in left:
                break
            source.random.getrandbits(BITS_OF_THE_MARKS)
        transient = uniform()
        marks = Marks(uniform(), uniform(), uniform(), uniform(), uniform(), uniform())
        return source.at, index, node, ordinal, transient, marks


def recurrence(seed: int, fault: Fault) -> tuple[float, Marks]:
    """The next strike of a permanent fault: its unit-exponential waiting time, and its marks.

    A function of the seed, the fault and how often it struck, so that it is the same in every
    scenario in which that fault comes back.
    """
    wait, *marks = uniforms(seed, f"recurrence/{fault.identity}/{fault.recurrences}", 7)
    return exponential(wait), Marks(*marks)
