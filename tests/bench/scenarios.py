"""The settings that are measured: variants of the ``default`` scenario of config/llama3-16k.toml.

16,384 GPUs, catalog llama3, all layers on. Environment variables are left out, so that a figure
depends on the code alone.
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

from goodputd import assembly, settings
from goodputd.settings import Scenario, Settings
from goodputd.sim.simulation import Simulation

ROOT: Final = Path(__file__).resolve().parents[2]
LLAMA3: Final = ROOT / "config" / "llama3-16k.toml"
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


def trio(loaded: Settings) -> Settings:
    """Three scenarios of the first one's fleet on the same faults, all layers on in each."""
    first = loaded.scenarios[0]
    rare = replace(first.checkpoint, interval_seconds=3600.0)
    never = replace(first.policy, strikes=replace(first.policy.strikes, strikes_to_evict=0))
    return replace(
        loaded,
        scenarios=(
            first,
            replace(first, name="hourly_checkpoints", checkpoint=rare),
            replace(first, name="never_evict", policy=never),
        ),
    )


def simulation(loaded: Settings, scenario: Scenario, seed: int) -> Simulation:
    """One scenario, ready to play."""
    (built,) = assembly.build(replace(loaded, seed=seed, scenarios=(scenario,)))
    return built
