"""A sweep for people: a table per curve, and below it where the optimum is.

It draws the object that ``studies.sweeping`` makes and computes nothing that is not in it. Readable
without colour and in 80 columns.
"""

from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.table import Table

from goodputd.commands.compare_table import FIGURES, Write, cell_text, count, percent, plain, title
from goodputd.commands.studying import who
from goodputd.narration import duration
from goodputd.studies.plot import curve_name, said
from goodputd.studies.sweeping import GOALS, INTERVAL_STEPS, Sweep

_SHARE_COLUMNS: Final = 13
_FIGURE_COLUMNS: Final = 15
_GAP_COLUMNS: Final = 2
_GOODPUT: Final = "effective_training_time_ratio"
_PARTS: Final = ("lost_work_share", "checkpoint_save_share", "stopped_share")
_WHERE_CORRUPT: Final = ("corruptions_baked", "validation_share")
"""What corruption does and what keeps it out, where there is any: goodput sees the latter alone."""
_BESIDE_A_GOAL: Final = (_GOODPUT, *_WHERE_CORRUPT, *_PARTS, "interruptions_per_day", "mttr_seconds")
_BESIDE_ANOTHER: Final = ("interruptions_per_day", _GOODPUT, *_WHERE_CORRUPT, *_PARTS, "mttr_seconds")
"""What stands beside the figure that was asked for, as far as the console is wide."""
_UNITS: Final = {
    "seconds": " s",
    "hours": " h",
    "days": " d",
    "steps": " steps",
    "nodes": " nodes",
    "spares": " spares",
    "celsius": " °C",
}
"""Last word of a key -> what its values are."""
_THOUSAND: Final = 1000.0
_DEGREES: Final = {2: "quadratic", 4: "quartic"}


def print_sweep(sweep: Sweep, console: Console) -> None:
    """Print every curve."""
    console.print(title(sweep, [point for curve in sweep["curves"] for point in curve["points"]]))
    varied = {curve["scenario"] for curve in sweep["curves"]}
    if len(varied) == 1 and (sweep["other_scenarios"] or sweep["curves"][0]["held"]):
        console.print(who(varied.pop(), sweep["other_scenarios"]))
    for curve in sweep["curves"]:
        console.print("", curve_name(sweep, curve), _table(sweep, curve, console.width), sep="\n")
        if curve["changes_nothing"] and len(curve["points"]) > 1:
            console.print(f"{sweep['axes'][0]['key']} changes nothing here: every row is the same.")
        elif curve["optimum"] is not None:
            console.print(_optimum(sweep, curve))
        else:
            console.print(f"No optimum is told: {curve['no_optimum']}.")
        if curve["formulas"] is not None:
            console.print(_formulas(sweep, curve["formulas"]))
    wanted, widest = sweep["precision"]["wanted"], sweep["precision"]["widest"]
    if wanted is not None:
        reached = "reached" if widest <= wanted else "not reached"
        console.print("", f"Precision {wanted:g} {reached}: the widest interval is ±{widest:.3g}.", sep="\n")


def _table(sweep: Sweep, curve: Sweep, width: int) -> Table:
    key = sweep["axes"][0]["key"]
    table = Table(box=None, pad_edge=False, padding=(0, _GAP_COLUMNS, 0, 0))
    values = [_value(said(sweep, key, point["value"])) for point in curve["points"]]
    table.add_column(key.rpartition(".")[2], justify="right", no_wrap=True)
    taken = max(len(key.rpartition(".")[2]), *map(len, values)) + _GAP_COLUMNS
    names = _names(sweep, width - taken)
    for name in names:
        table.add_column(_label(name), justify="right", width=_columns(name), overflow="fold")
    for value, point in zip(values, curve["points"], strict=True):
        figures = point["figures"]
        table.add_row(value, *(cell_text(figures[name], _writer(name)) for name in names))
    return table


def _names(sweep: Sweep, width: int) -> list[str]:
    """The figure that was asked for, and as many others as there is room for."""
    beside = _BESIDE_A_GOAL if sweep["figure"] in GOALS else _BESIDE_ANOTHER
    figures = [point["figures"] for curve in sweep["curves"] for point in curve["points"]]
    is_corrupt = any(each["corruptions_injected"]["mean"] > 0.0 for each in figures)
    hidden = () if is_corrupt else _WHERE_CORRUPT
    names = [sweep["figure"]]
    width -= _columns(sweep["figure"]) + _GAP_COLUMNS
    for name in beside:
        if name in {sweep["figure"], *hidden}:
            continue
        width -= _columns(name) + _GAP_COLUMNS
        if width < 0:
            break
        names.append(name)
    return names


def _columns(name: str) -> int:
    return _SHARE_COLUMNS if _writer(name) in {percent, count} else _FIGURE_COLUMNS


def _optimum(sweep: Sweep, curve: Sweep) -> str:
    """The vertex, how well it is known, and from what."""
    optimum, name, unit = curve["optimum"], sweep["figure"], _unit(sweep)
    interval = ""
    if optimum["low"] is not None:
        interval = f" (95 % interval {_value(optimum['low'])} to {_value(optimum['high'])}{unit})"
    scale = "log(value)" if optimum["is_log"] else "value"
    reached = f"{_label(name)} {_writer(name)(optimum['figure'])}"
    basis = "the best that was measured, between its whole neighbours"
    if optimum["fitted"]:
        basis = f"by a {_DEGREES[optimum['degree']]} fit in {scale} to {optimum['fitted']} values"
    return f"Optimum: {_value(optimum['value'])}{unit}{interval}, {reached}; {basis}."


def _unit(sweep: Sweep) -> str:
    """What the varied key counts in, by its name; nothing for a pure number."""
    *_, name = sweep["axes"][0]["key"].split(".")
    per, last = "_per_" in f"_{name}", name.rpartition("_")[2]
    return "" if per else _UNITS.get(last, "")


def _formulas(sweep: Sweep, formulas: Sweep) -> str:
    """What Young and Daly would have chosen, what that costs, and from what it was computed."""
    parts, unit = [], _unit(sweep)
    for name in ("young", "daly"):
        loss = formulas[name]["loss"]
        lost = "" if loss is None else f" (loses {100.0 * loss:.3f} points)"
        parts.append(f"{name.title()}: {_value(formulas[name]['value'])}{unit}{lost}")
    save, mtbf = formulas["save_seconds"], formulas["mtbf_seconds"]
    is_in_steps = sweep["axes"][0]["key"] == INTERVAL_STEPS
    steps = f"steps of {formulas['step_seconds']:.3g} s, " if is_in_steps else ""
    basis = f"save {duration(save)}, {steps}{duration(mtbf)} of training between interruptions"
    return f"{', '.join(parts)}; {basis}, as measured."


def _label(name: str) -> str:
    return next((label for figure, label, _ in FIGURES if figure == name), name.replace("_", " "))


def _writer(name: str) -> Write:
    found: dict[str, Callable[[float], str]] = {figure: write for figure, _, write in FIGURES}
    return found.get(name, plain)


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= _THOUSAND else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
