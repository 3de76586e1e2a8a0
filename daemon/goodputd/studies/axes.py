"""What a study varies: keys of the settings and the values that each takes.

An axis is typed as ``KEY=LOW:HIGH:log20``, ``KEY=LOW:HIGH:lin9`` or ``KEY=VALUE,VALUE``. Which
values a key may have is left to the settings, which say so in their own words.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise, product
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import tomli

from goodputd.errors import SettingsError
from goodputd.settings import Settings
from goodputd.settings.checking import shown
from goodputd.settings.grid import repeated
from goodputd.settings.keys import class_at, document_keys
from goodputd.settings.model import GLOBAL, Document
from goodputd.sim.specs.fields import ZeroIs
from goodputd.studies.optimum import Limits
from goodputd.studies.study import Point

MOST_POINTS: Final = 10_000
_FEWEST_FOR_A_SCALE: Final = 3
_NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE: Final = re.compile(rf"({_NUMBER}):({_NUMBER}):(log|lin)(\d{{1,6}})")
_ALLOWED: Final = "allowed is KEY=LOW:HIGH:logN, KEY=LOW:HIGH:linN or KEY=VALUE,VALUE,..."
_FROM_FLAG: Final = "flag: "

Load = Callable[[Sequence[Mapping[str, object]]], list[Settings]]
"""The settings of a file under each of the changes, dotted key -> value."""


@dataclass(slots=True)
class Axis:
    """A key and its values."""

    key: str
    values: tuple[object, ...]
    is_log: bool = False
    """Whether the values lie evenly on a logarithmic scale, and are drawn on one."""

    @property
    def is_numeric(self) -> bool:
        """Whether the values can be drawn on a scale."""
        return all(isinstance(value, int | float) and not isinstance(value, bool) for value in self.values)

    @property
    def zero(self) -> str | None:
        """What 0 means where it is no small number, in a word: the values lie on a scale without it."""
        return zero_means(self.key)


def parse_axis(text: str, option: str = "--vary") -> Axis:
    """The axis that somebody typed. Errors: ``SettingsError``, one line that begins with the option."""
    key, equals, typed = text.partition("=")
    key, typed = key.strip(), typed.strip()
    if not equals or not typed:
        raise SettingsError(f"{option}: {text!r} is no key with values; {_ALLOWED}")
    _check_key(key, option)
    spaced = _RANGE.fullmatch(typed)
    if spaced is None and ":" in typed and not typed.startswith(('"', "[")):
        raise SettingsError(f"{option}: {typed!r} is no range; {_ALLOWED}")
    if spaced is None:
        axis = Axis(key, _listed(typed, key, option))
        axis.is_log = axis.is_numeric and _grows_by_ratios([float(str(value)) for value in axis.values])
        return axis
    low, high, count = float(spaced[1]), float(spaced[2]), int(spaced[4])
    is_log = spaced[3] == "log"
    if not low < high or count < 2 or (is_log and low <= 0.0) or not math.isfinite(high - low):  # noqa: PLR2004 - two ends
        below = "0 < LOW < HIGH" if is_log else "LOW < HIGH"
        raise SettingsError(f"{option}: {typed!r} is no range; it needs {below} and two values or more")
    if count > MOST_POINTS:
        raise SettingsError(f"{option}: {typed!r} are too many values; at most {MOST_POINTS:,} are played")
    values = _spaced(low, high, count, is_log=is_log)
    if is_whole(key):
        return Axis(key, tuple(dict.fromkeys(map(round, values))), is_log)
    return Axis(key, tuple(values), is_log)


def points(axes: Sequence[Axis], names: Sequence[str], load: Load, option: str = "--vary") -> list[Point]:
    """Every combination of the values for each scenario that is named, all without a name.

    Errors: ``SettingsError`` with every mistake: scenarios that are not there, axes that repeat a key,
    values that their key cannot have.
    """
    keys = [axis.key for axis in axes]
    if len(set(keys)) < len(keys):
        raise SettingsError(f"{option}: {max(keys, key=keys.count)} is varied twice")
    count = math.prod(len(axis.values) for axis in axes)
    if count > MOST_POINTS:
        raise SettingsError(
            f"{option}: {count:,} combinations are too many; at most {MOST_POINTS:,} are played"
        )
    changes = [dict(zip(keys, values, strict=True)) for values in product(*(axis.values for axis in axes))]
    (plain,) = load([{}])
    chosen = _chosen(plain, names)
    try:
        varied = load(changes)
    except SettingsError as error:
        told = (problem.removeprefix(_FROM_FLAG) for problem in error.problems)
        raise SettingsError(*(f"{option}: {problem}" for problem in told)) from error
    return [
        Point(name=plain.scenarios[index].name, scenario=settings.scenarios[index], varied=change)
        for index in chosen
        for settings, change in zip(varied, changes, strict=True)
    ]


def _chosen(settings: Settings, names: Sequence[str]) -> list[int]:
    there = [scenario.name for scenario in settings.scenarios]
    problems = []
    for name in names:
        if name not in there:
            close = get_close_matches(name, there, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            problems.append(
                f"{settings.source}: no scenario is named {name!r}{hint} (there are {', '.join(there)})"
            )
    problems += [f"scenario {name} is named twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    if problems:
        raise SettingsError(*problems)
    return [there.index(name) for name in names or there]


def _check_key(key: str, option: str) -> None:
    if key.partition(".")[0] in GLOBAL:
        raise SettingsError(f"{option}: {key} is the same for all scenarios and cannot be varied")
    if key not in document_keys():
        close = get_close_matches(key, document_keys(), n=1)
        last = [known for known in document_keys() if known.rpartition(".")[2] == key.rpartition(".")[2]]
        hint = f"; did you mean {(last or close)[0]}?" if last or close else ""
        raise SettingsError(f"{option}: unknown key {key!r}{hint}")


def _listed(typed: str, key: str, option: str) -> tuple[object, ...]:
    """The values of a list, as TOML has them; words may go without quotes."""
    try:
        values = tomli.loads(f"values = [{typed}]")["values"]
    except (tomli.TOMLDecodeError, KeyError):
        values = [value.strip() for value in typed.split(",")]
    if not values or any(isinstance(value, dict) for value in values):
        raise SettingsError(f"{option}: {key}: {typed!r} is no list of values; {_ALLOWED}")
    same = repeated(values)
    if same is not None:
        got = f"{shown(same[0])} and {shown(same[1])}"
        raise SettingsError(f"{option}: {key}: values must all be different (got {got})")
    return tuple(values)


def _grows_by_ratios(values: Sequence[float]) -> bool:
    """Whether the ratios of neighbours are more alike than their differences, as where values double."""
    ordered = sorted(values)
    if len(ordered) < _FEWEST_FOR_A_SCALE or ordered[0] <= 0.0:
        return False
    ratios = [math.log(high) - math.log(low) for low, high in pairwise(ordered)]
    differences = [high - low for low, high in pairwise(ordered)]
    return max(ratios) * min(differences) < min(ratios) * max(differences)


def _spaced(low: float, high: float, count: int, *, is_log: bool) -> list[float]:
    """Values from ``low`` to ``high``, both exactly, those between to six digits, as they are printed."""
    shares = [index / (count - 1) for index in range(1, count - 1)]
    between = [low * (high / low) ** share if is_log else low + (high - low) * share for share in shares]
    return [low, *(float(f"{value:.6g}") for value in between), high]


def is_whole(key: str) -> bool:
    """Whether the settings ask for a whole number there."""
    found = _plain_types(_annotation(key))
    return int in found and float not in found


def limits(key: str) -> Limits:
    """The least and the most number that the settings allow there; none where they only come near to it."""
    found = Limits()
    for condition in _conditions(_annotation(key)):
        lowest, highest = getattr(condition, "ge", None), getattr(condition, "le", None)
        found.lowest = found.lowest if lowest is None else lowest
        found.highest = found.highest if highest is None else highest
    if zero_means(key) is not None:
        found.lowest = 1
    return found


def zero_means(key: str) -> str | None:
    """What 0 means there, in a word, where it is the contrary of a small number; None elsewhere."""
    marks = [mark for mark in _conditions(_annotation(key)) if isinstance(mark, ZeroIs)]
    return marks[0].word if marks else None


def _annotation(key: str) -> Any:  # noqa: ANN401 - whatever a field is annotated with
    *tables, name = key.split(".")
    return getattr(class_at(Document, tuple(tables)), "__annotations__", {}).get(name)


def _conditions(annotation: Any) -> list[object]:  # noqa: ANN401 - as above
    if get_origin(annotation) is Annotated:
        return list(annotation.__metadata__)
    return [each for inner in get_args(annotation) for each in _conditions(inner)]


def _plain_types(annotation: Any) -> set[type]:  # noqa: ANN401 - whatever a field is annotated with
    if get_origin(annotation) is Annotated:
        return _plain_types(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        return set().union(*map(_plain_types, get_args(annotation)))
    return {annotation} if isinstance(annotation, type) else set()
