"""How numbers and names look in a panel: units, decimals, thresholds, meanings and colours.

Turns them into Grafana's field configuration, for all fields of a panel or as overrides for some.
Knows neither kinds of panels nor metrics.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from grafana_foundation_sdk.models import dashboard as model

from goodputd.sim.taxonomy import Layer
from grafana.palette import SKY, spoken

LIMIT: Final = "#999999"
"""Of lines that are compared with: targets, budgets, timeouts."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """How numbers look: unit, decimals, limits, and what their values mean."""

    unit: str
    decimals: int | None = None
    """None on axes, whose ticks choose their own."""
    low: float | None = None
    high: float | None = None
    steps: Sequence[tuple[float | None, str]] = ()
    """Thresholds: from which value on which colour; the first has no value."""
    meanings: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    """Text and colour that stand for single values."""
    missing: str = ""
    """What an empty cell of a table says."""


PERCENT: Final = Numbers("percentunit", 1, low=0.0)
SHARE: Final = Numbers("percentunit", 1, low=0.0, high=1.0)
SECONDS: Final = Numbers("s", 1, low=0.0)
MINUTES: Final = Numbers("suffix:min", low=0.0)
"""For axes, like the next two: seconds would be marked at 3.3 and 6.7 minutes."""
HOURS: Final = Numbers("suffix:h", low=0.0)
PLAIN_SECONDS: Final = Numbers("suffix:s")
SECONDS_OR_NONE: Final = Numbers("s", 1, low=0.0, meanings={0: ("none yet", LIMIT)})
COUNT: Final = Numbers("locale", 0, low=0.0)
"""Exact: 16,384 and not 16 K."""
A_DAY: Final = Numbers("short", 1, low=0.0)
TEXT: Final = Numbers("string", 0)
INSTANT: Final = Numbers("dateTimeAsIso", 0)
"""Of milliseconds since 1970."""


def configure(panel: model.Panel, numbers: Numbers, colours: Mapping[str, str]) -> None:
    """All fields of ``panel`` show ``numbers``; those named in ``colours`` have their colour.

    Names that are not there get one of Grafana's palette; with no colours at all, shades of one.
    """
    # Some builders leave it out; others have put the options of their kind into it.
    panel.field_config = panel.field_config or model.FieldConfigSource()
    defaults = panel.field_config.defaults
    defaults.unit, defaults.decimals = numbers.unit, numbers.decimals
    defaults.min_val, defaults.max_val = numbers.low, numbers.high
    defaults.mappings = _mappings(numbers)
    if numbers.steps:
        steps = [model.Threshold(value=value, color=colour) for value, colour in numbers.steps]
        defaults.thresholds = model.ThresholdsConfig(mode=model.ThresholdsMode.ABSOLUTE, steps=steps)
        defaults.color = model.FieldColor(mode=model.FieldColorModeId.THRESHOLDS)
    elif colours:
        defaults.color = model.FieldColor(mode=model.FieldColorModeId.PALETTE_CLASSIC_BY_NAME)
    else:
        defaults.color = model.FieldColor(mode=model.FieldColorModeId.SHADES, fixed_color=SKY)
    panel.field_config.overrides = []
    for name, colour in colours.items():
        override(panel, name, _named(name, colour))


def override(panel: model.Panel, name: str, properties: Mapping[str, object]) -> None:
    """The fields called ``name`` get these properties; a name in slashes is a regular expression."""
    matcher = model.MatcherConfig(id_val="byRegexp" if name.startswith("/") else "byName", options=name)
    values = [model.DynamicConfigValue(id_val=key, value=value) for key, value in properties.items()]
    rule = model.DashboardFieldConfigSourceOverrides(matcher=matcher, properties=values)
    config = panel.field_config or model.FieldConfigSource()
    panel.field_config = config
    config.overrides = [*(config.overrides or []), rule]


def words() -> list[model.ValueMapping]:
    """Makes names of closed sets read as words, wherever a field holds them as text."""
    nobody = model.ValueMap(options={Layer.NONE: model.ValueMappingResult(text=spoken(Layer.NONE), index=0)})
    blank = model.ValueMappingResult(text=" ", index=1)
    return [nobody, model.RegexMap(options=model.DashboardRegexMapOptions("/_/g", blank))]


def properties(numbers: Numbers) -> dict[str, object]:
    """What makes single columns of a table show ``numbers``."""
    shown: dict[str, object] = {"unit": numbers.unit, "decimals": numbers.decimals}
    if numbers.missing:
        shown["noValue"] = numbers.missing
    if numbers.steps:
        steps = [{"value": value, "color": colour} for value, colour in numbers.steps]
        shown["thresholds"] = {"mode": "absolute", "steps": steps}
        shown["color"] = {"mode": "thresholds"}
        shown["custom.cellOptions"] = {"type": "color-text"}
    if numbers.meanings:
        shown["mappings"] = _mappings(numbers)
    return shown


def _mappings(numbers: Numbers) -> list[model.ValueMapping]:
    if not numbers.meanings:
        return []
    results = {
        str(value): model.ValueMappingResult(text=text, color=colour, index=place)
        for place, (value, (text, colour)) in enumerate(numbers.meanings.items())
    }
    return [model.ValueMap(options=results)]


def _named(name: str, colour: str) -> dict[str, object]:
    shown: dict[str, object] = {"color": {"mode": "fixed", "fixedColor": colour}}
    return shown if spoken(name) == name else {**shown, "displayName": spoken(name)}
