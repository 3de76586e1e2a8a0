"""Silent corruption as data: how often it strikes, and the taint that it leaves in the training state.

A corrupt fault sits in a node; the taint that it leaves sits in the weights. A restart may cure the
one and bring back the other. Knows no run and no schedule: ``tainting`` follows taints through them.
"""

from dataclasses import dataclass
from typing import Final, Literal

from goodputd.sim.faults import Fault, FaultKind, FaultKindSpec, FaultsSpec, resolve_kinds
from goodputd.sim.specs import SPEC, NonNegativeFloat, Probability

CORRUPTION_KIND: Final = "silent_corruption"
"""Name of the kind of fault that ``CorruptionSpec`` makes."""


@dataclass(slots=True, kw_only=True)
class CorruptionSpec:
    """Silent corruption: a GPU computes wrongly and says nothing."""

    __pydantic_config__ = SPEC

    per_gpu_hour: NonNegativeFloat = 0.0
    """Silent corruptions per GPU and hour (Llama 3: 6 in 16,384 GPUs x 1,296 h, 2.8e-7)."""
    transient_probability: Probability = 0.5
    """Chance that a restart cures it (Google 2021: half of the suspects were proven bad later)."""
    baked_discovery: Literal["at_checkpoint", "later"] = "later"
    """"later": what is baked into a checkpoint is found by a later validation; "at_checkpoint": at once."""


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
    """The kind of fault that the settings ask for, none when the rate is 0."""
    if spec.per_gpu_hour == 0.0:
        return ()
    kind = FaultKindSpec(
        name=CORRUPTION_KIND,
        component="gpu",
        symptom="corrupt",
        per_gpu_hour=spec.per_gpu_hour,
        transient_probability=spec.transient_probability,
    )
    return (kind,)


def corruption_kinds(spec: CorruptionSpec, *, gpus_per_node: int) -> tuple[FaultKind, ...]:
    """The same with its rate for one fleet; `faults.scale` leaves it alone."""
    declared = FaultsSpec(kinds=declared_kinds(spec))
    return resolve_kinds(declared, None, nodes=1, gpus_per_node=gpus_per_node)
