"""The policy ``always_evict``."""

from goodputd.policies.always_evict import AlwaysEvict
from goodputd.sim.events import NodeEvicted
from goodputd.sim.observation import Detection
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.taxonomy import Action, Component, Layer, Reason
from tests.world import World, strike


def test_the_first_failure_evicts() -> None:
    """And so does every other."""
    detection = Detection(0.0, Layer.HARDWARE, 5, Component.GPU, slowdown=0.0)

    assert [Decision(Action.EVICT, Reason.ALWAYS)] * 2 == [
        AlwaysEvict().decide(Case(0.0, detection, strikes)) for strikes in (1, 2)
    ]


def test_a_fault_without_a_node_restarts() -> None:
    """There is nobody to evict."""
    detection = Detection(0.0, Layer.WATCHDOG, None, Component.NIC, slowdown=0.0)

    assert Decision(Action.RESTART, Reason.NO_NODE) == AlwaysEvict().decide(Case(0.0, detection, 0))


def test_a_transient_fault_costs_a_repair() -> None:
    """The node goes at its first failure, though a restart would have cured it."""
    world = World(strike(1000.0, "crash", 3), policy__name="always_evict").until(5000.0)

    assert [3] == [fact.node for fact in world.of(NodeEvicted)]
