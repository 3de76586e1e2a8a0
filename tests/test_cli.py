"""The command line: which command runs, what it prints where, and what it exits with."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goodputd import __version__, assembly, core_build, settings
from goodputd.cli import with_default_command
from goodputd.cli_frame import app
from goodputd.summary import summarize
from tests import calling
from tests.calling import SMALL, clean

DAY_SECONDS = 86400.0


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clean(monkeypatch, tmp_path)


@pytest.fixture
def small(tmp_path: Path) -> str:
    """Path of a settings file with two scenarios."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return str(path)


class Call(calling.Call):
    """Run command lines in this process, and read what they print."""

    def json(self, *arguments: str) -> Any:  # noqa: ANN401 - whatever the command prints
        """The JSON that a command prints."""
        code, out, _ = self(*arguments)
        assert code == 0
        return json.loads(out)

    def facts(self, *arguments: str) -> list[dict[str, Any]]:
        """The lines of JSON that a command prints."""
        code, out, _ = self(*arguments)
        assert code == 0
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """The command line."""
    return Call(capsys)


def started(*arguments: str, stderr: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """A command line in a process of its own, its stdout a pipe."""
    return subprocess.Popen(
        [sys.executable, "-m", "goodputd", *arguments], stdout=subprocess.PIPE, stderr=stderr, text=True
    )


# --- which command


@pytest.mark.parametrize(
    ("given", "run"),
    [
        ([], ["serve"]),
        (["-c", "my.toml"], ["serve", "-c", "my.toml"]),
        (["--speedup", "60"], ["serve", "--speedup", "60"]),
        (["serve"], ["serve"]),
        (["simulate", "--json"], ["simulate", "--json"]),
        (["--help"], ["--help"]),
        (["--version"], ["--version"]),
        (["--show-completion"], ["--show-completion"]),
    ],
)
def test_without_a_command_it_serves(given: list[str], run: list[str]) -> None:
    """``serve`` is put in front of nothing and of its options, and of nothing else."""
    assert run == with_default_command(given)


def test_the_commands_are_those_of_the_contract() -> None:
    """People and scripts find these commands, under these names."""
    playing = {"serve", "simulate", "check-config", "init", "schema", "catalog", "health"}
    expected = playing | {"rules", "backfill"} | {"compare", "sweep"}
    assert expected == {command.name for command in app.registered_commands}


@pytest.mark.parametrize("name", ["my.toml", "missing/other.toml", "a-file"])
def test_a_bare_file_is_answered_with_the_right_call(call: Call, name: str) -> None:
    """Who gives a file without a command is told the command, whether the file exists or not."""
    Path("a-file").write_text("")
    code, out, err = call(name)
    assert (2, "") == (code, out)
    assert f"did you mean: goodputd serve -c {name}" in err


def test_a_misspelt_command_is_answered_with_a_suggestion(call: Call) -> None:
    """An unknown command is the user's mistake and names the closest one."""
    code, _, err = call("simulat")
    assert code == 2
    assert "'simulate'" in err


def test_version_is_that_of_the_package(call: Call) -> None:
    """``--version`` prints the name, the version and how the core runs."""
    assert (0, f"goodputd {__version__} (core {core_build()})\n", "") == call("--version")


def test_help_loads_nothing_that_only_commands_need() -> None:
    """``--help`` is quick because it imports no validator, no web server and no simulation."""
    heavy = ["pydantic", "rich", "starlette", "uvicorn", "structlog", "prometheus_client", "goodputd.sim"]
    script = f"""
import sys
from goodputd.cli import main
try:
    main(["--help"])
except SystemExit:
    print([name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stderr == "[]\n"
    assert "simulate" in ran.stdout


# --- mistakes


def test_all_mistakes_come_at_once_without_a_traceback(call: Call) -> None:
    """One message with every mistake on stderr, nothing on stdout, exit code 2."""
    Path("bad.toml").write_text("[cluster]\nnodes = -1\nspairs = 3\n")
    code, out, err = call("check-config", "bad.toml")
    assert (2, "") == (code, out)
    assert "cluster.nodes" in err
    assert "cluster.spairs" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["serve", "simulate", "check-config"])
def test_a_missing_file_is_one_line(call: Call, command: str) -> None:
    """Every command that reads settings answers a missing file in one line."""
    option = [] if command == "check-config" else ["-c"]
    code, _, err = call(command, *option, "missing.toml")
    assert (2, 1) == (code, err.count("\n"))
    assert err.startswith("missing.toml: ")


def test_a_bad_flag_is_named_as_it_was_typed(call: Call) -> None:
    """A value that came by flag is complained about under the flag's name; no command means serve."""
    code, _, err = call("--speedup", "-1")
    assert code == 2
    assert "--speedup" in err


@pytest.mark.parametrize(
    "arguments", [["--for", "5y"], ["--for", "-1d"], ["--until-step", "0"], ["--seed", "-1"]]
)
def test_simulate_refuses_what_it_cannot_play(call: Call, arguments: list[str]) -> None:
    """A duration, a step or a seed that makes no sense is the user's mistake, by name."""
    code, _, err = call("simulate", *arguments)
    assert code == 2
    assert arguments[0] in err


# --- check-config, schema


def test_valid_settings_are_confirmed(call: Call, small: str) -> None:
    """The file and its scenarios are named."""
    assert (0, f"{small}: valid; scenarios: naive, default\n", "") == call("check-config", small)


def test_doubts_are_told_and_do_not_fail(call: Call, small: str) -> None:
    """What is legal and probably not meant is a warning on stderr."""
    Path(small).write_text(SMALL + "faults.scale = 3.0\n")
    code, _, err = call("check-config", small)
    assert code == 0
    assert err.startswith("warning: ")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("simulate", ["--config"]),
        ("compare", ["--workers", "1", "--config"]),
        ("sweep", ["--workers", "1", "--seeds", "1", "--vary", "cluster.spares=1,2", "--config"]),
    ],
)
def test_who_plays_doubtful_settings_is_told_of_the_doubts(
    call: Call, small: str, command: str, options: list[str]
) -> None:
    """A run that may not mean what it says points at the command that says why, in one line on stderr."""
    Path(small).write_text(SMALL + "faults.scale = 3.0\n")
    warnings = call("check-config", small)[2].count("warning: ")
    _, _, err = call(command, "--for", "1h", *options, small)

    assert 1 == warnings
    assert f"1 warning: goodputd check-config {small}\n" == err


def test_who_plays_sound_settings_is_told_nothing(call: Call, small: str) -> None:
    """Without a doubt stderr stays empty."""
    assert "" == call("simulate", "--for", "1h", "--config", small)[2]


def test_effective_settings_name_their_origin(
    call: Call, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flag, environment and file are told apart, value by value."""
    monkeypatch.setenv("GOODPUTD_CLOCK__SPEEDUP", "60")
    _, out, _ = call("check-config", small, "--print-effective", "--seed", "7")
    for line in ("seed = 7  # flag", "speedup = 60.0  # environment", "nodes = 128  # file"):
        assert line in out.splitlines()


def test_the_config_may_come_from_the_environment(
    call: Call, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``GOODPUTD_CONFIG`` is the default of the file, by option and by argument."""
    monkeypatch.setenv("GOODPUTD_CONFIG", small)
    assert ["naive", "default"] == [
        s["name"] for s in call.json("simulate", "--for", "1h", "--json")["scenarios"]
    ]
    assert call("check-config")[1].startswith(f"{small}: valid")


def test_the_schema_is_json(call: Call) -> None:
    """``schema`` prints what the settings module makes, as JSON."""
    assert settings.schema() == call.json("schema")


# --- init


def test_init_writes_settings_that_are_valid(call: Call) -> None:
    """What ``init`` writes is what ``check-config`` accepts, and the next call is told."""
    code, out, _ = call("init")
    assert (0, "wrote goodputd.toml; next: goodputd serve -c goodputd.toml\n") == (code, out)
    assert call("check-config", "goodputd.toml")[0] == 0


def test_init_never_overwrites(call: Call) -> None:
    """A file that is there stays as it is, unless the user insists."""
    Path("mine.toml").write_text("mine")
    code, _, err = call("init", "--out", "mine.toml")
    assert (2, "mine") == (code, Path("mine.toml").read_text())
    assert "--force" in err
    assert call("init", "--out", "mine.toml", "--force")[0] == 0
    assert settings.initial_toml() == Path("mine.toml").read_text()


def test_init_replaces_a_file_in_one_step(call: Call) -> None:
    """Whoever reads the old file meanwhile reads it to its end, and nothing else is left behind."""
    Path("mine.toml").write_text("mine")
    with Path("mine.toml").open() as before:
        assert call("init", "--out", "mine.toml", "--force")[0] == 0
        assert "mine" == before.read()
    assert [Path("mine.toml")] == list(Path().iterdir())


def test_init_to_a_dash_is_stdout(call: Call) -> None:
    """``--out -`` prints the text and nothing else, and writes no file."""
    assert (0, settings.initial_toml(), "") == call("init", "--out", "-")
    assert [] == list(Path().iterdir())


def test_init_where_nothing_can_be_written_is_one_line(call: Call) -> None:
    """A folder that is not there is one line, exit code 2."""
    code, _, err = call("init", "--out", "nowhere/goodputd.toml")
    assert (2, "nowhere/goodputd.toml: cannot be written: no such file or directory\n") == (code, err)


def test_init_from_an_unknown_template_names_those_there_are(call: Call) -> None:
    """A misspelt template is answered with the list."""
    code, _, err = call("init", "--from", "lama3")
    assert code == 2
    assert "llama3" in err
    assert not Path("goodputd.toml").exists()


# --- catalog


def test_catalogs_are_listed(call: Call) -> None:
    """Without a name every shipped catalog stands on a line."""
    code, out, _ = call("catalog")
    assert code == 0
    assert {"llama3", "rsc"} <= {line.split()[0] for line in out.splitlines() if line.split()}


def test_a_catalog_lists_every_kind(call: Call) -> None:
    """The 18 causes of Llama 3 with their counts, which add up to 419."""
    kinds = call.json("catalog", "llama3", "--json")["kinds"]
    assert (18, 419) == (len(kinds), sum(kind["count"] for kind in kinds))
    _, out, _ = call("catalog", "llama3")
    rows = [line.split() for line in out.splitlines()]
    assert ["faulty_gpu", "gpu", "node", "crash", "148"] in [row[:5] for row in rows]
    for kind in kinds:
        assert kind["name"] in out


def test_an_unknown_catalog_is_answered_with_a_suggestion(call: Call) -> None:
    """A misspelt name is the user's mistake and names the closest one."""
    code, _, err = call("catalog", "lama3")
    assert code == 2
    assert '"llama3"' in err


# --- simulate


def test_simulate_plays_54_days_unless_told(call: Call) -> None:
    """The default is the length of the Llama 3 run."""
    assert 54 * DAY_SECONDS == call.json("simulate", "--json")["simulated_seconds"]


def test_simulate_equals_the_core_driven_in_one_piece(call: Call, small: str) -> None:
    """How the command cuts the run leaves no trace in what it reports."""
    simulations = assembly.build(settings.load(Path(small)))
    for simulation in simulations:
        simulation.advance_to(20 * DAY_SECONDS)
    expected = summarize([s.snapshot() for s in simulations], version=__version__, seed=3)
    assert expected == call.json("simulate", "-c", small, "--for", "20d", "--json")


def test_the_seed_decides(call: Call, small: str) -> None:
    """The same seed gives the same bytes, another seed another history."""
    runs = [
        call("simulate", "-c", small, "--for", "5d", "--trace", "--seed", seed)[1] for seed in ("5", "5", "6")
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_trace_is_the_facts_in_order_of_time(call: Call, small: str) -> None:
    """Each fact of each scenario is one line of JSON; instants never go back."""
    facts = call.facts("simulate", "-c", small, "--for", "10d", "--trace")
    simulations = assembly.build(settings.load(Path(small)))
    assert sum(len(simulation.advance_to(10 * DAY_SECONDS)) for simulation in simulations) == len(facts)
    assert sorted(fact["at"] for fact in facts) == [fact["at"] for fact in facts]
    assert {"naive", "default"} == {fact["scenario"] for fact in facts}


def test_a_fact_names_its_event_and_fields(call: Call, small: str) -> None:
    """A line says when, where and what, then the fields of the fact, in the words of the model."""
    facts = call.facts("simulate", "-c", small, "--for", "10d", "--trace")
    first = facts[0]
    expected = [
        "at",
        "scenario",
        "event",
        "fault",
        "kind",
        "component",
        "symptom",
        "origin",
        "node",
        "transient",
    ]
    assert expected == list(first)
    assert ("fault_occurred", "primary") == (first["event"], first["origin"])


def test_trace_and_json_end_with_the_summary(call: Call, small: str) -> None:
    """With both, the last line is the object that ``--json`` alone prints."""
    both = call.facts("simulate", "-c", small, "--for", "5d", "--trace", "--json")
    assert call.json("simulate", "-c", small, "--for", "5d", "--json") == both[-1]
    assert call.facts("simulate", "-c", small, "--for", "5d", "--trace") == both[:-1]


def test_a_run_to_a_step_stops_there(call: Call, small: str) -> None:
    """Each scenario ends at the instant of its last step, which is the time to target."""
    lines = call.facts("simulate", "-c", small, "--until-step", "5000", "--trace", "--json")
    for scenario in lines[-1]["scenarios"]:
        own = [fact for fact in lines[:-1] if fact["scenario"] == scenario["name"]]
        assert ("target_reached", 5000) == (own[-1]["event"], scenario["step"])
        expected = {"step": 5000, "completed": True, "seconds": own[-1]["at"]}
        assert expected == scenario["target"]
        assert own[-1]["at"] == scenario["simulated_seconds"]


def test_a_target_out_of_reach_is_told_and_is_no_error(call: Call, small: str) -> None:
    """What was not completed within ``--for`` says so, with exit code 0."""
    code, out, _ = call("simulate", "-c", small, "--until-step", "5000", "--for", "1h", "--json")
    assert code == 0
    assert {"step": 5000, "completed": False, "seconds": None} == json.loads(out)["scenarios"][1]["target"]
    assert "not completed" in call("simulate", "-c", small, "--until-step", "5000", "--for", "1h")[1]


def test_without_json_a_person_can_read_it(call: Call, small: str) -> None:
    """The table names every scenario and the headline figures, in 80 columns of plain text."""
    code, out, err = call("simulate", "-c", small, "--for", "5d")
    assert (0, "") == (code, err)
    for word in ("naive", "default", "goodput", "MTTR", "lost steps", "where the time went"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


# --- endings


def test_an_interrupted_run_exits_with_130() -> None:
    """Ctrl-C ends a long simulation without a traceback."""
    process = started("simulate", "--for", "1000000d", "--trace")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("{")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (130, "interrupted\n") == (process.returncode, err)


def test_a_reader_that_leaves_is_no_error() -> None:
    """Piping into ``head`` ends quietly, with exit code 0."""
    process = started("simulate", "--for", "1000000d", "--trace")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr as stderr:
        assert stderr.read() == ""
    assert process.wait(timeout=60) == 0


def _read_all(master: int) -> Iterator[bytes]:
    """What was written to the other side of a terminal, until that side is closed."""
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:  # the last writer is gone
            return
        if not chunk:
            return
        yield chunk


def test_on_a_terminal_a_bar_shows_and_stdout_stays_clean(small: str) -> None:
    """The progress bar goes to the terminal on stderr; a redirected stdout holds the JSON alone."""
    master, terminal = os.openpty()
    process = started("simulate", "-c", small, "--for", "20d", "--json", stderr=terminal)
    os.close(terminal)
    seen = b"".join(_read_all(master))
    os.close(master)
    out, _ = process.communicate(timeout=60)
    assert b"simulating" in seen
    assert json.loads(out)["simulated_seconds"] == 20 * DAY_SECONDS


def test_health_answers_with_1_when_nobody_is_there(call: Call) -> None:
    """A daemon that is not there is an answer and not a mistake."""
    code, out, err = call("health", "--url", "http://127.0.0.1:1")
    assert (1, "") == (code, out)
    assert err.startswith("not ready: http://127.0.0.1:1/-/ready: ")


@pytest.mark.parametrize(
    "arguments",
    [["schema"], ["simulate", "--for", "2d"], ["simulate", "--for", "2d", "--trace"]],
    ids=["schema", "simulate", "trace"],
)
def test_a_full_stdout_is_one_line(small: str, arguments: list[str]) -> None:
    """/dev/full says what a full disk says, when the output is flushed or before."""
    given = [*arguments, "-c", small] if arguments[0] == "simulate" else arguments
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "goodputd", *given], stdout=full, stderr=subprocess.PIPE, check=False
        )

    assert (2, b"standard output: cannot be written: no space left on device\n") == (
        done.returncode,
        done.stderr,
    )


def test_a_closed_stdout_is_no_mistake() -> None:
    """As `>&-` starts it; there is nobody to write to."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m goodputd schema >&-"], stderr=subprocess.PIPE, check=False
    )

    assert (0, b"") == (done.returncode, done.stderr)
