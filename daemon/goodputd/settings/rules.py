"""Rules across keys: what every single value allows and their combination does not.

A rule names the keys that it reads, so that it can be left out while one of them is not known, and
yields (dotted key, what is wrong and allowed). Knows nothing of where values come from.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import ceil, fsum
from typing import Final

from goodputd import catalogs
from goodputd.settings.checking import number, shown
from goodputd.settings.keys import read
from goodputd.settings.model import LABEL_RULE, NAME_PATTERN, Document, Tables, split_listen, start_timestamp
from goodputd.sim.blocks import blocks
from goodputd.sim.cooling import THERMAL_KINDS, declared_thermal_kinds, throttled
from goodputd.sim.corruption import CORRUPTION_KINDS, declared_kinds
from goodputd.sim.faults import FaultKind, resolve_kinds
from goodputd.sim.kinds import scenario_kinds
from goodputd.sim.specs.faults import CatalogSpec, FaultKindSpec, FaultsSpec, ScriptedFaultSpec
from goodputd.sim.specs.fields import MOST_FACTOR, SECONDS_PER_DAY

NO_CATALOG: Final = "none"
MOST_FAULTS_PER_DAY: Final = 10_000
MOST_CANDIDATES_PER_DAY: Final = 1_000_000
"""One in nine seconds; a job that does nothing but fail says nothing, slowly."""

Finding = tuple[str, str]

_ROUNDING: Final = 1e-9

LIMITS: Final[dict[str, tuple[float, float]]] = {
    "clock.speedup": (1e-6, 1e9),
    "cluster.nodes": (1, 200_000),
    "cluster.gpus_per_node": (1, 1024),
    "cluster.spares": (0, 200_000),
    "job.step_seconds": (0.001, SECONDS_PER_DAY),
    "detection.heartbeat.interval_seconds": (0.001, SECONDS_PER_DAY),
    "detection.hardware.poll_seconds": (0.001, SECONDS_PER_DAY),
    "checkpoint.keep": (1, 1000),
}
"""Key -> (least, most): beyond them the arithmetic still holds and nothing means anything."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule, and what must be known to check it."""

    reads: tuple[str, ...]
    check: Callable[[Document], Iterator[Finding]]


def kinds_of_catalog(faults: FaultsSpec) -> CatalogSpec | None:
    """The catalog that is named; None for "none". Errors: ``SettingsError`` for an unknown one."""
    return None if faults.catalog == NO_CATALOG else catalogs.load(faults.catalog)


def faults_per_day(tables: Tables) -> float:
    """Primary faults of all kinds to expect in a day of the full fleet; 0 when a kind has no valid rate."""
    cluster = tables.cluster
    kinds = _kinds(tables)
    fleet = float(cluster.nodes + cluster.spares)
    if cluster.pool:
        fleet = sum(
            pool.nodes * max(pool.fault_multiplier, pool.corruption_multiplier) for pool in cluster.pool
        )
    lemons = tables.faults.lemons
    fleet *= 1.0 + lemons.fraction * (lemons.multiplier - 1.0)
    bursts = tables.faults.bursts
    share = bursts.burst_hours / (bursts.quiet_hours + bursts.burst_hours)
    fleet *= 1.0 + share * (bursts.multiplier - 1.0)
    return SECONDS_PER_DAY * sum(kind.rate_per_second * kind.struck_by(round(fleet)) for kind in kinds)


def _kinds(tables: Tables) -> tuple[FaultKind, ...]:
    try:
        return scenario_kinds(
            tables.faults,
            kinds_of_catalog(tables.faults),
            cluster=tables.cluster,
            corruption=tables.corruption,
            noise=tables.job.noise,
        )
    except ValueError:  # another rule names the kind
        return ()


def _candidates_per_fault(tables: Tables) -> float:
    """How many are drawn to find one: those of whole blocks of nodes or domains, however few exist."""
    cluster = tables.cluster
    fleet = cluster.nodes + cluster.spares
    kinds = _kinds(tables)
    struck = fsum(kind.rate_per_second * kind.struck_by(fleet) for kind in kinds)
    if struck == 0.0:
        return 0.0
    drawn = fsum(
        kind.rate_per_second * (1.0 if kind.job_wide else _covered(ceil(kind.struck_by(fleet))))
        for kind in kinds
    )
    return drawn / struck


def _covered(count: int) -> int:
    return sum(size for _, size in blocks(count))


def nothing_breaks(tables: Tables) -> bool:
    """Whether the scenario has no fault at all, neither drawn nor scripted."""
    return not tables.faults.script and faults_per_day(tables) == 0.0


def _listen(document: Document) -> Iterator[Finding]:
    try:
        split_listen(document.http.listen)
    except ValueError as error:
        yield "http.listen", f"{error} (got {shown(document.http.listen)})"


def _start(document: Document) -> Iterator[Finding]:
    try:
        start_timestamp(document.clock.start)
    except ValueError as error:
        yield "clock.start", f"{error} (got {shown(document.clock.start)})"


def _limit(key: str, least: float, most: float) -> Rule:
    def check(document: Document) -> Iterator[Finding]:
        value = read(document, key)
        if not least <= value <= most:
            yield key, f"must be from {number(least)} to {number(most)} (got {shown(value)})"

    return Rule((key,), check)


def _heartbeat(document: Document) -> Iterator[Finding]:
    spec = document.detection.heartbeat
    if spec.timeout_seconds < spec.interval_seconds:
        least = number(spec.interval_seconds)
        yield (
            "detection.heartbeat.timeout_seconds",
            f"must be at least interval_seconds, {least} (got {shown(spec.timeout_seconds)})",
        )


def _layers(document: Document) -> Iterator[Finding]:
    for layer, times in Counter(document.detection.layers).items():
        if times > 1:
            yield "detection.layers", f'must list each layer once ("{layer}" is there {times} times)'


def _shares(document: Document) -> Iterator[Finding]:
    spec = document.corruption
    total = spec.nan_share + spec.loss_jump_share + spec.variance_share
    if total > 1.0 + _ROUNDING:
        yield "corruption", f"must have shares of at most 1 in all (got {total:g})"


def _replica(document: Document) -> Iterator[Finding]:
    key, size = "job.gpus_per_replica", document.job.gpus_per_replica
    per_node = document.cluster.gpus_per_node
    gpus = document.cluster.nodes * per_node
    if size % per_node:
        yield (
            key,
            f"must be whole nodes: a multiple of cluster.gpus_per_node, {per_node} (got {shown(size)})",
        )
    if size > gpus:
        yield key, f"must be at most {gpus}, the GPUs of the cluster (got {shown(size)})"


def _replicas(document: Document) -> Iterator[Finding]:
    gpus = document.cluster.nodes * document.cluster.gpus_per_node
    replicas = gpus // document.job.gpus_per_replica
    if document.job.min_replicas > max(1, replicas):
        yield (
            "job.min_replicas",
            f"must be at most {replicas}, the replicas of the full job (got {document.job.min_replicas})",
        )


def _preemptible(document: Document) -> Iterator[Finding]:
    preemptible, spares = document.cluster.capacity.preemptible, document.cluster.spares
    if preemptible > spares:
        yield (
            "cluster.capacity.preemptible",
            f"must be at most cluster.spares, {spares}, of which they are a part (got {preemptible})",
        )


def _pools(document: Document) -> Iterator[Finding]:
    cluster = document.cluster
    if not cluster.pool:
        return
    nodes, total = sum(pool.nodes for pool in cluster.pool), cluster.nodes + cluster.spares
    if nodes != total:
        yield "cluster.pool", f"must have {total} nodes, the nodes and spares of the cluster (got {nodes})"
    names = Counter(pool.name for pool in cluster.pool)
    for index, pool in enumerate(cluster.pool):
        if not re.fullmatch(NAME_PATTERN, pool.name):
            yield f"cluster.pool[{index}].name", f"{LABEL_RULE} (got {shown(pool.name)})"
        elif names[pool.name] > 1:
            yield f"cluster.pool[{index}].name", f"must be unique (got {shown(pool.name)} again)"
        if pool.gpus_per_node not in {None, cluster.gpus_per_node}:
            size = cluster.gpus_per_node
            why = (
                "a replica is whole nodes and any spare may take any place of it; "
                "play nodes of another size as a scenario of their own"
            )
            yield (
                f"cluster.pool[{index}].gpus_per_node",
                f"must be {size}, as in cluster.gpus_per_node: {why} (got {pool.gpus_per_node})",
            )


def _score(document: Document) -> Iterator[Finding]:
    spec = document.policy.score
    if spec.retire_at is not None and spec.retire_at > spec.evict_at:
        yield (
            "policy.score.retire_at",
            f"must be at most evict_at, {number(spec.evict_at)} (got {shown(spec.retire_at)})",
        )


def _catalog(document: Document) -> Iterator[Finding]:
    name = document.faults.catalog
    if name != NO_CATALOG and name not in catalogs.names():
        yield "faults.catalog", f'{catalogs.unknown(name)}, or "{NO_CATALOG}" for faults.kinds alone'


def _kind_names(document: Document) -> Iterator[Finding]:
    taken = {*CORRUPTION_KINDS, *THERMAL_KINDS, *(kind.name for kind in _catalog_kinds(document))}
    for index, kind in enumerate(document.faults.kinds):
        key = f"faults.kinds[{index}].name"
        if not re.fullmatch(NAME_PATTERN, kind.name):
            yield key, f"{LABEL_RULE} (got {shown(kind.name)})"
        elif kind.name in taken:
            yield key, f"must be unique, the catalog's kinds included (got {shown(kind.name)} again)"
        taken.add(kind.name)


def _kind_rates(document: Document) -> Iterator[Finding]:
    catalog = kinds_of_catalog(document.faults) if _catalog_is_known(document) else None
    for index, kind in enumerate(document.faults.kinds):
        alone = FaultsSpec(kinds=(kind,))
        bare = None if catalog is None else replace(catalog, kinds=())
        try:
            resolve_kinds(alone, bare, nodes=1, gpus_per_node=document.cluster.gpus_per_node)
        except ValueError as error:
            yield f"faults.kinds[{index}]", str(error)


def _script(document: Document) -> Iterator[Finding]:
    if not _catalog_is_known(document):
        return
    of_tables = (*declared_kinds(document.corruption), *declared_thermal_kinds(document.cluster.cooling))
    declared = (*_catalog_kinds(document), *document.faults.kinds, *of_tables)
    kinds = {kind.name: kind for kind in declared}
    nodes = document.cluster.nodes + document.cluster.spares
    for index, fault in enumerate(document.faults.script):
        key = f"faults.script[{index}]"
        kind = kinds.get(fault.kind)
        if kind is None:
            close = get_close_matches(fault.kind, kinds, n=1)
            hint = f'; did you mean "{close[0]}"?' if close else f" (there are {', '.join(kinds) or 'none'})"
            yield f"{key}.kind", f"unknown kind {shown(fault.kind)}{hint}"
        else:
            for name, message in _scripted(fault, kind, nodes):
                yield f"{key}.{name}", message


def _scripted(fault: ScriptedFaultSpec, kind: FaultKindSpec, nodes: int) -> Iterator[Finding]:
    job_wide = kind.scope == "job" or kind.component == "software"
    if job_wide and fault.node is not None:
        yield "node", f"must be left out, kind {shown(kind.name)} strikes the whole job (got {fault.node})"
    if not job_wide and fault.node is None:
        yield "node", f"is required, kind {shown(kind.name)} strikes a node"
    if not job_wide and fault.node is not None and fault.node >= nodes:
        yield "node", f"must be less than {nodes}, the nodes and spares of the cluster (got {fault.node})"
    if fault.logged and kind.event is None:
        yield "logged", f"must be false, kind {shown(kind.name)} has no event to log"


def _fault_rate(document: Document) -> Iterator[Finding]:
    if not _catalog_is_known(document):
        return
    expected = faults_per_day(document)
    if expected > MOST_FAULTS_PER_DAY:
        yield "faults", f"must mean at most {MOST_FAULTS_PER_DAY:,} faults a day (got {expected:,.0f})"
        return
    drawn = expected * _candidates_per_fault(document)
    if drawn > MOST_CANDIDATES_PER_DAY:
        least = _covered(1)
        message = f"in a fleet of at least {least:,} nodes, racks or switches, for which they are drawn"
        yield "faults", f"must mean at most {MOST_CANDIDATES_PER_DAY:,} a day {message} (got {drawn:,.0f})"


def _heat(document: Document) -> Iterator[Finding]:
    cluster = document.cluster
    factor = throttled(cluster.cooling, min(cluster.topology.nodes_per_rack, cluster.nodes))
    if factor > MOST_FACTOR:
        yield (
            "cluster.cooling.watts_per_rack",
            f"must let a step take at most {MOST_FACTOR:,.0f} times as long (got {number(factor)} times)",
        )


def _catalog_is_known(document: Document) -> bool:
    return document.faults.catalog in (*catalogs.names(), NO_CATALOG)


def _catalog_kinds(document: Document) -> tuple[FaultKindSpec, ...]:
    catalog = kinds_of_catalog(document.faults) if _catalog_is_known(document) else None
    return catalog.kinds if catalog is not None else ()


RULES: Final = (
    Rule(("http.listen",), _listen),
    Rule(("clock.start",), _start),
    *(_limit(key, least, most) for key, (least, most) in LIMITS.items()),
    Rule(("detection.heartbeat.timeout_seconds", "detection.heartbeat.interval_seconds"), _heartbeat),
    Rule(("detection.layers",), _layers),
    Rule(("corruption.nan_share", "corruption.loss_jump_share", "corruption.variance_share"), _shares),
    Rule(("job.gpus_per_replica", "cluster.nodes", "cluster.gpus_per_node"), _replica),
    Rule(
        ("job.min_replicas", "job.gpus_per_replica", "cluster.nodes", "cluster.gpus_per_node"),
        _replicas,
    ),
    Rule(("cluster.capacity.preemptible", "cluster.spares"), _preemptible),
    Rule(("cluster.pool", "cluster.nodes", "cluster.spares", "cluster.gpus_per_node"), _pools),
    Rule(
        (
            "cluster.cooling.watts_per_rack",
            "cluster.cooling.watts_per_node",
            "cluster.topology.nodes_per_rack",
        ),
        _heat,
    ),
    Rule(("policy.score.retire_at", "policy.score.evict_at"), _score),
    Rule(("faults.catalog",), _catalog),
    Rule(("faults.kinds", "faults.catalog"), _kind_names),
    Rule(("faults.kinds", "faults.catalog", "cluster.gpus_per_node"), _kind_rates),
    Rule(
        (
            "faults.script",
            "faults.kinds",
            "faults.catalog",
            "corruption.per_gpu_hour",
            "cluster.cooling",
            "cluster.nodes",
            "cluster.spares",
        ),
        _script,
    ),
    Rule(
        (
            "faults.scale",
            "faults.total_interruptions",
            "faults.period_days",
            "faults.kinds",
            "faults.catalog",
            "faults.lemons",
            "corruption.per_gpu_hour",
            "faults.bursts",
            "cluster.cooling",
            "cluster.topology",
            "cluster.pool",
            "cluster.nodes",
            "cluster.spares",
            "cluster.gpus_per_node",
        ),
        _fault_rate,
    ),
)
