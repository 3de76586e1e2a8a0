"""Lifetime distributions by their cumulative hazard: how much of it an age has used up, and back.

A node's failures within one life are a Poisson process in cumulative hazard, so that a failure that
is not repaired leaves the age where it is: the next comes as it would have come to a node of that
age. All have the mean that the rate of the kind says.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from goodputd.sim.specs.faults import Arrival

_NORMAL: Final = NormalDist()


_FAR_TAIL: Final = 35.0
"""Standard deviations beyond which the tail is too small for a float, and its expansion is exact."""
_NEWTON_STEPS: Final = 4


def _hazard_of(z: float) -> float:
    """Minus the log of the share of a normal distribution beyond ``z`` standard deviations."""
    if z < _FAR_TAIL:
        return -math.log(0.5 * math.erfc(z / math.sqrt(2.0)))
    return 0.5 * z * z + math.log(z * math.sqrt(2.0 * math.pi)) - math.log1p(-1.0 / (z * z))


def _z_of(hazard: float) -> float:
    """The inverse of ``_hazard_of``."""
    if hazard < _HAZARD_OF_FAR_TAIL:
        share = math.exp(-hazard)
        return -_NORMAL.inv_cdf(share) if share < 1.0 else -math.inf
    z = math.sqrt(2.0 * hazard)
    for _ in range(_NEWTON_STEPS):
        z -= (_hazard_of(z) - hazard) / (z + 1.0 / z)
    return z


_HAZARD_OF_FAR_TAIL: Final = _hazard_of(_FAR_TAIL + 0.01)


@dataclass(slots=True)
class Lifetime:
    """One distribution with mean 1; ages are multiples of the mean."""

    arrival: Arrival
    shape: float
    """Of Weibull k: 1 is exponential, below it infant mortality, above it wear; of lognormal sigma."""
    scale: float = 1.0

    def __post_init__(self) -> None:
        """The scale that makes the mean 1: of Weibull its own, of lognormal the median."""
        if self.arrival == "weibull":
            self.scale = 1.0 / math.gamma(1.0 + 1.0 / self.shape)
        elif self.arrival == "lognormal":
            self.scale = math.exp(-0.5 * self.shape * self.shape)

    def hazard(self, age: float) -> float:
        """The cumulative hazard of an age: minus the log of the share that lives so long."""
        if age <= 0.0:
            return 0.0
        if self.arrival == "lognormal":
            return _hazard_of(math.log(age / self.scale) / self.shape)
        return float((age / self.scale) ** self.shape) if self.arrival == "weibull" else age

    def age(self, hazard: float) -> float:
        """The age that has used up so much cumulative hazard."""
        if hazard <= 0.0:
            return 0.0
        if self.arrival == "lognormal":
            return self.scale * math.exp(self.shape * _z_of(hazard))
        return float(self.scale * hazard ** (1.0 / self.shape)) if self.arrival == "weibull" else hazard
