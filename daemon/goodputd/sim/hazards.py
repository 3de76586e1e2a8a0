"""What can stop a run that is training: recurrences, false alarms, and the hazard of it all.

Each is an exposure that only running time uses up: an exponential amount is drawn once, runs down
while the job runs and rests while it is stopped. Exponentials have no memory, so this is the same
law as drawing anew at each resume, and it does not depend on when the job happened to stop.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import fsum
from typing import Final

from goodputd.sim.aging import Aging
from goodputd.sim.alarms import FalseAlarm, FalseAlarms
from goodputd.sim.arrivals import recurrence
from goodputd.sim.bursts import BurstTime
from goodputd.sim.cluster import Cluster
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind
from goodputd.sim.job import Run
from goodputd.sim.observation import JobView
from goodputd.sim.protocols import Detector
from goodputd.sim.schedule import Schedule
from goodputd.sim.specs.faults import BurstsSpec
from goodputd.sim.taxonomy import Origin, Symptom
from goodputd.sim.training import Training

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_CORRUPT: Final = Symptom.CORRUPT
_RECURRENCE: Final = Origin.RECURRENCE


@dataclass(slots=True)
class Standing:
    """A permanent fault that a restart did not cure."""

    fault: Fault
    left_seconds: float
    """Training time until it strikes again, while its node is out of the job."""
    step: int
    """The step at which a fault of the whole job strikes again."""
    entry: int = -1
    """Schedule number of its next strike; -1 for none."""


class Hazards:
    """Standing faults and the next false alarm."""

    __slots__ = (
        "_aged_entry",
        "_aged_rate",
        "_alarms",
        "_burst_excess",
        "_burst_rate",
        "_burst_time",
        "_corrupt_rate",
        "_count",
        "_domain_rates",
        "_dormant",
        "_job_rate",
        "_job_wide",
        "_node_rate",
        "_parked",
        "_plain_rate",
        "_ran",
        "_rate",
        "_recurrence_seconds",
        "_reshapes",
        "_seed",
        "_shares",
        "_since",
        "_stopping",
        "_waiting",
        "aging",
        "bursts",
        "is_special",
    )

    def __init__(
        self,
        seed: int,
        kinds: tuple[FaultKind, ...],
        detectors: tuple[Detector, ...],
        recurrence_seconds: float,
        shares: Mapping[str, float] | None = None,
    ) -> None:
        """``recurrence_seconds`` is the mean training time to the next strike of a permanent fault.

        ``shares`` has, by kind, the share of faults that interrupt the job; without it, or for a kind
        that is not in it, those that stop the job do.
        """
        self._seed = seed
        self._shares = shares or {}
        self._recurrence_seconds = recurrence_seconds
        rates = [(k, k.rate_per_second * self._share(k)) for k in kinds if not k.ages and k.domain_nodes == 1]
        self._node_rate = fsum(r for k, r in rates if not k.job_wide and k.symptom is not _CORRUPT)
        self._corrupt_rate = fsum(r for k, r in rates if not k.job_wide and k.symptom is _CORRUPT)
        """Apart, since pools have multipliers of their own for it."""
        self._plain_rate = self._node_rate + self._corrupt_rate
        self._job_rate = fsum(r for k, r in rates if k.job_wide)
        self._aged_rate = fsum(kind.rate_per_second * self._share(kind) for kind in kinds if kind.ages)
        of_domains = [kind for kind in kinds if kind.domain_nodes > 1]
        self._domain_rates = [(k.domain_nodes, k.rate_per_second * self._share(k)) for k in of_domains]
        """(nodes of a domain, faults a second of each that interrupt)"""
        self.is_special = False
        """Whether nodes differ, age, hang on domains, or break in bursts."""
        self.bursts: BurstTime | None = None
        """Faulty periods, where there are any."""
        self._burst_excess = 0.0
        """Their multiple of the rates, less one."""
        self._burst_rate = 0.0
        """What a burst adds to the rate of the run in flight."""
        self._burst_time = 0.0
        """Time within bursts when it began."""
        self.aging: Aging | None = None
        """Faults that come with the age of a node, where there are any."""
        self._aged_entry = -1
        self._alarms = FalseAlarms(seed, detectors)
        self._reshapes = 0
        self._rate = 0.0
        self._since = 0.0
        self._ran = 0.0
        """Running time of all runs that have ended."""
        self._waiting: list[tuple[float, int, Standing]] = []
        """(running time at which it strikes, number, fault) on nodes of the job: a heap."""
        self._count = 0
        self._dormant: list[Standing] = []
        """On nodes that a shrink left idle."""
        self._parked: dict[int, list[Standing]] = {}
        """By node in repair that will not be cured there."""
        self._job_wide: list[Standing] = []
        self._stopping = 0.0
        """How many of those that wait would interrupt the job."""

    @property
    def standing(self) -> list[Standing]:
        """Every standing fault, in no useful order."""
        parked = [standing for each in self._parked.values() for standing in each]
        return [*(standing for _, _, standing in self._waiting), *self._dormant, *parked, *self._job_wide]

    def start(self, schedule: Schedule, at: float, cluster: Cluster, training: Training, run: Run) -> None:
        """A run begins: whatever it exposes the job to is scheduled."""
        if cluster.reshapes != self._reshapes:
            self._size(cluster, training, schedule)
        if self._dormant:
            self._sort_out(cluster)
        self._since = at
        alarms = self._alarms
        if alarms.rate > 0.0 and alarms.entry < 0:
            alarms.entry = schedule.push(at + alarms.exposure / alarms.rate, "false_alarm")
        if self._waiting:
            self._schedule_next(schedule)
        if self._job_wide:
            self.schedule_job_wide(schedule, at, run)
        recurrences = self._stopping / self._recurrence_seconds
        primary = self._plain_rate * cluster.active_nodes + self._job_rate
        self._rate = primary + alarms.rate + recurrences
        if self.is_special:
            self._start_special(schedule, at, cluster)

    def _start_special(self, schedule: Schedule, at: float, cluster: Cluster) -> None:
        """The same where nodes differ, age, hang on domains, or break in bursts."""
        primary = self._rate_of_nodes(cluster)
        of_domains = self._rate_of_domains(cluster)
        self._rate = primary + of_domains + self._alarms.rate + self._stopping / self._recurrence_seconds
        if self.bursts is not None:
            self._burst_rate = self._burst_excess * primary
            self._burst_time = self.bursts.until(at)
        if self.aging is not None:
            self.aging.follow(cluster, self._ran)
            self._schedule_aged(self.aging, schedule)

    def schedule_job_wide(self, schedule: Schedule, at: float, run: Run) -> None:
        """Faults of the whole job come back at their step: schedule them for ``run`` and its speed."""
        for standing in self._job_wide:
            self._cancel(standing, schedule)
            # half a step in, so that the crash comes at the same step as before
            due_at = run.reaches_step_at(standing.step) + 0.5 * run.step_seconds
            standing.entry = schedule.push(max(at, due_at), "recurrence", standing)

    def stop(self, schedule: Schedule, at: float) -> float:
        """The run ended; returns the interruptions that were to be expected of it."""
        ran = at - self._since
        self._ran += ran
        self._since = at
        alarms = self._alarms
        if alarms.entry >= 0:
            alarms.exposure -= ran * alarms.rate
        if self._waiting:
            self._cancel(self._waiting[0][2], schedule)
        for standing in self._job_wide:
            self._cancel(standing, schedule)
        if self.is_special:
            return self._rate * ran + self._stop_special(schedule, at)
        return self._rate * ran

    def _stop_special(self, schedule: Schedule, at: float) -> float:
        """Nobody ages on; returns what was to be expected of bursts on top."""
        if self._aged_entry >= 0:
            schedule.cancel(self._aged_entry)
            self._aged_entry = -1
        if self.bursts is None:
            return 0.0
        return self._burst_rate * (self.bursts.until(at) - self._burst_time)

    def _cancel(self, standing: Standing, schedule: Schedule) -> None:
        if standing.entry >= 0:
            schedule.cancel(standing.entry)
            standing.entry = -1

    def primary_rate(self, cluster: Cluster) -> float:
        """Faults a second that interrupt the job of these nodes, as configured and outside of bursts.

        Recurrences are not counted; those of age are at the mean of a life.
        """
        of_age = self._aged_rate * cluster.fleet.weight if cluster.fleet is not None else 0.0
        return self._rate_of_nodes(cluster) + self._rate_of_domains(cluster) + of_age

    def _rate_of_nodes(self, cluster: Cluster) -> float:
        """Of nodes one by one and of the job as a whole, at a constant rate."""
        fleet = cluster.fleet
        if fleet is None:
            return self._plain_rate * cluster.active_nodes + self._job_rate
        corrupt = self._corrupt_rate * fleet.corruption_weight if self._corrupt_rate else 0.0
        return self._node_rate * fleet.weight + corrupt + self._job_rate

    def _rate_of_domains(self, cluster: Cluster) -> float:
        """Of racks and switches with a node in the job."""
        if not self._domain_rates or cluster.fleet is None:
            return 0.0
        active = {domains.size: domains.active for domains in cluster.fleet.domains}
        return fsum(rate * active[size] for size, rate in self._domain_rates)

    def _share(self, kind: FaultKind) -> float:
        return self._shares.get(kind.name, 1.0 if kind.stops else 0.0)

    def expected_so_far(self, at: float) -> float:
        """Interruptions to be expected of the run in flight up to ``at``; those of age not counted."""
        expected = self._rate * (at - self._since)
        if self.bursts is not None:
            expected += self._burst_rate * (self.bursts.until(at) - self._burst_time)
        return expected

    def expect_bursts(self, spec: BurstsSpec, bursts: BurstTime) -> None:
        """From now on ``bursts`` says when there is one."""
        self.bursts = bursts
        self._burst_excess = spec.multiplier - 1.0

    def expected_of_age(self, at: float, *, running: bool) -> float:
        """Interruptions to be expected from the age of nodes since start."""
        if self.aging is None:
            return 0.0
        return self.aging.expected(self._ran + at - self._since if running else self._ran)

    def renew(self, node: int) -> None:
        """A repair cured the node: it is as good as new."""
        if self.aging is not None:
            self.aging.renew(node, self._ran)

    def _schedule_aged(self, aging: Aging, schedule: Schedule) -> None:
        due = aging.next_ran
        if due is not None:
            self._aged_entry = schedule.push(self._since + max(0.0, due - self._ran), "aged")

    def aged(self, schedule: Schedule, at: float) -> Fault:
        """A node's age tells now: the fault; the next one in line is scheduled."""
        assert self.aging is not None  # noqa: S101 - it is where the fault comes from
        fault = self.aging.strike(at)
        self._aged_entry = -1
        self._schedule_aged(self.aging, schedule)
        return fault

    def keep(self, fault: Fault, step: int) -> None:
        """A restart left this permanent fault in the job; it will strike again."""
        fault.recurrences += 1
        wait, fault.marks = recurrence(self._seed, fault)
        standing = Standing(fault, wait * self._recurrence_seconds, step)
        if fault.node == JOB_WIDE:
            self._job_wide.append(standing)
        else:
            self._dormant.append(standing)

    def struck(self, standing: Standing, schedule: Schedule) -> Fault:
        """The standing fault strikes again: the same fault, with the marks of this strike.

        The job may run on, with a straggler, so the next one in line is scheduled.
        """
        before = standing.fault
        kind = before.kind
        if before.node == JOB_WIDE:
            self._job_wide.remove(standing)
        else:
            heappop(self._waiting)
            self._stopping -= self._share(kind)
            if self._waiting:
                self._schedule_next(schedule)
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

    def node_left(self, node: int) -> list[Fault]:
        """The node is out of the job for good, and its faults with it; returns those that stood on it."""
        gone = [standing.fault for standing in self.standing if standing.fault.node == node]
        if not gone:
            return gone
        self._dormant = [standing for standing in self._dormant if standing.fault.node != node]
        if any(entry[2].fault.node == node for entry in self._waiting):
            self._waiting = [entry for entry in self._waiting if entry[2].fault.node != node]
            heapify(self._waiting)
            self._stopping = fsum(self._share(entry[2].fault.kind) for entry in self._waiting)
        return gone

    def park(self, node: int) -> list[Fault]:
        """The node goes to a repair that will not cure it: its faults, returned, rest until it is back."""
        for due, _, standing in self._waiting:
            if standing.fault.node == node:
                standing.left_seconds = due - self._ran
                self._dormant.append(standing)
        parked = [standing for standing in self._dormant if standing.fault.node == node]
        self.node_left(node)
        if parked:
            self._parked[node] = parked
        return [standing.fault for standing in parked]

    def unpark(self, node: int) -> None:
        """The node is back, with whatever the repair did not cure."""
        self._dormant += self._parked.pop(node, ())

    def stands_on(self, node: int) -> bool:
        """Whether the node carries a permanent fault."""
        return any(standing.fault.node == node for standing in self.standing)

    def _size(self, cluster: Cluster, training: Training, schedule: Schedule) -> None:
        """The job has another size: its false alarms change, and some faults may have left with it."""
        nodes = cluster.active_nodes
        view = JobView(
            nodes, nodes * cluster.gpus_per_node, training.calm_step_seconds, training.training_share
        )
        self._reshapes = cluster.reshapes
        self._alarms.size(view, schedule)
        for due, _, standing in self._waiting:
            standing.left_seconds = due - self._ran
            self._dormant.append(standing)
        self._waiting.clear()
        self._stopping = 0.0

    def _sort_out(self, cluster: Cluster) -> None:
        """Faults on nodes that are in the job wait for their exposure; the others stay dormant."""
        dormant, self._dormant = self._dormant, []
        for standing in dormant:
            if cluster.is_in_job(standing.fault.node):
                self._count += 1
                self._stopping += self._share(standing.fault.kind)
                heappush(self._waiting, (self._ran + standing.left_seconds, self._count, standing))
            else:
                self._dormant.append(standing)

    def _schedule_next(self, schedule: Schedule) -> None:
        """Only the first in line: the others' turn comes after it."""
        due, _, standing = self._waiting[0]
        standing.entry = schedule.push(self._since + max(0.0, due - self._ran), "recurrence", standing)

    def alarm(self, schedule: Schedule, at: float, *, running: bool) -> FalseAlarm | None:
        """A false alarm has its turn; None where it comes later."""
        return self._alarms.take(schedule, self._since, at, running=running)
