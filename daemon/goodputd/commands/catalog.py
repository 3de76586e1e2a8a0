"""``goodputd catalog``: which fault catalogs are shipped, and what is in one.

It shows a catalog as it was published, with the rates in its own units; what they come to on a
given fleet is the business of a simulation.
"""

import dataclasses
import json
from typing import Final

from rich.table import Table

from goodputd import catalogs
from goodputd.commands.console import console
from goodputd.sim.specs.faults import CatalogSpec, FaultKindSpec

_RATES: Final = {"per_gpu_hour": "per GPU-hour", "per_node_day": "per node-day", "per_job_day": "per job-day"}


def print_list(*, as_json: bool) -> None:
    """Print name and title of every shipped catalog."""
    shipped = [catalogs.load(name) for name in catalogs.names()]
    if as_json:
        entries = [
            {"name": c.name, "title": c.title, "source": c.source, "kinds": len(c.kinds)} for c in shipped
        ]
        print(json.dumps(entries, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("name", "kinds", "title"):
        table.add_column(column, justify="right" if column == "kinds" else "left")
    for catalog in shipped:
        table.add_row(catalog.name, str(len(catalog.kinds)), catalog.title)
    console().print(table)


def print_kinds(name: str, *, as_json: bool) -> None:
    """Print every kind of one catalog with rate, symptom and component, the most frequent first.

    Errors: ``SettingsError`` when there is no such catalog.
    """
    catalog = catalogs.load(name)
    if as_json:
        print(json.dumps(dataclasses.asdict(catalog), indent=2))
        return
    out = console()
    out.print(f"{catalog.name}: {catalog.title}")
    out.print(f"Source: {catalog.source}")
    if catalog.assumptions:
        out.print(f"Assumed by us: {catalog.assumptions}")
    if any(kind.count is not None for kind in catalog.kinds):
        out.print(
            f"Rates are counts of {catalog.reference_gpus:,} GPUs in {catalog.reference_days:g} days; those "
            "of scope node follow the size of the cluster, those of scope job do not."
        )
    out.print("", _kinds(catalog), sep="\n")


def rate(kind: FaultKindSpec) -> str:
    """The rate as the catalog states it: a count, or a number with its unit."""
    if kind.count is not None:
        return f"{kind.count:g}"
    for field, unit in _RATES.items():
        value = getattr(kind, field)
        if value is not None:
            return f"{value:g} {unit}"
    return "-"


def _kinds(catalog: CatalogSpec) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("kind", "component", "scope", "symptom", "rate", "transient"):
        table.add_column(
            heading, justify="right" if heading in {"rate", "transient"} else "left", no_wrap=True
        )
    table.add_column("event", overflow="fold")
    for kind in sorted(catalog.kinds, key=lambda kind: -(kind.count or 0.0)):
        table.add_row(
            kind.name,
            kind.component,
            kind.scope,
            kind.symptom,
            rate(kind),
            f"{kind.transient_probability:.0%}",
            kind.event or "-",
        )
    return table
