"""Random streams: one named generator per purpose, all from one seed.

String seeding is hashed by the standard library with SHA-512, so a stream depends on its name and
the seed only, never on PYTHONHASHSEED or on who drew first. Switching a detector or a policy can
therefore not move the faults.
"""

import math
from random import Random


def stream(seed: int, name: str) -> Random:
    """The generator of this name; equal names give equal sequences."""
    return Random(f"{seed}/{name}")  # noqa: S311 - a simulation, not a secret


def exponential(uniform: float) -> float:
    """A unit-mean exponential from a uniform in [0, 1)."""
    return -math.log1p(-uniform)
