"""The kept facts: the newest of every scenario, and the way from a number to an incident.

Taking facts costs little more than an append each, however fast history is played; an index is made
and incidents are folded only when a page asks. What is older than the newest facts is forgotten, but
never how the incident that is open began.
"""

from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from goodputd.history.corruptions import Corruption, is_strike
from goodputd.history.fold import fold, fold_faults
from goodputd.history.premises import Premises, premises_of
from goodputd.history.records import DecisionRecord, FaultRecord, IncidentRecord
from goodputd.history.stretches import Entry, FactsLeftOut, last_resume, shortened, split
from goodputd.settings import Scenario
from goodputd.sim.events import (
    CorruptionBaked,
    DetectionRaised,
    DeviceReset,
    Fact,
    FalseAlarmRaised,
    FaultOccurred,
    NodeDrained,
    NodeEvicted,
    NodeReturned,
    StageFinished,
    TrainingResumed,
)
from goodputd.sim.taxonomy import Symptom

FACTS_KEPT: Final = 6000
"""Of one scenario, in incidents that are closed: about 500, and two megabytes."""
LONGEST: Final = 600
"""Facts that are kept of one incident; it usually has a dozen."""
_FACTS_KEPT_IN_ALL: Final = 24_000
_LEAST_FACTS_KEPT: Final = 500
_FOLDED_KEPT: Final = 64
_TAKEN_OUT: Final = (NodeEvicted, NodeDrained)

# An attribute of an enum class costs 0.3 us in Python 3.11; every kept fact is asked for it.
_CORRUPT: Final = Symptom.CORRUPT


@dataclass(slots=True)
class Strike:
    """One strike of a fault: the fault as it was that time, and the incident it was part of."""

    fault: FaultRecord
    incident: IncidentRecord | None
    """None while no layer has found it, and when it never came to an incident."""


class Chronicle:
    """The newest facts of one scenario, by incident."""

    def __init__(self, premises: Premises, facts_kept: int = FACTS_KEPT) -> None:
        """Nothing has happened yet."""
        self.premises = premises
        self._longest = min(LONGEST, facts_kept // 4)
        self._closed: deque[Entry] = deque(maxlen=facts_kept)
        self._open: list[Entry] = []
        """Since the last resume."""
        self._taken = 0
        self._is_complete = True
        """Nothing has been forgotten."""
        self._folded: dict[int, IncidentRecord] = {}
        """Closed incidents that a page asked for, by number: they do not change any more."""
        self._folded_open: tuple[tuple[int, float], IncidentRecord | None] = ((0, 0.0), None)
        """What was open when a page asked last, by the number of facts and the instant."""
        self._index = _Index((), complete=True)
        self._indexed = 0

    def take(self, facts: Sequence[Fact]) -> None:
        """These happened next."""
        self._taken += len(facts)
        resume = last_resume(facts)
        if resume >= 0:
            self._close([*self._open, *facts[: resume + 1]])
            self._open = list(facts[resume + 1 :])
        else:
            self._open.extend(facts)
        if len(self._open) > 2 * self._longest:
            self._open = list(shortened(self._open, self._longest))

    def _close(self, entries: Sequence[Entry]) -> None:
        """These stretches are whole."""
        if len(entries) > 2 * self._longest:
            entries = [each for stretch in split(entries) for each in shortened(stretch, self._longest)]
        room = FACTS_KEPT if self._closed.maxlen is None else self._closed.maxlen
        self._is_complete = self._is_complete and len(self._closed) + len(entries) <= room
        self._closed.extend(entries)

    def __len__(self) -> int:
        """How many facts are held."""
        return len(self._closed) + len(self._open)

    @property
    def since(self) -> float:
        """From when on incidents are kept, simulated seconds."""
        return self._indexed_facts().since

    def keeps(self, at: float) -> bool:
        """Whether what happened at this instant is kept."""
        index = self._indexed_facts()
        return at >= index.since and not any(gap.at <= at <= gap.until for gap in index.gaps)

    def incident(self, number: int, now: float) -> IncidentRecord | None:
        """The incident of this number, open or closed; None when it is not kept or has not been."""
        index = self._indexed_facts()
        stretch = index.stretch(number)
        if stretch is not None:
            return self._closed_record(stretch)
        record = self._newest(index, self._at_least(now))
        return record if record is not None and record.number == number else None

    @property
    def first_number(self) -> int | None:
        """The number of the oldest incident that is kept; None before there was one."""
        index = self._indexed_facts()
        return index.open_number if index.first_number is None else index.first_number

    def has(self, number: int) -> bool:
        """Whether the incident of this number is kept, open or closed."""
        index = self._indexed_facts()
        return index.stretch(number) is not None or number == index.open_number

    def newest_first(self, until: float, from_number: int | None = None) -> Iterator[IncidentRecord]:
        """Incidents that were opened by ``until``, from that of ``from_number`` on, if given, backwards.

        The one that was open at ``until`` is shown as of then.
        """
        index = self._indexed_facts()
        begins, ends = index.bounds(until)
        if begins == index.tail_begins and ends == len(index.facts):
            record = self._newest(index, until)
        else:
            record = fold(
                self.premises, shortened(index.facts[begins:ends], self._longest), until, index.corruptions
            )
        if record is not None and (from_number is None or record.number <= from_number):
            yield record
        for stretch in index.closed_before(begins, from_number):
            yield self._closed_record(stretch)

    def strikes(self, fault: str, now: float, *, near: float, most: int) -> tuple[list[Strike], int]:
        """The kept strikes of this fault, oldest first, and how many more there are.

        Those that come nearest to the instant ``near`` are told, at most so many.
        """
        index = self._indexed_facts()
        struck_at = {
            index.stretch_around(index.told_at(position)): index.facts[position].at
            for position in index.strikes.get(fault, ())
        }
        chosen = sorted(struck_at, key=lambda which: abs(struck_at[which] - near))[:most]
        found = []
        for which in sorted(chosen):
            entries = index.stretch_at(which)
            if which < index.closed:
                record: IncidentRecord | None = self._closed_record(entries)
                faults = () if record is None else record.faults
            else:
                record = self._newest(index, self._at_least(now))
                faults = fold_faults(self.premises, shortened(entries, self._longest), index.corruptions)
            found += [Strike(each, record) for each in faults if each.id == fault]
        return found, len(struck_at) - len(chosen)

    def standing_faults(self, nodes: Collection[int], before: float) -> dict[int, list[FaultOccurred]]:
        """By node, the permanent faults that struck earlier and that it still carried at ``before``."""
        carried: dict[int, list[FaultOccurred]] = {node: [] for node in nodes}
        in_repair: dict[int, list[FaultOccurred]] = {}
        for fact in self._indexed_facts().facts:
            if fact.at >= before:
                break
            if isinstance(fact, _TAKEN_OUT) and fact.node in carried:
                in_repair[fact.node], carried[fact.node] = carried[fact.node], []
            elif type(fact) is NodeReturned and fact.node in carried:
                carried[fact.node] = [] if fact.cured else in_repair.get(fact.node, [])
            elif type(fact) is DeviceReset and fact.node in carried:
                carried[fact.node] = [each for each in carried[fact.node] if each.fault not in fact.cured]
            elif type(fact) is FaultOccurred and fact.node in carried and not fact.transient:
                carried[fact.node] += [fact] if fact.symptom is not Symptom.BENIGN else []
        return carried

    def decisions(self, until: float) -> Iterator[DecisionRecord]:
        """Decisions, newest first."""
        for record in self.newest_first(until):
            yield from reversed(record.decisions)

    def unsettled(self, until: float) -> tuple[FaultRecord, ...]:
        """What has struck since training was last verified."""
        index = self._indexed_facts()
        begins, ends = index.bounds(until)
        stretch = shortened(index.facts[begins:ends], self._longest)
        return fold_faults(self.premises, stretch, index.corruptions)

    def _newest(self, index: "_Index", now: float) -> IncidentRecord | None:
        """What has been open since the last resume; None when nothing has."""
        asked = (self._indexed, now)
        if self._folded_open[0] != asked:
            tail = shortened(index.facts[index.tail_begins :], self._longest)
            self._folded_open = (asked, fold(self.premises, tail, now, index.corruptions))
        return self._folded_open[1]

    def _closed_record(self, stretch: Sequence[Entry]) -> IncidentRecord:
        """The record of a closed incident; those that were asked for lately are at hand."""
        resumed = stretch[-1]
        assert isinstance(resumed, TrainingResumed)  # noqa: S101 - it is what closes a stretch
        record = self._folded.get(resumed.incident)
        if record is None:
            facts = shortened(stretch, self._longest)
            record = fold(self.premises, facts, resumed.at, self._indexed_facts().corruptions)
            assert record is not None  # noqa: S101 - it was closed, so it was opened
            while len(self._folded) >= _FOLDED_KEPT:
                del self._folded[next(iter(self._folded))]
            self._folded[resumed.incident] = record
        return record

    def _at_least(self, now: float) -> float:
        """History may have gone on since the page's view was made."""
        newest = self._open[-1:] or ([self._closed[-1]] if self._closed else [])
        return max([now, *(entry.at for entry in newest)])

    def _indexed_facts(self) -> "_Index":
        if self._indexed != self._taken:
            self._index = _Index((*self._closed, *self._open), complete=self._is_complete)
            self._indexed = self._taken
        return self._index


class History:
    """A chronicle per scenario."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        """Nothing has happened yet; the more scenarios there are, the less is kept of each."""
        share = _FACTS_KEPT_IN_ALL // max(1, len(scenarios))
        kept = max(_LEAST_FACTS_KEPT, min(FACTS_KEPT, share))
        self._chronicles = {scenario.name: Chronicle(premises_of(scenario), kept) for scenario in scenarios}

    def facts(self, scenario: str, facts: Sequence[Fact]) -> None:
        """These happened next in this scenario."""
        self._chronicles[scenario].take(facts)

    @property
    def chronicles(self) -> tuple[Chronicle, ...]:
        """One per scenario, in the order of the settings."""
        return tuple(self._chronicles.values())

    def of(self, scenario: str) -> Chronicle | None:
        """The chronicle of this scenario; None when there is none of that name."""
        return self._chronicles.get(scenario)


class _Index:
    """The kept facts at one moment, cut into stretches from resume to resume."""

    __slots__ = ("_resumes", "_strikes", "begins", "corruptions", "facts", "first_number", "gaps", "since")

    def __init__(self, facts: tuple[Entry, ...], *, complete: bool) -> None:
        """``complete`` when nothing was forgotten; else the first stretch lacks its beginning: left out."""
        self.facts = facts
        resumes = [position for position, fact in enumerate(facts) if type(fact) is TrainingResumed]
        self.begins = 0
        self.since = 0.0
        if not complete and resumes:
            self.begins = resumes.pop(0) + 1
            self.since = facts[self.begins - 1].at
        self._resumes = resumes
        self._strikes: dict[str, list[int]] | None = None
        self.gaps = [fact for fact in facts[self.begins :] if type(fact) is FactsLeftOut]
        first = facts[resumes[0]] if resumes else None
        self.first_number = first.incident if isinstance(first, TrainingResumed) else None
        self.corruptions: dict[str, list[Corruption]] = {}
        """What corrupted the training state, by fault: a later stretch may be about it."""
        for fact in facts:
            if type(fact) is FaultOccurred and fact.symptom is _CORRUPT:
                self.corruptions.setdefault(fact.fault, []).append(Corruption(fact))
            elif type(fact) is CorruptionBaked and fact.fault in self.corruptions:
                self.corruptions[fact.fault][-1].baked_step = fact.step

    @property
    def closed(self) -> int:
        """How many closed stretches there are; the one after them is still open."""
        return len(self._resumes)

    @property
    def tail_begins(self) -> int:
        """The position of the first fact since the last resume."""
        return self._resumes[-1] + 1 if self._resumes else self.begins

    @property
    def open_number(self) -> int | None:
        """The number of the incident that is open; None when there is none."""
        for fact in self.facts[self.tail_begins :]:
            if (
                isinstance(fact, DetectionRaised | FalseAlarmRaised | StageFinished)
                and fact.incident is not None
            ):
                return fact.incident
        return None

    @property
    def strikes(self) -> dict[str, list[int]]:
        """Fault -> the positions of its strikes."""
        if self._strikes is None:
            found: defaultdict[str, list[int]] = defaultdict(list)
            for position in range(self.begins, len(self.facts)):
                fact = self.facts[position]
                if type(fact) is FaultOccurred:
                    found[fact.fault].append(position)
            self._strikes = dict(found)
        return self._strikes

    def stretch(self, number: int) -> Sequence[Entry] | None:
        """The facts of a closed incident; incidents are numbered in the order in which they close."""
        if self.first_number is None or not 0 <= number - self.first_number < len(self._resumes):
            return None
        return self.stretch_at(number - self.first_number)

    def told_at(self, position: int) -> int:
        """The position of the fact with most to tell of the strike at ``position``: it may be found late."""
        struck = self.facts[position]
        if type(struck) is not FaultOccurred or struck.symptom is not _CORRUPT:
            return position
        found = (
            later
            for later in range(position + 1, len(self.facts))
            if type(fact := self.facts[later]) is DetectionRaised
            and fact.fault == struck.fault
            and is_strike(struck.at, fact)
        )
        return next(found, position)

    def stretch_around(self, position: int) -> int:
        """Which stretch holds the fact at ``position``."""
        return bisect_right(self._resumes, position - 1)

    def stretch_at(self, which: int) -> Sequence[Entry]:
        """The facts of a stretch, closed or not."""
        begins = self._resumes[which - 1] + 1 if which else self.begins
        ends = self._resumes[which] + 1 if which < len(self._resumes) else len(self.facts)
        return self.facts[begins:ends]

    def bounds(self, until: float) -> tuple[int, int]:
        """The positions of the stretch that was not closed at ``until``: its first, and one past its last."""
        ends = bisect_right(self.facts, until, key=lambda fact: fact.at)
        closed = bisect_right(self._resumes, ends - 1)
        return (self._resumes[closed - 1] + 1 if closed else self.begins), max(ends, self.begins)

    def closed_before(self, position: int, from_number: int | None) -> Iterator[Sequence[Entry]]:
        """Closed stretches that end before ``position``, from ``from_number`` on backwards."""
        newest = bisect_right(self._resumes, position - 1) - 1
        if from_number is not None and self.first_number is not None:
            newest = min(newest, from_number - self.first_number)
        for which in range(newest, -1, -1):
            yield self.stretch_at(which)
