"""goodputd plays a large synchronous training cluster in accelerated time.

The package is read in the order of DESIGN's flow: ``sim`` is the pure core, ``detectors`` and
``policies`` plug into it, ``settings`` and ``assembly`` build it, ``service`` runs it.
"""

__version__ = "0.1.0"
