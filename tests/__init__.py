"""The tests mirror the package: ``tests/sim/test_job.py`` tests ``goodputd/sim/job.py``.

A package, so that ``tests.world`` and ``tests.bench`` can be imported; it holds nothing else.
"""
