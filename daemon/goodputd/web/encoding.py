"""Records as JSON text: dataclasses are objects, enums their values, NaN is a bug."""

import dataclasses
import json
from functools import cache
from typing import Any


def to_json(value: object) -> bytes:
    """The JSON text of a record. Errors: ``ValueError`` for a number that JSON has not."""
    return json.dumps(value, default=_plain, allow_nan=False, separators=(",", ":")).encode()


def plain(value: object) -> Any:  # noqa: ANN401 - any JSON
    """The record as plain data."""
    return json.loads(to_json(value))


def _plain(value: object) -> dict[str, Any]:
    of: Any = type(value)
    return {name: getattr(value, name) for name in _names(of)}


@cache
def _names(of: Any) -> tuple[str, ...]:  # noqa: ANN401
    return tuple(field.name for field in dataclasses.fields(of))
