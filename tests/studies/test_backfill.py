"""What a backfill writes: every sample of the catalog at its simulated instant, as valid OpenMetrics."""

import io
import itertools
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from prometheus_client.openmetrics import parser
from prometheus_client.samples import Sample

from goodputd.assembly import build
from goodputd.errors import SettingsError
from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.collector import family
from goodputd.metrics.family import MetricSpec, MetricType
from goodputd.metrics.view import ScenarioView, View
from goodputd.service import in_force
from goodputd.settings import Settings, load
from goodputd.studies import spool as spooling
from goodputd.studies.backfill import AVAILABLE, Period, record, select
from goodputd.studies.spool import Spool, Written
from tests import snapshots

EVENTFUL: Final = Path(__file__).parent.parent / "absent_families.toml"
"""Two days in which every metric of the catalog appears, some of them late and some not for good."""
DAY: Final = 86400
START: Final = 1_790_000_000
LABELS: Final = {"instance": "backfill", "job": "goodputd"}

_parse: Callable[[str], Any] = parser.text_string_to_metric_families


def eventful() -> Settings:
    """Settings under which every metric appears."""
    return load(EVENTFUL, environ={})


def written(
    settings: Settings, period: Period, specs: tuple[MetricSpec, ...] = AVAILABLE
) -> tuple[str, Written]:
    """The text of a backfill and what it says it wrote."""
    out, scratch = io.BytesIO(), io.BytesIO()
    effects = [in_force(scenario, period.start_timestamp) for scenario in settings.scenarios]
    spool = Spool(specs, LABELS, scratch)
    record(build(settings), effects, period, spool, lambda _: None)
    told = spool.write(out, period.timestamps, lambda _: None)
    return out.getvalue().decode(), told


def samples(text: str) -> list[Sample]:
    """All samples, in order; the parser refuses what is no OpenMetrics."""
    return [sample for each in _parse(text) for sample in each.samples]


def samples_at(text: str, instant: int) -> list[Sample]:
    """The samples of one instant.

    prometheus_client's parser drops what follows the first point of a histogram, which it takes for a
    repetition, so it gets one point at a time; commands/test_backfill has a Prometheus for the others.
    """
    kept = [line for line in text.splitlines() if line.startswith("#") or line.endswith(f" {instant}")]
    return samples("\n".join(kept) + "\n")


def lines(text: str) -> list[tuple[str, int]]:
    """(series as it is written, Unix seconds) of each sample, in order."""
    split = [line.rsplit(" ", 2) for line in text.splitlines() if not line.startswith("#")]
    return [(series, int(time)) for series, _, time in split]


def expected_at(settings: Settings, seconds: float) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Every sample that a scrape would see after so many simulated seconds, with the labels of a scrape."""
    shown = []
    for scenario, simulation in zip(settings.scenarios, build(settings), strict=True):
        simulation.advance_to(seconds)
        shown.append(ScenarioView(simulation.snapshot(), in_force(scenario, float(START))))
    view = View(tuple(shown), replace(snapshots.daemon(), speedup=1.0))
    return {
        (sample.name, frozenset({**sample.labels, **LABELS}.items())): sample.value
        for spec in AVAILABLE
        if "scenario" in spec.labels
        for sample in family(spec, spec.read(view)).samples
    }


@pytest.fixture(scope="module")
def text() -> str:
    """Two eventful days with a sample every ten minutes."""
    return written(eventful(), Period(START, 2 * DAY, 600))[0]


@pytest.mark.parametrize("hours", [0, 1, 9, 47, 48])
def test_samples_of_an_instant_are_what_a_scrape_would_have_seen(text: str, hours: int) -> None:
    """Every series of the catalog has the value of the simulation at that instant, and no other exists."""
    actual = {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for sample in samples_at(text, START + hours * 3600)
        if "scenario" in sample.labels
    }

    assert expected_at(eventful(), hours * 3600.0) == actual


def test_every_sample_has_the_labels_of_a_scrape(text: str) -> None:
    """Job and instance stand on each sample, so that expressions that join on them find them."""
    labels = 'instance="backfill",job="goodputd"'

    assert [] == [series for series, _ in lines(text) if labels not in series]


def test_a_series_that_comes_late_has_no_sample_before(text: str) -> None:
    """The first mean time to detection of slow ranks comes with the first slow rank, at 3600 s."""
    slow = [
        time - START
        for series, time in lines(text)
        if series.startswith("goodputd_mttd_seconds{") and 'symptom="slow"' in series
    ]

    assert [*range(4200, 2 * DAY + 1, 600)] == slow


def test_a_series_that_goes_has_no_sample_after(text: str) -> None:
    """The node that is struck twice, at last at 28800 s, shows its strikes until its repair a day later."""
    struck = [time - START for series, time in lines(text) if series.startswith("goodputd_node_strikes{")]

    assert [*range(29400, 28800 + DAY + 1, 600)] == struck


def test_the_whole_text_is_openmetrics() -> None:
    """The parser reads every point of the families with one sample a point: it refuses and loses none."""
    plain = tuple(spec for spec in AVAILABLE if spec.type in {MetricType.COUNTER, MetricType.GAUGE})
    text, told = written(eventful(), Period(START, DAY // 2, 600), plain)

    assert told.samples == len(samples(text))


def test_a_metric_has_its_points_together_and_in_order(text: str) -> None:
    """A label set appears once; its points follow each other, each later than the one before."""
    metrics = [re.sub(r'_(bucket|count|sum)(?=\{)|le="[^"]*",', "", series) for series, _ in lines(text)]
    together = [metric for metric, _ in itertools.groupby(metrics)]
    times = defaultdict[str, list[int]](list)
    for series, time in lines(text):
        times[series].append(time)

    assert len(set(together)) == len(together)
    assert [] == [series for series, seen in times.items() if sorted(set(seen)) != seen]


def test_it_ends_with_one_eof(text: str) -> None:
    """OpenMetrics ends with a line of its own, and prometheus_client's ends of families are not in it."""
    assert 1 == text.count("# EOF")
    assert text.endswith("\n# EOF\n")


def test_it_says_how_much_it_wrote(text: str) -> None:
    """Samples and series are those in the text."""
    _, told = written(eventful(), Period(START, 2 * DAY, 600))
    series = {series for series, _ in lines(text)}

    assert Written(len(lines(text)), len(series)) == told


def test_the_text_does_not_depend_on_how_much_fits_into_memory(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces of a few points and blocks of a few lines make the same bytes."""
    monkeypatch.setattr(spooling, "MOST_VALUES_IN_MEMORY", 5000)
    monkeypatch.setattr(spooling, "_LINES_IN_A_BLOCK", 50)

    assert written(eventful(), Period(START, 2 * DAY, 600))[0] == text


def test_an_escaped_label_is_written_once_and_read_back() -> None:
    """Quotes, backslashes and per cent signs in job and instance survive."""
    out = io.BytesIO()
    settings = eventful()
    period = Period(START, 600, 600)
    spool = Spool(select(["step"]), {"job": 'a "b" \\ %s'}, io.BytesIO())
    record(
        build(settings), [in_force(each, 0.0) for each in settings.scenarios], period, spool, lambda _: None
    )
    spool.write(out, period.timestamps, lambda _: None)

    assert {'a "b" \\ %s'} == {sample.labels["job"] for sample in samples(out.getvalue().decode())}


def test_the_last_sample_is_the_end_of_the_period() -> None:
    """Steps are counted back from the end, so that the end is there whatever the step."""
    assert [START + 100, START + 400, START + 700, START + 1000] == [*Period(START, 1000, 300).timestamps]


def test_progress_is_told_up_to_the_whole() -> None:
    """Both parts end at 1 and never go back."""
    playing: list[float] = []
    writing: list[float] = []
    settings = eventful()
    period = Period(START, DAY, 3600)
    spool = Spool(AVAILABLE, LABELS, io.BytesIO())
    record(
        build(settings), [in_force(each, 0.0) for each in settings.scenarios], period, spool, playing.append
    )
    spool.write(io.BytesIO(), period.timestamps, writing.append)

    assert (1.0, sorted(playing)) == (playing[-1], playing)
    assert (1.0, sorted(writing)) == (writing[-1], writing)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (["goodputd_step"], ["goodputd_step"]),
        (["step"], ["goodputd_step"]),
        (["loss,goodputd_step"], ["goodputd_step", "goodputd_loss"]),
        (["mttr*", "mtbf_seconds"], ["goodputd_mttr_seconds", "goodputd_mtbf_seconds"]),
        ([], [spec.name for spec in AVAILABLE]),
    ],
)
def test_metrics_are_selected_by_names_and_globs(wanted: list[str], expected: list[str]) -> None:
    """With or without the prefix, several at once or one after the other; the order is the catalog's."""
    assert expected == [spec.name for spec in select(wanted)]


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("goodputd_setp", "--metrics: no metric fits 'goodputd_setp'; did you mean 'goodputd_step'?"),
        (
            "recovery_seconds_bucket",
            "--metrics: no metric fits 'recovery_seconds_bucket'; did you mean 'goodputd_recovery_seconds'?",
        ),
        (
            "lag_wall_seconds",
            "--metrics: 'lag_wall_seconds' is about a running daemon; a backfill has none",
        ),
        ("mttr", "--metrics: no metric fits 'mttr'; did you mean 'goodputd_mttr_seconds'?"),
        ("q", "--metrics: no metric fits 'q'; names are those of /metrics, globs like 'mtt*' fit several"),
    ],
)
def test_a_metric_that_is_not_there_is_refused(wanted: str, problem: str) -> None:
    """The message names what was meant, or why there is nothing."""
    with pytest.raises(SettingsError) as refused:
        select([wanted])
    assert (problem,) == refused.value.problems


def test_what_no_daemon_runs_for_is_left_out() -> None:
    """All metrics of scenarios are there, and of the daemon's those that hold without one."""
    assert {spec.name for spec in CATALOG if "scenario" in spec.labels} | {
        "goodputd_build_info",
        "goodputd_speedup_ratio",
    } == {spec.name for spec in AVAILABLE}
