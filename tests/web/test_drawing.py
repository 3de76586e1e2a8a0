"""Geometry: what is drawn where."""

import itertools

import pytest

from goodputd.web.drawing import day_axis, day_line, incident_axis, incident_line, target_tick, whole_bar
from tests import snapshots
from tests.history.past import BUSY, DAY, Past, strike

HOUR = 3600.0


def test_the_axis_holds_all_incidents() -> None:
    """The longest of like ones fits, and round ticks divide it."""
    axis = incident_axis([300.0, 700.0, 900.0], [360.0])

    assert (900.0, ["stop", "5 min", "10 min"]) == (axis.seconds, [tick.label for tick in axis.ticks])


def test_an_outlier_does_not_squash_the_others() -> None:
    """One that took a day among such of six minutes is cut at four times the median, and says so."""
    axis = incident_axis([360.0, 350.0, 370.0, DAY], [360.0])
    past = Past(strike(HOUR, "crash"), layers='"gradient"').until(DAY)

    assert 1460.0 == axis.seconds
    assert (True, 100.0) == (
        incident_line(past.incident(1), axis).cut,
        incident_line(past.incident(1), axis).bars[-1].left
        + incident_line(past.incident(1), axis).bars[-1].width,
    )


@pytest.mark.parametrize("lengths", [[], [1.0], [200.0]])
def test_every_target_is_on_the_axis(lengths: list[float]) -> None:
    """However short the incidents, the target of each scenario has its place on the common axis."""
    axis = incident_axis(lengths, [360.0, 600.0])
    ticks = [target_tick(axis, seconds) for seconds in (360.0, 600.0)]

    assert 660.0 == pytest.approx(axis.seconds)
    assert ["target 6 min", "target 10 min"] == [tick.label for tick in ticks if tick is not None]
    assert [pytest.approx(54.545, abs=0.001), pytest.approx(90.909, abs=0.001)] == [
        tick.left for tick in ticks if tick is not None
    ]


def test_a_target_of_a_day_does_not_squash_the_incidents() -> None:
    """One that lies far beyond all incidents is not drawn."""
    axis = incident_axis([300.0, 340.0], [360.0, DAY])

    assert (480.0, None) == (axis.seconds, target_tick(axis, DAY))


def test_a_line_is_to_scale() -> None:
    """Bars are as wide as their stages are long, and follow each other."""
    incident = Past(strike(HOUR, "crash", logged=True)).until(DAY).incident(1)
    line = incident_line(incident, incident_axis([incident.stopped_seconds], [360.0]))
    bars = [(bar.kind, round(bar.left * 4.8, 6), round(bar.width * 4.8, 6)) for bar in line.bars]

    assert [
        ("stage-detect", 0.0, 2.0), ("stage-decide", 2.0, 30.0), ("stage-reschedule", 32.0, 43.0),
        ("stage-collective_init", 75.0, 17.0), ("stage-restore", 92.0, 100.0), ("stage-compile", 192.0, 30.0),
        ("stage-verify", 222.0, 30.0),
    ] == bars  # fmt: skip


def test_the_whole_bar_is_whole() -> None:
    """All buckets and what is provisional fill the bar, in order and without a gap."""
    bars = whole_bar(snapshots.snapshot())

    assert pytest.approx(100.0) == sum(bar.width for bar in bars)
    assert ["bucket-productive", "bucket-provisional"] == [bar.kind for bar in bars[:2]]
    assert all(pytest.approx(a.left + a.width) == b.left for a, b in itertools.pairwise(bars))


def test_retracted_work_is_not_productive() -> None:
    """What was taken back has a part of its own, which is missing from the productive one."""
    bars = whole_bar(snapshots.snapshot(retracted_seconds=8640.0))
    titles = {bar.kind: bar.title for bar in bars}

    assert pytest.approx(100.0) == sum(bar.width for bar in bars)
    assert ("productive 97.38 %", "retracted work 1.00 %") == (
        titles["bucket-productive"],
        titles["bucket-retracted"],
    )


def test_before_the_start_nothing_is_whole() -> None:
    """At second 0 no time has gone anywhere."""
    nothing = dict.fromkeys(snapshots.BUCKETS, 0.0)

    assert () == whole_bar(snapshots.snapshot(now=0.0, seconds=nothing, provisional_seconds=0.0))


@pytest.mark.parametrize(("now", "hours"), [(60.0, 6), (6 * HOUR, 6), (7 * HOUR, 12), (30 * HOUR, 24)])
def test_the_day_grows_with_what_there_is_to_show(now: float, hours: int) -> None:
    """Six hours, twelve, a day: as much as has been played, at most a day."""
    axis = day_axis(now)

    assert hours * HOUR == axis.seconds
    assert (f"{hours} h ago", "now") == (axis.ticks[0].label, axis.ticks[-1].label)


def test_a_day_is_covered_without_a_hole() -> None:
    """Training, lost work and stages of a busy day add up to the day."""
    past = Past(**{**BUSY, "wrong_restore_probability": 0.0}).until(40 * DAY)
    incidents = [i for i in past.all()[::-1] if i.resumed_at is None or i.resumed_at > 39 * DAY]
    bars = day_line(incidents, past.chronicle().unsettled(past.now), past.now, day_axis(past.now))

    assert len(incidents) > 2
    assert pytest.approx(100.0) == sum(bar.width for bar in bars)


def test_what_is_not_known_is_left_blank() -> None:
    """Where incidents are kept for part of a day, nothing is drawn before that."""
    past = Past(**{**BUSY, "wrong_restore_probability": 0.0}).until(40 * DAY)
    newest = past.all()[::-1][:2]
    known_since = newest[-1].stopped_at
    axis = day_axis(past.now)
    bars = day_line(newest, past.chronicle().unsettled(past.now), past.now, axis, known_since=known_since)

    assert pytest.approx(100.0 * (past.now - known_since) / DAY, abs=5.0) == 100.0 - bars[0].left
    assert bars[0].left > 10.0


def test_a_stall_that_nobody_noticed_is_drawn() -> None:
    """From the crash on the job stands still, whether or not it is an incident yet."""
    past = Past(strike(HOUR, "crash")).until(HOUR + 20.0)
    bars = day_line([], past.chronicle().unsettled(past.now), past.now, day_axis(past.now))

    assert [("bucket-productive", "training 1 h"), ("stage-detect", "not noticed yet 20 s")] == [
        (bar.kind, bar.title) for bar in bars
    ]
