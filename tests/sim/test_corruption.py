"""The kinds of silent corruption: how they share the rate, and how they show."""

import math
from typing import Any

import pytest

from goodputd.detectors.gradient import Gradient, GradientSpec, upper_tail
from goodputd.sim.corruption import corruption_kinds, declared_kinds
from goodputd.sim.events import DetectionRaised, TrainingResumed
from goodputd.sim.observation import CorruptState, Observation
from goodputd.sim.specs.corruption import CorruptionSpec
from goodputd.sim.specs.faults import FaultKindSpec
from goodputd.sim.taxonomy import Layer
from tests.world import KINDS, World, strike

NAN = FaultKindSpec(name="nan", component="gpu", symptom="corrupt", per_node_day=0.0, makes_nan=True)
JUMP = FaultKindSpec(name="jump", component="gpu", symptom="corrupt", per_node_day=0.0, loss_jump=0.5)
WORLD: dict[str, Any] = {"faults__kinds": (*KINDS, NAN, JUMP), "checkpoint__keep": 99}
"""Steps of 10 s, a save of 5 s and a check of statistics every tenth."""


# --- kinds


def test_without_a_rate_there_is_no_kind() -> None:
    """Nor any series of one."""
    assert () == declared_kinds(CorruptionSpec(nan_share=0.5))


def test_the_shares_divide_the_rate() -> None:
    """What is left is silent."""
    spec = CorruptionSpec(per_gpu_hour=1e-5, nan_share=0.1, loss_jump_share=0.2, variance_share=0.3)
    shares = {kind.name: kind.per_gpu_hour for kind in declared_kinds(spec)}

    assert {
        "silent_corruption": pytest.approx(4e-6),
        "nan_corruption": pytest.approx(1e-6),
        "loss_corruption": pytest.approx(2e-6),
        "gradient_corruption": pytest.approx(3e-6),
    } == shares


def test_a_share_of_nothing_is_no_kind() -> None:
    """Everything shows as NaN: there is no silent one."""
    assert ["nan_corruption"] == [
        k.name for k in declared_kinds(CorruptionSpec(per_gpu_hour=1.0, nan_share=1.0))
    ]


def test_each_kind_shows_in_its_way() -> None:
    """NaN is an infinite jump of the loss."""
    spec = CorruptionSpec(
        per_gpu_hour=1e-5,
        nan_share=0.1,
        loss_jump_share=0.2,
        variance_share=0.3,
        loss_jump=0.4,
        variance_sigmas=7.0,
    )
    shows = [(kind.loss_jump, kind.gradient_sigmas) for kind in corruption_kinds(spec, gpus_per_node=8)]

    assert [(0.0, 0.0), (math.inf, 0.0), (0.4, 0.0), (0.0, 7.0)] == shows


# --- what the gradient layer sees of it


def shown(loss_shift: float, *, uniform: float = 0.5) -> Observation:
    """Corrupt state at 100 s, steps of 10 s, checks since 0 s."""
    corrupt = CorruptState(None, 0.0, loss_shift, None)
    return Observation(100.0, None, None, 100.0, None, None, 0.0, 10.0, 0.0, 0.0, uniform, corrupt)


@pytest.mark.parametrize(("loss_shift", "claim"), [(math.inf, 200.0), (50.0, 200.0), (0.0, None)])
def test_nan_and_a_large_jump_are_found_at_the_next_check(loss_shift: float, claim: float | None) -> None:
    """Every ten steps; what does not move the loss is not found by it."""
    assert claim == Gradient(GradientSpec(every_steps=10)).claims_at(shown(loss_shift))


def test_a_jump_within_the_noise_is_found_by_chance() -> None:
    """At each check with P(Z > z - shift): the quantile of a geometric number of checks."""
    power = upper_tail(6.0 - 5.0)
    checks = math.ceil(math.log(1.0 - 0.9) / math.log1p(-power))

    assert 100.0 + 100.0 * checks == Gradient(GradientSpec(every_steps=10)).claims_at(shown(5.0, uniform=0.9))


@pytest.mark.parametrize("kind", ["nan", "jump"])
def test_the_loss_names_no_node(kind: str) -> None:
    """It is that of the whole job."""
    world = World(strike(150.0, kind, 5), **WORLD).until(1000.0)
    [raised] = world.of(DetectionRaised)

    assert (Layer.GRADIENT, None) == (raised.layer, raised.node)


# --- the loss curve


def test_the_loss_jumps_with_the_step_that_was_corrupted_and_comes_back() -> None:
    """Half a nat, from step 15 on, until the checkpoint of step 10 is restored."""
    seen = [World(*script, **WORLD, gradient__every_steps=30) for script in ([strike(150.0, "jump", 5)], [])]
    jumps = []
    for at in (149.0, 156.0, 250.0):
        corrupt, clean = (world.until(at).snapshot.loss for world in seen)
        assert corrupt is not None
        assert clean is not None
        jumps.append(corrupt - clean)
    world = seen[0].until(3000.0)

    assert [0.0, 0.5, 0.5] == pytest.approx(jumps)
    assert [10] == [resumed.step for resumed in world.of(TrainingResumed)]
    assert world.snapshot.loss == pytest.approx(3.0, abs=0.6)


def test_a_loss_that_is_nan_is_not_shown() -> None:
    """Nor is the gradient norm; both are back after the restore."""
    world = World(strike(150.0, "nan", 5), **WORLD, gradient__every_steps=30)
    seen = [world.until(at).snapshot for at in (149.0, 156.0, 3000.0)]

    assert [False, True, False] == [snapshot.loss is None for snapshot in seen]
    assert [False, True, False] == [snapshot.gradient_norm is None for snapshot in seen]


def test_corrupt_state_shows_in_the_loss_after_a_restart_as_well() -> None:
    """Baked into step 20, then a crash; the first check after it finds what no check had seen before."""
    world = World(
        strike(150.0, "jump", 5), strike(240.0, "crash", 6, logged=True), **WORLD, gradient__every_steps=30
    ).until(2000.0)
    crash, found = world.of(DetectionRaised)

    assert (Layer.HARDWARE, Layer.GRADIENT, None) == (crash.layer, found.layer, found.node)
    assert [20, 10] == [resumed.step for resumed in world.of(TrainingResumed)]
