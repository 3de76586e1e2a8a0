"""The policy ``always_restart``."""

from goodputd.policies.always_restart import AlwaysRestart
from goodputd.sim.events import NodeEvicted
from goodputd.sim.observation import Detection
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.taxonomy import Action, Component, Layer, Reason
from tests.world import World, strike

DAY = 86400.0


def test_no_failure_evicts() -> None:
    """The hundredth on the same node neither."""
    detection = Detection(0.0, Layer.HARDWARE, 5, Component.GPU, slowdown=0.0)

    assert [Decision(Action.RESTART, Reason.ALWAYS)] * 2 == [
        AlwaysRestart().decide(Case(0.0, detection, strikes)) for strikes in (1, 100)
    ]


def test_software_is_told_apart() -> None:
    """A fault that blames no node restarts for its own reason."""
    detection = Detection(0.0, Layer.HEARTBEAT, None, Component.SOFTWARE, slowdown=0.0)

    assert Decision(Action.RESTART, Reason.SOFTWARE) == AlwaysRestart().decide(Case(0.0, detection, 0))


def test_a_permanent_fault_comes_back_and_stays() -> None:
    """The job goes on with the node; nobody leaves it."""
    world = World(strike(1000.0, "crash", 3, transient=False), policy__name="always_restart").until(2 * DAY)

    assert world.of(NodeEvicted) == []
    assert sum(world.snapshot.interruptions.values()) > 5
