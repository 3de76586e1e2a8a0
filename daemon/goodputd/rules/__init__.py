"""Rules for Prometheus whose windows follow the speedup.

``windows`` turns simulated days into wall time, ``rendering`` fills the template, which is the rules
file itself. Knows nothing of a simulation; that the metrics named exist is held by tests.
"""
