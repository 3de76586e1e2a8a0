"""Recovery as data: a plan is an ordered tuple of stages, each with its seconds and its bucket.

decide, reschedule, collective_init, restore, compile, verify. The plan is walked by the simulation;
it can be shown, logged, and interrupted by a second fault at a known stage.
"""

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from goodputd.sim.specs.recovery import RecoverySpec
from goodputd.sim.taxonomy import Bucket, StageName

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
