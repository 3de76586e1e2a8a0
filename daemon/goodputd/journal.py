"""The daemon's log: which facts are said, in which look, how often, and to which stream.

Machines get one JSON object per fact; people get one line per incident. Both go through one limit
on lines a wall second, since at high speed there is more to say than anybody reads. Knows nothing
of simulations: it is handed facts, and a clock.
"""

import json
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, Final, Protocol, TextIO

import structlog
from structlog.typing import FilteringBoundLogger

from goodputd.narration import Narrator, day_and_time, event_fields, event_name, is_warning
from goodputd.sim.events import Fact

LINES_PER_WALL_SECOND: Final = 20
"""For people."""
OBJECTS_PER_WALL_SECOND: Final = 200
"""For machines: an incident is about ten objects, and at the default speed none of them is lost."""

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}


class Journal(Protocol):
    """Where the daemon says what happens."""

    def facts(self, scenario: str, facts: Sequence[Fact]) -> None:
        """Say what these facts of a scenario amount to."""
        ...

    def notice(self, event: str, lines: Sequence[str], **fields: object) -> None:
        """Say something of the daemon itself, never suppressed: ``lines`` for people, else one event."""
        ...

    def tell_suppressed(self) -> None:
        """Say how many lines were not said in the last second, if that second is over."""
        ...


class RateLimit:
    """Admits so many lines in each wall second and counts the others."""

    def __init__(self, clock: Callable[[], float], lines_per_second: int) -> None:
        """``clock`` gives wall seconds from any origin."""
        self._clock = clock
        self._limit = lines_per_second
        self._since = clock()
        self._admitted = 0
        self._suppressed = 0
        self._untold = 0

    def admit(self) -> bool:
        """Whether one more line may be said now; a line that may not is counted."""
        self._turn()
        if self._admitted < self._limit:
            self._admitted += 1
            return True
        self._suppressed += 1
        return False

    def suppress(self, lines: int) -> bool:
        """Whether no more lines may be said now; then so many are counted as suppressed at once."""
        self._turn()
        if self._admitted < self._limit:
            return False
        self._suppressed += lines
        return True

    def take_suppressed(self) -> int:
        """Lines suppressed in seconds that are over and not told yet; they count as told now."""
        self._turn()
        untold, self._untold = self._untold, 0
        return untold

    def _turn(self) -> None:
        """Begin a new second when the one at hand is over."""
        now = self._clock()
        if now - self._since >= 1.0:
            self._since = now
            self._untold += self._suppressed
            self._admitted = self._suppressed = 0


class JsonJournal:
    """One JSON object a line: every fact, with its wall time, simulated time and scenario."""

    def __init__(self, out: TextIO, level: str, limit: RateLimit, clock_start_timestamp: float) -> None:
        """``clock_start_timestamp`` is the Unix second of simulated second 0."""
        self._log = _logger(
            out,
            level,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=json.dumps),
        )
        self._says_every_fact = self._log.is_enabled_for(_LEVELS["info"])
        self._limit = limit
        self._start = clock_start_timestamp

    def facts(self, scenario: str, facts: Sequence[Fact]) -> None:
        """One line per fact."""
        if self._says_every_fact and self._limit.suppress(len(facts)):
            return
        for fact in facts:
            level = _LEVELS["warning" if is_warning(fact) else "info"]
            if self._log.is_enabled_for(level) and self._limit.admit():
                fields = event_fields(fact, self._start)
                self._log.log(level, event_name(fact), scenario=scenario, **fields)
        self.tell_suppressed()

    def notice(self, event: str, lines: Sequence[str], **fields: object) -> None:
        """One event; the lines are the same in words and are left out."""
        del lines
        self._log.info(event, **fields)

    def tell_suppressed(self) -> None:
        """An event of its own."""
        if count := self._limit.take_suppressed():
            self._log.info("lines_suppressed", count=count)


class ConsoleJournal:
    """One line per incident, with the day it began and the scenario."""

    def __init__(self, out: TextIO, level: str, limit: RateLimit, scenarios: Sequence[str]) -> None:
        """``scenarios`` are all that will ever speak."""
        self._log = _logger(out, level, _line)
        self._limit = limit
        self._narrators = {name: Narrator() for name in scenarios}
        self._width = max(map(len, scenarios), default=0)

    def facts(self, scenario: str, facts: Sequence[Fact]) -> None:
        """One line per story that the facts complete."""
        for story in self._narrators[scenario].feed(facts):
            level = _LEVELS["warning" if story.is_warning else "info"]
            if self._log.is_enabled_for(level) and self._limit.admit():
                name = scenario.ljust(self._width)
                self._log.log(level, f"{day_and_time(story.at)}  {name}  {story.text()}")
        self.tell_suppressed()

    def notice(self, event: str, lines: Sequence[str], **fields: object) -> None:
        """The lines; the event is the same for machines and is left out."""
        del event, fields
        for line in lines:
            self._log.info(line)

    def tell_suppressed(self) -> None:
        """A line of its own."""
        if count := self._limit.take_suppressed():
            self._log.info(f"... and {count:,} more in a second, not shown")


def open_journal(
    out: TextIO,
    *,
    style: str,
    level: str,
    scenarios: Sequence[str],
    clock: Callable[[], float],
    clock_start_timestamp: float,
) -> Journal:
    """The journal for ``style``: json, console, or auto, which is console in a terminal.

    ``level`` is debug, info, warning or error; ``clock`` gives wall seconds for the rate limit.
    """
    if style == "console" or (style == "auto" and out.isatty()):
        return ConsoleJournal(out, level, RateLimit(clock, LINES_PER_WALL_SECOND), scenarios)
    return JsonJournal(out, level, RateLimit(clock, OBJECTS_PER_WALL_SECOND), clock_start_timestamp)


def _logger(out: TextIO, level: str, *processors: structlog.typing.Processor) -> FilteringBoundLogger:
    """A logger that writes to ``out`` and shares no global configuration."""
    logger: FilteringBoundLogger = structlog.wrap_logger(
        structlog.PrintLogger(out),
        processors=list(processors),
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
    )
    return logger.bind()  # the lazy proxy would be resolved at every line


def _line(_: object, __: str, event: MutableMapping[str, Any]) -> str:
    """The renderer for people: the event is the line."""
    return str(event["event"])
