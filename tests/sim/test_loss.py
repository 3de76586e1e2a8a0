"""The loss curve, and the check that a restore continued it."""

import math
from statistics import NormalDist, mean, stdev

import pytest
from scipy.stats import kstest

from goodputd.sim.loss import gradient_norm_at, loss_at, verify
from goodputd.sim.specs.job import LossSpec
from goodputd.sim.specs.recovery import RecoverySpec
from goodputd.sim.taxonomy import VerificationOutcome

PHI = NormalDist().cdf
GRID = 20_000
"""Uniforms (n + 1/2) / GRID: a share of them is a probability to within 1 / GRID."""


def outcomes(
    recovery: RecoverySpec, loss: LossSpec, *, wrong: bool
) -> list[tuple[VerificationOutcome, float]]:
    """What the check says for every uniform of the grid."""
    return [verify(recovery, loss, wrong=wrong, uniform=(n + 0.5) / GRID) for n in range(GRID)]


def share(outcome: VerificationOutcome, found: list[tuple[VerificationOutcome, float]]) -> float:
    """How often the check says so."""
    return sum(1 for said, _ in found if said is outcome) / len(found)


@pytest.mark.parametrize("verify_z", [0.5, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("verify_steps", [1, 10, 100])
def test_a_right_restore_is_a_jump_with_the_tail_probability_of_z(verify_z: float, verify_steps: int) -> None:
    """P(false jump) = 1 - Phi(z), whatever the noise and the number of steps."""
    recovery = RecoverySpec(verify_z=verify_z, verify_steps=verify_steps)
    found = outcomes(recovery, LossSpec(noise=0.3), wrong=False)

    assert 1.0 - PHI(verify_z) == pytest.approx(share(VerificationOutcome.FALSE_JUMP, found), abs=1.0 / GRID)
    assert {VerificationOutcome.FALSE_JUMP, VerificationOutcome.CONTINUOUS} == {said for said, _ in found}


@pytest.mark.parametrize(
    ("noise", "jump", "steps", "verify_z"),
    [(0.01, 0.01, 10, 2.0), (0.1, 0.05, 10, 1.0), (0.05, 0.05, 2, 2.5), (0.01, 0.02, 10, 4.0)],
)
def test_a_wrong_restore_is_found_with_the_power_of_the_test(
    noise: float, jump: float, steps: int, verify_z: float
) -> None:
    """P(jump) = Phi(shift - z), the shift in standard errors noise x sqrt(2 / steps); the rest is missed."""
    recovery = RecoverySpec(verify_steps=steps, verify_z=verify_z, wrong_restore_loss_jump=jump)
    found = outcomes(recovery, LossSpec(noise=noise), wrong=True)
    power = PHI(jump / (noise * math.sqrt(2.0 / steps)) - verify_z)

    assert 0.05 < power < 0.9
    assert power == pytest.approx(share(VerificationOutcome.JUMP, found), abs=1.0 / GRID)
    assert 1.0 - power == pytest.approx(share(VerificationOutcome.MISSED, found), abs=1.0 / GRID)


def test_the_difference_has_the_law_of_a_difference_of_means() -> None:
    """Normal, of mean 0 or of the jump, with the standard error of two means of ten steps; KS to 1 / GRID."""
    recovery, loss = RecoverySpec(), LossSpec()
    error = loss.noise * math.sqrt(2.0 / recovery.verify_steps)
    for wrong, shift in ((False, 0.0), (True, recovery.wrong_restore_loss_jump)):
        differences = [difference for _, difference in outcomes(recovery, loss, wrong=wrong)]
        assert kstest(differences, "norm", args=(shift, error)).statistic < 1.0 / GRID


def test_the_defaults_miss_nothing_and_are_wrong_once_in_thirty_thousand() -> None:
    """Eleven standard errors of jump against a threshold of four."""
    recovery, loss = RecoverySpec(), LossSpec()

    assert 1.0 == share(VerificationOutcome.JUMP, outcomes(recovery, loss, wrong=True))
    assert 3.2e-5 == pytest.approx(1.0 - PHI(recovery.verify_z), rel=0.02)
    assert share(VerificationOutcome.FALSE_JUMP, outcomes(recovery, loss, wrong=False)) <= 1.0 / GRID


@pytest.mark.parametrize("uniform", [0.0, 1.0 - 2.0**-53])
@pytest.mark.parametrize("wrong", [False, True])
def test_the_extreme_uniforms_have_a_finite_difference(uniform: float, wrong: bool) -> None:
    """Neither end of [0, 1) is infinitely bad luck."""
    assert math.isfinite(verify(RecoverySpec(), LossSpec(), wrong=wrong, uniform=uniform)[1])


def test_without_noise_the_check_is_always_right() -> None:
    """No difference is no jump, and any jump is one."""
    for uniform in (0.0, 0.5, 0.999):
        for wrong, expected in ((False, VerificationOutcome.CONTINUOUS), (True, VerificationOutcome.JUMP)):
            assert expected is verify(RecoverySpec(), LossSpec(noise=0.0), wrong=wrong, uniform=uniform)[0]


# --- the curve


def test_the_loss_of_a_step_is_a_function_of_seed_and_step() -> None:
    """Asking again, in any order, gives the same; another seed gives another noise."""
    spec = LossSpec()
    forward = [loss_at(spec, 1, step) for step in range(100)]

    assert forward == [loss_at(spec, 1, step) for step in reversed(range(100))][::-1]
    assert set(forward).isdisjoint({loss_at(spec, 2, step) for step in range(100)})


def test_the_curve_is_a_power_law_above_its_floor() -> None:
    """Without noise: floor + scale x (step + 1)^-exponent."""
    spec = LossSpec(floor=1.5, scale=8.0, exponent=0.5, noise=0.0)

    assert [9.5, 1.5 + 8.0 / 2, 1.5 + 8.0 / 10, 1.5 + 8.0 / 1000] == pytest.approx(
        [loss_at(spec, 1, step) for step in (0, 3, 99, 999_999)]
    )


def test_the_noise_is_normal_and_the_same_at_every_step() -> None:
    """KS of 4,000 steps against N(0, noise); alpha = 0.001."""
    spec, quiet = LossSpec(noise=0.05), LossSpec(noise=0.0)
    noise = [loss_at(spec, 1, step) - loss_at(quiet, 1, step) for step in range(4000)]

    assert kstest(noise, "norm", args=(0.0, 0.05)).pvalue > 0.001


def test_the_gradient_norm_falls_with_a_third_of_the_exponent() -> None:
    """Its logarithm is the power law plus a tenth of noise: mean within 4 standard errors of 4,000 steps."""
    spec = LossSpec(gradient_norm=2.0, exponent=0.3)
    logs = [math.log(gradient_norm_at(spec, 1, step) / (2.0 * (step + 1.0) ** -0.1)) for step in range(4000)]

    assert abs(mean(logs)) < 4 * 0.1 / math.sqrt(4000)
    assert 0.1 == pytest.approx(stdev(logs), rel=0.05)
    assert logs[0] != logs[1]


def test_the_gradient_norm_has_a_noise_of_its_own() -> None:
    """It is a function of seed and step, and not that of the loss."""
    spec = LossSpec(noise=1.0, scale=1e-9, floor=0.0, gradient_norm=1.0, exponent=1e-9)
    losses = [loss_at(spec, 1, step) for step in range(50)]
    logs = [10.0 * math.log(gradient_norm_at(spec, 1, step)) for step in range(50)]

    assert logs == [10.0 * math.log(gradient_norm_at(spec, 1, step)) for step in range(50)]
    assert all(abs(a - b) > 1e-6 for a, b in zip(losses, logs, strict=True))
