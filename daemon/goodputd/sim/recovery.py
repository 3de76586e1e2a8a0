"""Recovery as data: a plan is an ordered tuple of stages, each with its seconds and its bucket.

decide, reschedule, collective_init, restore, compile, verify. The plan is walked by the simulation;
it can be shown, logged, and interrupted by a second fault at a known stage.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Annotated, Final

from annotated_types import Interval

from goodputd.sim.specs import SPEC, PositiveCount, PositiveFloat, Probability, Seconds
from goodputd.sim.taxonomy import Bucket, StageName


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


_BUCKETS: Final[dict[StageName, Bucket]] = {
    StageName.DECIDE: Bucket.DECISION,
    StageName.HOT_RESET: Bucket.RESTART,
    StageName.HOST_SELECTION: Bucket.RESTART,
    StageName.RESCHEDULE: Bucket.RESTART,
    StageName.COLLECTIVE_INIT: Bucket.RESTART,
    StageName.RESTORE: Bucket.CHECKPOINT_RESTORE,
    StageName.COMPILE: Bucket.RESTART,
    StageName.VERIFY: Bucket.VERIFY,
}

_USES_COLLECTIVES: Final = frozenset({StageName.COLLECTIVE_INIT, StageName.VERIFY})
"""Stages that a missing rank stalls, so that the watchdog's clock starts (DESIGN rule 3)."""


@dataclass(slots=True)
class Stage:
    """One step of a plan; ``seconds`` is its simulated mean, before the plan's pace."""

    name: StageName
    seconds: float
    ends_after_seconds: float
    """From the beginning of the plan."""
    bucket: Bucket
    uses_collectives: bool


RecoveryPlan = tuple[Stage, ...]


def _plan(*stages: tuple[StageName, float]) -> RecoveryPlan:
    ends = accumulate(seconds for _, seconds in stages)
    return tuple(
        Stage(name, seconds, end, _BUCKETS[name], name in _USES_COLLECTIVES)
        for (name, seconds), end in zip(stages, ends, strict=True)
    )


def decide_plan(spec: RecoverySpec, at_least: float = 0.0, more: float = 0.0) -> RecoveryPlan:
    """The part of a plan before the decision is known, ``at_least`` or by so many seconds ``more``."""
    return _plan((StageName.DECIDE, max(spec.decide_seconds, at_least) + more))


def restart_plan(
    spec: RecoverySpec, restore_seconds: float, first: tuple[tuple[StageName, float], ...] = ()
) -> RecoveryPlan:
    """From the decision to verified training; ``first`` are stages that not every restart has."""
    return _plan(
        *first,
        (StageName.RESCHEDULE, spec.reschedule_seconds),
        (StageName.COLLECTIVE_INIT, spec.collective_init_seconds),
        (StageName.RESTORE, restore_seconds),
        (StageName.COMPILE, spec.compile_seconds),
        (StageName.VERIFY, spec.verify_seconds),
    )


def second_restore_plan(spec: RecoverySpec, restore_seconds: float) -> RecoveryPlan:
    """What follows a verification that saw a jump: the checkpoint before, verified again."""
    return _plan((StageName.RESTORE, restore_seconds), (StageName.VERIFY, spec.verify_seconds))


def pace_of(spec: RecoverySpec, uniform: float) -> float:
    """The factor on all stages of one plan: mean 1, within ``spread``."""
    return 1.0 + spec.spread * (2.0 * uniform - 1.0)
