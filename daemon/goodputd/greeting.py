"""The first and the last words of the daemon, in lines for people.

Pure functions of settings and snapshots: what plays, how fast, where to look; and what it came to.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

from goodputd.narration import counted, duration
from goodputd.settings import Scenario, Settings
from goodputd.sim.snapshot import Snapshot
from goodputd.sim.taxonomy import Bucket

_WALL_UNITS: Final = ((1.0, "second"), (60.0, "minute"), (3600.0, "hour"))
_SIMULATED_UNITS: Final = ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second"))
_FAST: Final = 1440.0
"""From this speedup on, what a wall second is worth says more than a wall minute."""
_MANY_SCENARIOS: Final = 3
"""From so many on, each gets one line instead of two."""


def opening_lines(settings: Settings, url: str, version: str) -> list[str]:
    """What plays, how fast, where the page and /metrics are, which config, and what next.

    ``url`` is the address of the page, with a slash at the end.
    """
    scenarios = settings.scenarios
    first = scenarios[0]
    names = ", ".join(_named(scenario, first) for scenario in scenarios)
    what = "1 scenario" if len(scenarios) == 1 else f"{len(scenarios)} scenarios on the same faults"
    return [
        f"goodputd {version} plays {what}: {names}",
        f"  speed    {speed(settings.clock.speedup)}; starts at {settings.clock.start}, seed {settings.seed}",
        f"  page     {url}",
        f"  metrics  {url}metrics",
        f"  config   {settings.source}",
        f"  next     scrape it each second (scrape_interval: 1s) or try: curl -s {url}metrics | grep _ratio",
        "           one line per incident follows; Ctrl-C stops",
    ]


def speed(speedup: float) -> str:
    """A speedup as ``one minute here = one day there``, in units that people use."""
    if speedup == 1.0:
        return "real time"
    for (wall, here), (simulated, there) in product(_WALL_UNITS, _SIMULATED_UNITS):
        if wall * speedup == simulated:
            return f"one {here} here = one {there} there ({speedup:,.10g} x)"
    wall, here = _WALL_UNITS[1] if speedup < _FAST else _WALL_UNITS[0]
    passed = wall * speedup
    simulated, there = next((unit for unit in _SIMULATED_UNITS if passed >= unit[0]), _SIMULATED_UNITS[-1])
    amount = f"{passed / simulated:,.2f}".rstrip("0").rstrip(".")
    return f"one {here} here = {amount} {there}s there ({speedup:,.10g} x)"


def closing_lines(snapshots: Sequence[Snapshot], wall_seconds: float) -> list[str]:
    """What it came to: five lines for one or two scenarios, one and a line for each beyond."""
    simulated = max((snapshot.now for snapshot in snapshots), default=0.0)
    lines = [f"stopped after {duration(simulated)} of simulated time in {duration(wall_seconds)}"]
    width = max((len(snapshot.scenario) for snapshot in snapshots), default=0)
    for snapshot in snapshots:
        name = snapshot.scenario.ljust(width)
        headline, losses = _headline(snapshot), _losses(snapshot)
        if len(snapshots) >= _MANY_SCENARIOS:
            lines.append(f"  {name}  {headline}, {snapshot.lost_steps:,} steps lost")
        elif len(snapshots) == 1:
            lines += [
                f"  {name}  {headline}",
                f"  {losses}",
                f"  {_repairs(snapshot)}",
                f"  {_progress(snapshot)}",
            ]
        else:
            lines += [f"  {name}  {headline}", f"  {' ' * width}  {losses}"]
    return lines


def _named(scenario: Scenario, first: Scenario) -> str:
    cluster = scenario.cluster
    fleet = f"{cluster.nodes:,} nodes x {cluster.gpus_per_node} GPUs, catalog {scenario.faults.catalog}"
    if scenario is first:
        return f"{scenario.name} ({fleet})"
    if not scenario.paired:
        return f"{scenario.name} ({fleet}; faults of its own)"
    return scenario.name


def _headline(snapshot: Snapshot) -> str:
    goodput = _percent(snapshot.effective_training_time_ratio)
    mttr = "no recovery yet" if snapshot.mttr_seconds is None else f"MTTR {duration(snapshot.mttr_seconds)}"
    return f"goodput {goodput}, {counted(snapshot.total_interruptions, 'interruption')}, {mttr}"


def _losses(snapshot: Snapshot) -> str:
    """Lost steps, and the three largest buckets of badput."""
    badput = [
        (s, bucket) for bucket, s in snapshot.seconds.items() if bucket is not Bucket.PRODUCTIVE and s > 0.0
    ]
    worst = sorted(badput, reverse=True)[:3]
    shares = ", ".join(f"{bucket} {_percent(seconds / snapshot.now)}" for seconds, bucket in worst)
    return f"{snapshot.lost_steps + snapshot.retracted_steps:,} steps lost" + (
        f"; most of the rest went to {shares}" if shares else ""
    )


def _repairs(snapshot: Snapshot) -> str:
    by_action: dict[str, int] = {}
    for (action, _), count in snapshot.decisions.items():
        by_action[action] = by_action.get(action, 0) + count
    decisions = ", ".join(f"{count:,} x {action}" for action, count in by_action.items() if count)
    return f"decisions: {decisions or 'none'}"


def _progress(snapshot: Snapshot) -> str:
    loss = "NaN" if snapshot.loss is None else f"{snapshot.loss:.3f}"
    return f"{snapshot.steps:,} steps executed, at step {snapshot.step:,} with loss {loss}"


def _percent(ratio: float | None) -> str:
    return "unknown" if ratio is None else f"{100.0 * ratio:.2f} %"
