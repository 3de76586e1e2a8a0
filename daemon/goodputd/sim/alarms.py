"""False alarms: when a layer next claims a fault where there is none, and whom it blames.

An exposure that only running time uses up, like those of ``hazards``, at the summed rate of the
layers for the job as it is sized. Knows nothing of what an alarm leads to.
"""

from math import fsum
from random import Random

from goodputd.sim.faults import Marks
from goodputd.sim.observation import JobView
from goodputd.sim.protocols import Detector
from goodputd.sim.schedule import Schedule
from goodputd.sim.streams import exponential, stream

FalseAlarm = tuple[Detector, float, Marks]
"""The layer, where in the job it points (a fraction), and the marks of the incident."""


class FalseAlarms:
    """The next false alarm.

    There are many stops to an alarm, so a stop leaves its entry in the schedule, where it comes too
    early; it is put off when its turn comes, or by the next start.
    """

    __slots__ = ("_detectors", "_random", "_rates", "entry", "exposure", "rate")

    def __init__(self, seed: int, detectors: tuple[Detector, ...]) -> None:
        """None comes before the first ``size``."""
        self._detectors = detectors
        self._random: Random = stream(seed, "false_alarms")
        self._rates: list[float] = []
        self.exposure = exponential(self._random.random())
        """What is left of it, as a multiple of the mean time between alarms."""
        self.rate = 0.0
        """Alarms per second of running."""
        self.entry = -1
        """Number of the alarm in the schedule; -1 for none."""

    def size(self, view: JobView, schedule: Schedule) -> None:
        """The job has another size, and its alarms another rate: the next may come earlier."""
        self._rates = [detector.false_alarms_per_second(view) for detector in self._detectors]
        self.rate = fsum(self._rates)
        if self.entry >= 0:
            schedule.cancel(self.entry)
            self.entry = -1

    def take(self, schedule: Schedule, since: float, at: float, *, running: bool) -> FalseAlarm | None:
        """The entry has its turn at ``at``; the run in flight, if any, began at ``since``.

        Returns None where the job stood still since the entry was made, so that the alarm comes later.
        """
        self.entry = -1
        if not running:
            return None
        due_at = since + self.exposure / self.rate
        if due_at > at:
            self.entry = schedule.push(due_at, "false_alarm")
            return None
        uniform = self._random.random
        pick = uniform() * self.rate
        chosen = len(self._detectors) - 1
        for index, rate in enumerate(self._rates):
            pick -= rate
            if pick < 0.0:
                chosen = index
                break
        where = uniform()
        marks = Marks(uniform(), uniform(), uniform(), uniform(), uniform(), uniform())
        self.exposure = exponential(uniform())
        return self._detectors[chosen], where, marks
