"""The shared vocabulary: closed sets of names, and nothing that uses them.

Every label value of a metric is a member of one of these enums. They are ``StrEnum`` because they
are used as dictionary keys on the hot path, and the hash of a str is cached.
"""

from enum import StrEnum


class Component(StrEnum):
    """What broke, or why the job stopped although nothing broke."""

    GPU = "gpu"
    MEMORY = "memory"
    NVLINK = "nvlink"
    NIC = "nic"
    SWITCH = "switch"
    HOST = "host"
    POWER = "power"
    STORAGE = "storage"
    SOFTWARE = "software"
    OPERATOR = "operator"
    UNKNOWN = "unknown"
    FALSE_ALARM = "false_alarm"
    PLANNED = "planned"


HARDWARE = frozenset(
    {
        Component.GPU,
        Component.MEMORY,
        Component.NVLINK,
        Component.NIC,
        Component.SWITCH,
        Component.HOST,
        Component.POWER,
        Component.STORAGE,
    }
)
"""Components whose interruptions count as hardware."""


class Symptom(StrEnum):
    """How a fault shows."""

    CRASH = "crash"
    HANG = "hang"
    SLOW = "slow"
    CORRUPT = "corrupt"
    BENIGN = "benign"


STOPPING = frozenset({Symptom.CRASH, Symptom.HANG})
"""Symptoms that stop a synchronous job at the instant of the fault."""


class Origin(StrEnum):
    """Where a fault comes from."""

    PRIMARY = "primary"
    RECURRENCE = "recurrence"
    INJECTED = "injected"
    REPLAYED = "replayed"


class Layer(StrEnum):
    """Who noticed. ``none`` is a person, after every layer stayed silent."""

    HEARTBEAT = "heartbeat"
    HARDWARE = "hardware"
    WATCHDOG = "watchdog"
    GRADIENT = "gradient"
    VALIDATION = "validation"
    SHADOW = "shadow"
    SENTINEL = "sentinel"
    PROBE = "probe"
    SCAN = "scan"
    PLANNED = "planned"
    NONE = "none"


class DetectionResult(StrEnum):
    """Whether a layer's latency won the race or is the counterfactual of a loser."""

    FIRST = "first"
    LATE = "late"


class Bucket(StrEnum):
    """Where a simulated second went; exclusive and exhaustive."""

    PRODUCTIVE = "productive"
    LOST_WORK = "lost_work"
    CHECKPOINT_SAVE = "checkpoint_save"
    VALIDATION = "validation"
    STRAGGLER = "straggler"
    UNDETECTED_STALL = "undetected_stall"
    DECISION = "decision"
    WAITING_FOR_CAPACITY = "waiting_for_capacity"
    RESTART = "restart"
    CHECKPOINT_RESTORE = "checkpoint_restore"
    VERIFY = "verify"


IDLE_CAPACITY = "idle_capacity"
"""The bucket that exists in the GPU-second account only: capacity given up by shrinking."""


class StageName(StrEnum):
    """The stages of an incident, in the order they happen."""

    DETECT = "detect"
    DECIDE = "decide"
    HOT_RESET = "hot_reset"
    HOST_SELECTION = "host_selection"
    RESCHEDULE = "reschedule"
    COLLECTIVE_INIT = "collective_init"
    RESTORE = "restore"
    COMPILE = "compile"
    VERIFY = "verify"


class NodeState(StrEnum):
    """A node is in exactly one of these."""

    ACTIVE = "active"
    FAILED = "failed"
    IDLE = "idle"
    SPARE = "spare"
    REPAIRING = "repairing"
    RETIRED = "retired"


class JobState(StrEnum):
    """The job is in exactly one of these."""

    RUNNING = "running"
    STALLED = "stalled"
    RECOVERING = "recovering"
    WAITING_FOR_CAPACITY = "waiting_for_capacity"
    COMPLETED = "completed"


class Action(StrEnum):
    """What a policy may decide."""

    RESTART = "restart"
    EVICT = "evict"
    RETIRE = "retire"
    WAIT_FOR_CAPACITY = "wait_for_capacity"
    TOLERATE = "tolerate"


class Reason(StrEnum):
    """Why it decided so."""

    FIRST_STRIKE = "first_strike"
    SECOND_STRIKE = "second_strike"
    FURTHER_STRIKE = "further_strike"
    COMPONENT_RULE = "component_rule"
    SOFTWARE = "software"
    NO_NODE = "no_node"
    SLOW_TOLERATED = "slow_tolerated"
    SLOW_RANK = "slow_rank"
    NO_CAPACITY = "no_capacity"
    ALWAYS = "always"
    WITHIN_LIMIT = "within_limit"
    LIMIT_REACHED = "limit_reached"
    LOW_SCORE = "low_score"
    DEPLETION_GUARD = "depletion_guard"


class Slowing(StrEnum):
    """What makes a step longer than in the settings."""

    POOL = "pool"
    PLACEMENT = "placement"
    COOLING = "cooling"
    SHRINK = "shrink"
    NOISE = "noise"
    NETWORK = "network"
    SLOW_RANK = "slow_rank"


class RepairStage(StrEnum):
    """Who repairs an evicted node."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"


class RepairOutcome(StrEnum):
    """What became of a repair; ``failed`` reports success and cured nothing."""

    CURED = "cured"
    FAILED = "failed"
    ESCALATED = "escalated"
    NO_FAULT_FOUND = "no_fault_found"


class Readiness(StrEnum):
    """How soon a spare node can take a place in the job."""

    WARM = "warm"
    COLD = "cold"
    PREEMPTIBLE = "preemptible"


class Misdiagnosis(StrEnum):
    """How a fault of a node was not blamed on that node."""

    UNATTRIBUTED = "unattributed"
    INNOCENT = "innocent"


class HotResetOutcome(StrEnum):
    """Whether resetting a device in place cured a permanent fault."""

    CURED = "cured"
    IN_VAIN = "in_vain"


class RecoveryOutcome(StrEnum):
    """What became of a recovery within 24 hours of training (DESIGN rule 13)."""

    SUCCESS = "success"
    FAILURE = "failure"


class VerificationOutcome(StrEnum):
    """What the loss-continuity check said, and whether it was right."""

    CONTINUOUS = "continuous"
    JUMP = "jump"
    FALSE_JUMP = "false_jump"
    MISSED = "missed"


class CorruptionOutcome(StrEnum):
    """What became of a silent corruption; each has one outcome, once it is known."""

    DETECTED = "detected"
    BAKED = "baked"
    HARMLESS = "harmless"


class CheckpointTier(StrEnum):
    """Where a checkpoint lies: in host memory, on the nodes' disks, in storage that survives any node."""

    MEMORY = "memory"
    LOCAL = "local"
    REMOTE = "remote"


class CheckpointOutcome(StrEnum):
    """What became of a save; one that was saved may turn out unreadable later."""

    SAVED = "saved"
    INTERRUPTED = "interrupted"
    UNREADABLE = "unreadable"
