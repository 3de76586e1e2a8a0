"""The shipped fault catalogs say what was published, and what is ours adds up."""

import pytest

from goodputd import catalogs
from goodputd.errors import SettingsError
from goodputd.sim.faults import resolve_kinds
from goodputd.sim.specs.faults import FaultKindSpec
from goodputd.sim.specs.faults import FaultsSpec as Faults
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.taxonomy import HARDWARE, Component

PUBLISHED = {
    "faulty_gpu": 148,
    "gpu_hbm3": 72,
    "software_bug": 54,
    "network_switch_cable": 35,
    "host_maintenance_unplanned": 32,
    "gpu_sram": 19,
    "gpu_system_processor": 17,
    "nic": 7,
    "nccl_watchdog_timeout": 7,
    "silent_data_corruption": 6,
    "gpu_thermal_interface_sensor": 6,
    "ssd": 3,
    "power_supply": 3,
    "server_chassis": 2,
    "io_expansion_board": 2,
    "dependency": 2,
    "cpu": 2,
    "system_memory": 2,
}
"""Llama 3, Table 5: unexpected interruptions by cause."""


def kind(name: str) -> FaultKindSpec:
    """One kind of the Llama 3 catalog."""
    return next(each for each in catalogs.load("llama3").kinds if each.name == name)


def test_names_lists_every_shipped_catalog() -> None:
    """There are three catalogs."""
    assert ("llama3", "meta_mini", "rsc") == catalogs.names()


@pytest.mark.parametrize("name", catalogs.names())
def test_catalog_is_named_like_its_file(name: str) -> None:
    """A catalog's name is that of its file, which is what `faults.catalog` says."""
    assert name == catalogs.load(name).name


@pytest.mark.parametrize("name", catalogs.names())
def test_catalog_says_where_its_numbers_come_from(name: str) -> None:
    """Every catalog cites a paper and says what it assumes."""
    catalog = catalogs.load(name)

    assert "arXiv" in catalog.source
    assert catalog.assumptions


@pytest.mark.parametrize("name", catalogs.names())
def test_kinds_have_unique_names(name: str) -> None:
    """No two kinds of a catalog share a name."""
    names = [each.name for each in catalogs.load(name).kinds]

    assert sorted(set(names)) == sorted(names)


def test_meta_mini_stops_its_1024_gpus_about_once_an_hour() -> None:
    """1,257 in 54 days, three times what stopped Llama 3's 16,384."""
    [failure] = resolve_kinds(Faults(), catalogs.load("meta_mini"), nodes=128, gpus_per_node=8)

    assert 3 * sum(PUBLISHED.values()) == pytest.approx(128 * failure.rate_per_second * 54 * SECONDS_PER_DAY)


def test_unknown_catalog_is_a_mistake_of_the_user() -> None:
    """An unknown name is answered with the names there are and the one probably meant."""
    with pytest.raises(SettingsError) as caught:
        catalogs.load("lama3")

    assert (
        'unknown catalog "lama3"; did you mean "llama3"? (there are llama3, meta_mini, rsc)',
    ) == caught.value.problems


def test_llama3_counts_are_those_published() -> None:
    """The catalog has the 18 causes with the published counts."""
    assert PUBLISHED == {each.name: each.count for each in catalogs.load("llama3").kinds}


def test_llama3_expects_419_interruptions_in_54_days() -> None:
    """On its reference fleet the rates add up to the 419 interruptions of the paper."""
    kinds = resolve_kinds(Faults(), catalogs.load("llama3"), nodes=2048, gpus_per_node=8)
    expected = sum(each.rate_per_second * (1 if each.job_wide else 2048) for each in kinds if each.stops)

    assert pytest.approx(419.0) == expected * 54 * SECONDS_PER_DAY


def test_llama3_interruptions_are_mostly_hardware() -> None:
    """More than two thirds of the counts are hardware."""
    hardware = sum(
        each.count or 0 for each in catalogs.load("llama3").kinds if Component(each.component) in HARDWARE
    )

    assert hardware / 419 > 2 / 3


def test_llama3_node_faults_are_transient_as_often_as_unicron_says() -> None:
    """Weighted by count, a restart cures 73 % of the faults that strike a node."""
    struck = [each for each in catalogs.load("llama3").kinds if each.scope == "node"]
    total = sum(each.count or 0 for each in struck)
    cured = sum((each.count or 0) * each.transient_probability for each in struck)

    assert pytest.approx(0.73, abs=0.005) == cured / total


@pytest.mark.parametrize("name", ["software_bug", "dependency", "nccl_watchdog_timeout"])
def test_llama3_faults_without_a_node_are_cured_by_a_restart(name: str) -> None:
    """Causes that blame no node strike the job, log nothing and never come back."""
    found = kind(name)

    assert ("job", None, 1.0) == (found.scope, found.event, found.transient_probability)


@pytest.mark.parametrize(
    "name", ["network_switch_cable", "nic", "gpu_system_processor", "nccl_watchdog_timeout"]
)
def test_llama3_network_and_firmware_faults_hang(name: str) -> None:
    """Ranks that wait for a link or for firmware hang, they do not crash."""
    assert kind(name).symptom == "hang"


def test_llama3_silent_corruption_shows_as_a_crash_that_logs_nothing() -> None:
    """Silent data corruption shows as a crash on NaN."""
    found = kind("silent_data_corruption")

    assert ("crash", None) == (found.symptom, found.event)


def test_llama3_maintenance_is_not_hardware() -> None:
    """Unplanned host maintenance is the operator's doing."""
    assert kind("host_maintenance_unplanned").component == "operator"


def test_rsc_fails_nodes_at_the_published_rate() -> None:
    """A node of RSC-1 fails 6.5 times in 1,000 days, so 1,000 nodes 6.5 times a day."""
    (found,) = resolve_kinds(Faults(), catalogs.load("rsc"), nodes=1000, gpus_per_node=8)

    assert pytest.approx(6.5) == found.rate_per_second * SECONDS_PER_DAY * 1000
