"""Settings as TOML text: the file with every key explained, the shipped files, the values in force.

Defaults, units and reasons are read from the declared tables, so that the text cannot drift from
the code. Knows no mistake and no environment.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any, Final

from goodputd.errors import SettingsError
from goodputd.settings.checking import number, validator
from goodputd.settings.keys import document_keys, is_table, ordered_fields, read, table_class
from goodputd.settings.loading import DEFAULTS
from goodputd.settings.model import DEFAULT_INTERVAL_SECONDS, GLOBAL, Document, Settings
from goodputd.settings.toml_text import comment, commented_out, value_text

TEMPLATES: Final = {
    "default": "default.toml",
    "llama3": "llama3-16k.toml",
    "recovery-timeline": "recovery-timeline.toml",
    "compare": "compare.toml",
    "interval-curve": "interval-curve.toml",
    "heartbeat-curve": "heartbeat-curve.toml",
    "hazard": "hazard.toml",
    "compare-meta-mini": "compare-meta-mini.toml",
    "everything-on": "everything-on.toml",
    "lemons": "lemons.toml",
    "triage": "triage.toml",
}
"""Name for ``init --from`` -> file name of the same text in ``config/``."""

HEADER: Final = """\
# Settings of goodputd: every key, with its default. Delete what you do not change.
#
# Times are simulated seconds unless a key says otherwise. A value can also come from the
# environment, GOODPUTD_<TABLE>__<KEY> (GOODPUTD_CLUSTER__NODES=128), and from a flag; a flag wins
# over the environment, the environment over this file. `goodputd check-config FILE` finds every
# mistake at once; with --print-effective it says where each value comes from.
"""


@dataclass(slots=True)
class Sample:
    """A ``[[scenario]]`` to write: dotted keys with their values, and why it is there."""

    name: str
    why: str
    alerting: bool = True
    overrides: Mapping[str, object] = field(default_factory=dict)


SAMPLES: Final = (
    Sample(
        name="naive",
        why="What a job without any of this would do: it saves every four hours and waits for the "
        "watchdog. It is here to be compared with, so it raises no alerts.",
        alerting=False,
        overrides={"checkpoint.interval_seconds": 14400.0, "detection.layers": ("watchdog",)},
    ),
    Sample(
        name="default",
        why="The tables above as they stand. Both scenarios meet the same faults.",
    ),
)

_NOTES: Final = {
    "checkpoint.interval_seconds": (
        f"{number(DEFAULT_INTERVAL_SECONDS)} s is next to best with the faults of llama3: "
        "sqrt(2 x save x MTBF) = sqrt(2 x 10 s x 3.093 h) (Young)."
    ),
}
"""What the docstring of a key leaves out because it concerns the default of the whole file."""

_EXAMPLES: Final[dict[str, object]] = {
    "checkpoint.interval_steps": 80,
    "job.target_steps": 100_000,
    "cluster.pool.name": "older",
    "cluster.pool.nodes": 2064,
    "cluster.pool.gpus_per_node": 8,
    "cluster.cooling.watts_per_rack": 80_000.0,
    "cluster.capacity.warm_standbys": 8,
    "policy.score.retire_at": 0.0,
    "checkpoint.interval": "optimal",
    "detection.validation.interval_seconds": 472.0,
    "faults.total_interruptions": 419.0,
    "faults.kinds.name": "riser_cable",
    "faults.kinds.component": "host",
    "faults.kinds.count": 3.0,
    "faults.kinds.per_gpu_hour": 1e-6,
    "faults.kinds.per_node_day": 0.0001,
    "faults.kinds.per_job_day": 0.1,
    "faults.kinds.per_domain_day": 0.001,
    "faults.kinds.event": "PCIe fatal error",
    "faults.script.at_seconds": 3600.0,
    "faults.script.kind": "riser_cable",
    "faults.script.node": 17,
    "grid.key": "checkpoint.interval_seconds",
    "grid.values": (300.0, 472.0, 900.0),
    "grid.name": "interval",
}
"""What to show for keys without a default."""

_EXAMPLES_GIVEN: Final = frozenset(
    {
        "cluster.pool.name",
        "cluster.pool.nodes",
        "faults.kinds.name",
        "faults.kinds.component",
        "faults.kinds.per_node_day",
        "faults.kinds.event",
        "faults.script.at_seconds",
        "faults.script.kind",
        "faults.script.node",
        "grid.key",
        "grid.values",
    }
)
"""Those of an example table that stand in it as given; the others are behind a "#"."""


def initial_toml(template: str | None = None) -> str:
    """The text of a shipped settings file, the default one unless named.

    Errors: ``SettingsError`` that lists the names.
    """
    name = template or "default"
    if name not in TEMPLATES:
        close = get_close_matches(name, TEMPLATES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        message = f"--from: unknown settings {name!r}{hint} (there are {', '.join(TEMPLATES)})"
        raise SettingsError(message)
    if name == "default":
        return document(SAMPLES)
    file = resources.files("goodputd.settings").joinpath("templates", TEMPLATES[name])
    return file.read_text(encoding="utf-8")


def document(scenarios: Sequence[Sample] = ()) -> str:
    """A file with every key at its default, its unit and its reason, and the given scenarios."""
    parts = [HEADER, _key(Document, "seed", "seed")]
    parts += [_table(each.type, each.name) for each in ordered_fields(Document) if is_table(each.type)]
    if scenarios:
        parts.append(comment(_description(Document, "scenario")))
    parts += [_sample(each) for each in scenarios]
    parts.append(_example(Document, "grid", "grid"))
    return "\n".join(parts)


def describe(settings: Settings) -> str:
    """A file with every value in force and its origin; loading it gives the same settings.

    What all scenarios share stands in the tables, what they do not share in each of them.
    """
    common, own = _split(settings)
    lines = [f"# Values in force: {settings.source}"]
    table = ""
    for key in document_keys():
        if key in common:
            above, _, name = key.rpartition(".")
            if above != table:
                lines += ["", f"[{above}]"]
                table = above
            lines.append(_with_origin(name, common[key], _origin(settings, settings.scenarios[0].name, key)))
    for scenario in settings.scenarios:
        lines += ["", "[[scenario]]", f"name = {value_text(scenario.name)}"]
        lines.append(f"alerting = {value_text(scenario.alerting)}")
        for key, value in own[scenario.name].items():
            lines.append(_with_origin(key, value, _origin(settings, scenario.name, key)))
    return "\n".join(lines)


def _split(settings: Settings) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Values that all scenarios share, by dotted key, and the others by scenario."""
    common: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {scenario.name: {} for scenario in settings.scenarios}
    for key in document_keys():
        holders: Sequence[Any] = [settings] if key.partition(".")[0] in GLOBAL else settings.scenarios
        values = [read(holder, key) for holder in holders]
        if all(value == values[0] for value in values):
            if values[0] is not None:
                common[key] = _plain(values[0])
            continue
        for scenario, value in zip(settings.scenarios, values, strict=True):
            if value is not None:
                own[scenario.name][key] = _plain(value)
    for table in (common, *own.values()):  # the one replaces the other, they cannot stand together
        if "faults.total_interruptions" in table:
            table.pop("faults.scale", None)
    return common, own


def _plain(value: Any) -> Any:  # noqa: ANN401 - any kind of value
    """Arrays of tables as plain data, without the keys that are not set."""
    if isinstance(value, tuple) and value and not isinstance(value[0], str):
        return [{name: each for name, each in asdict(item).items() if each is not None} for item in value]
    return value


def _origin(settings: Settings, scenario: str, key: str) -> str:
    return settings.origins.get(f"scenario.{scenario}.{key}") or settings.origins[key]


def _with_origin(key: str, value: object, origin: str) -> str:
    return f"{key} = {value_text(value)}  # {origin}"


@cache
def _definitions() -> dict[str, Any]:
    schema = validator().json_schema()
    return {**schema["$defs"], Document.__name__: schema}


def _description(table: type, name: str = "") -> str:
    """The docstring of a table, or of one of its keys."""
    definition = _definitions()[table.__name__]
    described = definition["properties"][name] if name else definition
    return str(described.get("description", ""))


def _explanation(table: type, name: str) -> str:
    """The docstring of a key, and the values that it can have unless that names them all."""
    text = _description(table, name)
    described = _definitions()[table.__name__]["properties"][name]
    items = described.get("items", {})
    allowed = [value_text(value) for value in described.get("enum") or items.get("enum", ())]
    if all(value in text for value in allowed):
        return text
    return f"{text} {'Any of' if items else 'One of'} {', '.join(allowed)}."


def _table(table: Any, key: str) -> str:  # noqa: ANN401 - a dataclass, as a field is annotated
    """A table: its own values, then its tables, then examples of its arrays of tables."""
    head = f"{comment(_description(table))}[{key}]\n"
    plain = [each for each in fields(table) if table_class(each.type) is None]
    arrays = [each for each in fields(table) if table_class(each.type) and not is_table(each.type)]
    values = "".join(_key(table, each.name, f"{key}.{each.name}") for each in plain)
    inner = [_table(each.type, f"{key}.{each.name}") for each in fields(table) if is_table(each.type)]
    examples = [_example(table, each.name, f"{key}.{each.name}") for each in arrays]
    return "\n".join([head + values, *inner, *examples])


def _key(table: Any, name: str, key: str) -> str:  # noqa: ANN401 - a dataclass
    """One key with its comment; behind a "#" when it has no default."""
    value = _default(table, name, key)
    line = f"{name} = {value_text(_EXAMPLES[key] if value is None else value)}\n"
    text = f"{_explanation(table, name)} {_NOTES.get(key, '')}"
    return comment(text) + (commented_out(line) if value is None else line)


def _default(table: Any, name: str, key: str) -> Any:  # noqa: ANN401 - any kind of value
    if key in DEFAULTS:
        return DEFAULTS[key]
    default = next(each.default for each in fields(table) if each.name == name)
    return None if default is MISSING else default


def _example(table: Any, name: str, key: str) -> str:  # noqa: ANN401 - a dataclass
    """An array of tables, which is empty by default: an example behind "#" with every key."""
    item: Any = next(table_class(each.type) for each in fields(table) if each.name == name)
    return comment(_description(table, name)) + commented_out(f"[[{key}]]\n" + "".join(_items(item, key)))


def _items(item: Any, key: str) -> Iterator[str]:  # noqa: ANN401 - a dataclass
    for each in fields(item):
        inner = f"{key}.{each.name}"
        if inner in _EXAMPLES_GIVEN:
            yield comment(_explanation(item, each.name)) + f"{each.name} = {value_text(_EXAMPLES[inner])}\n"
        else:
            yield _key(item, each.name, inner)


def _sample(sample: Sample) -> str:
    lines = [f"name = {value_text(sample.name)}", f"alerting = {value_text(sample.alerting)}"]
    lines += [f"{key} = {value_text(value)}" for key, value in sample.overrides.items()]
    return f"{comment(sample.why)}[[scenario]]\n" + "\n".join(lines) + "\n"
