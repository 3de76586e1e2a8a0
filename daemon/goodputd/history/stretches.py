"""Facts from one resume to the next, and how the long ones are kept short.

An incident may wait for capacity for years, with a few facts a day. Of such a stretch the beginning
and the newest facts are kept, and between them how many are not. Knows no record.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goodputd.sim.events import Fact, FaultOccurred, TrainingResumed
from goodputd.sim.taxonomy import Symptom


@dataclass(slots=True)
class FactsLeftOut:
    """Here facts are missing: so many, in the simulated seconds from ``at`` to ``until``."""

    at: float
    until: float
    facts: int


Entry = Fact | FactsLeftOut
"""What is kept: facts, and where there were more of them."""


def last_resume(facts: Sequence[Fact]) -> int:
    """The position of the last resume; -1 when there is none. Looks from the end."""
    for position in range(len(facts) - 1, -1, -1):
        if type(facts[position]) is TrainingResumed:
            return position
    return -1


def split(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Whole stretches, each up to and with its resume; ``entries`` end with one."""
    begins = 0
    for position, entry in enumerate(entries):
        if type(entry) is TrainingResumed:
            yield entries[begins : position + 1]
            begins = position + 1


def shortened(stretch: Sequence[Entry], most: int) -> Sequence[Entry]:
    """The stretch with at most ``most`` facts, its first and its newest; the same one if it is short.

    Benign faults, which change nothing, go first; then what is in the middle.
    """
    if len(stretch) <= most + 1:
        return stretch
    half = most // 2
    place = next((place for place, each in enumerate(stretch) if isinstance(each, FactsLeftOut)), None)
    if place is None:
        weighty = [each for each in stretch if not _is_benign(each)]
        opening, later = weighty[:half], weighty[half:]
        begins = until = (opening or stretch)[-1].at
        left_out = len(stretch) - len(weighty)
    else:
        gap = stretch[place]
        assert isinstance(gap, FactsLeftOut)  # noqa: S101 - it was found as one
        opening, later = list(stretch[:place]), [each for each in stretch[place:] if not _is_benign(each)][1:]
        begins, until = gap.at, gap.until
        left_out = gap.facts + len(stretch) - place - 1 - len(later)
    dropped, newest = later[:-half], later[-half:]
    if dropped:
        begins, until = (dropped[0].at if place is None else begins), dropped[-1].at
    return [*opening, FactsLeftOut(begins, until, left_out + len(dropped)), *newest]


def _is_benign(entry: Entry) -> bool:
    return isinstance(entry, FaultOccurred) and entry.symptom is Symptom.BENIGN
