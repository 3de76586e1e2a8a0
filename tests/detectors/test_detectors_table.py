"""The tables of layers and policies are complete, and each layer sees what it says and no more."""

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest

from goodputd import detectors, policies
from goodputd.sim.events import DetectionRaised, FalseAlarmRaised
from goodputd.sim.taxonomy import Layer
from tests.world import World, strike

ROOT = Path(__file__).parents[2]
DEFAULTS = tomllib.loads((ROOT / "config" / "default.toml").read_text(encoding="utf-8"))
LAYERS = tuple(detectors.DETECTORS)
WITHOUT_SETTINGS = {"always_restart", "always_evict"}
"""Policies whose name says all."""
NOT_PLUG_INS = {"diagnosis"}
"""Tables beside those of the layers."""


# --- the tables


@pytest.mark.parametrize(
    ("table", "spec", "folder", "shipped"),
    [
        (detectors.DETECTORS, detectors.DetectionSpec, "detectors", DEFAULTS["detection"]),
        (policies.POLICIES, policies.PolicySpec, "policies", DEFAULTS["policy"]),
    ],
)
def test_what_is_in_a_table_has_settings_a_test_and_a_shipped_default(
    table: Mapping[str, object], spec: type, folder: str, shipped: Mapping[str, object]
) -> None:
    """A field of the spec, a test file and a table in config/default.toml, and none of these without it."""
    tables = {
        field.name for field in fields(spec) if hasattr(getattr(spec(), field.name), "__dataclass_fields__")
    } - NOT_PLUG_INS
    with_settings = set(table) - WITHOUT_SETTINGS

    assert with_settings == tables
    assert with_settings == {key for key, value in shipped.items() if isinstance(value, dict)} - NOT_PLUG_INS
    assert [] == [name for name in table if not (ROOT / "tests" / folder / f"test_{name}.py").exists()]


@pytest.mark.parametrize(
    ("package", "table", "tables_test"),
    [("detectors", detectors.DETECTORS, "test_detectors_table"), ("policies", policies.POLICIES, "")],
)
def test_every_module_is_in_its_table(package: str, table: Mapping[str, object], tables_test: str) -> None:
    """A layer or policy is one file; a test file without one is left over."""
    modules = {path.stem for path in (ROOT / "daemon" / "goodputd" / package).glob("[!_]*.py")}
    tests = {path.stem for path in (ROOT / "tests" / package).glob("test_*.py")} - {tables_test}

    assert set(table) == modules
    assert {f"test_{name}" for name in table} == tests


def test_the_names_that_settings_allow_are_those_of_the_tables() -> None:
    """The literals and the tables cannot drift apart."""
    [policy] = [field for field in fields(policies.PolicySpec) if field.name == "name"]

    assert set(LAYERS) == set(get_args(detectors.LayerName))
    assert set(policies.POLICIES) == set(get_args(policy.type))


def test_a_layer_is_labelled_with_its_name() -> None:
    """The label of the metrics is the name in the settings."""
    built = detectors.build(detectors.DetectionSpec(layers=LAYERS))  # type: ignore[arg-type]

    assert list(LAYERS) == [detector.layer.value for detector in built]


def test_a_policy_is_labelled_with_its_name() -> None:
    """The same for the policy of a scenario."""
    for name in policies.POLICIES:
        assert name == policies.build(policies.PolicySpec(name=name)).name


def test_every_layer_but_those_for_silent_corruption_is_on_by_default() -> None:
    """Rehearsals start with all of them; the others cost training time or belong to a fleet's tests."""
    for_corruption = {"validation", "shadow", "sentinel", "probe", "scan"}

    assert set(LAYERS) - for_corruption == set(detectors.DetectionSpec().layers)


@pytest.mark.parametrize("off", LAYERS)
def test_a_layer_that_is_not_listed_is_off(off: str) -> None:
    """The others are built in the order of the table, however they are listed."""
    left = [name for name in LAYERS if name != off]
    built = detectors.build(detectors.DetectionSpec(layers=tuple(reversed(left))))  # type: ignore[arg-type]

    assert left == [detector.layer.value for detector in built]


# --- what each layer sees, and what it is blind to

SHOWS: dict[str, dict[str, Any]] = {
    "a crash that logs an event": {"kind": "crash", "logged": True},
    "a crash that logs nothing": {"kind": "silent_crash"},
    "a hang": {"kind": "hang"},
    "a slow rank": {"kind": "slow"},
    "a slow rank within the noise": {"kind": "blind_slow"},
    "corrupt gradients": {"kind": "corrupt"},
    "a benign fault": {"kind": "benign", "logged": True},
}
SEEN: dict[str, set[str]] = {
    "heartbeat": {"a crash that logs an event", "a crash that logs nothing", "a hang"},
    "hardware": {"a crash that logs an event"},
    "watchdog": {"a crash that logs an event", "a crash that logs nothing", "a hang"},
    "gradient": {"a slow rank", "corrupt gradients"},
    "validation": {"corrupt gradients"},
    "shadow": {"corrupt gradients"},
    "sentinel": {"corrupt gradients"},
    "probe": set(),
    "scan": set(),
}
"""What a layer catches on its own; everything else is its blind spot, as are transient faults of tests."""


@pytest.mark.parametrize("fault", SHOWS)
@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_alone_catches_its_faults_and_no_others(layer: str, fault: str) -> None:
    """What it is blind to a person finds four hours later, if the job stopped, and nobody otherwise."""
    sure: dict[str, Any] = {"shadow__share": 1.0, "sentinel__coverage": 1.0}
    world = World(strike(1000.0, **SHOWS[fault]), detection__layers=(layer,), **sure).until(15_399.0)
    claims = [Layer(layer)] if fault in SEEN[layer] else []

    assert claims == [detection.layer for detection in world.of(DetectionRaised)]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_is_quiet_on_a_healthy_job(layer: str) -> None:
    """30 days of 16 nodes with the default thresholds and jitter raise no false alarm.

    0.009 are to be expected of heartbeat, 0.002 of gradient, none of the others.
    """
    world = World(detection__layers=(layer,), heartbeat__jitter_seconds=1.0).until(30 * 86400.0)

    assert [] == world.of(FalseAlarmRaised)
    assert 0 == world.snapshot.total_interruptions


@pytest.mark.parametrize(
    ("layer", "loose"),
    [
        ("heartbeat", {"heartbeat__timeout_seconds": 18.0, "heartbeat__jitter_seconds": 1.0}),
        ("gradient", {"gradient__z_threshold": 4.0}),
    ],
)
def test_a_loose_threshold_cries_wolf_on_a_healthy_job(layer: str, loose: dict[str, Any]) -> None:
    """As often as ``false_alarms_per_second`` says of the time it ran, and each costs an incident.

    Within 3.3 standard errors: alpha = 0.001.
    """
    world = World(detection__layers=(layer,), strikes__strikes_to_evict=0, **loose).until(30 * 86400.0)
    alarms = world.of(FalseAlarmRaised)
    snapshot = world.snapshot

    assert {Layer(layer)} == {alarm.layer for alarm in alarms}
    assert 200 < len(alarms)
    assert len(alarms) == snapshot.false_alarms[Layer(layer)] == snapshot.total_interruptions
    assert snapshot.expected_interruptions == pytest.approx(len(alarms), abs=3.3 * len(alarms) ** 0.5)
