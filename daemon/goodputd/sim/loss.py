"""The loss curve, and the check that a restore continued it.

loss(step) = floor + scale x (step + 1)^-exponent + noise, a power law as scaling laws have it. The
noise of a step is a function of seed and step, so that looking never changes it.

A restore that brought back data cursor, RNG and schedule repeats the losses of the same steps up to
noise; one that missed any of them is off by a jump. The check compares the means over the first
``verify_steps``: their difference has the standard error noise x sqrt(2 / steps).
"""

import math
from statistics import NormalDist
from typing import Final

from goodputd.sim.specs.job import LossSpec
from goodputd.sim.specs.recovery import RecoverySpec
from goodputd.sim.streams import stream
from goodputd.sim.taxonomy import VerificationOutcome

# An attribute of an enum class costs 0.3 us in Python 3.11; these are read on the hot path.
_CONTINUOUS: Final = VerificationOutcome.CONTINUOUS
_FALSE_JUMP: Final = VerificationOutcome.FALSE_JUMP
_JUMP: Final = VerificationOutcome.JUMP
_MISSED: Final = VerificationOutcome.MISSED

_NORMAL = NormalDist()
_TINY = 1e-12


def loss_at(spec: LossSpec, seed: int, step: int) -> float:
    """The loss of ``step``, noise included."""
    curve = spec.floor + spec.scale * math.pow(step + 1.0, -spec.exponent)
    return curve + spec.noise * stream(seed, f"loss/{step}").gauss(0.0, 1.0)


def gradient_norm_at(spec: LossSpec, seed: int, step: int) -> float:
    """The gradient norm of ``step``, with a tenth of noise."""
    curve = spec.gradient_norm * math.pow(step + 1.0, -spec.exponent / 3.0)
    return curve * math.exp(0.1 * stream(seed, f"gradient_norm/{step}").gauss(0.0, 1.0))


def verify(
    recovery: RecoverySpec, loss: LossSpec, *, wrong: bool, uniform: float
) -> tuple[VerificationOutcome, float]:
    """Compare the losses after a restore with those of the same steps before.

    Returns what came of it and the difference of the means; ``uniform`` in [0, 1) is the luck of
    the noise, ``wrong`` the truth about the restore.
    """
    error = loss.noise * math.sqrt(2.0 / recovery.verify_steps)
    noise = error * _NORMAL.inv_cdf(min(max(uniform, _TINY), 1.0 - _TINY))
    difference = noise + (recovery.wrong_restore_loss_jump if wrong else 0.0)
    jumped = difference > recovery.verify_z * error
    if wrong:
        return (_JUMP if jumped else _MISSED), difference
    return (_FALSE_JUMP if jumped else _CONTINUOUS), difference
