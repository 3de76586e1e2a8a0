"""The journal: what is said, in which look, and how often."""

import io
import json
from typing import Any

import pytest

from goodputd.journal import Journal, RateLimit, open_journal
from goodputd.narration import is_warning
from goodputd.sim.events import CapacityAwaited, JobResized, NodeReturned
from goodputd.sim.taxonomy import Component
from tests.test_narration import AT, FACTS, decision, detection, fault, resumed
from tests.test_pacer import Clock

SHRINK = JobResized(AT, 15, 960, 1024)
RETURN = NodeReturned(AT, 817)
WAIT = CapacityAwaited(AT, 1, 7, 8)
PERIODS = 3


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def journal(
    out: io.StringIO, style: str = "console", level: str = "info", clock: Clock | None = None
) -> Journal:
    """A journal of two scenarios."""
    return open_journal(
        out,
        style=style,
        level=level,
        scenarios=["naive", "default"],
        clock=clock or Clock(),
        clock_start_timestamp=0.0,
    )


def objects(out: io.StringIO) -> list[dict[str, Any]]:
    """What was written, one JSON object a line."""
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_people_get_day_scenario_and_story() -> None:
    """A console line is the day and time, the scenario in a column, and the story."""
    out = io.StringIO()
    journal(out).facts("naive", [SHRINK])

    assert "day 3 04:12  naive    the job shrinks to 960 of 1,024 GPUs\n" == out.getvalue()


def test_scenarios_do_not_mix_their_stories() -> None:
    """Each scenario has its own incident, even when their facts arrive in turns."""
    out = io.StringIO()
    both = journal(out)
    both.facts("naive", [fault(1), detection(1)])
    both.facts("default", [fault(2), detection(2), decision(), resumed()])
    both.facts("naive", [decision(), resumed()])

    assert ["node 2", "node 1"] == [line[22:28] for line in out.getvalue().splitlines()]


def test_machines_get_one_object_per_fact() -> None:
    """Each fact is a line of JSON with event, scenario, level and instants."""
    out = io.StringIO()
    journal(out, "json").facts("naive", FACTS)

    shown = [(o["scenario"], o["level"], o["at"], o["simulated_time"]) for o in objects(out)]
    levels = ["warning" if is_warning(fact) else "info" for fact in FACTS]
    assert [("naive", level, AT, "1970-01-04T04:12:00.000Z") for level in levels] == shown


def test_a_phase_names_node_layer_and_action() -> None:
    """The objects of an incident tell which node, which layer and which action."""
    out = io.StringIO()
    journal(out, "json").facts("naive", [detection(), decision(), resumed()])
    detected, decided, training = objects(out)

    assert ("detection_raised", 817, "hardware") == (detected["event"], detected["node"], detected["layer"])
    assert ("restart", "first_strike") == (decided["action"], decided["reason"])
    assert (Component.GPU, 62) == (training["component"], training["lost_steps"])


def test_auto_is_console_in_a_terminal() -> None:
    """In a terminal auto writes lines for people."""
    out = Terminal()
    journal(out, "auto").facts("naive", [SHRINK])

    assert out.getvalue().startswith("day 3")


def test_auto_is_json_elsewhere() -> None:
    """Anywhere else auto writes JSON."""
    out = io.StringIO()
    journal(out, "auto").facts("naive", [SHRINK])

    assert "job_resized" == objects(out)[0]["event"]


@pytest.mark.parametrize("style", ["console", "json"])
def test_the_level_leaves_out_what_is_less(style: str) -> None:
    """At warning only what somebody should look at is written."""
    out = io.StringIO()
    journal(out, style, "warning").facts("naive", [SHRINK, WAIT])

    assert 1 == len(out.getvalue().splitlines())


@pytest.mark.parametrize(("style", "lines"), [("console", 20), ("json", 200)])
def test_a_second_has_so_many_lines(style: str, lines: int) -> None:
    """However much happens in a wall second: twenty lines for people, two hundred objects for machines."""
    out = io.StringIO()
    journal(out, style).facts("naive", [SHRINK] * 500)

    assert lines == len(out.getvalue().splitlines())


@pytest.mark.parametrize(
    ("style", "lines", "expected"),
    [("console", 20, "... and 480 more in a second, not shown"), ("json", 200, '"count": 300')],
)
def test_the_suppressed_are_told_when_the_second_is_over(style: str, lines: int, expected: str) -> None:
    """The next second begins with how many lines were not written in the last."""
    out, clock = io.StringIO(), Clock()
    noisy = journal(out, style, clock=clock)
    noisy.facts("naive", [SHRINK] * 500)
    noisy.tell_suppressed()
    before = len(out.getvalue().splitlines())
    clock.seconds += 1.0
    noisy.tell_suppressed()
    noisy.tell_suppressed()

    assert (lines, lines + 1) == (before, len(out.getvalue().splitlines()))
    assert expected in out.getvalue().splitlines()[-1]


def test_silence_is_not_told() -> None:
    """A second in which nothing was suppressed has no line about it."""
    out, clock = io.StringIO(), Clock()
    quiet = journal(out, clock=clock)
    quiet.facts("naive", [SHRINK] * 20)
    clock.seconds += 1.0
    quiet.tell_suppressed()

    assert 20 == len(out.getvalue().splitlines())


def test_every_line_is_written_or_told() -> None:
    """Over several seconds, lines written and lines told as suppressed add up to all there were."""
    clock = Clock()
    limit = RateLimit(clock, lines_per_second=7)
    admitted = told = 0
    for _ in range(PERIODS):
        admitted += sum(limit.admit() for _ in range(10))
        clock.seconds += 1.0
        told += limit.take_suppressed()

    assert (PERIODS * 7, PERIODS * 3) == (admitted, told)


def test_facts_that_complete_no_story_are_silent_for_people() -> None:
    """A node that comes back from repair is an event for machines, not a line for people."""
    out = io.StringIO()
    journal(out).facts("naive", [RETURN])

    assert "" == out.getvalue()


def test_a_notice_is_lines_for_people() -> None:
    """The daemon's own words are written as they are."""
    out = io.StringIO()
    journal(out).notice("serving", ["one", "two"], url="http://x/")

    assert "one\ntwo\n" == out.getvalue()


def test_a_notice_is_one_event_for_machines() -> None:
    """The same in JSON is one object with its fields."""
    out = io.StringIO()
    journal(out, "json").notice("serving", ["one", "two"], url="http://x/")
    (event,) = objects(out)

    assert ("serving", "http://x/", "info") == (event["event"], event["url"], event["level"])
