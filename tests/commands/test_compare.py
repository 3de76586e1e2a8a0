"""``goodputd compare``: what is played and printed, and what is refused."""

import csv
import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from goodputd import assembly, settings
from goodputd.studies.figures import read
from tests import calling
from tests.calling import SMALL, STUDY, clean

FOUR = (
    SMALL
    + """
[[scenario]]
name = "ideal"
faults.scale = 0
[[scenario]]
name = "lucky"
faults.scale = 5
"""
)
DOUBT = "1 warning: goodputd check-config small.toml\n"
"""The faults of the last of them are others."""


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clean(monkeypatch, tmp_path)
    Path("small.toml").write_text(FOUR)


class Call(calling.Call):
    """Run ``goodputd compare small.toml`` in this process."""

    def json(self, *arguments: str) -> Any:  # noqa: ANN401 - whatever the command prints
        """The object."""
        code, out, err = self(*arguments, "--json")
        assert (0, DOUBT) == (code, err)
        return json.loads(out)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """The command."""
    return Call(capsys, "compare", *STUDY)


def row(out: str, label: str) -> str:
    """The first line that begins with a label, its spaces made one."""
    return " ".join(next(line for line in out.splitlines() if line.strip().startswith(label)).split())


def test_every_scenario_is_compared_with_the_first(call: Call) -> None:
    """In the order of the file, with the conclusion in the same object."""
    found = call.json()

    assert ["naive", "default", "ideal", "lucky"] == [each["name"] for each in found["scenarios"]]
    assert ["same", "same", "none", "other"] == [each["faults"] for each in found["scenarios"]]
    assert ("naive", 3, 1) == (found["compared_with"], found["first_seed"], found["seeds"])
    assert found["conclusion"].startswith("ideal trains")


def test_the_numbers_are_those_of_the_core(call: Call) -> None:
    """Each seed of each scenario is played as the core plays it by itself."""
    _, out, _ = call("--csv", "--seeds", "2", "--scenarios", "default")
    assert out == ""
    _, out, _ = call("--csv", "--seeds", "2", "--scenarios", "default,naive")
    scenario = settings.load(Path("small.toml")).scenarios[1]
    for found in csv.DictReader(io.StringIO(out)):
        if found["scenario"] == "default":
            simulation = assembly.simulation(scenario, int(found["seed"]))
            simulation.advance_to(2 * 86400.0)
            expected = read(simulation.snapshot())
            assert str(expected.interruptions) == found["interruptions"]
            assert str(expected.mttr_seconds) == found["mttr_seconds"]


def test_the_table_fits_80_columns_and_says_it_all(call: Call) -> None:
    """Columns, differences, what is not paired, and the conclusion, in plain text."""
    code, out, err = call("--seeds", "3", "--scenarios", "naive,default,lucky,ideal")
    lines = out.splitlines()

    assert (0, DOUBT) == (code, err)
    assert "seeds 3 to 5, means ± 95 %" in lines[0]
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in out
    assert row(out, "goodput ").count("±") == 3
    assert row(out, "minus naive").split()[2:] == ["default", "lucky", "ideal"]
    assert "Unpaired: lucky did not meet the same faults as naive" in out
    assert "Nothing breaks in ideal." in out
    assert "ideal trains" in out


def test_strikes_are_calibrated_side_by_side(call: Call) -> None:
    """One scenario under each number of strikes, with what became of restarts and evictions."""
    code, out, _ = call("--strikes", "1,2,3,0", "--scenarios", "default", "--json")
    found = json.loads(out)
    evictions = [each["figures"]["evictions"]["mean"] for each in found["scenarios"]]

    assert 0 == code
    assert ["evict on 1", "evict on 2", "evict on 3", "never evict"] == [
        each["name"] for each in found["scenarios"]
    ]
    assert evictions == sorted(evictions, reverse=True)
    assert 0.0 == evictions[-1]
    assert found["scenarios"][-1]["figures"]["evict_success_ratio"] is None
    assert found["scenarios"][1]["figures"]["restart_success_ratio"]["mean"] > 0.0


def test_strikes_vary_the_first_scenario_unless_told(call: Call) -> None:
    """And with several scenarios the columns say which."""
    assert ["evict on 2", "never evict"] == [
        each["name"] for each in call.json("--strikes", "2,0")["scenarios"]
    ]
    assert ["naive, evict on 2", "naive, never evict", "default, evict on 2", "default, never evict"] == [
        each["name"] for each in call.json("--strikes", "2,0", "--scenarios", "naive,default")["scenarios"]
    ]


def test_the_scenario_whose_strikes_are_varied_is_named_and_so_are_the_others(call: Call) -> None:
    """In the table and in the object."""
    _, out, _ = call("--strikes", "2,0")
    found = call.json("--strikes", "2,0", "--scenarios", "default")

    assert "Scenario naive; there are others for --scenarios: default, ideal, lucky." in out.splitlines()
    assert (["default"] * 2, []) == (
        [each["scenario"] for each in found["scenarios"]],
        found["other_scenarios"],
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scenarios", "naive"], "small.toml: only scenario naive is to be compared"),
        (["--scenarios", "naive,optimised"], "no scenario is named 'optimised'"),
        (["--strikes", "1,two"], "--strikes: '1,two' is no list of whole numbers"),
        (["--strikes", "2"], "--strikes: give two numbers or more"),
        (["--strikes", "2,-1"], "--strikes: policy.strikes.strikes_to_evict: must be 0 or more (got -1)"),
        (["--seeds", "0"], "--seeds"),
        (["--for", "5y"], "--for: '5y' is not a duration"),
        (["--json", "--csv"], "--json and --csv: give one of them"),
        (["--seed", "9223372036854775807", "--seeds", "2"], "--seeds: 2 seeds from"),
    ],
)
def test_what_cannot_be_compared_is_told_in_one_line(call: Call, arguments: list[str], said: str) -> None:
    """Exit code 2, nothing on stdout."""
    code, out, err = call(*arguments)

    assert (2, "") == (code, out)
    assert said in err
    assert "Traceback" not in err


def test_ctrl_c_prints_what_is_finished() -> None:
    """The seeds that every scenario has finished are compared, the exit code is 130."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "goodputd", "compare", "small.toml", "--for", "2d", "--workers", "2"),
            *("--seeds", "90000", "--scenarios", "naive,default", "--csv"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    workers: list[str] = []
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(workers) < 3:  # two of them, and the tracker that Python puts beside them
        workers = children.read_text().split()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)  # returns when the last process that could write is gone

    assert 130 == process.returncode
    assert "Traceback" not in err
    assert err.startswith(f"{DOUBT}interrupted after ")
    assert out.startswith("scenario,seed,")
