"""The settings files that are shipped: true to the code, to each other and to what they promise."""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli

from goodputd import assembly, settings
from goodputd.errors import SettingsError
from goodputd.settings.keys import document_keys, unflatten
from goodputd.sim.events import DecisionMade, DetectionRaised, Fact, FaultOccurred, JobResized, StageFinished
from goodputd.sim.taxonomy import StageName

CONFIG = Path(__file__).parents[1] / "config"
FILES = sorted(settings.TEMPLATES.values())

every_file = pytest.mark.parametrize("name", FILES)


def loaded(name: str) -> settings.Settings:
    """The settings of a shipped file, whatever the environment says."""
    return settings.load(CONFIG / name, environ={})


def tables(scenario: settings.Scenario) -> dict[str, Any]:
    """All that a scenario plays, without its name and what follows from it."""
    return {
        name: value
        for name, value in asdict(scenario).items()
        if name not in {"name", "alerting", "digest", "paired"}
    }


@pytest.mark.parametrize("template", settings.TEMPLATES)
def test_init_writes_the_shipped_file(template: str, golden: Callable[[str, str], None]) -> None:
    """`goodputd init` writes exactly the file in config/."""
    golden(f"../../config/{settings.TEMPLATES[template]}", settings.initial_toml(template))


def test_every_toml_in_config_is_a_template() -> None:
    """No settings file is shipped that `goodputd init` cannot write."""
    assert sorted(path.name for path in CONFIG.glob("*.toml")) == FILES


def test_init_without_a_name_writes_the_default_file() -> None:
    """The default file is the one that nobody has to name."""
    assert settings.initial_toml("default") == settings.initial_toml()


def test_init_of_an_unknown_name_lists_the_names() -> None:
    """An unknown template is answered with those there are."""
    with pytest.raises(SettingsError) as caught:
        settings.initial_toml("lama3")

    assert str(caught.value).startswith(
        "--from: unknown settings 'lama3'; did you mean 'llama3'? (there are default,"
    )


@every_file
def test_shipped_files_load_without_warnings(name: str) -> None:
    """A shipped file has no mistakes and nothing doubtful."""
    assert [] == settings.warnings(loaded(name))


@every_file
def test_shipped_files_are_toml_1_0(name: str) -> None:
    """A reader of TOML 1.0 finds what ours finds."""
    with (CONFIG / name).open("rb") as file:
        tree = tomllib.load(file)

    assert tomli.loads((CONFIG / name).read_text(encoding="utf-8")) == tree


@every_file
def test_shipped_files_fit_the_schema(name: str) -> None:
    """The JSON Schema that editors are given accepts the file."""
    tree = tomllib.loads((CONFIG / name).read_text(encoding="utf-8"))

    jsonschema.Draft202012Validator(settings.schema()).validate(tree)


@every_file
def test_scenarios_of_a_shipped_file_meet_the_same_faults(name: str) -> None:
    """What differs between scenarios is their settings, not their luck; the ideal meets none."""
    assert all(scenario.paired or settings.nothing_breaks(scenario) for scenario in loaded(name).scenarios)


def test_default_file_has_the_values_of_the_code() -> None:
    """Every value in default.toml is the default in the code."""
    assert tables(settings.parse("", source="", environ={}).scenarios[0]) == tables(
        loaded("default.toml").scenarios[1]
    )


def test_default_file_has_every_key() -> None:
    """Every key stands in default.toml, with a value or behind a "#"."""
    text = (CONFIG / "default.toml").read_text(encoding="utf-8")
    found = set()
    table = ""
    for line in text.splitlines():
        if header := re.fullmatch(r"(?:# )?\[+([a-z_.]+)\]+", line):
            table = f"{header[1]}."
        elif key := re.match(r"(?:# )?([a-z_]+) = ", line):
            found.add(table + key[1])

    assert set() == set(document_keys()) - found - {"faults.kinds", "faults.script", "cluster.pool"}
    assert "# [[cluster.pool]]" in text
    assert "# [[faults.kinds]]" in text
    assert "# [[faults.script]]" in text


def test_default_file_explains_every_key() -> None:
    """Above every key of default.toml stands why it is there, except in the two scenarios."""
    lines = settings.document().splitlines()
    unexplained = [
        line
        for above, line in pairwise(lines)
        if re.match(r"[a-z_]+ = ", line) and not above.startswith("# ")
    ]

    assert [] == unexplained


def test_default_file_names_every_value_that_is_allowed() -> None:
    """Above a key that takes one of a few words, or an array of them, stands each of them."""
    text = settings.document()
    unnamed = []
    for table in settings.schema()["$defs"].values():
        for name, described in table["properties"].items():
            words = described.get("enum") or described.get("items", {}).get("enum", ())
            above = re.findall(rf"(?m)((?:^# (?![a-z_]+ = ).*\n)+)^(?:# )?{name} = ", text)
            if not any(all(f'"{word}"' in comment for word in words) for comment in above or [""]):
                unnamed.append(name)

    assert [] == unnamed


def test_default_file_sets_globals_to_the_defaults() -> None:
    """Seed, clock, http and log of default.toml are those of the code."""
    file, code = loaded("default.toml"), settings.load(None, environ={})

    assert (code.seed, code.clock, code.http, code.log) == (file.seed, file.clock, file.http, file.log)


def test_default_file_compares_a_naive_job_with_ours() -> None:
    """`naive` saves every four hours, watches with the watchdog alone and raises no alerts."""
    naive, default = loaded("default.toml").scenarios

    assert ("naive", False, 14400.0, ("watchdog",)) == (
        naive.name,
        naive.alerting,
        naive.checkpoint.interval_seconds,
        naive.detection.layers,
    )
    assert ("default", True, 472.0) == (default.name, default.alerting, default.checkpoint.interval_seconds)


def test_examples_in_the_default_file_can_be_used() -> None:
    """The commented-out kinds and script become valid settings when their "#" is taken away."""
    text = settings.document()
    block = text[text.index("# [[faults.kinds]]") : text.index("# Silent corruption")]
    used = text.replace(block, re.sub(r"(?m)^# ", "", block.replace("# Faults at fixed instants.\n", "")))
    faults = settings.parse(used, source="", environ={}).scenarios[0].faults

    assert ("riser_cable", "riser_cable") == (faults.kinds[0].name, faults.script[0].kind)


def test_llama3_file_plays_16384_gpus_with_capacity_to_spare() -> None:
    """2,048 nodes x 8, the Llama 3 catalog, a save of 10 s every 472 s, 64 spares."""
    scenario = loaded("llama3-16k.toml").scenarios[0]

    assert (2048, 8, 64) == (scenario.cluster.nodes, scenario.cluster.gpus_per_node, scenario.cluster.spares)
    assert ("llama3", 5.9) == (scenario.faults.catalog, scenario.job.step_seconds)
    assert (10.0, 472.0) == (scenario.checkpoint.save_seconds, scenario.checkpoint.interval_seconds)


def test_llama3_file_compares_all_layers_with_the_watchdog() -> None:
    """The second scenario of llama3-16k.toml differs in its layers alone."""
    layered, watchdog = loaded("llama3-16k.toml").scenarios

    assert ("watchdog",) == watchdog.detection.layers
    assert tables(layered) | {"detection": None} == tables(watchdog) | {"detection": None}


def test_recovery_timeline_is_exact_to_the_second() -> None:
    """No spare: T+30 detected, T+60 decided, T+120 restarted, T+300 restored, T+360 verified."""
    (simulation,) = assembly.build(loaded("recovery-timeline.toml"))
    simulation.advance_to(14000.0)
    facts = simulation.advance_to(18000.0)
    instants = [(fact.at - 14400.0, _told(fact)) for fact in facts if _told(fact)]

    assert [
        (0.0, "fault"),
        (30.0, "heartbeat"),
        (60.0, "decide"),
        (60.0, "evict second_strike"),
        (60.0, "960 of 1024"),
        (103.0, "reschedule"),
        (120.0, "collective_init"),
        (300.0, "restore"),
        (330.0, "compile"),
        (360.0, "verify"),
    ] == instants


def _told(fact: Fact) -> str:
    match fact:
        case FaultOccurred():
            return "fault"
        case DetectionRaised(layer=layer):
            return layer
        case DecisionMade(action=action, reason=reason):
            return f"{action} {reason}"
        case JobResized(active_gpus=active, nominal_gpus=nominal):
            return f"{active} of {nominal}"
        case StageFinished(stage=StageName() as stage):
            return stage
        case _:
            return ""


def test_schema_is_a_valid_schema() -> None:
    """The schema itself is one of draft 2020-12, and plain JSON."""
    schema = json.loads(json.dumps(settings.schema()))

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_schema_describes_every_key() -> None:
    """Every key of the schema has a description, and none has two types because of null."""
    schema = settings.schema()
    undescribed = [
        f"{name}.{key}"
        for name, table in schema["$defs"].items()
        for key, described in table["properties"].items()
        if "$ref" not in described and ("description" not in described or "anyOf" in described)
    ]

    assert [] == undescribed


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cluster.nods", 5),
        ("cluster.nodes", 0),
        ("cluster.nodes", 1_000_000),
        ("cluster.nodes", "8"),
        ("clock.speedup", 0),
        ("detection.layers", ["watchdg"]),
        ("faults.kinds", [{"name": "x"}]),
        ("checkpoint", {"interval_seconds": 472.0, "interval_steps": 80}),
        ("scenario", []),
        ("scenario", [{"alerting": False}]),
        ("scenario", [{"name": "a b"}]),
        ("scenario", [{"name": "a", "seed": 2}]),
    ],
)
def test_schema_refuses_what_the_daemon_refuses(key: str, value: object) -> None:
    """What an editor can see of a mistake, it sees."""
    validator = jsonschema.Draft202012Validator(settings.schema())

    assert not validator.is_valid(unflatten({key: value}))


def test_schema_tells_the_default_of_the_checkpoint_interval() -> None:
    """Keys of which only one may be given have no default in code, but one in the schema."""
    properties = settings.schema()["$defs"]["CheckpointSpec"]["properties"]

    assert (
        settings.load(None, environ={}).scenarios[0].checkpoint.interval_seconds
        == (properties["interval_seconds"]["default"])
    )
    assert "default" not in properties["interval_steps"]
