"""What is wrong with settings is told in people's words, all of it at once, and never as a traceback."""

from collections.abc import Mapping

import pytest

from goodputd import settings
from goodputd.errors import SettingsError

KIND = '[[faults.kinds]]\nname = "k"\ncomponent = "gpu"\n'
STRIKE = "[[faults.script]]\nat_seconds = 1\n"
NAIVE = '[[scenario]]\nname = "default"\n[[scenario]]\nname = "naive"\n'
TWICE = "[detection]\nlayers = ['watchdog', 'watchdog']"
AT_THE_TOP = (
    "seed, clock, http, log, cluster, job, loss, faults, corruption, detection, policy, "
    "recovery, checkpoint, targets, scenario, grid"
)


def mistakes(text: str, environ: Mapping[str, str] | None = None, **overrides: object) -> list[str]:
    """Every line that is told of a text named bad.toml; overrides are flags, ``table__key``."""
    flags = {key.replace("__", "."): value for key, value in overrides.items()}
    with pytest.raises(SettingsError) as caught:
        settings.parse(text, source="bad.toml", environ=environ or {}, overrides=flags)
    return list(caught.value.problems)


SINGLE_VALUES = {
    "[cluster]\nnodes = 0": "cluster.nodes: must be 1 or more (got 0)",
    "[cluster.cooling]\ninlet_celsius = 400": (
        "cluster.cooling.inlet_celsius: must be 100 or less (got 400)"
    ),
    "[job.noise]\nstep_sigma = 2": "job.noise.step_sigma: must be 0.5 or less (got 2)",
    KIND.replace('"k"', '"thermal_shutdown"') + "per_node_day = 1": (
        'faults.kinds[0].name: must be unique, the catalog\'s kinds included (got "thermal_shutdown" again)'
    ),
    "[cluster]\nspares = -1": "cluster.spares: must be 0 or more (got -1)",
    "[cluster]\nnodes = 8.5": "cluster.nodes: must be a whole number (got 8.5)",
    '[cluster]\nnodes = "8"': 'cluster.nodes: must be a whole number (got "8")',
    "[cluster]\nnodes = true": "cluster.nodes: must be a whole number (got true)",
    "[cluster]\nnodes = [8]": "cluster.nodes: must be a whole number (got an array)",
    "[cluster]\nnodes = {a = 8}": "cluster.nodes: must be a whole number (got a table)",
    "[cluster]\nnodes = 1_000_000": "cluster.nodes: must be from 1 to 200000 (got 1000000)",
    f"[cluster]\nnodes = {2**64}": "cluster.nodes: must fit in 64 bits (got a number of 65 bits)",
    "[cluster]\nrepair_hours = nan": "cluster.repair_hours: must be a finite number (got nan)",
    "[cluster]\nrepair_hours = inf": "cluster.repair_hours: must be a finite number (got inf)",
    "[cluster]\nrepair_hours = 1e300": "cluster.repair_hours: must be at most 1e+18 in size (got 1e+300)",
    '[cluster]\nrepair_hours = "a day"': 'cluster.repair_hours: must be a number (got "a day")',
    "[cluster]\nrepair_hours = 2026-01-01": 'cluster.repair_hours: must be a number (got "2026-01-01")',
    '[cluster]\nrepair_distribution = "often"': (
        'cluster.repair_distribution: must be "fixed" or "exponential" (got "often")'
    ),
    "cluster = 5": "cluster: must be a table (got 5)",
    "[[cluster]]\nnodes = 5": "cluster: must be a table (got an array)",
    "[clock]\nspeedup = 0": "clock.speedup: must be greater than 0 (got 0)",
    "[clock]\nspeedup = -1.5": "clock.speedup: must be greater than 0 (got -1.5)",
    "[clock]\nspeedup = 1e10": "clock.speedup: must be from 1e-06 to 1000000000 (got 10000000000.0)",
    "[clock]\nstart = 2026-01-01": (
        'clock.start: must be a date and time with a time zone, for instance "2026-01-01T00:00:00Z"'
        ' (got "2026-01-01")'
    ),
    '[clock]\nstart = "2026-01-01T00:00:00"': (
        'clock.start: must be a date and time with a time zone, for instance "2026-01-01T00:00:00Z"'
        ' (got "2026-01-01T00:00:00")'
    ),
    '[clock]\nstart = "yesterday"': (
        'clock.start: must be a date and time with a time zone, for instance "2026-01-01T00:00:00Z"'
        ' (got "yesterday")'
    ),
    '[http]\nlisten = "localhost"': (
        'http.listen: must be "host:port" or ":port", an IPv6 host in brackets (got "localhost")'
    ),
    '[http]\nlisten = "::1:9642"': (
        'http.listen: must be "host:port" or ":port", an IPv6 host in brackets (got "::1:9642")'
    ),
    '[http]\nlisten = "localhost:http"': (
        'http.listen: must be "host:port" or ":port", an IPv6 host in brackets (got "localhost:http")'
    ),
    '[http]\nlisten = "localhost:65536"': (
        'http.listen: must have a port of at most 65535 (got "localhost:65536")'
    ),
    "[http]\nlisten = 9642": "http.listen: must be a text in quotes (got 9642)",
    '[http]\nallowed_hosts = [""]': 'http.allowed_hosts[0]: must not be empty (got "")',
    '[log]\nlevel = "loud"': 'log.level: must be "debug", "info", "warning" or "error" (got "loud")',
    "seed = -1": "seed: must be 0 or more (got -1)",
    "[detection]\nlayers = 'watchdog'": 'detection.layers: must be an array (got "watchdog")',
    "[detection]\nlayers = ['watchdg']": (
        'detection.layers[0]: must be "heartbeat", "hardware", "watchdog", "gradient", "validation", '
        '"shadow", "sentinel", "probe" or "scan" (got "watchdg")'
    ),
    "[detection.heartbeat]\nstep_beats = 'yes'": (
        'detection.heartbeat.step_beats: must be true or false (got "yes")'
    ),
    "[policy]\nname = 'luck'": 'policy.name: must be "strikes", "always_restart", "always_evict", "window" '
    'or "score" (got "luck")',
    "[cluster.capacity]\npreemptible = 17": (
        "cluster.capacity.preemptible: must be at most cluster.spares, 16, of which they are a part (got 17)"
    ),
    "[[cluster.pool]]\nname = 'old'\nnodes = 2000": (
        "cluster.pool: must have 2064 nodes, the nodes and spares of the cluster (got 2000)"
    ),
    "[[cluster.pool]]\nname = 'small'\nnodes = 2064\ngpus_per_node = 4": (
        "cluster.pool[0].gpus_per_node: must be 8, as in cluster.gpus_per_node: a replica is whole nodes and "
        "any spare may take any place of it; play nodes of another size as a scenario of their own (got 4)"
    ),
    "[[cluster.pool]]\nname = 'very old'\nnodes = 2064": (
        'cluster.pool[0].name: must be 1 to 64 letters, digits, "_", "-" or, not in front, "."'
        ' (got "very old")'
    ),
    "[policy.score]\nretire_at = 30.5": "policy.score.retire_at: must be at most evict_at, 20 (got 30.5)",
    "[targets]\ngoodput = 90": "targets.goodput: must be 1 or less (got 90)",
    f"[faults]\ncatalog = '{'x' * 200}'": (
        f'faults.catalog: unknown catalog "{"x" * 64}" (there are llama3, meta_mini, rsc), or "none"'
        " for faults.kinds alone"
    ),
}


@pytest.mark.parametrize(("text", "line"), SINGLE_VALUES.items(), ids=SINGLE_VALUES.values())
def test_a_bad_value_is_told_with_what_is_allowed(text: str, line: str) -> None:
    """One bad value is one line: file, key, what is wrong, what is allowed, what was given."""
    assert [f"bad.toml: {line}"] == mistakes(text)


KEYS = {
    "[detection.heartbeat]\ntimeout_second = 4": (
        "detection.heartbeat.timeout_second: unknown key; did you mean timeout_seconds?"
    ),
    "[detection.heartbeat]\nTIMEOUT_SECONDS = 4": (
        "detection.heartbeat.TIMEOUT_SECONDS: unknown key; did you mean timeout_seconds?"
    ),
    "[clutser]\nnodes = 4": "clutser: unknown key; did you mean cluster?",
    "[cluster]\ngpus_per_replica = 64": (
        "cluster.gpus_per_replica: unknown key; did you mean job.gpus_per_replica?"
    ),
    "speedup = 60": "speedup: unknown key; did you mean clock.speedup?",
    "[cluster]\nzzz = 1": (
        "cluster.zzz: unknown key; allowed are nodes, gpus_per_node, spares, repair_hours, "
        "repair_distribution, pool, topology, placement, cooling, capacity, repair, maintenance"
    ),
    "zzz = 1": f"zzz: unknown key; allowed are {AT_THE_TOP}",
    '"cluster.nodes" = 4': '"cluster.nodes": unknown key; did you mean cluster?',
    '[cluster]\n"two\\nlines" = 4': (
        'cluster."two\\nlines": unknown key; allowed are nodes, gpus_per_node, spares, repair_hours, '
        "repair_distribution, pool, topology, placement, cooling, capacity, repair, maintenance"
    ),
    KIND + "per_node_dya = 1": "faults.kinds[0].per_node_dya: unknown key; did you mean per_node_day?",
    '[[faults.kinds]]\nnmae = "k"\ncomponent = "gpu"': (
        "faults.kinds[0].nmae: unknown key; did you mean name?"
    ),
    '[[faults.kinds]]\nname = "k"': "faults.kinds[0].component: is required",
    "[checkpoint]\ninterval_seconds = 9\ninterval_steps = 5": (
        "checkpoint.interval_steps: cannot be given together with interval_seconds; keep one of them"
    ),
    "[faults]\nscale = 1\ntotal_interruptions = 5": (
        "faults.total_interruptions: cannot be given together with scale; keep one of them"
    ),
}


@pytest.mark.parametrize(("text", "line"), KEYS.items(), ids=KEYS.values())
def test_a_wrong_key_is_told_with_the_one_that_was_meant(text: str, line: str) -> None:
    """An unknown key is one line with the likely key, or with all that are allowed."""
    assert [f"bad.toml: {line}"] == mistakes(text)


COMBINATIONS = {
    "[detection.heartbeat]\ntimeout_seconds = 5": (
        "detection.heartbeat.timeout_seconds: must be at least interval_seconds, 10 (got 5.0)"
    ),
    TWICE: ('detection.layers: must list each layer once ("watchdog" is there 2 times)'),
    "[job]\ngpus_per_replica = 60": (
        "job.gpus_per_replica: must be whole nodes: a multiple of cluster.gpus_per_node, 8 (got 60)"
    ),
    "[job]\ngpus_per_replica = 32768": (
        "job.gpus_per_replica: must be at most 16384, the GPUs of the cluster (got 32768)"
    ),
    "[job]\nmin_replicas = 129": (
        "job.min_replicas: must be at most 128, the replicas of the full job (got 129)"
    ),
    "[faults]\ncatalog = 'lama3'": (
        'faults.catalog: unknown catalog "lama3"; did you mean "llama3"? (there are llama3, meta_mini, rsc),'
        ' or "none" for faults.kinds alone'
    ),
    "[faults]\nscale = 1e6": "faults: must mean at most 10,000 faults a day (got 7,810,764)",
    "[cluster]\nnodes = 16\nspares = 0\ntopology.nodes_per_rack = 2\n[faults]\ncatalog = 'none'\n"
    '[[faults.kinds]]\nname = "psu"\ncomponent = "power"\nscope = "rack"\n'
    "per_domain_day = 1000": (
        "faults: must mean at most 1,000,000 a day in a fleet of at least 1,024 nodes, racks or switches,"
        " for which they are drawn (got 1,024,000)"
    ),
    KIND
    + "per_node_day = 1\nslow_factor = 1001": "faults.kinds[0].slow_factor: must be 1000 or less (got 1001)",
    KIND + "per_node_day = 1\nshape = 0.05": "faults.kinds[0].shape: must be 0.1 or more (got 0.05)",
    KIND + "per_node_day = 1\nshape = 21": "faults.kinds[0].shape: must be 20 or less (got 21)",
    "[cluster.topology]\nnodes_per_rack = 8\n[cluster.cooling]\nwatts_per_node = 8e9\nwatts_per_rack = 8": (
        "cluster.cooling.watts_per_rack: must let a step take at most 1,000 times as long (got 2000 times)"
    ),
    KIND: "faults.kinds[0]: kind 'k' needs exactly one of count, per_gpu_hour, per_node_day, "
    "per_job_day, per_domain_day",
    KIND + "per_job_day = 1": (
        "faults.kinds[0]: kind 'k' strikes a node, so its rate is per_gpu_hour or per_node_day"
    ),
    KIND + "scope = 'job'\nper_node_day = 1": (
        "faults.kinds[0]: kind 'k' strikes the whole job, so its rate is per_job_day"
    ),
    KIND + "per_node_day = 0\n" + KIND + "per_node_day = 0": (
        'faults.kinds[1].name: must be unique, the catalog\'s kinds included (got "k" again)'
    ),
    '[[faults.kinds]]\nname = "nic"\ncomponent = "nic"\nper_node_day = 0': (
        'faults.kinds[0].name: must be unique, the catalog\'s kinds included (got "nic" again)'
    ),
    '[[faults.kinds]]\nname = "a b"\ncomponent = "nic"\nper_node_day = 0': (
        'faults.kinds[0].name: must be 1 to 64 letters, digits, "_", "-" or, not in front, "." (got "a b")'
    ),
    STRIKE + "kind = 'faulty_gup'\nnode = 1": (
        'faults.script[0].kind: unknown kind "faulty_gup"; did you mean "faulty_gpu"?'
    ),
    "[faults]\ncatalog = 'none'\n" + STRIKE + "kind = 'zzz'\nnode = 1": (
        'faults.script[0].kind: unknown kind "zzz" (there are none)'
    ),
    STRIKE + "kind = 'nic'\nnode = 2064": (
        "faults.script[0].node: must be less than 2064, the nodes and spares of the cluster (got 2064)"
    ),
    STRIKE + "kind = 'nic'": 'faults.script[0].node: is required, kind "nic" strikes a node',
    STRIKE + "kind = 'software_bug'\nnode = 1": (
        'faults.script[0].node: must be left out, kind "software_bug" strikes the whole job (got 1)'
    ),
    STRIKE + "kind = 'server_chassis'\nnode = 1\nlogged = true": (
        'faults.script[0].logged: must be false, kind "server_chassis" has no event to log'
    ),
}


@pytest.mark.parametrize(("text", "line"), COMBINATIONS.items(), ids=COMBINATIONS.values())
def test_values_that_do_not_go_together_are_told_once(text: str, line: str) -> None:
    """A rule across keys that is broken is one line."""
    assert [f"bad.toml: {line}"] == mistakes(text)


SCENARIOS = {
    "scenario = []": "scenario: must have at least one entry, or be left out",
    "[scenario]\nname = 'a'": "scenario: must be an array of tables, written [[scenario]]",
    "scenario = [5]": "scenario[0]: must be a table, written [[scenario]]",
    "[[scenario]]\nalerting = false": "scenario[0]: name: is required",
    "[[scenario]]\nname = ''": (
        'scenario[0]: name: must be 1 to 64 letters, digits, "_", "-" or, not in front, "." (got "")'
    ),
    "[[scenario]]\nname = 'a b'": (
        'scenario[0]: name: must be 1 to 64 letters, digits, "_", "-" or, not in front, "." (got "a b")'
    ),
    "[[scenario]]\nname = '..'": (
        'scenario[0]: name: must be 1 to 64 letters, digits, "_", "-" or, not in front, "." (got "..")'
    ),
    f"[[scenario]]\nname = '{'x' * 65}'": (
        'scenario[0]: name: must be 1 to 64 letters, digits, "_", "-" or, not in front, "."'
        f' (got "{"x" * 59}…)'
    ),
    "[[scenario]]\nname = 'a'\n[[scenario]]\nname = 'a'": (
        'scenario[1] "a": name: is the name of an earlier scenario; names must be unique'
    ),
    "[[scenario]]\nname = 'a'\nalerting = 1": 'scenario[0] "a": alerting: must be true or false (got 1)',
    NAIVE + "checkpoint.save_seconds = -1": (
        'scenario[1] "naive": checkpoint.save_seconds: must be 0 or more (got -1)'
    ),
    NAIVE + "detection.heartbeat.timeout_seconds = 5": (
        'scenario[1] "naive": detection.heartbeat.timeout_seconds: '
        "must be at least interval_seconds, 10 (got 5.0)"
    ),
    NAIVE + "cluster.nodes = 8\njob.gpus_per_replica = 128": (
        'scenario[1] "naive": job.gpus_per_replica: must be at most 64, the GPUs of the cluster (got 128)'
    ),
    NAIVE + "seed = 2": (
        'scenario[1] "naive": seed: holds for all scenarios; it stands above the first [[scenario]]'
    ),
    NAIVE + "clock.speedup = 2": (
        'scenario[1] "naive": clock: holds for all scenarios; it stands above the first [[scenario]]'
    ),
    NAIVE + "policy.strikes.window_day = 2": (
        'scenario[1] "naive": policy.strikes.window_day: unknown key; did you mean window_days?'
    ),
    NAIVE + "checkpoint.interval_seconds = 9\ncheckpoint.interval_steps = 5": (
        'scenario[1] "naive": checkpoint.interval_steps: '
        "cannot be given together with interval_seconds; keep one of them"
    ),
}


@pytest.mark.parametrize(("text", "line"), SCENARIOS.items(), ids=SCENARIOS.values())
def test_mistakes_in_a_scenario_name_it(text: str, line: str) -> None:
    """A mistake in a scenario is told with its place and its name."""
    assert [f"bad.toml: {line}"] == mistakes(text)


def test_a_mistake_in_a_table_is_told_once_for_all_scenarios() -> None:
    """What every scenario inherits is the file's mistake, not one of each of them."""
    text = "[detection.heartbeat]\ntimeout_seconds = 5\n[job]\nmin_replicas = 0\n" + NAIVE

    assert [
        "bad.toml: job.min_replicas: must be 1 or more (got 0)",
        "bad.toml: detection.heartbeat.timeout_seconds: must be at least interval_seconds, 10 (got 5.0)",
    ] == sorted(mistakes(text), reverse=True)


def test_an_inherited_mistake_is_the_files_although_a_scenario_touches_its_keys() -> None:
    """A script that is wrong before any override is told once, of the file."""
    text = STRIKE + "kind = 'nic'\n" + NAIVE + "faults.scale = 2\nfaults.catalog = 'llama3'"

    assert ['bad.toml: faults.script[0].node: is required, kind "nic" strikes a node'] == mistakes(text)


def test_a_combination_that_no_scenario_plays_is_no_mistake() -> None:
    """Tables that every scenario completes need not go together by themselves."""
    text = (
        "[detection.heartbeat]\ntimeout_seconds = 5\n"
        "[[scenario]]\nname = 'a'\ndetection.heartbeat.interval_seconds = 2"
    )
    (scenario,) = settings.parse(text, source="good.toml", environ={}).scenarios

    assert (2.0, 5.0) == (
        scenario.detection.heartbeat.interval_seconds,
        scenario.detection.heartbeat.timeout_seconds,
    )


def test_at_most_64_scenarios_run_side_by_side() -> None:
    """Each scenario costs time and series, so there is a limit."""
    text = "".join(f"[[scenario]]\nname = 's{index}'\n" for index in range(65))

    assert ["bad.toml: scenario: must have at most 64 entries (got 65)"] == mistakes(text)


TEN_MISTAKES = """\
seed = -1
colour = "blue"

[clock]
speedup = inf

[cluster]
nods = 128
spares = -4
repair_hours = nan

[detection.heartbeat]
timeout_seconds = 5

[checkpoint]
save_seconds = "ten"

[policy.strikes]
window_days = 0

[[scenario]]
name = "a"
detection.layers = ["watchdog", "watchdog"]
"""


def test_ten_mistakes_are_told_at_once() -> None:
    """All ten mistakes of a file come in one go, single values and combinations alike."""
    assert {
        "bad.toml: seed: must be 0 or more (got -1)",
        f"bad.toml: colour: unknown key; allowed are {AT_THE_TOP}",
        "bad.toml: clock.speedup: must be a finite number (got inf)",
        "bad.toml: cluster.nods: unknown key; did you mean nodes?",
        "bad.toml: cluster.spares: must be 0 or more (got -4)",
        "bad.toml: cluster.repair_hours: must be a finite number (got nan)",
        "bad.toml: detection.heartbeat.timeout_seconds: must be at least interval_seconds, 10 (got 5.0)",
        'bad.toml: checkpoint.save_seconds: must be a number (got "ten")',
        "bad.toml: policy.strikes.window_days: must be greater than 0 (got 0)",
        f'bad.toml: scenario[0] "a": {COMBINATIONS[TWICE]}',
    } == set(mistakes(TEN_MISTAKES))


def test_a_misspelt_key_draws_no_mistake_from_the_default_in_its_place() -> None:
    """An interval that was misspelt is not then held against the timeout that goes with it."""
    text = "[detection.heartbeat]\ninterval_secs = 2\ntimeout_seconds = 6"

    assert [
        "bad.toml: detection.heartbeat.interval_secs: unknown key; did you mean interval_seconds?"
    ] == mistakes(text)


def test_mistakes_of_every_layer_come_together() -> None:
    """File, environment and flags are told of in one go, each by its own names."""
    environ = {"GOODPUTD_CLUSTER__NODES": "-1", "GOODPUTD_FAULTS__KINDS": "[{name = 'k'}]"}

    assert [
        "bad.toml: cluster.spares: must be 0 or more (got -1)",
        "environment: GOODPUTD_CLUSTER__NODES: must be 1 or more (got -1)",
        "environment: GOODPUTD_FAULTS__KINDS[0].component: is required",
        "flag: --speedup: must be greater than 0 (got -2.0)",
    ] == mistakes("[cluster]\nspares = -1", environ, clock__speedup=-2.0)


def test_a_combination_is_told_of_the_layer_that_broke_it() -> None:
    """A variable that does not go with the file is the environment's mistake."""
    environ = {"GOODPUTD_DETECTION__HEARTBEAT__INTERVAL_SECONDS": "60"}

    assert [
        "environment: detection.heartbeat.timeout_seconds: must be at least interval_seconds, 60 (got 30.0)"
    ] == mistakes("", environ)


def test_a_mistake_in_the_file_is_told_although_a_flag_hides_it() -> None:
    """A bad value is a mistake even where a flag is used instead."""
    assert ["bad.toml: clock.speedup: must be greater than 0 (got 0)"] == mistakes(
        "[clock]\nspeedup = 0", clock__speedup=5.0
    )


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("GOODPUTD_CLUSTER__NODS", "unknown variable; did you mean GOODPUTD_CLUSTER__NODES?"),
        ("GOODPUTD_CLUSTER_NODES", "unknown variable; did you mean GOODPUTD_CLUSTER__NODES?"),
        (
            "GOODPUTD_FOO",
            "unknown variable; a setting is GOODPUTD_<TABLE>__<KEY>, for instance GOODPUTD_CLUSTER__NODES",
        ),
    ],
)
def test_an_unknown_variable_is_a_mistake(name: str, line: str) -> None:
    """A misspelt variable is not silently ignored."""
    assert [f"environment: {name}: {line}"] == mistakes("", {name: "1"})


def test_a_variable_cannot_smuggle_in_a_second_key() -> None:
    """A line break in a variable does not start another setting."""
    (line,) = mistakes("", {"GOODPUTD_LOG__LEVEL": '"info"\nseed = 3'})

    assert line.startswith("environment: GOODPUTD_LOG__LEVEL: must be ")
