"""``[[grid]]``: one key and its values, written out as the scenarios that they are.

Whether a value is right for its key is left to the check of the scenario that comes of it. Knows no
layers and no wording of mistakes but its own.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Final

from goodputd.settings.keys import Tree, class_at, document_keys, unflatten
from goodputd.settings.model import GLOBAL, LABEL_RULE, NAME_PATTERN, Document

_OF_SCENARIOS: Final = ("name", "alerting", "scenario", "grid")


def scenario_trees(grid: Tree) -> Iterator[tuple[Tree, str | None]]:
    """The ``[[scenario]]`` of each value of a grid that was checked, and what is wrong with its name."""
    first: dict[str, int] = {}
    for index, value in enumerate(grid["values"]):
        name = f"{grid.get('name') or grid['key'].rpartition('.')[2]}-{_label(value)}"
        mistake = None
        if first.setdefault(name, index) != index:
            mistake = f"makes the same name as values[{first[name]}]; names must be unique"
        elif not re.fullmatch(NAME_PATTERN, name):
            mistake = (
                f"makes a name of {len(name)} characters, which {LABEL_RULE}; write it as a [[scenario]]"
            )
        yield (
            {"name": name, "alerting": grid.get("alerting", False), **unflatten({grid["key"]: value})},
            mistake,
        )


def repeated(values: Sequence[object]) -> tuple[object, object] | None:
    """The first two values that mean the same, as 0.0 and -0.0 or 1 and 1.0 do; None without any."""
    for index, value in enumerate(values):
        for earlier in values[:index]:
            if value == earlier and isinstance(value, bool) == isinstance(earlier, bool):
                return earlier, value
    return None


def key_mistake(key: str) -> str | None:
    """What is wrong with the key of a grid, None when nothing is."""
    table = key.partition(".")[0]
    if table in GLOBAL:
        return "holds for all scenarios and cannot be varied"
    if table in _OF_SCENARIOS:
        return "makes scenarios and cannot be varied; allowed is a key of a table"
    inner = next((each for each in document_keys() if each.startswith(f"{key}.")), None)
    if inner is not None:
        return f"is a table; allowed is one of its keys, for instance {inner}"
    whole = next((each for each in document_keys() if re.match(rf"{re.escape(each)}(?=[.\[]|$)", key)), None)
    if whole is not None:
        return _part_mistake(key, whole)
    close = get_close_matches(key, document_keys(), n=1)
    if close:
        return f"unknown key; did you mean {close[0]}?"
    return "unknown key; allowed is a key with its table, for instance checkpoint.interval_seconds"


def _part_mistake(key: str, whole: str) -> str | None:
    """The same where ``key`` is that of a value, ``whole``, or of something in it."""
    if class_at(Document, tuple(whole.split("."))) is not None:
        where = "is" if key == whole else "is in"
        return f"{where} an array of tables and cannot be varied; write a [[scenario]] for each {whole}"
    return None if key == whole else f"is in a value; allowed is the whole of it, {whole}"


def _label(value: Any) -> str:  # noqa: ANN401 - any value of a grid
    """A value as the end of a name: 60.0 is 60, a list its words with dots."""
    if isinstance(value, list):
        return ".".join(map(_label, value)) or "none"
    if isinstance(value, float):
        text = f"{value:.10g}"
    else:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)
