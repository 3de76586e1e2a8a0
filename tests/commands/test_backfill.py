"""``goodputd backfill``: the file it leaves, and what a real promtool and Prometheus make of it."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from goodputd.assembly import build
from goodputd.commands.backfill import CONFIG_FILE, block_hours, period
from goodputd.errors import SettingsError
from goodputd.metrics.collector import family
from goodputd.metrics.view import ScenarioView, View
from goodputd.service import in_force
from goodputd.settings import load
from goodputd.settings.model import start_timestamp
from goodputd.sim.snapshot import Snapshot
from goodputd.studies.backfill import AVAILABLE, Period
from tests import snapshots
from tests.daemon import PATIENCE_WALL_SECONDS, start
from tests.prometheus import Prometheus, differences, series, until
from tests.studies.storage import imported, showing

ROOT: Final = Path(__file__).parents[2]
DEFAULT: Final = ROOT / "config" / "default.toml"
DAY: Final = 86400
BEGAN: Final = "2026-03-01T00:00:00Z"
BEGAN_AT: Final = int(start_timestamp(BEGAN))
DAYS: Final = 3
STEP: Final = 300
NO_DURATION: Final = (
    "--for: 'soon' is not a duration; allowed is a number above 0 with a unit of s, m, h, d or w "
    "(54d, 1d12h), or plain seconds"
)
NO_INSTANT: Final = (
    "--start: 'yesterday' must be a date and time with a time zone, for instance \"2026-01-01T00:00:00Z\""
)
NOT_IN_RANGE: Final = "--for, --start: the period must lie between the years 1970 and 9999"
MOST_BYTES: Final = 300_000_000
"""Of memory."""
MOST_GROWTH_BYTES: Final = 25_000_000
"""From 0.5 to 5 million samples, which are 36 MB as bare floats and 600 MB as text."""


def backfill(*arguments: str, cwd: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of ``goodputd backfill`` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "goodputd", "backfill", *arguments],
        cwd=cwd,
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout, done.stderr


def after_the_size(err: str) -> str:
    """What is told on stderr besides how much it will be, which comes first."""
    return re.sub(r"\Aabout .*\n", "", err)


def played(days: float) -> dict[str, Snapshot]:
    """The scenarios of the default settings after so many days."""
    simulations = build(load(DEFAULT, environ={}))
    for simulation in simulations:
        simulation.advance_to(days * DAY)
    return {simulation.name: simulation.snapshot() for simulation in simulations}


# --- what Prometheus makes of it ------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(promtool: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The storage of a Prometheus, made of three days of the default settings."""
    folder = tmp_path_factory.mktemp("backfill")
    code, out, err = backfill(
        *("--config", str(DEFAULT), "--for", f"{DAYS}d", "--start", BEGAN, "--step", str(STEP)), cwd=folder
    )
    assert (0, "") == (code, after_the_size(err))
    return imported(promtool, out, folder)


@pytest.fixture(scope="module")
def server(data: Path, prometheus: Path) -> Iterator[Prometheus]:
    """A Prometheus that shows them, started for the second time."""
    with showing(prometheus, data):
        pass
    with showing(prometheus, data) as server:
        yield server


def test_the_end_is_the_simulations_own(server: Prometheus) -> None:
    """Every series of every scenario ends with exactly the value of the simulation, and no other exists."""
    settings = load(DEFAULT, environ={})
    last = played(DAYS)
    shown = [ScenarioView(last[each.name], in_force(each, float(BEGAN_AT))) for each in settings.scenarios]
    expected = {
        series(sample.name, sample.labels): sample.value
        for spec in AVAILABLE
        if "scenario" in spec.labels
        for sample in family(spec, spec.read(View(tuple(shown), snapshots.daemon()))).samples
    }

    assert {} == differences(expected, server.vector('{scenario!=""}', BEGAN_AT + DAYS * DAY))


def test_the_oldest_sample_is_there_after_a_restart(server: Prometheus) -> None:
    """Retention leaves the block alone, though it is older than the default of 15 days."""
    elapsed = server.vector("min_over_time(goodputd_elapsed_seconds_total[10y])", BEGAN_AT + DAYS * DAY)
    first = server.vector("goodputd_simulated_timestamp_seconds", BEGAN_AT)

    assert [0.0, 0.0] == [*elapsed.values()]
    assert [BEGAN_AT, BEGAN_AT] == [*first.values()]


def test_the_whole_period_is_one_block(data: Path) -> None:
    """So promtool reads the file once to see which times are in it and once more to store them."""
    assert 1 == len([*data.glob("*/meta.json")])


def test_every_step_has_its_sample(server: Prometheus) -> None:
    """The whole period is there, both ends included."""
    counted = server.vector("count_over_time(goodputd_step[30d])", BEGAN_AT + DAYS * DAY)

    assert {DAYS * DAY / STEP + 1} == set(counted.values())


@pytest.mark.parametrize("bucket", ["productive", "restart", "checkpoint_save", "lost_work"])
def test_an_ordinary_rate_over_true_time_is_the_ledgers(server: Prometheus, bucket: str) -> None:
    """``rate()`` is the share of the second day that went there; 1 s more makes the window's end certain."""
    rates = server.get(
        "query",
        query=f'rate(goodputd_time_seconds_total{{bucket="{bucket}"}}[{DAY + 1}s])',
        time=str(BEGAN_AT + 2 * DAY),
    )["result"]
    before, after = played(1), played(2)
    spent = {
        name: (after[name].seconds[bucket] - before[name].seconds[bucket]) / DAY  # type: ignore[index]
        for name in after
    }

    assert pytest.approx(spent, rel=2e-5) == {
        each["metric"]["scenario"]: float(each["value"][1]) for each in rates
    }


def test_it_joins_like_a_scrape(server: Prometheus) -> None:
    """Job and instance are on the series of scenarios and of the daemon."""
    joined = server.get(
        "query",
        query="goodputd_step * on (job, instance) group_left () goodputd_speedup_ratio",
        time=str(BEGAN_AT + DAY),
    )["result"]

    assert [
        {"instance": "backfill", "job": "goodputd", "scenario": scenario} for scenario in ("default", "naive")
    ] == sorted((each["metric"] for each in joined), key=lambda labels: labels["scenario"])


# --- the command ----------------------------------------------------------------------------------


def test_it_says_what_it_wrote_and_what_comes_next(tmp_path: Path) -> None:
    """The report, then the command that imports it fast, then the one that keeps the data."""
    code, out, err = backfill(
        *("--for", "1h", "--start", BEGAN, "--metrics", "goodputd_step", "--out", "a b.om"), cwd=tmp_path
    )
    lines = out.splitlines()

    assert (0, "") == (code, after_the_size(err))
    assert (
        "built-in defaults: default",
        "a b.om: 13 samples of 1 series, 2026-03-01T00:00:00Z to 2026-03-01T01:00:00Z every 300 s",
    ) == tuple(lines[:2])
    assert [
        "promtool tsdb create-blocks-from openmetrics --max-block-duration=2h 'a b.om' data",
        f"prometheus --config.file={CONFIG_FILE} --storage.tsdb.path=data --storage.tsdb.retention.time=10y",
    ] == [line.strip() for line in lines if line.startswith("  ")]


@pytest.mark.parametrize("arguments", [("--for", "2d"), ("--for", "2d", "--metrics", "step", "--step", "1s")])
def test_it_says_beforehand_how_much_it_will_be(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Samples and megabytes, right to 3 %: a period has somewhat fewer series at its beginning."""
    _, out, err = backfill(*arguments, "--start", BEGAN, cwd=tmp_path)
    told = re.fullmatch(r"about ([0-9,]+) samples, ([0-9,]+) MB; .*\n", err)
    written = re.search(r"([0-9,]+) samples of", out)
    assert told
    assert written
    samples, megabytes = (int(each.replace(",", "")) for each in told.groups())

    assert int(written[1].replace(",", "")) == pytest.approx(samples, rel=0.03)
    assert (tmp_path / "goodputd.om").stat().st_size / 1e6 == pytest.approx(megabytes, rel=0.03, abs=0.5)


def test_a_step_beyond_the_lookback_is_pointed_out(tmp_path: Path) -> None:
    """With a longer step than five minutes Prometheus shows gaps, unless it is told to look further back."""
    _, usual, _ = backfill("--for", "1d", "--metrics", "step", cwd=tmp_path)
    _, sparse, _ = backfill("--for", "1d", "--metrics", "step", "--step", "1h", "--force", cwd=tmp_path)

    assert "lookback" not in usual
    assert "--query.lookback-delta=3600s" in sparse


def test_rules_says_how_recording_rules_get_a_past(tmp_path: Path, promtool: Path) -> None:
    """The commands are whole: promtool knows every flag, and the period is the one that was written."""
    _, out, _ = backfill(*("--for", "1d", "--start", BEGAN, "--metrics", "step", "--rules"), cwd=tmp_path)
    (line,) = (line for line in out.splitlines() if "create-blocks-from rules" in line)
    flags = {each.partition("=")[0]: each.partition("=")[2] for each in shlex.split(line) if "--" in each}
    known = subprocess.run(
        [promtool, "tsdb", "create-blocks-from", "rules", "--help"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert (str(BEGAN_AT), str(BEGAN_AT + DAY)) == (flags["--start"], flags["--end"])
    assert [] == [flag for flag in flags if flag not in known.stdout]
    assert "goodputd rules --speedup 1 --scrape-interval 300s --out backfill.rules.yml" in out


def test_dash_writes_to_stdout_and_tells_stderr(tmp_path: Path) -> None:
    """What is piped is OpenMetrics and nothing else."""
    code, out, err = backfill("--for", "1h", "--metrics", "step", "--out", "-", cwd=tmp_path)

    assert 0 == code
    assert out.startswith("# HELP goodputd_step ")
    assert out.endswith("\n# EOF\n")
    assert after_the_size(err).startswith(
        "built-in defaults: default\nstandard output: 13 samples of 1 series, "
    )
    assert [] == [*tmp_path.iterdir()]


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    """Without --force nothing is overwritten; with it, the file is replaced."""
    there = tmp_path / "goodputd.om"
    there.write_text("mine")
    refused = backfill("--for", "1h", "--metrics", "step", cwd=tmp_path)
    kept = there.read_text()
    forced, _, _ = backfill("--for", "1h", "--metrics", "step", "--force", cwd=tmp_path)

    assert (2, "", "goodputd.om: exists already; give another --out, or --force to overwrite it\n") == refused
    assert "mine" == kept
    assert 0 == forced
    assert there.read_text().endswith("# EOF\n")


@pytest.mark.parametrize(
    ("out", "problem"),
    [
        ("nowhere/x.om", "nowhere/x.om: cannot be written: no such file or directory\n"),
        (".", ".: is not a file that can be replaced; --out - writes to stdout\n"),
        ("/dev/null", "/dev/null: is not a file that can be replaced; --out - writes to stdout\n"),
    ],
)
def test_a_place_where_no_file_can_be_is_one_line(tmp_path: Path, out: str, problem: str) -> None:
    """A folder that is missing, a folder, a device: exit 2, and a device is not replaced by a file."""
    assert (2, "", problem) == backfill("--for", "1h", "--out", out, "--force", cwd=tmp_path)
    assert not Path("/dev/null").is_file()


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: the old file stays, no part of the new one does."""
    there = tmp_path / "goodputd.om"
    there.write_text("mine")
    done = subprocess.run(
        [
            "sh",
            "-c",
            'ulimit -f 100; exec "$@"',
            "sh",
            sys.executable,
            "-m",
            "goodputd",
            "backfill",
            "--force",
        ],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )

    assert (2, "goodputd.om: cannot be written: file too large\n") == (
        done.returncode,
        after_the_size(done.stderr),
    )
    assert [there] == [*tmp_path.iterdir()]
    assert "mine" == there.read_text()


def test_a_full_stdout_is_one_line(tmp_path: Path) -> None:
    """/dev/full says what a full disk says."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "goodputd", "backfill", "--for", "1h", "--out", "-"],
            cwd=tmp_path,
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )

    assert (2, "standard output: cannot be written: no space left on device\n") == (
        done.returncode,
        after_the_size(done.stderr),
    )


def test_ctrl_c_leaves_no_half_file(tmp_path: Path) -> None:
    """Exit 130, and the folder is as it was."""
    out = tmp_path / "goodputd.om"
    process = start("backfill", "--for", "36500d", "--start", BEGAN, "--step", "1s", "--out", str(out))
    until(lambda: any(tmp_path.iterdir()))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE_WALL_SECONDS)

    assert (130, "interrupted\n") == (process.returncode, after_the_size(err))
    assert [] == [*tmp_path.iterdir()]


def test_on_a_terminal_two_bars_show(tmp_path: Path) -> None:
    """Whoever waits sees the playing and the writing."""
    master, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "goodputd", "backfill", "--for", "1d"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:  # the last writer is gone
        os.close(master)
    process.communicate(timeout=PATIENCE_WALL_SECONDS)

    assert {b"playing", b"writing"} == set(re.findall(rb"playing|writing", seen))


def test_memory_hardly_grows_with_the_number_of_samples(tmp_path: Path) -> None:
    """Ten times the samples take little more memory, and never more than 300 MB."""
    short = peak_bytes(tmp_path, "--for", "12h", "--step", "60s")
    long = peak_bytes(tmp_path, "--for", "120h", "--step", "60s")

    assert long < MOST_BYTES
    assert long - short < MOST_GROWTH_BYTES


# what the kernel tells of an ended child counts the parent that it was forked from as well
TELLS_ITS_PEAK: Final = """
import atexit
from pathlib import Path
from goodputd.cli import main

atexit.register(lambda: print(Path("/proc/self/status").read_text()))
main()
"""


def peak_bytes(folder: Path, *arguments: str) -> int:
    """The most resident memory that a backfill had."""
    out = str(folder / "goodputd.om")
    done = subprocess.run(
        [sys.executable, "-c", TELLS_ITS_PEAK, "backfill", *arguments, "--force", "--out", out],
        check=True,
        capture_output=True,
        text=True,
    )
    [kilobytes] = re.findall(r"^VmHWM:\s+(\d+) kB$", done.stdout, re.MULTILINE)
    return int(kilobytes) * 1024


# --- the period -----------------------------------------------------------------------------------


def test_without_a_start_the_period_ends_now() -> None:
    """Now is a whole second of the wall clock."""
    assert Period(1_800_000_000 - 54 * DAY, 54 * DAY, 300) == period(
        "54d", None, "300s", lambda: 1_800_000_000.9
    )


def test_a_start_is_an_instant_of_any_time_zone() -> None:
    """Two hours east of Greenwich it is midnight two hours earlier."""
    assert Period(BEGAN_AT, 3600, 60) == period("1h", "2026-03-01T02:00:00+02:00", "60")


@pytest.mark.parametrize(
    ("start_timestamp", "seconds", "hours"),
    [
        (7200 * 1000, 7199, 2),
        (7200 * 1000, 7200, 6),
        (1_791_332_220, 54 * DAY, 39366),
        (39366 * 3600 - 1, 1, 39366),
    ],
)
def test_the_block_is_the_shortest_that_holds_the_period(
    start_timestamp: int, seconds: int, hours: int
) -> None:
    """Blocks start at multiples of their length: a period that crosses one needs a longer block."""
    assert hours == block_hours(Period(start_timestamp, seconds, 300))


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        (
            ("soon", "yesterday", "0.5s"),
            (
                NO_DURATION,
                "--step: '0.5s' must come to whole seconds",
                NO_INSTANT,
            ),
        ),
        (
            ("1d", "2026-01-01T00:00:00.5Z", "300s"),
            ("--start: '2026-01-01T00:00:00.5Z' must be a whole second",),
        ),
        (
            ("1d", "1969-01-01T00:00:00Z", "1h"),
            (NOT_IN_RANGE,),
        ),
        (("1e15", None, "1h"), (NOT_IN_RANGE,)),
    ],
)
def test_every_mistake_in_the_period_is_named(arguments: Any, problems: tuple[str, ...]) -> None:  # noqa: ANN401
    """All at once, each with its option and what is allowed."""
    with pytest.raises(SettingsError) as refused:
        period(*arguments)
    assert problems == refused.value.problems


def test_the_configuration_it_names_is_shipped(promtool: Path) -> None:
    """It scrapes nothing, and promtool finds no fault with it."""
    checked = subprocess.run([promtool, "check", "config", ROOT / CONFIG_FILE], check=False)

    assert (0, None) == (
        checked.returncode,
        yaml.safe_load((ROOT / CONFIG_FILE).read_text("utf-8")).get("scrape_configs"),
    )
