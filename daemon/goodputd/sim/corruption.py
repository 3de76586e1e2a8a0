"""Silent corruption as data: how often it strikes, and the taint that it leaves in the training state.

A corrupt fault sits in a node; the taint that it leaves sits in the weights. A restart may cure the
one and bring back the other. Knows no run and no schedule: ``tainting`` follows taints through them.
"""

import math
from dataclasses import dataclass
from typing import Final

from goodputd.sim.faults import Fault, FaultKind, resolve_kinds
from goodputd.sim.specs.corruption import CorruptionSpec
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec

CORRUPTION_KINDS: Final = ("silent_corruption", "nan_corruption", "loss_corruption", "gradient_corruption")
"""Names of the kinds of fault that ``CorruptionSpec`` makes: one for each way to show."""


@dataclass(slots=True)
class Taint:
    """What one corrupt fault left in the training state."""

    fault: Fault
    step: int
    """The last step that was computed right: a checkpoint of it, or before it, is clean."""
    is_found: bool = False
    is_baked: bool = False
    """A durable checkpoint holds it."""
    lingers: bool = False
    """Its fault was cured and it was not, so that it must be found without the fault."""
    entry: int = -1
    """Schedule number of the save that bakes it in; -1 for none."""


def declared_kinds(spec: CorruptionSpec) -> tuple[FaultKindSpec, ...]:
    """The kinds of fault that the settings ask for, each with its share of the rate; none without one."""
    shown = (spec.nan_share, spec.loss_jump_share, spec.variance_share)
    shares = (max(0.0, 1.0 - math.fsum(shown)), *shown)
    silent, nan, loss, gradient = (
        FaultKindSpec(
            name=name,
            component="gpu",
            symptom="corrupt",
            per_gpu_hour=spec.per_gpu_hour * share,
            transient_probability=spec.transient_probability,
        )
        for name, share in zip(CORRUPTION_KINDS, shares, strict=True)
    )
    nan.makes_nan = True
    loss.loss_jump = spec.loss_jump
    gradient.gradient_sigmas = spec.variance_sigmas
    return tuple(kind for kind in (silent, nan, loss, gradient) if kind.per_gpu_hour)


def corruption_kinds(spec: CorruptionSpec, *, gpus_per_node: int) -> tuple[FaultKind, ...]:
    """The same with its rate for one fleet; `faults.scale` leaves it alone."""
    declared = FaultsSpec(kinds=declared_kinds(spec))
    return resolve_kinds(declared, None, nodes=1, gpus_per_node=gpus_per_node)
