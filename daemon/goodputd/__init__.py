"""goodputd plays a large synchronous training cluster in accelerated time.

The package is read in the order of DESIGN's flow: ``sim`` is the pure core, ``detectors`` and
``policies`` plug into it, ``settings`` and ``assembly`` build it, ``service`` runs it.
"""

__version__ = "0.1.0"


def core_build() -> str:
    """How this installation runs the core, "compiled" or "interpreted"; both play the same history."""
    from importlib.util import find_spec  # noqa: PLC0415 - every start would wait for it

    spec = find_spec("goodputd.sim.simulation")
    return "interpreted" if spec is None or spec.origin is None or spec.origin.endswith(".py") else "compiled"
