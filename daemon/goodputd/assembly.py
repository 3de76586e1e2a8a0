"""Settings -> Simulation, and nothing else builds one."""

from goodputd import detectors, policies
from goodputd.settings import Scenario, Settings, kinds_of_catalog
from goodputd.sim.kinds import scenario_kinds
from goodputd.sim.parts import Parts
from goodputd.sim.simulation import Simulation


def build(settings: Settings, *, until_step: int | None = None) -> tuple[Simulation, ...]:
    """One simulation per scenario, all on the same seed; ``until_step`` completes the job there."""
    return tuple(
        simulation(scenario, settings.seed, until_step=until_step) for scenario in settings.scenarios
    )


def simulation(scenario: Scenario, seed: int, *, until_step: int | None = None) -> Simulation:
    """The simulation of one scenario; ``until_step`` completes the job there."""
    catalog = kinds_of_catalog(scenario.faults)
    cluster = scenario.cluster
    return Simulation(
        Parts(
            name=scenario.name,
            seed=seed,
            cluster=cluster,
            job=scenario.job,
            loss=scenario.loss,
            faults=scenario.faults,
            kinds=scenario_kinds(
                scenario.faults,
                catalog,
                cluster=cluster,
                corruption=scenario.corruption,
                noise=scenario.job.noise,
            ),
            detectors=detectors.build(scenario.detection),
            operator_seconds=scenario.detection.operator_seconds,
            diagnosis=scenario.detection.diagnosis,
            policy=policies.build(scenario.policy),
            recovery=scenario.recovery,
            checkpoint=scenario.checkpoint,
            corruption=scenario.corruption,
            validation=detectors.validation_of(scenario.detection),
            shadow=detectors.shadow_of(scenario.detection),
            until_step=until_step,
        )
    )
