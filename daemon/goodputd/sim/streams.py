"""Random streams: one named generator per purpose, all from one seed.

String seeding is hashed by the standard library with SHA-512, so a stream depends on its name and
the seed only, never on PYTHONHASHSEED or on who drew first. Switching a detector or a policy can
therefore not move the faults.
"""

import math
from hashlib import blake2b
from random import Random
from struct import unpack
from typing import Final

_UNIT: Final = 2.0**-53


def stream(seed: int, name: str) -> Random:
    """The generator of this name; equal names give equal sequences."""
    return Random(f"{seed}/{name}")  # noqa: S311 - a simulation, not a secret


def uniforms(seed: int, name: str, count: int) -> tuple[float, ...]:
    """``count`` uniforms in [0, 1), at most 8, that belong to a name for good.

    For things that need a few numbers once: a hash is nine times as fast as seeding a generator.
    """
    digest = blake2b(f"{seed}/{name}".encode(), digest_size=8 * count).digest()
    # the upper 53 bits, as random.random() has them: no more would be exact in a float
    return tuple([(word >> 11) * _UNIT for word in unpack(f"<{count}Q", digest)])


def exponential(uniform: float) -> float:
    """A unit-mean exponential from a uniform in [0, 1)."""
    return -math.log1p(-uniform)
