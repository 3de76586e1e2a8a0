"""PromQL taken apart: what an expression selects, in which function, and which labels it adds or keeps.

A thin layer over ``promql_parser``, whose tree has one class for each kind of node.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import promql_parser

from goodputd.metrics.catalog import CATALOG
from goodputd.metrics.family import PREFIX, MetricSpec, MetricType

_SUFFIXES = {
    MetricType.HISTOGRAM: ("_bucket", "_sum", "_count"),
    MetricType.SUMMARY: ("_sum", "_count"),
}
_ADD_A_LABEL = frozenset({"label_replace", "label_join"})


@dataclass(frozen=True, slots=True)
class Selected:
    """A selector: its series, its matchers, and the function that is called on its range."""

    name: str
    matchers: frozenset[tuple[str, str]]
    function: str | None
    """None for an instant vector."""
    window: timedelta | None


def nodes(text: str) -> list[Any]:
    """Every node of an expression, outermost first."""
    found: list[Any] = []
    promql_parser.walk(promql_parser.parse(text), found.append)
    return found


def selected(text: str) -> list[Selected]:
    """Every selector of an expression."""
    found: list[Selected] = []
    function: str | None = None
    window: timedelta | None = None
    for node in nodes(text):
        # Depth first: a call comes before the range that it takes, and a range right before its selector.
        if isinstance(node, promql_parser.Call) and _takes_a_range(node):
            function = node.func.name
        elif isinstance(node, promql_parser.MatrixSelector):
            window = node.range
        elif isinstance(node, promql_parser.VectorSelector):
            matchers = frozenset((each.name, each.value) for each in node.matchers.matchers)
            found.append(Selected(node.name or "", matchers, function if window else None, window))
            window = None
    return found


def added_labels(text: str) -> set[str]:
    """Labels that an expression adds itself."""
    return {
        node.args[1].val
        for node in nodes(text)
        if isinstance(node, promql_parser.Call) and node.func.name in _ADD_A_LABEL
    }


def kept_labels(text: str) -> set[str]:
    """Labels by which an expression aggregates or matches."""
    kept: set[str] = set()
    for node in nodes(text):
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier:
            kept.update(node.modifier.labels)
        if isinstance(node, promql_parser.BinaryExpr) and node.modifier and node.modifier.matching:
            kept.update(node.modifier.matching.labels)
    return kept


def family(series: str) -> MetricSpec | None:
    """The family in the catalog that a series belongs to."""
    by_name = {spec.name: spec for spec in CATALOG}
    spec = by_name.get(series)
    if spec and spec.type not in _SUFFIXES:
        return spec
    for kind, suffixes in _SUFFIXES.items():
        for suffix in suffixes:
            found = by_name.get(series.removesuffix(suffix))
            if series.endswith(suffix) and found and found.type is kind:
                return found
    return None


def labels_of(series: str) -> set[str]:
    """The labels that a stored series has; those of the scrape for a series that is not ours."""
    spec = family(series) if series.startswith(PREFIX) else None
    own = set(spec.labels) if spec else set()
    return {"job", "instance", *own, *(["le"] if series.endswith("_bucket") else [])}


def _takes_a_range(call: promql_parser.Call) -> bool:
    return any(isinstance(argument, promql_parser.MatrixSelector) for argument in call.args)
