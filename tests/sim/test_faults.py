"""Rates and hazards: what the settings say is what the simulation draws with."""

import math
from dataclasses import asdict
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodputd.sim.faults import FaultKind, cluster_rate_per_second, resolve_kinds, step_hazard
from goodputd.sim.specs.faults import CatalogSpec, FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fields import SECONDS_PER_DAY
from goodputd.sim.taxonomy import Component, Symptom

FLEETS = (1, 8, 1000, 16384, 131072)


def kind(name: str = "k", component: str = "gpu", **rest: Any) -> FaultKindSpec:  # noqa: ANN401 - any field
    """A kind of the tests."""
    return FaultKindSpec(name=name, component=component, **rest)  # type: ignore[arg-type]


def resolve(
    *kinds: FaultKindSpec,
    catalog: CatalogSpec | None = None,
    nodes: int = 100,
    **spec: Any,  # noqa: ANN401 - any field
) -> tuple[FaultKind, ...]:
    """The kinds of a fleet of ``nodes`` of 8 GPUs."""
    return resolve_kinds(FaultsSpec(kinds=kinds, **spec), catalog, nodes=nodes, gpus_per_node=8)


# --- the hazard of a step


@pytest.mark.parametrize("gpus", FLEETS)
@pytest.mark.parametrize("p", [1e-30, 1e-20, 1e-12, 3e-9, 1e-6, 1e-3, 0.1, 0.5, 0.999999])
def test_the_hazard_of_a_step_is_one_minus_all_survive(p: float, gpus: int) -> None:
    """1 - (1 - p)^N agrees with 200-digit arithmetic to 14 digits, also for p far below 2^-53."""
    with localcontext() as context:
        context.prec = 200
        exact = 1 - (1 - Decimal(p)) ** gpus

    assert float(exact) == pytest.approx(step_hazard(p, gpus), rel=1e-14, abs=0.0)


@pytest.mark.parametrize("gpus", [1, 2, 8, 1000])
@pytest.mark.parametrize("power", [1, 2, 10, 30, 60])
def test_the_hazard_of_a_step_is_exact_for_fractions(power: int, gpus: int) -> None:
    """The same against exact rational arithmetic, for p = 2^-k."""
    exact = 1 - (1 - Fraction(1, 2**power)) ** gpus

    assert float(exact) == pytest.approx(step_hazard(2.0**-power, gpus), rel=1e-14, abs=0.0)


@given(st.floats(0, 1), st.integers(1, 10**5), st.integers(1, 10**5))
def test_two_halves_of_a_job_survive_independently(p: float, one: int, other: int) -> None:
    """Survival of N + M GPUs is survival of N times survival of M."""
    together = 1.0 - step_hazard(p, one + other)

    assert together == pytest.approx((1.0 - step_hazard(p, one)) * (1.0 - step_hazard(p, other)), abs=1e-12)


@pytest.mark.parametrize(
    ("p", "gpus", "expected"),
    [(0.0, 16384, 0.0), (1.0, 16384, 1.0), (1.0, 1, 1.0), (1.0, 0, 0.0), (0.5, 0, 0.0)],
)
def test_the_hazard_has_its_limits(p: float, gpus: int, expected: float) -> None:
    """Nothing fails at p = 0 or without GPUs, everything at p = 1."""
    assert expected == step_hazard(p, gpus)


@pytest.mark.parametrize("gpus", FLEETS)
@pytest.mark.parametrize("p", [1e-20, 1e-12, 1e-6, 1e-4])
@pytest.mark.parametrize("step_seconds", [0.5, 5.9, 60.0])
def test_the_rate_is_the_exact_continuous_equivalent(p: float, gpus: int, step_seconds: float) -> None:
    """A Poisson process of that rate has, within one step, at least one fault with the hazard of the step."""
    rate = cluster_rate_per_second(p, gpus, step_seconds)

    assert step_hazard(p, gpus) == pytest.approx(-math.expm1(-rate * step_seconds), rel=1e-13, abs=0.0)


@given(st.floats(1e-9, 1e-4), st.integers(1, 20000), st.integers(1, 50))
def test_the_rate_is_exact_at_every_step_boundary(p: float, gpus: int, steps: int) -> None:
    """After any number of steps, survival is (1 - p)^(N x steps): the two clocks never drift apart."""
    survival = math.exp(-cluster_rate_per_second(p, gpus, 5.9) * 5.9 * steps)

    assert (1.0 - step_hazard(p, gpus)) ** steps == pytest.approx(survival, rel=1e-9)


@pytest.mark.parametrize(("p", "gpus", "expected"), [(0.0, 100, 0.0), (1.0, 100, math.inf), (1.0, 0, 0.0)])
def test_the_rate_has_the_limits_of_the_hazard(p: float, gpus: int, expected: float) -> None:
    """Certain failure is an infinite rate, since 1 - exp(-inf) = 1."""
    assert expected == cluster_rate_per_second(p, gpus, 5.9)


# --- rates

CATALOG = CatalogSpec(
    name="test",
    title="test",
    source="test",
    reference_gpus=1600,
    reference_days=10.0,
    kinds=(kind("node_count", count=20.0), kind("job_count", component="software", count=5.0)),
)


@pytest.mark.parametrize(
    ("spec", "job_wide", "per_day"),
    [
        (kind(per_gpu_hour=1e-4), False, 24 * 8 * 1e-4),
        (kind(per_node_day=0.25), False, 0.25),
        (kind(scope="job", per_job_day=3.0), True, 3.0),
        (kind(component="software", per_job_day=3.0), True, 3.0),
        (kind(count=20.0), False, 20.0 / 10.0 / 200),
        (kind(component="software", count=5.0), True, 0.5),
        (kind(per_node_day=0.0), False, 0.0),
    ],
)
def test_a_rate_is_per_node_or_per_job_and_second(
    spec: FaultKindSpec, job_wide: bool, per_day: float
) -> None:
    """Each way to give a rate comes to the same unit; software strikes the job whatever its scope says."""
    [resolved] = resolve(spec, catalog=CATALOG)[2:]

    assert (job_wide, per_day) == (
        resolved.job_wide,
        pytest.approx(resolved.rate_per_second * SECONDS_PER_DAY, rel=1e-12),
    )


def test_a_catalog_gives_its_counts_on_its_reference_fleet() -> None:
    """On 200 nodes of 8 GPUs for 10 days the expected faults are the published counts."""
    expected = {
        k.name: k.rate_per_second * (1 if k.job_wide else 200) * 10 * SECONDS_PER_DAY
        for k in resolve(catalog=CATALOG)
    }

    assert {"node_count": pytest.approx(20.0), "job_count": pytest.approx(5.0)} == expected


def test_the_kinds_of_the_catalog_come_first() -> None:
    """Catalog, then own kinds, each in the order written."""
    kinds = resolve(kind("b", per_node_day=1.0), kind("a", per_node_day=1.0), catalog=CATALOG)

    assert ["node_count", "job_count", "b", "a"] == [k.name for k in kinds]


def test_scale_multiplies_every_rate() -> None:
    """Stopping or not, of a node or of the job."""
    specs = (
        kind("a", per_node_day=1.0),
        kind("b", per_node_day=2.0, symptom="slow"),
        kind("c", "software", per_job_day=4.0),
    )

    assert [3.0, 6.0, 12.0] == pytest.approx(
        [k.rate_per_second * SECONDS_PER_DAY for k in resolve(*specs, scale=3.0)]
    )


@given(st.floats(0.1, 1e4), st.integers(1, 5000), st.floats(0.5, 400), st.floats(0, 10))
def test_total_interruptions_is_what_the_fleet_expects(
    total: float, nodes: int, days: float, scale: float
) -> None:
    """The stopping faults of this fleet in ``period_days`` add up to the total, whatever ``scale`` says."""
    kinds = resolve(
        kind("crash", per_node_day=0.3),
        kind("hang", symptom="hang", per_gpu_hour=1e-3),
        kind("slow", symptom="slow", per_node_day=0.5),
        kind("bug", "software", per_job_day=0.7),
        nodes=nodes,
        scale=scale,
        total_interruptions=total,
        period_days=days,
    )
    stopping = sum(k.rate_per_second * (1 if k.job_wide else nodes) for k in kinds if k.stops)

    assert total == pytest.approx(stopping * days * SECONDS_PER_DAY, rel=1e-12)


def test_total_interruptions_keeps_the_proportions_of_all_kinds() -> None:
    """Slow faults stop nothing, so they do not count to the total, but they are rescaled with the rest."""
    specs = (kind("crash", per_node_day=0.3), kind("slow", symptom="slow", per_node_day=0.6))
    crash, slow = resolve(*specs, total_interruptions=419.0)

    assert 2.0 == pytest.approx(slow.rate_per_second / crash.rate_per_second)


def test_total_interruptions_without_a_stopping_kind_leaves_the_scale() -> None:
    """There is nothing to rescale to, so the rates are the catalog's times ``scale``."""
    [slow] = resolve(kind(symptom="slow", per_node_day=0.5), total_interruptions=419.0, scale=2.0)

    assert 1.0 == pytest.approx(slow.rate_per_second * SECONDS_PER_DAY)


def test_resolving_leaves_the_settings_alone() -> None:
    """Two scenarios share a catalog; the second is not scaled twice."""
    before = asdict(CATALOG)
    once, twice = (resolve(catalog=CATALOG, scale=3.0) for _ in range(2))

    assert (before, once) == (asdict(CATALOG), twice)


NEEDS_ONE = "needs exactly one of"


@pytest.mark.parametrize(
    ("spec", "catalog", "message"),
    [
        (kind(), None, NEEDS_ONE),
        (kind(), CATALOG, NEEDS_ONE),
        (kind(per_gpu_hour=1.0, per_node_day=1.0), None, NEEDS_ONE),
        (kind(count=1.0, per_job_day=1.0), CATALOG, NEEDS_ONE),
        (kind(per_node_day=0.0, per_gpu_hour=0.0), None, NEEDS_ONE),
        (kind(per_job_day=1.0), None, "so its rate is per_gpu_hour or per_node_day"),
        (kind(count=1.0), None, "so its rate is per_gpu_hour or per_node_day"),
        (kind(scope="job", per_gpu_hour=1.0), CATALOG, "so its rate is per_job_day"),
        (kind(scope="job", per_node_day=1.0), CATALOG, "so its rate is per_job_day"),
        (kind(component="software", per_node_day=1.0), CATALOG, "so its rate is per_job_day"),
        (kind(component="software", count=1.0), None, "so its rate is per_job_day"),
    ],
)
def test_a_rate_that_cannot_be_is_an_error_that_names_the_kind(
    spec: FaultKindSpec, catalog: CatalogSpec | None, message: str
) -> None:
    """None, two, or one that does not fit the scope."""
    with pytest.raises(ValueError, match=f"kind 'k' .*{message}"):
        resolve(spec, catalog=catalog)


@pytest.mark.parametrize("symptom", list(Symptom))
def test_crashes_and_hangs_stop_the_job_at_once(symptom: Symptom) -> None:
    """And nothing else does."""
    [resolved] = resolve(kind(symptom=symptom.value, per_node_day=1.0))

    assert (symptom in {Symptom.CRASH, Symptom.HANG}) == resolved.stops


def test_what_a_kind_is_like_is_carried_over() -> None:
    """Component, symptom, event, chances and shifts are those of the settings."""
    given_kind = kind(
        "throttle",
        "power",
        symptom="slow",
        per_node_day=SECONDS_PER_DAY,
        transient_probability=0.25,
        event="XID 63",
        logged_probability=0.5,
        event_delay_seconds=3.0,
        slow_factor=1.5,
        step_time_sigmas=7.0,
        gradient_sigmas=2.0,
    )
    expected = FaultKind(
        "throttle",
        Component.POWER,
        Symptom.SLOW,
        False,
        1.0,
        0.25,
        "XID 63",
        0.5,
        3.0,
        1.5,
        7.0,
        2.0,
        stops=False,
        loss_jump=0.0,
        arrival="exponential",
        shape=1.0,
    )

    assert (expected,) == resolve(given_kind)
