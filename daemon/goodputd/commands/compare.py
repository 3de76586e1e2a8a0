"""``goodputd compare``: scenarios side by side on the same faults, and one line of conclusion.

It chooses what is played, has it played, and prints; the numbers are the business of ``studies``.
"""

import json
import sys
from collections.abc import Sequence
from typing import Final

from goodputd import __version__
from goodputd.commands.console import console
from goodputd.commands.doubts import tell_doubts
from goodputd.commands.studying import bar, seeds, tell_interrupted, unasked
from goodputd.errors import SettingsError
from goodputd.studies.axes import Axis, Load, points
from goodputd.studies.comparison import compare
from goodputd.studies.conclusion import conclude
from goodputd.studies.rows import write_csv
from goodputd.studies.runs import executor
from goodputd.studies.study import Point, Results, Study, conduct

STRIKES_KEY: Final = "policy.strikes.strikes_to_evict"
_STRIKES_OPTION: Final = "--strikes"
_FEWEST: Final = 2


def run(
    load: Load,
    *,
    names: Sequence[str],
    strikes: Sequence[int],
    count: int,
    horizon_seconds: float,
    workers: int,
    as_json: bool,
    as_csv: bool,
) -> bool:
    """Play and print; False when somebody stopped it, after what was finished.

    Errors: ``SettingsError``, ``EnvironmentProblemError`` for what cannot be played or compared.
    """
    if as_json and as_csv:
        raise SettingsError("--json and --csv: give one of them")
    (settings,) = load([{}])
    chosen = chosen_points(load, names, strikes)
    study = Study(points=chosen, seeds=seeds(settings.seed, count), horizon_seconds=horizon_seconds)
    tell_doubts(settings)
    with bar(study) as (progress, report):
        results = conduct(study, executor(workers, report), progress=progress)
    if results.interrupted:
        tell_interrupted(results)
    others = unasked(settings, names) if strikes else []
    _print(results, settings.source, others, as_json=as_json, as_csv=as_csv)
    return not results.interrupted


def chosen_points(load: Load, names: Sequence[str], strikes: Sequence[int]) -> list[Point]:
    """The scenarios to compare; with ``strikes`` each of them, or the first, under every number of strikes.

    Errors: ``SettingsError`` when there are not two of them, or another policy would not count strikes.
    """
    (settings,) = load([{}])
    if not strikes:
        found = points([], names, load)
        if len(found) < _FEWEST:
            raise SettingsError(
                f"{settings.source}: only scenario {found[0].name} is to be compared; name two or more, "
                f"or vary its policy with {_STRIKES_OPTION} 1,2,3,0"
            )
        return found
    if len(strikes) < _FEWEST:
        raise SettingsError(f"{_STRIKES_OPTION}: give two numbers or more to compare, for instance 1,2,3,0")
    axis = Axis(STRIKES_KEY, tuple(dict.fromkeys(strikes)))
    found = points([axis], names or [settings.scenarios[0].name], load, _STRIKES_OPTION)
    for point in found:
        policy = point.scenario.policy
        if policy.name != "strikes":
            raise SettingsError(
                f"{_STRIKES_OPTION}: scenario {point.name} has policy {policy.name}, which counts no strikes"
            )
        limit = policy.strikes.strikes_to_evict
        label = f"evict on {limit}" if limit else "never evict"
        point.name = label if len(set(names)) < _FEWEST else f"{point.name}, {label}"
    return found


def _print(results: Results, source: str, others: Sequence[str], *, as_json: bool, as_csv: bool) -> None:
    if as_csv:
        write_csv(results, sys.stdout)
        return
    if not results.seeds:
        return
    comparison = compare(results, version=__version__, source=source)
    comparison["other_scenarios"] = others
    comparison["conclusion"] = conclude(results, comparison)
    if as_json:
        print(json.dumps(comparison, allow_nan=False, indent=2))
        return
    from goodputd.commands.compare_table import print_comparison

    print_comparison(comparison, console())
