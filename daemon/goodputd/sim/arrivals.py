"""When and where faults arrive: candidates for the whole fleet in calendar time, to be thinned.

Every kind has one Poisson stream per doubling block of node numbers, [0, 1024), [1024, 2048),
[2048, 4096) and so on, and one for the job as a whole. A candidate is drawn with all its random
marks, whether it hits anything or not; whoever asks drops those that hit a node outside the job.
So scenarios with the same seed and rates meet the same faults, and a larger cluster meets the
faults of a smaller one plus its own (DESIGN rule 14).
"""

from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import log
from random import Random

from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind, Marks
from goodputd.sim.streams import exponential, stream, uniforms
from goodputd.sim.taxonomy import Origin

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_PRIMARY = Origin.PRIMARY

_FIRST_BLOCK = 1024


def blocks(nodes: int) -> list[tuple[int, int]]:
    """The (first, size) of every doubling block that holds one of ``nodes``."""
    found = [(0, _FIRST_BLOCK)]
    first = _FIRST_BLOCK
    while first < nodes:
        found.append((first, first))
        first *= 2
    return found


@dataclass(slots=True)
class _Stream:
    """One kind in one block: plain numbers and a generator."""

    kind: FaultKind
    first: int
    size: int
    rate_per_second: float
    random: Random
    at: float = 0.0
    ordinal: int = 0


_Candidate = tuple[float, int, int, int, float, Marks]
"""Instant, index of stream, node, ordinal, the uniform that says transient or not, and the marks."""

_BITS_OF_THE_MARKS = 7 * 64
"""Of the generator, for the seven uniforms that follow a candidate's node: 64 each."""


class FaultSource:
    """The pending candidate of every stream, earliest first."""

    def __init__(self, seed: int, kinds: tuple[FaultKind, ...], nodes: int) -> None:
        """``nodes`` counts the whole fleet, spares included."""
        self._seed = seed
        self._nodes = nodes
        self._streams: list[_Stream] = []
        for kind in kinds:
            if kind.rate_per_second <= 0.0:
                continue
            for first, size in [(JOB_WIDE, 1)] if kind.job_wide else blocks(nodes):
                source = stream(seed, f"faults/{kind.name}/{first}")
                self._streams.append(_Stream(kind, first, size, kind.rate_per_second * size, source))
        self._pending = [self._draw(index) for index in range(len(self._streams))]
        heapify(self._pending)

    @property
    def next_at(self) -> float | None:
        """When the earliest candidate strikes, seconds; None when nothing ever does."""
        return self._pending[0][0] if self._pending else None

    def take(self) -> Fault:
        """The earliest candidate; its stream draws its next one."""
        at, index, node, ordinal, transient, marks = self._pending[0]
        heapreplace(self._pending, self._draw(index))
        source = self._streams[index]
        kind = source.kind
        return Fault(
            f"{kind.name}/{source.first}/{ordinal}",
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
        rate, first, size, nodes = source.rate_per_second, source.first, source.size, self._nodes
        at = source.at
        ordinal = source.ordinal
        while True:
            at -= log(1.0 - uniform()) / rate
            node = first + int(uniform() * size) if first >= 0 else JOB_WIDE
            if node < nodes:
                break
            skip(_BITS_OF_THE_MARKS)
            ordinal += 1
        source.at = at
        source.ordinal = ordinal + 1
        transient = uniform()
        marks = Marks(uniform(), uniform(), uniform(), uniform(), uniform(), uniform())
        return at, index, node, ordinal, transient, marks


def recurrence(seed: int, fault: Fault) -> tuple[float, Marks]:
    """The next strike of a permanent fault: its unit-exponential waiting time, and its marks.

    A function of the seed, the fault and how often it struck, so that it is the same in every
    scenario in which that fault comes back.
    """
    wait, *marks = uniforms(seed, f"recurrence/{fault.identity}/{fault.recurrences}", 7)
    return exponential(wait), Marks(*marks)
