"""Faults of nodes that age: one pending failure per node, renewed by repair and by nothing else.

Age is the time that the node's job trained with the node in it. Life j of a node uses numbers hashed
from seed, kind, node and j, so lives are the same in every scenario; a restart does not reset the
age, a repair that cures begins the next life (DESIGN rule 14). Works in running time, which stands
still while the job does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import floor, fsum
from typing import Final

from goodputd.sim.cluster import Cluster
from goodputd.sim.faults import Fault, FaultKind, Marks
from goodputd.sim.fleet import Fleet
from goodputd.sim.lifetimes import Lifetime
from goodputd.sim.streams import exponential, uniforms
from goodputd.sim.taxonomy import Origin, Symptom

_SWEEP_AT_LEAST: Final = 64
_SPLIT: Final = 2.0**27 + 1.0
"""Cuts a float in halves of 26 bits, whose products with a count are exact (Veltkamp)."""
_GRAINS: Final = 2.0**30
"""Of an expectation per strike: more digits would be those of the C library's rounding."""


@dataclass(slots=True)
class _Life:
    """One life of a node, for one kind."""

    number: int = 0
    strikes: int = 0
    used: float = 0.0
    """Cumulative hazard at its last strike."""
    due: float = 0.0
    """Running time of its next strike, in the job."""
    joined: float = 0.0
    """In the job: running time at which it would have had age 0; outside: minus its age."""
    in_job: bool = False


@dataclass(slots=True)
class _Kind:
    """One kind of fault that comes with age."""

    kind: FaultKind
    lifetime: Lifetime
    share: float
    """Of its strikes, how many interrupt the job."""
    lives: dict[int, _Life] = field(default_factory=dict)
    """By node, once it left the job, struck, or came from the spares; the others are in their first."""
    untouched: dict[float, int] = field(default_factory=dict)
    """Mean seconds of life -> nodes that have been in the job from the start and are in their first life."""
    expected_before: list[float] = field(default_factory=list)
    """Strikes to be expected of all stays in the job that are over: numbers whose exact sum it is."""


class Aging:
    """The pending failures of every node in the job, earliest first."""

    __slots__ = ("_fleet", "_job_nodes", "_kinds", "_pending", "_seed", "_stale")

    def __init__(
        self,
        seed: int,
        kinds: tuple[FaultKind, ...],
        fleet: Fleet,
        job_nodes: int,
        shares: Mapping[str, float] | None = None,
    ) -> None:
        """The job starts on the first ``job_nodes``, all of them new; ``shares`` are as in Hazards."""
        self._seed = seed
        self._fleet = fleet
        of_kind = shares or {}
        self._kinds = [
            _Kind(
                kind,
                Lifetime(kind.arrival, kind.shape),
                of_kind.get(kind.name, 1.0 if kind.stops else 0.0),
            )
            for kind in kinds
        ]
        self._pending: list[tuple[float, int, int]] = []
        """(running time, index of kind, node): a heap; entries of nodes that left are stale."""
        for index, each in enumerate(self._kinds):
            for node in range(job_nodes):
                mean = self._mean_seconds(each.kind, node)
                if mean is not None:
                    each.untouched[mean] = each.untouched.get(mean, 0) + 1
                    hazard = self._draw(each.kind, node, 0, 0)
                    self._pending.append((mean * each.lifetime.age(hazard), index, node))
        heapify(self._pending)
        self._job_nodes = job_nodes
        self._stale = 0
        """Entries that are known to be so."""

    def _mean_seconds(self, kind: FaultKind, node: int) -> float | None:
        """Mean life of the node as it is; None where it never fails this way."""
        rate = kind.rate_per_second * self._fleet.multiplier(node, corrupts=kind.symptom is Symptom.CORRUPT)
        return 1.0 / rate if rate > 0.0 else None

    def _draw(self, kind: FaultKind, node: int, life: int, strike: int) -> float:
        """The cumulative hazard between a strike of this life and the one before."""
        return exponential(uniforms(self._seed, f"age/{kind.name}/{node}/{life}/{strike}", 1)[0])

    @property
    def next_ran(self) -> float | None:
        """Running time of the next strike; None when nothing is pending."""
        pending = self._pending
        while pending:
            if self._stands(pending[0]):
                return pending[0][0]
            heappop(pending)
            self._stale -= 1
        return None

    def _stands(self, entry: tuple[float, int, int]) -> bool:
        """Whether the entry is that of a node in the job and of its next strike."""
        due, index, node = entry
        life = self._kinds[index].lives.get(node)
        return life is None or (life.in_job and life.due == due)

    def _drop_stale(self) -> None:
        """Forget entries of nodes that left, once they are the most: memory must not grow with time."""
        if self._stale > _SWEEP_AT_LEAST and 2 * self._stale > len(self._pending):
            self._pending = [entry for entry in self._pending if self._stands(entry)]
            heapify(self._pending)
            self._stale = 0

    def strike(self, at: float) -> Fault:
        """The next strike comes at ``at``; the node goes on at its age, with its next failure pending."""
        due, index, node = heappop(self._pending)
        each = self._kinds[index]
        life = self._touched(each, node)
        kind = each.kind
        identity = f"{kind.name}/age/{node}/{life.number}/{life.strikes}"
        life.used += self._draw(kind, node, life.number, life.strikes)
        life.strikes += 1
        self._await(each, index, node, life, due)
        transient, *marks = uniforms(self._seed, f"age/marks/{identity}", 7)
        drawn = Marks(*marks)
        return Fault(
            identity,
            at,
            kind,
            node,
            transient < kind.transient_probability,
            Origin.PRIMARY,
            drawn,
            0,
            kind.event is not None and drawn.logged < kind.logged_probability,
        )

    def _touched(self, each: _Kind, node: int) -> _Life:
        """The node's life, told apart from those that nothing has happened to."""
        life = each.lives.get(node)
        if life is None:
            life = each.lives[node] = _Life(in_job=True)
            mean = self._mean_seconds(each.kind, node)
            assert mean is not None  # noqa: S101 - it is pending
            each.untouched[mean] -= 1
        return life

    def _await(self, each: _Kind, index: int, node: int, life: _Life, ran: float) -> None:
        """Work out and note the next strike of a node in the job."""
        mean = self._mean_seconds(each.kind, node)
        if mean is None:
            return
        hazard = life.used + self._draw(each.kind, node, life.number, life.strikes)
        life.due = max(ran, life.joined + mean * each.lifetime.age(hazard))
        heappush(self._pending, (life.due, index, node))

    def follow(self, cluster: Cluster, ran: float) -> None:
        """Nodes that came to the job age from here on, those that left it rest."""
        for node in self._fleet.changed:
            if cluster.is_in_job(node):
                self.came(node, ran)
            else:
                self.left(node, ran)
        self._fleet.changed.clear()

    def left(self, node: int, ran: float) -> None:
        """The node is out of the job: it does not age there."""
        for each in self._kinds:
            mean = self._mean_seconds(each.kind, node)
            if mean is None:
                continue
            life = each.lives.get(node)
            if not life.in_job if life is not None else node >= self._job_nodes:
                continue
            life = self._touched(each, node)
            _add(each.expected_before, each.lifetime.hazard((ran - life.joined) / mean))
            life.in_job = False
            life.joined -= ran
            self._stale += 1
        self._drop_stale()

    def came(self, node: int, ran: float) -> None:
        """The node is in the job, and ages on from where it was."""
        for index, each in enumerate(self._kinds):
            mean = self._mean_seconds(each.kind, node)
            life = each.lives.setdefault(node, _Life())
            if mean is None or life.in_job:
                continue
            life.in_job = True
            life.joined += ran
            _add(each.expected_before, -each.lifetime.hazard((ran - life.joined) / mean))
            self._await(each, index, node, life, ran)

    def renew(self, node: int, ran: float) -> None:
        """A repair cured the node, outside the job: its next life begins at age 0."""
        self.left(node, ran)  # whoever is back before the job ran again was not missed yet
        for each in self._kinds:
            life = each.lives.get(node)
            each.lives[node] = _Life(number=0 if life is None else life.number + 1)

    def expected(self, ran: float) -> float:
        """Interrupting strikes to be expected up to this running time; it never falls.

        Nodes to which nothing happened are one term for all; the others are one each. Terms are
        added exactly, or the total would tremble in its last bit when a node changes sides. Rounding
        once, and times a share, keeps their order.
        """
        total = fsum(each.share * fsum(self._terms(each, ran)) for each in self._kinds if each.share > 0.0)
        return floor(total * _GRAINS) / _GRAINS

    def _terms(self, each: _Kind, ran: float) -> list[float]:
        hazard = each.lifetime.hazard
        terms = list(each.expected_before)
        for mean, count in each.untouched.items():
            whole = hazard(ran / mean)
            upper = whole * _SPLIT - (whole * _SPLIT - whole)
            terms += (count * upper, count * (whole - upper))  # both products are exact
        for node, life in each.lives.items():
            if life.in_job:
                mean_seconds = self._mean_seconds(each.kind, node)
                if mean_seconds is not None:
                    terms.append(hazard((ran - life.joined) / mean_seconds))
        return terms


def _add(parts: list[float], term: float) -> None:
    """Add to numbers that do not overlap, so that nothing of their sum is ever rounded (Shewchuk 1997)."""
    kept = []
    for part in parts:
        larger, smaller = (term, part) if abs(term) >= abs(part) else (part, term)
        term = larger + smaller
        rest = smaller - (term - larger)
        if rest:
            kept.append(rest)
    parts[:] = [*kept, term]
