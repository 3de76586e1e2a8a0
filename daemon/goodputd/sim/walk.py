"""Walking a recovery plan: a timetable whose stages end by arithmetic.

Only the end of the whole plan is an event. The stages before it end when time passes them: whoever
moves time calls ``catch_up`` first, before anything else happens and at every cut, so that facts
come in order and cutting changes nothing. A fault that would hold up a collective puts one more
event where that collective begins.
"""

from typing import Final

from goodputd.sim.events import StageFinished
from goodputd.sim.faults import Fault
from goodputd.sim.incident import Incident
from goodputd.sim.monitoring import Monitoring
from goodputd.sim.recovery import RecoveryPlan
from goodputd.sim.state import State
from goodputd.sim.taxonomy import Bucket, JobState

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_RECOVERING: Final = JobState.RECOVERING
_STALLED: Final = JobState.STALLED
_UNDETECTED_STALL: Final = Bucket.UNDETECTED_STALL


class Walk:
    """Moves incidents along their plans."""

    __slots__ = ("_monitoring", "_state")

    def __init__(self, state: State, monitoring: Monitoring) -> None:
        """The plan in progress is the incident's own data."""
        self._state = state
        self._monitoring = monitoring

    def begin(self, incident: Incident, plan: RecoveryPlan) -> None:
        """Start the plan at its first stage, now."""
        state = self._state
        if state.job.state is not _RECOVERING:
            state.job.move(_RECOVERING)
        now = state.now
        incident.plan = plan
        incident.plan_since = now
        incident.stage_index = 0
        incident.stage_since = now
        state.ledger.open(plan[0].bucket, now)
        ends_at = now + plan[-1].ends_after_seconds * incident.pace
        incident.plan_entry = state.schedule.push(ends_at, "plan", incident)
        for fault in state.present:
            if fault.in_recovery:
                self._hold_up(incident)

    def catch_up(self, incident: Incident, now: float) -> None:
        """End every stage but the last whose time has passed by ``now``.

        What ``_end_stage`` and ``Ledger.open`` do, in one loop without calls: no other is as hot.
        """
        index = incident.stage_index
        plan = incident.plan
        last = len(plan) - 1
        if index >= last or incident.plan_entry < 0:
            return
        pace, begun, since = incident.pace, incident.plan_since, incident.stage_since
        number = incident.number
        state = self._state
        ledger, stages, facts = state.ledger, state.tally.stages, state.facts
        buckets, opened_at = ledger.time.buckets, ledger.since
        stage = plan[index]
        bucket = stage.bucket
        while index < last:
            ends_at = begun + stage.ends_after_seconds * pace
            if ends_at > now:
                break
            seconds = ends_at - since
            total = stages[stage.name]
            total.seconds += seconds
            total.count += 1
            facts.append(StageFinished(ends_at, number, stage.name, seconds, False))  # noqa: FBT003
            since = ends_at
            index += 1
            stage = plan[index]
            if stage.bucket is not bucket:
                buckets[bucket] += ends_at - opened_at
                bucket, opened_at = stage.bucket, ends_at
        ledger.bucket, ledger.since = bucket, opened_at
        incident.stage_index = index
        incident.stage_since = since

    def finish(self, incident: Incident) -> bool:
        """The end of the plan has come: so has that of its last stage.

        Returns False where a missing rank holds up that stage, which takes no time, after all.
        """
        incident.plan_entry = -1
        if incident.hold_up_entry >= 0:
            self._state.schedule.cancel(incident.hold_up_entry)
            self.collective_begins(incident)
            return False
        self._end_stage(incident, self._state.now, cut=False)
        return True

    def cut(self, incident: Incident) -> None:
        """Leave the plan where it is; the stage in progress keeps its seconds."""
        if incident.plan_entry >= 0:
            self._leave(incident)
            self._end_stage(incident, self._state.now, cut=True)

    def struck(self, incident: Incident, fault: Fault) -> None:
        """A crash or hang while the plan runs stalls a collective in progress, or the next one."""
        fault.in_recovery = True
        if incident.plan_entry < 0:
            return
        if incident.plan[incident.stage_index].uses_collectives:
            self.cut(incident)
            self._stall([fault])
        else:
            self._hold_up(incident)

    def collective_begins(self, incident: Incident) -> None:
        """A stage with collectives begins: a rank that nobody missed so far holds it up."""
        incident.hold_up_entry = -1
        self._leave(incident)
        self._stall([fault for fault in self._state.present if fault.in_recovery])

    def _hold_up(self, incident: Incident) -> None:
        """Note where the next collective of the plan will stall, if it has one."""
        if incident.hold_up_entry >= 0:
            return
        begins = incident.stage_since
        for stage in incident.plan[incident.stage_index :]:
            if stage.uses_collectives:
                incident.hold_up_entry = self._state.schedule.push(begins, "collective", incident)
                return
            begins = incident.plan_since + stage.ends_after_seconds * incident.pace

    def _leave(self, incident: Incident) -> None:
        schedule = self._state.schedule
        if incident.plan_entry >= 0:
            schedule.cancel(incident.plan_entry)
            incident.plan_entry = -1
        if incident.hold_up_entry >= 0:
            schedule.cancel(incident.hold_up_entry)
            incident.hold_up_entry = -1

    def _stall(self, blocking: list[Fault]) -> None:
        state = self._state
        state.job.move(_STALLED)
        state.ledger.open(_UNDETECTED_STALL, state.now)
        for fault in blocking:
            self._monitoring.watch_stalled_collective(fault)

    def _end_stage(self, incident: Incident, at: float, *, cut: bool) -> None:
        state = self._state
        name = incident.plan[incident.stage_index].name
        seconds = at - incident.stage_since
        total = state.tally.stages[name]
        total.seconds += seconds
        total.count += 1
        state.facts.append(StageFinished(at, incident.number, name, seconds, cut))
