"""``[[grid]]``: the scenarios that come of a key and its values, and what is told when none do."""

import pytest

from goodputd import settings
from goodputd.errors import SettingsError
from goodputd.settings.keys import read

INTERVALS = """
[[grid]]
key = "checkpoint.interval_seconds"
values = [60.0, 472, 0.5]
"""


UNKNOWN = (
    "t.toml: grid[0]: key: unknown key; did you mean checkpoint.interval_seconds? "
    '(got "checkpoint.intervall_seconds")'
)
MISSPELT = "t.toml: grid[0].keys: unknown key; did you mean key?"
TOO_LARGE = (
    't.toml: grid[0] "nodes-1": job.gpus_per_replica: must be at most 8, the GPUs of the cluster (got 16)'
)
EMPTY = '[[grid]]\nkey = "cluster.spares"\nvalues = []\n'
LAYERS = '["heartbeat", "hardware", "watchdog", "gradient", "validation", "shadow", "sentinel"]'
LONG = (
    "t.toml: grid[0].values[0]: makes a name of 70 characters, which must be 1 to 64 letters, digits, "
    '"_", "-" or, not in front, "."; write it as a [[scenario]] (got an array)'
)
TAKEN = 't.toml: grid[1] "spares-1": name: is the name of an earlier scenario; give the grid another name'
SCENARIO_KEYS = (
    "cluster, job, loss, faults, corruption, detection, policy, recovery, checkpoint, targets, name, alerting"
)
ALLOWED = "must be a number, true or false, a text in quotes or an array of texts"


def names(text: str) -> list[str]:
    """The names of the scenarios of a text."""
    return [scenario.name for scenario in settings.parse(text, source="t.toml", environ={}).scenarios]


def mistakes(text: str) -> list[str]:
    """What is told of a text."""
    with pytest.raises(SettingsError) as caught:
        settings.parse(text, source="t.toml", environ={})
    return list(caught.value.problems)


def test_each_value_is_a_scenario() -> None:
    """Named after it, with the value in force, and nothing else changed."""
    found = settings.parse(INTERVALS, source="t.toml", environ={}).scenarios

    assert ["interval_seconds-60", "interval_seconds-472", "interval_seconds-0.5"] == [s.name for s in found]
    assert [60.0, 472.0, 0.5] == [each.checkpoint.interval_seconds for each in found]
    assert all(each.paired and each.job == found[0].job for each in found)


def test_grids_stand_beside_scenarios_and_each_other() -> None:
    """Those that are written come first; without any there is no default one."""
    spares = '[[grid]]\nkey = "cluster.spares"\nvalues = [1, 2]\n'
    found = names('[[scenario]]\nname = "plain"\n' + INTERVALS + spares)

    assert (6, "plain", "interval_seconds-60", "spares-1") == (len(found), found[0], found[1], found[4])


def test_a_grid_may_have_a_name_and_alerts() -> None:
    """The name is what the names begin with; alerts are off unless wanted."""
    loud = INTERVALS + 'name = "every"\nalerting = true\n'
    found = settings.parse(loud, source="t.toml", environ={}).scenarios
    quiet = settings.parse(INTERVALS, source="t.toml", environ={}).scenarios

    assert ("every-60", True, False) == (found[0].name, found[0].alerting, quiet[0].alerting)


@pytest.mark.parametrize(
    ("key", "values", "expected"),
    [
        ("detection.layers", '[["watchdog"], ["heartbeat", "watchdog"], []]',
         ["layers-watchdog", "layers-heartbeat.watchdog", "layers-none"]),
        ("policy.strikes.lifetime", "[true, false]", ["lifetime-true", "lifetime-false"]),
        ("policy.strikes.on_slow", '["restart", "tolerate"]', ["on_slow-restart", "on_slow-tolerate"]),
        ("faults.scale", "[1e-3, 2.5]", ["scale-0.001", "scale-2.5"]),
    ],
)  # fmt: skip
def test_names_say_the_value(key: str, values: str, expected: list[str]) -> None:
    """Whatever type it is of."""
    text = f'[[grid]]\nkey = "{key}"\nvalues = {values}\n'
    found = settings.parse(text, source="t.toml", environ={}).scenarios

    assert expected == [each.name for each in found]
    assert len({str(read(each, key)) for each in found}) == len(expected)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('[[grid]]\nkey = "checkpoint.intervall_seconds"\nvalues = [1, 2]', [
            UNKNOWN]),
        ('[[grid]]\nkey = "seed"\nvalues = [1]', [
            't.toml: grid[0]: key: holds for all scenarios and cannot be varied (got "seed")']),
        ('[[grid]]\nkey = "cluster.spares"\nvalues = [1, -1, "many"]', [
            't.toml: grid[0] "spares--1": cluster.spares: must be 0 or more (got -1)',
            't.toml: grid[0] "spares-many": cluster.spares: must be a whole number (got "many")']),
        ('[[grid]]\nkey = "cluster.spares"\nvalues = [1, 1]', [
            "t.toml: grid[0]: values: must all be different (got 1 and 1)"]),
        ('[[grid]]\nkey = "faults.scale"\nvalues = [0.0, 2, -0.0]', [
            "t.toml: grid[0]: values: must all be different (got 0.0 and -0.0)"]),
        ('[[grid]]\nkey = "faults.scale"\nvalues = [1, 1.0]', [
            "t.toml: grid[0]: values: must all be different (got 1 and 1.0)"]),
        ('[[grid]]\nkey = "cluster.spares"\nvalues = [1]\n' * 2, [
            TAKEN]),
        ('[[grid]]\nkey = "cluster.spares"', ["t.toml: grid[0].values: is required"]),
        ('[[grid]]\nkeys = "cluster.spares"\nvalues = [1]', [MISSPELT]),
        ("grid = 3", ["t.toml: grid: must be an array of tables, written [[grid]]"]),
        ('[grid]\nkey = "cluster.spares"\nvalues = [1]', [
            "t.toml: grid: must be an array of tables, written [[grid]]"]),
        ('[[scenario]]\nname = "a"\n[[scenario.grid]]\nkey = "cluster.spares"\nvalues = [1]', [
            f't.toml: scenario[0] "a": grid: unknown key; allowed are {SCENARIO_KEYS}']),
        ("grid = []", ["t.toml: grid: must have at least one entry, or be left out"]),
        (f'[[grid]]\nkey = "cluster.spares"\nvalues = {[-1, *range(5000)]}', [
            't.toml: grid[0] "spares--1": cluster.spares: must be 0 or more (got -1)',
            "t.toml: grid: must make at most 64 scenarios (got 5001)"]),
        ('[[grid]]\nkey = "cluster.spares"\nvalues = [{a = 1}, 1]\n' + EMPTY, [
            f"t.toml: grid[0].values[0]: {ALLOWED} (got a table)",
            "t.toml: grid[1].values: must have at least one entry"]),
        ('[[grid]]\nkey = "detection.layers"\nvalues = [["watchdog"], [1, {}], [["watchdog"]]]', [
            f"t.toml: grid[0].values[1]: {ALLOWED} (got an array)",
            f"t.toml: grid[0].values[2]: {ALLOWED} (got an array)"]),
        ('[[grid]]\nkey = "cluster.spares"\nvalues = [nan]', [
            "t.toml: grid[0].values[0]: must be a finite number (got nan)"]),
        (f'[[grid]]\nkey = "cluster.spares"\nvalues = [{", ".join(["{}"] * 102)}]', [
            *(f"t.toml: grid[0].values[{each}]: {ALLOWED} (got a table)" for each in range(100)),
            "t.toml: and 2 more mistakes"]),
        (f'[[grid]]\nkey = "detection.layers"\nvalues = [{LAYERS}]', [
            LONG]),
        (f'[[grid]]\nkey = "cluster.spares"\nvalues = {list(range(65))}', [
            "t.toml: grid: must make at most 64 scenarios (got 65)"]),
        ('[[grid]]\nkey = "cluster.nodes"\nvalues = [1]\n[job]\ngpus_per_replica = 16', [
            TOO_LARGE]),
    ],
)  # fmt: skip
def test_mistakes_name_the_grid(text: str, lines: list[str]) -> None:
    """Key, values and what rules across keys say, each once."""
    assert lines == mistakes(text)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("cluster", "is a table; allowed is one of its keys, for instance cluster.nodes"),
        ("cluster.cooling",
         "is a table; allowed is one of its keys, for instance cluster.cooling.inlet_celsius"),
        ("cluster.pool",
         "is an array of tables and cannot be varied; write a [[scenario]] for each cluster.pool"),
        ("faults.kinds[0].per_node_day",
         "is in an array of tables and cannot be varied; write a [[scenario]] for each faults.kinds"),
        ("cluster.pool.nodes",
         "is in an array of tables and cannot be varied; write a [[scenario]] for each cluster.pool"),
        ("detection.layers[0]", "is in a value; allowed is the whole of it, detection.layers"),
        ("name", "makes scenarios and cannot be varied; allowed is a key of a table"),
        ("scenario.cluster.nodes", "makes scenarios and cannot be varied; allowed is a key of a table"),
        ("zzz",
         "unknown key; allowed is a key with its table, for instance checkpoint.interval_seconds"),
    ],
)  # fmt: skip
def test_what_cannot_be_varied_is_told_with_what_can(key: str, message: str) -> None:
    """A table, an array of tables, a part of a value, and what makes scenarios."""
    assert [f't.toml: grid[0]: key: {message} (got "{key}")'] == mistakes(
        f'[[grid]]\nkey = "{key}"\nvalues = [1]'
    )


def test_a_grid_survives_being_described() -> None:
    """What ``--print-effective`` prints has the scenarios written out, and loads to the same."""
    found = settings.parse(INTERVALS, source="t.toml", environ={})

    assert found.scenarios == settings.parse(settings.describe(found), source="t", environ={}).scenarios


def test_the_ideal_beside_others_is_not_doubtful() -> None:
    """Where something breaks in one scenario, nothing need break in another; alone it is a mistake."""
    quiet = '[[scenario]]\nname = "ideal"\nfaults.scale = 0\n'
    both = settings.parse('[[scenario]]\nname = "real"\n' + quiet, source="t.toml", environ={})

    assert [] == settings.warnings(both)
    assert ["t.toml: faults: nothing ever breaks"] == settings.warnings(
        settings.parse(quiet, source="t.toml", environ={})
    )
