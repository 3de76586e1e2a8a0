"""Dotted keys: which there are, what stands at one, and how layers of them lie on each other.

A layer is flat, dotted key -> value, so that laying one over another is a dictionary update; arrays
are values and are replaced whole. Knows the shape of ``Document`` and nothing of where values come
from.
"""

import itertools
import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from goodputd.settings.model import GLOBAL, Document

ENVIRONMENT_PREFIX: Final = "GOODPUTD_"

Tree = dict[str, Any]
"""Nested tables, as TOML has them."""
Flat = dict[str, Any]
"""Dotted key -> value."""
Location = tuple[str | int, ...]
"""Where something stands in a tree: keys, and indexes into arrays."""

EXCLUSIVE: Final = (
    ("checkpoint.interval_seconds", "checkpoint.interval_steps", "checkpoint.interval"),
    ("faults.scale", "faults.total_interruptions"),
    ("detection.validation.every_steps", "detection.validation.interval_seconds"),
)
"""Of each group one may be given; giving one in a higher layer takes those of a lower one away."""


_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONGEST_SHOWN: Final = 64


class Value(NamedTuple):
    """A value and the name of the layer it comes from."""

    value: Any
    origin: str


def table_class(annotation: Any) -> type | None:  # noqa: ANN401 - whatever a field is annotated with
    """The dataclass of a table or of an array of tables, None for a plain value."""
    if isinstance(annotation, type) and is_dataclass(annotation):
        return annotation
    if get_origin(annotation) in {tuple, Union, types.UnionType, Annotated}:
        return next(filter(None, map(table_class, get_args(annotation))), None)
    return None


def is_table(annotation: Any) -> bool:  # noqa: ANN401 - whatever a field is annotated with
    """Whether the field is a table of its own, not an array of them."""
    return isinstance(annotation, type) and is_dataclass(annotation)


def class_at(root: type, location: Location) -> type | None:
    """The dataclass of the table at ``location`` below ``root``; None when no table can be there."""
    found: type | None = root
    for part in location:
        if isinstance(part, int):
            continue
        types_by_name = {} if found is None else {f.name: f.type for f in fields(found)}
        found = table_class(types_by_name.get(part))
    return found


def ordered_fields(table: type) -> list[Field[Any]]:
    """The fields of a table as declared, those that hold for all scenarios first."""
    return sorted(fields(table), key=lambda each: each.name not in GLOBAL)


def leaves(table: type, prefix: str = "") -> Iterator[str]:
    """The dotted key of every value below ``table``."""
    for each in ordered_fields(table):
        if is_table(each.type):
            yield from leaves(each.type, f"{prefix}{each.name}.")  # type: ignore[arg-type] # is_table says so
        else:
            yield prefix + each.name


@cache
def document_keys() -> tuple[str, ...]:
    """Every dotted key that can stand outside ``[[scenario]]`` and ``[[grid]]``."""
    return tuple(key for key in leaves(Document) if key not in {"scenario", "grid"})


def variable(key: str) -> str:
    """The environment variable of a dotted key: ``cluster.nodes`` is GOODPUTD_CLUSTER__NODES."""
    return ENVIRONMENT_PREFIX + key.upper().replace(".", "__")


def dotted(location: Location) -> str:
    """A location as people write it: ``faults.kinds[0].name``."""
    text = ""
    for part in location:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = (
                part if _BARE_KEY.fullmatch(part) else json.dumps(part[:_LONGEST_SHOWN], ensure_ascii=False)
            )
            text += f".{name}" if text else name
    return text


def setting_of(location: Location) -> Location:
    """The location of the value that holds this one: an array is one value."""
    return tuple(itertools.takewhile(lambda part: isinstance(part, str), location))


def read(table: object, key: str) -> Any:  # noqa: ANN401 - any kind of value
    """The value at a dotted key of a filled dataclass."""
    for name in key.split("."):
        table = getattr(table, name)
    return table


def flatten(tree: Tree, prefix: str = "") -> Flat:
    """A tree as a layer."""
    flat: Flat = {}
    for name, value in tree.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def unflatten(flat: Mapping[str, Any]) -> Tree:
    """A layer as a tree."""
    tree: Tree = {}
    for key, value in flat.items():
        *tables, name = key.split(".")
        table = tree
        for each in tables:
            table = table.setdefault(each, {})
        table[name] = value
    return tree


def stack(layers: Iterable[tuple[str, Flat]]) -> dict[str, Value]:
    """What is in force when each (origin, layer) lies over those before it."""
    stacked: dict[str, Value] = {}
    for origin, layer in layers:
        for group in EXCLUSIVE:
            if any(key in layer for key in group):
                for key in group:
                    stacked.pop(key, None)
        stacked |= {key: Value(value, origin) for key, value in layer.items()}
    return stacked
