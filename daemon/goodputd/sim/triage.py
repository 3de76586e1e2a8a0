"""Triage: after corrupt state was found, finding out which node corrupted it.

Both ways run the steps since the last clean checkpoint again. Bisection runs them on ever smaller
parts of the job, and needs a fault that does it again; replay runs them once, deterministically,
elsewhere, and compares every rank. The shorter that stretch, the shorter the triage: this is what
checkpoints in quick succession are for. Knows no run and no schedule.
"""

import math
from dataclasses import dataclass

from goodputd.sim.faults import JOB_WIDE, Fault
from goodputd.sim.specs.corruption import TriageSpec
from goodputd.sim.streams import uniforms


@dataclass(slots=True)
class Triage:
    """What a triage takes and says."""

    seconds: float
    node: int | None


def triage(spec: TriageSpec, seed: int, fault: Fault, *, rerun_seconds: float, nodes: int) -> Triage:
    """Triage of a fault whose steps take ``rerun_seconds`` to run again, among so many nodes."""
    if spec.method == "none":
        return Triage(0.0, None)
    reruns = math.ceil(math.log2(max(2, nodes))) if spec.method == "reductive" else 1
    shows = not (spec.method == "reductive" and fault.transient) and fault.node != JOB_WIDE
    luck = uniforms(seed, f"triage/{fault.identity}/{fault.recurrences}", 1)[0]
    node = fault.node if shows and luck < spec.name_probability else None
    return Triage(reruns * (rerun_seconds + spec.overhead_seconds), node)
