"""The shipped comparisons and sweeps: what they print stands in config/README.md, and it is right."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goodputd.cli import main
from goodputd.settings import load
from goodputd.settings.keys import read
from goodputd.sim.faults import step_hazard
from tests.readme import ROOT, with_section

README = ROOT / "config" / "README.md"
COMPARE = ("compare", "config/compare.toml", "--seeds", "5")
MINI = ("compare", "config/compare-meta-mini.toml", "--seeds", "20")
EVERYTHING = ("compare", "config/everything-on.toml", "--for", "100d", "--seeds", "3")
HAZARD = (
    *("sweep", "config/hazard.toml", "--vary", "cluster.nodes=1:16384:log15"),
    *("--figure", "hazard_per_hour", "--for", "20d", "--seeds", "5"),
)


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """80 columns, and paths as the README has them."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(ROOT)


def printed(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> str:
    """What a command prints."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert 0 == caught.value.code
    return capsys.readouterr().out


def shown(arguments: tuple[str, ...], out: str) -> str:
    """The command and what it prints, as the README shows it."""
    lines = [line.rstrip() for line in out.splitlines()]
    return "\n".join(["```console", f"$ goodputd {' '.join(arguments)}", *lines, "```", ""])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("compare", COMPARE),
        ("compare-meta-mini", MINI),
        ("everything-on", EVERYTHING),
        ("hazard", HAZARD),
    ],
)
def test_the_readme_shows_what_is_printed(
    capsys: pytest.CaptureFixture[str],
    golden: Callable[[str, str], None],
    name: str,
    arguments: tuple[str, ...],
) -> None:
    """The whole table, as it comes."""
    content = shown(arguments, printed(capsys, arguments))

    golden("../../config/README.md", with_section(README.read_text(encoding="utf-8"), name, content))


def test_optimized_gets_most_of_the_way_from_naive_to_ideal(capsys: pytest.CaptureFixture[str]) -> None:
    """Goodput rises in this order, each step beyond its interval."""
    found: dict[str, Any] = json.loads(printed(capsys, (*COMPARE, "--json")))
    naive, optimized, ideal = found["scenarios"]
    ratio = "effective_training_time_ratio"
    gained, left = (optimized["differences"][ratio], ideal["differences"][ratio])

    assert ["naive", "optimized", "ideal"] == [each["name"] for each in (naive, optimized, ideal)]
    assert gained["low"] > 0.0
    assert left["low"] > gained["high"]
    assert gained["mean"] / left["mean"] > 0.8


def test_the_hazard_is_that_of_the_closed_form(capsys: pytest.CaptureFixture[str]) -> None:
    """1 - (1 - p)^N of an hour, for every N from 8 to 131,072, p being that of one GPU and hour."""
    (curve,) = json.loads(printed(capsys, (*HAZARD, "--json")))["curves"]
    probability = -math.expm1(-0.0065 / 24.0 / 8.0)
    found = {point["value"] * 8: point["figures"]["hazard_per_hour"]["mean"] for point in curve["points"]}

    assert [8 * 2**power for power in range(15)] == list(found)
    for gpus, rate in found.items():
        assert step_hazard(probability, gpus) == pytest.approx(-math.expm1(-rate), rel=1e-4)


@pytest.mark.parametrize(
    ("file", "prefix", "key"),
    [
        ("interval-curve", "interval-", "checkpoint.interval_seconds"),
        ("heartbeat-curve", "timeout-", "detection.heartbeat.timeout_seconds"),
    ],
)
def test_the_points_of_a_curve_are_the_grid(file: str, prefix: str, key: str) -> None:
    """Twelve scenarios that differ in one setting alone, and raise no alerts."""
    scenarios = load(Path(f"config/{file}.toml"), environ={}).scenarios

    assert 12 == len(scenarios)
    assert [float(each.name.removeprefix(prefix)) for each in scenarios] == [
        read(each, key) for each in scenarios
    ]
    assert all(each.paired and not each.alerting for each in scenarios)


def test_at_teaching_size_validation_keeps_corruption_out_of_every_checkpoint(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In each of 20 runs, while the naive job bakes some in and the ideal one meets none."""
    naive, optimized, ideal = json.loads(printed(capsys, (*MINI, "--json")))["scenarios"]
    sdc = {
        each["name"]: [each["figures"][f"corruptions_{name}"]["mean"] for name in ("detected", "baked")]
        for each in (naive, optimized, ideal)
    }

    assert (0.0, 0.0, [0.0, 0.0]) == (sdc["naive"][0], sdc["optimized"][1], sdc["ideal"])
    assert sdc["naive"][1] > 2.0
    assert sdc["optimized"][0] > 2.0


def test_at_teaching_size_every_job_is_completed(capsys: pytest.CaptureFixture[str]) -> None:
    """The ideal one after 20,000 steps of 6 s and 33 saves of 10 s, the others later."""
    found = json.loads(printed(capsys, (*MINI, "--json")))["scenarios"]
    seconds = [each["figures"]["completion_seconds"] for each in found]

    assert [20, 20, 20] == [each["seeds"] for each in seconds]
    assert 120_330.0 == pytest.approx(seconds[2]["mean"])
    assert seconds[0]["low"] > seconds[1]["high"] > seconds[2]["mean"]


def test_with_everything_on_interruptions_fall_about_fifty_fold(capsys: pytest.CaptureFixture[str]) -> None:
    """In the mean of three seeds of a hundred days, and training goes on for over 95 % of each."""
    bare, replacing, everything = json.loads(printed(capsys, (*EVERYTHING, "--json")))["scenarios"]
    mean = {each["name"]: each["figures"]["interruptions"]["mean"] for each in (bare, replacing, everything)}

    assert 45.0 < mean["bare"] / mean["everything"] < 55.0
    assert mean["bare"] / mean["replacing"] > 40.0
    assert everything["figures"]["effective_training_time_ratio"]["low"] > 0.95
    assert everything["figures"]["effective_utilization_ratio"]["low"] > 0.95
