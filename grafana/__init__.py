"""The dashboards as code: what is written here becomes ``grafana/dashboards/*.json``.

A tool of development: the daemon does not import it, and nothing of it is installed.
"""

import warnings

with warnings.catch_warnings():
    # The SDK would rather see its newer schema; every Grafana from 10 on imports the classic one.
    warnings.filterwarnings("ignore", "Prefer using dashboardv2", DeprecationWarning)
    from grafana_foundation_sdk.builders import barchart, dashboard  # noqa: F401 - for all modules, once
