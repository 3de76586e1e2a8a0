"""Which colour means what, once for all dashboards.

Colours are Okabe and Ito's, filled up from Paul Tol's "muted" where they run out: both are told apart
with any kind of colour blindness. A name of a closed set has one colour wherever it is drawn.
Knows the vocabulary of the simulation, and no panel.
"""

from collections.abc import Mapping
from typing import Final

from goodputd.sim.taxonomy import (
    IDLE_CAPACITY,
    Action,
    Bucket,
    CheckpointOutcome,
    CheckpointTier,
    CorruptionOutcome,
    HotResetOutcome,
    Layer,
    Misdiagnosis,
    NodeState,
    Readiness,
    RecoveryOutcome,
    RepairOutcome,
    Slowing,
    StageName,
    VerificationOutcome,
)

ORANGE: Final = "#E69F00"
SKY: Final = "#56B4E9"
GREEN: Final = "#009E73"
YELLOW: Final = "#F0E442"
BLUE: Final = "#0072B2"
VERMILLION: Final = "#D55E00"
PURPLE: Final = "#CC79A7"
# From here on Tol's.
SAND: Final = "#DDCC77"
TEAL: Final = "#44AA99"
OLIVE: Final = "#999933"
WINE: Final = "#882255"
INDIGO: Final = "#332288"
MAUVE: Final = "#AA4499"
GREY: Final = "#BBBBBB"
RUST: Final = "#8F3D00"
"""A dark vermillion, for what is nearly the same."""

GOOD: Final = GREEN
WARNING: Final = ORANGE
BAD: Final = VERMILLION

RETRACTED: Final = "retracted"
"""Beside the buckets: counted as productive once and taken back, which keeps a sum of shares at 1."""

UPKEEP: Final = (Bucket.CHECKPOINT_SAVE, Bucket.STRAGGLER, Bucket.VALIDATION)
"""Buckets of a job that runs and does something else than train, or trains slower than it could."""
STOPPED: Final = (
    Bucket.CHECKPOINT_RESTORE,
    Bucket.DECISION,
    Bucket.RESTART,
    Bucket.UNDETECTED_STALL,
    Bucket.VERIFY,
    Bucket.WAITING_FOR_CAPACITY,
)
"""Buckets of a job that stands still."""

BUCKETS: Final[Mapping[str, str]] = {
    Bucket.PRODUCTIVE: GREEN,
    # Done in vain:
    Bucket.LOST_WORK: VERMILLION,
    RETRACTED: RUST,
    # Upkeep:
    Bucket.CHECKPOINT_SAVE: BLUE,
    Bucket.STRAGGLER: YELLOW,
    Bucket.VALIDATION: MAUVE,
    # Stopped:
    Bucket.CHECKPOINT_RESTORE: SKY,
    Bucket.DECISION: OLIVE,
    Bucket.RESTART: PURPLE,
    Bucket.UNDETECTED_STALL: ORANGE,
    Bucket.VERIFY: SAND,
    Bucket.WAITING_FOR_CAPACITY: WINE,
    # Not in the job at all:
    IDLE_CAPACITY: GREY,
}
"""Where a second went, in the order in which bars and stacks are drawn; the status page has the same colours.
Within a group the order is that in which Prometheus answers."""

STAGES: Final[Mapping[str, str]] = {
    StageName.DETECT: BUCKETS[Bucket.UNDETECTED_STALL],
    StageName.DECIDE: BUCKETS[Bucket.DECISION],
    # All but restore and verify cost the bucket "restart"; shades of its colour tell them apart.
    StageName.HOT_RESET: "#5E3350",
    StageName.HOST_SELECTION: "#F2D9E6",
    StageName.RESCHEDULE: BUCKETS[Bucket.RESTART],
    StageName.COLLECTIVE_INIT: "#E6B8D0",
    StageName.RESTORE: BUCKETS[Bucket.CHECKPOINT_RESTORE],
    StageName.COMPILE: "#9A5A7E",
    StageName.VERIFY: BUCKETS[Bucket.VERIFY],
}
"""In the order in which they happen, each in the colour of the bucket that pays for it."""

SLOWINGS: Final[Mapping[str, str]] = {
    Slowing.POOL: BLUE,
    Slowing.PLACEMENT: SKY,
    Slowing.COOLING: VERMILLION,
    Slowing.SHRINK: GREY,
    Slowing.NOISE: SAND,
    Slowing.NETWORK: PURPLE,
    Slowing.SLOW_RANK: BUCKETS[Bucket.STRAGGLER],
}
"""What the job is first, then what happens to it."""

LAYERS: Final[Mapping[str, str]] = {
    Layer.HARDWARE: GREEN,
    Layer.HEARTBEAT: SKY,
    Layer.GRADIENT: PURPLE,
    Layer.VALIDATION: MAUVE,
    Layer.SHADOW: INDIGO,
    Layer.SENTINEL: SAND,
    Layer.PROBE: WINE,
    Layer.SCAN: OLIVE,
    Layer.WATCHDOG: ORANGE,
    Layer.NONE: VERMILLION,
    Layer.PLANNED: GREY,
}
"""From the fast to the late; the last resorts are in the colours of warnings."""

ACTIONS: Final[Mapping[str, str]] = {
    Action.RESTART: BUCKETS[Bucket.RESTART],
    Action.EVICT: ORANGE,
    Action.RETIRE: VERMILLION,
    Action.WAIT_FOR_CAPACITY: BUCKETS[Bucket.WAITING_FOR_CAPACITY],
    Action.TOLERATE: GREY,
}

NODE_STATES: Final[Mapping[str, str]] = {
    NodeState.ACTIVE: GREEN,
    NodeState.FAILED: VERMILLION,
    NodeState.IDLE: GREY,
    NodeState.SPARE: SKY,
    NodeState.REPAIRING: PURPLE,
    NodeState.RETIRED: WINE,
}

TIERS: Final[Mapping[str, str]] = {
    CheckpointTier.REMOTE: BLUE,
    CheckpointTier.LOCAL: SKY,
    CheckpointTier.MEMORY: YELLOW,
}
"""From the safe to the fast."""

READINESS: Final[Mapping[str, str]] = {
    Readiness.WARM: SKY,
    Readiness.COLD: BLUE,
    Readiness.PREEMPTIBLE: GREY,
}

OUTCOMES: Final[Mapping[str, str]] = {
    RecoveryOutcome.SUCCESS: GREEN,
    RecoveryOutcome.FAILURE: VERMILLION,
    VerificationOutcome.CONTINUOUS: GREEN,
    VerificationOutcome.JUMP: ORANGE,
    VerificationOutcome.FALSE_JUMP: PURPLE,
    VerificationOutcome.MISSED: VERMILLION,
    CheckpointOutcome.SAVED: BLUE,
    CheckpointOutcome.INTERRUPTED: VERMILLION,
    CheckpointOutcome.UNREADABLE: RUST,
    CorruptionOutcome.DETECTED: GREEN,
    CorruptionOutcome.BAKED: VERMILLION,
    CorruptionOutcome.HARMLESS: GREY,
    RepairOutcome.CURED: GREEN,
    RepairOutcome.FAILED: VERMILLION,
    RepairOutcome.ESCALATED: ORANGE,
    RepairOutcome.NO_FAULT_FOUND: GREY,
    HotResetOutcome.IN_VAIN: VERMILLION,
    Misdiagnosis.UNATTRIBUTED: GREY,
    Misdiagnosis.INNOCENT: VERMILLION,
}

SCENARIOS: Final[Mapping[str, str]] = {"default": SKY, "naive": ORANGE}
"""The shipped ones; those of a user's own get the colours of Grafana's palette."""
WIDTHS: Final[Mapping[str, float]] = {"default": 3.5, "naive": 1.5}
"""Of their lines, in pixels: where they coincide, and they do since they meet the same faults, both show."""


def spoken(name: str) -> str:
    """A name of a closed set as people write it; ``none`` of the layers is a person."""
    return "a person" if name == Layer.NONE else name.replace("_", " ")
