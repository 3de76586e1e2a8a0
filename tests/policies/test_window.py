"""The policy ``window``: so many failures in so many days, whatever repair said in between."""

import pytest

from goodputd.policies.window import Window, WindowSpec
from goodputd.sim.events import DecisionMade
from goodputd.sim.observation import Detection
from goodputd.sim.protocols import Case
from goodputd.sim.taxonomy import Action, Component, Layer, Reason
from tests.world import DAY, World, strike

RESTART, EVICT = Action.RESTART, Action.EVICT
GPU = Detection(0.0, Layer.HARDWARE, 5, Component.GPU, slowdown=0.0)


@pytest.mark.parametrize(
    ("strikes", "expected"),
    [
        (1, (RESTART, Reason.WITHIN_LIMIT)),
        (2, (RESTART, Reason.WITHIN_LIMIT)),
        (3, (EVICT, Reason.LIMIT_REACHED)),
        (4, (EVICT, Reason.LIMIT_REACHED)),
    ],
)
def test_the_limit_evicts(strikes: int, expected: tuple[Action, Reason]) -> None:
    """The third failure by default, and each one after it."""
    decision = Window(WindowSpec()).decide(Case(0.0, GPU, strikes))

    assert expected == (decision.action, decision.reason)


def test_a_fault_without_a_node_restarts() -> None:
    """It counts for nobody."""
    software = Detection(0.0, Layer.HEARTBEAT, None, Component.SOFTWARE, slowdown=0.0)

    assert Window(WindowSpec(failures=1)).decide(Case(0.0, software, 0)).reason is Reason.SOFTWARE


def test_the_window_is_in_days() -> None:
    """As the settings say it."""
    assert 2.5 * DAY == Window(WindowSpec(days=2.5)).window_seconds


def decisions(**overrides: object) -> list[Action]:
    """On node 3, which fails at hours 1 and 2, is away for an hour, and fails again at hour 10."""
    hours = [1, 2, 10]
    script = [strike(3600.0 * hour, "crash", 3) for hour in hours]
    world = World(
        *script,
        policy__name="window",
        window__failures=2,
        cluster__spares=0,
        cluster__repair_hours=1.0,
        job__rejoin="checkpoint",
        **overrides,
    )
    return [fact.action for fact in world.until(0.5 * DAY).of(DecisionMade)]


def test_failures_before_a_repair_count() -> None:
    """The third failure is the third within the window, though the node was repaired in between."""
    assert [RESTART, EVICT, EVICT] == decisions(window__days=7.0)


def test_time_alone_forgives() -> None:
    """Eight hours later the first two are forgotten."""
    assert [RESTART, EVICT, RESTART] == decisions(window__days=0.25)
