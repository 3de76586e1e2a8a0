"""TOML, environment and flags to scenarios; every mistake is reported at once.

The parts: ``model`` what settings are, ``loading`` layers and their order, ``checking`` single
values, ``rules`` across keys, ``doubts`` warnings, ``document`` TOML text, ``schema`` JSON Schema.
Nothing here knows a simulation, a clock or a socket.
"""

from goodputd.settings.document import TEMPLATES, describe, document, initial_toml
from goodputd.settings.doubts import warnings
from goodputd.settings.loading import load, parse, same_faults, variations
from goodputd.settings.model import (
    ClockSpec,
    HttpSpec,
    LogSpec,
    Scenario,
    Settings,
    TargetsSpec,
    split_listen,
)
from goodputd.settings.rules import kinds_of_catalog, nothing_breaks
from goodputd.settings.schema import schema

__all__ = [
    "TEMPLATES",
    "ClockSpec",
    "HttpSpec",
    "LogSpec",
    "Scenario",
    "Settings",
    "TargetsSpec",
    "describe",
    "document",
    "initial_toml",
    "kinds_of_catalog",
    "load",
    "nothing_breaks",
    "parse",
    "same_faults",
    "schema",
    "split_listen",
    "variations",
    "warnings",
]
