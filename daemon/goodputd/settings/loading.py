"""From file, environment and flags to ``Settings``, or to one error with every mistake.

The order of layers is here and nowhere else: default, file, scenario of the file, environment,
flag, the later over the earlier. Each layer is checked by itself and the rules across keys on what
each scenario has in force; a mistake is told once, at the layer that it comes from.
"""

import hashlib
import itertools
import json
import os
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from goodputd.errors import SettingsError
from goodputd.settings.checking import Mistake, build, check_document, check_entry, shown
from goodputd.settings.grid import key_mistake, repeated, scenario_trees
from goodputd.settings.keys import Flat, Tree, document_keys, dotted, stack, unflatten, variable
from goodputd.settings.model import (
    DEFAULT_INTERVAL_SECONDS,
    DEFAULT_SCENARIO,
    DEFAULT_VALIDATION_STEPS,
    Document,
    Scenario,
    Settings,
    Tables,
)
from goodputd.settings.reading import parse_toml, read_environment, read_text
from goodputd.settings.rules import RULES, Rule
from goodputd.sim.cooling import declared_thermal_kinds, heat
from goodputd.sim.corruption import declared_kinds

BUILT_IN: Final = "built-in defaults"
MOST_SCENARIOS: Final = 64
MOST_LINES: Final = 200

DEFAULTS: Final[Flat] = {
    "checkpoint.interval_seconds": DEFAULT_INTERVAL_SECONDS,
    "detection.validation.every_steps": DEFAULT_VALIDATION_STEPS,
}
"""Defaults that cannot stand in a spec, because another key may take their place."""

DEFAULT, FILE, SCENARIO, ENVIRONMENT, FLAG = "default", "file", "scenario", "environment", "flag"

FLAGS: Final = {
    "seed": "--seed",
    "clock.speedup": "--speedup",
    "http.listen": "--listen",
    "log.format": "--log-format",
    "log.level": "--log-level",
}
"""Dotted key -> the option of the command line that sets it."""


@dataclass(slots=True)
class _Layer:
    """A checked layer."""

    origin: str
    where: str
    """What its mistakes are told of: the file, the scenario in it, the environment."""
    values: Flat
    broken: set[str]

    def label(self, key: str) -> str:
        """A dotted key as this layer spells it."""
        head, bracket, rest = key.partition("[")
        if self.origin == ENVIRONMENT and head in document_keys():
            return variable(head) + bracket + rest
        if self.origin == FLAG:
            return FLAGS.get(head, head) + bracket + rest
        return key


@dataclass(slots=True)
class _Report:
    """Every mistake once, in the order found."""

    lines: dict[str, None] = field(default_factory=dict)

    def add(self, where: str, key: str, message: str) -> None:
        self.lines[": ".join(part for part in (where, key, message) if part)] = None

    def told(self, source: str) -> list[str]:
        """The lines, or as many as anybody reads."""
        lines = list(self.lines)
        more = len(lines) - MOST_LINES
        return lines if more <= 0 else [*lines[:MOST_LINES], f"{source}: and {more} more mistakes"]

    def add_all(self, layer: _Layer, mistakes: Iterable[Mistake]) -> None:
        for mistake in mistakes:
            self.add(layer.where, layer.label(dotted(mistake.location)), mistake.message)


class _Played:
    """What is in force when layers lie on each other, the highest last, over the defaults."""

    def __init__(self, layers: tuple[_Layer, ...]) -> None:
        self.layers = layers
        self.stacked = stack([(DEFAULT, DEFAULTS), *((layer.origin, layer.values) for layer in layers)])
        self.document = build({key: value.value for key, value in self.stacked.items()})

    def findings(self) -> Iterator[tuple[Rule, str, str]]:
        """Each rule that is broken, with a dotted key and what is wrong; not those that read a mistake."""
        broken = {key for layer in self.layers for key in layer.broken}
        for rule in RULES:
            if not any(_overlap(key, other) for key in rule.reads for other in broken):
                for key, message in rule.check(self.document):
                    yield rule, key, message

    def report(self, report: _Report, inherited: Container[tuple[Rule, str, str]]) -> None:
        """Tell each finding of the highest layer that it reads from, if inherited not of the scenario."""
        for rule, key, message in self.findings():
            reads = [
                layer
                for layer in self.layers
                if any(name in layer.values for name in rule.reads)
                and not (layer.origin == SCENARIO and (rule, key, message) in inherited)
            ]
            layer = reads[-1] if reads else self.layers[0]
            own = key.partition("[")[0] in layer.values
            report.add(layer.where, layer.label(key) if own else key, message)


@dataclass(slots=True)
class _Entry:
    """A checked ``[[scenario]]``."""

    layer: _Layer
    name: str = DEFAULT_SCENARIO
    alerting: bool = True


def load(
    path: Path | None,
    *,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """The settings of a file, or the defaults without one, under environment and flags.

    ``overrides`` are flags, dotted key -> value, None for not given; ``environ`` is that of the
    process unless given.
    Errors: ``SettingsError`` with one line for every mistake, ``file: key.path: what is wrong``.
    """
    if path is None:
        return parse("", source=BUILT_IN, overrides=overrides, environ=environ)
    return parse(read_text(path), source=str(path), overrides=overrides, environ=environ)


def variations(
    path: Path | None,
    changes: Iterable[Mapping[str, object]],
    *,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[Settings]:
    """``load`` once for each of the changes, dotted key -> value, which win over everything else.

    The file is read once. Errors: ``SettingsError`` with the mistakes of every change, told as those of
    a flag.
    """
    text, source = ("", BUILT_IN) if path is None else (read_text(path), str(path))
    found: list[Settings] = []
    problems: dict[str, None] = {}
    for change in changes:
        flags = {**(overrides or {}), **change}
        try:
            found.append(parse(text, source=source, overrides=flags, environ=environ))
        except SettingsError as error:
            problems |= dict.fromkeys(error.problems)
    if problems:
        raise SettingsError(*problems)
    return found


def parse(
    text: str,
    *,
    source: str,
    overrides: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """``load`` for a text; ``source`` is what people know it by."""
    report = _Report()
    tree = parse_toml(text, source)
    scenarios = tree.pop("scenario", None)
    has_grid = "grid" in tree
    file = _layer(FILE, source, tree, report)
    grids = file.values.pop("grid", ())
    if tree.get("grid") == []:
        report.add(source, "grid", "must have at least one entry, or be left out")
    entries = [] if has_grid and scenarios is None else _entries(scenarios, source, report)
    entries = _with_grids(entries, grids, source, report)
    environment = _environment(os.environ if environ is None else environ, report)
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    flags = _layer(FLAG, FLAG, unflatten(given), report)
    played = [_Played((file, entry.layer, environment, flags)) for entry in entries]
    base = _Played((file, environment, flags))
    inherited = set(base.findings())
    for each in played:
        each.report(report, inherited)
    if report.lines:
        raise SettingsError(*report.told(source))
    return _settings(source, entries, played, base)


def _entries(found: object, source: str, report: _Report) -> list[_Entry]:
    """The checked ``[[scenario]]`` tables; one when the file has none."""
    plain = _Entry(_Layer(SCENARIO, source, {}, set()))
    if found is None:
        return [plain]
    if not isinstance(found, list):
        report.add(source, "scenario", "must be an array of tables, written [[scenario]]")
        return [plain]
    if not found:
        report.add(source, "scenario", "must have at least one entry, or be left out")
        return [plain]
    if len(found) > MOST_SCENARIOS:
        report.add(source, "scenario", f"must have at most {MOST_SCENARIOS} entries (got {len(found)})")
    entries: list[_Entry] = []
    for index, each in enumerate(found[:MOST_SCENARIOS]):
        if isinstance(each, dict):
            entries.append(_entry(each, f"{source}: scenario[{index}]", report, entries))
        else:
            report.add(source, f"scenario[{index}]", "must be a table, written [[scenario]]")
    return entries or [plain]


def _with_grids(entries: list[_Entry], grids: Iterable[Tree], source: str, report: _Report) -> list[_Entry]:
    """The entries, and one for each value of each ``[[grid]]``."""
    entries = list(entries)
    wanted = len(entries)
    for index, grid in enumerate(grids):
        where = f"{source}: grid[{index}]"
        mistake = key_mistake(grid["key"])
        if mistake is not None:
            report.add(where, "key", f"{mistake} (got {shown(grid['key'])})")
            continue
        same = repeated(grid["values"])
        if same is not None:
            report.add(where, "values", f"must all be different (got {shown(same[0])} and {shown(same[1])})")
            continue
        wanted += len(grid["values"])
        room = max(0, MOST_SCENARIOS - len(entries))
        for place, (tree, mistake) in enumerate(itertools.islice(scenario_trees(grid), room)):
            if mistake is not None:
                value = shown(grid["values"][place])
                report.add(source, f"grid[{index}].values[{place}]", f"{mistake} (got {value})")
            elif any(tree["name"] == other.name for other in entries):
                taken = "is the name of an earlier scenario; give the grid another name"
                report.add(f'{where} "{tree["name"]}"', "name", taken)
            else:
                entries.append(_entry(tree, where, report, entries))
    if wanted > MOST_SCENARIOS:
        report.add(source, "grid", f"must make at most {MOST_SCENARIOS} scenarios (got {wanted})")
    return entries or [_Entry(_Layer(SCENARIO, source, {}, set()))]


def _entry(tree: Tree, where: str, report: _Report, before: list[_Entry]) -> _Entry:
    checked = check_entry(tree)
    name = checked.values.pop("name", "")
    alerting = checked.values.pop("alerting", True)
    layer = _Layer(SCENARIO, f'{where} "{name}"' if name else where, checked.values, checked.broken)
    report.add_all(layer, checked.mistakes)
    if name and any(name == other.name for other in before):
        report.add(layer.where, "name", "is the name of an earlier scenario; names must be unique")
    return _Entry(layer, name, alerting)


def _layer(origin: str, where: str, tree: Tree, report: _Report) -> _Layer:
    checked = check_document(tree)
    layer = _Layer(origin, where, checked.values, checked.broken)
    report.add_all(layer, checked.mistakes)
    return layer


def _environment(environ: Mapping[str, str], report: _Report) -> _Layer:
    values, unknown = read_environment(environ)
    for name, message in unknown:
        report.add(ENVIRONMENT, name, message)
    return _layer(ENVIRONMENT, ENVIRONMENT, unflatten(values), report)


def _overlap(key: str, other: str) -> bool:
    return key == other or key.startswith(f"{other}.") or other.startswith(f"{key}.")


def _settings(source: str, entries: list[_Entry], played: list[_Played], base: _Played) -> Settings:
    origins = {key: base.stacked[key].origin if key in base.stacked else DEFAULT for key in document_keys()}
    for entry, each in zip(entries, played, strict=True):
        for key, value in each.stacked.items():
            if value.origin == SCENARIO:
                origins[f"scenario.{entry.name}.{key}"] = FILE
    first = played[0].document
    return Settings(
        seed=first.seed,
        clock=first.clock,
        http=first.http,
        log=first.log,
        scenarios=tuple(
            _scenario(entry, each.document, first) for entry, each in zip(entries, played, strict=True)
        ),
        source=source,
        origins=origins,
    )


def _scenario(entry: _Entry, document: Document, first: Document) -> Scenario:
    tables: dict[str, Any] = {each.name: getattr(document, each.name) for each in fields(Tables)}
    effective = {"seed": document.seed, "name": entry.name, "alerting": entry.alerting}
    effective |= {name: asdict(table) for name, table in tables.items()}
    digest = hashlib.sha256(json.dumps(effective, sort_keys=True).encode()).hexdigest()[:8]
    return Scenario(
        name=entry.name,
        alerting=entry.alerting,
        digest=digest,
        paired=same_faults(document, first),
        **tables,
    )


def same_faults(one: Tables, other: Tables) -> bool:
    """Whether two scenarios of a seed meet the same faults, so that luck is no part of their difference."""
    return _fate(one) == _fate(other)


def _fate(tables: Tables) -> tuple[object, ...]:
    """What decides which faults are met; spares have numbers above the job's nodes and move none."""
    cluster = tables.cluster
    return (
        tables.faults,
        declared_kinds(tables.corruption),
        declared_thermal_kinds(cluster.cooling),
        heat(cluster.cooling),
        cluster.nodes,
        cluster.gpus_per_node,
        cluster.pool,
        cluster.topology,
    )
