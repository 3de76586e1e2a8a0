"""Arrivals: Poisson in time, uniform over nodes, and the same for whoever asks.

Statistical tests have fixed seeds and state the probability alpha with which a right program would
fail them for a seed drawn at random.
"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, pearsonr, poisson

from goodputd.sim.arrivals import FaultSource, recurrence
from goodputd.sim.blocks import blocks
from goodputd.sim.faults import JOB_WIDE, Fault, FaultKind, resolve_kinds
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.taxonomy import Origin

NODE = FaultKindSpec(
    name="gpu",
    component="gpu",
    per_node_day=0.01,
    transient_probability=0.7,
    event="XID 79",
    logged_probability=0.4,
)
SILENT = FaultKindSpec(name="host", component="host", per_node_day=0.03)
JOB = FaultKindSpec(name="bug", component="software", scope="job", per_job_day=5.0)


def kinds(*specs: FaultKindSpec) -> tuple[FaultKind, ...]:
    """With their rates worked out."""
    return resolve_kinds(FaultsSpec(kinds=specs), None, nodes=1, gpus_per_node=8)


def until(source: FaultSource, at: float) -> list[Fault]:
    """Every fault up to ``at``."""
    found = []
    while source.next_at is not None and source.next_at <= at:
        found.append(source.take())
    return found


def faults(*specs: FaultKindSpec, nodes: int, days: float, seed: int = 1) -> list[Fault]:
    """Every fault of so many days."""
    return until(FaultSource(seed, kinds(*specs), nodes), days * SECONDS_PER_DAY)


# --- blocks


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        (1, [(0, 1024)]),
        (1024, [(0, 1024)]),
        (1025, [(0, 1024), (1024, 1024)]),
        (2048, [(0, 1024), (1024, 1024)]),
        (2049, [(0, 1024), (1024, 1024), (2048, 2048)]),
        (16384, [(0, 1024), (1024, 1024), (2048, 2048), (4096, 4096), (8192, 8192)]),
    ],
)
def test_blocks_double(nodes: int, expected: list[tuple[int, int]]) -> None:
    """[0, 1024), [1024, 2048), [2048, 4096) and so on, until the last node is in one."""
    assert expected == blocks(nodes)


@pytest.mark.parametrize("nodes", [1, 1023, 1024, 1025, 5000, 131_072, 1_000_000])
def test_blocks_cover_the_fleet_without_gap_or_overlap(nodes: int) -> None:
    """Each block begins where the one before ends; the last one is needed."""
    found = blocks(nodes)

    assert 0 == found[0][0]
    assert all(first + size == following for (first, size), (following, _) in pairwise(found))
    assert found[-1][0] < nodes <= sum(found[-1]) or nodes <= 1024


@pytest.mark.parametrize("nodes", [1, 1024, 1500, 4096, 100_000])
def test_a_larger_fleet_only_adds_blocks(nodes: int) -> None:
    """The blocks of a fleet are the first blocks of every larger one."""
    assert blocks(nodes) == blocks(3 * nodes)[: len(blocks(nodes))]


# --- the law


@pytest.mark.parametrize("nodes", [40, 1024, 1500])
def test_counts_per_window_are_poisson(nodes: int) -> None:
    """Chi-square of the faults per window of mean 4 against the Poisson law; alpha = 0.001.

    Forty nodes are thinned from a block of 1,024; 1,500 are two blocks, one of them cut.
    """
    windows, mean = 2000, 4.0
    days = mean / (nodes * 0.01)
    at = [fault.at for fault in faults(NODE, nodes=nodes, days=days * windows)]
    counts = np.bincount(np.int64(np.array(at) / (days * SECONDS_PER_DAY)), minlength=windows)
    observed = [int((counts == n).sum()) for n in range(11)] + [int((counts > 10).sum())]
    expected = [poisson.pmf(n, mean) * windows for n in range(11)] + [poisson.sf(10, mean) * windows]

    assert chisquare(observed, expected).pvalue > 0.001


@pytest.mark.parametrize("nodes", [40, 1500])
def test_gaps_are_exponential(nodes: int) -> None:
    """KS test of the gaps between faults against the rate of the fleet; alpha = 0.001."""
    mean_seconds = SECONDS_PER_DAY / (nodes * 0.01)
    at = [0.0, *(fault.at for fault in faults(NODE, nodes=nodes, days=8000 / (nodes * 0.01)))]
    gaps = np.diff(at)

    assert len(gaps) > 7000
    assert kstest(gaps, "expon", args=(0, mean_seconds)).pvalue > 0.001


def test_kinds_strike_in_proportion_to_their_rates() -> None:
    """1 : 3 : 5 / 4 for a fleet of 400 nodes; chi-square, alpha = 0.001."""
    found = Counter(fault.kind.name for fault in faults(NODE, SILENT, JOB, nodes=400, days=500))
    expected = {"gpu": 2000.0, "host": 6000.0, "bug": 2500.0}
    total = sum(found.values())

    assert total == pytest.approx(10_500, abs=3.3 * 10_500**0.5)  # alpha = 0.001
    assert (
        chisquare([found[k] for k in expected], [n * total / 10_500 for n in expected.values()]).pvalue
        > 0.001
    )


@pytest.mark.parametrize("nodes", [50, 1024, 1600])
def test_every_node_is_struck_equally_often(nodes: int) -> None:
    """Chi-square over 50 equal groups of node numbers; alpha = 0.001."""
    found = [fault.node for fault in faults(NODE, nodes=nodes, days=10_000 / (nodes * 0.01))]
    groups = np.bincount(np.int64(np.array(found) * 50 // nodes), minlength=50)

    assert 50 == len(groups)
    assert chisquare(groups).pvalue > 0.001


def test_a_fleet_is_struck_on_its_own_nodes_only() -> None:
    """Thinning: candidates beyond the fleet are dropped, and both ends are reached."""
    found = {fault.node for fault in faults(NODE, nodes=37, days=3000)}

    assert set(range(37)) == found


def test_faults_of_the_job_blame_no_node_and_do_not_grow_with_the_fleet() -> None:
    """The same faults strike a job of 10 nodes and of 10,000."""
    small = faults(JOB, nodes=10, days=100)

    assert {JOB_WIDE} == {fault.node for fault in small}
    assert small == faults(JOB, nodes=10_000, days=100)


def test_faults_come_in_order_of_time() -> None:
    """Whatever their kind and block."""
    at = [fault.at for fault in faults(NODE, SILENT, JOB, nodes=3000, days=30)]

    assert len(at) > 3000
    assert sorted(at) == at


def test_a_kind_without_a_rate_never_strikes() -> None:
    """With no other kind there is no next fault."""
    source = FaultSource(1, kinds(replace(NODE, per_node_day=0.0), replace(JOB, per_job_day=0.0)), 100)

    assert source.next_at is None


# --- marks


def test_marks_are_uniform_and_independent() -> None:
    """KS of each of the six marks, and the correlation of each with the next mark and the next fault.

    Alpha = 0.001 each; 18 tests on one seed, so 1.8 % together.
    """
    marks = np.array([fault.marks for fault in faults(SILENT, nodes=1000, days=300)])

    assert len(marks) > 8000
    for column in range(6):
        assert kstest(marks[:, column], "uniform").pvalue > 0.001
        assert pearsonr(marks[:, column], marks[:, (column + 1) % 6]).pvalue > 0.001
        assert pearsonr(marks[:-1, column], marks[1:, column]).pvalue > 0.001


def test_transient_and_logged_have_their_probabilities() -> None:
    """70 % and 40 %, independent of each other; chi-square of the four cases, alpha = 0.001."""
    found = Counter((fault.transient, fault.logged) for fault in faults(NODE, nodes=1000, days=1000))
    total = sum(found.values())
    expected = {(True, True): 0.28, (True, False): 0.42, (False, True): 0.12, (False, False): 0.18}

    assert (
        chisquare([found[k] for k in expected], [share * total for share in expected.values()]).pvalue > 0.001
    )


def test_a_kind_without_an_event_logs_nothing() -> None:
    """Though its chance of logging is 1 by default."""
    assert not any(fault.logged for fault in faults(SILENT, nodes=100, days=100))


# --- the same for everybody


@pytest.mark.parametrize("nodes", [1024, 1025, 5000])
def test_a_larger_fleet_meets_the_same_faults_on_the_same_nodes(nodes: int) -> None:
    """Identity, instant, node and every mark are equal; the larger fleet adds faults on its other nodes."""
    small = faults(NODE, SILENT, JOB, nodes=100, days=60)
    large = faults(NODE, SILENT, JOB, nodes=nodes, days=60)

    assert len(small) > 400
    assert small == [fault for fault in large if fault.node < 100]
    assert len(large) > 2 * len(small)


def test_another_kind_moves_no_fault() -> None:
    """A kind can be added without moving another's faults."""
    alone = faults(NODE, nodes=500, days=60)
    together = faults(SILENT, NODE, JOB, nodes=500, days=60)

    assert alone == [fault for fault in together if fault.kind.name == "gpu"]


def test_identities_are_unique() -> None:
    """Kind, block and ordinal name one fault."""
    found = faults(NODE, SILENT, JOB, nodes=3000, days=30)

    assert len(found) == len({fault.identity for fault in found})


def test_another_seed_gives_other_faults() -> None:
    """No instant of one seed occurs in another."""
    one, other = (faults(NODE, nodes=500, days=60, seed=seed) for seed in (1, 2))

    assert set() == {fault.at for fault in one} & {fault.at for fault in other}


def test_drawn_faults_are_primary_and_have_not_come_back_yet() -> None:
    """Recurrences and injections come from elsewhere."""
    assert {(Origin.PRIMARY, 0)} == {
        (fault.origin, fault.recurrences) for fault in faults(NODE, nodes=50, days=60)
    }


# --- recurrence


STRUCK = faults(NODE, nodes=1024, days=1)[0]


def permanent(identity: str, recurrences: int = 0) -> Fault:
    """A fault that comes back."""
    return replace(STRUCK, identity=identity, recurrences=recurrences)


def test_the_wait_for_the_next_strike_is_a_unit_exponential() -> None:
    """KS over 5,000 faults, and no correlation from one strike to the next; alpha = 0.001 each."""
    first = [recurrence(1, permanent(f"gpu/0/{n}"))[0] for n in range(5000)]
    second = [recurrence(1, permanent(f"gpu/0/{n}", 1))[0] for n in range(5000)]

    assert kstest(first, "expon").pvalue > 0.001
    assert pearsonr(first, second).pvalue > 0.001


def test_a_recurrence_is_a_function_of_seed_fault_and_count() -> None:
    """So it is the same in every scenario in which the fault comes back."""
    expected = recurrence(1, permanent("gpu/0/7", 1))

    assert expected == recurrence(1, permanent("gpu/0/7", 1))
    others = [
        recurrence(2, permanent("gpu/0/7", 1)),
        recurrence(1, permanent("gpu/0/7", 2)),
        recurrence(1, permanent("gpu/0/8", 1)),
    ]
    assert expected not in others
