"""What is legal and probably not meant: warnings of ``check-config``.

Each doubt yields (dotted key, what happens); it may ask detectors how often they would cry wolf.
Knows nothing of where values come from.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Final

from goodputd import detectors
from goodputd.policies import PolicySpec
from goodputd.settings.checking import number
from goodputd.settings.model import Settings, Tables
from goodputd.settings.rules import Finding, faults_per_day, kinds_of_catalog, nothing_breaks
from goodputd.sim.cooling import throttled
from goodputd.sim.corruption import declared_kinds
from goodputd.sim.faults import declared
from goodputd.sim.layout import full_step_seconds
from goodputd.sim.observation import JobView
from goodputd.sim.specs.cluster import CapacitySpec, ClusterSpec
from goodputd.sim.specs.faults import FaultKindSpec, FaultsSpec
from goodputd.sim.specs.fields import SECONDS_PER_DAY

MOST_FALSE_ALARMS_PER_DAY: Final = 1.0

_NAMES_CORRUPT_NODE: Final = frozenset({"shadow", "sentinel", "probe", "scan"})
_SEES_CORRUPTION: Final = _NAMES_CORRUPT_NODE | {"validation"}


def warnings(settings: Settings) -> list[str]:
    """One line for each thing that is legal and doubtful, ``file: key: what happens``."""
    found: dict[Finding, list[str]] = {}
    quiet = [nothing_breaks(scenario) for scenario in settings.scenarios]
    excused = {doubt for doubt, better in _BETTER.items() if any(map(better, settings.scenarios))}
    for scenario, is_quiet in zip(settings.scenarios, quiet, strict=True):
        # Where others break, a scenario in which nothing does is the ideal to compare them with.
        is_ideal = is_quiet and not all(quiet)
        for doubt in _DOUBTS:
            if is_ideal and doubt is _nothing_breaks:
                continue
            if doubt in excused and not scenario.alerting:
                continue
            for finding in doubt(scenario):
                found.setdefault(finding, []).append(scenario.name)
        if not scenario.paired and not is_ideal:
            first = settings.scenarios[0].name
            message = (
                f'differ from those of scenario "{first}"; luck is part of the difference between the two'
            )
            found.setdefault(("faults", message), []).append(scenario.name)
    lines = []
    for (key, message), names in found.items():
        everywhere = len(names) == len(settings.scenarios)
        where = "" if everywhere else f"scenario {', '.join(names)}: "
        lines.append(f"{settings.source}: {where}{key}: {message}")
    return lines


def _idle_nodes(tables: Tables) -> Iterator[Finding]:
    nodes_per_replica = tables.job.gpus_per_replica // tables.cluster.gpus_per_node
    idle = tables.cluster.nodes % nodes_per_replica
    if idle:
        yield (
            "cluster.nodes",
            f"{idle} of {tables.cluster.nodes} nodes stay idle, a replica takes {nodes_per_replica}",
        )


def _watchdog(tables: Tables) -> Iterator[Finding]:
    timeout, step = tables.detection.watchdog.timeout_seconds, _step_seconds(tables)
    if "watchdog" in tables.detection.layers and timeout < step:
        yield (
            "detection.watchdog.timeout_seconds",
            f"{number(timeout)} s is shorter than a step, {_short(step)} s; a real one aborts every step",
        )
    elif "watchdog" in tables.detection.layers and timeout < step + tables.checkpoint.save_seconds:
        pause = _short(step + tables.checkpoint.save_seconds)
        message = (
            f"{number(timeout)} s is shorter than a step and a save together, {pause} s; "
            "a real one would abort healthy training, which is not played"
        )
        yield "detection.watchdog.timeout_seconds", message


def _steps_between_saves(tables: Tables) -> int:
    """As they are at the start: an optimal interval is that of the configured rates."""
    per_day = faults_per_day(tables)
    mtbf_seconds = SECONDS_PER_DAY / per_day if per_day else math.inf
    return tables.checkpoint.steps(_step_seconds(tables), mtbf_seconds)


def _step_seconds(tables: Tables) -> float:
    return full_step_seconds(tables.cluster, tables.job)


def _short(seconds: float) -> str:
    """What was computed, without the digits that nobody gave."""
    return number(float(f"{seconds:.6g}"))


def _interval(tables: Tables) -> Iterator[Finding]:
    spec, step = tables.checkpoint, _step_seconds(tables)
    key = "checkpoint.interval_seconds" if spec.interval_steps is None else "checkpoint.interval_steps"
    between = _steps_between_saves(tables) * step
    wanted = max(spec.save_seconds, spec.interval_seconds or 0.0, (spec.interval_steps or 0) * step)
    if spec.write_seconds > wanted and spec.interval is None:
        yield (
            "checkpoint.write_seconds",
            f"{number(spec.write_seconds)} s are longer than the interval, which becomes {_short(between)} s",
        )
    if spec.interval_seconds is not None and spec.interval_seconds < step:
        yield key, f"{number(spec.interval_seconds)} s is shorter than a step; a save follows every step"
    if between < spec.save_seconds:
        yield (
            key,
            f"{_short(between)} s between saves of {number(spec.save_seconds)} s: mostly it is saving",
        )


def _layers(tables: Tables) -> Iterator[Finding]:
    if not tables.detection.layers:
        hours = tables.detection.operator_seconds / 3600.0
        yield "detection.layers", f"no layer is on; a person finds every stop after {hours:g} h"


def _declared(tables: Tables) -> tuple[FaultKindSpec, ...]:
    return declared(tables.faults, kinds_of_catalog(tables.faults))


def _persists(kind: FaultKindSpec) -> bool:
    """Whether it can come back until its node is replaced."""
    return kind.transient_probability < 1.0 and kind.scope == "node"


def _corrupts(tables: Tables) -> bool:
    """Whether anything corrupts the training state."""
    kinds = _declared(tables)
    return tables.corruption.per_gpu_hour > 0.0 or any(kind.symptom == "corrupt" for kind in kinds)


def _blind_to_corruption(tables: Tables) -> Iterator[Finding]:
    """No layer that sees corruption by itself."""
    if _corrupts(tables) and not _sees_corruption(tables):
        yield "detection.layers", "without validation nothing finds corruption that shifts no statistic"


def _names_no_node(tables: Tables) -> Iterator[Finding]:
    """Corruption that is found and comes back, and nothing that says where from."""
    layers = set(tables.detection.layers)
    if tables.corruption.triage.method != "none" or layers & _NAMES_CORRUPT_NODE or not _evicts(tables):
        return
    corrupt = [kind for kind in _declared(tables) if kind.symptom == "corrupt"]
    unnamed = [
        kind
        for kind in (*corrupt, *declared_kinds(tables.corruption))
        if not ("gradient" in layers and (kind.gradient_sigmas or kind.step_time_sigmas))
    ]
    if "validation" in layers and any(map(_persists, unnamed)):
        message = (
            '"none", and a validation names no node: one that corrupts for good is never evicted, and '
            "its work is undone again and again; the layers shadow, sentinel, probe and scan name it too"
        )
        yield "corruption.triage.method", message


def _sees_corruption(tables: Tables) -> bool:
    return bool(_SEES_CORRUPTION & set(tables.detection.layers))


def _validation(tables: Tables) -> Iterator[Finding]:
    """What lets corruption into a checkpoint or the result, or leaves no clean checkpoint."""
    if not _corrupts(tables) or "validation" not in tables.detection.layers:
        return
    spec, keep = tables.detection.validation, tables.checkpoint.keep
    interval, every = _steps_between_saves(tables), spec.steps(_step_seconds(tables))
    key = "interval_seconds" if spec.every_steps is None else "every_steps"
    if interval % every and tables.checkpoint.interval is None:
        missed = "so some are saved before they are validated"
        message = f"{every} steps do not divide the {interval} between saves, {missed}"
        yield f"detection.validation.{key}", message
    if every > keep * interval:
        yield (
            "checkpoint.keep",
            f"{keep} saves go back {keep * interval} steps, less than a validation, {every}",
        )
    if spec.coverage < 1.0:
        yield "detection.validation.coverage", f"{1.0 - spec.coverage:.0%} of corruptions are never found"
    if tables.checkpoint.last_gasp_probability:
        yield "checkpoint.last_gasp_probability", "saves where the job stands, which nothing has validated"
    left = (tables.job.target_steps or 0) % every
    if left:
        message = f"the last {left} steps are never validated, {tables.job.target_steps} is no multiple of"
        yield "job.target_steps", f"{message} the {every} between validations"


def _bakes(tables: Tables) -> Iterator[Finding]:
    if (
        tables.corruption.baked_discovery == "at_checkpoint"
        and tables.checkpoint.keep == 1
        and _corrupts(tables)
    ):
        yield (
            "checkpoint.keep",
            "1 is the corrupt one when a corruption is baked in; the job starts from step 0",
        )


def _false_alarms(tables: Tables) -> Iterator[Finding]:
    cluster, step = tables.cluster, _step_seconds(tables)
    between = _steps_between_saves(tables) * step
    share = between / (between + tables.checkpoint.save_seconds)
    view = JobView(cluster.nodes, cluster.nodes * cluster.gpus_per_node, step, share)
    for detector in detectors.build(tables.detection):
        per_day = detector.false_alarms_per_second(view) * SECONDS_PER_DAY
        if per_day > MOST_FALSE_ALARMS_PER_DAY:
            yield f"detection.{detector.layer}", f"about {per_day:,.0f} false alarms in a day of running"


def _nothing_breaks(tables: Tables) -> Iterator[Finding]:
    if nothing_breaks(tables):
        yield "faults", "nothing ever breaks"


def _evicts(tables: Tables) -> bool:
    policy = tables.policy
    if policy.name == "strikes":
        return bool(policy.strikes.strikes_to_evict or policy.strikes.evict_components)
    return policy.name != "always_restart"


def _never_evicts(tables: Tables) -> Iterator[Finding]:
    policy = tables.policy
    if _evicts(tables):
        return
    if any(map(_persists, (*_declared(tables), *declared_kinds(tables.corruption)))):
        by_limit = policy.name == "strikes"
        key = "policy.strikes.strikes_to_evict" if by_limit else "policy.name"
        what = "0" if by_limit else f'"{policy.name}"'
        yield (
            key,
            f"{what} never evicts, so permanent faults pile up and the job ends up failing all the time",
        )


def _unused_policy(tables: Tables) -> Iterator[Finding]:
    """Settings of a policy that was not chosen."""
    policy, defaults = tables.policy, PolicySpec()
    for each in fields(defaults):
        if each.name not in {"name", policy.name} and getattr(policy, each.name) != getattr(
            defaults, each.name
        ):
            yield f"policy.{each.name}", f'has no effect, the policy is "{policy.name}"'


def _unused_repair(tables: Tables) -> Iterator[Finding]:
    """Repair times that the choice of stages leaves aside."""
    cluster, defaults = tables.cluster, ClusterSpec()
    if cluster.repair.stages == "automatic_then_manual" and cluster.repair_hours != defaults.repair_hours:
        yield "cluster.repair_hours", "has no effect, cluster.repair.stages has its own times"


def _host_selection(tables: Tables) -> Iterator[Finding]:
    """A way to choose hosts where none are chosen."""
    capacity = tables.cluster.capacity
    if capacity.warm_standbys is None and not capacity.preemptible and capacity != CapacitySpec():
        yield "cluster.capacity", "has no effect without warm_standbys or preemptible: every spare is warm"


def _throttled(tables: Tables) -> Iterator[Finding]:
    """A rack that cannot be cooled when all its nodes are at work."""
    cooling, nodes = tables.cluster.cooling, tables.cluster.topology.nodes_per_rack
    factor = throttled(cooling, min(nodes, tables.cluster.nodes))
    if factor > 1.0:
        yield (
            "cluster.cooling.watts_per_rack",
            f"less than the heat of {nodes} nodes; every step takes {factor:.3g} times as long",
        )


def _period(tables: Tables) -> Iterator[Finding]:
    faults = tables.faults
    if faults.total_interruptions is None and faults.period_days != FaultsSpec().period_days:
        yield "faults.period_days", "has no effect without total_interruptions"


def _loss_jump(tables: Tables) -> Iterator[Finding]:
    recovery = tables.recovery
    error = tables.loss.noise * math.sqrt(2.0 / recovery.verify_steps)
    threshold = recovery.verify_z * error
    if recovery.wrong_restore_probability > 0.0 and recovery.wrong_restore_loss_jump <= threshold:
        yield (
            "recovery.wrong_restore_loss_jump",
            f"is within the noise, below {threshold:.3g}; verification misses most wrong restores",
        )


_DOUBTS: Final[tuple[Callable[[Tables], Iterator[Finding]], ...]] = (
    _idle_nodes,
    _watchdog,
    _interval,
    _layers,
    _blind_to_corruption,
    _names_no_node,
    _validation,
    _bakes,
    _false_alarms,
    _nothing_breaks,
    _never_evicts,
    _unused_policy,
    _unused_repair,
    _host_selection,
    _throttled,
    _period,
    _loss_jump,
)

_BETTER: Final[dict[Callable[[Tables], Iterator[Finding]], Callable[[Tables], bool]]] = {
    _blind_to_corruption: _sees_corruption,
    _never_evicts: _evicts,
    _false_alarms: lambda tables: not any(_false_alarms(tables)),
}
"""Doubts of which a scenario without alerts is free beside one that does better: it is compared with it."""
