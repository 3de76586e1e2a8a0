"""Loads the SDK as the dashboards do, before a test of this folder does it with all warnings as errors."""

import grafana  # noqa: F401
