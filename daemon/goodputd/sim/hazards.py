"""What can stop a run that is training: recurrences, false alarms, and the hazard of it all.

Each is an exposure that only running time uses up: an exponential amount is drawn once, runs down
while the job runs and rests while it is stopped. Exponentials have no memory, so this is the same
law as drawing anew at each resume, and it does not depend on when the job happened to stop.
"""

from dataclasses import dataclass
from random import Random

from goodputd.sim.arrivals import recurrence
from goodputd.sim.cluster import Cluster
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind, Marks
from goodputd.sim.job import Run
from goodputd.sim.observation import JobView
from goodputd.sim.protocols import Detector
from goodputd.sim.schedule import Schedule
from goodputd.sim.streams import exponential, stream
from goodputd.sim.taxonomy import Origin
from goodputd.sim.training import Training

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_RECURRENCE = Origin.RECURRENCE


@dataclass(slots=True)
class Standing:
    """A permanent fault that a restart did not cure."""

    fault: Fault
    left_seconds: float
    """Training time until it strikes again; unused for faults of the whole job."""
    step: int
    """The step at which a fault of the whole job strikes again."""
    entry: int = -1


class Hazards:
    """Standing faults and the next false alarm."""

    __slots__ = (
        "_alarm_entry",
        "_alarm_exposure",
        "_alarm_rate",
        "_alarm_rates",
        "_detectors",
        "_job_rate",
        "_node_rate",
        "_nodes",
        "_random",
        "_rate",
        "_recurrence_seconds",
        "_seed",
        "_since",
        "standing",
    )

    def __init__(
        self,
        seed: int,
        kinds: tuple[FaultKind, ...],
        detectors: tuple[Detector, ...],
        recurrence_seconds: float,
    ) -> None:
        """``recurrence_seconds`` is the mean training time to the next strike of a permanent fault."""
        self._seed = seed
        self._detectors = detectors
        self._recurrence_seconds = recurrence_seconds
        self._node_rate = sum(k.rate_per_second for k in kinds if k.stops and not k.job_wide)
        self._job_rate = sum(k.rate_per_second for k in kinds if k.stops and k.job_wide)
        self._random: Random = stream(seed, "false_alarms")
        self._alarm_exposure = exponential(self._random.random())
        self._alarm_rates: list[float] = []
        self._alarm_rate = 0.0
        self._nodes = -1
        self._alarm_entry = -1
        self._rate = 0.0
        self._since = 0.0
        self.standing: list[Standing] = []

    def start(self, schedule: Schedule, at: float, cluster: Cluster, training: Training, run: Run) -> None:
        """A run begins: whatever it exposes the job to is scheduled."""
        nodes = cluster.active_nodes
        if nodes != self._nodes:
            self._size(nodes, cluster, training)
        alarms = self._alarm_rate
        if alarms > 0.0:
            self._alarm_entry = schedule.push(at + self._alarm_exposure / alarms, "false_alarm")
        recurrences = 0.0
        for standing in self.standing:
            if standing.fault.node == JOB_WIDE:
                # half a step in, so that the crash comes at the same step as before
                due_at = run.reaches_step_at(standing.step) + 0.5 * run.step_seconds
                standing.entry = schedule.push(max(at, due_at), "recurrence", standing)
            elif cluster.is_in_job(standing.fault.node):
                # a node that a shrink left idle keeps its fault for when it is used again
                standing.entry = schedule.push(at + standing.left_seconds, "recurrence", standing)
                recurrences += 1.0 / self._recurrence_seconds if standing.fault.kind.stops else 0.0
        self._rate = self._node_rate * nodes + self._job_rate + alarms + recurrences
        self._since = at

    def _size(self, nodes: int, cluster: Cluster, training: Training) -> None:
        """How often the layers cry wolf depends on the size of the job and its steps only."""
        view = JobView(nodes, nodes * cluster.gpus_per_node, training.step_seconds, training.training_share)
        self._nodes = nodes
        self._alarm_rates = [detector.false_alarms_per_second(view) for detector in self._detectors]
        self._alarm_rate = sum(self._alarm_rates)

    def stop(self, schedule: Schedule, at: float) -> float:
        """The run ended; returns the interruptions that were to be expected of it."""
        ran = at - self._since
        if self._alarm_entry >= 0:
            schedule.cancel(self._alarm_entry)
            self._alarm_exposure -= ran * self._alarm_rate
            self._alarm_entry = -1
        for standing in self.standing:
            if standing.entry >= 0:
                schedule.cancel(standing.entry)
                standing.entry = -1
                standing.left_seconds -= ran
        return self._rate * ran

    def expected_so_far(self, at: float) -> float:
        """Interruptions to be expected of the run in flight up to ``at``."""
        return self._rate * (at - self._since)

    def keep(self, fault: Fault, step: int) -> None:
        """A restart left this permanent fault in the job; it will strike again."""
        fault.recurrences += 1
        wait, fault.marks = recurrence(self._seed, fault)
        self.standing.append(Standing(fault, wait * self._recurrence_seconds, step))

    def struck(self, standing: Standing) -> Fault:
        """The standing fault strikes again: the same fault, with the marks of this strike."""
        standing.entry = -1
        self.standing.remove(standing)
        before = standing.fault
        kind = before.kind
        logged = kind.event is not None and before.marks.logged < kind.logged_probability
        return Fault(
            before.identity,
            0.0,
            kind,
            before.node,
            transient=False,
            origin=_RECURRENCE,
            marks=before.marks,
            recurrences=before.recurrences,
            logged=logged,
        )

    def node_left(self, node: int) -> None:
        """The node is out of the job, and its faults with it."""
        self.standing = [standing for standing in self.standing if standing.fault.node != node]

    def stands_on(self, node: int) -> bool:
        """Whether the node carries a permanent fault."""
        return any(standing.fault.node == node for standing in self.standing)

    def alarm(self) -> tuple[Detector, float, Marks]:
        """A false alarm fires: the layer, where in the job it points (a fraction), its marks."""
        self._alarm_entry = -1
        uniform = self._random.random
        pick = uniform() * self._alarm_rate
        chosen = len(self._detectors) - 1
        for index, rate in enumerate(self._alarm_rates):
            pick -= rate
            if pick < 0.0:
                chosen = index
                break
        where = uniform()
        marks = Marks(uniform(), uniform(), uniform(), uniform(), uniform(), uniform())
        self._alarm_exposure = exponential(uniform())
        return self._detectors[chosen], where, marks
