"""goodputd plays a large synchronous training cluster in accelerated time.

The package is read in the order of DESIGN's flow: ``sim`` is the pure core, ``detectors`` and
``policies`` plug into it, ``settings`` and ``assembly`` build it, ``service`` runs it.
"""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("goodputd")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"
