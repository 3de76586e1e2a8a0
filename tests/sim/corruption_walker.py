"""Corruption step by step: a loop over seconds that are whole, the reference for ``tainting``.

One job, corruptions at given instants that a restart cures, a validation that sees everything, and a
recovery of fixed length. Knows nothing of the core.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class CorruptionWalker:
    """Plays to ``until`` seconds; instants of ``strikes`` end in a half, so that nothing ties."""

    strikes: list[float]
    until: int
    step_seconds: int
    validate_every: int
    validation_seconds: int
    save_every: int
    save_seconds: int
    recovery_seconds: int
    at_checkpoint: bool
    step: int = 0
    detected: int = 0
    baked: int = 0
    harmless: int = 0
    lost: int = 0
    injected: int = 0
    incidents: int = 0
    now: int = 0
    checkpoints: list[int] = field(default_factory=lambda: [0])
    taints: list[list[int]] = field(default_factory=list)
    """[last clean step, whether a checkpoint holds it]."""

    def run(self) -> "CorruptionWalker":
        """Walk to the end."""
        while self.now < self.until:
            self._pass(self.step_seconds)
            if self.now > self.until:
                break
            self.step += 1
            if self.validate_every and self.step % self.validate_every == 0:
                self._pass(self.validation_seconds)
                if self.now <= self.until and any(taint[0] < self.step for taint in self.taints):
                    self._found()
                    continue
            if self.step % self.save_every == 0:
                self._pass(self.save_seconds)
                if self.now <= self.until:
                    self._saved()
        return self

    def _pass(self, seconds: int) -> None:
        """Time passes while the job runs; corruptions strike the step at hand."""
        end = self.now + seconds
        for at in self.strikes:
            if self.now < at < min(end, self.until):
                self.injected += 1
                self.taints.append([self.step, 0])
        self.now = end

    def _saved(self) -> None:
        self.checkpoints.append(self.step)
        fresh = [taint for taint in self.taints if taint[0] < self.step and not taint[1]]
        for taint in fresh:
            taint[1] = 1
        self.baked += len(fresh)
        if fresh and self.at_checkpoint:
            self._roll_back()

    def _found(self) -> None:
        self.detected += sum(1 for taint in self.taints if taint[0] < self.step and not taint[1])
        self._roll_back()

    def _roll_back(self) -> None:
        """To the newest checkpoint before every taint that is in the state."""
        self.incidents += 1
        first = min(taint[0] for taint in self.taints if taint[0] < self.step)
        clean = max(step for step in self.checkpoints if step <= first)
        self.now += self.recovery_seconds
        if self.now > self.until:
            return
        self.lost += self.step - clean
        before = self.step
        self.step = clean
        self.checkpoints = [step for step in self.checkpoints if step <= clean]
        # one that struck in the very pause at whose end another was found is gone with it, unknown
        self.harmless += sum(1 for taint in self.taints if taint[0] == before)
        self.taints = [taint for taint in self.taints if taint[0] < clean]
