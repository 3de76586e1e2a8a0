"""What committed steps took, in seconds and GPUs, so that taking them back takes back just that.

Knows no run: it is told when steps begin to cost something else.
"""

from goodputd.sim.checkpoint import CheckpointStore


class Paces:
    """Since which step what each committed step took."""

    __slots__ = ("_gpus", "_paces", "_step_seconds")

    def __init__(self, step_seconds: float, gpus: float) -> None:
        """Steps cost so much from the first on."""
        self._paces = [(0, step_seconds, gpus)]
        self._step_seconds = step_seconds
        self._gpus = gpus

    def __len__(self) -> int:
        """How many different costs are remembered."""
        return len(self._paces)

    def note(self, store: CheckpointStore, step_seconds: float, gpus: float) -> None:
        """Steps committed after the newest checkpoint take so long, on so many GPUs.

        No restore ends between the initial state and the oldest checkpoint, so the paces of that
        stretch are kept as their mean, and do not pile up over the years.
        """
        if step_seconds == self._step_seconds and gpus == self._gpus:
            return
        self._step_seconds, self._gpus = step_seconds, gpus
        paces = self._paces
        paces.append((store.last, step_seconds, gpus))
        while len(paces) > 2 and paces[2][0] <= store.oldest:  # noqa: PLR2004 - the first two are one
            (first, one_seconds, one_gpus), (second, other_seconds, other_gpus), (third, _, _) = paces[:3]
            one, other = (second - first) * one_seconds, (third - second) * other_seconds
            mean_gpus = (one * one_gpus + other * other_gpus) / (one + other)
            paces[:2] = [(first, (one + other) / (third - first), mean_gpus)]

    def take_back(self, last: int, step: int) -> tuple[float, float]:
        """Seconds and GPU-seconds that the committed steps after ``step``, up to ``last``, took."""
        seconds = gpu_seconds = 0.0
        while last > step:
            first, step_seconds, gpus = self._paces[-1]
            taken = (last - max(first, step)) * step_seconds
            seconds += taken
            gpu_seconds += taken * gpus
            last = max(first, step)
            if first >= step and len(self._paces) > 1:
                self._paces.pop()
        _, self._step_seconds, self._gpus = self._paces[-1]
        return seconds, gpu_seconds
