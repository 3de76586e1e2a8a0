"""What the settings promise of one scenario: the yardstick that its incidents are measured with.

Worked out once from the settings; knows no fact.
"""

from dataclasses import dataclass

from goodputd.settings import Scenario, kinds_of_catalog
from goodputd.sim.checkpoint import CheckpointSpec
from goodputd.sim.recovery import decide_plan, restart_plan
from goodputd.sim.specs import SECONDS_PER_HOUR
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
    strikes_to_evict: int
    window_seconds: float | None
    """How long a strike stands; None for ever."""
    target_mttr_seconds: float

    def restore_seconds(self, active_gpus: int, *, resharded: bool) -> float:
        """The mean seconds of a restore by a job of this size."""
        nodes = max(1, active_gpus // self.gpus_per_node)
        return self.checkpoint.restore_seconds(nodes, resharded=resharded)


def premises_of(scenario: Scenario) -> Premises:
    """The yardstick of one scenario."""
    plan = (*decide_plan(scenario.recovery), *restart_plan(scenario.recovery, 0.0))
    catalog = kinds_of_catalog(scenario.faults)
    strikes = scenario.policy.strikes
    return Premises(
        name=scenario.name,
        paired=scenario.paired,
        step_seconds=scenario.job.step_seconds,
        gpus_per_node=scenario.cluster.gpus_per_node,
        layers=tuple(Layer(layer) for layer in scenario.detection.layers),
        events={
            kind.name: kind.event for kind in (*(catalog.kinds if catalog else ()), *scenario.faults.kinds)
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
        checkpoint=scenario.checkpoint,
        recurrence_seconds=scenario.faults.recurrence_hours * SECONDS_PER_HOUR,
        strikes_to_evict=strikes.strikes_to_evict,
        window_seconds=None if strikes.lifetime else strikes.window_days * 86400.0,
        target_mttr_seconds=scenario.targets.mttr_seconds,
    )


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
