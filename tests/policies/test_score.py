"""The policy ``score``: points lost by failures, earned back by uptime, and what a low score leads to."""

import pytest

from goodputd.policies.score import Score, ScoreSpec
from goodputd.sim.events import DecisionMade, NodeRetired, NodeReturned
from goodputd.sim.observation import Detection
from goodputd.sim.protocols import Case, ScoringPolicy
from goodputd.sim.taxonomy import Action, Component, Layer, NodeState, Reason
from tests.world import DAY, World, strike

RESTART, EVICT, RETIRE = Action.RESTART, Action.EVICT, Action.RETIRE
GPU = Detection(0.0, Layer.HARDWARE, 5, Component.GPU, slowdown=0.0)
SPEC = ScoreSpec(initial=100.0, penalty=30.0, credit_per_day=4.0, evict_at=40.0, retire_at=10.0)


def test_the_first_failure_costs_the_penalty() -> None:
    """However long the node was up before: a new node has all its points."""
    assert [70.0, 70.0] == [Score(SPEC).rescore(None, up) for up in (0.0, 1000 * DAY)]


def test_a_day_of_uptime_earns_the_credit() -> None:
    """70 points and five days of four are 90, less the penalty."""
    assert pytest.approx(60.0) == Score(SPEC).rescore(70.0, 5 * DAY)


def test_uptime_never_earns_more_than_the_initial_score() -> None:
    """Good years do not buy later failures."""
    assert 70.0 == Score(SPEC).rescore(70.0, 1000 * DAY)


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (70.0, (RESTART, Reason.WITHIN_LIMIT)),
        (40.5, (RESTART, Reason.WITHIN_LIMIT)),
        (40.0, (EVICT, Reason.LOW_SCORE)),
        (10.5, (EVICT, Reason.LOW_SCORE)),
        (10.0, (RETIRE, Reason.LOW_SCORE)),
        (-90.0, (RETIRE, Reason.LOW_SCORE)),
    ],
)
def test_a_low_score_evicts_and_a_lower_one_retires(score: float, expected: tuple[Action, Reason]) -> None:
    """At the threshold, too."""
    decision = Score(SPEC).decide(Case(0.0, GPU, 1, score))

    assert expected == (decision.action, decision.reason)


def test_without_a_threshold_no_node_is_retired() -> None:
    """However low."""
    assert Score(ScoreSpec()).decide(Case(0.0, GPU, 1, -1e9)).action is EVICT


def test_a_fault_without_a_node_restarts() -> None:
    """It has no score."""
    software = Detection(0.0, Layer.HEARTBEAT, None, Component.SOFTWARE, slowdown=0.0)

    assert Score(SPEC).decide(Case(0.0, software, 0, 0.0)).reason is Reason.SOFTWARE


def test_the_core_finds_out_that_it_keeps_scores() -> None:
    """By its methods: no list of names has to know."""
    assert isinstance(Score(SPEC), ScoringPolicy)


def test_days_in_repair_earn_nothing() -> None:
    """100 - 60 evicts; ten days in repair and one day up later the score is 40 + 10 - 60, not 80."""
    world = World(
        strike(3600.0, "crash", 3),
        strike(3600.0 + 11.1 * DAY, "crash", 3),
        policy__name="score",
        score__penalty=60.0,
        score__credit_per_day=10.0,
        score__evict_at=50.0,
        score__retire_at=0.0,
        cluster__spares=0,
        cluster__repair_hours=240.0,
        job__rejoin="checkpoint",
    ).until(13 * DAY)

    assert [EVICT, RETIRE] == [fact.action for fact in world.of(DecisionMade)]


def test_a_retired_node_never_comes_back() -> None:
    """It leaves the fleet when its repair is over, and is counted for good."""
    world = World(
        strike(3600.0, "crash", 3), policy__name="score", score__penalty=200.0, score__retire_at=0.0
    ).until(30 * DAY)

    assert ([3], []) == ([fact.node for fact in world.of(NodeRetired)], world.of(NodeReturned))
    assert (1, 1) == (world.snapshot.nodes[NodeState.RETIRED], world.snapshot.nodes[NodeState.SPARE])
