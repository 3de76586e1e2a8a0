"""``[[grid]]``: one key and its values, written out as the scenarios that they are.

Whether a value is right for its key is left to the check of the scenario that comes of it. Knows no
layers and no wording of mistakes but its own.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from goodputd.settings.keys import Tree, document_keys, unflatten
from goodputd.settings.model import GLOBAL


def scenario_trees(grid: Tree) -> Iterator[Tree]:
    """The ``[[scenario]]`` of each value of a grid that was checked."""
    key = grid["key"]
    prefix = grid.get("name") or key.rpartition(".")[2]
    for value in grid["values"]:
        yield {
            "name": f"{prefix}-{_label(value)}",
            "alerting": grid.get("alerting", False),
            **unflatten({key: value}),
        }


def repeated(values: Sequence[object]) -> tuple[object, object] | None:
    """The first two values that mean the same, as 0.0 and -0.0 or 1 and 1.0 do; None without any."""
    for index, value in enumerate(values):
        for earlier in values[:index]:
            if value == earlier and isinstance(value, bool) == isinstance(earlier, bool):
                return earlier, value
    return None


def key_mistake(key: str) -> str | None:
    """What is wrong with the key of a grid, None when nothing is."""
    if key.partition(".")[0] in GLOBAL:
        return "holds for all scenarios and cannot be varied"
    if key in document_keys():
        return None
    close = get_close_matches(key, document_keys(), n=1)
    return "unknown key" + (f"; did you mean {close[0]}?" if close else "")


def _label(value: Any) -> str:  # noqa: ANN401 - any value of a grid
    """A value as the end of a name: 60.0 is 60, a list its words with dots."""
    if isinstance(value, list):
        return ".".join(map(_label, value)) or "none"
    if isinstance(value, float):
        text = f"{value:.10g}"
    else:
        text = str(value).lower() if isinstance(value, bool) else str(value)
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)
