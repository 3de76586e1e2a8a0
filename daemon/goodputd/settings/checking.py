"""One tree against the declared tables: every mistake in it in people's words, and what is left.

The validator stops at nothing and is quoted nowhere; its error types become sentences here. What
is left after the mistakes are cut out is valid by itself, so that rules across keys can still be
checked and all mistakes come at once. Knows nothing of files, environment and scenarios' order.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from difflib import get_close_matches
from functools import cache
from itertools import chain, combinations
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from goodputd.settings.keys import (
    EXCLUSIVE,
    Flat,
    Location,
    Tree,
    class_at,
    document_keys,
    dotted,
    flatten,
    ordered_fields,
    setting_of,
    unflatten,
)
from goodputd.settings.model import GLOBAL, LABEL_RULE, Document, Entry

LARGEST_WHOLE: Final = 2**63 - 1
"""What TOML promises to hold."""
LARGEST_NUMBER: Final = 1e18
"""Keeps every product of a few settings finite."""

_SHOWN_CHARACTERS: Final = 60
_MOST_MISTAKES: Final = 100
"""Per table of the file; who has more has given a wrong file."""

_SENTENCES: Final = {
    "bool_type": "must be true or false",
    "dataclass_type": "must be a table",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "grid_value": "must be a number, true or false, a text in quotes or an array of texts",
    "int_type": "must be a whole number",
    "missing": "is required",
    "string_pattern_mismatch": LABEL_RULE,
    "string_too_short": "must not be empty",
    "string_type": "must be a text in quotes",
    "tuple_type": "must be an array",
}


@dataclass(slots=True)
class Mistake:
    """One mistake: where it stands, and what is wrong and allowed."""

    location: Location
    message: str


@dataclass(slots=True)
class Checked:
    """A tree without its mistakes."""

    values: Flat
    mistakes: list[Mistake]
    broken: set[str]
    """Dotted keys whose value is not known because of a mistake."""


@cache
def validator() -> TypeAdapter[Document]:
    """The validator of a whole file; takes a tenth of a second to build, once."""
    return TypeAdapter(Document)


def build(values: Flat) -> Document:
    """The filled tables of a layer that was checked."""
    return validator().validate_json(_to_json(unflatten(values)))


def check_document(tree: Tree) -> Checked:
    """Check a file or any other layer, ``[[scenario]]`` left out."""
    return _check(tree, Document)


def check_entry(tree: Tree) -> Checked:
    """Check one ``[[scenario]]``."""
    return _check(tree, Entry)


def shown(value: object) -> str:
    """A value as TOML would have it, short enough for a message."""
    if isinstance(value, str):
        text = json.dumps(value[: _SHOWN_CHARACTERS + 1], ensure_ascii=False)
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, dict):
        text = "a table"
    elif isinstance(value, list):
        text = "an array"
    elif isinstance(value, int) and abs(value) > LARGEST_WHOLE:
        text = f"a number of {value.bit_length()} bits"
    else:
        text = str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


def number(value: float) -> str:
    """A limit without a needless fraction: 0 rather than 0.0."""
    return str(int(value)) if float(value).is_integer() and abs(value) < LARGEST_NUMBER else str(value)


def _check(tree: Tree, root: type) -> Checked:
    checked = Checked({}, [], set())
    for location, each in list(_too_large(tree, ())):
        limit = (
            "must fit in 64 bits" if isinstance(each, int) else f"must be at most {LARGEST_NUMBER:g} in size"
        )
        checked.mistakes.append(Mistake(location, f"{limit} (got {shown(each)})"))
        checked.broken.add(dotted(setting_of(location)))
        _cut(tree, location)
    wrapped, depth = ({"scenario": [tree]}, 2) if root is Entry else (tree, 0)
    try:
        validator().validate_json(_to_json(wrapped))
    except ValidationError as error:
        found = list(_told_once([(each["loc"][depth:], each) for each in error.errors(include_url=False)]))
        _report(found, root, checked)
        for location, _ in found:
            _cut(tree, location)
    checked.values = flatten(tree)
    for first, second in chain.from_iterable(combinations(group, 2) for group in EXCLUSIVE):
        if first in checked.values and second in checked.values:
            message = f"cannot be given together with {first.rpartition('.')[2]}; keep one of them"
            checked.mistakes.append(Mistake(tuple(second.split(".")), message))
            checked.broken |= {first, second}
            del checked.values[second]
    return checked


def _told_once(found: list[tuple[Location, Any]]) -> Iterator[tuple[Location, Any]]:
    """The errors: of a value of a grid one, not one for each type that it could have."""
    told: set[Location] = set()
    for location, detail in found:
        array, value = location[:3], location[:4]
        if array[:1] != ("grid",) or array[2:] != ("values",):
            yield location, detail
        elif location != array and value not in told:
            told |= {array, value}
            yield value, {**detail, "type": "grid_value"}
        elif location == array and array not in told:  # or it is too short for want of what was told
            yield location, detail


def _report(found: list[tuple[Location, Any]], root: type, checked: Checked) -> None:
    """Word the validator's errors; a misspelt key that is required counts once."""
    meant = {
        location: _meant(location, root) for location, detail in found[:_MOST_MISTAKES] if _is_unknown(detail)
    }
    for location, detail in found[:_MOST_MISTAKES]:
        if detail["type"] == "missing" and location in meant.values():
            continue
        unknown = _is_unknown(detail)
        message = _unknown(location, root, meant[location]) if unknown else _sentence(detail)
        if location == ("grid",) and not unknown:
            message = "must be an array of tables, written [[grid]]"
        checked.mistakes.append(Mistake(location, message))
        checked.broken.add(dotted(setting_of(meant.get(location) or location)))
    if len(found) > _MOST_MISTAKES:
        checked.mistakes.append(Mistake((), f"and {len(found) - _MOST_MISTAKES} more mistakes"))


def _to_json(tree: Tree) -> str:
    """JSON, for which the strict validator takes tables for dataclasses and whole numbers for floats."""
    return json.dumps(tree, default=_text_of_moment)


def _text_of_moment(value: object) -> str:
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _is_unknown(detail: Any) -> bool:  # noqa: ANN401 - pydantic_core.ErrorDetails, of another package
    return bool(detail["type"] == "unexpected_keyword_argument")


def _sentence(detail: Any) -> str:  # noqa: ANN401 - pydantic_core.ErrorDetails, of another package
    """What is wrong and what is allowed, for every type of error but unknown keys."""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "greater_than":
        text = f"must be greater than {number(context['gt'])}"
    elif kind == "greater_than_equal":
        text = f"must be {number(context['ge'])} or more"
    elif kind == "less_than_equal":
        text = f"must be {number(context['le'])} or less"
    elif kind == "literal_error":
        text = f"must be {context['expected']}".replace("'", '"')
    elif kind == "too_short":
        return "must have at least one entry"
    elif kind == "grid_value" and isinstance(detail["input"], float):
        text = _SENTENCES["finite_number"]
    elif kind == "missing":
        return _SENTENCES[kind]
    else:
        text = _SENTENCES.get(kind) or detail["msg"]
    return f"{text} (got {shown(detail['input'])})"


def _meant(location: Location, root: type) -> Location | None:
    *table, name = location
    name = str(name)
    names = _allowed(tuple(table), root)
    if not any(isinstance(part, int) for part in location):
        elsewhere = [key for key in document_keys() if key.rpartition(".")[2] == name]
        if len(elsewhere) == 1 and (root is Document or elsewhere[0].partition(".")[0] not in GLOBAL):
            return tuple(elsewhere[0].split("."))
    close = get_close_matches(name.lower(), names, n=1, cutoff=0.7)
    return (*table, close[0]) if close else None


def _unknown(location: Location, root: type, meant: Location | None) -> str:
    if root is Entry and location[0] in GLOBAL:
        return "holds for all scenarios; it stands above the first [[scenario]]"
    if meant is not None:
        return f"unknown key; did you mean {meant[-1] if meant[:-1] == location[:-1] else dotted(meant)}?"
    return f"unknown key; allowed are {', '.join(_allowed(location[:-1], root))}"


def _allowed(table: Location, root: type) -> list[str]:
    found = class_at(root, table)
    return [each.name for each in ordered_fields(found)] if found is not None else []


def _cut(tree: Tree, location: Location) -> None:
    """Remove the value at ``location``, or the whole array that it stands in."""
    *path, name = setting_of(location)
    table: Any = tree
    for each in path:
        table = table.get(each) if isinstance(table, dict) else None
    if isinstance(table, dict):
        table.pop(name, None)


def _too_large(value: object, location: Location) -> Iterator[tuple[Location, int | float]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, each in items:
            yield from _too_large(each, (*location, name))
    elif isinstance(value, int | float) and _most(value) < abs(value) < math.inf:
        yield location, value


def _most(value: float) -> float:
    return LARGEST_WHOLE if isinstance(value, int) else LARGEST_NUMBER
