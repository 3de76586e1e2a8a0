"""What settings are: the tables of the TOML file, and the scenarios that come out of it.

Tables that configure the core are declared beside what they configure; here are the daemon's own
and the two shapes that hold them all: ``Document``, one file, and ``Scenario``, what one simulation
is built from. Knows no TOML text, no environment and no wording of mistakes.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Final, Literal

from annotated_types import MinLen
from pydantic import Field

from goodputd.detectors import DetectionSpec
from goodputd.policies import PolicySpec
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.specs.cluster import ClusterSpec
from goodputd.sim.specs.corruption import CorruptionSpec
from goodputd.sim.specs.faults import FaultsSpec
from goodputd.sim.specs.fields import SPEC, Count, Name, PositiveFloat, PositiveSeconds, Probability
from goodputd.sim.specs.job import JobSpec, LossSpec
from goodputd.sim.specs.recovery import RecoverySpec

NAME_PATTERN: Final = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$"
"""Names that become label values, and of scenarios parts of addresses, where ".." is the folder above."""

LABEL_RULE: Final = 'must be 1 to 64 letters, digits, "_", "-" or, not in front, "."'

LabelName = Annotated[str, Field(pattern=NAME_PATTERN)]

DEFAULT_INTERVAL_SECONDS: Final = 472.0
"""sqrt(2 x save x MTBF), the interval that loses least by Young, for a save of 10 s and the 3.093 h
between the 419 interruptions of 54 days of Llama 3."""

DEFAULT_VALIDATION_STEPS: Final = 80
"""The same in steps of 5.9 s, so that every checkpoint is validated first."""

DEFAULT_SCENARIO: Final = "default"

GLOBAL: Final = ("seed", "clock", "http", "log")
"""Keys and tables that hold for all scenarios, first in every list."""

_HOST: Final = re.compile(r"[A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\]")
_LAST_PORT: Final = 65535


def split_listen(listen: str) -> tuple[str, int]:
    """The host, without brackets and empty for all addresses, and the port of "host:port".

    Errors: ``ValueError`` with what is allowed.
    """
    host, colon, port = listen.rpartition(":")
    if not colon or not _HOST.fullmatch(host) or not (port.isascii() and port.isdigit()):
        message = 'must be "host:port" or ":port", an IPv6 host in brackets'
        raise ValueError(message)
    if len(port) > len(str(_LAST_PORT)) or int(port) > _LAST_PORT:
        message = f"must have a port of at most {_LAST_PORT}"
        raise ValueError(message)
    return host.strip("[]"), int(port)


def start_timestamp(start: str) -> float:
    """Unix seconds of an ISO 8601 date and time. Errors: ``ValueError`` with what is allowed."""
    try:
        moment = datetime.fromisoformat(start)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        message = 'must be a date and time with a time zone, for instance "2026-01-01T00:00:00Z"'
        raise ValueError(message)
    return moment.timestamp()


@dataclass(slots=True, kw_only=True)
class ClockSpec:
    """Accelerated time; holds for all scenarios."""

    __pydantic_config__ = SPEC

    speedup: PositiveFloat = 1440.0
    """Simulated seconds per real second; at 1440 one minute here is one day there."""
    start: str = "2026-01-01T00:00:00Z"
    """When the simulated time starts: a date and time with a time zone."""


@dataclass(slots=True, kw_only=True)
class HttpSpec:
    """Where /metrics and the pages are served."""

    __pydantic_config__ = SPEC

    listen: str = "127.0.0.1:9642"
    """Address "host:port"; ":9642" or "0.0.0.0:9642" lets other machines in, port 0 takes a free one."""
    allowed_hosts: tuple[Name, ...] = ()
    """Names under which browsers may ask besides the address itself, against DNS rebinding."""


@dataclass(slots=True, kw_only=True)
class LogSpec:
    """The log, on stdout."""

    __pydantic_config__ = SPEC

    format: Literal["auto", "json", "console"] = "auto"
    """"auto" is "console" in a terminal and "json" elsewhere."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least level that is logged."""


@dataclass(slots=True, kw_only=True)
class TargetsSpec:
    """What alerts and dashboards compare with; changes nothing in the simulation."""

    __pydantic_config__ = SPEC

    goodput: Probability = 0.9
    """Share of time that should be productive, 0 to 1."""
    mttr_seconds: PositiveSeconds = 390.0
    """Mean stopped seconds per incident that are acceptable."""


@dataclass(slots=True, kw_only=True)
class Tables:
    """The tables that a scenario may override."""

    __pydantic_config__ = SPEC

    cluster: ClusterSpec = field(default_factory=ClusterSpec)
    job: JobSpec = field(default_factory=JobSpec)
    loss: LossSpec = field(default_factory=LossSpec)
    faults: FaultsSpec = field(default_factory=FaultsSpec)
    corruption: CorruptionSpec = field(default_factory=CorruptionSpec)
    detection: DetectionSpec = field(default_factory=DetectionSpec)
    policy: PolicySpec = field(default_factory=PolicySpec)
    recovery: RecoverySpec = field(default_factory=RecoverySpec)
    checkpoint: CheckpointSpec = field(default_factory=CheckpointSpec)
    targets: TargetsSpec = field(default_factory=TargetsSpec)


@dataclass(slots=True, kw_only=True)
class Entry(Tables):
    """One scenario: a name and what differs from the tables above; all play on the same faults."""

    __pydantic_config__ = SPEC

    name: LabelName
    """Unique name; the metric label `scenario`."""
    alerting: bool = True
    """Whether alerts fire for this scenario; off for a bad example that runs beside the real one."""


@dataclass(slots=True, kw_only=True)
class GridSpec:
    """One key and its values: a scenario for each that differs from the tables above in that key alone."""

    __pydantic_config__ = SPEC

    key: Name
    """The key, with its table: "checkpoint.interval_seconds"."""
    values: Annotated[tuple[bool | int | float | str | tuple[str, ...], ...], MinLen(1)]
    """Its values; each becomes a scenario named after it."""
    name: LabelName | None = None
    """What the names begin with, before "-" and the value; without, the last part of the key."""
    alerting: bool = False
    """Whether alerts fire for these scenarios."""


@dataclass(slots=True, kw_only=True)
class Document(Tables):
    """Settings of goodputd: what cluster is played, how it breaks, how it is watched and repaired."""

    __pydantic_config__ = SPEC

    seed: Count = 1
    """Root of all luck; the same seed and settings play the same history."""
    clock: ClockSpec = field(default_factory=ClockSpec)
    http: HttpSpec = field(default_factory=HttpSpec)
    log: LogSpec = field(default_factory=LogSpec)
    scenario: tuple[Entry, ...] = ()
    """Several simulations side by side on the same faults; none written is one, named "default"."""
    grid: tuple[GridSpec, ...] = ()
    """More of them, one for each value of a key."""


@dataclass(slots=True, kw_only=True)
class Scenario(Entry):
    """What one simulation is built from."""

    digest: str
    """8 hexadecimal digits of seed and effective settings: equal digests play the same history."""
    paired: bool
    """Meets the same faults as the first scenario."""


@dataclass(slots=True, kw_only=True)
class Settings:
    """Everything that was asked for, valid and complete."""

    seed: int
    clock: ClockSpec
    http: HttpSpec
    log: LogSpec
    scenarios: tuple[Scenario, ...]
    source: str
    """The file, as people know it, or "built-in defaults"."""
    origins: dict[str, str]
    """Dotted key -> default, file, environment or flag; an override of scenario s is under
    "scenario.s.key" as well."""

    @property
    def clock_start_timestamp(self) -> float:
        """Unix seconds of simulated second 0."""
        return start_timestamp(self.clock.start)
