"""The summary of a simulation for people: a table and bars, one column or one bar per scenario.

It draws the object that ``summary`` makes and computes nothing that is not in it, so that the table
and the JSON cannot disagree. Readable without colour and in 80 columns.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from goodputd.history.phrases import time_spent
from goodputd.narration import duration
from goodputd.summary import Summary

_LABEL_COLUMNS: Final = 28
_SCENARIO_COLUMNS: Final = 17
_GAP_COLUMNS: Final = 2
_PERCENT_COLUMNS: Final = 7
_BAR_COLUMNS: Final = (10, 40)
"""The narrowest and the widest bar."""

_EIGHTHS: Final = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")

_BUCKETS: Final = (
    "productive", "provisional", "retracted", "lost_work", "checkpoint_save", "validation", "straggler",
    "undetected_stall", "decision", "waiting_for_capacity", "restart", "checkpoint_restore", "verify",
)  # fmt: skip
"""The order of the bars; an unknown bucket comes last."""

Row = tuple[str, Callable[[Summary], str]]

_FIGURES: Final[tuple[Row, ...]] = (
    ("goodput", lambda s: _percent(s["effective_training_time_ratio"])),
    ("utilization", lambda s: _percent(s["effective_utilization_ratio"])),
    ("effective compute", lambda s: _percent(s["effective_compute_ratio"])),
    ("interruptions", lambda s: f"{s['interruptions']['total']:,}"),
    ("  expected by the rates", lambda s: f"{s['expected_interruptions']:,.1f}"),
    ("planned stops", lambda s: f"{s['planned_stops']:,}"),
    ("faults", lambda s: f"{sum(s['faults']['by_origin'].values()):,}"),
    ("  of them recurrences", lambda s: f"{s['faults']['by_origin']['recurrence']:,}"),
    ("MTBF", lambda s: _duration(s["mtbf_seconds"])),
    ("MTTD", lambda s: _duration(s["mttd_seconds"])),
    ("MTTR", lambda s: _duration(s["mttr_seconds"])),
    ("SDC injected", lambda s: f"{s['corruptions']['injected']:,}"),
    ("SDC detected", lambda s: f"{s['corruptions']['detected']:,}"),
    ("SDC baked in", lambda s: f"{s['corruptions']['baked']:,}"),
    ("step reached", lambda s: f"{s['step']:,}"),
    ("step time, now", lambda s: f"x {s['step_time_ratio']:.3f}"),
    ("lost steps", lambda s: f"{s['lost_steps'] + s['retracted_steps']:,}"),
    ("  of them retracted", lambda s: f"{s['retracted_steps']:,}"),
    ("checkpoints", lambda s: f"{s['checkpoints']:,}"),
    ("  every", lambda s: _duration(s["checkpoint_interval_seconds"])),
    ("decided: restart (held)", lambda s: _decided(s, "restart")),
    ("decided: evict (held)", lambda s: _decided(s, "evict")),
    ("false alarms", lambda s: f"{sum(s['false_alarms'].values()):,}"),
    ("idle capacity", lambda s: _percent(s["idle_capacity_ratio"])),
    ("spares left", lambda s: f"{sum(s['fleet']['spares'].values()):,}"),
    ("in repair", lambda s: f"{s['nodes']['repairing']:,}"),
    ("  of them wait for a crew", lambda s: f"{s['fleet']['repair_line']:,}"),
    ("retired", lambda s: f"{s['nodes']['retired']:,}"),
    ("displaced", lambda s: f"{s['fleet']['displaced_nodes']:,}"),
)

_UNUSUAL: Final[dict[str, Callable[[Summary], float | None]]] = {
    "planned stops": lambda s: s["planned_stops"],
    "SDC injected": lambda s: s["corruptions"]["injected"],
    "SDC detected": lambda s: s["corruptions"]["injected"],
    "SDC baked in": lambda s: s["corruptions"]["injected"],
    "step time, now": lambda s: round(s["step_time_ratio"] - 1.0, 3),
    "idle capacity": lambda s: s["idle_capacity_ratio"],
    "spares left": lambda s: s["decisions"]["evict"] + s["decisions"]["retire"],
    "in repair": lambda s: s["nodes"]["repairing"],
    "  of them wait for a crew": lambda s: s["fleet"]["repair_line"],
    "retired": lambda s: s["nodes"]["retired"],
    "displaced": lambda s: s["fleet"]["displaced_nodes"],
}
"""Figures that are left out while this is 0 everywhere."""

_TARGET: Final[tuple[Row, ...]] = (
    ("target step", lambda s: f"{s['target']['step']:,}" if "target" in s else "-"),
    ("  reached after", lambda s: _reached(s["target"]) if "target" in s else "-"),
)


def print_summary(summary: Summary, console: Console, *, source: str) -> None:
    """Print the whole summary; as many scenarios side by side as the console is wide.

    ``source`` is where the settings came from.
    """
    scenarios: list[Summary] = summary["scenarios"]
    simulated = duration(summary["simulated_seconds"])
    console.print(f"goodputd {summary['version']}: {simulated} simulated, seed {summary['seed']}, {source}")
    fitting = max(1, (console.width - _LABEL_COLUMNS) // _SCENARIO_COLUMNS)
    for first in range(0, len(scenarios), fitting):
        console.print("", _table(scenarios[first : first + fitting]), sep="\n")
    console.print("", _bars(scenarios, console), sep="\n")
    unpaired = [s["name"] for s in scenarios if not s["paired"]]
    if unpaired:
        console.print(
            f"\nNote: {', '.join(unpaired)} did not meet the same faults as {scenarios[0]['name']}, "
            "since [faults] or [cluster] differ: part of the difference is luck."
        )


def _table(scenarios: Sequence[Summary]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP_COLUMNS, 0, 0))
    table.add_column("", width=_LABEL_COLUMNS - _GAP_COLUMNS, no_wrap=True)
    for scenario in scenarios:
        width = _SCENARIO_COLUMNS - _GAP_COLUMNS
        table.add_column(scenario["name"], justify="right", width=width, overflow="fold")
    figures = _FIGURES + _TARGET if any("target" in each for each in scenarios) else _FIGURES
    for label, cell in figures:
        cells = [cell(s) for s in scenarios]
        if label not in _UNUSUAL or any(map(_UNUSUAL[label], scenarios)):
            table.add_row(label, *cells)
    for key in ("by_component", "by_layer"):
        table.add_row()
        table.add_row(f"interruptions {key.replace('_', ' ')}")
        for name, counts in _counts(scenarios, key):
            table.add_row(f"  {name.replace('_', ' ')}", *(f"{count:,}" for count in counts))
    return table


def _counts(scenarios: Sequence[Summary], key: str) -> Iterator[tuple[str, list[int]]]:
    """The interruptions by ``key`` of every scenario, without the rows that are 0 in all."""
    for name in scenarios[0]["interruptions"][key]:
        counts = [s["interruptions"][key][name] for s in scenarios]
        if any(counts):
            yield name, counts


def _bars(scenarios: Sequence[Summary], console: Console) -> Table:
    taken = (
        max(len(time_spent(bucket)) for bucket in _BUCKETS)
        + max(len(s["name"]) for s in scenarios)
        + _PERCENT_COLUMNS
    )
    narrowest, widest = _BAR_COLUMNS
    columns = min(max(console.width - taken - 3 * _GAP_COLUMNS, narrowest), widest)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP_COLUMNS, 0, 0))
    table.add_column("where the time went", no_wrap=True)
    table.add_column("", overflow="fold")
    table.add_column("", width=columns, no_wrap=True)
    table.add_column("", justify="right", width=_PERCENT_COLUMNS, no_wrap=True)
    shares = [_shares(s) for s in scenarios]
    for bucket in shares[0]:
        if not any(share[bucket] for share in shares):
            continue
        label = time_spent(bucket)
        for scenario, share in zip(scenarios, shares, strict=True):
            bar = _bar(share[bucket], columns, ascii_only=console.options.ascii_only)
            table.add_row(label, scenario["name"], Text(bar, style="green"), f"{share[bucket]:.2%}")
            label = ""
    return table


def _shares(scenario: Summary) -> dict[str, float]:
    """Share of elapsed time per bucket; work that was not kept, or not yet, stands beside what was."""
    seconds: dict[str, float] = dict(scenario["time_seconds"])
    seconds["productive"] -= scenario["retracted_seconds"]
    seconds["retracted"] = scenario["retracted_seconds"]
    seconds["provisional"] = scenario["provisional_seconds"]
    order = (*(b for b in _BUCKETS if b in seconds), *(b for b in seconds if b not in _BUCKETS))
    elapsed = scenario["simulated_seconds"]
    return {bucket: seconds[bucket] / elapsed if elapsed else 0.0 for bucket in order}


def _bar(share: float, columns: int, *, ascii_only: bool) -> str:
    """A bar of ``share`` of the columns; whatever is above 0 shows at least a sliver."""
    parts = 1 if ascii_only else len(_EIGHTHS)
    length = max(round(share * columns * parts), 1 if share > 0.0 else 0)
    whole, part = divmod(length, parts)
    return ("#" if ascii_only else "█") * whole + _EIGHTHS[part]


def _percent(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2%}"


def _duration(seconds: float | None) -> str:
    return "-" if seconds is None else duration(seconds)


def _decided(scenario: Summary, action: str) -> str:
    ratio: Any = scenario["recovery_success_ratio"].get(action)
    return f"{scenario['decisions'][action]:,} ({'-' if ratio is None else f'{ratio:.0%}'})"


def _reached(target: Summary) -> str:
    return duration(target["seconds"]) if target["completed"] else "not completed"
