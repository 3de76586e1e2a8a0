"""The first and the last words."""

import pytest

from goodputd import settings
from goodputd.greeting import closing_lines, opening_lines, speed
from goodputd.settings import Settings
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.taxonomy import Action, Bucket, Reason
from tests import snapshots

TWO = """
[clock]
speedup = 3600.0

[[scenario]]
name = "naive"
detection.layers = ["watchdog"]

[[scenario]]
name = "other"
faults.scale = 2.0
"""


def loaded(text: str) -> Settings:
    """The settings of a file with this text."""
    return settings.parse(text, source="my.toml", environ={})


def opening(text: str = TWO) -> str:
    """The opening lines as one text."""
    return "\n".join(opening_lines(loaded(text), "http://127.0.0.1:9642/", "1.2.3"))


@pytest.mark.parametrize(
    "part",
    [
        "goodputd 1.2.3 plays 2 scenarios",
        "naive (2,048 nodes x 8 GPUs, catalog llama3)",
        "one second here = one hour there (3,600 x)",
        "page     http://127.0.0.1:9642/\n",
        "metrics  http://127.0.0.1:9642/metrics\n",
        "config   my.toml\n",
        "curl -s http://127.0.0.1:9642/metrics",
        "Ctrl-C stops",
    ],
)
def test_the_opening_says_what_where_and_what_next(part: str) -> None:
    """What plays, how fast, where page and metrics are, which config, and what to do next are all said."""
    assert part in opening()


def test_a_scenario_with_faults_of_its_own_says_so() -> None:
    """A scenario that does not share the first one's faults can not be compared with it."""
    assert "other (2,048 nodes x 8 GPUs, catalog llama3; faults of its own)" in opening()


@pytest.mark.parametrize(
    ("speedup", "text"),
    [
        (1.0, "real time"),
        (60.0, "one second here = one minute there (60 x)"),
        (100.0, "one minute here = 1.67 hours there (100 x)"),
        (1440.0, "one minute here = one day there (1,440 x)"),
        (86400.0, "one second here = one day there (86,400 x)"),
        (1e7, "one second here = 115.74 days there (10,000,000 x)"),
        (0.5, "one minute here = 30 seconds there (0.5 x)"),
    ],
)
def test_a_speedup_is_said_in_units_of_people(speedup: float, text: str) -> None:
    """Whole units where there are any, else what a wall minute or second is worth."""
    assert text == speed(speedup)


@pytest.mark.parametrize(("scenarios", "lines"), [(1, 5), (2, 5), (3, 4), (4, 5)])
def test_the_closing_is_five_lines_or_one_per_scenario(scenarios: int, lines: int) -> None:
    """One or two scenarios make five lines, more make one each and the first."""
    shown = [snapshots.snapshot(f"s{number}") for number in range(scenarios)]

    assert lines == len(closing_lines(shown, 60.0))


def closing(*shown: Snapshot) -> str:
    """The closing lines as one text."""
    return "\n".join(closing_lines(shown, 600.0))


def test_the_closing_says_how_long_it_was() -> None:
    """Ten simulated days took ten minutes."""
    assert closing(snapshots.snapshot()).startswith("stopped after 10 d of simulated time in 10 min\n")


@pytest.mark.parametrize("scenarios", [1, 2, 3])
def test_the_closing_gives_the_figures_of_each(scenarios: int) -> None:
    """Goodput, interruptions, MTTR and lost steps are said for every scenario."""
    text = closing(*[snapshots.snapshot(f"s{number}") for number in range(scenarios)])

    figures = ("goodput 98.44 %, 3 interruptions, MTTR 5 min 53 s", "118 steps lost")
    assert [scenarios, scenarios] == [text.count(figure) for figure in figures]


def test_the_closing_says_where_time_went() -> None:
    """The largest buckets of badput are named with their share, productive time is not."""
    seconds = {**dict.fromkeys(Bucket, 0.0), Bucket.PRODUCTIVE: 8e5, Bucket.RESTART: 43_200.0}

    assert "most of the rest went to restart 5.00 %\n" in closing(snapshots.snapshot(seconds=seconds))


def test_a_run_without_incidents_has_no_figures_to_give() -> None:
    """What has no data yet is said to be unknown, and nothing is divided by zero."""
    text = closing(
        snapshots.snapshot(
            now=0.0,
            seconds=dict.fromkeys(Bucket, 0.0),
            effective_training_time_ratio=None,
            mttr_seconds=None,
            interruptions={},
            decisions={(Action.RESTART, Reason.FIRST_STRIKE): 0},
        )
    )

    assert "goodput unknown, 0 interruptions, no recovery yet" in text
    assert "decisions: none" in text
