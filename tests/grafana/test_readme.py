"""What ``grafana/README.md`` says about the dashboards is so."""

import re
from pathlib import Path
from typing import Any

import pytest

from grafana.board import TITLES
from grafana.build import DASHBOARDS as FILES
from grafana.palette import BUCKETS
from tests.grafana.each import DASHBOARDS
from tests.grafana.expressions import panels

README = Path(__file__).parent.parent.parent / "grafana" / "README.md"
TEXT = README.read_text(encoding="utf-8").partition("## Runbooks")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line[:1] == "|"
]


@pytest.mark.parametrize("name", FILES)
def test_a_dashboard_is_described_by_what_it_opens_with(name: str) -> None:
    """The table has its file, the question that heads its first row, and the panels of that row in order."""
    (dashboard,) = (each for each in DASHBOARDS if each["uid"] == f"goodputd-{name}")
    title, question, first = _opening(dashboard)

    assert [f"[{title}](dashboards/{name}.json)", question, first] in ROWS


def _opening(dashboard: dict[str, Any]) -> tuple[str, str, str]:
    shown = [(heading, panel["title"]) for heading, number, panel in panels(dashboard) if number == 0]
    return TITLES[dashboard["uid"]], shown[0][0], ", ".join(title for _, title in shown)


def test_the_colours_of_buckets_are_listed() -> None:
    """The table of buckets has their colours, in the order in which they are drawn."""
    listed = [
        (bucket[1], colour[1])
        for cells in ROWS
        if (bucket := re.fullmatch(r"`(\w+)`", cells[0])) and (colour := re.fullmatch(r"`(#\w+)`", cells[1]))
    ]

    assert list(BUCKETS.items()) == listed
