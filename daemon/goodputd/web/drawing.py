"""Drawings to scale, as geometry: where each bar begins and how wide it is, in percent of its axis.

The templates turn them into inline SVG, whose lengths in percent fit any screen while texts keep
their size. Colours are classes, in ``static/style.css``. Knows records, no template and no page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from goodputd.history.phrases import time_spent
from goodputd.history.records import FaultOutcome, FaultRecord, IncidentRecord, StageRecord
from goodputd.narration import duration
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.specs.fields import SECONDS_PER_HOUR
from goodputd.sim.taxonomy import STOPPING, Bucket
from goodputd.web.words import percent, spoken

PROVISIONAL: Final = "provisional"
"""Running time that no durable checkpoint covers yet; it will be productive or lost work."""
RETRACTED: Final = "retracted"
"""Training that a checkpoint held and that was taken back: no longer productive, though its bucket has it."""
_SHOWN_HOURS: Final = (6, 12, 24)
"""What a day shows: the least of these that holds all that has been played, else the last."""
_SHORTEST_AXIS_SECONDS: Final = 480.0
_TICKS: Final = (
    60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14400.0, 21600.0, 43200.0, 86400.0,
)  # fmt: skip
_MOST_TICKS: Final = 6
_OUTLIER: Final = 4.0
"""A bar this many times longer than the median is cut, and says so."""
_BEYOND_TARGET: Final = 1.1
"""What is a little over the target still shows by how much."""


@dataclass(slots=True)
class Bar:
    """A part of a drawing; ``kind`` is its class, the title says in words what it is."""

    kind: str
    left: float
    """Percent of the axis."""
    width: float
    title: str


@dataclass(slots=True)
class Tick:
    """A mark on an axis."""

    left: float
    label: str


@dataclass(slots=True)
class Axis:
    """What 100 percent are."""

    seconds: float
    ticks: tuple[Tick, ...]


@dataclass(slots=True)
class Line:
    """One incident as a line of bars; ``cut`` when it goes on beyond the axis."""

    bars: tuple[Bar, ...]
    cut: bool


def incident_axis(lengths_seconds: Sequence[float], targets_seconds: Sequence[float]) -> Axis:
    """The common axis of incidents so long: room for all of them but outliers, and for the targets.

    A target that would squash the incidents is an outlier as well.
    """
    longest = max(lengths_seconds, default=0.0)
    usual = _OUTLIER * median(lengths_seconds) if lengths_seconds else 0.0
    seconds = max(min(longest, usual), _SHORTEST_AXIS_SECONDS)
    near = [_BEYOND_TARGET * target for target in targets_seconds if target <= _OUTLIER * seconds]
    seconds = max(seconds, *near, 0.0)
    spacing = next((each for each in _TICKS if seconds / each <= _MOST_TICKS), _TICKS[-1] * 10.0)
    marks = [spacing * number for number in range(int(seconds // spacing) + 1)]
    ticks = tuple(
        Tick(100.0 * at / seconds, duration(at) if at else "stop") for at in marks if at < 0.95 * seconds
    )
    return Axis(seconds, ticks)


def target_tick(axis: Axis, target_seconds: float) -> Tick | None:
    """Where the target of an incident ends; None when that is beyond the axis."""
    if target_seconds > axis.seconds:
        return None
    return Tick(100.0 * target_seconds / axis.seconds, f"target {duration(target_seconds)}")


def incident_line(incident: IncidentRecord, axis: Axis) -> Line:
    """The stages of one incident from its stop on."""
    bars = []
    for stage in incident.stages:
        begins = stage.begins_at - incident.stopped_at
        ends = min(begins + stage.seconds, axis.seconds)
        if ends > begins:
            left = 100.0 * begins / axis.seconds
            bars.append(Bar(kind_of(stage), left, 100.0 * ends / axis.seconds - left, stage_title(stage)))
    return Line(tuple(bars), incident.stopped_seconds > axis.seconds)


def kind_of(stage: StageRecord) -> str:
    """The class of a stage: stages that share a bucket have shades of its colour."""
    return f"stage-{stage.name}"


def stage_title(stage: StageRecord) -> str:
    """A stage in words."""
    cut = ", cut short" if stage.cut else ""
    return f"{spoken(stage.name)} {duration(stage.seconds)}{cut}"


def shares(snapshot: Snapshot) -> dict[str, float]:
    """Share of elapsed time by bucket, what was retracted or is provisional beside them; they add up to 1."""
    seconds: dict[str, float] = {str(bucket): spent for bucket, spent in snapshot.seconds.items()}
    ordered = {
        Bucket.PRODUCTIVE.value: seconds.pop(Bucket.PRODUCTIVE) - snapshot.retracted_seconds,
        # Beside productive, whose colour it has in a lighter shade.
        PROVISIONAL: snapshot.provisional_seconds,
        RETRACTED: snapshot.retracted_seconds,
        **seconds,
    }
    elapsed = snapshot.now
    return {bucket: spent / elapsed if elapsed > 0.0 else 0.0 for bucket, spent in ordered.items()}


def whole_bar(snapshot: Snapshot) -> tuple[Bar, ...]:
    """All of elapsed time as one bar."""
    bars: list[Bar] = []
    left = 0.0
    for bucket, share in shares(snapshot).items():
        if share > 0.0:
            bars.append(
                Bar(f"bucket-{bucket}", left, 100.0 * share, f"{time_spent(bucket)} {percent(share)}")
            )
            left += 100.0 * share
    return tuple(bars)


def day_line(
    incidents: Sequence[IncidentRecord],
    unsettled: Sequence[FaultRecord],
    now: float,
    axis: Axis,
    *,
    known_since: float = 0.0,
) -> tuple[Bar, ...]:
    """The last hours up to ``now``, at the right: training, the work that was lost, and the stages.

    ``incidents`` come newest first and reach back to the beginning of the axis, or to ``known_since``:
    what was before is left blank. ``unsettled`` are the faults since the last resume, one of which may
    have stopped the job without anybody knowing.
    """
    day = _Day(now, axis)
    trained_until = now
    stopped_at = min((fault.at for fault in unsettled if _stalls(fault)), default=None)
    if stopped_at is not None and not (incidents and incidents[0].is_open):
        day.draw("stage-detect", stopped_at, now, "not noticed yet")
        trained_until = stopped_at
    for incident in incidents:
        if incident.resumed_at is not None:
            day.draw("bucket-productive", incident.resumed_at, trained_until, "training")
        for stage in incident.stages:
            day.draw(kind_of(stage), stage.begins_at, stage.begins_at + stage.seconds, spoken(stage.name))
        trained_until = incident.stopped_at - (incident.lost_work_seconds or 0.0)
        day.draw("bucket-lost_work", trained_until, incident.stopped_at, "lost work")
    day.draw("bucket-productive", known_since, trained_until, "training")
    return tuple(sorted(day.bars, key=lambda bar: bar.left))


def day_axis(now: float) -> Axis:
    """The hours up to ``now``, at most a day."""
    hours = next((each for each in _SHOWN_HOURS if each * SECONDS_PER_HOUR >= now), _SHOWN_HOURS[-1])
    quarters = (
        Tick(25.0 * number, f"{hours * (4 - number) // 4} h ago")
        for number in range(4)
        if hours % 4 == 0 or number % 2 == 0
    )
    return Axis(hours * SECONDS_PER_HOUR, (*quarters, Tick(100.0, "now")))


def _stalls(fault: FaultRecord) -> bool:
    return fault.symptom in STOPPING and fault.outcome is FaultOutcome.UNDETECTED


class _Day:
    """The hours that end now."""

    def __init__(self, now: float, axis: Axis) -> None:
        self._begins = now - axis.seconds
        self._now = now
        self._scale = 100.0 / axis.seconds
        self.bars: list[Bar] = []

    def draw(self, kind: str, since: float, until: float, what: str) -> None:
        """A bar, as far as it lies on the axis."""
        seconds = until - since
        since, until = max(since, self._begins), min(until, self._now)
        if until > since:
            left = (since - self._begins) * self._scale
            self.bars.append(Bar(kind, left, (until - since) * self._scale, f"{what} {duration(seconds)}"))
