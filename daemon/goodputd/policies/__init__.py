"""The restart policies by name: one explicit table, no registration.

A new policy is one file, one line in ``POLICIES``, one test file. Policies see cases, never the
truth: they may not import ``sim.faults`` or ``sim.simulation``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from goodputd.policies.always_evict import AlwaysEvict
from goodputd.policies.always_restart import AlwaysRestart
from goodputd.policies.score import Score, ScoreSpec
from goodputd.policies.strikes import Strikes, StrikesSpec
from goodputd.policies.window import Window, WindowSpec
from goodputd.sim.protocols import Policy
from goodputd.sim.specs.fields import SPEC

PolicyName = Literal["strikes", "always_restart", "always_evict", "window", "score"]


@dataclass(slots=True, kw_only=True)
class PolicySpec:
    """What a detected fault leads to."""

    __pydantic_config__ = SPEC

    name: PolicyName = "strikes"
    """Which policy decides; "always_restart" and "always_evict" have no settings of their own."""
    strikes: StrikesSpec = field(default_factory=StrikesSpec)
    """First failure restarts, second on the same node evicts."""
    window: WindowSpec = field(default_factory=WindowSpec)
    """So many failures in so many days evict."""
    score: ScoreSpec = field(default_factory=ScoreSpec)
    """A reliability score per node."""


POLICIES: Final[dict[PolicyName, Callable[[PolicySpec], Policy]]] = {
    "strikes": lambda spec: Strikes(spec.strikes),
    "always_restart": lambda _: AlwaysRestart(),
    "always_evict": lambda _: AlwaysEvict(),
    "window": lambda spec: Window(spec.window),
    "score": lambda spec: Score(spec.score),
}


def build(spec: PolicySpec) -> Policy:
    """The policy that was chosen by name."""
    return POLICIES[spec.name](spec)
