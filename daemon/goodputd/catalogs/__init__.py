"""The shipped fault catalogs, TOML files beside this module, by name.

A new catalog is one file here and one test. This module reads and validates; it knows nothing of
fleets, settings files or what is done with the kinds.
"""

import json
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Final

import tomli
from pydantic import TypeAdapter

from goodputd.errors import SettingsError
from goodputd.sim.specs.faults import CatalogSpec

_SUFFIX: Final = ".toml"


@cache
def names() -> tuple[str, ...]:
    """The names of all shipped catalogs, sorted."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in files if name.endswith(_SUFFIX)))


@cache
def load(name: str) -> CatalogSpec:
    """The catalog of this name. Errors: ``SettingsError`` that lists those there are."""
    if name not in names():
        raise SettingsError(unknown(name))
    text = resources.files(__name__).joinpath(name + _SUFFIX).read_text(encoding="utf-8")
    # Through JSON, for which a strict validator takes tables for dataclasses and arrays for tuples.
    return TypeAdapter(CatalogSpec).validate_json(json.dumps(tomli.loads(text)))


def unknown(name: str) -> str:
    """What to say of a name that no catalog has."""
    close = get_close_matches(name.lower(), names(), n=1)
    hint = f"; did you mean {json.dumps(close[0])}?" if close else ""
    return (
        f"unknown catalog {json.dumps(name[:64], ensure_ascii=False)}{hint} (there are {', '.join(names())})"
    )
