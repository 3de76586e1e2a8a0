"""Failure domains: what hangs on one rack or switch goes down together."""

from collections import Counter
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import pytest
from scipy.stats import chisquare, poisson

from goodputd.sim.domains import DomainSource
from goodputd.sim.events import DecisionMade, FaultOccurred, NodeEvicted, NodeReturned
from goodputd.sim.faults import Fault, resolve_kinds
from goodputd.sim.fleet import Domains
from goodputd.sim.specs.faults import CatalogSpec, FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fleet import TopologySpec
from goodputd.sim.taxonomy import Action, NodeState, Origin
from tests.world import DAY, World, strike

HOUR = 3600.0
POWER = FaultKindSpec(
    name="power", component="power", scope="rack", per_domain_day=0.1, event="PDU", transient_probability=1.0
)
LEAF = replace(POWER, name="leaf", component="switch", scope="switch", symptom="hang")
RACKS: dict[str, Any] = {"topology__nodes_per_rack": 4, "topology__racks_per_switch": 2}
"""Sixteen nodes in four racks behind two switches; the spares 16 and 17 have a fifth rack."""


def scripted(kind: FaultKindSpec, node: int, *, transient: bool = True, **overrides: Any) -> World:  # noqa: ANN401 - see World
    """One fault of a domain after an hour."""
    quiet = replace(kind, per_domain_day=0.0)
    settings = {**RACKS, "faults__kinds": (quiet,), "detection__layers": ("hardware",), **overrides}
    return World(strike(HOUR, kind.name, node, transient=transient, logged=True), **settings)


def candidates(kind: FaultKindSpec, nodes: int, days: float) -> list[Fault]:
    """All candidates of so many days."""
    kinds = resolve_kinds(
        FaultsSpec(kinds=(kind,)), None, nodes=nodes, gpus_per_node=8, topology=TopologySpec(nodes_per_rack=4)
    )
    source = DomainSource(1, kinds, nodes)
    found = []
    while (at := source.next_at) is not None and at < days * DAY:
        found.append(source.take())
    return found


def test_every_rack_fails_at_the_rate_of_its_kind() -> None:
    """Poisson in all, and the same for each of 100 racks; p > 0.001 each."""
    found = [fault for fault in candidates(POWER, 400, 500.0) if fault.node < 400]
    counted = Counter(fault.node for fault in found)

    assert 0.0005 < poisson.cdf(len(found), 100 * 500 * 0.1) < 0.9995
    assert set(range(0, 400, 4)) == set(counted)
    assert chisquare(list(counted.values())).pvalue > 0.001


def test_a_larger_fleet_meets_the_faults_of_a_smaller_one() -> None:
    """Plus those of its own domains."""
    small, large = (
        {(fault.at, fault.node) for fault in candidates(POWER, nodes, 20.0) if fault.node < 4096}
        for nodes in (4096, 9000)
    )

    assert len(small) > 1000
    assert small == large


def test_all_nodes_of_the_rack_go_down() -> None:
    """Four nodes fail, and a restart brings them back."""
    world = scripted(POWER, 5).until(HOUR)

    assert (4, 12) == (world.snapshot.nodes[NodeState.FAILED], world.snapshot.nodes[NodeState.ACTIVE])
    world.until(2 * HOUR)
    assert (0, 16) == (world.snapshot.nodes[NodeState.FAILED], world.snapshot.nodes[NodeState.ACTIVE])


def test_a_switch_takes_all_its_racks_with_it() -> None:
    """Eight nodes."""
    assert 8 == scripted(LEAF, 9).until(HOUR).snapshot.nodes[NodeState.FAILED]


def test_it_is_one_fault_and_one_interruption() -> None:
    """However many nodes it hits."""
    world = scripted(POWER, 5).until(2 * HOUR)

    assert (1, 1, 1) == (
        len(world.of(FaultOccurred)),
        world.snapshot.total_interruptions,
        len(world.of(DecisionMade)),
    )


def test_each_of_its_nodes_has_a_strike() -> None:
    """So that the next failure of any of them is its second."""
    world = scripted(POWER, 5).until(2 * HOUR)
    cluster = world.simulation._state.cluster  # noqa: SLF001 - one strike is shown nowhere

    assert [4, 5, 6, 7] == [node for node, _ in sorted(cluster.standing_strikes(2 * HOUR, DAY, least=1))]


def test_a_rack_that_nobody_names_has_no_strikes() -> None:
    """Corrupt state that a validation finds is blamed on none of the nodes that caused it."""
    corrupt = replace(POWER, symptom="corrupt", event=None)
    layers: dict[str, Any] = {"detection__layers": ("validation",), "validation__coverage": 1.0}
    world = scripted(corrupt, 5, **layers).until(2 * HOUR)
    cluster = world.simulation._state.cluster  # noqa: SLF001 - one strike is shown nowhere

    assert 1 == world.snapshot.total_interruptions
    assert [] == list(cluster.standing_strikes(2 * HOUR, DAY, least=1))


def test_an_eviction_takes_all_of_them() -> None:
    """The rack goes to repair as a whole, and comes back as a whole."""
    world = scripted(POWER, 5, policy__name="always_evict").until(3 * DAY)

    assert [4, 5, 6, 7] == sorted(fact.node for fact in world.of(NodeEvicted))
    assert [(4, False), (5, False), (6, False), (7, False)] == sorted(
        (fact.node, fact.no_fault_found) for fact in world.of(NodeReturned)
    )
    assert [Action.EVICT] == [fact.action for fact in world.of(DecisionMade)]


def test_a_permanent_fault_takes_the_rack_down_again() -> None:
    """All nodes that are left of it, until they are evicted with the second strike."""
    world = scripted(POWER, 5, transient=False).until(3 * DAY)
    origins = [fact.origin for fact in world.of(FaultOccurred)]

    assert [Origin.INJECTED, Origin.RECURRENCE] == origins
    assert [4, 5, 6, 7] == sorted(fact.node for fact in world.of(NodeEvicted))


def test_a_rack_of_spares_stops_nobody() -> None:
    """No node of it is in the job."""
    world = scripted(POWER, 16).until(2 * HOUR)

    assert [] == world.of(FaultOccurred)


def test_nobody_is_misdiagnosed_when_a_rack_is_down() -> None:
    """It is seen by all."""
    world = scripted(POWER, 5, diagnosis__found_probability=0.0).until(2 * HOUR)

    assert 0 == sum(world.snapshot.fleet.misdiagnoses.values())


def test_a_count_of_a_catalog_is_spread_over_domains() -> None:
    """54 faults in 54 days of 128 nodes are one a day; a fleet half as large has half of them."""
    kind = FaultKindSpec(name="leaf", component="switch", scope="rack", count=54.0)
    catalog = CatalogSpec(name="c", title="", source="", reference_gpus=1024, kinds=(kind,))
    [resolved] = resolve_kinds(
        FaultsSpec(), catalog, nodes=64, gpus_per_node=8, topology=TopologySpec(nodes_per_rack=4)
    )

    assert pytest.approx(0.5 / DAY) == resolved.rate_per_second * resolved.struck_by(64)


def test_active_domains_are_counted_as_nodes_come_and_go() -> None:
    """A domain counts while it has a node in the job."""
    domains = Domains(4, 10)
    seen = [domains.active]
    for node, change in ((8, -1), (9, -1), (16, 1), (17, 1), (16, -1), (17, -1)):
        domains.moved(node, change)
        seen.append(domains.active)

    assert [3, 3, 2, 3, 3, 3, 2] == seen


def test_expected_interruptions_count_domains() -> None:
    """Observed minus expected over 100 seeds is 0 within 3.3 standard errors, 0.1 % of tries."""
    scores = []
    for seed in range(100):
        world = World(
            seed=seed,
            faults__kinds=(POWER, LEAF),
            faults__during_recovery=False,
            detection__layers=("hardware",),
            policy__name="window",
            window__failures=2,
            cluster__spares=10,
            **RACKS,
        ).until(60 * DAY)
        scores.append(world.surprise)

    assert abs(fmean(scores)) < 3.3 * stdev(scores) / 100**0.5
