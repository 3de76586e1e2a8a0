"""goodputd plays a large synchronous training cluster in accelerated time.

The package is read in the order of DESIGN's flow: ``sim`` is the pure core, ``detectors`` and
``policies`` plug into it, ``settings`` and ``assembly`` build it, ``service`` runs it.
"""

from importlib.util import find_spec
from typing import Literal

__version__ = "0.1.0"


def core_build() -> Literal["compiled", "interpreted"]:
    """How this installation runs the core; both play the same history."""
    spec = find_spec("goodputd.sim.simulation")
    return "interpreted" if spec is None or spec.origin is None or spec.origin.endswith(".py") else "compiled"
