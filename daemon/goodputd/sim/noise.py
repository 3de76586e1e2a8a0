"""Noise of the step time: a synchronous step takes as long as the slowest of its ranks.

Arithmetic on the mean step, nothing is drawn and nothing happens per step: what noise adds to a step
follows from the number of ranks and nodes. Knows no run and no ledger.

A rank computes for a normal time with standard deviation ``s``, as a share of the step. Of ``n``
independent ranks the slowest takes, on average, longer by s e(n) with

    e(n) = PHI^-1((n - 3/8) / (n + 1/4))

(G. Blom, Statistical Estimates and Transformed Beta-Variables, 1958, ch. 6): within 0.5 % of the
exact mean of the greatest of n normals from 12 ranks on. Where one rank is slow by a factor, the step
is the greater of its time and that of the others, by C. E. Clark (The Greatest of a Finite Set of
Random Variables, Operations Research 9, 1961).

In the collectives that follow, a number of delays that is Poisson with mean L = (per node) x (nodes)
and that are exponential with mean d hold the step up for the longest of them, on average

    d Ein(L),  Ein(L) = integral of (1 - e^-t) / t from 0 to L = ln L + 0.5772 + E1(L)

(P(longest > x) = 1 - exp(-L e^(-x/d)), integrated; Ein as in NIST DLMF 6.2.3).
"""

from math import erfc, exp, hypot, log, pi, sqrt
from statistics import NormalDist
from typing import Final

from goodputd.sim.faults import FaultKind
from goodputd.sim.specs.job import NoiseSpec

_NORMAL: Final = NormalDist()
_EULER: Final = 0.57721566490153286
_SERIES_UP_TO: Final = 20.0
"""Above this ln L + 0.5772 is Ein(L) to 1e-10; up to it the power series loses no more."""


def expected_greatest(ranks: int) -> float:
    """Mean of the greatest of so many standard normals; 0 for one."""
    return _NORMAL.inv_cdf((ranks - 0.375) / (ranks + 0.25))


def spread_of_greatest(ranks: int) -> float:
    """Its standard deviation: 1 for one rank, else that of the Gumbel law that it tends to.

    pi / sqrt(6) times the distance of the quantiles 1 - 1/n and 1 - 1/(n e); 12 % too much for 8 ranks,
    2 % for 1,024. It matters only where a slow rank is about as late as the slowest of the others.
    """
    if ranks == 1:
        return 1.0
    return pi / sqrt(6.0) * (_NORMAL.inv_cdf(1.0 / ranks) - _NORMAL.inv_cdf(exp(-1.0) / ranks))


def expected_greater(mean: float, sigma: float, other_mean: float, other_sigma: float) -> float:
    """Mean of the greater of two independent normals (Clark 1961)."""
    spread = hypot(sigma, other_sigma)
    ahead = mean - other_mean
    if spread == 0.0:
        return max(mean, other_mean)
    z = ahead / spread
    wins = 0.5 * erfc(-z / sqrt(2.0))
    return other_mean + ahead * wins + spread * exp(-0.5 * z * z) / sqrt(2.0 * pi)


def longest_delay(delays: float) -> float:
    """Ein: mean of the longest of so many unit exponentials, a Poisson number, 0 for none."""
    if delays > _SERIES_UP_TO:
        return log(delays) + _EULER
    total, term, order = 0.0, 1.0, 0
    while order < delays or abs(term) > 1e-17:  # noqa: PLR2004 - below the last bit
        order += 1
        term *= -delays / order
        total -= term / order
    return total


class Noise:
    """What noise makes of the step time, by the size of the job and its slowest rank."""

    __slots__ = ("_nodes_per_replica", "_ranks_per_replica", "_spec")

    def __init__(self, spec: NoiseSpec, *, ranks_per_replica: int, nodes_per_replica: int) -> None:
        """A rank is a GPU."""
        self._spec = spec
        self._ranks_per_replica = ranks_per_replica
        self._nodes_per_replica = nodes_per_replica

    def computing(self, replicas: int, slow_factor: float = 1.0) -> float:
        """Mean time until the slowest rank has computed, as a multiple of the step time.

        ``slow_factor`` is that of one rank; a rank that is hardly slow hides in the noise of the others.
        """
        sigma, ranks = self._spec.step_sigma, replicas * self._ranks_per_replica
        alone = 1.0 + sigma * expected_greatest(ranks)
        if slow_factor <= 1.0:
            return alone
        others = ranks - 1
        if others == 0:
            return slow_factor
        mean, spread = 1.0 + sigma * expected_greatest(others), sigma * spread_of_greatest(others)
        return max(alone, expected_greater(slow_factor, slow_factor * sigma, mean, spread))

    def delay_seconds(self, replicas: int) -> float:
        """Mean seconds by which the network holds a step up."""
        spec = self._spec
        return spec.delay_seconds * longest_delay(
            spec.delays_per_node_step * replicas * self._nodes_per_replica
        )

    def factor(self, step_seconds: float, replicas: int, slow_factor: float = 1.0) -> float:
        """Mean step time as a multiple of ``step_seconds``, that of ranks without noise."""
        return self.computing(replicas, slow_factor) + self.delay_seconds(replicas) / step_seconds


def noise_of(spec: NoiseSpec, *, gpus_per_replica: int, gpus_per_node: int) -> Noise | None:
    """The noise of a job; None without any."""
    if spec.step_sigma == 0.0 and spec.delays_per_node_step == 0.0:
        return None
    nodes = max(1, gpus_per_replica // gpus_per_node)
    return Noise(spec, ranks_per_replica=gpus_per_replica, nodes_per_replica=nodes)


def blurred(kind: FaultKind, spec: NoiseSpec) -> float:
    """How far a fault shifts its rank's step time, in standard deviations over ranks, noise included.

    ``step_time_sigmas`` k says it of ranks without noise, whose standard deviation therefore is
    (f - 1) / k of a step that the fault makes f times as long; noise adds its own in quadrature. A
    delay in a collective holds all ranks up alike and blurs nothing.
    """
    sigmas = kind.step_time_sigmas
    if sigmas == 0.0 or spec.step_sigma == 0.0:
        return sigmas
    longer = kind.slow_factor - 1.0
    return longer / hypot(longer / sigmas, spec.step_sigma)
