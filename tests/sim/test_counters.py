"""Counters never fall, not by the last bit: Prometheus would take it for a restart and count all again."""

from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from goodputd.sim.simulation import Simulation
from goodputd.sim.streams import stream
from tests.sim.test_invariants import counters, worlds
from tests.world import DAY, parts


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
    # a world does not shrink in useful time; the example as found says enough
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(worlds())
def test_no_counter_falls_at_an_event_or_between_two(world: dict[str, Any]) -> None:
    """Random settings, looked at on every other event, shortly after, and anywhere in between."""
    simulation = Simulation(parts((), **world))
    random = stream(world["seed"], "looks").random
    before: dict[Any, float] = {}
    for _ in range(250):
        due = simulation.next_event_at()
        if due is None or due > 20 * DAY:
            break
        left = due - simulation.now
        kind = random()
        ahead = left if kind < 0.5 else random() * (min(left, 100.0) if kind < 0.75 else left)
        simulation.advance_to(due if ahead == left else simulation.now + ahead)
        now = counters(simulation.snapshot())
        assert {} == {key: (before[key], now[key]) for key in before if now[key] < before[key]}
        before = now
