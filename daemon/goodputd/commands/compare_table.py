"""A comparison for people: a column per scenario, then the differences, then the conclusion.

Many scenarios have a row each, the best first. It draws the object that ``studies.comparison`` makes
and computes nothing that is not in it.
Readable without colour and in 80 columns.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from goodputd.commands.studying import who
from goodputd.narration import duration
from goodputd.studies.comparison import Comparison

_MOST_SIDE_BY_SIDE: Final = 6
"""With more scenarios than this nobody finds the best among the columns."""
_NAME_COLUMNS: Final = 24
_LABEL_COLUMNS: Final = 22
_SCENARIO_COLUMNS: Final = 19
_GAP_COLUMNS: Final = 2
_MINUTE_SECONDS: Final = 60.0
_TINY: Final = 1e-4
_FEW: Final = 100.0
"""Means of counts below this have a decimal."""

Write = Callable[[float], str]


def percent(value: float) -> str:
    """A share."""
    return f"{value:.2%}"


def count(value: float) -> str:
    """A count, or a mean of counts."""
    return f"{value:,.0f}" if value == round(value) or abs(value) >= _FEW else f"{value:,.1f}"


def plain(value: float) -> str:
    """Any other number, to three digits below a hundred."""
    return count(value) if abs(value) >= _FEW else f"{value:.3g}"


FIGURES: Final[tuple[tuple[str, str, Write], ...]] = (
    ("effective_training_time_ratio", "goodput", percent),
    ("effective_utilization_ratio", "utilization", percent),
    ("effective_compute_ratio", "effective compute", percent),
    ("lost_work_share", "lost work", percent),
    ("checkpoint_save_share", "checkpoint saves", percent),
    ("validation_share", "validation", percent),
    ("straggler_share", "stragglers", percent),
    ("stopped_share", "stopped", percent),
    ("provisional_share", "not yet saved", percent),
    ("interruptions", "interruptions", count),
    ("faults", "faults", count),
    ("corruptions_injected", "SDC injected", count),
    ("corruptions_detected", "SDC detected", count),
    ("corruptions_baked", "SDC baked in", count),
    ("false_alarms", "false alarms", count),
    ("mtbf_seconds", "MTBF", duration),
    ("mttd_seconds", "MTTD", duration),
    ("mttr_seconds", "MTTR", duration),
    ("restarts", "decided: restart", count),
    ("restart_success_ratio", "  held for 24 h", percent),
    ("evictions", "decided: evict", count),
    ("evict_success_ratio", "  held for 24 h", percent),
    ("step", "step reached", count),
    ("completion_seconds", "completed after", duration),
    ("lost_steps", "lost steps", count),
    ("checkpoints", "checkpoints", count),
)
"""Figure, label, how it is written; figures that are 0 everywhere have no row."""


def labels() -> dict[str, str]:
    """What the tables call a figure, in small letters -> the figure, of those that are called by one name."""
    return {label.lower(): name for name, label, _ in FIGURES if not label.startswith(" ")}


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the whole comparison; as many scenarios side by side as the console is wide."""
    scenarios: list[Comparison] = comparison["scenarios"]
    console.print(title(comparison, scenarios))
    varied = {scenario["scenario"] for scenario in scenarios if "scenario" in scenario}
    if len(varied) == 1:
        console.print(who(varied.pop(), comparison["other_scenarios"]))
    tables = _ranking if len(scenarios) > _MOST_SIDE_BY_SIDE else _side_by_side
    for table in tables(comparison, console.width):
        console.print("", table, sep="\n")
    for note in _notes(comparison):
        console.print("", note, sep="\n")
    console.print("", comparison["conclusion"], sep="\n")


def title(study: Comparison, played: Sequence[Comparison]) -> str:
    """What was played: version, length, seeds, source; a job that is completed ends before its time."""
    first, number = study["first_seed"], study["seeds"]
    seeds = f"seed {first}" if number == 1 else f"seeds {first} to {first + number - 1}, means ± 95 %"
    ends = any(each["figures"]["completion_seconds"] for each in played)
    simulated = ("at most " if ends else "") + duration(study["simulated_seconds"])
    return f"goodputd {study['version']}: {simulated} simulated, {seeds}, {study['source']}"


def _side_by_side(comparison: Comparison, width: int) -> Iterator[Table]:
    """As many scenarios beside each other as there is room for, then their differences from the first."""
    scenarios: list[Comparison] = comparison["scenarios"]
    fitting = max(1, (width - _LABEL_COLUMNS) // _SCENARIO_COLUMNS)
    for start in range(0, len(scenarios), fitting):
        yield _table("", scenarios[start : start + fitting], "figures")
    others = scenarios[1:]
    for start in range(0, len(others), fitting):
        yield _table(f"minus {comparison['compared_with']}", others[start : start + fitting], "differences")


def _ranking(comparison: Comparison, width: int) -> Iterator[Table]:
    """A row for each scenario, the best first; as many figures beside each other as there is room for."""
    places = {name: place for place, name in enumerate(comparison["ranking"])}
    scenarios = sorted(comparison["scenarios"], key=lambda each: places[each["name"]])
    names = [each["name"] for each in scenarios]
    columns: list[tuple[str, list[str]]] = []
    room = width - _names_width(names)
    for column in _ranking_columns(comparison["compared_on"], scenarios):
        needed = _column_width(*column) + _GAP_COLUMNS
        if columns and needed > room:
            yield _rows(names, columns)
            columns, room = [], width - _names_width(names)
        columns.append(column)
        room -= needed
    yield _rows(names, columns)


def _ranking_columns(metric: str, scenarios: Sequence[Comparison]) -> Iterator[tuple[str, list[str]]]:
    """Label and cells: what they are ranked by, how far they are behind, and every other figure."""
    of = ""
    ranked = sorted(FIGURES, key=lambda figure: figure[0] != metric)
    for name, label, write in ranked:
        cells = [scenario["figures"][name] for scenario in scenarios]
        if any(cell is not None and cell["mean"] != 0.0 for cell in cells):
            full = f"{of} {label.strip()}" if label.startswith(" ") else label
            yield full, [cell_text(cell, write) for cell in cells]
        of = label.split()[-1]
        if name == metric:
            behind = [cell_text(each.get("behind_best"), percent, signed=True) for each in scenarios]
            yield "behind the best", behind


def _names_width(names: Sequence[str]) -> int:
    return min(max(map(len, names)), _NAME_COLUMNS)


def _column_width(label: str, cells: Sequence[str]) -> int:
    """Room for every cell in one line, and for the longest word of the label."""
    return max(map(len, (*label.split(), *cells)))


def _rows(names: Sequence[str], columns: Sequence[tuple[str, list[str]]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 0, 0, _GAP_COLUMNS))
    table.add_column("", width=_names_width(names), overflow="fold")
    for label, cells in columns:
        table.add_column(label, justify="right", width=_column_width(label, cells), overflow="fold")
    for row in zip(names, *(cells for _, cells in columns), strict=True):
        table.add_row(*row)
    return table


def _table(heading: str, scenarios: Sequence[Comparison], key: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, _GAP_COLUMNS, 0, 0))
    table.add_column(heading, width=_LABEL_COLUMNS - _GAP_COLUMNS, overflow="fold")
    for scenario in scenarios:
        width = _SCENARIO_COLUMNS - _GAP_COLUMNS
        table.add_column(scenario["name"], justify="right", width=width, overflow="fold")
    signed = key == "differences"
    for name, label, write in FIGURES:
        cells = [scenario[key][name] for scenario in scenarios]
        if any(cell is not None and cell["mean"] != 0.0 for cell in cells):
            table.add_row(label, *(cell_text(cell, write, signed=signed) for cell in cells))
    return table


def cell_text(cell: Comparison | None, write: Write, *, signed: bool = False) -> str:
    """A mean with its interval, or a dash without data; ``signed`` for differences."""
    if cell is None:
        return "-"
    mean = cell["mean"]
    size, half = abs(mean) if signed else mean, cell["half_width"]
    if half is not None and write is duration and half >= _MINUTE_SECONDS:  # no finer than it is known
        size = round(size / _MINUTE_SECONDS) * _MINUTE_SECONDS or size
    written = write(size)
    is_nothing = not any("1" <= letter <= "9" for letter in written)
    sign = "" if not signed or is_nothing else "+" if mean > 0.0 else "-"
    return sign + written if half is None else f"{sign}{written} ±{_half(half, size, write)}"


def _half(half: float, mean: float, write: Write) -> str:
    """Half of an interval, no finer than it needs to be beside its mean."""
    if write is percent:
        return f"{100.0 * half:.2f}"
    if write is duration:
        unit = 1.0 if half < _MINUTE_SECONDS else _MINUTE_SECONDS
        return duration(half if abs(mean) < _MINUTE_SECONDS else round(half / unit) * unit)
    if write is plain and half < _TINY * abs(mean):
        return "0"
    return write(half if abs(mean) < _FEW else round(half))


def _notes(comparison: Comparison) -> list[str]:
    """What keeps a comparison from being fair."""
    scenarios, first = comparison["scenarios"], comparison["compared_with"]
    other = [each["name"] for each in scenarios if each["faults"] == "other"]
    none = [each["name"] for each in scenarios if each["faults"] == "none"]
    notes = []
    if other:
        notes.append(
            f"Unpaired: {', '.join(other)} did not meet the same faults as {first}, since [faults] or "
            "[cluster] differ; part of the difference is luck, and the intervals are as wide as it is."
        )
    if none:
        notes.append(f"Nothing breaks in {', '.join(none)}.")
    return notes
