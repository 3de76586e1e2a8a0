"""The rules as tests see them: rendered, parsed, and with recorded series put in place.

Knows YAML and PromQL syntax, and neither what a rule is for nor how it is evaluated.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import promql_parser as promql
import yaml

ROOT: Final = Path(__file__).parent.parent.parent
CONFIG: Final = ROOT / "config" / "prometheus"
ACCELERATED: Final = CONFIG / "accelerated.rules.yml"
REALTIME: Final = CONFIG / "realtime.rules.yml"
SHIPPED: Final = {ACCELERATED: (1440.0, 1.0), REALTIME: (1.0, 60.0)}
"""Speedup and scrape interval in wall seconds that each file is made for."""

_RECORDED: Final = re.compile(r"\b\w+:\w+:\w+\b")
"""A colon stands in names of recorded series and nowhere else in PromQL that we write."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; exactly one of ``record`` and ``alert`` is not empty."""

    group: str
    record: str
    alert: str
    expression: str
    hold: str
    labels: dict[str, str]
    annotations: dict[str, str]

    @property
    def name(self) -> str:
        """What it records, or the alert."""
        return self.record or self.alert

    @property
    def is_simulated(self) -> bool:
        """Whether it is about a simulation and not about the daemon."""
        return self.group == "goodputd-simulated"

    def parsed(self) -> Any:  # noqa: ANN401 - a syntax tree without a common useful type
        """The syntax tree. Errors: ``ValueError`` when it is not PromQL."""
        return promql.parse(self.expression)


def read(path: Path) -> list[Rule]:
    """The rules of a file, in order."""
    return [
        Rule(
            group=group["name"],
            record=rule.get("record", ""),
            alert=rule.get("alert", ""),
            expression=rule["expr"],
            hold=rule.get("for", ""),
            labels=rule.get("labels", {}),
            annotations=rule.get("annotations", {}),
        )
        for group in yaml.safe_load(path.read_text(encoding="utf-8"))["groups"]
        for rule in group["rules"]
    ]


RULES: Final = read(ACCELERATED)
ALERTS: Final = [rule for rule in RULES if rule.alert]
RECORDED: Final = {rule.record: rule for rule in RULES if rule.record}


def in_place(expression: str) -> str:
    """The expression with every recorded series replaced by what is recorded, so that it needs no rules."""
    while _RECORDED.search(expression):
        expression = _RECORDED.sub(lambda found: f"({RECORDED[found[0]].expression}\n)", expression)
    return expression


def nodes(expression: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:  # noqa: ANN401 - as above
    """Every node of a syntax tree, with the nodes around it, outermost first."""
    yield from _below(expression, ())


def _below(node: Any, around: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:  # noqa: ANN401
    yield node, around
    children: list[Any] = []
    match node:
        case promql.BinaryExpr():
            children = [node.lhs, node.rhs]
        case promql.AggregateExpr() | promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
            children = [node.expr]
        case promql.Call():
            children = list(node.args)
        case promql.MatrixSelector():
            children = [node.vector_selector]
        case _:
            pass
    for child in children:
        yield from _below(child, (*around, node))
