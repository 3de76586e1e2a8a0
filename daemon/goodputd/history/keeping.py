"""The kept facts: the newest of every scenario, and the way from a number to an incident.

Taking facts costs one append each, however fast history is played; an index is made and incidents
are folded only when a page asks. What is older than the newest facts is forgotten.
"""

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from goodputd.history.fold import Corruption, fold, fold_faults, is_strike
from goodputd.history.premises import Premises, premises_of
from goodputd.history.records import DecisionRecord, FaultRecord, IncidentRecord
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
"""Of one scenario: about 500 incidents, and two megabytes."""
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
        self._facts: deque[Fact] = deque(maxlen=facts_kept)
        self._taken = 0
        self._folded: dict[int, IncidentRecord] = {}
        """Closed incidents that a page asked for, by number: they do not change any more."""
        self._index = _Index((), complete=True)
        self._indexed = 0

    def take(self, facts: Sequence[Fact]) -> None:
        """These happened next."""
        self._facts.extend(facts)
        self._taken += len(facts)

    @property
    def since(self) -> float:
        """From when on everything is kept, simulated seconds."""
        return self._indexed_facts().since

    def incident(self, number: int, now: float) -> IncidentRecord | None:
        """The incident of this number, open or closed; None when it is not kept or has not been."""
        index = self._indexed_facts()
        stretch = index.stretch(number)
        if stretch is not None:
            return self._closed(stretch)
        record = fold(self.premises, index.tail, self._at_least(now), index.corruptions)
        return record if record is not None and record.number == number else None

    @property
    def first_number(self) -> int | None:
        """The number of the oldest closed incident that is kept; None before the first was closed."""
        return self._indexed_facts().first_number

    def has(self, number: int) -> bool:
        """Whether the incident of this number is kept, open or closed."""
        index = self._indexed_facts()
        return index.stretch(number) is not None or number == index.open_number

    def newest_first(self, until: float, before: float = math.inf) -> Iterator[IncidentRecord]:
        """Incidents that were opened by ``until`` and stopped the job before ``before``.

        The one that was open at ``until`` is shown as of then.
        """
        index = self._indexed_facts()
        begins, ends = index.bounds(until)
        record = fold(self.premises, index.facts[begins:ends], until, index.corruptions)
        if record is not None and record.stopped_at < before:
            yield record
        for stretch in index.closed_before(begins, before):
            record = self._closed(stretch)
            if record.stopped_at < before:
                yield record

    def strikes(self, fault: str, now: float) -> list[Strike]:
        """Every kept strike of this fault, oldest first, with the incident in which it was found."""
        index = self._indexed_facts()
        found = []
        for position, fact in enumerate(index.facts):
            if type(fact) is FaultOccurred and fact.fault == fault and position >= index.begins:
                stretch = index.around(index.told_at(position, fact))
                records = fold_faults(self.premises, stretch, index.corruptions)
                record = fold(self.premises, stretch, self._at_least(now), index.corruptions)
                found += [Strike(each, record) for each in records if (each.id, each.at) == (fault, fact.at)]
        return found

    def standing_faults(self, node: int, before: float) -> list[FaultOccurred]:
        """Permanent faults that struck ``node`` earlier and that it still carried at ``before``."""
        carried: list[FaultOccurred] = []
        in_repair: list[FaultOccurred] = []
        for fact in self._facts:
            if fact.at >= before:
                break
            if isinstance(fact, _TAKEN_OUT) and fact.node == node:
                carried, in_repair = [], carried
            elif type(fact) is NodeReturned and fact.node == node:
                carried = [] if fact.cured else in_repair
            elif type(fact) is DeviceReset and fact.cured:
                carried = [each for each in carried if each.fault not in fact.cured]
            elif type(fact) is FaultOccurred and fact.node == node and not fact.transient:
                carried += [fact] if fact.symptom is not Symptom.BENIGN else []
        return carried

    def decisions(self, until: float) -> Iterator[DecisionRecord]:
        """Decisions, newest first."""
        for record in self.newest_first(until):
            yield from reversed(record.decisions)

    def unsettled(self, until: float) -> tuple[FaultRecord, ...]:
        """What has struck since training was last verified."""
        index = self._indexed_facts()
        begins, ends = index.bounds(until)
        return fold_faults(self.premises, index.facts[begins:ends], index.corruptions)

    def _closed(self, stretch: tuple[Fact, ...]) -> IncidentRecord:
        """The record of a closed incident; those that were asked for lately are at hand."""
        resumed = stretch[-1]
        assert isinstance(resumed, TrainingResumed)  # noqa: S101 - it is what closes a stretch
        record = self._folded.get(resumed.incident)
        if record is None:
            record = fold(self.premises, stretch, resumed.at, self._indexed_facts().corruptions)
            assert record is not None  # noqa: S101 - it was closed, so it was opened
            while len(self._folded) >= _FOLDED_KEPT:
                del self._folded[next(iter(self._folded))]
            self._folded[resumed.incident] = record
        return record

    def _at_least(self, now: float) -> float:
        """History may have gone on since the page's view was made."""
        return max(now, self._facts[-1].at) if self._facts else now

    def _indexed_facts(self) -> "_Index":
        if self._indexed != self._taken:
            self._index = _Index(tuple(self._facts), complete=self._taken <= len(self._facts))
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
    """The facts at one moment, cut into stretches from resume to resume."""

    __slots__ = ("_resumes", "begins", "corruptions", "facts", "first_number", "since")

    def __init__(self, facts: tuple[Fact, ...], *, complete: bool) -> None:
        """``complete`` when nothing was forgotten; else the first stretch lacks its beginning: left out."""
        self.facts = facts
        resumes = [position for position, fact in enumerate(facts) if type(fact) is TrainingResumed]
        self.begins = 0
        self.since = 0.0
        if not complete:
            self.begins = resumes.pop(0) + 1 if resumes else len(facts)
            self.since = facts[self.begins - 1].at if facts else 0.0
        self._resumes = resumes
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
    def tail(self) -> tuple[Fact, ...]:
        """Facts since the last resume."""
        return self.facts[self._resumes[-1] + 1 if self._resumes else self.begins :]

    @property
    def open_number(self) -> int | None:
        """The number of the incident that is open; None when there is none."""
        for fact in self.tail:
            if (
                isinstance(fact, DetectionRaised | FalseAlarmRaised | StageFinished)
                and fact.incident is not None
            ):
                return fact.incident
        return None

    def stretch(self, number: int) -> tuple[Fact, ...] | None:
        """The facts of a closed incident; incidents are numbered in the order in which they close."""
        if self.first_number is None or not 0 <= number - self.first_number < len(self._resumes):
            return None
        return self._closed(number - self.first_number)

    def told_at(self, position: int, struck: FaultOccurred) -> int:
        """The position of the fact with most to tell of the strike at ``position``: it may be found late."""
        if struck.symptom is not _CORRUPT:
            return position
        found = (
            later
            for later in range(position + 1, len(self.facts))
            if type(fact := self.facts[later]) is DetectionRaised
            and fact.fault == struck.fault
            and is_strike(struck.at, fact)
        )
        return next(found, position)

    def around(self, position: int) -> tuple[Fact, ...]:
        """The stretch that holds the fact at ``position``."""
        which = bisect_right(self._resumes, position - 1)
        return self._closed(which) if which < len(self._resumes) else self.tail

    def bounds(self, until: float) -> tuple[int, int]:
        """The positions of the stretch that was not closed at ``until``: its first, and one past its last."""
        ends = bisect_right(self.facts, until, key=lambda fact: fact.at)
        closed = bisect_right(self._resumes, ends - 1)
        return (self._resumes[closed - 1] + 1 if closed else self.begins), max(ends, self.begins)

    def closed_before(self, position: int, before: float) -> Iterator[tuple[Fact, ...]]:
        """Closed stretches that end before ``position`` and may begin before ``before``, newest first."""
        for which in range(bisect_right(self._resumes, position - 1) - 1, -1, -1):
            if which == 0 or self.facts[self._resumes[which - 1]].at < before:
                yield self._closed(which)

    def _closed(self, which: int) -> tuple[Fact, ...]:
        begins = self._resumes[which - 1] + 1 if which else self.begins
        return self.facts[begins : self._resumes[which] + 1]
