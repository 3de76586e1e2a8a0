"""Settings: what is in force when file, environment and flags say different things."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from goodputd import assembly, settings
from goodputd.settings.keys import document_keys, read
from goodputd.sim.layout import full_step_seconds

NAIVE = """\
[[scenario]]
name = "naive"
alerting = false
checkpoint.interval_seconds = 14400
detection.layers = ["watchdog"]

[[scenario]]
name = "default"
"""


def parsed(
    text: str = "", environ: Mapping[str, str] | None = None, **overrides: object
) -> settings.Settings:
    """The settings of a text; overrides are flags, ``table__key``."""
    flags = {key.replace("__", "."): value for key, value in overrides.items()}
    return settings.parse(text, source="test.toml", environ=environ or {}, overrides=flags)


def only(found: settings.Settings) -> settings.Scenario:
    """The one scenario of the settings."""
    (scenario,) = found.scenarios
    return scenario


def test_nothing_given_is_one_scenario_of_defaults() -> None:
    """Without a file there is one scenario, named default, from the built-in defaults."""
    found = settings.load(None, environ={})

    assert ("built-in defaults", "default", True) == (found.source, only(found).name, only(found).alerting)


def test_an_empty_file_is_the_defaults(tmp_path: Path) -> None:
    """An empty file is legal and changes nothing."""
    path = tmp_path / "empty.toml"
    path.write_bytes(b"")
    found = settings.load(path, environ={})

    assert settings.load(None, environ={}).scenarios == found.scenarios
    assert str(path) == found.source


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    """A file saved by an editor that puts a mark in front loads."""
    path = tmp_path / "bom.toml"
    path.write_bytes(b"\xef\xbb\xbfseed = 7\r\n")

    assert settings.load(path, environ={}).seed == 7


def test_whole_numbers_are_numbers() -> None:
    """A whole number may be written where a fraction is possible."""
    assert parsed("[checkpoint]\nsave_seconds = 3").scenarios[0].checkpoint.save_seconds == 3.0


def test_a_date_may_be_written_without_quotes() -> None:
    """TOML's own date and time is a start, too."""
    quoted = parsed('[clock]\nstart = "2027-03-01T00:00:00Z"')

    assert (
        quoted.clock_start_timestamp == parsed("[clock]\nstart = 2027-03-01T00:00:00Z").clock_start_timestamp
    )


def test_start_is_unix_seconds() -> None:
    """The simulated time starts on 1 January 2026 by default."""
    assert parsed().clock_start_timestamp == 1767225600.0


def test_start_keeps_its_time_zone() -> None:
    """The same hour further east is earlier."""
    assert parsed('[clock]\nstart = "2026-01-01T02:00:00+02:00"').clock_start_timestamp == 1767225600.0


def test_the_default_interval_is_the_one_that_loses_least() -> None:
    """sqrt(2 x save x MTBF) with 10 s and 54 days / 419 is 472 s, 80 steps."""
    checkpoint = only(parsed()).checkpoint

    assert round((2 * 10.0 * 54 * 86400 / 419) ** 0.5) == checkpoint.interval_seconds
    assert checkpoint.steps(only(parsed()).job.step_seconds) == 80


def test_a_scenario_overrides_what_it_names_and_nothing_else() -> None:
    """The naive scenario has its own interval and layers, and shares the rest."""
    naive, default = parsed(NAIVE).scenarios

    assert (14400.0, ("watchdog",), False) == (
        naive.checkpoint.interval_seconds,
        naive.detection.layers,
        naive.alerting,
    )
    assert naive.checkpoint.save_seconds == default.checkpoint.save_seconds
    assert default.checkpoint.interval_seconds == 472.0


def test_a_list_replaces_and_never_merges() -> None:
    """A scenario's layers are its own, not added to those of the file."""
    text = '[detection]\nlayers = ["heartbeat"]\n[[scenario]]\nname = "a"\ndetection.layers = ["watchdog"]'

    assert ("watchdog",) == only(parsed(text)).detection.layers


def test_environment_beats_the_file() -> None:
    """GOODPUTD_CLUSTER__NODES wins over [cluster] nodes."""
    found = parsed("[cluster]\nnodes = 64", {"GOODPUTD_CLUSTER__NODES": "128"})

    assert (128, "environment") == (only(found).cluster.nodes, found.origins["cluster.nodes"])


def test_environment_beats_a_scenario_of_the_file() -> None:
    """A variable holds for every scenario, also for one that says otherwise."""
    found = parsed(NAIVE, {"GOODPUTD_CHECKPOINT__INTERVAL_SECONDS": "600"})

    assert [600.0, 600.0] == [scenario.checkpoint.interval_seconds for scenario in found.scenarios]


def test_a_flag_beats_the_environment() -> None:
    """--speedup wins over GOODPUTD_CLOCK__SPEEDUP."""
    found = parsed("", {"GOODPUTD_CLOCK__SPEEDUP": "2"}, clock__speedup=3.0)

    assert (3.0, "flag") == (found.clock.speedup, found.origins["clock.speedup"])


def test_a_flag_that_was_not_given_is_no_flag() -> None:
    """None leaves the value of the layer below."""
    found = parsed("seed = 5", seed=None)

    assert (5, "file") == (found.seed, found.origins["seed"])


@pytest.mark.parametrize(
    ("name", "text", "key", "expected"),
    [
        ("GOODPUTD_SEED", "9", "seed", 9),
        ("GOODPUTD_HTTP__LISTEN", "0.0.0.0:9642", "http.listen", "0.0.0.0:9642"),
        ("GOODPUTD_HTTP__LISTEN", '":9000"', "http.listen", ":9000"),
        (
            "GOODPUTD_HTTP__ALLOWED_HOSTS",
            '["a.example", "b.example"]',
            "http.allowed_hosts",
            ("a.example", "b.example"),
        ),
        ("GOODPUTD_LOG__LEVEL", "debug", "log.level", "debug"),
        ("GOODPUTD_CLOCK__START", "2026-01-01T00:00:00Z", "clock.start", "2026-01-01T00:00:00+00:00"),
    ],
)
def test_variables_are_toml_values_or_plain_text(name: str, text: str, key: str, expected: object) -> None:
    """A variable is read as TOML; what is no TOML value is a text."""
    assert expected == read(parsed("", {name: text}), key)


def test_deep_keys_have_variables() -> None:
    """A table in a table is one more double underscore."""
    found = parsed("", {"GOODPUTD_DETECTION__HEARTBEAT__TIMEOUT_SECONDS": "20"})

    assert only(found).detection.heartbeat.timeout_seconds == 20.0


@pytest.mark.parametrize(
    "name",
    [
        "GOODPUTD_CONFIG",
        "GOODPUTD_TOKEN",
        "GOODPUTD_TOKEN_FILE",
        "GOODPUTD_SERVICE_HOST",
        "GOODPUTD_SERVICE_PORT",
        "GOODPUTD_SERVICE_PORT_METRICS",
        "GOODPUTD_PORT",
        "GOODPUTD_PORT_9642_TCP",
        "GOODPUTD_PORT_9642_TCP_ADDR",
        "OTHER_VARIABLE",
    ],
)
def test_variables_that_are_no_settings_are_left_alone(name: str) -> None:
    """Where the file is, secrets, and what Kubernetes adds for a service named goodputd are no settings."""
    assert parsed().scenarios == parsed("", {name: "tcp://10.0.0.1:9642"}).scenarios


def test_one_of_two_exclusive_keys_takes_the_other_of_a_lower_layer_away() -> None:
    """A scenario that counts in steps is not also bound by the seconds of the file."""
    text = '[checkpoint]\ninterval_seconds = 600\n[[scenario]]\nname = "a"\ncheckpoint.interval_steps = 80'
    checkpoint = only(parsed(text)).checkpoint

    assert (None, 80) == (checkpoint.interval_seconds, checkpoint.interval_steps)


def test_exclusive_keys_hold_for_the_environment_too() -> None:
    """A variable in seconds takes the steps of the file away."""
    found = parsed("[checkpoint]\ninterval_steps = 5", {"GOODPUTD_CHECKPOINT__INTERVAL_SECONDS": "600"})

    assert (600.0, None) == (only(found).checkpoint.interval_seconds, only(found).checkpoint.interval_steps)


def test_a_scale_takes_a_total_of_a_lower_layer_away() -> None:
    """A scenario that scales the catalog is not also bound by the file's total."""
    text = '[faults]\ntotal_interruptions = 100\n[[scenario]]\nname = "a"\nfaults.scale = 2'
    faults = only(parsed(text)).faults

    assert (2.0, None) == (faults.scale, faults.total_interruptions)


def test_origins_cover_every_key() -> None:
    """Every key has an origin, and without anything given it is the default."""
    assert dict.fromkeys(document_keys(), "default") == parsed().origins


def test_origins_tell_what_a_scenario_overrides() -> None:
    """An override is under the scenario's name, the key itself keeps its own origin."""
    origins = parsed(NAIVE).origins

    assert ("file", "default") == (
        origins["scenario.naive.checkpoint.interval_seconds"],
        origins["checkpoint.interval_seconds"],
    )


def test_equal_settings_have_equal_digests() -> None:
    """Where a value comes from does not change the digest, and the digest is 8 hexadecimal digits."""
    first, second = parsed("seed = 1"), parsed("[cluster]\nnodes = 2048")

    assert only(first).digest == only(second).digest
    assert len(f"{int(only(first).digest, 16):08x}") == 8


@pytest.mark.parametrize("text", ["seed = 2", "[cluster]\nspares = 1", '[[scenario]]\nname = "x"'])
def test_other_settings_have_other_digests(text: str) -> None:
    """Seed, values and name are part of the digest."""
    assert only(parsed()).digest != only(parsed(text)).digest


@pytest.mark.parametrize("text", ["[clock]\nspeedup = 7", '[log]\nlevel = "debug"', "[http]\nlisten = ':1'"])
def test_how_fast_and_where_is_no_part_of_the_digest(text: str) -> None:
    """Speed, log and address do not change the history, so they do not change the digest."""
    assert only(parsed()).digest == only(parsed(text)).digest


@pytest.mark.parametrize(
    "override",
    [
        "cluster.spares = 0",
        "cluster.repair_hours = 1",
        "checkpoint.save_seconds = 1",
        "policy.strikes.lifetime = true",
        "job.noise.step_sigma = 0.1",
        'cluster.placement.layout = "spread"',
        "cluster.cooling.watts_per_rack = 90000",
    ],
)
def test_scenarios_that_differ_in_anything_else_are_paired(override: str) -> None:
    """Spares, repair, checkpoints and policy do not move the faults."""
    found = parsed(f'[[scenario]]\nname = "a"\n[[scenario]]\nname = "b"\n{override}')

    assert [True, True] == [scenario.paired for scenario in found.scenarios]


@pytest.mark.parametrize(
    "override",
    [
        "faults.scale = 2",
        "cluster.nodes = 1024",
        'faults.catalog = "rsc"',
        "cluster.cooling.inlet_celsius = 30",
        "cluster.cooling.failures_per_rack_day = 0.001",
    ],
)
def test_scenarios_with_other_faults_are_unpaired(override: str) -> None:
    """Another catalog, scale or fleet means other faults."""
    found = parsed(f'[[scenario]]\nname = "a"\n[[scenario]]\nname = "b"\n{override}')

    assert [True, False] == [scenario.paired for scenario in found.scenarios]


@pytest.mark.parametrize(
    ("listen", "expected"),
    [
        ("127.0.0.1:9642", ("127.0.0.1", 9642)),
        ("[::1]:80", ("::1", 80)),
        (":9642", ("", 9642)),
        ("localhost:0", ("localhost", 0)),
    ],
)
def test_listen_addresses_are_host_and_port(listen: str, expected: tuple[str, int]) -> None:
    """A host may be a name, an IPv4, an IPv6 in brackets, or left out for all addresses."""
    assert expected == settings.split_listen(listen)


DESCRIBED = {
    "nothing": "",
    "two scenarios": NAIVE,
    "steps in one": NAIVE + "checkpoint.interval_steps = 40",
    "a total in one": NAIVE + "faults.total_interruptions = 300",
    "a total for all": "[faults]\ntotal_interruptions = 300\n" + NAIVE,
    "kinds and script": """
[[faults.kinds]]
name = "k"
component = "nic"
per_gpu_hour = 1e-7
event = 'quote " and \\ here'
[[faults.script]]
at_seconds = 5
kind = "k"
node = 3
""",
    "an empty list": "[detection]\nlayers = []\n" + NAIVE,
    "globals": '[clock]\nspeedup = 7\n[http]\nallowed_hosts = ["a.example"]\n[log]\nformat = "json"',
}


@pytest.mark.parametrize("text", DESCRIBED.values(), ids=DESCRIBED.keys())
def test_described_settings_load_to_the_same_settings(text: str) -> None:
    """What `--print-effective` prints is itself a settings file, and means the same."""
    first = parsed(text)
    second = parsed(settings.describe(first))

    assert (first.scenarios, first.seed) == (second.scenarios, second.seed)
    assert (first.clock, first.http, first.log) == (second.clock, second.http, second.log)


def test_described_settings_name_the_origin_of_each_value() -> None:
    """Each line ends with where its value comes from."""
    found = parsed(NAIVE, {"GOODPUTD_CLUSTER__NODES": "1024"}, seed=4)
    lines = settings.describe(found).splitlines()

    assert {
        "seed = 4  # flag",
        "nodes = 1024  # environment",
        "spares = 16  # default",
        "checkpoint.interval_seconds = 14400.0  # file",
        "checkpoint.interval_seconds = 472.0  # default",
    } <= set(lines)


DOUBTFUL = {
    "[job]\ngpus_per_replica = 96": "cluster.nodes: 8 of 2048 nodes stay idle, a replica takes 12",
    "[detection.watchdog]\ntimeout_seconds = 5": (
        "detection.watchdog.timeout_seconds: 5 s is shorter than a step, 5.9 s; a real one aborts every step"
    ),
    "[checkpoint]\ninterval_seconds = 4\nsave_seconds = 1": (
        "checkpoint.interval_seconds: 4 s is shorter than a step; a save follows every step"
    ),
    "[checkpoint]\ninterval_steps = 2\nsave_seconds = 60": (
        "checkpoint.interval_steps: 11.8 s between saves of 60 s: mostly it is saving"
    ),
    "[policy.strikes]\nstrikes_to_evict = 0": "policy.strikes.strikes_to_evict: 0 never evicts, so permanent "
    "faults pile up and the job ends up failing all the time",
    "[policy]\nname = 'always_restart'": 'policy.name: "always_restart" never evicts, so permanent '
    "faults pile up and the job ends up failing all the time",
    "[policy.window]\ndays = 1": 'policy.window: has no effect, the policy is "strikes"',
    "[cluster]\nrepair_hours = 1\nrepair.stages = 'automatic_then_manual'": (
        "cluster.repair_hours: has no effect, cluster.repair.stages has its own times"
    ),
    "[cluster.capacity]\nhost_selection = 'random'": (
        "cluster.capacity: has no effect without warm_standbys or preemptible: every spare is warm"
    ),
    "[cluster.cooling]\nwatts_per_rack = 40800": (
        "cluster.cooling.watts_per_rack: less than the heat of 8 nodes; every step takes 1.26 times as long"
    ),
    "[detection.watchdog]\ntimeout_seconds = 17\n"
    "[[cluster.pool]]\nname = 'slow'\nnodes = 2064\nstep_time_factor = 3": (
        "detection.watchdog.timeout_seconds: 17 s is shorter than a step, 17.7 s; "
        "a real one aborts every step"
    ),
    "[cluster.placement]\ncommunication_share = 1\nrack_hop_factor = 5\n"
    "switch_hop_factor = 5\nlayout = 'spread'\n"
    "[checkpoint]\ninterval_seconds = 29\nsave_seconds = 1": (
        "checkpoint.interval_seconds: 29 s is shorter than a step; a save follows every step"
    ),
    "[detection]\nlayers = []": "detection.layers: no layer is on; a person finds every stop after 4 h",
    "[detection.heartbeat]\ntimeout_seconds = 15": (
        "detection.heartbeat: about 119,226 false alarms in a day of running"
    ),
    "[detection.gradient]\nz_threshold = 4": (
        "detection.gradient: about 2,232 false alarms in a day of running"
    ),
    "[faults]\nscale = 0": "faults: nothing ever breaks",
    "[faults]\nperiod_days = 10": "faults.period_days: has no effect without total_interruptions",
    "[recovery]\nwrong_restore_loss_jump = 0.01": (
        "recovery.wrong_restore_loss_jump: "
        "is within the noise, below 0.0179; verification misses most wrong restores"
    ),
}


@pytest.mark.parametrize(("text", "warning"), DOUBTFUL.items(), ids=[json.dumps(text) for text in DOUBTFUL])
def test_what_is_legal_and_doubtful_is_warned_of(text: str, warning: str) -> None:
    """`check-config` says what will probably not be meant, once for all scenarios."""
    assert [f"test.toml: {warning}"] == settings.warnings(parsed(text))


POOLS = """
[[cluster.pool]]
name = "old"
nodes = 1000
step_time_factor = 1.3
[[cluster.pool]]
name = "new"
nodes = 1056
[[cluster.pool]]
name = "spares"
nodes = 8
step_time_factor = 4
"""
"""The last pool are spares: whoever is not in the job slows nobody down."""
PLACED = """
[cluster.placement]
communication_share = 0.2
rack_hop_factor = 2
switch_hop_factor = 4
"""
HOT = "[cluster.cooling]\nwatts_per_rack = 40800"
NOISY = "[job]\nnoise = { step_sigma = 0.02, delays_per_node_step = 0.001 }"
IDLE = "[job]\ngpus_per_replica = 96"


@pytest.mark.parametrize(
    "text",
    ["", POOLS, PLACED, HOT, NOISY, NOISY + POOLS + PLACED + HOT, IDLE + PLACED + HOT],
    ids=["plain", "pools", "placed", "hot", "noisy", "all", "idle"],
)
def test_doubts_reason_with_the_step_time_that_is_played(text: str) -> None:
    """That of the job at its start, to the last bit."""
    found = parsed(text)
    (simulation,) = assembly.build(found)
    scenario = only(found)

    assert simulation.snapshot().step_time.seconds == full_step_seconds(scenario.cluster, scenario.job)


def test_a_warning_names_the_scenarios_that_it_is_about() -> None:
    """What only some scenarios do is told with their names."""
    text = '[[scenario]]\nname = "a"\n[[scenario]]\nname = "b"\ndetection.layers = []'
    expected = "test.toml: scenario b: detection.layers: no layer is on; a person finds every stop after 4 h"

    assert [expected] == settings.warnings(parsed(text))


def nervous_and_calm(*, alerting: bool) -> str:
    """Two scenarios, one of which takes fifteen seconds of silence for a death."""
    return f"""
        [[scenario]]
        name = "nervous"
        alerting = {str(alerting).lower()}
        detection.heartbeat.timeout_seconds = 15
        [[scenario]]
        name = "calm"
    """


def test_a_contrast_may_cry_wolf() -> None:
    """Beside a calm scenario, one that raises no alerts is there to show what false alarms cost."""
    assert [] == settings.warnings(parsed(nervous_and_calm(alerting=False)))


def test_a_scenario_that_raises_alerts_may_not_cry_wolf() -> None:
    """It is warned of, whatever is beside it."""
    (warning,) = settings.warnings(parsed(nervous_and_calm(alerting=True)))

    assert (
        "test.toml: scenario nervous: detection.heartbeat: about 119,226 false alarms in a day of running"
        == warning
    )


def test_unpaired_scenarios_are_warned_of() -> None:
    """Scenarios that do not meet the same faults cannot be compared without their luck."""
    text = '[[scenario]]\nname = "a"\n[[scenario]]\nname = "b"\nfaults.scale = 2'
    expected = (
        'test.toml: scenario b: faults: differ from those of scenario "a"; '
        "luck is part of the difference between the two"
    )

    assert [expected] == settings.warnings(parsed(text))


def test_the_defaults_are_not_doubtful() -> None:
    """The built-in defaults give no warning."""
    assert [] == settings.warnings(parsed())


def test_a_pool_may_say_how_many_gpus_its_nodes_have() -> None:
    """If they are as many as in the cluster."""
    text = '[[cluster.pool]]\nname = "all"\nnodes = 2064\ngpus_per_node = 8'

    assert 8 == only(parsed(text)).cluster.pool[0].gpus_per_node
