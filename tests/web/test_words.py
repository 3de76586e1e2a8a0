"""Figures as people read them."""

from collections.abc import Callable
from typing import Any

import pytest

from goodputd.sim.taxonomy import Action, Layer, Reason
from goodputd.web import words


@pytest.mark.parametrize(
    ("say", "given", "expected"),
    [
        (words.percent, 0.951234, "95.12 %"),
        (words.percent, None, "no data yet"),
        (words.count, 1234567, "1,234,567"),
        (words.count, None, "no data yet"),
        (words.steps, 1, "1 step"),
        (words.steps, 2345, "2,345 steps"),
        (words.steps, None, "no data yet"),
        (words.lasting, 341.0, "5 min 41 s"),
        (words.lasting, None, "no data yet"),
        (words.over, 4.31, "4.3 s over"),
        (words.over, -75.0, "1 min 15 s under"),
        (words.over, -0.04, "none"),
        (words.spoken, Layer.NONE, "a person"),
        (words.spoken, "collective_init", "collective init"),
        (words.date_and_time, 1_767_225_600.0, "1 Jan 2026 00:00 UTC"),
        (words.date_and_time, 1e15, ""),
        (words.pace, 1440.0, "a real minute is 1 d here"),
        (words.pace, 1.0, "a real minute is 1 min here"),
        (words.pace, 1e-6, "a second here takes 11 d 14 h"),
        (words.times, 1e7, "10,000,000"),
        (words.times, 0.5, "0.5"),
    ],
)
def test_figures_in_words(say: Callable[[Any], str], given: object, expected: str) -> None:
    """Units stand with their numbers, and what is missing is named."""
    assert expected == say(given)


@pytest.mark.parametrize("action", list(Action))
def test_every_action_has_words(action: Action) -> None:
    """No action is shown as the name of a label."""
    assert "_" not in words.action(action)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_is_a_sentence(reason: Reason) -> None:
    """No reason is shown as the name of a label."""
    text = words.reason(reason, 3)

    assert " " in text
    assert not {"{", "_"} & set(text)
