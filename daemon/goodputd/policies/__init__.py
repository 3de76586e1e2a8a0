"""The restart policies by name: one explicit table, no registration.

A new policy is one file, one line in ``POLICIES``, one test file. Policies see cases, never the
truth: they may not import ``sim.faults`` or ``sim.simulation``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from goodputd.policies.strikes import Strikes, StrikesSpec
from goodputd.sim.protocols import Policy
from goodputd.sim.specs import SPEC

POLICIES: Final[dict[str, Callable[[Any], Policy]]] = {"strikes": Strikes}


@dataclass(slots=True, kw_only=True)
class PolicySpec:
    """What a detected fault leads to."""

    __pydantic_config__ = SPEC

    name: Literal["strikes"] = "strikes"
    """Which policy decides."""
    strikes: StrikesSpec = field(default_factory=StrikesSpec)
    """First failure restarts, second on the same node evicts."""


def build(spec: PolicySpec) -> Policy:
    """The policy that was chosen by name."""
    return POLICIES[spec.name](getattr(spec, spec.name))
