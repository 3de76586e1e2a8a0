"""``goodputd rules``: where the rules go, and which files are left alone."""

from pathlib import Path

import pytest

from goodputd.commands.rules import run
from goodputd.errors import EnvironmentProblemError, SettingsError
from goodputd.rules.rendering import RUNBOOKS, render

TEXT = render(speedup=1440.0, scrape_interval_wall_seconds=1.0)


def test_a_dash_is_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing but the rules is printed."""
    run(speedup=1440.0, scrape_interval="1s", runbooks=None, out="-")

    assert TEXT == capsys.readouterr().out


def test_a_file_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file holds the rules, and the user is told what comes next."""
    out = tmp_path / "my.rules.yml"
    run(speedup=1440.0, scrape_interval="1s", runbooks=None, out=str(out))

    assert TEXT == out.read_text("utf-8")
    assert f"wrote {out}; next: name it under rule_files in prometheus.yml\n" == capsys.readouterr().out


def test_a_directory_gets_a_file(tmp_path: Path) -> None:
    """It is called goodputd.rules.yml."""
    run(speedup=1440.0, scrape_interval="1s", runbooks=None, out=str(tmp_path))

    assert TEXT == (tmp_path / "goodputd.rules.yml").read_text("utf-8")


def test_rules_are_written_anew(tmp_path: Path) -> None:
    """A file that the command made, at whatever speedup, is replaced."""
    run(speedup=100.0, scrape_interval="15s", runbooks=None, out=str(tmp_path))
    run(speedup=1440.0, scrape_interval="1s", runbooks=None, out=str(tmp_path))

    assert TEXT == (tmp_path / "goodputd.rules.yml").read_text("utf-8")


def test_a_file_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    """It keeps its content, and the message says what to do."""
    out = tmp_path / "prometheus.yml"
    out.write_text("global: {}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"was not made by goodputd rules; give another --out"):
        run(speedup=1440.0, scrape_interval="1s", runbooks=None, out=str(out))

    assert "global: {}\n" == out.read_text("utf-8")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """One line says which file and why."""
    out = tmp_path / "missing" / "rules.yml"
    with pytest.raises(EnvironmentProblemError, match=r"rules\.yml: cannot be written: No such file"):
        run(speedup=1440.0, scrape_interval="1s", runbooks=None, out=str(out))


def test_a_scrape_interval_that_is_no_duration_is_refused() -> None:
    """The message names the option."""
    with pytest.raises(SettingsError, match="--scrape-interval"):
        run(speedup=1440.0, scrape_interval="often", runbooks=None, out="-")


def test_runbooks_may_lie_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    """Every alert links its own anchor on the page that was named."""
    run(speedup=1440.0, scrape_interval="1s", runbooks="https://wiki.example/runbooks", out="-")
    printed = capsys.readouterr().out

    assert TEXT.replace(RUNBOOKS, "https://wiki.example/runbooks") == printed
    assert RUNBOOKS in TEXT


@pytest.mark.parametrize(
    "runbooks", ["", "wiki/runbooks", "https://a b", 'https://a"b', "https://a#b", "ftp://a"]
)
def test_a_runbook_page_needs_an_address(runbooks: str) -> None:
    """What would not be a link, or would break the file, is refused with what is allowed."""
    with pytest.raises(
        SettingsError, match=r"^--runbooks: .* must be an http:// or https:// URL without spaces$"
    ):
        run(speedup=1440.0, scrape_interval="1s", runbooks=runbooks, out="-")
