"""``goodputd sweep``: what is played, printed and written, and what is refused."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from goodputd.cli import main
from goodputd.commands.sweep import executor_with, figure_named
from goodputd.studies.cluster import Cluster
from goodputd.studies.runs import InProcess, Processes
from tests.calling import SMALL, STUDY, Call, clean

INTERVALS = "checkpoint.interval_seconds=60:7200:log6"


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clean(monkeypatch, tmp_path)
    Path("small.toml").write_text(SMALL)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """The command."""
    return Call(capsys, "sweep", *STUDY)


def test_the_first_scenario_is_varied_unless_told(call: Call) -> None:
    """The table has a line per value, the line below says what an optimum is made of."""
    code, out, err = call("--vary", INTERVALS, "--seeds", "3")
    lines = out.splitlines()

    assert (0, "") == (code, err)
    assert "seeds 3 to 5, means ± 95 %" in out
    assert "naive" == lines[lines.index("") + 1]
    values = [line.split()[0] for line in lines if "±" in line.partition("%")[2]]
    assert ["60", "156.3", "407.2", "1,061", "2,764", "7,200"] == values
    assert "Young: " in out
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in out


def test_the_scenario_that_is_varied_is_named_and_so_are_the_others(call: Call) -> None:
    """Whoever named one is told of that one alone."""
    _, unasked, _ = call("--vary", "cluster.spares=0,4", "--vary", "faults.scale=1,2", "--seeds", "1")
    _, asked, _ = call(
        *(
            "--vary",
            "cluster.spares=0,4",
            "--vary",
            "faults.scale=1,2",
            "--seeds",
            "1",
            "--scenarios",
            "naive",
        )
    )

    assert "Scenario naive; there are others for --scenarios: default." in unasked.splitlines()
    assert "Scenario naive." in asked.splitlines()


def test_json_has_the_scenarios_that_were_asked_for(call: Call) -> None:
    """Each with a curve of its own."""
    _, out, _ = call("--vary", INTERVALS, "--seeds", "2", "--scenarios", "default,naive", "--json")
    found = json.loads(out)

    assert ["default", "naive"] == [curve["scenario"] for curve in found["curves"]]
    assert 24 == len(found["runs"])


def test_files_hold_every_run(call: Call) -> None:
    """CSV and JSON, under the names that were given, and nothing beside them."""
    assert 0 == call("--vary", INTERVALS, "--seeds", "2", "--out", "runs.csv")[0]
    assert 0 == call("--vary", INTERVALS, "--seeds", "2", "--out", "runs.json", "--plot", "curve.svg")[0]
    with Path("runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    runs = json.loads(Path("runs.json").read_text())["runs"]

    assert [run["step"] for run in runs] == [float(row["step"]) for row in rows]
    assert 12 == len(rows)
    assert {"curve.svg", "runs.csv", "runs.json", "small.toml"} == {path.name for path in Path().iterdir()}
    assert 0o644 == Path("runs.csv").stat().st_mode & 0o777


def test_a_job_that_is_completed_has_no_more_than_the_time_that_was_given(call: Call) -> None:
    """As ``compare`` says it."""
    Path("small.toml").write_text(
        f"{SMALL}".replace("[[scenario]]", "[job]\ntarget_steps = 500\n[[scenario]]", 1)
    )
    _, out, _ = call("--vary", "cluster.spares=0,4", "--seeds", "1")

    assert "at most 2 d simulated" in out.splitlines()[0]


def test_it_stops_when_it_is_precise_enough(call: Call) -> None:
    """With as many seeds as that takes, which do not depend on who plays."""
    wanted = ["--vary", INTERVALS, "--seeds", "500", "--precision", "0.1"]
    code, out, _ = call(*wanted)
    _, several, _ = call(*wanted, "--workers", "2")

    assert 0 == code
    assert "Precision 0.1 reached: the widest interval is ±0.0" in out
    assert "seeds 3 to 502" not in out
    assert out == several


def test_it_says_when_it_is_not_precise_enough(call: Call) -> None:
    """After the most seeds that were allowed."""
    _, out, _ = call("--vary", INTERVALS, "--seeds", "2", "--precision", "1e-9")

    assert "Precision 1e-09 not reached: the widest interval is ±" in out


def test_other_figures_can_be_looked_at(call: Call) -> None:
    """By the name of their column; they are goals of nobody and have no optimum."""
    _, out, _ = call("--vary", "cluster.spares=0,4", "--seeds", "2", "--figure", "hazard_per_hour")

    (heading,) = (line for line in out.splitlines() if line.startswith("spares"))

    assert ["spares", "hazard", "per", "hour", "per", "day", "goodput"] == heading.split()[:7]
    assert "No optimum is told: hazard_per_hour is no goal, as goodput and utilization are." in out


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("goodput", "effective_training_time_ratio"),
        ("utilization", "effective_utilization_ratio"),
        ("MTTR", "mttr_seconds"),
        ("SDC baked in", "corruptions_baked"),
        ("hazard_per_hour", "hazard_per_hour"),
    ],
)
def test_a_figure_has_the_name_that_tables_print(typed: str, name: str) -> None:
    """Beside that of its column."""
    assert name == figure_named(typed)


def test_files_that_were_written_are_told(call: Call) -> None:
    """On stderr, for stdout may be somebody's JSON."""
    arguments = [
        "--vary",
        "cluster.spares=0,4",
        "--seeds",
        "1",
        "--out",
        "x.csv",
        "--plot",
        "x.svg",
        "--json",
    ]

    assert "wrote x.csv\nwrote x.svg\n" == call(*arguments)[2]


def test_where_there_is_corruption_its_cost_shows(call: Call) -> None:
    """What a checkpoint held of it, and what keeping it out takes; without any there is no column."""
    arguments = ["--vary", "cluster.spares=0,4", "--seeds", "1", "--scenarios", "default"]
    _, clean_out, _ = call(*arguments)
    Path("small.toml").write_text(
        SMALL.replace("[[scenario]]", "[corruption]\nper_gpu_hour = 1e-4\n[[scenario]]", 1)
    )
    _, out, _ = call(*arguments)

    assert "SDC baked in" in out
    assert "validation" in out
    assert "SDC" not in clean_out
    assert max(map(len, out.splitlines())) <= 80


def test_a_key_that_changes_nothing_is_told(call: Call) -> None:
    """Nobody is asked to validate, so how long that would take is of no matter."""
    _, out, _ = call("--vary", "detection.validation.seconds=1,2,3", "--seeds", "2")

    assert "detection.validation.seconds changes nothing here: every row is the same." in out
    assert "ptimum" not in out


def test_a_curve_without_an_optimum_says_why(call: Call) -> None:
    """Below its table."""
    _, out, _ = call("--vary", "cluster.spares=0,4", "--seeds", "1", "--scenarios", "default")

    assert "No optimum is told: an optimum takes 5 values or more." in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--vary: say what to vary"),
        (["--vary", "checkpoint.intervall=1,2"], "--vary: unknown key 'checkpoint.intervall'; did you mean"),
        (["--vary", "checkpoint.interval_seconds=9:1:log3"], "--vary: '9:1:log3' is no range"),
        (["--vary", "cluster.spares=1,-2"], "--vary: cluster.spares: must be 0 or more (got -2)"),
        (["--vary", INTERVALS, "--scenarios", "nobody"], "small.toml: no scenario is named 'nobody'"),
        (["--vary", INTERVALS, "--figure", "goodputt"], "unknown figure 'goodputt'; did you mean goodput?"),
        (["--vary", INTERVALS, "--figure", "mttr_second"], "did you mean mttr_seconds or"),
        (["--vary", INTERVALS, "--figure", "hazard"], "did you mean hazard_per_hour?"),
        (["--vary", INTERVALS, "--out", "x.txt"], "--out: x.txt: must end in .csv or .json"),
        (["--vary", INTERVALS, "--out", "no/x.csv"], "--out: no/x.csv: there is no folder no"),
        (["--vary", INTERVALS, "--out", f"{'x' * 300}.csv"], "--out: the name of a file has at most 200"),
        (["--vary", INTERVALS, "--plot", "x.pdf"], "--plot: x.pdf: must end in .png or .svg"),
        (
            ["--vary", "policy.strikes.on_slow=restart,tolerate", "--plot", "x.png"],
            "--plot: the values of policy.strikes.on_slow are no numbers",
        ),
        (["--vary", INTERVALS, "--precision", "0.1", "--seeds", "1"], "--precision: one seed has no"),
        (["--vary", INTERVALS, "--precision", "-1"], "--precision"),
        (["--vary", INTERVALS, "--scheduler", "tcp://x:1"], "--workers and --scheduler: give one of them"),
    ],
)  # fmt: skip
def test_what_cannot_be_swept_is_told_in_one_line(call: Call, arguments: list[str], said: str) -> None:
    """Exit code 2, before anything is played, nothing on stdout, no file."""
    code, out, err = call(*arguments)

    assert (2, "") == (code, out)
    assert said in err
    assert "Traceback" not in err
    assert ["small.toml"] == [path.name for path in Path().iterdir()]


def test_what_is_no_file_is_refused_beforehand(call: Call) -> None:
    """Before an hour is spent on what comes into it."""
    os.mkfifo("pipe.csv")

    told = "--out: pipe.csv: is no file that can be replaced\n"
    assert (2, "", told) == call("--vary", INTERVALS, "--out", "pipe.csv")


def test_the_file_may_be_named_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    """By ``--config``, as for the commands that play one run."""
    arguments = ["--config", "small.toml", "--vary", "cluster.spares=1,2", "--for", "1d", "--seeds", "1"]
    with pytest.raises(SystemExit) as caught:
        main(["sweep", *arguments, "--workers", "1", "--json"])

    assert 0 == caught.value.code
    assert "small.toml" == json.loads(capsys.readouterr().out)["source"]


def test_who_plays_is_chosen_by_option() -> None:
    """One core, several, or a cluster."""
    assert isinstance(executor_with(1, None)(pytest.fail), InProcess)
    assert Processes(3, pytest.fail) == executor_with(3, None)(pytest.fail)
    assert Cluster("tcp://here:1") == executor_with(None, "tcp://here:1")(pytest.fail)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_writes_what_is_finished(number: signal.Signals) -> None:
    """Every run that was finished is in the file, the exit code is 130, and no worker is left."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "goodputd", "sweep", "small.toml", "--for", "1d", "--workers", "2"),
            *("--vary", "checkpoint.interval_seconds=60,120", "--seeds", "90000", "--out", "runs.csv"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(children.read_text().split()) < 3:  # two workers, and the tracker that Python puts beside them
        assert process.poll() is None
    process.send_signal(number)
    _, err = process.communicate(timeout=60)  # returns when the last process that could write is gone
    finished = int(err.split()[2])

    assert 130 == process.returncode
    assert err.startswith("interrupted after ")
    assert finished == len(Path("runs.csv").read_text().splitlines()) - 1


def test_on_a_terminal_a_bar_shows() -> None:
    """How many runs are done of how many; a redirected stdout holds the JSON alone."""
    master, terminal = os.openpty()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "goodputd", "sweep", "small.toml", "--for", "1d", "--workers", "1"),
            *("--vary", INTERVALS, "--seeds", "2", "--json"),
        ],
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
    )
    os.close(terminal)
    out, _ = process.communicate(timeout=60)
    seen = os.read(master, 65536)
    os.close(master)

    assert b"/12" in seen
    assert 12 == len(json.loads(out)["runs"])


# --- a disk that is full --------------------------------------------------------------------------

ON_A_FULL_DISK = """
import resource, sys
from goodputd.cli import main

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
main(sys.argv[2:])
"""
"""Pipes have no such limit."""
SPARES = ("--vary", "cluster.spares=0,4", "--seeds", "2")


def on_a_full_disk(
    *arguments: str, most_bytes: int = 100, stdout: int = subprocess.PIPE
) -> tuple[int, str | None, str]:
    """Exit code, stdout and stderr of a sweep where no file can have more than so many bytes."""
    line = [sys.executable, "-c", ON_A_FULL_DISK, str(most_bytes), "sweep", *STUDY, *SPARES, *arguments]
    done = subprocess.run(line, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "files",
    [
        {"--out": "runs.csv"},
        {"--out": "runs.json"},
        {"--plot": "curve.png"},
        {"--out": "runs.csv", "--plot": "curve.svg"},
    ],
    ids=["csv", "json", "png", "csv and svg"],
)
def test_a_full_disk_costs_the_files_and_not_the_table(call: Call, files: dict[str, str]) -> None:
    """The table is that of a sweep without files, each file has its line, and no scrap is left."""
    code, out, err = on_a_full_disk(*(each for pair in files.items() for each in pair))
    lines = "".join(f"{path}: cannot be written: file too large\n" for path in files.values())

    assert (2, call(*SPARES)[1], lines) == (code, out, err)
    assert [Path("small.toml")] == list(Path().iterdir())


def test_a_file_that_fits_is_there_beside_one_that_does_not(call: Call) -> None:
    """A picture that fails takes the rows nothing away."""
    call(*SPARES, "--out", "whole.csv")
    rows = Path("whole.csv").read_bytes()
    code, _, err = on_a_full_disk("--out", "runs.csv", "--plot", "curve.svg", most_bytes=len(rows))

    assert rows == Path("runs.csv").read_bytes()
    assert (2, "wrote runs.csv\ncurve.svg: cannot be written: file too large\n") == (code, err)


def test_a_full_disk_is_told_where_stdout_is_full_as_well() -> None:
    """One line for the file, and Python says nothing of its own."""
    with Path("/dev/full").open("wb") as full:
        code, _, err = on_a_full_disk("--out", "runs.csv", stdout=full.fileno())

    assert (2, "runs.csv: cannot be written: file too large\n") == (code, err)
