"""Windows in wall time: what a simulated day is at a speedup, and when scrapes set the limit."""

import re

import promql_parser as promql
import pytest

from goodputd.errors import SettingsError
from goodputd.rules.rendering import FIRST_WORDS, render
from goodputd.rules.windows import Windows, prometheus_duration


@pytest.mark.parametrize(
    ("speedup", "scrape_interval", "expected"),
    [
        (1440.0, 1.0, "1m"),
        (1.0, 60.0, "1d"),
        (1000.0, 1.0, "1m27s"),
        (0.5, 60.0, "2d"),
        (3600.0, 15.0, "1m"),
        (1_000_000.0, 1.0, "4s"),
        (1_000_000.0, 0.25, "1s"),
    ],
)
def test_a_day_is_wall_time_of_at_least_four_scrapes(
    speedup: float, scrape_interval: float, expected: str
) -> None:
    """86,400 s over the speedup, up to whole seconds; where that is less than four scrapes, four scrapes."""
    assert expected == Windows(speedup, scrape_interval).days(1)


def test_days_are_multiples_of_the_day() -> None:
    """Three days are three times one day, so that each has its four scrapes."""
    assert "4m21s" == Windows(1000.0, 1.0).days(3)


@pytest.mark.parametrize(("scrape_interval", "expected"), [(1.0, "1m"), (60.0, "4m")])
def test_wall_time_is_as_given_or_four_scrapes(scrape_interval: float, expected: str) -> None:
    """Windows about the daemon do not follow the speedup."""
    assert expected == Windows(1440.0, scrape_interval).wall(60.0)


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.5, "500ms"), (1.0, "1s"), (60.0, "1m"), (90061.25, "1d1h1m1s250ms")]
)
def test_durations_are_spelled_as_prometheus_does(seconds: float, expected: str) -> None:
    """Largest unit first, and none that is zero."""
    assert expected == prometheus_duration(seconds)
    assert seconds == promql.parse_duration(expected).total_seconds()


@pytest.mark.parametrize("speedup", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speedup_without_a_day_is_refused(speedup: float) -> None:
    """The message names the option and what is allowed."""
    with pytest.raises(SettingsError, match=r"--speedup: .* allowed is 0\.001 to 1e\+09"):
        Windows(speedup, 1.0)


@pytest.mark.parametrize("scrape_interval", [0.0001, 90_000.0])
def test_a_scrape_interval_out_of_range_is_refused(scrape_interval: float) -> None:
    """The message names the option and what is allowed."""
    with pytest.raises(SettingsError, match=r"--scrape-interval: .* allowed is 0\.001s to 1d"):
        Windows(1440.0, scrape_interval)


def test_the_first_line_is_the_command_that_makes_the_file() -> None:
    """Whoever has the file can make it anew."""
    first = render(speedup=1000.0, scrape_interval_wall_seconds=0.5).splitlines()[0]

    assert f"{FIRST_WORDS}--speedup 1000 --scrape-interval 0.5s" == first


def test_every_placeholder_is_filled() -> None:
    """No `${` is left, and what belongs to Prometheus is."""
    text = render(speedup=1440.0, scrape_interval_wall_seconds=1.0)

    assert "${" not in text
    assert "{{ $labels.scenario }}" in text


@pytest.mark.parametrize(
    ("speedup", "windows"),
    [(1440.0, {"1m", "3m", "5m", "10m"}), (14400.0, {"6s", "18s", "30s", "1m"})],
)
def test_every_window_follows_the_speedup(speedup: float, windows: set[str]) -> None:
    """They are of 1, 3, 5 and 10 simulated days; the minute of the daemon's own rule stays a minute."""
    text = render(speedup=speedup, scrape_interval_wall_seconds=1.0)

    assert windows == set(re.findall(r"\[(\w+)\]", text))
