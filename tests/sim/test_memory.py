"""What the core leaves behind: nothing."""

import gc

from tests.sim.test_history import busy
from tests.world import DAY


def test_the_core_makes_no_reference_cycles() -> None:
    """What is done with is freed at once, so the garbage collector has nothing to find."""
    simulation = busy()
    gc.collect()
    gc.disable()
    try:
        facts = len(simulation.advance_to(60 * DAY))
        simulation.snapshot()
        found = gc.collect()
    finally:
        gc.enable()

    assert facts > 1000
    assert found == 0
