"""The JSON Schema of the settings file, for editors: completion, help and mistakes while typing.

It is the validator's own schema, made to fit TOML (which has no null) and the limits that the rules
add. What only rules across keys can see is not in it.
"""

from itertools import combinations
from typing import Any, Final

from goodputd.settings.checking import validator
from goodputd.settings.keys import EXCLUSIVE, class_at
from goodputd.settings.loading import DEFAULTS, MOST_SCENARIOS
from goodputd.settings.model import Document
from goodputd.settings.rules import LIMITS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """The schema of a whole file, draft 2020-12; a scenario takes every table in part."""
    document = validator().json_schema()
    definitions = document["$defs"]
    for table in (document, *definitions.values()):
        table.pop("title", None)
        for name, described in table.get("properties", {}).items():
            table["properties"][name] = _fit(described)
    for key, (least, most) in LIMITS.items():
        described = _described(definitions, key)
        described.pop("exclusiveMinimum", None)
        described |= {"minimum": least, "maximum": most}
    for key, value in DEFAULTS.items():
        _described(definitions, key)["default"] = value
    for group in EXCLUSIVE:
        table, names = _table_of(group[0]), [key.rpartition(".")[2] for key in group]
        together = [{"required": list(pair)} for pair in combinations(names, 2)]
        definitions[table.__name__]["not"] = together[0] if len(together) == 1 else {"anyOf": together}
    document["properties"]["scenario"] |= {"minItems": 1, "maxItems": MOST_SCENARIOS}
    document["properties"]["grid"]["minItems"] = 1
    for array in ("scenario", "grid"):
        document["properties"][array].pop("default", None)
    return {"$schema": DIALECT, "title": "goodputd settings", **document}


def _fit(described: dict[str, Any]) -> dict[str, Any]:
    """Without null, which TOML cannot say, and without titles that repeat the key."""
    fitted = {name: value for name, value in described.items() if name not in {"title", "anyOf"}}
    for choice in described.get("anyOf", ()):
        if choice != {"type": "null"}:
            fitted |= choice
    if fitted.get("default", ...) is None:
        del fitted["default"]
    return fitted


def _table_of(key: str) -> type:
    table = class_at(Document, tuple(key.split(".")[:-1]))
    if table is None:
        raise KeyError(key)
    return table


def _described(definitions: dict[str, Any], key: str) -> dict[str, Any]:
    described: dict[str, Any] = definitions[_table_of(key).__name__]["properties"][key.rpartition(".")[2]]
    return described
