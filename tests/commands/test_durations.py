"""Durations: what people may type, and what they are told when it is none."""

import pytest

from goodputd.commands.durations import parse_seconds
from goodputd.errors import SettingsError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("54d", 54 * 86400.0),
        ("12h", 43200.0),
        ("90m", 5400.0),
        ("30s", 30.0),
        ("2w", 14 * 86400.0),
        ("300", 300.0),
        ("1.5h", 5400.0),
        ("1d12h", 129600.0),
        (" 54D ", 54 * 86400.0),
        ("1e6", 1e6),
    ],
)
def test_a_duration_is_a_number_with_units(text: str, seconds: float) -> None:
    """Every unit, a sum of them, and a plain number are seconds."""
    assert seconds == parse_seconds(text, option="--for")


@pytest.mark.parametrize("text", ["", "0", "0d", "-5d", "54 days", "d", "nan", "inf", "1d-2h", "5y", "1d 12"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    """The message names the option, what was given and what is allowed."""
    with pytest.raises(SettingsError) as caught:
        parse_seconds(text, option="--for")
    assert f"--for: {text!r} is not a duration" in str(caught.value)
    assert "s, m, h, d or w" in str(caught.value)
