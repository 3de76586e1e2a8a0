"""What the settings promise of one scenario: the yardstick that its incidents are measured with.

Worked out once from the settings; knows no fact.
"""

from dataclasses import dataclass

from goodputd.policies import PolicySpec
from goodputd.settings import Scenario, kinds_of_catalog
from goodputd.sim.cooling import declared_thermal_kinds
from goodputd.sim.faults import declared
from goodputd.sim.recovery import decide_plan, restart_plan
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.specs.fields import SECONDS_PER_HOUR
from goodputd.sim.taxonomy import Bucket, Layer, StageName

STALL = "stall"
"""A gap in the plan: a rank that nobody misses yet holds up a collective."""
WAIT = "wait"
"""A gap in the plan: the job waits for capacity."""
LEFT_OUT = "left_out"
"""The middle of a long incident, whose facts are not kept."""
IN_PROGRESS = "in_progress"
"""The stretch of an open incident that no fact has ended yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Premises:
    """One scenario's settings, as far as incidents are judged by them."""

    name: str
    paired: bool
    """Meets the same faults as the first scenario."""
    step_seconds: float
    gpus_per_node: int
    layers: tuple[Layer, ...]
    """Those that are on."""
    events: dict[str, str | None]
    """Kind of fault -> the vendor event that it logs."""
    stage_seconds: dict[str, float]
    """Stage -> its mean by the settings; restore is worked out per incident."""
    buckets: dict[str, Bucket]
    """Stage -> the ledger bucket that it costs."""
    checkpoint: CheckpointSpec
    recurrence_seconds: float
    """Mean training until a permanent fault strikes again."""
    policy: PolicySpec
    has_lemons: bool
    """Some nodes fail more often than the others until a repair makes them ordinary."""
    target_mttr_seconds: float

    def restore_seconds(self, active_gpus: int, *, resharded: bool) -> float:
        """The mean seconds of a restore by a job of this size."""
        nodes = max(1, active_gpus // self.gpus_per_node)
        return self.checkpoint.restore_seconds(nodes, resharded=resharded)


def premises_of(scenario: Scenario) -> Premises:
    """The yardstick of one scenario."""
    checkpoint = scenario.checkpoint
    gasp_seconds = checkpoint.last_gasp_seconds if checkpoint.last_gasp_probability > 0.0 else 0.0
    plan = (
        *decide_plan(scenario.recovery, at_least=gasp_seconds),
        *restart_plan(scenario.recovery, 0.0, _first_stages(scenario)),
    )
    return Premises(
        name=scenario.name,
        paired=scenario.paired,
        step_seconds=scenario.job.step_seconds,
        gpus_per_node=scenario.cluster.gpus_per_node,
        layers=tuple(Layer(layer) for layer in scenario.detection.layers),
        events={
            kind.name: kind.event
            for kind in (
                *declared(scenario.faults, kinds_of_catalog(scenario.faults)),
                *declared_thermal_kinds(scenario.cluster.cooling),
            )
        },
        stage_seconds={
            StageName.DETECT: _detection_seconds(scenario),
            **{stage.name: stage.seconds for stage in plan if stage.name is not StageName.RESTORE},
        },
        buckets={
            StageName.DETECT: Bucket.UNDETECTED_STALL,
            STALL: Bucket.UNDETECTED_STALL,
            WAIT: Bucket.WAITING_FOR_CAPACITY,
            **{stage.name: stage.bucket for stage in plan},
        },
        checkpoint=checkpoint,
        recurrence_seconds=scenario.faults.recurrence_hours * SECONDS_PER_HOUR,
        policy=scenario.policy,
        has_lemons=scenario.faults.lemons.fraction > 0.0,
        target_mttr_seconds=scenario.targets.mttr_seconds,
    )


def _first_stages(scenario: Scenario) -> tuple[tuple[StageName, float], ...]:
    """Stages that some restarts have before the others, by the settings."""
    repair, capacity = scenario.cluster.repair, scenario.cluster.capacity
    stages = []
    if repair.hot_reset_probability > 0.0:
        stages.append((StageName.HOT_RESET, repair.hot_reset_seconds))
    if capacity.warm_standbys is not None or capacity.preemptible:
        stages.append((StageName.HOST_SELECTION, capacity.host_selection_seconds))
    return tuple(stages)


def _detection_seconds(scenario: Scenario) -> float:
    """What a fault that logs nothing may take to be found: the shortest timeout of the layers that wait.

    With neither heartbeat nor watchdog it is a person's patience.
    """
    detection = scenario.detection
    timeouts = {
        Layer.HEARTBEAT: detection.heartbeat.timeout_seconds,
        Layer.WATCHDOG: detection.watchdog.timeout_seconds,
    }
    waiting = [seconds for layer, seconds in timeouts.items() if layer in detection.layers]
    return min(waiting, default=detection.operator_seconds)
