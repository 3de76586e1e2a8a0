"""The durable checkpoints: which steps can be restored."""


class CheckpointStore:
    """The steps of the durable checkpoints, oldest first; step 0 is the initial state."""

    __slots__ = ("_keep", "_steps", "last", "last_saved_at")

    def __init__(self, keep: int) -> None:
        """``keep`` bounds how far back a restore can go."""
        self._keep = keep
        self._steps = [0]
        self.last = 0
        """The step of the newest checkpoint."""
        self.last_saved_at: float | None = None

    @property
    def oldest(self) -> int:
        """The step of the oldest checkpoint kept."""
        return self._steps[0]

    def saved(self, last_step: int, count: int, interval_steps: int, at: float) -> None:
        """``count`` saves became durable, ``interval_steps`` apart, the newest at ``at``."""
        kept = min(count, self._keep)
        steps = [last_step - back * interval_steps for back in range(kept - 1, -1, -1)]
        self._steps = steps if kept == self._keep else [*self._steps[kept - self._keep :], *steps]
        self.last = last_step
        self.last_saved_at = at

    def at_or_before(self, step: int) -> int:
        """The newest checkpoint that is not after ``step``, else the initial state."""
        return next((saved for saved in reversed(self._steps) if saved <= step), 0)

    def before(self, step: int) -> int:
        """The newest checkpoint strictly before ``step``, else ``step``: there is nothing further back."""
        return next((saved for saved in reversed(self._steps) if saved < step), step)

    def drop_after(self, step: int) -> None:
        """Forget every checkpoint after ``step``: their work was retracted."""
        self._steps = [saved for saved in self._steps if saved <= step] or [step]
        self.last = self._steps[-1]
