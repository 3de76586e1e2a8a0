"""``[recovery]``: how long the stages of a recovery take."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval

from goodputd.sim.specs.fields import SPEC, PositiveCount, PositiveFloat, Probability, Seconds


@dataclass(slots=True, kw_only=True)
class RecoverySpec:
    """How long each stage takes, and how often a restore is wrong."""

    __pydantic_config__ = SPEC

    decide_seconds: Seconds = 30.0
    """Mean seconds from detection to decision: diagnosis and approval."""
    reschedule_seconds: Seconds = 43.0
    """Mean seconds to stop the old processes and start new ones on healthy nodes."""
    collective_init_seconds: Seconds = 17.0
    """Mean seconds to initialise the collectives (NCCL at 16k GPUs: 17 s, arXiv 2602.00277)."""
    compile_seconds: Seconds = 30.0
    """Mean seconds to compile or load the graph and warm up."""
    verify_seconds: Seconds = 30.0
    """Mean seconds of the steps that verify that the loss goes on where it was."""
    spread: Probability = 0.2
    """Half-width of the uniform spread of all stages of one plan, as a fraction of their means."""
    verify_steps: PositiveCount = 10
    """Steps whose losses are compared with the same steps before the fault."""
    verify_z: PositiveFloat = 4.0
    """Standard errors by which their mean may differ before it counts as a jump."""
    wrong_restore_probability: Annotated[float, Interval(ge=0, le=0.9)] = 0.01
    """Chance that a restore misses the data cursor, RNG or schedule."""
    wrong_restore_loss_jump: PositiveFloat = 0.05
    """By how much the loss is off after such a restore."""
