"""A sweep as a picture: the figure over the varied key, with its interval and its optimum.

It draws the object that ``sweeping`` makes and computes nothing that is not in it. The library is an
extra. The same sweep gives the same bytes.
"""

from typing import IO, TYPE_CHECKING, Any, Final

from goodputd.errors import EnvironmentProblemError
from goodputd.narration import duration
from goodputd.studies.estimates import missing
from goodputd.studies.sweeping import Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES: Final = (".png", ".svg")
_INCHES: Final = (8.0, 5.0)
_DOTS_PER_INCH: Final = 150
_MOST_MARKED: Final = 3
"""With more curves than this, lines for every formula would hide them."""
_COLORS: Final = ("C0", "C2", "C4", "C5", "C6", "C8", "C9")
_FORMULAS: Final = (("young", "--", "C1"), ("daly", ":", "C3"))
"""Formula, style, color where there is one curve only."""
_WIDE: Final = 50.0
"""A figure whose largest value is this multiple of its smallest is drawn on a logarithmic scale."""
_LONG: Final = 1000.0
"""Over a longer range only whole powers of ten have room for a number."""
_BAND: Final = 0.2
_MOST_TICKS: Final = 12


def require() -> None:
    """Make sure that there is something to draw with. Errors: ``EnvironmentProblemError``."""
    try:
        import matplotlib.figure  # noqa: F401, PLC0415 - an extra, and half a second to load
    except ImportError as error:
        raise EnvironmentProblemError(missing("plots")) from error


def draw(sweep: Sweep, kind: str, file: IO[bytes]) -> None:
    """Write the picture; ``kind`` is png or svg."""
    import matplotlib as mpl  # noqa: PLC0415 - as above
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - as above
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    with mpl.rc_context({"svg.hashsalt": "goodputd", "font.size": 10.0}):
        figure = Figure(figsize=_INCHES, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        for number, curve in enumerate(sweep["curves"]):
            _curve(axes, sweep, curve, _COLORS[number % len(_COLORS)])
        _decorate(axes, sweep)
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(file, format=kind, dpi=_DOTS_PER_INCH, metadata=metadata)


def curve_name(sweep: Sweep, curve: Sweep) -> str:
    """What tells a curve from the others: its scenario, unless there is one only, and the held keys."""
    held = [f"{key.rpartition('.')[2]} {said(sweep, key, value)}" for key, value in curve["held"].items()]
    several = len({each["scenario"] for each in sweep["curves"]}) > 1
    return ", ".join([curve["scenario"]] * several + held) or curve["scenario"]


def said(sweep: Sweep, key: str, value: Any) -> Any:  # noqa: ANN401 - any value of a key
    """A value as people read it: a 0 that is no number is the word for it."""
    words = {axis["key"]: axis["zero"] for axis in sweep["axes"]}
    return words[key] if value == 0 and words[key] is not None else value


def _curve(axes: "Axes", sweep: Sweep, curve: Sweep, color: str) -> None:
    name = sweep["figure"]
    found = [(point["value"], point["figures"][name]) for point in curve["points"]]
    known = [(value, figure) for value, figure in found if figure is not None]
    beyond = [figure for value, figure in known if _is_word(sweep, value)]
    known = [(value, figure) for value, figure in known if not _is_word(sweep, value)]
    axes.plot(
        [value for value, _ in known],
        [each["mean"] for _, each in known],
        ".-",
        color=color,
        label=curve_name(sweep, curve),
        zorder=3,
    )
    if sweep["seeds"] > 1:
        several = [(value, each) for value, each in known if each["low"] is not None]
        axes.fill_between(
            [value for value, _ in several],
            [each["low"] for _, each in several],
            [each["high"] for _, each in several],
            color=color,
            alpha=_BAND,
            linewidth=0.0,
        )
    for each in beyond:
        axes.errorbar(_beyond(sweep), each["mean"], yerr=each["half_width"], fmt=".", color=color, zorder=3)
    _mark_optimum(axes, curve, color)
    if len(sweep["curves"]) <= _MOST_MARKED and curve["formulas"] is not None:
        for formula, style, own in _FORMULAS:
            value = curve["formulas"][formula]["value"]
            line = own if len(sweep["curves"]) == 1 else color
            axes.axvline(value, color=line, linestyle=style, label=f"{formula.title()}: {value:,.0f}")


def _is_word(sweep: Sweep, value: Any) -> bool:  # noqa: ANN401 - any value of a key
    """Whether the first key has a word for the value, which then has no place among the numbers."""
    return said(sweep, sweep["axes"][0]["key"], value) is not value


def _numbers(sweep: Sweep) -> list[float]:
    return sorted(value for value in sweep["axes"][0]["values"] if not _is_word(sweep, value))


def _beyond(sweep: Sweep) -> float:
    """Where that value is drawn: a step beyond the largest number."""
    numbers = _numbers(sweep)
    return numbers[-1] + (numbers[-1] - numbers[-2] if len(numbers) > 1 else 1) if numbers else 0


def _mark_optimum(axes: "Axes", curve: Sweep, color: str) -> None:
    optimum: dict[str, Any] | None = curve["optimum"]
    if optimum is None:
        return
    label = f"optimum: {optimum['value']:,.0f}"
    if optimum["low"] is not None:
        label += f" ({optimum['low']:,.0f} to {optimum['high']:,.0f})"
        axes.axvspan(optimum["low"], optimum["high"], color=color, alpha=_BAND)
    axes.plot(optimum["value"], optimum["figure"], "*", markersize=10, color=color, label=label, zorder=4)


def _decorate(axes: "Axes", sweep: Sweep) -> None:
    from matplotlib.ticker import (  # noqa: PLC0415 - as above
        LogLocator,
        NullFormatter,
        PercentFormatter,
        StrMethodFormatter,
    )

    first = sweep["axes"][0]
    means = [
        point["figures"][sweep["figure"]]["mean"]
        for curve in sweep["curves"]
        for point in curve["points"]
        if point["figures"][sweep["figure"]] is not None
    ]
    if first["log"] and all(value > 0 for value in first["values"]):
        axes.set_xscale("log")
        is_long = max(first["values"]) / min(first["values"]) > _LONG
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if is_long else (1.0, 2.0, 5.0)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    if any(_is_word(sweep, value) for value in first["values"]):
        numbers = _numbers(sweep)
        shown = numbers[:: 1 + len(numbers) // _MOST_TICKS]
        axes.set_xticks([*shown, _beyond(sweep)], [*map("{:,.10g}".format, shown), first["zero"]])
    if means and min(means) > 0.0 and max(means) / min(means) > _WIDE:
        axes.set_yscale("log")
    elif sweep["figure"].endswith(("_ratio", "_share")):
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.set_xlabel(first["key"])
    axes.set_ylabel(sweep["figure"])
    seeds = "one seed" if sweep["seeds"] == 1 else f"{sweep['seeds']} seeds, 95 % interval"
    axes.set_title(f"{sweep['source']}: {duration(sweep['simulated_seconds'])}, {seeds}", fontsize=10.0)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(fontsize=8.0)
