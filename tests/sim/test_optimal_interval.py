"""An optimal interval: Daly's, for what is to be believed of the MTBF at every resume."""

from typing import Any

import pytest

from goodputd.sim.daly import daly
from goodputd.sim.events import TrainingResumed
from goodputd.sim.specs.checkpoint import CheckpointSpec
from goodputd.sim.specs.faults import FaultKindSpec
from goodputd.sim.specs.fleet import PoolSpec
from tests.world import DAY, World, strike

OPTIMAL: dict[str, Any] = {"checkpoint__interval_steps": None, "checkpoint__interval": "optimal"}
HOURLY = FaultKindSpec(name="hourly", component="software", scope="job", per_job_day=24.0)


def interval(world: World) -> float:
    """Seconds of training between two saves."""
    return world.snapshot.checkpoint_interval_seconds


def test_the_first_interval_is_that_of_the_configured_rates() -> None:
    """An MTBF of an hour and a save of 5 s: 186.4 s, 19 steps of 10 s."""
    world = World(faults__kinds=(HOURLY,), **OPTIMAL).until(1.0)

    assert interval(world) == 10.0 * round(daly(5.0, 3600.0) / 10.0) == 190.0


def test_the_configured_rates_are_those_of_the_pools_in_the_job() -> None:
    """Sixteen nodes in the job, half of them three times as bad: the rate of 32 ordinary ones."""
    daily = FaultKindSpec(name="daily", component="gpu", per_node_day=1.0)
    pools = (PoolSpec(name="old", nodes=8, fault_multiplier=3.0), PoolSpec(name="new", nodes=10))
    world = World(faults__kinds=(daily,), cluster__pool=pools, **OPTIMAL).until(1.0)

    assert 10.0 * round(daly(5.0, DAY / 32.0) / 10.0) == interval(world)


def test_the_configured_rates_are_those_of_racks_and_ages_too() -> None:
    """Sixteen nodes with a mean life of two days and four racks that fail daily: 12 failures a day."""
    worn = FaultKindSpec(name="worn", component="gpu", per_node_day=0.5, arrival="weibull", shape=2.0)
    power = FaultKindSpec(name="power", component="power", scope="rack", per_domain_day=1.0)
    world = World(faults__kinds=(worn, power), topology__nodes_per_rack=4, **OPTIMAL).until(1.0)

    assert 10.0 * round(daly(5.0, DAY / 12.0) / 10.0) == interval(world)


def test_each_resume_believes_what_was_observed() -> None:
    """The rates count as one interruption after their MTBF; n more in t make (t + MTBF) / (n + 1)."""
    world = World(faults__kinds=(HOURLY,), **OPTIMAL).until(3 * DAY)
    resumed = world.of(TrainingResumed)[-1]
    believed = (resumed.at + 3600.0) / (len(world.of(TrainingResumed)) + 1)

    assert len(world.of(TrainingResumed)) > 40
    assert interval(world) == 10.0 * round(daly(5.0, believed) / 10.0)


def test_an_interval_does_not_change_between_resumes() -> None:
    """Time without failures is news, but the run in flight keeps its rhythm."""
    world = World(faults__kinds=(HOURLY,), **OPTIMAL).until(1.0)
    before, resumes = interval(world), 0
    for at in range(0, 40_000, 500):
        world.until(float(at + 1))
        if len(world.of(TrainingResumed)) == resumes:
            assert before == interval(world)
        before, resumes = interval(world), len(world.of(TrainingResumed))


def test_a_job_that_never_fails_saves_once_a_day() -> None:
    """No formula says when; a day is the limit."""
    assert DAY == interval(World(**OPTIMAL).until(1.0))


def test_without_rates_it_goes_by_what_was_observed_alone() -> None:
    """A crash at 5000 s: an MTBF of 5252 s at the resume."""
    world = World(strike(5000.0, "crash", logged=True), **OPTIMAL).until(6000.0)
    [resumed] = world.of(TrainingResumed)

    assert 10.0 * round(daly(5.0, resumed.at) / 10.0) == interval(world)


def test_every_checkpoint_is_validated_first() -> None:
    """The interval is a multiple of that of validation."""
    world = World(
        faults__kinds=(HOURLY,),
        **OPTIMAL,
        detection__layers=("hardware", "validation"),
        validation__every_steps=7,
    ).until(1.0)

    assert 10.0 * 21 == interval(world)


@pytest.mark.parametrize(
    ("save_seconds", "mtbf_seconds", "steps"), [(0.0, 3600.0, 1), (1e4, 3600.0, 360), (10.0, 1e12, 8640)]
)
def test_the_extremes_are_whole_steps(save_seconds: float, mtbf_seconds: float, steps: int) -> None:
    """A save that costs nothing follows every step; one longer than two MTBF waits for one; a day is all."""
    spec = CheckpointSpec(interval="optimal", save_seconds=save_seconds)

    assert steps == spec.steps(10.0, mtbf_seconds)


def test_the_optimum_is_reported_whatever_the_interval() -> None:
    """Daly's for a save of 5 s and the training time between interruptions, stopped time left out."""
    snapshot = World(faults__kinds=(HOURLY,)).until(3 * DAY).snapshot
    trained = snapshot.now * (snapshot.effective_compute_ratio or 0.0)

    expected = daly(5.0, trained / snapshot.total_interruptions)
    assert pytest.approx(expected, rel=1e-12) == snapshot.tuning.daly_interval_seconds


def test_without_an_interruption_no_optimum_is_reported() -> None:
    """Nothing is known of the time between interruptions then."""
    assert World().until(DAY).snapshot.tuning.daly_interval_seconds is None


def test_saves_that_take_no_time_have_no_optimum() -> None:
    """They would be made after every step."""
    snapshot = World(faults__kinds=(HOURLY,), checkpoint__save_seconds=0.0).until(DAY).snapshot

    assert snapshot.tuning.daly_interval_seconds is None
