"""The state of one scenario: plain data and the parts that own it, handed to those who act on it.

No behaviour beyond what more than one actor needs: halting the run and noting a fact.
"""

import math
from dataclasses import dataclass, field

from goodputd.sim.cluster import Cluster
from goodputd.sim.corruption import Taint
from goodputd.sim.diagnosis import Diagnosis
from goodputd.sim.events import Fact
from goodputd.sim.faults import Fault
from goodputd.sim.hazards import Hazards
from goodputd.sim.incident import Incident
from goodputd.sim.job import Job, Position
from goodputd.sim.ledger import Ledger
from goodputd.sim.maintenance import Maintenance
from goodputd.sim.repair import RepairShop
from goodputd.sim.schedule import Schedule
from goodputd.sim.snapshot import unplanned
from goodputd.sim.tally import Outcomes, Tally
from goodputd.sim.taxonomy import JobState
from goodputd.sim.training import Training


@dataclass(slots=True)
class State:
    """Everything a scenario is at ``now``, simulated seconds since start."""

    seed: int
    schedule: Schedule
    cluster: Cluster
    job: Job
    ledger: Ledger
    training: Training
    hazards: Hazards
    tally: Tally
    outcomes: Outcomes
    shop: RepairShop
    maintenance: Maintenance | None
    """None where no node is ever due."""
    diagnosis: Diagnosis | None
    """None where every fault is blamed on the node that it struck."""
    now: float = 0.0
    facts: list[Fact] = field(default_factory=list)
    """What happened since the last ``advance_to`` began."""
    present: list[Fault] = field(default_factory=list)
    """Faults that no restart has cured yet, detected or not, oldest first."""
    scores: dict[int, tuple[float, float]] = field(default_factory=dict)
    """(score, since when the node is up) of nodes that failed, where the policy keeps scores."""
    taints: list[Taint] = field(default_factory=list)
    """What corruptions left in the training state and no restore has taken away, oldest first."""
    failed_nodes: list[int] = field(default_factory=list)
    incident: Incident | None = None
    incidents: int = 0
    down_since: float | None = None
    """Since when the job has been stopped by a fault or for one (DESIGN rule 6)."""
    down_seconds: float = 0.0
    """Stopped time of all closed incidents."""
    last_crash: tuple[str, int] | None = None
    """Kind and step of the last software crash (DESIGN rule 8)."""
    completed_at: float | None = None
    target_step: int | None = None
    """Where playing ends; None for never."""
    final_step: int | None = None
    """Where the job itself ends, and its result is handed over."""
    target_entry: int = -1
    planned_entry: int = -1

    def halt(self, to: JobState, position: Position, *, is_planned: bool = False) -> None:
        """The run ends now, where it stands; the job is down from here unless the stop is planned."""
        self.training.stop(self.now, position, is_planned=is_planned)
        self.tally.expected_interruptions += self.hazards.stop(self.schedule, self.now)
        if self.target_entry >= 0 or self.planned_entry >= 0 or self.taints:
            self.cancel_run_entries()
        if not is_planned:
            self.down_since = self.now
        self.job.move(to)

    def start_run(self) -> None:
        """Train from here on: the run, its hazards, and the target if there is one."""
        if self.training.is_adaptive:
            self.training.adapt(self.now, self._mtbf_seconds())
        run = self.training.start(self.now)
        self.hazards.start(self.schedule, self.now, self.cluster, self.training, run)
        if self.target_step is not None:
            self.schedule_target()

    def _mtbf_seconds(self) -> float:
        """What is to be believed of the MTBF by now: the rates as configured, and what was observed.

        The configured rates count as one interruption after their MTBF.
        """
        rate = self.hazards.primary_rate(self.cluster)
        interruptions = unplanned(self.tally.interruptions)
        if rate > 0.0:
            return (self.now + 1.0 / rate) / (interruptions + 1)
        return self.now / interruptions if interruptions else math.inf

    def schedule_target(self) -> None:
        """Note when the run in flight, at its present speed, reaches the target step."""
        if self.target_step is not None and self.training.run is not None:
            reached_at = self.training.run.finishes_at(self.target_step)
            self.target_entry = self.schedule.push(reached_at, "target")

    def cancel_run_entries(self) -> None:
        """What was scheduled for this run at this speed is off."""
        if self.target_entry >= 0:
            self.schedule.cancel(self.target_entry)
            self.target_entry = -1
        if self.planned_entry >= 0:
            self.schedule.cancel(self.planned_entry)
            self.planned_entry = -1
        for taint in self.taints:
            if taint.entry >= 0:
                self.schedule.cancel(taint.entry)
                taint.entry = -1
            if taint.lingers and taint.fault.announced >= 0:
                self.schedule.cancel(taint.fault.announced)
                taint.fault.announced = -1
