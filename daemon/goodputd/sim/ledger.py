"""The ledger: every simulated second lands in exactly one bucket, in seconds and in GPU-seconds.

Step time is provisional until a durable checkpoint covers it; then it is committed to
``productive``, or rolled back to ``lost_work``. Both only grow, so counters never fall. Work that
is taken back after its commit stands outside the sum, as its own counter (DESIGN rule 9).

A stopped job is inside one open bucket at a time; a running job's seconds are entered when its run
is closed. GPU-seconds are those seconds times the GPUs at work, settled when that number changes;
the capacity given up by shrinking is ``idle_capacity``.
"""

from dataclasses import dataclass, field
from typing import Final

from goodputd.sim.taxonomy import Bucket

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_CHECKPOINT_SAVE: Final = Bucket.CHECKPOINT_SAVE
_LOST_WORK: Final = Bucket.LOST_WORK
_PRODUCTIVE: Final = Bucket.PRODUCTIVE
_STRAGGLER: Final = Bucket.STRAGGLER
_VALIDATION: Final = Bucket.VALIDATION


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
    validation_seconds: float = 0.0


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

    def enter_run(self, work: RunWork) -> None:
        """Enter a stretch of training."""
        buckets = self.buckets
        buckets[_CHECKPOINT_SAVE] += work.save_seconds
        if work.straggler_seconds:
            buckets[_STRAGGLER] += work.straggler_seconds
        if work.validation_seconds:
            buckets[_VALIDATION] += work.validation_seconds
        if work.commits:
            buckets[_PRODUCTIVE] += self.provisional + work.committed_seconds
            self.provisional = work.provisional_seconds
        else:
            self.provisional += work.provisional_seconds


class Ledger:
    """The account in seconds, the open bucket, and GPU-seconds settled so far."""

    __slots__ = (
        "_active_gpus",
        "_gpus",
        "_idle",
        "_nominal_gpus",
        "_settled",
        "_settled_at",
        "bucket",
        "since",
        "time",
    )

    def __init__(self, nominal_gpus: int, active_gpus: int) -> None:
        """The job runs from the start, so no bucket is open."""
        self.time = Account()
        self.bucket: Bucket | None = None
        """The open one; None while the job runs."""
        self.since = 0.0
        """When it was opened."""
        self._nominal_gpus = nominal_gpus
        self._active_gpus = active_gpus
        self._gpus = Account()
        self._settled = Account()
        """``time`` as it was when GPU-seconds were last settled, at ``_settled_at``."""
        self._settled_at = 0.0
        self._idle = 0.0

    def open(self, bucket: Bucket | None, at: float) -> None:
        """Close the open bucket at ``at`` and open another; None while the job runs."""
        if self.bucket is not None:
            self.time.buckets[self.bucket] += at - self.since
        self.bucket = bucket
        self.since = at

    def roll_back(self, kept: float = 0.0) -> None:
        """The job goes back to a checkpoint: what was not committed is lost, but for ``kept`` seconds."""
        time = self.time
        time.buckets[_LOST_WORK] += time.provisional - kept
        time.provisional = kept

    def commit(self, left: float) -> None:
        """The stopped job saved where it stands: provisional work is productive, but for ``left`` seconds."""
        time = self.time
        time.buckets[_PRODUCTIVE] += time.provisional - left
        time.provisional = left

    @property
    def active_gpus(self) -> int:
        """GPUs at work."""
        return self._active_gpus

    def retract(self, seconds: float, gpu_seconds: float) -> None:
        """Committed work is taken back, as it was entered; buckets stay, ratios subtract it."""
        self.time.retracted += seconds
        self._gpus.retracted += gpu_seconds

    def set_active_gpus(self, gpus: int, at: float) -> None:
        """The stopped job shrank or grew; what came before counts with the old number.

        Provisional work is lost at that point: it was done with the old number, too.
        """
        self.open(self.bucket, at)
        self.roll_back()
        self._gpus, self._idle = self._settle(self.time, at)
        self._settled = self.time.copy()
        self._settled_at = at
        self._active_gpus = gpus

    def at(self, now: float, work: RunWork | None) -> tuple[Account, Account, float]:
        """Seconds, GPU-seconds and idle GPU-seconds as of ``now``, without changing anything.

        ``work`` is the run in flight, None when the job is stopped.
        """
        time = self.time.copy()
        if work is not None:
            time.enter_run(work)
        elif self.bucket is not None:
            time.buckets[self.bucket] += now - self.since
        gpus, idle = self._settle(time, now)
        return time, gpus, idle

    def _settle(self, time: Account, now: float) -> tuple[Account, float]:
        """GPU-seconds and idle GPU-seconds up to ``now``, when the seconds are ``time``."""
        active, before, base = self._active_gpus, self._gpus, self._settled
        buckets = {
            bucket: before.buckets[bucket] + (seconds - base.buckets[bucket]) * active
            for bucket, seconds in time.buckets.items()
        }
        idle = self._idle + (self._nominal_gpus - active) * (now - self._settled_at)
        return Account(buckets, time.provisional * active, before.retracted), idle
