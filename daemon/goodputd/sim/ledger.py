"""The ledger: every simulated second lands in exactly one bucket, in seconds and in GPU-seconds.

Step time is provisional until a durable checkpoint covers it; then it is committed to
``productive``, or rolled back to ``lost_work``. Both only grow, so counters never fall. Work that
is taken back after its commit stands outside the sum, as its own counter (DESIGN rule 9).

A stopped job is inside one open bucket at a time; a running job's seconds are entered when its run
is closed. Capacity given up by shrinking is ``idle_capacity``, in GPU-seconds only.
"""

from dataclasses import dataclass, field

from goodputd.sim.taxonomy import Bucket


def _zeros() -> dict[Bucket, float]:
    return dict.fromkeys(Bucket, 0.0)


@dataclass(slots=True)
class Account:
    """Totals in one unit, seconds or GPU-seconds."""

    buckets: dict[Bucket, float] = field(default_factory=_zeros)
    provisional: float = 0.0
    retracted: float = 0.0

    def copy(self) -> "Account":
        """An independent copy."""
        return Account(dict(self.buckets), self.provisional, self.retracted)

    def enter_run(self, work: "RunWork", weight: float) -> None:
        """Enter a stretch of training, every second of it times ``weight``."""
        buckets = self.buckets
        buckets[Bucket.CHECKPOINT_SAVE] += work.save_seconds * weight
        if work.straggler_seconds:
            buckets[Bucket.STRAGGLER] += work.straggler_seconds * weight
        if work.commits:
            buckets[Bucket.PRODUCTIVE] += self.provisional + work.committed_seconds * weight
            self.provisional = work.provisional_seconds * weight
        else:
            self.provisional += work.provisional_seconds * weight

    def roll_back(self) -> None:
        """Provisional work is lost."""
        self.buckets[Bucket.LOST_WORK] += self.provisional
        self.provisional = 0.0


@dataclass(slots=True)
class RunWork:
    """What a stretch of training came to, in seconds."""

    save_seconds: float
    straggler_seconds: float
    commits: bool
    committed_seconds: float
    """Step time of the stretch that its last save covers."""
    provisional_seconds: float
    """Step time of the stretch that no save covers yet."""


class Ledger:
    """Both accounts, the open bucket, and the GPUs at work."""

    __slots__ = ("_active_gpus", "_bucket", "_capacity_since", "_idle", "_nominal_gpus", "_since", "gpus", "time")

    def __init__(self, nominal_gpus: int, active_gpus: int) -> None:
        """The job runs from the start, so no bucket is open."""
        self.time = Account()
        self.gpus = Account()
        self._bucket: Bucket | None = None
        self._since = 0.0
        self._nominal_gpus = nominal_gpus
        self._active_gpus = active_gpus
        self._capacity_since = 0.0
        self._idle = 0.0

    def open(self, bucket: Bucket | None, at: float) -> None:
        """Close the open bucket at ``at`` and open another; None while the job runs."""
        if self._bucket is not None:
            seconds = at - self._since
            self.time.buckets[self._bucket] += seconds
            self.gpus.buckets[self._bucket] += seconds * self._active_gpus
        self._bucket = bucket
        self._since = at

    def set_active_gpus(self, gpus: int, at: float) -> None:
        """The job shrank or grew; seconds before ``at`` count with the old number."""
        self.open(self._bucket, at)
        self._idle += (self._nominal_gpus - self._active_gpus) * (at - self._capacity_since)
        self._capacity_since = at
        self._active_gpus = gpus

    def enter_run(self, work: RunWork) -> None:
        """A stretch of training ended."""
        self.time.enter_run(work, 1.0)
        self.gpus.enter_run(work, self._active_gpus)

    def roll_back(self) -> None:
        """The job restores a checkpoint: what was not committed is lost."""
        self.time.roll_back()
        self.gpus.roll_back()

    def retract(self, seconds: float) -> None:
        """Committed work is taken back; buckets stay, ratios subtract it."""
        self.time.retracted += seconds
        self.gpus.retracted += seconds * self._active_gpus

    def at(self, now: float, work: RunWork | None) -> tuple[Account, Account, float]:
        """Both accounts and idle GPU-seconds as of ``now``, without changing anything.

        ``work`` is the run in flight, None when the job is stopped.
        """
        time, gpus = self.time.copy(), self.gpus.copy()
        if work is not None:
            time.enter_run(work, 1.0)
            gpus.enter_run(work, self._active_gpus)
        elif self._bucket is not None:
            time.buckets[self._bucket] += now - self._since
            gpus.buckets[self._bucket] += (now - self._since) * self._active_gpus
        idle = self._idle + (self._nominal_gpus - self._active_gpus) * (now - self._capacity_since)
        return time, gpus, idle
