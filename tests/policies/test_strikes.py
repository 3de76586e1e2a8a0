"""The policy ``strikes``: first failure restarts, second evicts, and every exception to it."""

import math
from itertools import product
from typing import get_args

import pytest

from goodputd.policies.strikes import NodeComponent, Strikes, StrikesSpec
from goodputd.sim.observation import Detection
from goodputd.sim.protocols import Case, Decision
from goodputd.sim.tally import DECISIONS
from goodputd.sim.taxonomy import Action, Component, Layer, Reason

RESTART, EVICT, TOLERATE = Action.RESTART, Action.EVICT, Action.TOLERATE


def case(
    strikes: int = 1, *, component: Component = Component.GPU, node: int | None = 5, slowdown: float = 0.0
) -> Case:
    """A detection on a node with so many standing strikes."""
    return Case(1000.0, Detection(1000.0, Layer.HARDWARE, node, component, slowdown), strikes)


def decide(spec: StrikesSpec, decided: Case) -> tuple[Action, Reason]:
    """What the policy says."""
    decision = Strikes(spec).decide(decided)
    return decision.action, decision.reason


@pytest.mark.parametrize(
    ("strikes", "expected"),
    [
        (1, (RESTART, Reason.FIRST_STRIKE)),
        (2, (EVICT, Reason.SECOND_STRIKE)),
        (3, (EVICT, Reason.FURTHER_STRIKE)),
        (17, (EVICT, Reason.FURTHER_STRIKE)),
    ],
)
def test_the_second_strike_evicts(strikes: int, expected: tuple[Action, Reason]) -> None:
    """By default; a node that could not be evicted then is evicted at the next."""
    assert expected == decide(StrikesSpec(), case(strikes))


@pytest.mark.parametrize(
    ("limit", "strikes", "expected"),
    [
        (1, 1, (EVICT, Reason.FIRST_STRIKE)),
        (3, 1, (RESTART, Reason.FIRST_STRIKE)),
        (3, 2, (RESTART, Reason.SECOND_STRIKE)),
        (3, 3, (EVICT, Reason.FURTHER_STRIKE)),
        (4, 3, (RESTART, Reason.FURTHER_STRIKE)),
        (0, 1, (RESTART, Reason.FIRST_STRIKE)),
        (0, 2, (RESTART, Reason.SECOND_STRIKE)),
        (0, 100, (RESTART, Reason.FURTHER_STRIKE)),
    ],
)
def test_the_number_of_strikes_is_a_setting(
    limit: int, strikes: int, expected: tuple[Action, Reason]
) -> None:
    """The reason says which strike it was; 0 never evicts."""
    assert expected == decide(StrikesSpec(strikes_to_evict=limit), case(strikes))


def test_a_listed_component_evicts_at_once() -> None:
    """At the first strike, and for that reason at the second too."""
    spec = StrikesSpec(evict_components=("memory", "power"))

    assert [(EVICT, Reason.COMPONENT_RULE)] * 3 == [
        decide(spec, case(1, component=Component.MEMORY)),
        decide(spec, case(2, component=Component.MEMORY)),
        decide(spec, case(1, component=Component.POWER)),
    ]


def test_a_component_that_is_not_listed_has_its_restart() -> None:
    """The rule is for those listed only."""
    spec = StrikesSpec(evict_components=("memory",))

    assert (RESTART, Reason.FIRST_STRIKE) == decide(spec, case(1, component=Component.GPU))


def test_a_component_rule_holds_where_strikes_never_evict() -> None:
    """Zero strikes turns off the counting, not the list."""
    spec = StrikesSpec(strikes_to_evict=0, evict_components=("memory",))

    assert (EVICT, Reason.COMPONENT_RULE) == decide(spec, case(1, component=Component.MEMORY))


def test_a_false_alarm_is_a_strike_like_any_other() -> None:
    """The policy cannot know (rule 5)."""
    alarms = [case(strikes, component=Component.FALSE_ALARM) for strikes in (1, 2)]

    assert [(RESTART, Reason.FIRST_STRIKE), (EVICT, Reason.SECOND_STRIKE)] == [
        decide(StrikesSpec(), alarm) for alarm in alarms
    ]


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_software_faults_always_restart(limit: int) -> None:
    """There is no node to evict (rule 8)."""
    software = case(0, component=Component.SOFTWARE, node=None)

    assert (RESTART, Reason.SOFTWARE) == decide(StrikesSpec(strikes_to_evict=limit), software)


@pytest.mark.parametrize(
    "component", [Component.SWITCH, Component.OPERATOR, Component.STORAGE, Component.UNKNOWN]
)
def test_a_fault_of_the_whole_job_restarts_for_want_of_a_node(component: Component) -> None:
    """Even of a component that evicts at once."""
    spec = StrikesSpec(evict_components=("switch", "operator", "storage", "unknown"))

    assert (RESTART, Reason.NO_NODE) == decide(spec, case(0, component=component, node=None))


@pytest.mark.parametrize("strikes", [1, 2, 9])
def test_a_slow_rank_can_be_tolerated(strikes: int) -> None:
    """However often, and whatever its component; the job goes on at its pace."""
    spec = StrikesSpec(on_slow="tolerate", evict_components=("gpu",))

    assert (TOLERATE, Reason.SLOW_TOLERATED) == decide(spec, case(strikes, slowdown=0.5))


@pytest.mark.parametrize(
    ("slowdown", "expected"),
    [
        (0.05, (TOLERATE, Reason.SLOW_TOLERATED)),
        (0.25, (EVICT, Reason.SLOW_RANK)),
        (0.5, (EVICT, Reason.SLOW_RANK)),
    ],
)
def test_a_slow_rank_can_be_evicted_above_a_threshold(
    slowdown: float, expected: tuple[Action, Reason]
) -> None:
    """At its first strike; one that costs less than it takes to replace it is tolerated."""
    spec = StrikesSpec(on_slow="evict", tolerate_below=1.25)

    assert expected == decide(spec, case(1, slowdown=slowdown))


def test_a_slow_job_has_nobody_to_evict() -> None:
    """What blames no node restarts."""
    assert (RESTART, Reason.NO_NODE) == decide(StrikesSpec(on_slow="evict"), case(0, node=None, slowdown=0.5))


def test_a_rank_that_stands_still_is_not_evicted_for_being_slow() -> None:
    """It has its strikes."""
    assert (RESTART, Reason.FIRST_STRIKE) == decide(StrikesSpec(on_slow="evict"), case(1))


def test_a_stopped_rank_is_not_tolerated() -> None:
    """The setting is about slow ranks only."""
    assert (EVICT, Reason.SECOND_STRIKE) == decide(StrikesSpec(on_slow="tolerate"), case(2))


@pytest.mark.parametrize(
    ("strikes", "expected"), [(1, (RESTART, Reason.FIRST_STRIKE)), (2, (EVICT, Reason.SECOND_STRIKE))]
)
def test_a_slow_rank_is_a_failure_by_default(strikes: int, expected: tuple[Action, Reason]) -> None:
    """It strikes like a crash."""
    assert expected == decide(StrikesSpec(), case(strikes, slowdown=0.5))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (StrikesSpec(), 30 * 86400.0),
        (StrikesSpec(window_days=0.5), 43200.0),
        (StrikesSpec(lifetime=True), math.inf),
        (StrikesSpec(lifetime=True, window_days=1.0), math.inf),
    ],
)
def test_a_strike_stands_for_the_window(spec: StrikesSpec, expected: float) -> None:
    """In seconds; for ever with lifetime counting."""
    assert expected == Strikes(spec).window_seconds


def test_every_component_of_a_node_can_be_listed() -> None:
    """All that can break on a node: not software, and not what nothing broke for."""
    never = {Component.SOFTWARE, Component.FALSE_ALARM, Component.PLANNED}

    assert {component.value for component in set(Component) - never} == set(get_args(NodeComponent))


def test_every_decision_is_counted_from_the_start() -> None:
    """Whatever the settings and the case, the pair of action and reason has its counter; and each can occur.

    Other policies have reasons of their own, and so has the job with too few nodes.
    """
    specs = [
        StrikesSpec(strikes_to_evict=limit, on_slow=on_slow, evict_components=listed)  # type: ignore[arg-type]
        for limit, on_slow, listed in product(range(5), ("restart", "tolerate", "evict"), ((), ("gpu",)))
    ]
    cases = [
        case(strikes, component=component, slowdown=slowdown)
        for strikes, component, slowdown in product(range(1, 6), Component, (0.0, 0.5))
    ] + [case(0, component=component, node=None) for component in Component]
    possible = {decide(spec, decided) for spec in specs for decided in cases}

    of_others = {
        Reason.ALWAYS,
        Reason.WITHIN_LIMIT,
        Reason.LIMIT_REACHED,
        Reason.LOW_SCORE,
        Reason.DEPLETION_GUARD,
        Reason.NO_CAPACITY,
    }

    assert {pair for pair in DECISIONS if pair[1] not in of_others} == possible


def test_deciding_remembers_nothing() -> None:
    """The node's history comes with each case: the same case has the same decision, in any order."""
    policy = Strikes(StrikesSpec())
    cases = [case(1), case(2), case(0, component=Component.SOFTWARE, node=None), case(3)]
    forward = [policy.decide(decided) for decided in cases]

    assert forward == [policy.decide(decided) for decided in reversed(cases)][::-1]
    assert Decision(RESTART, Reason.FIRST_STRIKE) == forward[0]
