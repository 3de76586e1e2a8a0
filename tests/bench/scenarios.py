"""The settings that are measured: the ``default`` scenario of config/llama3-16k.toml and variants.

16,384 GPUs, catalog llama3, all layers on. Environment variables are left out, so that a figure
depends on the code alone. Knows no clock.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from goodputd import assembly, settings
from goodputd.settings import Scenario, Settings
from goodputd.sim.simulation import Simulation

ROOT: Final = Path(__file__).resolve().parents[2]
LLAMA3: Final = ROOT / "config" / "llama3-16k.toml"
DEFAULT: Final = ROOT / "config" / "default.toml"
THREE: Final = Path(__file__).with_name("three.toml")
FAULTS: Final = 419.0
"""Expected in 54 days, whatever the size of the fleet."""
DAY_SECONDS: Final = 86400.0
YEAR_SECONDS: Final = 365.25 * DAY_SECONDS
HORIZON_SECONDS: Final = 54.0 * DAY_SECONDS


def llama3() -> Settings:
    """The shipped settings with their first scenario only."""
    loaded = settings.load(LLAMA3, environ={})
    return replace(loaded, scenarios=loaded.scenarios[:1])


def sized(scenario: Scenario, *, nodes: int | None = None, step_seconds: float | None = None) -> Scenario:
    """The scenario with another fleet or step time, expecting as many faults as before."""
    cluster, job = scenario.cluster, scenario.job
    if nodes is not None:
        cluster = replace(cluster, nodes=nodes)
    if step_seconds is not None:
        job = replace(job, step_seconds=step_seconds)
    faults = replace(scenario.faults, total_interruptions=FAULTS)
    return replace(scenario, cluster=cluster, job=job, faults=faults)


def three() -> Settings:
    """Three scenarios of 16,384 GPUs at a speedup of 10,000,000."""
    return settings.load(THREE, environ={})


def simulation(loaded: Settings, scenario: Scenario, seed: int) -> Simulation:
    """One scenario, ready to play."""
    (built,) = assembly.build(replace(loaded, seed=seed, scenarios=(scenario,)))
    return built
