"""Diagnosis: which node a detected fault is blamed on, which need not be the one that broke.

Sits between the layers and the policy: a fault that nobody could attribute blames no node, and an
innocent node may be blamed instead. Knows the truth only to be wrong about it.
"""

from dataclasses import replace

from goodputd.sim.cluster import Cluster
from goodputd.sim.faults import JOB_WIDE, Fault
from goodputd.sim.observation import Detection
from goodputd.sim.specs.detection import DiagnosisSpec
from goodputd.sim.streams import uniforms
from goodputd.sim.taxonomy import Misdiagnosis


class Diagnosis:
    """Attributes detections; its luck belongs to the fault, so that all scenarios share it."""

    __slots__ = ("_cluster", "_found", "_innocent", "_seed", "counts")

    def __init__(self, spec: DiagnosisSpec, cluster: Cluster, seed: int) -> None:
        """Nothing was diagnosed yet."""
        self._found = spec.found_probability
        self._innocent = spec.innocent_probability
        self._cluster = cluster
        self._seed = seed
        self.counts = dict.fromkeys(Misdiagnosis, 0)
        """How often the node that failed was not blamed; neither ever falls."""

    def blame(self, fault: Fault, detection: Detection) -> Detection:
        """The detection with the node that is blamed; None where none is.

        Where no node is named, as by a validation, nobody is blamed, innocent or not.
        """
        if fault.node == JOB_WIDE or detection.node is None:
            return detection
        name = f"diagnosis/{fault.identity}/{fault.recurrences}"
        found, innocent, where = uniforms(self._seed, name, 3)
        if found >= self._found:
            self.counts[Misdiagnosis.UNATTRIBUTED] += 1
            return replace(detection, node=None)
        if innocent < self._innocent and self._cluster.active_nodes:
            blamed = self._cluster.nth_active(where)
            if blamed != fault.node:
                self.counts[Misdiagnosis.INNOCENT] += 1
                return replace(detection, node=blamed)
        return detection
